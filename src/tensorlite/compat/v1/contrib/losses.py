"""tf.contrib.losses: those of tf.losses, predictions before labels and with other names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import arrays, cutting, elementwise, nn
from tensorlite.compat.shared.making import titled
from tensorlite.compat.v1 import losses
from tensorlite.compat.v1.contrib import metric_learning
from tensorlite.compat.v1.contrib.arg_scopes import add_arg_scope
from tensorlite.compat.v1.functions import arrays as v1_arrays, nn_losses, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.losses import (
    get_losses,
    get_regularization_losses,
    get_total_loss,
)
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.graph_mode.graph import name_scope

__all__ = [
    "absolute_difference",
    "add_loss",
    "compute_weighted_loss",
    "cosine_distance",
    "get_losses",
    "get_regularization_losses",
    "get_total_loss",
    "hinge_loss",
    "log_loss",
    "mean_pairwise_squared_error",
    "mean_squared_error",
    "metric_learning",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]

add_loss = add_arg_scope(losses.add_loss)


def compute_weighted_loss(
    losses_given: Any, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """Return the mean of losses; weights are for as many of their first axes as they have."""
    with name_scope(scope, "weighted_loss"):
        each = framework.convert_to_tensor(losses_given)
        kind = each.dtype
        each, scale = elementwise.cast(each, float32), _weights(weights, each)
        if scale.get_shape().rank > 1 and scale.get_shape().as_list()[-1] == 1:
            scale = arrays.squeeze(scale, [-1])
        rank, own = each.get_shape().rank, scale.get_shape().rank
        summed = numbers.reduce_sum(each, axis=list(range(own, rank)))
        total = numbers.reduce_sum(elementwise.multiply(summed, scale))
        count = _present(each, scale)
        whole = numbers.reduce_sum(total)
        mean = elementwise.div_no_nan(whole, count, name="value")
        loss = elementwise.cast(mean, kind)
        add_loss(loss)
        return loss


def _present(each: Any, scale: Any) -> Any:
    """Return how many losses have weights that are not 0."""
    if scale.get_shape().rank == 0:
        batch = arrays.reshape(cutting.slice(v1_arrays.shape(each), [0], [1]), [])
        count = elementwise.cast(arrays.size(each), float32)
        count = elementwise.div(count, elementwise.cast(batch, float32))
        count = v1_arrays.where(elementwise.equal(scale, 0), 0.0, count)
        ones = arrays.ones(arrays.reshape(batch, [1]))
        return numbers.reduce_sum(elementwise.multiply(ones, count))
    own = scale.get_shape().rank
    kept = elementwise.cast(elementwise.not_equal(scale, 0), float32)
    kept = numbers.reduce_sum(kept, axis=list(range(1, own)))
    rest = numbers.reduce_prod(cutting.slice(v1_arrays.shape(each), [own], [-1]))
    counts = elementwise.multiply(kept, elementwise.cast(rest, float32))
    return numbers.reduce_sum(counts)


def _weights(weights: Any, each: Any) -> Any:
    """Return weights of losses; InvalidArgumentError where either's rank is not known."""
    if weights is None:
        raise InvalidArgumentError("weights must not be None.")
    scale = elementwise.cast(framework.convert_to_tensor(weights), float32)
    for name, x in (("losses", each), ("weights", scale)):
        if x.get_shape().rank is None:
            raise InvalidArgumentError(f"{name}.get_shape().ndims cannot be None")
    return scale


def _spread(weights: Any, each: Any) -> Any:
    """Return weights with axes of size 1 for those of the losses that they have not."""
    scale = _weights(weights, each)
    rank, own = each.get_shape().rank, scale.get_shape().rank
    if own > 1 and scale.get_shape().as_list()[-1] == 1:
        scale, own = arrays.squeeze(scale, [-1]), own - 1
    for _ in range(rank - own):
        scale = arrays.expand_dims(scale, -1)
    return scale


def _check_alike(found: Any, wanted: Any) -> None:
    if not found.get_shape().is_compatible_with(wanted.get_shape()):
        raise ShapeError(
            f"Shapes {found.get_shape()} and {wanted.get_shape()} are incompatible"
        )


def _mean_of(
    each: Callable[..., Any],
    default: str,
    given: tuple[Any, Any],
    weights: Any,
    scope: Any,
) -> Any:
    """Return the weighted mean of what a function gives of two tensors of one shape."""
    with name_scope(scope, default) as prefix:
        found, wanted = map(framework.convert_to_tensor, given)
        _check_alike(found, wanted)
        return compute_weighted_loss(each(found, wanted), weights, prefix)


def _of_floats(each: Callable[..., Any], default: str) -> Callable[..., Any]:
    """Return a loss of predictions and labels, which are taken as float32."""

    def as_floats(predictions: Any, labels: Any) -> Any:
        found = elementwise.cast(predictions, float32)
        return each(found, elementwise.cast(labels, float32))

    def loss(
        predictions: Any, labels: Any = None, weights: Any = 1.0, scope: Any = None
    ) -> Any:
        return _mean_of(as_floats, default, (predictions, labels), weights, scope)

    found: Callable[..., Any] = titled(loss, getattr(losses, default), default)
    return found


absolute_difference = _of_floats(
    lambda x, y: elementwise.abs(elementwise.subtract(x, y)), "absolute_difference"
)
mean_squared_error = _of_floats(elementwise.squared_difference, "mean_squared_error")


