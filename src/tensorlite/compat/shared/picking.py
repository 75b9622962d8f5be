"""Functions that pick, scatter, join and order elements, which TensorFlow 1 and 2 have alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import tensorlite as tl
from tensorlite import math
from tensorlite.compat.adopting import holds_operand
from tensorlite.compat.calling import agreeing, converted, named
from tensorlite.compat.documenting import documented
from tensorlite.compat.shared.arrays import tensors_of
from tensorlite.compat.shared.sizes import as_whole, packed
from tensorlite.core import nest
from tensorlite.core.check import integers_of
from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import as_dtype, float32, int32, int64
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.arrays import sets
from tensorlite.ops.arrays.arrange import InvertPermutation
from tensorlite.ops.arrays.gather import GatherV2, gather as gathered
from tensorlite.ops.arrays.masks import Where
from tensorlite.ops.arrays.partition import ParallelDynamicStitch
from tensorlite.ops.arrays.selecting import select as select_elements
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.composite import composed
from tensorlite.ops.math.counting import HistogramFixedWidth, UnravelIndex
from tensorlite.ops.sparse.row_counts import counts, sparse_counts
from tensorlite.ops.state.variable import Variable


@named("GatherV2")
def gather(
    params: Any,
    indices: Any,
    validate_indices: bool | None = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Return slices of params along an axis, those at `indices`, in their order.

    The axis is batch_dims unless given; the first batch_dims axes of both go together.
    `validate_indices` has no effect: a place that is not there is an error.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.gather([10, 20, 30], [2, 0]).numpy().tolist()
    [30, 10]
    """
    source = params if isinstance(params, Variable) else converted(params)
    places = converted(indices)
    if isinstance(axis, Operand):
        known = axis.__tensor__().spec.constant()
        if known is None:
            return _along(tl.asarray(source), places, axis.__tensor__())
        if active_graph() is not None and axis.__tensor__().spec.rank == 0:
            op = GatherV2(batch_dims)
            return call(op, tl.asarray(source), places, axis.__tensor__())
        axis = np.asarray(known).item()
    if batch_dims < 0:
        batch_dims += places.ndim
    return gathered(source, places, axis, batch_dims)


def _along(x: Any, places: Any, axis: Any) -> Any:
    """Return slices along an axis that is not known yet: of x as a stack of stacks of rows."""
    sizes = shape_of(x)
    axis = tl.reshape(tl.astype(axis, int32), [])
    along = tl.where(axis < 0, axis + tl.rank(x), axis)
    before, behind = sizes[:along], sizes[along + 1 :]
    length = tl.reshape(sizes[along], [1])
    stacked = tl.reshape(
        x, tl.concat([tl.reshape(tl.prod(before), [1]), length, [-1]])
    )
    found = gathered(stacked, tl.reshape(places, [-1]), 1)
    return tl.reshape(found, tl.concat([before, shape_of(places), behind]))


def gather_nd(
    params: Any, indices: Any, batch_dims: int = 0, name: str | None = None
) -> Any:
    """Return the elements or slices at places, which the last axis of `indices` holds.

    The first batch_dims axes of both go together.
    """
    if not batch_dims:
        return _elements(params, indices, name=name)
    return _elements_by_rows(params, indices, batch_dims, name=name)


@named("GatherNd")
def gather_nd_or_zeros(
    params: Any, indices: Any, batch_dims: int = 0, name: str | None = None
) -> Any:
    """Return the same, with zeros for places that are not there."""
    x, places = converted(params), converted(indices, int32)
    depth = places.shape[-1]
    sizes = tl.astype(shape_of(x)[batch_dims : batch_dims + depth], places.dtype)
    fits = tl.all((places >= 0) & (places < sizes), axis=-1)
    inside = tl.where(tl.expand_dims(fits, axis=-1), places, 0)
    found = tl.gather_nd(x, inside, batch_dims)
    behind = (1,) * (len(found.shape) - len(fits.shape))
    wide = tl.reshape(
        fits, tl.concat([shape_of(fits), tl.constant(behind, tl.int32)])
    )
    return tl.where(wide, found, tl.zeros_like(found))


@named("GatherNd")
def _elements(params: Any, indices: Any, name: str | None = None) -> Any:
    return tl.gather_nd(converted(params), converted(indices, int32))


@named("BatchGatherND", "Reshape_3")
def _elements_by_rows(
    params: Any, indices: Any, batch_dims: int, name: str | None = None
) -> Any:
    return tl.gather_nd(converted(params), converted(indices, int32), batch_dims)


@named("Where")
def places_of(condition: Any, name: str | None = None) -> Any:
    """Return the places at which a condition holds, or numbers are not 0."""
    x = converted(condition)
    return call(Where(), x if x.dtype is tl.bool else tl.not_equal(x, 0))


