"""SquaredDifference: what means of squares are taken of."""

from __future__ import annotations

from tensorlite.core.dispatch import promoted
from tensorlite.core.op import Call, Grads
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.graph.backprop import needs
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.math.arithmetic import conj, negative, subtract, sum_to
from tensorlite.ops.math.elementwise import square


class SquaredDifference(Composite):
    """The square of a difference; of complex numbers, that of its magnitude."""

    def compose(self, x: Tensor, y: Tensor) -> Tensor:
        """Return (x - y) ** 2."""
        away = subtract(x, y)
        return conj(away) * away if x.dtype.is_complex else square(away)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return twice the difference times the gradient, and the same with the other sign."""
        x, y = call.inputs
        if x.dtype.is_complex:
            return super().grad(call, dy)
        flow = dy * 2 * subtract(x, y)
        return (
            sum_to(flow, x) if needs(call, 0) else None,
            negative(sum_to(flow, y)) if needs(call, 1) else None,
        )


def squared_difference(x: TensorLike, y: TensorLike) -> Tensor:
    """Return the square of the difference of `x` and `y`.

    >>> from tensorlite.ops.math.differences import squared_difference
    >>> print(squared_difference([1.0, 2.0], 4.0))
    [9. 4.]
    """
    made: Tensor = composed(SquaredDifference(), *promoted(x, y))
    return made
