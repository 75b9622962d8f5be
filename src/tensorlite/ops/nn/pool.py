"""Pooling: the greatest and the mean of each window, and their gradients.

Kernels walk over the elements of the window and treat all its places at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tensorlite.core.check import one_of
from tensorlite.core.dispatch import call, floating, to_tensor
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    ShapeError,
    UnimplementedError,
)
from tensorlite.core.op import REGISTRY, Call, Grads, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.padding import pad_ends
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.math.reduce import max as max_of
from tensorlite.ops.nn.sequences import as_images, as_sequences, image_format
from tensorlite.ops.nn.windows import (
    Window,
    assembled,
    channels_of,
    check_attributes,
    check_image,
    four,
    pads_of,
    places,
    spatial,
    spatial_dims,
    window_on,
)
from tensorlite.ops.operators import reshape

__all__ = [
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
]

_ALL = slice(None)
_ONES = (1, 1)
_BLOCK = 1 << 19
"""Bytes of images whose gradient is made at a time, which halves what it takes."""


class _Pool(Op, abstract=True):
    """What pooling operators share: attributes and the geometry that follows from them."""

    ksize: tuple[int, ...]
    strides: tuple[int, ...]
    padding: str = "VALID"
    data_format: str = "NHWC"

    def sibling(self, name: str) -> Op:
        """Return the operator of another name with these attributes."""
        return REGISTRY[name](**self.attributes())

    def pooled(self, x: TensorSpec) -> TensorSpec:
        """Return the spec of the result for images `x`."""
        layout = self.data_format
        check_attributes(self.name, self.strides, (1, 1, 1, 1), self.padding, layout)
        check_attributes(self.name, self.ksize, (1, 1, 1, 1), self.padding, layout)
        shape = check_image(self.name, x.shape)
        if not x.dtype.is_floating and not x.dtype.is_integer:
            raise DTypeError(f"{self.name} takes real numbers, not {x}")
        if shape is None:
            return x.with_shape((None,) * 4)
        sizes, steps = spatial(self.ksize, layout), spatial(self.strides, layout)
        image = places(
            self.name, spatial_dims(shape, layout), sizes, steps, _ONES, self.pads()
        )
        return x.with_shape(
            assembled(shape[0], image, channels_of(shape, layout), layout)
        )

    def pads(self) -> tuple[tuple[int, int] | str, tuple[int, int] | str]:
        """Return the padding of rows and columns."""
        return self.padding, self.padding

    def window(self, shape: Sequence[int]) -> Window:
        """Return the window on images of known shape."""
        layout = self.data_format
        sizes, steps = spatial(self.ksize, layout), spatial(self.strides, layout)
        return window_on(spatial(shape, layout), sizes, steps, _ONES, self.pads())

    def at(self, part: tuple[slice, slice]) -> tuple[slice, ...]:
        """Return the index of a part of the images, rows and columns given."""
        return (_ALL, *part) if self.data_format == "NHWC" else (_ALL, _ALL, *part)

    def result_shape(self, x: Array, window: Window) -> tuple[int, ...]:
        """Return the shape of the result for images `x`."""
        channels = int(channels_of(x.shape, self.data_format) or 0)
        sizes = assembled(x.shape[0], window.places, channels, self.data_format)
        return tuple([int(size or 0) for size in sizes])


def _blocks(xp: Xp, x: Array) -> Iterator[slice]:
    """Yield slices of images that a core's cache holds with what is made of them."""
    each = max(1, x[:1].size * x.dtype.itemsize)
    step = max(1, _BLOCK // each) if xp is np else max(1, len(x))
    for first in range(0, len(x), step):
        yield slice(first, first + step)


class _MaxPool(_Pool, abstract=True):
    """The attributes of pooling by the greatest element."""

    explicit_paddings: tuple[int, ...] = ()

    def pads(self) -> tuple[tuple[int, int] | str, tuple[int, int] | str]:
        """Return the padding of rows and columns."""
        return pads_of(self.padding, self.explicit_paddings, self.data_format)


class MaxPool(_MaxPool):
    """The greatest element of each window."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the result's shape."""
        return self.pooled(x)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the greatest element at each place; padding counts as less than any number."""
        window = self.window(x.shape)
        least = -xp.inf if x.dtype.kind not in "iu" else xp.iinfo(x.dtype).min
        out = xp.full(self.result_shape(x, window), least, x.dtype)
        for _, _, image, place in window.taps:
            part = out[self.at(place)]
            xp.maximum(part, x[self.at(image)], out=part)
        return out

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient at the first greatest element of each window."""
        return (
            apply(self.sibling("MaxPoolGrad"), call.inputs[0], call.outputs[0], dy),
        )


class MaxPoolGrad(_MaxPool):
    """The gradient of MaxPool: each place's goes to the first greatest element of its window."""

    def infer(self, x: TensorSpec, y: TensorSpec, dy: TensorSpec) -> TensorSpec:
        """Return the images' spec."""
        self.pooled(x)
        return x.without_value()

    def kernel(self, xp: Xp, x: Array, y: Array, dy: Array) -> Array:
        """Return the gradient for the images, a few of them at a time."""
        dx, window = xp.zeros(x.shape, dy.dtype), self.window(x.shape)
        for part in _blocks(xp, x):
            self._spread(xp, window, x[part], y[part], dy[part], dx[part])
        return dx

    def _spread(
        self, xp: Xp, window: Window, x: Array, y: Array, dy: Array, dx: Array
    ) -> None:
        """Write the gradient of some images; where windows do not overlap nothing is added up."""
        apart = all(
            n <= step for n, step in zip(window.size, window.strides, strict=True)
        )
        free = xp.ones(y.shape, bool)
        for _, _, image, place in window.taps:
            here, there = self.at(place), self.at(image)
            left = free[here]
            chosen = x[there] == y[here]
            chosen &= left
            left ^= chosen
            if apart:
                xp.multiply(dy[here], chosen, out=dx[there])
            else:
                dx[there] += dy[here] * chosen

    def grad(self, call: Call, flow: Tensor) -> Grads:
        """Return the chosen elements of the gradient: which are chosen does not vary."""
        x, y, _ = call.inputs
        return None, None, apply(self.sibling("MaxPoolGradGrad"), x, y, flow)


class MaxPoolGradGrad(_MaxPool):
    """What lies in a third tensor where the first greatest element of each window is."""

    def infer(self, x: TensorSpec, y: TensorSpec, flow: TensorSpec) -> TensorSpec:
        """Return the result's shape."""
        return self.pooled(x)

    def kernel(self, xp: Xp, x: Array, y: Array, flow: Array) -> Array:
        """Return the chosen elements."""
        out = xp.zeros(y.shape, flow.dtype)
        free = xp.ones(y.shape, bool)
        for _, _, image, place in self.window(x.shape).taps:
            here, there = self.at(place), self.at(image)
            left = free[here]
            chosen = (x[there] == y[here]) & left
            left ^= chosen
            out[here] += flow[there] * chosen
        return out

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for the third tensor."""
        x, y, _ = call.inputs
        return None, None, apply(self.sibling("MaxPoolGrad"), x, y, dy)


class AvgPool(_Pool):
    """The mean of each window; padding does not count."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the result's shape; DTypeError for integers."""
        if not x.dtype.is_floating:
            raise DTypeError(
                f"AvgPool takes floating tensors, not {x}; cast it with tl.astype"
            )
        return self.pooled(x)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the means."""
        window = self.window(x.shape)
        out = xp.zeros(self.result_shape(x, window), x.dtype)
        for _, _, image, place in window.taps:
            out[self.at(place)] += x[self.at(image)]
        out /= _counts(xp, window, self.data_format, x.dtype)
        return out

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient, divided among the elements of each window."""
        return (apply(self.sibling("AvgPoolGrad"), shape_of(call.inputs[0]), dy),)


class AvgPoolGrad(_Pool):
    """The gradient of AvgPool, for images of which only the shape is given."""

    host = (0,)

    def infer(self, sizes: TensorSpec, dy: TensorSpec) -> TensorSpec:
        """Return the images' shape."""
        shape = sizes.vector() or (None,) * 4
        self.pooled(dy.with_shape(shape))
        return dy.with_shape(shape)

    def kernel(self, xp: Xp, sizes: Array, dy: Array) -> Array:
        """Return the gradient for the images."""
        shape = tuple(sizes.tolist())
        window = self.window(shape)
        share = dy / _counts(xp, window, self.data_format, dy.dtype)
        dx = xp.zeros(shape, dy.dtype)
        for _, _, image, place in window.taps:
            dx[self.at(image)] += share[self.at(place)]
        return dx

    def grad(self, call: Call, flow: Tensor) -> Grads:
        """Return the means of the gradient."""
        return None, apply(self.sibling("AvgPool"), flow)


apply = call
"""`call` under another name, for `grad`, where `call` is the argument."""


def _counts(
    xp: Xp, window: Window, data_format: str, dtype: np.dtype[np.generic]
) -> Array:
    """Return how many elements of the window lie on the image, at each place."""
    counts = np.zeros(window.places, dtype)
    for _, _, _, place in window.taps:
        counts[place] += 1
    shape = assembled(1, window.places, 1, data_format)
    return xp.asarray(counts.reshape([int(size or 0) for size in shape]))


def max_pool2d(
    x: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int] | None = None,
    padding: str | Sequence[Sequence[int]] = "VALID",
    data_format: str = "NHWC",
) -> Tensor:
    """Return the greatest element of each window of images (TensorFlow's MaxPool).

    `strides` are the window's size unless given; `padding` may be a pair for each axis, of how much
    of what is never the greatest is put around. The gradient goes to the first of equals.

    >>> image = tl.reshape(tl.arange(16), (1, 4, 4, 1))
    >>> print(tl.nn.max_pool2d(image, 2)[0, :, :, 0])
    [[ 5  7]
     [13 15]]
    """
    sizes = four(ksize, data_format, "ksize")
    steps = sizes if strides is None else four(strides, data_format, "strides")
    if not isinstance(padding, str):
        x, padding = _surrounded(x, padding), "VALID"
    check_attributes("max_pool2d", steps, sizes, padding.upper(), data_format)
    return call(MaxPool(sizes, steps, padding.upper(), data_format), x)


