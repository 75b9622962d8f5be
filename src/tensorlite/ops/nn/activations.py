"""Activations, the softmax over an axis, and gradients that are one operator in TensorFlow, too."""

from __future__ import annotations

from math import pi, sqrt
from typing import NamedTuple

from tensorlite.core.check import whole
from tensorlite.core.dispatch import call1, call2, floating, to_tensor
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec, merge
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import moveaxis
from tensorlite.ops.families import Unary
from tensorlite.ops.math.arithmetic import conjugated, sum
from tensorlite.ops.math.bounds import clip
from tensorlite.ops.math.compare import greater, where
from tensorlite.ops.math.elementwise import exp, square
from tensorlite.ops.math.normal_functions import erfc
from tensorlite.ops.math.rounding import abs
from tensorlite.ops.math.trigonometric import tanh

# fmt: off
__all__ = [
    "elu", "gelu", "hard_sigmoid", "hard_silu", "hard_tanh", "leaky_relu", "log_sigmoid",
    "log_softmax", "mish", "relu", "relu6", "selu", "sigmoid", "silu", "softmax", "softplus",
    "softsign", "swish",
]
# fmt: on

SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


class Activation(Unary, abstract=True):
    """A function of real floating elements; integers are cast to float32 first."""

    by_dtype = True
    wants_float = True

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec; DTypeError unless it is real and floating."""
        if not x.dtype.is_floating:
            raise DTypeError(
                f"{self.name} takes real floating-point tensors, not {x}"
            )
        return x.without_value()


class Flow(Op, abstract=True):
    """The gradient of an activation, from what flows in and the operand or result at hand."""

    def infer(self, dy: TensorSpec, x: TensorSpec) -> TensorSpec:
        """Return the spec of both operands; ShapeError or DTypeError when they differ."""
        if dy.dtype is not x.dtype:
            raise DTypeError(f"{self.name}: dtypes differ: {dy} and {x}")
        return dy.with_shape(merge(dy.shape, x.shape))

    def grad(self, call: Call, flow: Tensor) -> Grads:
        """Return the gradient for both operands."""
        dy, x = call.inputs
        return call2(self, flow, x), self.bend(dy, x, flow)

    def bend(self, dy: Tensor, x: Tensor, flow: Tensor) -> Tensor | None:
        """Return the gradient for the second operand; None for functions of straight pieces."""
        return None


class Relu(Unary):
    """The greater of each element and zero."""

    by_dtype = True

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec; DTypeError unless it is real."""
        if not (x.dtype.is_floating or x.dtype.is_integer):
            raise DTypeError(f"{self.name} takes real numbers, not {x}")
        return x.without_value()

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return max(x, 0)."""
        return xp.maximum(x, 0)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient where the result is positive."""
        return (call2(ReluGrad(), dy, call.outputs[0]),)


class ReluGrad(Flow):
    """The gradient of Relu, from operand or result."""

    def kernel(self, xp: Xp, dy: Array, x: Array) -> Array:
        """Return dy where x is positive, else zero."""
        return dy * (x > 0)


