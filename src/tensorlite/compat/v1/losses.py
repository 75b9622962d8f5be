"""tf.losses of TensorFlow 1: losses with weights, each added to the collection LOSSES."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tensorlite.compat.documenting import explained
from tensorlite.compat.input_graphs import graph_of_inputs
from tensorlite.compat.missing import listing
from tensorlite.compat.shared import (
    arrays,
    elementwise,
    nn as shared_nn,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays, nn_losses, numbers
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.metric_kinds.parts import (
    remove_squeezable_dimensions,
    short_scale,
)
from tensorlite.compat.v1.metric_kinds.weights import (
    assert_broadcastable,
    broadcast_weights,
)
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.graph_mode.keys import GraphKeys


class Reduction:
    """How the losses of a batch become one number."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Return all ways to reduce losses."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: str) -> None:
        """Raise InvalidArgumentError if the key is no way to reduce losses."""
        if key not in cls.all():
            raise InvalidArgumentError(f"Invalid ReductionKey {key}.")


_MEAN = Reduction.SUM_BY_NONZERO_WEIGHTS


def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Add a loss to a collection of the graph; nothing happens where programs run at once."""
    if loss_collection and active_graph() is not None:
        scopes.add_to_collections(loss_collection, loss)


def get_losses(
    scope: str | None = None, loss_collection: str = GraphKeys.LOSSES
) -> list[Any]:
    """Return the losses of the collection, those of a scope if given."""
    return scopes.get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """Return the losses of the collection REGULARIZATION_LOSSES, those of a scope if given."""
    return scopes.get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str | None = "total_regularization_loss"
) -> Any:
    """Return the sum of the regularization losses, 0 if there are none."""
    found = get_regularization_losses(scope)
    if not found:
        return framework.constant(0.0)
    return elementwise.add_n(found, name=name)


def get_total_loss(
    add_regularization_losses: bool = True,
    name: str | None = "total_loss",
    scope: str | None = None,
) -> Any:
    """Return the sum of all losses, with those of regularization unless told otherwise."""
    found = get_losses(scope)
    if add_regularization_losses:
        found = [*found, *get_regularization_losses(scope)]
    return elementwise.add_n(found, name=name)


@contextmanager
def _scoped(scope: str | None, default: str, given: dict[str, Any]) -> Iterator[str]:
    """Open a loss's name scope; InvalidArgumentError for what is not given."""
    for name, value in given.items():
        if value is None:
            raise InvalidArgumentError(f"{name} must not be None.")
    with graph_of_inputs(given), name_scope(scope, default) as prefix:
        yield prefix


def _floats(*xs: Any) -> list[Any]:
    return [elementwise.cast(x, float32) for x in xs]


def _alike(x: Any, y: Any) -> None:
    """Raise ShapeError for shapes that differ."""
    if not x.get_shape().is_compatible_with(y.get_shape()):
        raise ShapeError(
            f"Shapes {x.get_shape()} and {y.get_shape()} are incompatible"
        )


def _present(losses: Any, weights: Any, per_batch: bool = False) -> Any:
    """Return how many losses have weights that are not 0."""
    if isinstance(weights, float) and weights != 0.0:
        return _number(losses)
    with name_scope(None, "num_present") as prefix:
        scale = elementwise.cast(weights, float32)
        some = v1_arrays.where(
            elementwise.equal(scale, 0.0),
            v1_arrays.zeros_like(scale),
            v1_arrays.ones_like(scale),
        )
        each = broadcast_weights(some, losses)
        if not per_batch:
            return numbers.reduce_sum(each, name=prefix)
        behind = arrays.range(1, arrays.rank(each))
        return numbers.reduce_sum(each, axis=behind, keepdims=True, name=prefix)


def _number(losses: Any) -> Any:
    """Return how many losses there are."""
    with name_scope(None, "num_elements") as prefix:
        return elementwise.cast(v1_arrays.size(losses, name=prefix), losses.dtype)


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Any:
    """Return losses times weights, reduced to a scalar added to a collection of losses.

    The reduction is a mean over weights that are not 0 unless another Reduction is given. Weights
    broadcast to the losses.
    """
    Reduction.validate(reduction)
    if weights is None:
        raise InvalidArgumentError("weights must not be None.")
    with name_scope(scope, "weighted_loss"):
        fit = assert_broadcastable(weights, losses)
        with framework.control_dependencies([fit]):
            given = framework.convert_to_tensor(losses)
            (each,), (scale,) = _floats(given), _floats(weights)
            loss = elementwise.multiply(each, scale)
            if reduction != Reduction.NONE:
                loss = _reduced(loss, each, scale, reduction)
            loss = elementwise.cast(loss, given.dtype)
            add_loss(loss, loss_collection)
            return loss


