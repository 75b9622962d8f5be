"""What heads of tf.contrib.learn are made of: losses with weights, metrics from a threshold on."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from tensorlite.compat.shared import arrays, elementwise, logging, nn
from tensorlite.compat.shared.values import convert_to_tensor_or_sparse_tensor
from tensorlite.compat.v1 import metrics, summary
from tensorlite.compat.v1.contrib.columns.base import is_sparse
from tensorlite.compat.v1.contrib.weighted import linear
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.graphs.variables import Variable
from tensorlite.compat.v1.metric_kinds.weights import broadcast_weights
from tensorlite.compat.v1.training.optimizer_classes import AdagradOptimizer
from tensorlite.core.dtypes import bool_, float32, int32
from tensorlite.core.errors import InvalidArgumentError, ShapeError

Loss = Callable[..., tuple[Any, Any]]
"""What gives of labels, logits and weights the loss, and its mean by the weights."""


def titled(head_name: str | None, key: str) -> str:
    """Return the name of a metric of a head."""
    return f"{key}/{head_name}" if head_name else key


def logits_of(logits_input: Any, logits: Any, dimension: int) -> Any:
    """Return logits as they are given, or what a layer makes of logits_input."""
    if logits is None:
        if logits_input is None:
            raise InvalidArgumentError("Neither logits nor logits_input supplied.")
        return linear(logits_input, dimension, scope="logits")
    if logits_input is not None:
        raise InvalidArgumentError("Both logits and logits_input supplied.")
    found = framework.convert_to_tensor(logits, name="logits")
    shape = found.get_shape()
    if shape.ndims is not None and shape.as_list()[-1] not in (None, dimension):
        raise ShapeError(
            f"Dimensions {shape.as_list()[-1]} and {dimension} are not compatible"
        )
    return found


def labels_of(given: Any, name: str | None) -> Any:
    """Return labels, those of a name if there are several; sparse ones as they are."""
    found = given[name] if isinstance(given, dict) else given
    return convert_to_tensor_or_sparse_tensor(found)


def dense_labels_of(given: Any, name: str | None) -> Any:
    """Return labels that must not be sparse."""
    found = labels_of(given, name)
    if is_sparse(found):
        raise InvalidArgumentError("SparseTensor is not supported.")
    return found


def weights_of(features: Any, name: str | None) -> Any:
    """Return the weights among features as float32, of two axes at least, or None."""
    if not name:
        return None
    if name not in features:
        raise InvalidArgumentError(f"Weights {name} missing from features.")
    with framework.name_scope(None, "weight_tensor"):
        found = elementwise.cast(features[name], float32)
        if found.get_shape().ndims == 1:
            logging.warning("Weights %s has one axis, expanding to make it 2d.", name)
            return arrays.reshape(found, [-1, 1])
        return found


def weighted(losses: Any, weights: Any) -> tuple[Any, Any]:
    """Return the mean of losses times weights, and their sum divided by that of the weights."""
    with framework.name_scope("loss") as scope:
        if weights is None:
            loss = numbers.reduce_mean(losses, name=scope)
            return loss, loss
        whole = broadcast_weights(weights, losses)
        each = elementwise.multiply(losses, whole)
        mean = numbers.reduce_mean(each, name=scope)
        total = numbers.reduce_sum(whole)
        average = elementwise.div(
            numbers.reduce_sum(each), total, name="weighted_average_loss"
        )
        return mean, average


def _two_axes(x: Any) -> Any:
    return v1_arrays.expand_dims(x, 1) if x.get_shape().ndims == 1 else x


def of_one_shape(labels: Any, logits: Any) -> tuple[Any, Any]:
    """Return labels and logits with two axes; ShapeError if they do not fit."""
    own, found = _two_axes(labels), _two_axes(framework.convert_to_tensor(logits))
    found.get_shape().assert_is_compatible_with(own.get_shape())
    return own, found


def checked_loss(loss_fn: Any) -> Loss | None:
    """Return a program's loss as one with weights; it must have labels, logits and weights."""
    if loss_fn is None:
        return None
    inner = getattr(loss_fn, "func", loss_fn)
    known = signature(inner).parameters
    for name in ("labels", "logits", "weights"):
        if name not in known:
            raise InvalidArgumentError(f"Argument {name} not found in loss_fn.")

    def called(labels: Any, logits: Any, weights: Any = None) -> tuple[Any, Any]:
        more = () if weights is None else (weights,)
        loss = loss_fn(labels, logits, *more)
        return loss, loss

    return called


def centered_bias(dimension: int, head_name: str | None) -> Any:
    """Return a bias of its own that is trained beside the model."""
    bias = Variable(
        arrays.zeros([dimension]), trainable=True, name="centered_bias_weight"
    )
    for i in range(dimension):
        summary.scalar(titled(head_name, f"centered_bias/bias_{i}"), bias[i])
    return bias


def centered_bias_step(
    bias: Any, count: Any, labels: Any, loss_fn: Loss, weights: Any
) -> Any:
    """Return a step that trains the bias alone."""
    with framework.name_scope(None, "centered_bias_step") as scope:
        rows = arrays.zeros(arrays.stack([count, bias.get_shape().as_list()[0]]))
        losses = loss_fn(labels, nn.bias_add(rows, bias), weights)
        loss = numbers.reduce_mean(arrays.stack(list(losses)), name="training_loss")
        optimizer = AdagradOptimizer(0.1)
        return optimizer.minimize(loss, var_list=[bias], name=scope)


def _floats(x: Any) -> Any:
    return None if x is None else elementwise.cast(x, float32)


def _of_class(values: Any, weights: Any, class_id: int | None) -> tuple[Any, Any]:
    """Return values and weights, each for each, of one class if one is asked."""
    whole = None if weights is None else broadcast_weights(_floats(weights), values)
    if class_id is None:
        return values, whole
    return values[:, class_id], None if whole is None else whole[:, class_id]


def mean_of(values: Any, weights: Any = None, class_id: int | None = None) -> Any:
    """Return the metric of a mean, of one class if one is asked."""
    return metrics.mean(*_of_class(_floats(values), weights, class_id))


def share_of_class(classes: Any, weights: Any, class_id: int) -> Any:
    """Return the metric of how often a class is there."""
    found = elementwise.equal(elementwise.cast(classes, int32), class_id)
    return metrics.mean(elementwise.cast(found, float32), weights)


def auc(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    class_id: int | None = None,
    curve: str = "ROC",
) -> Any:
    """Return the metric of the area under a curve, of one class if one is asked."""
    found, whole = _of_class(_floats(predictions), weights, class_id)
    own = elementwise.cast(labels, bool_)
    if class_id is not None:
        own = own[:, class_id]
    return metrics.auc(own, found, whole, curve=curve)


def accuracy_at(predictions: Any, labels: Any, weights: Any, threshold: float) -> Any:
    """Return the metric of how often what is at least a threshold is right."""
    yes = elementwise.cast(elementwise.greater_equal(predictions, threshold), float32)
    return metrics.accuracy(labels, yes, weights)


def at_threshold(
    metric: Callable[..., Any],
    predictions: Any,
    labels: Any,
    weights: Any,
    threshold: float,
) -> Any:
    """Return a metric of thresholds at one."""
    pair = metric(labels, predictions, [threshold], _floats(weights))
    return tuple(v1_arrays.squeeze(x) for x in pair)
