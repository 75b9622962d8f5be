"""Dilation and erosion of images: the greatest sum, or the least difference, in each window."""

from __future__ import annotations

from itertools import product

from tensorlite.core.dispatch import floating, promoted, to_tensor
from tensorlite.core.errors import ShapeError
from tensorlite.core.op import Call, Grads
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import expand_dims, flip
from tensorlite.ops.arrays.gather import take_along_axis
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.composite import Composite, composed, flow_back
from tensorlite.ops.math.arithmetic import negative
from tensorlite.ops.math.reduce import argmax
from tensorlite.ops.nn.patches import Sizes, each, seen

__all__ = ["dilation2d", "erosion2d"]


class _Windows(Composite, abstract=True):
    """What is computed of images and filters (height, width, channels)."""

    strides: tuple[int, ...]
    rates: tuple[int, ...]
    padding: str

    def greatest(self, x: Tensor, filters: Tensor) -> Tensor:
        """Return the greatest sum in each window; gradients flow to the first that is it."""
        window = _sides(filters.spec)
        steps, apart = self.strides[1:3], self.rates[1:3]
        parts = seen(x, window, steps, apart, self.padding, float("-inf"))
        places = product(*map(range, window))
        sums = stack(
            [part + filters[at] for part, at in zip(parts, places, strict=True)]
        )
        chosen = expand_dims(argmax(sums, axis=0), 0)
        return take_along_axis(sums, chosen, axis=0)[0]

    def sibling(self, kind: str) -> _Windows:
        """Return the operator of the same windows whose name ends otherwise."""
        return _KINDS[kind](self.strides, self.rates, self.padding)


def _sides(filters: TensorSpec) -> tuple[int, int]:
    if filters.rank != 3 or None in filters.dims:
        raise ShapeError(
            f"filters={filters}; they are (height, width, channels), of known sizes"
        )
    height, width, _ = filters.dims
    assert height is not None
    assert width is not None
    return height, width


class Dilation2D(_Windows):
    """The greatest sum of pixels and filters in each window of images."""

    def infer(self, *specs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the sums' shape, of no known sizes where those of filters are not known."""
        x, filters = specs
        if x.rank is not None and filters.rank == 3 and None in filters.dims:
            return (x.with_shape((None,) * 4).without_value(),)
        return super().infer(x, filters)

    def compose(self, x: Tensor, filters: Tensor) -> Tensor:
        """Return the sums."""
        return self.greatest(x, filters)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return what flows to images and to filters."""
        kinds = ("BackpropInput", "BackpropFilter")
        x, filters = call.inputs
        dx, df = [composed(self.sibling(kind), x, filters, dy) for kind in kinds]
        return dx, df


class Dilation2DBackpropInput(_Windows):
    """What flows to the images of a dilation."""

    def infer(self, *specs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the spec of the images."""
        return (specs[0].without_value(),)

    def compose(self, x: Tensor, filters: Tensor, dy: Tensor) -> Tensor:
        """Return it for each pixel."""
        return flow_back(lambda part: self.greatest(part, filters), x, dy)


class Dilation2DBackpropFilter(_Windows):
    """What flows to the filters of a dilation."""

    def infer(self, *specs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the spec of the filters."""
        return (specs[1].without_value(),)

    def compose(self, x: Tensor, filters: Tensor, dy: Tensor) -> Tensor:
        """Return it for each element of the filters."""
        return flow_back(lambda part: self.greatest(x, part), filters, dy)


_KINDS: dict[str, type[_Windows]] = {
    "BackpropFilter": Dilation2DBackpropFilter,
    "BackpropInput": Dilation2DBackpropInput,
}


def dilation2d(
    images: TensorLike,
    filters: TensorLike,
    strides: Sizes = 1,
    padding: str = "VALID",
    rates: Sizes = 1,
) -> Tensor:
    """Return images dilated by filters (height, width, channels): the greatest sum in each window.

    >>> image = tl.reshape(tl.arange(4, dtype=tl.float32), (1, 2, 2, 1))
    >>> print(tl.nn.dilation2d(image, tl.zeros((2, 2, 1)))[0, 0, 0])
    [3.]
    """
    x, structure = map(floating, promoted(images, filters))
    _sides(structure.spec)
    steps, apart = _four(strides, "strides"), _four(rates, "rates")
    made: Tensor = composed(Dilation2D(steps, apart, padding), x, structure)
    return made


def _four(sizes: Sizes, what: str) -> tuple[int, ...]:
    return (1, *each(sizes, 2, what), 1)


def erosion2d(
    images: TensorLike,
    filters: TensorLike,
    strides: Sizes = 1,
    padding: str = "VALID",
    rates: Sizes = 1,
) -> Tensor:
    """Return images eroded by filters (height, width, channels): the least difference.

    >>> image = tl.reshape(tl.arange(4, dtype=tl.float32), (1, 2, 2, 1))
    >>> print(tl.nn.erosion2d(image, tl.zeros((2, 2, 1)))[0, 0, 0])
    [0.]
    """
    turned = flip(to_tensor(filters), axis=(0, 1))
    return negative(
        dilation2d(
            negative(floating(to_tensor(images))), turned, strides, padding, rates
        )
    )
