"""Max pooling that says where the greatest elements are. Plain pooling is in pool.py."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.core import dtypes
from tensorlite.core.dispatch import calls
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.op import Call, Gradient, Grads, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.gather import unsorted_segment_sum
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.composite import Composite
from tensorlite.ops.math.reduce import prod as prod_of
from tensorlite.ops.nn.pool import MaxPool
from tensorlite.ops.nn.windows import four
from tensorlite.ops.operators import astype, reshape

__all__ = ["max_pool_with_argmax"]


class MaxPoolWithArgmax(Op):
    """The greatest element of each window of images, and its place in the flattened image."""

    ksize: tuple[int, ...]
    strides: tuple[int, ...]
    Targmax: DType = dtypes.int64
    padding: str = "VALID"
    include_batch_in_index: bool = False

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return the result's shape twice."""
        found = self.plain().infer(x)
        assert isinstance(found, TensorSpec)
        return found, found.with_dtype(self.Targmax)

    def plain(self) -> MaxPool:
        """Return the operator that leaves the places out."""
        return MaxPool(self.ksize, self.strides, self.padding)

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, Array]:
        """Return the greatest elements and the first places that have them."""
        pool = self.plain()
        best, count = pool.kernel(xp, x), 1
        for size in x.shape:
            count *= size
        places = xp.arange(count, dtype=self.Targmax.numpy).reshape(x.shape)
        if not self.include_batch_in_index:
            places = xp.broadcast_to(places[:1], x.shape)
        found = xp.full(best.shape, -1, self.Targmax.numpy)
        for _, _, image, place in pool.window(x.shape).taps:
            here = found[pool.at(place)]
            hit = (x[pool.at(image)] == best[pool.at(place)]) & (here < 0)
            here[...] = xp.where(hit, places[pool.at(image)], here)
        return best, found

    def grad(self, call: Call, dy: Tensor, _: Gradient) -> Grads:
        """Return the gradient at the places."""
        x, places = call.inputs[0], call.outputs[1]
        return (put_back(x, dy, places, self.include_batch_in_index),)


class MaxPoolGradWithArgmax(Composite):
    """What flows to images by the places of the greatest elements of windows."""

    ksize: tuple[int, ...]
    strides: tuple[int, ...]
    padding: str = "VALID"
    include_batch_in_index: bool = False

    def compose(self, x: Tensor, dy: Tensor, places: Tensor) -> Tensor:
        """Return it for each image."""
        return put_back(x, dy, places, self.include_batch_in_index)


def put_back(
    x: Tensor, dy: Tensor, places: Tensor, include_batch_in_index: bool = False
) -> Tensor:
    """Return what flows to images by the places of the greatest elements of windows."""
    have = shape_of(x, places.dtype)
    if not include_batch_in_index:
        each = have[1] * have[2] * have[3]
        first = astype(arange(have[0]), places.dtype) * each
        places = places + reshape(first, (-1, 1, 1, 1))
    flat = unsorted_segment_sum(
        reshape(dy, (-1,)), reshape(places, (-1,)), prod_of(have)
    )
    return reshape(flat, shape_of(x))


def max_pool_with_argmax(
    x: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int] | None = None,
    padding: str = "VALID",
    include_batch_in_index: bool = False,
    argmax_dtype: DTypeLike = dtypes.int64,
) -> tuple[Tensor, Tensor]:
    """Return the greatest element of each window of images, and where in the image it is.

    A place counts elements of the flattened image (height, width, channels), or of the whole batch.

    >>> image = tl.reshape(tl.asarray([1.0, 4.0, 3.0, 2.0]), (1, 2, 2, 1))
    >>> y, places = tl.nn.max_pool_with_argmax(image, 2)
    >>> print(y[0, 0, 0], places[0, 0, 0])
    [4.] [1]
    """
    sides = four(ksize, "NHWC", "ksize")
    steps = sides if strides is None else four(strides, "NHWC", "strides")
    op = MaxPoolWithArgmax(
        sides, steps, as_dtype(argmax_dtype), padding.upper(), include_batch_in_index
    )
    y, places = calls(op, x)
    return y, places