def _reduced(weighted: Any, losses: Any, weights: Any, reduction: str) -> Any:
    """Return the sum of weighted losses, or their mean over what a reduction counts."""
    loss = numbers.reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return loss
    if reduction == Reduction.MEAN:
        ones = v1_arrays.ones_like(losses)
        count = numbers.reduce_sum(elementwise.multiply(ones, weights, name="mul"))
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        count = _number(losses)
    else:
        count = _present(losses, weights)
    return elementwise.div_no_nan(numbers.reduce_sum(loss), count, name="value")


def _pair(predictions: Any, labels: Any) -> list[Any]:
    """Return predictions and labels as floats of one shape."""
    found, wanted = _floats(predictions, labels)
    _alike(found, wanted)
    return [found, wanted]


def _of_pairs(
    name: str, errors: str, function: Callable[[Any, Any], Any]
) -> Callable[..., Any]:
    """Return the loss that a function of a prediction and its label is."""

    def loss(
        labels: Any,
        predictions: Any,
        weights: Any = 1.0,
        scope: str | None = None,
        loss_collection: Any = GraphKeys.LOSSES,
        reduction: str = _MEAN,
    ) -> Any:
        given = {"labels": labels, "predictions": predictions}
        with _scoped(scope, name, given) as prefix:
            losses = function(*_pair(predictions, labels))
            return compute_weighted_loss(
                losses, weights, prefix, loss_collection, reduction
            )

    help_text = (
        f"Return the weighted mean of {errors}, added to a collection of losses.\n\n"
        "It is over weights that are not 0 unless another Reduction is given."
    )
    return explained(loss, name, help_text)


absolute_difference = _of_pairs(
    "absolute_difference",
    "absolute differences",
    lambda found, wanted: elementwise.abs(elementwise.subtract(found, wanted)),
)
mean_squared_error = _of_pairs(
    "mean_squared_error", "squared differences", elementwise.squared_difference
)


def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _MEAN,
    dim: int | None = None,
) -> Any:
    """Return the weighted mean of 1 - cosine along an axis, added to a collection of losses.

    Labels and predictions are to have length 1. dim is the older name of axis.
    """
    over = renamed("axis", axis, "dim", dim)
    given = {"axis": over, "labels": labels, "predictions": predictions}
    with _scoped(scope, "cosine_distance_loss", given) as prefix:
        found, wanted = _pair(predictions, labels)
        products = elementwise.multiply(found, wanted)
        losses = 1 - numbers.reduce_sum(products, axis=[over], keepdims=True)
        return compute_weighted_loss(
            losses, weights, prefix, loss_collection, reduction
        )


def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Any:
    """Return the weighted mean of max(0, 1 - side * logit), added to a collection of losses.

    Labels 0 and 1 are the sides -1 and 1.
    """
    given = {"labels": labels, "logits": logits}
    with _scoped(scope, "hinge_loss", given) as prefix:
        found, wanted = _pair(logits, labels)
        ones = v1_arrays.ones_like(wanted)
        sides = elementwise.subtract(2 * wanted, ones)
        losses = shared_nn.relu(
            elementwise.subtract(ones, elementwise.multiply(sides, found))
        )
        return compute_weighted_loss(
            losses, weights, prefix, loss_collection, reduction
        )


def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Any:
    """Return the weighted mean of Huber's losses, added to a collection of losses.

    Errors up to delta are squared and halved; beyond, delta * (|error| - delta / 2).
    """
    given = {"labels": labels, "predictions": predictions}
    with _scoped(scope, "huber_loss", given) as prefix:
        found, wanted = _pair(predictions, labels)
        error = elementwise.abs(elementwise.subtract(found, wanted))
        # |e| - min(|e|, delta) and not max(|e| - delta, 0), whose gradient at delta is 1.
        near = elementwise.minimum(error, delta)
        far = elementwise.subtract(error, near)
        half = framework.constant(0.5, near.dtype)
        losses = elementwise.add(
            elementwise.multiply(half, elementwise.multiply(near, near)),
            elementwise.multiply(delta, far),
        )
        return compute_weighted_loss(
            losses, weights, prefix, loss_collection, reduction
        )


def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Any:
    """Return the weighted mean of log losses, added to a collection of losses.

    Predictions are in [0, 1]; epsilon keeps logarithms finite.
    """
    given = {"labels": labels, "predictions": predictions}
    with _scoped(scope, "log_loss", given) as prefix:
        found, wanted = _pair(predictions, labels)
        yes = -elementwise.multiply(wanted, elementwise.log(found + epsilon))
        no = elementwise.multiply(1 - wanted, elementwise.log(1 - found + epsilon))
        losses = yes - no
        return compute_weighted_loss(
            losses, weights, prefix, loss_collection, reduction
        )


