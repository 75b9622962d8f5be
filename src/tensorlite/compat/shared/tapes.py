"""GradientTape with the arguments of TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import zeros_like
from tensorlite.compat.shared.logging import get_logger
from tensorlite.compat.shared.values import UnconnectedGradients
from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.graph import tape


class GradientTape(tape.GradientTape):
    """A tape with the arguments of TensorFlow."""

    def watch(self, tensor: Any) -> None:
        """Watch tensors; whole numbers, which have no gradients, are left out with a warning."""
        if nest.is_value(tensor) and tensor.dtype.is_differentiable:
            super().watch(tensor)
            return
        for x in nest.flatten(tensor):
            if isinstance(x, np.ndarray) or not hasattr(x, "dtype"):
                raise InvalidArgumentError(
                    f"Passed in object {x!r} of type {type(x).__name__!r}, not tf.Tensor or "
                    "tf.Variable or ExtensionType."
                )
            if x.dtype.is_differentiable:
                super().watch(x)
            else:
                get_logger().warning(
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %s",
                    x.dtype.name,
                )

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """Return the gradients of a target by sources, in the sources' structure.

        Where nothing leads from one to the other it is None, or with unconnected_gradients='zero'
        0. Of a target of several elements it is the gradient of their sum, weighted by
        output_gradients.

        >>> from tensorlite.compat import v2 as tf
        >>> x = tf.Variable(3.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> float(tape.gradient(y, x))
        6.0
        """
        found = super().gradient(target, sources, output_gradients)
        return filled(found, sources, unconnected_gradients)

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Return the derivatives of each element of a target: [*target, *source].

        How it is computed is the same whatever the last two arguments are.
        """
        return super().jacobian(target, sources, _unconnected(unconnected_gradients))

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Return the derivatives within each batch element: [batch, *target, *source].

        How it is computed is the same whatever the last two arguments are. ShapeError where one
        has no axis behind the batch's, or the batches are of different sizes.
        """
        rows = target.shape.with_rank_at_least(2)[:1]
        if not rows.is_compatible_with(source.shape.with_rank_at_least(2)[:1]):
            raise ShapeError(
                f"Need first dimension of target shape ({target.shape}) and source shape "
                f"({source.shape}) to match."
            )
        unconnected = _unconnected(unconnected_gradients)
        return super().batch_jacobian(target, source, unconnected)


def filled(found: Any, like: Any, unconnected: Any) -> Any:
    """Return derivatives, zeros for what has none if that is asked for."""
    if _wants_zeros(unconnected):
        return nest.map_structure(_or_zeros, found, like)
    return found


def _wants_zeros(unconnected: Any) -> bool:
    wanted = getattr(unconnected, "value", unconnected)
    if wanted not in ("none", "zero"):
        raise InvalidArgumentError(
            f"Unknown value for unconnected_gradients: {wanted!r}; allowed are 'none' and 'zero'"
        )
    return bool(wanted == "zero")


def _unconnected(given: Any) -> Any:
    return "zero" if _wants_zeros(given) else "none"


def _or_zeros(gradient: Any, source: Any) -> Any:
    return zeros_like(source, None) if gradient is None else gradient
