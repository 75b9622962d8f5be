"""What is counted, compared and ranked: confusion, histograms, distances, differences of lists.

Plain counts (bincount), sorting and searching are in arrays/search.py, distinct elements in
arrays/sets.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import (
    call,
    calls,
    constant,
    floating,
    promoted,
    to_tensor,
)
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    PlaceError,
    ShapeError,
)
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec, all_known
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import InvertPermutation, expand_dims, flip, size
from tensorlite.ops.arrays.create import ones_like
from tensorlite.ops.arrays.gather import scatter_nd, unsorted_segment_sum
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.search import bincount
from tensorlite.ops.arrays.sets import unique
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.math.arithmetic import negative, sum as sum_of
from tensorlite.ops.math.bounds import clip, maximum
from tensorlite.ops.math.compare import equal, where
from tensorlite.ops.math.cumulative import cumulative_prod
from tensorlite.ops.math.elementwise import exp, log
from tensorlite.ops.math.reduce import max as max_of, mean
from tensorlite.ops.math.rounding import floor, floor_divide, remainder
from tensorlite.ops.operators import astype, reshape
from tensorlite.ops.sparse.tensor import SparseTensor

__all__ = [
    "confusion_matrix",
    "cumulative_logsumexp",
    "edit_distance",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "invert_permutation",
    "nth_element",
    "setdiff1d",
    "unique_with_counts",
    "zero_fraction",
]


def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int | Tensor | None = None,
    weights: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
) -> Tensor:
    """Return how often class j was predicted where class i was right, as element (i, j).

    >>> print(tl.math.confusion_matrix([0, 1, 1], [0, 1, 0]))
    [[1 0]
     [1 1]]
    """
    right = astype(to_tensor(labels), dtypes.int64)
    found = astype(to_tensor(predictions), dtypes.int64)
    count: Any = num_classes
    if count is None:
        count = maximum(max_of(right), max_of(found)) + 1
    target = as_dtype(dtype)
    each = ones_like(right, dtype=target)
    if weights is not None:
        each = astype(to_tensor(weights), target)
    return scatter_nd(stack([right, found], axis=1), each, [count, count])


def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: int = 100,
    dtype: DTypeLike = dtypes.int32,
) -> Tensor:
    """Return which of `nbins` equal bins over a range has each element; the ends take what is out.

    >>> print(tl.math.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0], (0.0, 5.0), 5))
    [0 0 1 2 4]
    """
    if nbins < 1:
        raise InvalidArgumentError(f"nbins={nbins}; there must be at least one")
    x = to_tensor(values)
    ends = astype(to_tensor(value_range), x.dtype)
    wide = floating(x)
    low, high = astype(ends[0], wide.dtype), astype(ends[1], wide.dtype)
    place = floor((wide - low) / (high - low) * float(nbins))
    return astype(clip(place, 0.0, float(nbins - 1)), dtype)


def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: int | Tensor = 100,
    dtype: DTypeLike = dtypes.int32,
) -> Tensor:
    """Return how many elements are in each of `nbins` equal bins over a range.

    The bins are those of double precision: nothing overflows between the ends of float32.

    >>> print(tl.math.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0], (0.0, 5.0), 5))
    [2 1 1 0 1]
    """
    number = to_tensor(nbins)
    if number.spec.rank:
        raise ShapeError(
            f"nbins: Shape must be rank 0 but is rank {number.spec.rank}"
        )
    if (number.spec.scalar() or 1) < 1:
        raise InvalidArgumentError(f"nbins={nbins}; there must be at least one")
    x, ends = to_tensor(values), to_tensor(value_range)
    if ends.spec.shape not in (None, (None,), (2,)):
        raise ShapeError(
            f"value_range is {ends.spec}; it should be a vector of 2 elements"
        )
    low, high = [astype(astype(ends[i], x.dtype), dtypes.float64) for i in (0, 1)]
    count = astype(number, dtypes.float64)
    place = floor(
        (astype(reshape(x, (-1,)), dtypes.float64) - low) / (high - low) * count
    )
    bins = astype(clip(place, 0.0, count - 1.0), dtypes.int32)
    return astype(bincount(bins, minlength=number), dtype)


class HistogramFixedWidth(Composite):
    """How many elements are in each of some equal bins over a range."""

    differentiable = False
    host = (2,)
    dtype: DType = dtypes.int32

    def infer(self, *specs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the spec of a vector of counts."""
        return (TensorSpec((specs[2].scalar(),), self.dtype),)

    def compose(self, values: Tensor, value_range: Tensor, nbins: Tensor) -> Tensor:
        """Return the counts."""
        return histogram_fixed_width(values, value_range, nbins, self.dtype)


