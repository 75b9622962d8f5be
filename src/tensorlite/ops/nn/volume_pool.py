"""Pooling of volumes: the greatest and the mean of each window, and their gradients.

The windows are those of volumes.py; pooling of images is in pool.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorlite.core.dispatch import call, floating, to_tensor
from tensorlite.core.errors import DTypeError
from tensorlite.core.op import Call, Grads
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.nn.volumes import FIVE, Box, Volumetric, five

__all__ = ["avg_pool3d", "max_pool3d"]

_ONES = (1, 1, 1)


class _Pool(Volumetric, abstract=True):
    """What pooling operators share."""

    ksize: tuple[int, ...] = FIVE

    def pooled(self, x: TensorSpec) -> TensorSpec:
        """Return the spec of the result for volumes `x`."""
        self.check(x, self.strides, self.ksize)
        if not x.dtype.is_floating:
            raise DTypeError(
                f"{self.name} takes floating tensors, not {x}; cast it with tl.astype"
            )
        if x.shape is None:
            return x.with_shape((None,) * 5)
        inner = self.places(x.shape, self.inner(self.ksize), _ONES)
        return x.with_shape(self.assembled(x.shape[0], inner, self.channels(x.shape)))

    def window(self, shape: Sequence[int]) -> Box:
        """Return the window on volumes of known shape."""
        return self.box(shape, self.inner(self.ksize), _ONES)

    def result_shape(self, shape: Sequence[int], box: Box) -> tuple[int, ...]:
        """Return the shape of the result for volumes of a shape."""
        found = self.assembled(shape[0], box.places, self.channels(tuple(shape)))
        return tuple(int(size or 0) for size in found)

    def counts(self, xp: Xp, box: Box, dtype: np.dtype[np.generic]) -> Array:
        """Return how many elements of the window lie on the volume, at each place."""
        counts = np.zeros(box.places, dtype)
        for _, _, place in box.taps:
            counts[place] += 1
        shape = (
            (1, *box.places, 1)
            if self.data_format == "NDHWC"
            else (1, 1, *box.places)
        )
        return xp.asarray(counts.reshape(shape))


class MaxPool3D(_Pool):
    """The greatest element of each window of volumes."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the result's shape."""
        return self.pooled(x)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the greatest element at each place."""
        box = self.window(x.shape)
        out = xp.full(self.result_shape(x.shape, box), -xp.inf, x.dtype)
        for _, part, place in box.taps:
            here = out[self.at(place)]
            xp.maximum(here, x[self.at(part)], out=here)
        return out

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient at the first greatest element of each window."""
        x, y = call.inputs[0], call.outputs[0]
        return (apply(self.sibling("MaxPool3DGrad"), x, y, dy),)


class MaxPool3DGrad(_Pool):
    """The gradient of MaxPool3D: each place's goes to the first greatest element of its window."""

    def infer(self, x: TensorSpec, y: TensorSpec, dy: TensorSpec) -> TensorSpec:
        """Return the volumes' spec."""
        self.pooled(x)
        return x.without_value()

    def kernel(self, xp: Xp, x: Array, y: Array, dy: Array) -> Array:
        """Return the gradient for the volumes."""
        dx = xp.zeros(x.shape, dy.dtype)
        free = xp.ones(y.shape, bool)
        for _, part, place in self.window(x.shape).taps:
            here, there = self.at(place), self.at(part)
            chosen = (x[there] == y[here]) & free[here]
            free[here] ^= chosen
            dx[there] += dy[here] * chosen
        return dx

    def grad(self, call: Call, flow: Tensor) -> Grads:
        """Return the chosen elements of the gradient: which are chosen does not vary."""
        x, y, _ = call.inputs
        return None, None, apply(self.sibling("MaxPool3DGradGrad"), x, y, flow)