def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
) -> Any:
    """Return the weighted mean of squared differences between pairs of errors of each row.

    It is a scalar that is added to a collection of losses.
    """
    given = {"labels": labels, "predictions": predictions, "weights": weights}
    with _scoped(scope, "mean_pairwise_squared_error", given):
        scale, wanted = _floats(weights, labels)
        with framework.control_dependencies([assert_broadcastable(scale, wanted)]):
            (found,) = _floats(predictions)
            _alike(found, wanted)
            loss = _apart(elementwise.subtract(found, wanted), scale)
            add_loss(loss, loss_collection)
            return loss


def _apart(differences: Any, weights: Any) -> Any:
    """Return the mean square of how far the differences of pairs of elements are apart."""
    over = arrays.range(1, arrays.rank(differences))
    squares = numbers.reduce_sum(
        elementwise.square(differences), axis=over, keepdims=True
    )
    count = _present(differences, weights, per_batch=True)
    pairs = elementwise.maximum(count - 1, 0)
    first = 2.0 * elementwise.div_no_nan(squares, pairs, name="value")
    total = numbers.reduce_sum(differences, axis=over, keepdims=True)
    pairs = elementwise.maximum(elementwise.multiply(count, count - 1), 0)
    square = elementwise.square(total)
    second = 2.0 * elementwise.div_no_nan(square, pairs, name="value")
    loss = numbers.reduce_sum(elementwise.multiply(first - second, weights))
    some = numbers.reduce_sum(count) > 0
    return v1_arrays.where(some, loss, v1_arrays.zeros_like(loss), name="value")


def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Any:
    """Return the weighted mean of sigmoid cross entropies, added to a collection of losses.

    Labels are moved towards 1/2 by label_smoothing.
    """
    given = {"multi_class_labels": multi_class_labels, "logits": logits}
    with _scoped(scope, "sigmoid_cross_entropy_loss", given) as prefix:
        found = framework.convert_to_tensor(logits)
        wanted = elementwise.cast(multi_class_labels, found.dtype)
        _alike(found, wanted)
        if label_smoothing > 0:
            wanted = wanted * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = nn_losses.sigmoid_cross_entropy_with_logits(
            labels=wanted, logits=found, name="xentropy"
        )
        return compute_weighted_loss(
            losses, weights, prefix, loss_collection, reduction
        )


def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Any:
    """Return the weighted mean of softmax cross entropies, added to a collection of losses.

    One-hot labels are moved towards equal shares by label_smoothing; no gradients flow to them.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     loss = tf.losses.softmax_cross_entropy([[0.0, 1.0]], [[0.0, 0.0]])
    ...     round(float(session.run(loss)), 4)
    0.6931
    """
    given = {"onehot_labels": onehot_labels, "logits": logits}
    with _scoped(scope, "softmax_cross_entropy_loss", given) as prefix:
        found = framework.convert_to_tensor(logits)
        wanted = elementwise.cast(onehot_labels, found.dtype)
        _alike(found, wanted)
        if label_smoothing > 0:
            classes = elementwise.cast(v1_arrays.shape(wanted)[-1], found.dtype)
            wanted = wanted * (1.0 - label_smoothing) + label_smoothing / classes
        wanted = arrays.stop_gradient(wanted, name="labels_stop_gradient")
        losses = nn_losses.softmax_cross_entropy_with_logits_v2(
            labels=wanted, logits=found, name="xentropy"
        )
        return compute_weighted_loss(
            losses, weights, prefix, loss_collection, reduction
        )


def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _MEAN,
) -> Any:
    """Return the weighted mean of softmax cross entropies, added to a collection of losses.

    Labels are the classes' numbers.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     loss = tf.losses.sparse_softmax_cross_entropy([1], [[0.0, 0.0]])
    ...     round(float(session.run(loss)), 4)
    0.6931
    """
    given = {"labels": labels, "logits": logits, "weights": weights}
    with _scoped(scope, "sparse_softmax_cross_entropy_loss", given) as prefix:
        wanted = framework.convert_to_tensor(labels)
        found = framework.convert_to_tensor(logits)
        wanted, found = remove_squeezable_dimensions(wanted, found, 1)
        scale = short_scale(framework.convert_to_tensor(weights), wanted)
        losses = nn_losses.sparse_softmax_cross_entropy_with_logits(
            labels=wanted, logits=found, name="xentropy"
        )
        return compute_weighted_loss(
            losses, scale, prefix, loss_collection, reduction
        )


__dir__ = listing(__name__, globals())