def unique_with_counts(
    x: TensorLike, dtype: DTypeLike = dtypes.int32
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the distinct elements of a vector as they appear, each one's number, and the counts.

    >>> values, numbers, counts = tl.math.unique_with_counts([7, 5, 7])
    >>> print(values, numbers, counts)
    [7 5] [0 1 0] [2 1]
    """
    values, numbers, counts = composed(UniqueWithCounts(as_dtype(dtype)), x)
    return values, numbers, counts


class UniqueWithCounts(Composite):
    """The distinct elements of a vector, which of them each is, and how often each is."""

    differentiable = False
    out_idx: DType = dtypes.int32

    def compose(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return elements, numbers and counts."""
        values, numbers = unique(x)
        counts = unsorted_segment_sum(ones_like(numbers), numbers, size(values))
        return values, astype(numbers, self.out_idx), astype(counts, self.out_idx)


class UnravelIndex(Composite):
    """The coordinates, a row for each axis, of places in a tensor that is seen as a vector."""

    differentiable = False

    def compose(self, places: Tensor, sizes: Tensor) -> Tensor:
        """Return them, of the sizes' axes from the first on."""
        strides = flip(cumulative_prod(flip(sizes), axis=0))
        below = concat([strides[1:], ones_like(strides[:1])])
        shape = [-1, *[1] * places.ndim]
        return remainder(
            floor_divide(places, reshape(below, shape)), reshape(sizes, shape)
        )


class ListDiff(Op):
    """The elements of a vector that are not in another, and where they are."""

    differentiable = False
    out_idx: DType = dtypes.int32

    def infer(self, x: TensorSpec, y: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return two vectors."""
        if x.rank not in (None, 1) or y.rank not in (None, 1):
            raise ShapeError(f"setdiff1d takes vectors, not {x} and {y}")
        return x.with_shape((None,)), TensorSpec((None,), self.out_idx)

    def kernel(self, xp: Xp, x: Array, y: Array) -> tuple[Array, Array]:
        """Return the elements and their places."""
        (places,) = xp.nonzero(xp.logical_not(xp.isin(x, y)))
        return x[places], places.astype(self.out_idx.numpy)


def setdiff1d(
    x: TensorLike, y: TensorLike, index_dtype: DTypeLike = dtypes.int32
) -> tuple[Tensor, Tensor]:
    """Return the elements of a vector that are not in another, in their order, and their places.

    >>> values, places = tl.math.setdiff1d([1, 2, 3, 4], [2, 4])
    >>> print(values, places)
    [1 3] [0 2]
    """
    a, b = promoted(x, y)
    values, places = calls(ListDiff(as_dtype(index_dtype)), a, b)
    return values, places


def invert_permutation(x: TensorLike) -> Tensor:
    """Return the permutation that undoes another.

    >>> print(tl.math.invert_permutation([2, 0, 1]))
    [1 2 0]
    """
    return call(InvertPermutation(), x)


class NthElement(Op):
    """The n-th element of each vector along the last axis, in their order."""

    host = (1,)
    reverse: bool = False

    def infer(self, x: TensorSpec, n: TensorSpec) -> TensorSpec:
        """Return the spec of one element of each vector; ShapeError where there is no n-th."""
        if x.shape is None:
            return x.with_shape(None)
        place = n.scalar()
        length = x.shape[-1] if x.shape else 0
        missing = place is not None and length is not None and place >= length
        if not x.shape or missing:
            raise ShapeError(
                f"nth_element: Input must have at least n+1 = {place}+1 elements on its last "
                f"axis, not {x}"
            )
        return x.with_shape(x.shape[:-1])

    def kernel(self, xp: Xp, x: Array, n: Array) -> Array:
        """Return the elements."""
        place = int(n)
        if not 0 <= place < x.shape[-1]:
            raise PlaceError(
                f"nth_element: n must be non-negative and below {x.shape[-1]}, got {place}"
            )
        ascending = xp.sort(x, axis=-1)
        return ascending[..., -1 - place if self.reverse else place]

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient, which elements that are equal share."""
        x, found = call.inputs[0], call.outputs[0]
        hits = astype(equal(x, expand_dims(found, -1)), x.dtype)
        return hits / sum_of(hits, axis=-1, keepdims=True) * expand_dims(dy, -1), None


def nth_element(x: TensorLike, n: TensorLike, reverse: bool = False) -> Tensor:
    """Return the `n`-th least element of each row, or the `n`-th greatest, counted from 0.

    Elements that are equal share the gradient. Raises PlaceError for an `n` that is no place.

    >>> print(tl.math.nth_element([3.0, 1.0, 2.0], 1))
    2.0
    """
    return call(NthElement(reverse), x, astype(to_tensor(n), dtypes.int32))


def zero_fraction(x: TensorLike) -> Tensor:
    """Return the part of the elements that are 0.

    >>> print(tl.math.zero_fraction([0.0, 1.0, 0.0, 2.0]))
    0.5
    """
    return mean(astype(equal(x, 0), dtypes.float32))


class CumulativeLogsumexp(Op):
    """Logarithms of running sums of exponentials."""

    wants_float = True
    host = (1,)
    exclusive: bool = False
    reverse: bool = False

    def infer(self, x: TensorSpec, axis: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        if not x.dtype.is_floating:
            raise DTypeError(f"{self.name} takes floats, not {x}; use tl.astype")
        return x.without_value()

    def kernel(self, xp: Xp, x: Array, axis: Array) -> Array:
        """Return the logarithms, by doubling the reach of each element's sum."""
        place = int(axis)
        wide = x.astype("float64") if x.dtype.itemsize > 2 else x.astype("float32")
        rows = xp.moveaxis(wide, place, -1)
        rows = rows[..., ::-1] if self.reverse else rows
        if self.exclusive:
            rows = _moved(xp, rows, 1)
        step = 1
        while step < rows.shape[-1]:
            rows = xp.logaddexp(rows, _moved(xp, rows, step))
            step *= 2
        rows = rows[..., ::-1] if self.reverse else rows
        return xp.ascontiguousarray(xp.moveaxis(rows, -1, place)).astype(x.dtype)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return e**x times the running sums of dy * e**-y from the other side, as logarithms."""
        x, axis = call.inputs
        op = CumulativeLogsumexp(self.exclusive, not self.reverse)
        parts = []
        for part in (dy, negative(dy)):
            up = part > 0
            flow = log(where(up, part, 1.0)) - call.outputs[0]
            total = apply(op, where(up, flow, _LEAST), axis)
            parts.append(exp(total + x))
        return parts[0] - parts[1], None


_LEAST = -1e30
"""The logarithm of nothing: -inf would make differences of it no numbers."""


def _moved(xp: Xp, rows: Array, by: int) -> Array:
    """Return rows moved to the right, with logarithms of 0 moved in."""
    out = xp.full(rows.shape, -xp.inf, rows.dtype)
    if by < rows.shape[-1]:
        out[..., by:] = rows[..., : rows.shape[-1] - by]
    return out


apply = call
"""`call` under another name, for `grad`, where `call` is the argument."""


def cumulative_logsumexp(
    x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> Tensor:
    """Return the logarithms of running sums of exponentials along an axis.

    >>> print(tl.math.cumulative_logsumexp([0.0, 0.0, 0.0]))
    [0.       0.693147 1.098612]
    """
    op = CumulativeLogsumexp(exclusive, reverse)
    return call(op, floating(to_tensor(x)), constant(np.asarray(axis, np.int32)))


class EditDistance(Op):
    """How many insertions, deletions and changes make one sequence of another, for each row."""

    differentiable = False
    host = (0, 1, 2, 3, 4, 5)
    normalize: bool = True

    def infer(self, *parts: TensorSpec) -> TensorSpec:
        """Return floats of the shape that the sequences' outer axes have."""
        ours, theirs = parts[2].vector(), parts[5].vector()
        if ours is None or theirs is None:
            return TensorSpec(None, dtypes.float32)
        pairs = zip(ours[:-1], theirs[:-1], strict=True)
        shape = tuple(max(*pair) if all_known(pair) else None for pair in pairs)
        return TensorSpec(shape, dtypes.float32)

    def kernel(self, xp: Xp, *parts: Array) -> Array:
        """Return the distances, over the length of the truth if they are to be normalised."""
        ours, theirs = _sequences(*parts[:2]), _sequences(*parts[3:5])
        shape = np.maximum(parts[2][:-1], parts[5][:-1]).tolist()
        out = np.zeros(shape, np.float32)
        for place in {*ours, *theirs}:
            if not all(0 <= i < n for i, n in zip(place, shape, strict=True)):
                raise PlaceError(
                    f"edit_distance: a sequence at {list(place)} lies outside of {shape}"
                )
            mine, truth = ours.get(place, []), theirs.get(place, [])
            found = float(_distance(mine, truth))
            if self.normalize:
                found = found / len(truth) if truth else np.inf
            out[place] = found
        return out


def _sequences(indices: Array, values: Array) -> dict[tuple[int, ...], list[Any]]:
    found: dict[tuple[int, ...], list[Any]] = {}
    for place, value in zip(indices.tolist(), values.tolist(), strict=True):
        found.setdefault(tuple(place[:-1]), []).append(value)
    return found


def _distance(mine: list[Any], truth: list[Any]) -> int:
    """Return Levenshtein's distance, one row of its table at a time."""
    last = np.arange(len(truth) + 1)
    numbers = np.arange(len(truth) + 1)
    for i, one in enumerate(mine, 1):
        same = np.asarray([one == other for other in truth], np.int64)
        row = np.concatenate([[i], np.minimum(last[1:] + 1, last[:-1] + 1 - same)])
        # Insertions run along the row: the least of each place and those before, each step 1 more.
        last = np.minimum.accumulate(row - numbers) + numbers
    return int(last[-1])


def edit_distance(
    hypothesis: SparseTensor, truth: SparseTensor, normalize: bool = True
) -> Tensor:
    """Return Levenshtein's distance of the sequences along the last axis of sparse tensors.

    It is divided by the truth's length, if normalised: infinite where that is 0.

    >>> a = tl.sparse.SparseTensor([[0, 0], [0, 1]], [1, 2], (1, 2))
    >>> print(tl.math.edit_distance(a, tl.sparse.SparseTensor([[0, 0]], [1], (1, 1))))
    [1.]
    """
    return call(EditDistance(normalize), *hypothesis, *truth)