@named("SelectV2")
def select(condition: Any, x: Any, y: Any, name: str | None = None) -> Any:
    """Return elements of `x` where a condition holds, of `y` elsewhere, as TensorFlow 2 has it."""
    if isinstance(condition, np.ndarray) and condition.dtype.kind in "iuf":
        condition = condition.astype(bool)  # arrays' numbers are so, tensors' are not
    return tl.where(converted(condition), *agreeing(x, y, ("t", "e")))


@named("Select")
def select_rows(condition: Any, x: Any, y: Any, name: str | None = None) -> Any:
    """Return where, for a condition of the first axis, as TensorFlow 1 has it."""
    return select_elements(converted(condition), *agreeing(x, y, ("t", "e")))


@named("one_hot")
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """Return a tensor with on_value at each index along a new axis, off_value elsewhere.

    The axis has `depth` places and is the last one unless given; an index outside of them gives
    off_value alone. Values are 1 and 0 of float32 unless given; DTypeError if dtypes differ.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.one_hot([2, 0], 3).numpy().tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    given = [x for x in (on_value, off_value) if x is not None]
    of = [converted(x).dtype for x in given]
    wanted = as_dtype(dtype) if dtype is not None else (of or [float32])[0]
    is_cast = dtype is not None and active_graph() is None  # of arrays, in version 2
    fixed = Operand if is_cast else (Operand, np.ndarray, np.generic)
    for value, kind in zip(given, of, strict=True):
        if isinstance(value, fixed) and kind is not wanted:
            raise DTypeError(
                f"OneHot: values are of {kind.name}, and {wanted.name} is wanted; cast them"
            )
    on = converted(1 if on_value is None else on_value, wanted)
    off = converted(0 if off_value is None else off_value, wanted)
    along = -1 if axis is None else axis
    own = int64 if holds_operand(indices) else None
    places, count = converted(as_whole(indices), own), as_whole(depth)
    return tl.one_hot(places, count, on, off, axis=along, dtype=wanted)


@named("ScatterNd")
def scatter_nd(
    indices: Any, updates: Any, shape: Any, name: str | None = None
) -> Any:
    """Return a tensor of a shape that holds updates at places, and 0 elsewhere.

    Updates of one place are added up.
    """
    places = converted(indices)
    sizes = packed(shape) if isinstance(shape, (list, tuple)) else shape
    if not isinstance(sizes, Operand):
        integers_of(sizes, "scatter_nd: shape")
        sizes = converted(np.asarray(sizes, places.dtype.numpy))
    return tl.scatter_nd(places, converted(updates), sizes)


def _update(default: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @named(default)
    def made(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
        x = converted(tensor)
        return function(x, converted(indices), converted(updates, x.dtype))

    return documented(made, function)


tensor_scatter_nd_update = _update("TensorScatterUpdate", tl.tensor_scatter_nd_update)
tensor_scatter_nd_add = _update("TensorScatterAdd", tl.tensor_scatter_nd_add)
tensor_scatter_nd_sub = _update("TensorScatterSub", tl.tensor_scatter_nd_sub)
tensor_scatter_nd_max = _update("TensorScatterMax", tl.tensor_scatter_nd_max)
tensor_scatter_nd_min = _update("TensorScatterMin", tl.tensor_scatter_nd_min)


@named("DynamicPartition")
def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> Any:
    """Return a list of num_partitions tensors: the slices that `partitions` sends there."""
    parts = tl.dynamic_partition(
        converted(data), converted(as_whole(partitions)), num_partitions
    )
    return list(parts)


@named("DynamicStitch")
def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Any:
    """Return one tensor of the slices of several, each at the place that `indices` says.

    Where a place is named more than once, the last one counts.
    """
    return tl.dynamic_stitch([converted(x) for x in indices], tensors_of(data))


@named("ParallelDynamicStitch")
def parallel_dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Any:
    """Return one tensor of the slices of several, each at the place that `indices` says.

    Which one counts where a place is named more than once is not promised.
    """
    places = [converted(x) for x in indices]
    return call(ParallelDynamicStitch(len(places)), *places, *tensors_of(data))


@named("Unique")
def unique(x: Any, out_idx: Any = int32, name: str | None = None) -> Any:
    """Return y, the elements in the order of their first places, and idx, which each is.

    >>> from tensorlite.compat import v2 as tf
    >>> [part.numpy().tolist() for part in tf.unique([7, 5, 7])]
    [[7, 5], [0, 1, 0]]
    """
    return Unique(*calls(sets.Unique(as_dtype(out_idx)), converted(x)))


@named("UniqueWithCounts")
def unique_with_counts(x: Any, out_idx: Any = int32, name: str | None = None) -> Any:
    """Return the elements without repetition, which each is, and how often each is."""
    found = math.unique_with_counts(converted(x), as_dtype(out_idx))
    return UniqueWithCounts(*found)


class Unique(NamedTuple):
    """The elements without repetition, and which of them each element is."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """The elements without repetition, which of them each element is, and how often each is."""

    y: Any
    idx: Any
    count: Any


class ListDiff(NamedTuple):
    """The elements that another list has not, and their places."""

    out: Any
    idx: Any


@named("ListDiff")
def setdiff1d(
    x: Any, y: Any, index_dtype: Any = int32, name: str | None = None
) -> Any:
    """Return the elements of x that y has not, in their order, and their places in x."""
    first, second = agreeing(x, y)
    return ListDiff(*math.setdiff1d(first, second, as_dtype(index_dtype)))


@named("InvertPermutation")
def invert_permutation(x: Any, name: str | None = None) -> Any:
    """Return the permutation that undoes one: y[x[i]] = i."""
    return call(InvertPermutation(), converted(x))


@named("TopKV2")
def top_k(
    input: Any,
    k: Any = 1,
    sorted: bool = True,
    name: str | None = None,
    index_type: Any = int32,
) -> Any:
    """Return the k largest elements of the last axis, and their places.

    `sorted` puts the largest first; of equal ones the first place comes first.
    """
    found = tl.top_k(converted(input), as_whole(k), sorted=sorted)
    return found._replace(indices=tl.astype(found.indices, as_dtype(index_type)))


@named("UnravelIndex")
def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Any:
    """Return the places, a row for each axis, of places in a flat tensor of shape dims."""
    places, sizes = converted(indices), converted(dims)
    if 0 in (sizes.spec.vector() or ()):
        raise InvalidArgumentError(
            f"unravel_index: dims cannot contain a dim of zero, as {sizes} do"
        )
    return composed(UnravelIndex(), places, sizes)


@named("BatchGather", "Reshape_3")
def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """Return elements along the last axis of `indices`, the axes before going together."""
    places = converted(indices)
    return gathered(converted(params), places, None, places.ndim - 1)


def _histogram(
    default: str, function: Callable[..., Any], inner: str = ""
) -> Callable[..., Any]:
    @named(default, inner)
    def made(
        values: Any,
        value_range: Any,
        nbins: Any = 100,
        dtype: Any = int32,
        name: str | None = None,
    ) -> Any:
        x = converted(values)
        ends = converted(value_range, x.dtype, "value_range")
        return function(x, ends, nbins, as_dtype(dtype))

    return documented(made, function)


def _counts(x: Any, ends: Any, nbins: Any, dtype: Any) -> Any:
    """Return how many values lie in each of `nbins` parts of a range, those outside at its ends."""
    if isinstance(nbins, int) and nbins < 1:
        return math.histogram_fixed_width(x, ends, nbins, dtype)  # which refuses it
    return composed(HistogramFixedWidth(dtype), x, ends, converted(nbins, int32))


histogram_fixed_width = _histogram("histogram_fixed_width", _counts)
histogram_fixed_width_bins = _histogram(
    "histogram_fixed_width_bins", math.histogram_fixed_width_bins, "Reshape_1"
)


@named("bincount", "Bincount")
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Any:
    """Return how often each whole number is there, or the sums of its weights.

    The result has at least minlength and at most maxlength places. axis=-1 counts each row by
    itself; binary_output=True says whether a number is there, as 1 or 0.
    """
    return counts(
        arr if nest.is_value(arr) else converted(arr),
        weights if weights is None or nest.is_value(weights) else converted(weights),
        0 if minlength is None else _number("minlength", minlength),
        None if maxlength is None else _number("maxlength", maxlength),
        as_dtype(dtype),
        by_rows=axis not in (None, 0),
        binary=binary_output,
    )


def _number(what: str, given: Any) -> Any:
    """Return how many counts there are; ShapeError for other than one number."""
    made = converted(given)
    if made.spec.rank:
        raise ShapeError(
            f"bincount: {what}={given!r}: Shape must be rank 0 but is rank {made.spec.rank}"
        )
    return given


@named("count")
def sparse_bincount(
    values: Any,
    weights: Any = None,
    axis: int | None = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> Any:
    """Return as a sparse tensor how often each whole number is there.

    Arguments are those of `bincount`; axis=None counts all numbers together.
    """
    return sparse_counts(
        values if nest.is_value(values) else converted(values),
        weights if weights is None or nest.is_value(weights) else converted(weights),
        minlength or 0,
        maxlength,
        by_rows=axis not in (None, 0),
        binary=binary_output,
    )
