"""Normalisation: by batches, layers, groups and root mean squares; lengths of vectors.

Taking the mean away and dividing by the deviation is one operator with a gradient of its own: on
small tensors nearly twice as fast as the operators it is made of, on large ones by a quarter.
"""

from __future__ import annotations

from tensorlite.core.dispatch import call, calls, floating, to_tensor
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec, merge, normalise_axis, reduced_shape
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.gather import sizes
from tensorlite.ops.arrays.shape import astype, reshape, shape_of
from tensorlite.ops.composite import Composite
from tensorlite.ops.math.arithmetic import Sum, as_axes, axis_tuple, sum
from tensorlite.ops.math.elementwise import rsqrt, sqrt, square
from tensorlite.ops.math.folded_sums import average, average_product
from tensorlite.ops.math.reduce import Axis, count, mean
from tensorlite.ops.math.rounding import abs as magnitude

__all__ = [
    "batch_norm",
    "batch_normalization",
    "group_norm",
    "layer_norm",
    "rms_norm",
    "standardize",
]


class EuclideanNorm(Composite):
    """The root of the sum of squares over some axes, in the operand's dtype."""

    keep_dims: bool = False

    def compose(self, x: Tensor, axes: Tensor) -> Tensor:
        """Return the root."""
        squares = square(magnitude(x) if x.dtype.is_complex else x)
        return astype(sqrt(call(Sum(self.keep_dims), squares, axes)), x.dtype)


