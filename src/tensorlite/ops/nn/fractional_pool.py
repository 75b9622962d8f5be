"""Pooling by a ratio that need not be whole: windows of two sizes, in an order that is drawn.

Windows of one size are in pool.py.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, to_tensor
from tensorlite.core.errors import (
    InvalidArgumentError,
    ShapeError,
    UnimplementedError,
)
from tensorlite.core.op import Op
from tensorlite.core.spec import Dim, TensorSpec, all_known
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import expand_dims
from tensorlite.ops.arrays.ensure import ensure_shape
from tensorlite.ops.arrays.gather import take_along_axis
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.search import argsort
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.linear.einsum import einsum
from tensorlite.ops.math.arithmetic import sum as sum_of
from tensorlite.ops.math.compare import less, logical_and
from tensorlite.ops.math.cumulative import cumulative_sum
from tensorlite.ops.math.rounding import ceil
from tensorlite.ops.operators import astype, reshape
from tensorlite.ops.random import philox
from tensorlite.ops.random.generators import Source, global_generator
from tensorlite.ops.random.words import Seeds

__all__: list[str] = []


class WindowArgmax(Op):
    """The place, in each flattened image, of the greatest element of each window.

    Windows begin at the elements of two sequences; they end where the next begins, or one later.
    """

    overlapping: bool = False
    differentiable = False
    host = (1, 2)

    def infer(
        self, x: TensorSpec, rows: TensorSpec, columns: TensorSpec
    ) -> TensorSpec:
        """Return the places' shape."""
        if x.rank not in (None, 4):
            raise ShapeError(f"{self.name} takes images of rank 4, not {x}")
        batch, *_, channels = x.shape or (None,) * 4
        sides = _windows(rows), _windows(columns)
        return TensorSpec((batch, *sides, channels), dtypes.int64)

    def kernel(self, xp: Xp, x: Array, rows: Array, columns: Array) -> Array:
        """Return the first places that have the greatest elements."""
        batch, height, width, channels = x.shape
        shape = (batch, len(rows) - 1, len(columns) - 1, channels)
        found = xp.empty(shape, dtypes.int64.numpy)
        spans = list(self.spans(columns, width))
        for i, (top, bottom) in enumerate(self.spans(rows, height)):
            for j, (left, right) in enumerate(spans):
                part = x[:, top:bottom, left:right]
                flat = part.reshape(batch, -1, channels).argmax(1)
                down, across = flat // (right - left), flat % (right - left)
                found[:, i, j] = (top + down) * width + left + across
        return found

    def spans(self, starts: Array, size: int) -> list[tuple[int, int]]:
        """Return where each window begins, and where it ends."""
        edges = [int(x) for x in starts]
        more = 1 if self.overlapping else 0
        ends = [min(x + more, size) for x in edges[1:]]
        return list(zip(edges[:-1], ends, strict=True))


def _windows(starts: TensorSpec) -> Dim:
    if starts.rank not in (None, 1):
        raise ShapeError(f"where windows begin is a vector, not {starts}")
    size = starts.size
    return None if size is None else size - 1


def starts_of(size: int, count: int, pseudo_random: bool, source: Source) -> Tensor:
    """Return where `count` windows begin that tile an axis, and where the last ends.

    Windows have two sizes, one apart, whose order is drawn; with `pseudo_random` they are the parts
    of a regular grid that is moved by a number that is drawn. Source: Graham, Fractional
    Max-Pooling, https://arxiv.org/abs/1412.6071.

    >>> from tensorlite.ops.nn.fractional_pool import starts_of
    >>> print(starts_of(6, 3, False, tl.random.Generator.from_seed(1)))
    [0 2 4 6]
    """
    least, rest = divmod(size, count)
    if rest == 0:
        return arange(0, size + 1, least, dtype=dtypes.int64)
    if not pseudo_random:
        order = argsort(source.uniform((count,)))
        lengths = least + astype(less(order, rest), dtypes.int64)
        return cumulative_sum(lengths, include_initial=True)
    ratio = size / count
    shift = source.uniform((), dtype=dtypes.float64) * _farthest(size, count)
    inner = ceil(ratio * (arange(1, count, dtype=dtypes.float64) + shift)) - 1
    first, last = (reshape(to_tensor(x, dtypes.int64), (1,)) for x in (0, size))
    return concat([first, astype(inner, dtypes.int64), last], axis=0)


