"""tf.contrib.losses: those of tf.losses, predictions before labels and with other names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.v1 import losses
from tensorlite.compat.v1.losses import (
    add_loss,
    get_losses,
    get_regularization_losses,
    get_total_loss,
)
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core.errors import InvalidArgumentError

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


def compute_weighted_loss(
    losses_given: Any, weights: Any = 1.0, scope: str | None = None
) -> Any:
    return losses.compute_weighted_loss(losses_given, weights, scope)


def _swapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a loss that takes predictions before labels."""

    def loss(
        predictions: Any, labels: Any = None, weights: Any = 1.0, scope: Any = None
    ) -> Any:
        return function(labels, predictions, weights, scope=scope)

    loss.__name__ = loss.__qualname__ = function.__name__
    return loss


absolute_difference = _swapped(losses.absolute_difference)
mean_squared_error = _swapped(losses.mean_squared_error)
mean_pairwise_squared_error = _swapped(losses.mean_pairwise_squared_error)
sparse_softmax_cross_entropy = _swapped(losses.sparse_softmax_cross_entropy)


def log_loss(
    predictions: Any,
    labels: Any = None,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: Any = None,
) -> Any:
    return losses.log_loss(labels, predictions, weights, epsilon, scope)


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
    return losses.sigmoid_cross_entropy(
        multi_class_labels, logits, weights, label_smoothing, scope
    )


def softmax_cross_entropy(
    logits: Any,
    onehot_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: Any = None,
) -> Any:
    return losses.softmax_cross_entropy(
        onehot_labels, logits, weights, label_smoothing, scope
    )


def cosine_distance(
    predictions: Any,
    labels: Any = None,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: Any = None,
    dim: int | None = None,
) -> Any:
    over = renamed("axis", axis, "dim", dim)
    if over is None:
        raise InvalidArgumentError("You must specify 'axis'.")
    return losses.cosine_distance(labels, predictions, over, weights, scope)


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