class Relu6(Relu):
    """Each element brought between 0 and 6."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return min(max(x, 0), 6)."""
        return xp.minimum(xp.maximum(x, 0), 6)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient strictly between the bounds."""
        return (call2(Relu6Grad(), dy, call.outputs[0]),)


class Relu6Grad(Flow):
    """The gradient of Relu6, from operand or result."""

    def kernel(self, xp: Xp, dy: Array, x: Array) -> Array:
        """Return dy where x is strictly between 0 and 6, else zero."""
        return dy * ((x > 0) & (x < 6))


class LeakyRelu(Activation):
    """Each element, or `alpha` times it where it is negative."""

    alpha: float = 0.2

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return x or alpha * x."""
        return xp.where(x > 0, x, x * x.dtype.type(self.alpha))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient, times alpha where the operand is negative."""
        return (call2(LeakyReluGrad(self.alpha), dy, call.inputs[0]),)


class LeakyReluGrad(Flow):
    """The gradient of LeakyRelu, from the operand."""

    alpha: float = 0.2

    def kernel(self, xp: Xp, dy: Array, x: Array) -> Array:
        """Return dy or alpha * dy."""
        return xp.where(x > 0, dy, dy * dy.dtype.type(self.alpha))


class Elu(Activation):
    """Each element, or its exponential less one where it is negative."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return x or expm1(x)."""
        return xp.where(x > 0, x, xp.expm1(xp.minimum(x, 0)))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient by the result."""
        return (call2(EluGrad(), dy, call.outputs[0]),)


class EluGrad(Flow):
    """The gradient of Elu, from the result."""

    def kernel(self, xp: Xp, dy: Array, y: Array) -> Array:
        """Return dy or dy * (y + 1)."""
        return dy * (xp.minimum(y, 0) + 1)

    def bend(self, dy: Tensor, y: Tensor, flow: Tensor) -> Tensor | None:
        """Return dy * flow where the result is negative."""
        return where(greater(y, 0), 0, dy * flow)


class Selu(Activation):
    """Elu, scaled so that means and deviations keep still (Klambauer et al. 2017)."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return scale * x or scale * alpha * expm1(x)."""
        scale, both = x.dtype.type(SELU_SCALE), x.dtype.type(SELU_SCALE * SELU_ALPHA)
        return xp.where(x > 0, x * scale, xp.expm1(xp.minimum(x, 0)) * both)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient by the result."""
        return (call2(SeluGrad(), dy, call.outputs[0]),)


class SeluGrad(Flow):
    """The gradient of Selu, from the result."""

    def kernel(self, xp: Xp, dy: Array, y: Array) -> Array:
        """Return dy * scale or dy * (y + scale * alpha)."""
        scale, both = y.dtype.type(SELU_SCALE), y.dtype.type(SELU_SCALE * SELU_ALPHA)
        return dy * xp.where(y > 0, scale, y + both)

    def bend(self, dy: Tensor, y: Tensor, flow: Tensor) -> Tensor | None:
        """Return dy * flow where the result is negative."""
        return where(greater(y, 0), 0, dy * flow)


class Sigmoid(Activation):
    """The logistic function."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return e**min(x, 0) / (1 + e**-|x|), which neither overflows nor loses small results."""
        decay = xp.exp(xp.negative(xp.abs(x)))
        decay += 1
        return xp.exp(xp.minimum(x, 0)) / decay

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy * y * (1 - y)."""
        return (call2(SigmoidGrad(), call.outputs[0], dy),)


class SigmoidGrad(Flow):
    """The gradient of Sigmoid: of the result first, and what flows in."""

    def kernel(self, xp: Xp, y: Array, dy: Array) -> Array:
        """Return dy * y * (1 - y)."""
        return dy * y * (1 - y)

    def grad(self, call: Call, flow: Tensor) -> Grads:
        """Return the gradient for both operands."""
        y, dy = (conjugated(x) for x in call.inputs)
        return dy * flow * (1.0 - 2.0 * y), call2(self, y, flow)


class Softplus(Activation):
    """The logarithm of one and the exponential."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return log(1 + e**x), by the exponential that cannot overflow."""
        return xp.maximum(x, 0) + xp.log1p(xp.exp(-xp.abs(x)))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy * sigmoid(x)."""
        return (dy * sigmoid(call.inputs[0]),)


class Softsign(Activation):
    """Each element over one and its size."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return x / (1 + |x|)."""
        return x / (1 + xp.abs(x))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy / (1 + |x|)**2."""
        return (dy / square(1.0 + abs(call.inputs[0])),)


class _LastAxis(Activation, abstract=True):
    """A function of the vectors along the last axis."""

    by_dtype = True

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec; ShapeError when it has no axis."""
        if x.shape == ():
            raise ShapeError(f"{self.name} needs an axis, and a 0-d tensor has none")
        return super().infer(x)