def _farthest(size: int, count: int) -> float:
    """Return how far a grid may be moved so that its parts have two sizes still."""
    least, ratio = size // count, size / count
    return min((least + 2) / ratio - 1, (size + 1 - least) / ratio - (count - 1))


def fractional_starts(
    x: TensorLike,
    ratios: Sequence[float],
    pseudo_random: bool = False,
    generator: Source | Seeds | None = None,
) -> tuple[Tensor, Tensor]:
    """Return where windows begin in rows and columns of images, so that these shrink by ratios.

    `ratios` are for batch, rows, columns and channels; the first and last are 1. Of two seeds they
    are the same in every run, and TensorFlow's.
    """
    axes = fractional_axes(to_tensor(x).spec, ratios)
    if isinstance(generator, tuple):
        first, second = seeded_starts(axes, pseudo_random, generator)
        return to_tensor(first), to_tensor(second)
    source = generator or global_generator()
    rows, columns = (starts_of(*axis, pseudo_random, source) for axis in axes)
    return rows, columns


def fractional_axes(x: TensorSpec, ratios: Sequence[float]) -> list[tuple[int, int]]:
    """Return how many rows and columns images have, and how many windows cover these.

    ShapeError for what are no images of known sizes, InvalidArgumentError for wrong ratios.
    """
    counts = tuple(fractional_counts(x, ratios))
    sizes = x.dims[1:3]
    if not all_known(sizes) or not all_known(counts):
        raise ShapeError(f"fractional pooling needs the images' sizes, of {x.dims}")
    return list(zip(sizes, counts, strict=True))


def fractional_counts(x: TensorSpec, ratios: Sequence[float]) -> list[Dim]:
    """Return how many windows cover rows and columns, None for those that only the run knows.

    ShapeError for what are no images, InvalidArgumentError for wrong ratios, UnimplementedError
    for ratios of batch and channels.
    """
    if x.rank not in (None, 4) or len(ratios) != 4:
        raise ShapeError(
            f"fractional pooling takes images of rank 4 and four ratios, not {x}, {ratios}"
        )
    if min(ratios) < 1:
        raise InvalidArgumentError(
            f"pooling_ratio={list(ratios)}: none of them may be less than 1"
        )
    if ratios[0] != 1 or ratios[3] != 1:
        raise UnimplementedError(
            f"pooling_ratio={list(ratios)}: fractional pooling leaves batch and channels as they "
            "are; give 1 for these"
        )
    sizes: Sequence[Dim] = (x.shape or (None,) * 4)[1:3]
    return [_count(*pair) for pair in zip(sizes, ratios[1:3], strict=True)]


def _count(size: Dim, ratio: float) -> Dim:
    """Return how many windows cover an axis; InvalidArgumentError if there is less than one."""
    if size is None or size >= ratio:
        return None if size is None else int(size / ratio)
    raise InvalidArgumentError(
        f"fractional pooling: a pooling ratio of {ratio} for an axis of {size} is higher than the "
        "axis is long; give a smaller one"
    )


def seeded_starts(
    axes: Sequence[tuple[int, int]], pseudo_random: bool, seeds: Seeds
) -> list[Array]:
    """Return where windows begin in each axis, drawn with TensorFlow's numbers for two seeds."""
    first, second = (seed % 2**64 for seed in (seeds if any(seeds) else _any_seeds()))
    key, counter = np.uint64(first), np.array([0, second], np.uint64)
    draw = _grid_drawn if pseudo_random else _order_drawn
    found = []
    for size, count in axes:
        least, rest = divmod(size, count)
        if not rest:
            found.append(np.arange(0, size + 1, least))
            continue
        starts, used = draw(size, count, key, counter)
        found.append(starts)
        counter = philox.advanced(counter, used)
    return [starts.astype(np.int64) for starts in found]