def _surrounded(x: TensorLike, pairs: Sequence[Sequence[int]]) -> Tensor:
    """Return images with the least value around them."""
    tensor = to_tensor(x)
    given = np.asarray(pairs)
    if given.shape != (4, 2) or given.dtype.kind not in "iu" or given.min() < 0:
        raise InvalidArgumentError(
            f"max_pool2d: padding={pairs!r}; allowed are 'VALID', 'SAME', or a pair of numbers for "
            "each of the four axes"
        )
    kind = tensor.dtype
    least = np.iinfo(kind.numpy).min if kind.is_integer else -np.inf
    return pad_ends(tensor, given.tolist(), to_tensor(least, kind))


def avg_pool2d(
    x: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int] | None = None,
    padding: str = "VALID",
    data_format: str = "NHWC",
) -> Tensor:
    """Return the mean of each window of images (TensorFlow's AvgPool); padding does not count.

    >>> image = tl.reshape(tl.arange(16, dtype=tl.float32), (1, 4, 4, 1))
    >>> print(tl.nn.avg_pool2d(image, 2)[0, :, :, 0])
    [[ 2.5  4.5]
     [10.5 12.5]]
    """
    sizes = four(ksize, data_format, "ksize")
    steps = sizes if strides is None else four(strides, data_format, "strides")
    padding = one_of(padding, str, "padding", "'SAME' or 'VALID'")
    check_attributes("avg_pool2d", steps, sizes, padding.upper(), data_format)
    return call(
        AvgPool(sizes, steps, padding.upper(), data_format), floating(to_tensor(x))
    )