class Softmax(_LastAxis):
    """Exponentials along the last axis, divided by their sum."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the softmax."""
        _, powers, total = exponentials(xp, x)
        return (powers / total).astype(x.dtype, copy=False)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return (dy - sum(dy * y)) * y."""
        return (softmax_flow(dy, call.outputs[0]),)


class LogSoftmax(_LastAxis):
    """The logarithm of the softmax."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return x less the logarithm of the sum of exponentials."""
        shifted, _, total = exponentials(xp, x)
        return (shifted - xp.log(total)).astype(x.dtype, copy=False)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy - sum(dy) * softmax(x)."""
        return (dy - exp(call.outputs[0]) * sum(dy, axis=-1, keepdims=True),)


class Exponentials(NamedTuple):
    """What softmax, its logarithm and cross entropy are made of, along the last axis."""

    shifted: Array
    """The operand less its greatest element."""
    powers: Array
    """The exponentials of that, in memory of their own."""
    total: Array
    """The sum of these, with an axis of one."""


def exponentials(xp: Xp, x: Array) -> Exponentials:
    """Return the exponentials of `x` along the last axis, scaled so that the greatest is 1.

    Half precision is widened. The sum is NaN where no finite one exists, so that nothing is
    divided by zero or infinity on the way to the NaNs of the result.
    """
    wide = x.astype(xp.float32) if x.dtype.itemsize == 2 else x
    if x.shape[-1] == 0:
        return Exponentials(wide, wide, xp.ones((*x.shape[:-1], 1), wide.dtype))
    top = xp.max(wide, axis=-1, keepdims=True)
    shifted = wide - xp.where(xp.isfinite(top), top, 0)
    powers = xp.exp(shifted)
    total = xp.sum(powers, axis=-1, keepdims=True)
    known = xp.where((total > 0) & xp.isfinite(total), total, xp.nan)
    return Exponentials(shifted, powers, known)


def softmax_flow(dy: Tensor, y: Tensor) -> Tensor:
    """Return the gradient of a softmax along the last axis whose result is `y`."""
    return (dy - sum(dy * y, axis=-1, keepdims=True)) * y


def relu(x: TensorLike) -> Tensor:
    """Return max(x, 0), element by element; the gradient at zero is zero.

    >>> print(tl.nn.relu([-1.0, 2.0]))
    [0. 2.]
    """
    return call1(Relu(), x)


def relu6(x: TensorLike) -> Tensor:
    """Return min(max(x, 0), 6), element by element.

    >>> print(tl.nn.relu6([-1.0, 2.0, 9.0]))
    [0. 2. 6.]
    """
    return call1(Relu6(), x)


def leaky_relu(x: TensorLike, alpha: float = 0.2) -> Tensor:
    """Return `x` where it is positive, `alpha * x` elsewhere.

    >>> print(tl.nn.leaky_relu([-1.0, 2.0]))
    [-0.2  2. ]
    """
    return call1(LeakyRelu(float(alpha)), x)


def elu(x: TensorLike) -> Tensor:
    """Return `x` where it is positive, e**x - 1 elsewhere (Clevert et al. 2015).

    >>> print(tl.nn.elu([-1.0, 2.0]))
    [-0.632121  2.      ]
    """
    return call1(Elu(), x)


def selu(x: TensorLike) -> Tensor:
    """Return the scaled elu of self-normalising networks (Klambauer et al. 2017).

    >>> print(tl.nn.selu([-1.0, 2.0]))
    [-1.111331  2.101402]
    """
    return call1(Selu(), x)


def sigmoid(x: TensorLike) -> Tensor:
    """Return 1 / (1 + e**-x), element by element.

    >>> print(tl.nn.sigmoid([0.0, 100.0]))
    [0.5 1. ]
    """
    value = to_tensor(x)
    if not value.dtype.is_complex:
        return call1(Sigmoid(), value)
    return 1.0 / (1.0 + exp(-value))


def log_sigmoid(x: TensorLike) -> Tensor:
    """Return the logarithm of the sigmoid, exact where the sigmoid itself is zero.

    >>> print(tl.nn.log_sigmoid([0.0, -100.0]))
    [  -0.693147 -100.      ]
    """
    return -softplus(-floating(to_tensor(x)))


def softplus(x: TensorLike) -> Tensor:
    """Return log(1 + e**x), element by element.

    >>> print(tl.nn.softplus([0.0, 100.0]))
    [  0.693147 100.      ]
    """
    return call1(Softplus(), x)


def softsign(x: TensorLike) -> Tensor:
    """Return x / (1 + |x|), element by element.

    >>> print(tl.nn.softsign([-1.0, 3.0]))
    [-0.5   0.75]
    """
    return call1(Softsign(), x)


def silu(x: TensorLike, beta: TensorLike = 1.0) -> Tensor:
    """Return x * sigmoid(beta * x), also named swish (Ramachandran et al. 2017).

    >>> print(tl.nn.silu([0.0, 2.0]))
    [0.       1.761594]
    """
    tensor = floating(to_tensor(x))
    plain = isinstance(beta, (int, float)) and beta == 1
    return tensor * sigmoid(tensor if plain else tensor * beta)


swish = silu


def mish(x: TensorLike) -> Tensor:
    """Return x * tanh(softplus(x)) (Misra 2019).

    >>> print(tl.nn.mish([0.0, 2.0]))
    [0.       1.943959]
    """
    tensor = floating(to_tensor(x))
    return tensor * tanh(softplus(tensor))


def gelu(x: TensorLike, approximate: bool = False) -> Tensor:
    """Return `x` times the normal distribution function of `x` (Hendrycks and Gimpel 2016).

    `approximate` takes the tanh formula of that paper instead of erfc.

    >>> print(tl.nn.gelu([-1.0, 1.0]))
    [-0.158655  0.841345]
    """
    tensor = floating(to_tensor(x))
    if approximate:
        cubic = tensor * (1.0 + 0.044715 * square(tensor))
        return 0.5 * tensor * (1.0 + tanh(cubic * sqrt(2 / pi)))
    # erfc keeps what is left far below 0, where 1 + erf(x) is 0.
    return 0.5 * tensor * erfc(tensor * -sqrt(0.5))


def hard_sigmoid(x: TensorLike) -> Tensor:
    """Return relu6(x + 3) / 6, straight pieces in place of the sigmoid.

    >>> print(tl.nn.hard_sigmoid([-4.0, 0.0, 4.0]))
    [0.  0.5 1. ]
    """
    return relu6(floating(to_tensor(x)) + 3.0) / 6.0


def hard_silu(x: TensorLike) -> Tensor:
    """Return x * hard_sigmoid(x) (Howard et al. 2019).

    >>> print(tl.nn.hard_silu([-4.0, 0.0, 4.0]))
    [-0.  0.  4.]
    """
    tensor = floating(to_tensor(x))
    return tensor * hard_sigmoid(tensor)


def hard_tanh(x: TensorLike) -> Tensor:
    """Return `x` brought between -1 and 1.

    >>> print(tl.nn.hard_tanh([-4.0, 0.5]))
    [-1.   0.5]
    """
    return clip(floating(to_tensor(x)), -1.0, 1.0)


def softmax(x: TensorLike, axis: int = -1) -> Tensor:
    """Return exponentials divided by their sum along `axis`.

    Where every element is -inf there is no such distribution, and the result is NaN.

    >>> print(tl.nn.softmax([0.0, 0.0, -tl.inf]))
    [0.5 0.5 0. ]
    """
    return _along(Softmax(), x, axis)


def log_softmax(x: TensorLike, axis: int = -1) -> Tensor:
    """Return the logarithm of the softmax along `axis`.

    >>> print(tl.nn.log_softmax([0.0, 0.0]))
    [-0.693147 -0.693147]
    """
    return _along(LogSoftmax(), x, axis)


def _along(op: Op, x: TensorLike, axis: int) -> Tensor:
    tensor = to_tensor(x)
    if axis == -1 or whole(axis, f"{op.name}: axis") + 1 == tensor.spec.rank:
        return call1(op, tensor)
    return moveaxis(call1(op, moveaxis(tensor, axis, -1)), -1, axis)