class MaxPool3DGradGrad(_Pool):
    """What lies in a third tensor where the first greatest element of each window is."""

    def infer(self, x: TensorSpec, y: TensorSpec, flow: TensorSpec) -> TensorSpec:
        """Return the result's shape."""
        return self.pooled(x)

    def kernel(self, xp: Xp, x: Array, y: Array, flow: Array) -> Array:
        """Return the chosen elements."""
        out = xp.zeros(y.shape, flow.dtype)
        free = xp.ones(y.shape, bool)
        for _, part, place in self.window(x.shape).taps:
            here, there = self.at(place), self.at(part)
            chosen = (x[there] == y[here]) & free[here]
            free[here] ^= chosen
            out[here] += flow[there] * chosen
        return out

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for the third tensor."""
        x, y, _ = call.inputs
        return None, None, apply(self.sibling("MaxPool3DGrad"), x, y, dy)


class AvgPool3D(_Pool):
    """The mean of each window of volumes; padding does not count."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the result's shape."""
        return self.pooled(x)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the means."""
        box = self.window(x.shape)
        out = xp.zeros(self.result_shape(x.shape, box), x.dtype)
        for _, part, place in box.taps:
            out[self.at(place)] += x[self.at(part)]
        return out / self.counts(xp, box, x.dtype)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient, divided among the elements of each window."""
        return (apply(self.sibling("AvgPool3DGrad"), shape_of(call.inputs[0]), dy),)


class AvgPool3DGrad(_Pool):
    """The gradient of AvgPool3D, for volumes of which only the shape is given."""

    host = (0,)

    def infer(self, orig_input_shape: TensorSpec, dy: TensorSpec) -> TensorSpec:
        """Return the volumes' shape."""
        shape = orig_input_shape.vector() or (None,) * 5
        self.pooled(dy.with_shape(shape))
        return dy.with_shape(shape)

    def kernel(self, xp: Xp, orig_input_shape: Array, dy: Array) -> Array:
        """Return the gradient for the volumes."""
        shape = orig_input_shape.tolist()
        box = self.window(shape)
        share = dy / self.counts(xp, box, dy.dtype)
        dx = xp.zeros(shape, dy.dtype)
        for _, part, place in box.taps:
            dx[self.at(part)] += share[self.at(place)]
        return dx

    def grad(self, call: Call, flow: Tensor) -> Grads:
        """Return the means of the gradient."""
        return None, apply(self.sibling("AvgPool3D"), flow)


apply = call
"""`call` under another name, for `grad`, where `call` is the argument."""


def max_pool3d(
    x: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int] | None = None,
    padding: str = "VALID",
    data_format: str = "NDHWC",
) -> Tensor:
    """Return the greatest element of each window of volumes; `strides` are `ksize` unless given.

    >>> volume = tl.reshape(tl.arange(8, dtype=tl.float32), (1, 2, 2, 2, 1))
    >>> print(tl.nn.max_pool3d(volume, 2)[0, 0, 0, 0])
    [7.]
    """
    return call(_made(MaxPool3D, ksize, strides, padding, data_format), _floats(x))


def avg_pool3d(
    x: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int] | None = None,
    padding: str = "VALID",
    data_format: str = "NDHWC",
) -> Tensor:
    """Return the mean of each window of volumes; padding does not count.

    >>> volume = tl.reshape(tl.arange(8, dtype=tl.float32), (1, 2, 2, 2, 1))
    >>> print(tl.nn.avg_pool3d(volume, 2)[0, 0, 0, 0])
    [3.5]
    """
    return call(_made(AvgPool3D, ksize, strides, padding, data_format), _floats(x))


def _floats(x: TensorLike) -> Tensor:
    return floating(to_tensor(x))


def _made(
    op: type[_Pool],
    ksize: int | Sequence[int],
    strides: int | Sequence[int] | None,
    padding: str,
    data_format: str,
) -> _Pool:
    sizes = five(ksize, data_format, "ksize")
    steps = sizes if strides is None else five(strides, data_format, "strides")
    return op(steps, padding.upper(), data_format, sizes)
