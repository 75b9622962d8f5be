"""tf.contrib.losses: those of tf.losses, predictions before labels and with other names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.making import titled
from tensorlite.compat.v1 import losses
from tensorlite.compat.v1.contrib.arg_scopes import add_arg_scope
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
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
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]

add_loss = add_arg_scope(losses.add_loss)


def compute_weighted_loss(
    losses_given: Any, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """Return the mean of losses; weights are for as many of their first axes as they have."""
    with name_scope(scope, "weighted_loss") as prefix:
        each = framework.convert_to_tensor(losses_given)
        scale = _spread(weights, each)
        loss = losses.compute_weighted_loss(each, scale, prefix, None)
        add_loss(loss)
        return loss


def _spread(weights: Any, each: Any) -> Any:
    """Return weights with axes of size 1 for those of the losses that they have not."""
    if weights is None:
        raise InvalidArgumentError("weights must not be None.")
    scale = elementwise.cast(framework.convert_to_tensor(weights), float32)
    rank, own = each.get_shape().rank, scale.get_shape().rank
    for name, known in (("losses", rank), ("weights", own)):
        if known is None:
            raise InvalidArgumentError(f"{name}.get_shape().ndims cannot be None")
    if own > 1 and scale.get_shape().as_list()[-1] == 1:
        scale, own = arrays.squeeze(scale, [-1]), own - 1
    for _ in range(rank - own):
        scale = arrays.expand_dims(scale, -1)
    return scale


def _weighed(function: Callable[..., Any], default: str) -> Callable[..., Any]:
    """Return a loss that takes predictions before labels."""

    def loss(
        predictions: Any, labels: Any = None, weights: Any = 1.0, scope: Any = None
    ) -> Any:
        return _mean_of(function, default, labels, predictions, weights, scope)

    found: Callable[..., Any] = titled(loss, function, function.__name__)
    return found


def _mean_of(
    function: Callable[..., Any],
    default: str,
    labels: Any,
    predictions: Any,
    weights: Any,
    scope: Any,
    **more: Any,
) -> Any:
    with name_scope(scope, default) as prefix:
        alone = {"loss_collection": None, "reduction": losses.Reduction.NONE}
        each = function(labels, predictions, scope=prefix, **more, **alone)
        return compute_weighted_loss(each, weights, prefix)


absolute_difference = _weighed(losses.absolute_difference, "absolute_difference")
mean_squared_error = _weighed(losses.mean_squared_error, "mean_squared_error")
_sparse_softmax = _weighed(
    losses.sparse_softmax_cross_entropy, "sparse_softmax_cross_entropy_loss"
)


def sparse_softmax_cross_entropy(
    logits: Any, labels: Any, weights: Any = 1.0, scope: Any = None
) -> Any:
    """Return the weighted mean of cross entropies of classes' numbers, added to the losses."""
    return _sparse_softmax(logits, labels, weights, scope)


def mean_pairwise_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: Any = None
) -> Any:
    """Return the mean over pairs of a row's elements of how far their differences are off."""
    with name_scope(scope, "mean_pairwise_squared_error"):
        found, wanted = (
            elementwise.cast(framework.convert_to_tensor(x), float32)
            for x in (predictions, labels)
        )
        if not found.get_shape().is_compatible_with(wanted.get_shape()):
            raise ShapeError(
                f"Shapes {found.get_shape()} and {wanted.get_shape()} are incompatible"
            )
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
    given = (losses.log_loss, "log_loss", labels, predictions, weights, scope)
    return _mean_of(*given, epsilon=epsilon)


def hinge_loss(logits: Any, labels: Any = None, scope: Any = None) -> Any:
    """Return each hinge loss: here they are neither summed nor collected."""
    return losses.hinge_loss(
        labels, logits, scope=scope, loss_collection=None, reduction="none"
    )


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
    function, default = losses.sigmoid_cross_entropy, "sigmoid_cross_entropy_loss"
    given = (function, default, multi_class_labels, logits, weights, scope)
    return _mean_of(*given, label_smoothing=label_smoothing)


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
    function, default = losses.softmax_cross_entropy, "softmax_cross_entropy_loss"
    given = (function, default, onehot_labels, logits, weights, scope)
    return _mean_of(*given, label_smoothing=label_smoothing)


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
    given = (losses.cosine_distance, "cosine_distance_loss", labels, predictions)
    return _mean_of(*given, weights, scope, axis=over)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
