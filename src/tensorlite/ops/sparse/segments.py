"""Reductions over rows that are gathered first: sums, means, and sums over roots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, to_tensor
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.create import ones_like
from tensorlite.ops.arrays.gather import gather, size_at, unsorted_segment_sum
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.places import check_sorted
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.elementwise import sqrt
from tensorlite.ops.operators import astype, reshape

__all__ = ["sparse_segment_mean", "sparse_segment_sqrt_n", "sparse_segment_sum"]


class SortedSegments(Op):
    """Segment numbers that grow, to less than how many there are, if that is given."""

    differentiable = False
    host = (0, 1)

    def infer(self, ids: TensorSpec, *count: TensorSpec) -> TensorSpec:
        """Return the numbers' shape."""
        return TensorSpec(ids.shape, ids.dtype)

    def kernel(self, xp: Xp, ids: Array, *count: Array) -> Array:
        """Return the numbers; InvalidArgumentError for such as are out of order."""
        last = int(ids[-1]) + 1 if ids.size else 0
        check_sorted("", ids, int(count[0]) if count else last)
        return xp.asarray(ids)


def _counted(
    data: TensorLike, indices: TensorLike, ids: TensorLike, count: TensorLike | None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return sums of gathered rows, how many there are of each, shaped as the sums, and more."""
    numbers = astype(to_tensor(ids), dtypes.int64)
    rows = gather(data, indices)
    if count is None:
        numbers = call(SortedSegments(), numbers)
        total: Any = (
            concat([[-1], numbers])[-1] + 1
        )  # none where there are no numbers
    else:
        numbers, total = call(SortedSegments(), numbers, count), count
    sums = unsorted_segment_sum(rows, numbers, total)
    each = unsorted_segment_sum(ones_like(numbers, dtype=rows.dtype), numbers, total)
    shaped = reshape(maximum(each, 1), [-1, *[1] * (rows.ndim - 1)])
    return sums, shaped, rows, numbers


def sparse_segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
) -> Tensor:
    """Return sums of the rows that `indices` name, by segments.

    There are as many as the last, greatest of `segment_ids` says, or `num_segments`.

    >>> print(tl.math.sparse_segment_sum([[1.0], [2.0], [4.0]], [0, 2, 1], [0, 0, 1]))
    [[5.]
     [2.]]
    """
    return _counted(data, indices, segment_ids, num_segments)[0]


def sparse_segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
) -> Tensor:
    """Return means of the rows that `indices` name, by segments.

    >>> print(tl.math.sparse_segment_mean([[1.0], [2.0], [4.0]], [0, 2, 1], [0, 0, 1]))
    [[2.5]
     [2. ]]
    """
    sums, counts, *_ = _counted(data, indices, segment_ids, num_segments)
    return sums / counts


def sparse_segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
) -> Tensor:
    """Return sums of the rows that `indices` name over the roots of their numbers, by segments.

    >>> print(tl.math.sparse_segment_sqrt_n([[1.0], [2.0]], [0, 1, 1, 0], [0, 0, 0, 0]))
    [[3.]]
    """
    sums, counts, *_ = _counted(data, indices, segment_ids, num_segments)
    return sums / sqrt(counts)


def segment_flow(
    dy: Tensor, ids: Tensor, share: Callable[[Tensor], Tensor] | None
) -> Tensor:
    """Return what flows to each picked row, given what flows to the sums by segments.

    `share` makes of the number of rows of a segment what its sum was divided by.

    >>> from tensorlite.ops.sparse.segments import segment_flow
    >>> print(segment_flow(tl.asarray([[6.0]]), tl.asarray([0, 0]), lambda held: held))
    [[3.]
     [3.]]
    """
    if share is not None:
        each = ones_like(ids, dtype=dy.dtype)
        held = maximum(unsorted_segment_sum(each, ids, size_at(dy, 0)), 1)
        dy = dy / share(reshape(held, [-1, *[1] * (dy.ndim - 1)]))
    return gather(dy, ids)