def _any_seeds() -> Seeds:
    return secrets.randbits(63), secrets.randbits(63)


def _grid_drawn(
    size: int, count: int, key: Array, counter: Array
) -> tuple[Array, int]:
    """Return the moved grid's parts, and how many blocks of random words they took."""
    ratio = size / count
    drawn = philox.doubles(np, key, counter, 1)[0] * _farthest(size, count)
    inner = np.ceil(ratio * (np.arange(1, count) + drawn)) - 1
    return np.concatenate([[0], inner, [size]]), 1


def _order_drawn(
    size: int, count: int, key: Array, counter: Array
) -> tuple[Array, int]:
    """Return the parts of two sizes in a shuffled order, and how many blocks of words they took."""
    least, rest = divmod(size, count)
    lengths = [least + 1] * rest + [least] * (count - rest)
    words = philox.bits(np, key, counter, count).tolist()
    for i in range(count - 1):
        other = i + words[i] % (count - i)
        lengths[i], lengths[other] = lengths[other], lengths[i]
    return np.cumsum([0, *lengths]), -(-count // 4)


def max_pool_at(
    x: TensorLike, rows: Tensor, columns: Tensor, overlapping: bool = False
) -> Tensor:
    """Return the greatest element of each window; `overlapping` ones share their edges.

    >>> from tensorlite.ops.nn.fractional_pool import max_pool_at
    >>> image = tl.reshape(tl.arange(9, dtype=tl.float32), (1, 3, 3, 1))
    >>> print(max_pool_at(image, tl.asarray([0, 2, 3]), tl.asarray([0, 1, 3]))[0, :, :, 0])
    [[3. 5.]
     [6. 8.]]
    """
    images = to_tensor(x)
    if images.spec.rank is None:
        images = ensure_shape(images, (None,) * 4)
    places = call(WindowArgmax(overlapping), images, rows, columns)
    have, wanted = shape_of(images), shape_of(places)
    flat = reshape(
        images, concat([have[:1], have[1:2] * have[2:3], have[3:]], axis=0)
    )
    inner = concat([wanted[:1], wanted[1:2] * wanted[2:3], wanted[3:]], axis=0)
    return reshape(take_along_axis(flat, reshape(places, inner), axis=1), wanted)


def avg_pool_at(
    x: TensorLike, rows: Tensor, columns: Tensor, overlapping: bool = False
) -> Tensor:
    """Return the mean of each window; `overlapping` ones share their edges.

    >>> from tensorlite.ops.nn.fractional_pool import avg_pool_at
    >>> image = tl.reshape(tl.arange(9, dtype=tl.float32), (1, 3, 3, 1))
    >>> print(avg_pool_at(image, tl.asarray([0, 2, 3]), tl.asarray([0, 1, 3]))[0, :, :, 0])
    [[1.5 3. ]
     [6.  7.5]]
    """
    images = to_tensor(x)
    sizes = shape_of(images, dtypes.int64)
    down = _members(rows, sizes[1], overlapping, images)
    across = _members(columns, sizes[2], overlapping, images)
    total = einsum("pi,bijc,qj->bpqc", down, images, across)
    high = sum_of(down, axis=1)
    count = high[:, None, None] * sum_of(across, axis=1)[:, None]
    return total // count if total.dtype.is_integer else total / count


def _members(starts: Tensor, size: Tensor, overlapping: bool, like: Tensor) -> Tensor:
    """Return 1 for each element of an axis that a window has, and 0 for others."""
    edges = astype(starts, dtypes.int64)
    places = arange(size, dtype=dtypes.int64)
    first, last = expand_dims(edges[:-1], 1), expand_dims(edges[1:], 1)
    inside = logical_and(first <= places, places < last + int(overlapping))
    return astype(inside, like.dtype)