def max_pool1d(
    x: TensorLike,
    ksize: int,
    strides: int | None = None,
    padding: str = "VALID",
    data_format: str = "NWC",
) -> Tensor:
    """Return the greatest element of each window of sequences (batch, width, channels).

    >>> print(tl.nn.max_pool1d([[[1.0], [3.0], [2.0], [0.0]]], 2)[0, :, 0])
    [3. 2.]
    """
    layout = image_format(data_format)
    steps = None if strides is None else (1, strides)
    return as_sequences(
        max_pool2d(as_images(x, layout), (1, ksize), steps, padding, layout), layout
    )


def avg_pool1d(
    x: TensorLike,
    ksize: int,
    strides: int | None = None,
    padding: str = "VALID",
    data_format: str = "NWC",
) -> Tensor:
    """Return the mean of each window of sequences (batch, width, channels).

    >>> print(tl.nn.avg_pool1d([[[1.0], [3.0], [2.0], [0.0]]], 2)[0, :, 0])
    [2. 1.]
    """
    layout = image_format(data_format)
    steps = None if strides is None else (1, strides)
    return as_sequences(
        avg_pool2d(as_images(x, layout), (1, ksize), steps, padding, layout), layout
    )


def max_pool(
    x: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int] | None = None,
    padding: str = "VALID",
    data_format: str | None = None,
) -> Tensor:
    """Return the greatest element of each window of sequences (rank 3) or images (rank 4).

    >>> print(tl.nn.max_pool([[[1.0], [3.0], [2.0], [0.0]]], 2)[0, :, 0])
    [3. 2.]
    """
    if to_tensor(x).spec.rank == 3:
        steps = None if strides is None else _one(strides)
        return max_pool1d(x, _one(ksize), steps, padding, data_format or "NWC")
    return max_pool2d(x, ksize, strides, padding, data_format or "NHWC")