def sparse_softmax_cross_entropy(
    logits: Any, labels: Any, weights: Any = 1.0, scope: Any = None
) -> Any:
    """Return the weighted mean of cross entropies of classes' numbers, added to the losses."""
    with name_scope(scope, "sparse_softmax_cross_entropy_loss") as prefix:
        numbered = framework.convert_to_tensor(labels)
        numbered = arrays.reshape(numbered, [v1_arrays.shape(numbered)[0]])
        each = nn_losses.sparse_softmax_cross_entropy_with_logits(
            labels=numbered, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(each, weights, prefix)


def mean_pairwise_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: Any = None
) -> Any:
    """Return the mean over pairs of a row's elements of how far their differences are off."""
    with name_scope(scope, "mean_pairwise_squared_error"):
        found, wanted = (
            elementwise.cast(framework.convert_to_tensor(x), float32)
            for x in (predictions, labels)
        )
        _check_alike(found, wanted)
        off = elementwise.subtract(found, wanted)
        scale = _spread(weights, off)
        behind = list(range(1, off.get_shape().rank))
        kept = elementwise.cast(elementwise.not_equal(scale, 0.0), float32)
        ones = elementwise.multiply(v1_arrays.ones_like(off), kept)
        count = numbers.reduce_sum(ones, axis=behind, keepdims=True)
        squares = numbers.reduce_sum(
            elementwise.square(off), axis=behind, keepdims=True
        )
        total = numbers.reduce_sum(off, axis=behind, keepdims=True)
        each = 2.0 * elementwise.div_no_nan(squares, count)
        each -= 2.0 * elementwise.square(elementwise.div_no_nan(total, count))
        loss = numbers.reduce_sum(elementwise.multiply(each, scale))
        add_loss(loss)
        return loss


def log_loss(
    predictions: Any,
    labels: Any = None,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: Any = None,
) -> Any:
    """Return the weighted mean of log losses of predictions in (0, 1), added to the losses."""

    def each(found: Any, wanted: Any) -> Any:
        found, wanted = (elementwise.cast(x, float32) for x in (found, wanted))
        hits = -elementwise.multiply(wanted, elementwise.log(found + epsilon))
        absent = 1 - wanted
        others = elementwise.log(1 - found + epsilon)
        return hits - elementwise.multiply(absent, others)

    return _mean_of(each, "log_loss", (predictions, labels), weights, scope)


def hinge_loss(logits: Any, labels: Any = None, scope: Any = None) -> Any:
    """Return each hinge loss: here they are neither summed nor collected."""
    with name_scope(scope, "hinge_loss"):
        scores, wanted = map(framework.convert_to_tensor, (logits, labels))
        _check_alike(scores, wanted)
        wanted = elementwise.cast(wanted, float32)
        ones = v1_arrays.ones_like(wanted)
        signs = elementwise.subtract(2 * wanted, ones)
        missed = elementwise.subtract(ones, elementwise.multiply(signs, scores))
        return nn.relu(missed)


def sigmoid_cross_entropy(
    logits: Any,
    multi_class_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: Any = None,
) -> Any:
    """Return the weighted mean of sigmoid cross entropies, added to the losses.

    Labels of 0 and 1 are moved towards 1/2 by label_smoothing.
    """

    def each(scores: Any, wanted: Any) -> Any:
        wanted = elementwise.cast(wanted, scores.dtype)
        if label_smoothing > 0:
            wanted = wanted * (1 - label_smoothing) + 0.5 * label_smoothing
        return nn_losses.sigmoid_cross_entropy_with_logits(
            labels=wanted, logits=scores, name="xentropy"
        )

    given = logits, multi_class_labels
    return _mean_of(each, "sigmoid_cross_entropy_loss", given, weights, scope)


def softmax_cross_entropy(
    logits: Any,
    onehot_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: Any = None,
) -> Any:
    """Return the weighted mean of softmax cross entropies, added to the losses.

    One-hot labels are moved towards equal shares by label_smoothing.
    """

    def each(scores: Any, wanted: Any) -> Any:
        wanted = elementwise.cast(wanted, scores.dtype)
        if label_smoothing > 0:
            kinds = elementwise.cast(v1_arrays.shape(wanted)[1], scores.dtype)
            share = label_smoothing / kinds
            wanted = wanted * (1.0 - label_smoothing) + share
        return nn_losses.softmax_cross_entropy_with_logits(
            labels=wanted, logits=scores, name="xentropy"
        )

    given = logits, onehot_labels
    return _mean_of(each, "softmax_cross_entropy_loss", given, weights, scope)


def cosine_distance(
    predictions: Any,
    labels: Any = None,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: Any = None,
    dim: int | None = None,
) -> Any:
    """Return the weighted mean of 1 - cosine along an axis, added to the losses.

    Predictions and labels are to have length 1. dim is the older name of axis; without either,
    InvalidArgumentError is raised.
    """
    over = renamed("axis", axis, "dim", dim)
    if over is None:
        raise InvalidArgumentError("You must specify 'axis'.")

    def each(found: Any, wanted: Any) -> Any:
        found, wanted = (elementwise.cast(x, float32) for x in (found, wanted))
        return 1 - numbers.reduce_sum(
            elementwise.multiply(found, wanted), axis=[over]
        )

    given = predictions, labels
    return _mean_of(each, "cosine_distance_loss", given, weights, scope)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