class Standardize(Op):
    """A tensor less its mean over some axes, divided by its deviation; also mean and variance."""

    host = (1,)
    epsilon: float = 1e-5

    def infer(self, x: TensorSpec, axes: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the operand's shape, and twice the shape with size 1 at the axes."""
        if not x.dtype.is_floating:
            raise DTypeError(f"Standardize takes floating tensors, not {x}")
        statistic = x.with_shape(reduced_shape(x, axes, keep_dims=True))
        return x.without_value(), statistic, statistic

    def kernel(self, xp: Xp, x: Array, axes: Array) -> tuple[Array, Array, Array]:
        """Return the standardised tensor, the mean and the variance."""
        axis = axis_tuple(axes)
        if not x.size:
            nothing = xp.full_like(xp.sum(x, axis=axis, keepdims=True), xp.nan)
            return x.copy(), nothing, nothing
        centre = average(xp, x, axis, keepdims=True)
        away = x - centre
        variance = average_product(xp, away, away, axis, keepdims=True)
        away *= 1 / xp.sqrt(variance + x.dtype.type(self.epsilon))
        return away, centre, variance

    def grad(
        self,
        call: Call,
        dy: Tensor | None,
        dmean: Tensor | None,
        dvariance: Tensor | None,
    ) -> Grads:
        """Return the gradient for the operand, from all three outputs."""
        x, axes = call.inputs
        y, centre, variance = call.outputs
        parts = []
        if dy is not None:
            parts.append(_flow(dy, y, rsqrt(variance + self.epsilon), axes))
        if dmean is not None:
            parts.append(dmean / count(x, axes, x.dtype) + y * 0.0)
        if dvariance is not None:
            parts.append(dvariance * (x - centre) * (2.0 / count(x, axes, x.dtype)))
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total, None


class StandardizeGrad(Op):
    """The gradient of Standardize: what flows in, the result, and one over the deviation."""

    host = (3,)

    def infer(
        self, dy: TensorSpec, y: TensorSpec, scale: TensorSpec, axes: TensorSpec
    ) -> TensorSpec:
        """Return the operand's spec."""
        return y.with_shape(merge(dy.shape, y.shape))

    def kernel(self, xp: Xp, dy: Array, y: Array, scale: Array, axes: Array) -> Array:
        """Return scale * (dy - mean(dy) - y * mean(dy * y))."""
        axis = axis_tuple(axes)
        dx = dy - average(xp, dy, axis, keepdims=True)
        dx -= y * average_product(xp, dy, y, axis, keepdims=True)
        dx *= scale
        return dx

    def grad(self, call: Call, flow: Tensor) -> Grads:
        """Return the gradient for the first three operands; the operator is its own adjoint."""
        dy, y, scale, axes = call.inputs
        along = mean(dy * y, axis=axes, keepdims=True)
        across = mean(flow * y, axis=axes, keepdims=True)
        return (
            _flow(flow, y, scale, axes),
            -scale * (flow * along + dy * across),
            sum(flow * (call.outputs[0] / scale), axis=axes, keepdims=True),
            None,
        )


def _real(x: TensorLike) -> Tensor:
    tensor = floating(to_tensor(x))
    if not tensor.dtype.is_floating:
        raise DTypeError(f"norms take real tensors, not {tensor.spec}")
    return tensor


def _flow(dy: Tensor, y: Tensor, scale: Tensor, axes: Tensor) -> Tensor:
    return call(StandardizeGrad(), dy, y, scale, axes)


def standardize(
    x: TensorLike, axis: Axis = -1, epsilon: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    """Return (x - mean) / sqrt(variance + epsilon) over `axis`, the mean, and the variance.

    Mean and variance keep the axes, with size 1.

    >>> y, mean, variance = tl.nn.standardize([1.0, 3.0], epsilon=0.0)
    >>> print(y, mean, variance)
    [-1.  1.] [2.] [1.]
    """
    tensor = _real(x)
    y, centre, variance = calls(
        Standardize(float(epsilon)), tensor, as_axes(axis, tensor)
    )
    return y, centre, variance


def layer_norm(
    x: TensorLike,
    scale: TensorLike | None = None,
    offset: TensorLike | None = None,
    axis: Axis = -1,
    epsilon: float = 1e-5,
) -> Tensor:
    """Return `x` standardised over `axis`, times `scale`, plus `offset` (Ba et al. 2016).

    >>> print(tl.nn.layer_norm([[1.0, 3.0], [0.0, 10.0]], epsilon=0.0))
    [[-1.  1.]
     [-1.  1.]]
    """
    return _scaled(standardize(x, axis, epsilon)[0], scale, offset)


def _scaled(y: Tensor, scale: TensorLike | None, offset: TensorLike | None) -> Tensor:
    y = y if scale is None else y * scale
    return y if offset is None else y + offset


def rms_norm(
    x: TensorLike,
    scale: TensorLike | None = None,
    axis: Axis = -1,
    epsilon: float = 1e-6,
) -> Tensor:
    """Return `x` divided by its root mean square over `axis` (Zhang and Sennrich 2019).

    >>> print(tl.nn.rms_norm([3.0, 4.0, 5.0, 0.0]))
    [0.848528 1.131371 1.414213 0.      ]
    """
    tensor = _real(x)
    y = tensor * rsqrt(mean(square(tensor), axis=axis, keepdims=True) + epsilon)
    return y if scale is None else y * scale


def group_norm(
    x: TensorLike,
    groups: int,
    scale: TensorLike | None = None,
    offset: TensorLike | None = None,
    epsilon: float = 1e-5,
) -> Tensor:
    """Return `x` standardised over positions and groups of its last axis (Wu and He 2018).

    The first axis is the batch; ShapeError when the last does not divide into `groups`.

    >>> print(tl.nn.group_norm([[1.0, 3.0, 10.0, 10.0]], 2, epsilon=1e-12))
    [[-1.  1.  0.  0.]]
    """
    tensor = _real(x)
    channels = tensor.shape[-1] if tensor.ndim > 1 else 0
    if channels == 0 or (channels is not None and channels % groups):
        raise ShapeError(
            f"group_norm: {tensor.spec} needs a batch and a last axis that divides into {groups} "
            "groups"
        )
    shape = shape_of(tensor)
    grouped = reshape(tensor, [*sizes(tensor)[:-1], groups, -1])
    axes = (*range(1, tensor.ndim - 1), tensor.ndim)
    y, _, _ = standardize(grouped, axes, epsilon)
    return _scaled(reshape(y, shape), scale, offset)


def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None = None,
    scale: TensorLike | None = None,
    epsilon: float = 1e-3,
) -> Tensor:
    """Return `x` normalised by a mean and a variance that are given (Ioffe and Szegedy 2015).

    >>> print(tl.nn.batch_normalization([3.0], 1.0, 4.0, epsilon=0.0))
    [1.]
    """
    inverse = rsqrt(to_tensor(variance) + epsilon)
    inverse = inverse if scale is None else inverse * scale
    shift = -inverse * mean if offset is None else to_tensor(offset) - inverse * mean
    return to_tensor(x) * inverse + shift


def batch_norm(
    x: TensorLike,
    scale: TensorLike | None = None,
    offset: TensorLike | None = None,
    axis: int = -1,
    epsilon: float = 1e-3,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return `x` normalised by the mean and variance of the batch, and these two, as in training.

    `axis` is that of the channels; `scale`, `offset` and the statistics have one number for each.

    >>> y, mean, variance = tl.nn.batch_norm([[1.0], [3.0]], epsilon=0.0)
    >>> print(mean, variance)
    [2.] [1.]
    """
    tensor = _real(x)
    rank = tensor.ndim
    kept = normalise_axis(axis, rank)
    y, centre, variance = standardize(
        tensor, [i for i in range(rank) if i != kept], epsilon
    )
    wide = [1 if i != kept else -1 for i in range(rank)]
    scale = None if scale is None else reshape(scale, wide)
    offset = None if offset is None else reshape(offset, wide)
    return _scaled(y, scale, offset), reshape(centre, (-1,)), reshape(variance, (-1,))