def avg_pool(
    x: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int] | None = None,
    padding: str = "VALID",
    data_format: str | None = None,
) -> Tensor:
    """Return the mean of each window of sequences (rank 3) or images (rank 4).

    >>> print(tl.nn.avg_pool([[[1.0], [3.0], [2.0], [0.0]]], 2)[0, :, 0])
    [2. 1.]
    """
    if to_tensor(x).spec.rank == 3:
        steps = None if strides is None else _one(strides)
        return avg_pool1d(x, _one(ksize), steps, padding, data_format or "NWC")
    return avg_pool2d(x, ksize, strides, padding, data_format or "NHWC")


def depth_of(
    ksize: int | Sequence[int], strides: int | Sequence[int], data_format: str | None
) -> int | None:
    """Return how many channels a window has, None for windows of one image's elements.

    >>> from tensorlite.ops.nn.pool import depth_of
    >>> depth_of([1, 1, 1, 3], [1, 1, 1, 3], "NHWC")
    3
    """
    if np.ndim(ksize) == 0 or (data_format or "NHWC") != "NHWC":
        return None
    sizes = [int(size) for size in np.asarray(ksize)]
    if len(sizes) != 4 or sizes[3] == 1:
        return None
    if sizes[:3] != [1, 1, 1]:
        raise UnimplementedError(
            f"max_pool: ksize={sizes}; pooling is supported with exactly one of pooling "
            "across depth or pooling across width/height"
        )
    if np.ndim(strides) == 0 or int(np.asarray(strides)[3]) != sizes[3]:
        raise UnimplementedError(
            f"max_pool: strides={strides!r}; pooling across depth requires the depth window to "
            f"equal the depth stride, {sizes[3]}"
        )
    return sizes[3]


def max_pool_in_depth(x: TensorLike, size: int) -> Tensor:
    """Return the greatest of each `size` channels, one behind the other, of images (NHWC).

    >>> from tensorlite.ops.nn.pool import max_pool_in_depth
    >>> print(max_pool_in_depth(tl.reshape(tl.arange(6.0), (1, 1, 1, 6)), 3)[0, 0, 0])
    [2. 5.]
    """
    images = to_tensor(x)
    depth = images.spec.dims[-1]
    if depth is None or depth % size:
        raise ShapeError(
            f"pooling in depth requires windows that evenly divide the channels, not {size} "
            f"of {images.spec}"
        )
    parts = concat([shape_of(images)[:-1], [depth // size, size]])
    return max_of(reshape(images, parts), axis=-1)


def _one(value: int | Sequence[int]) -> int:
    return value if isinstance(value, int) else value[-1]
