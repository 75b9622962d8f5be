"""Flows: gradients of elements that TensorFlow has operators for, made of others here.

Those of activations, which are a pass over the elements here too, stand in nn/activations.py.
"""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import DType
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.identity import identity
from tensorlite.ops.arrays.shape import Shape
from tensorlite.ops.composite import Composite
from tensorlite.ops.math.arithmetic import conj, negative
from tensorlite.ops.math.elementwise import square
from tensorlite.ops.math.rounding import abs as magnitude
from tensorlite.ops.nn.activations import sigmoid


class TanhGrad(Composite):
    """The gradient of Tanh: of the result, conjugated where it is complex, and what flows in."""

    def compose(self, y: Tensor, dy: Tensor) -> Tensor:
        """Return dy * (1 - y**2)."""
        return dy * (1 - square(y))


class SqrtGrad(Composite):
    """The gradient of Sqrt: of the result, and what flows in."""

    def compose(self, y: Tensor, dy: Tensor) -> Tensor:
        """Return dy / (2 * y)."""
        return dy * 0.5 / conj(y)


class RsqrtGrad(Composite):
    """The gradient of Rsqrt: of the result, and what flows in."""

    def compose(self, y: Tensor, dy: Tensor) -> Tensor:
        """Return -dy * y**3 / 2."""
        return dy * -0.5 * conj(y * square(y))


class ReciprocalGrad(Composite):
    """The gradient of Reciprocal: of the result, and what flows in."""

    def compose(self, y: Tensor, dy: Tensor) -> Tensor:
        """Return -dy * y**2."""
        return negative(dy) * conj(square(y))


class InvGrad(ReciprocalGrad):
    """The gradient of Reciprocal, by its older name."""


class SoftsignGrad(Composite):
    """The gradient of Softsign: what flows in, and the operand."""

    def compose(self, dy: Tensor, x: Tensor) -> Tensor:
        """Return dy / (1 + |x|)**2."""
        return dy / square(1 + magnitude(x))


class SoftplusGrad(Composite):
    """The gradient of Softplus: what flows in, and the operand."""

    def compose(self, dy: Tensor, x: Tensor) -> Tensor:
        """Return dy * sigmoid(x)."""
        return dy * sigmoid(x)


class ShapeN(Composite):
    """The shapes of several tensors."""

    differentiable = False
    out_type: DType = dtypes.int32

    def compose(self, *xs: Tensor) -> list[Tensor]:
        """Return one shape for each tensor."""
        return [call(Shape(self.out_type), x) for x in xs]


class PreventGradient(Composite):
    """The operand itself; in TensorFlow, what of it cannot be differentiated again."""

    message: str = ""

    def compose(self, x: Tensor) -> Tensor:
        """Return the operand, through which gradients flow."""
        return identity(x)
