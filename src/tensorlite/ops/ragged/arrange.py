"""Ragged tensors joined, repeated, gathered, made of ranges; sums are in reduce.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import as_dtype, int64
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.scope import control_dependencies
from tensorlite.core.spec import normalise_axis
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.arrange import (
    expand_dims as dense_expand_dims,
    permute_dims,
    squeeze as dense_squeeze,
)
from tensorlite.ops.arrays.gather import gather as dense_gather, size_at
from tensorlite.ops.arrays.identity import identity
from tensorlite.ops.arrays.join import concat as dense_concat
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.repeat import repeat, tile as dense_tile
from tensorlite.ops.arrays.search import argsort
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.arrays.stack import stack as dense_stack
from tensorlite.ops.control.assertions import assert_true
from tensorlite.ops.math.arithmetic import broadcast_to
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.compare import logical_and
from tensorlite.ops.math.rounding import ceil, floor_divide
from tensorlite.ops.ragged.base import RaggedParts, same_splits
from tensorlite.ops.ragged.making import (
    bounds,
    from_tensor,
    from_value_rowids,
    masked,
)
from tensorlite.ops.ragged.slicing import (
    any_rows,
    getitem_ragged,
    grouped,
    rows_in,
    run_of,
    splits_of,
)
from tensorlite.ops.ragged.tensor import RaggedTensor


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return what a function makes of the innermost values, in rows as they were.

    Ragged tensors among the arguments must have rows of the same lengths.

    >>> tl.ragged.map_flat_values(tl.square, tl.ragged.constant([[1, 2], [3]]))
    <tf.RaggedTensor [[1, 4], [9]]>
    """
    found = [x for x in [*args, *kwargs.values()] if isinstance(x, RaggedParts)]
    if not found:
        return op(*args, **kwargs)
    like = found[0]
    for other in found[1:]:
        pairs = zip(like.nested_row_splits, other.nested_row_splits, strict=False)
        if like.ragged_rank != other.ragged_rank or not all(
            same_splits(a, b) for a, b in pairs
        ):
            raise InvalidArgumentError(
                "map_flat_values: ragged tensors must have the same nested row splits"
            )
    made = op(*map(_flattened, args), **{k: _flattened(v) for k, v in kwargs.items()})
    return like.with_flat_values(made)


def _flattened(x: Any) -> Any:
    return x.flat_values if isinstance(x, RaggedParts) else x


def _values(xs: Any) -> list[Any]:
    if not len(xs):
        raise InvalidArgumentError("stack, concat: give one tensor or more")
    return [x if isinstance(x, RaggedParts) else to_tensor(x) for x in xs]


def _alike(xs: list[Any]) -> list[Any]:
    """Return tensors, dense ones as ragged ones, with as many axes split as the others have."""
    depth = max([x.ragged_rank for x in xs if isinstance(x, RaggedParts)], default=1)
    return [_deep(x, depth) for x in xs]


def _deep(x: Any, depth: int) -> Any:
    if not isinstance(x, RaggedParts):
        return from_tensor(RaggedTensor, x, ragged_rank=depth) if depth else x
    return x if x.ragged_rank >= depth else x.with_values(_deep(x.values, depth - 1))


def concat(values: Any, axis: int = 0) -> Any:
    """Return ragged or dense tensors one behind the other along an axis.

    >>> x = tl.ragged.constant([[1], [2, 3]])
    >>> tl.ragged.concat([x, tl.ragged.constant([[4, 5], []])], axis=1)
    <tf.RaggedTensor [[1, 4, 5], [2, 3]]>
    """
    xs = _values(values)
    at = _axis(axis, xs)
    if len(xs) == 1:
        return xs[0]
    are_dense = not any(isinstance(x, RaggedParts) for x in xs)
    if at == 0 and are_dense and xs[0].spec.rank == 1:
        return dense_concat(xs)
    return _joined(_alike(xs), at)


def _axis(axis: int, xs: list[Any], more: int = 0) -> int:
    ranks = [x.rank if isinstance(x, RaggedParts) else x.spec.rank for x in xs]
    known = [rank for rank in ranks if rank is not None]
    if len(set(known)) > 1:
        raise InvalidArgumentError(
            f"the operands have the ranks {ranks}; they must be equal"
        )
    if known:
        return normalise_axis(axis, known[0] + more)
    if axis < 0:
        raise InvalidArgumentError(f"axis={axis} of a tensor whose rank is not known")
    return axis


def _joined(xs: list[Any], axis: int) -> Any:
    if not isinstance(xs[0], RaggedParts):
        return dense_concat(xs, axis=axis)
    if axis == 0:
        return _behind(xs)
    if axis > 1:
        return xs[0].with_values(_joined([x.values for x in xs], axis - 1))
    every = _behind(xs)
    kind = every.row_splits.dtype
    places = reshape(arange(0, every.nrows(), dtype=kind), [len(xs), -1])
    mixed = any_rows(every, reshape(permute_dims(places, (1, 0)), [-1]))
    lengths = [x.uniform_row_length for x in xs]
    known = None if None in lengths else sum(lengths)
    splits = mixed.row_splits[:: len(xs)]
    rows = [x.shape[0] for x in xs if x.shape[0] is not None]
    if rows:
        splits.set_shape([rows[0] + 1])
    return mixed.of(mixed.values, splits, known)


def _behind(xs: list[Any]) -> Any:
    values = _joined([x.values for x in xs], 0)
    kind = xs[0].row_splits.dtype
    lengths = dense_concat([astype(x.row_lengths(), kind) for x in xs])
    known = {x.uniform_row_length for x in xs}
    return xs[0].of(
        values, splits_of(lengths), known.pop() if len(known) == 1 else None
    )


def stack(values: Any, axis: int = 0) -> Any:
    """Return tensors, dense ones too, whose sizes may differ, along a new axis.

    >>> tl.ragged.stack([tl.asarray([1, 2]), tl.asarray([3])])
    <tf.RaggedTensor [[1, 2], [3]]>
    """
    xs = _values(values)
    at = _axis(axis, xs, 1)
    first = xs[0]
    if not isinstance(first, RaggedParts) and first.spec.rank == 0:
        return dense_stack(xs)
    if not any(isinstance(x, RaggedParts) for x in xs) and first.spec.rank == 1:
        if at == 0:
            return _groups(dense_concat(xs), xs)
        xs = [dense_expand_dims(x, 1) for x in xs]
        return _joined(_alike(xs), 1)
    if at == 0:
        xs = _alike(xs)
        return _groups(_joined(xs, 0), xs)
    return _joined([expand_dims(x, at) for x in _alike(xs)], at)


def _groups(values: Any, xs: list[Any]) -> Any:
    kind = values.row_splits.dtype if isinstance(values, RaggedParts) else int64
    counts = [astype(to_tensor(rows_in(x)), kind) for x in xs]
    return RaggedTensor.of(values, splits_of(dense_stack(counts)))


def expand_dims(x: Any, axis: int) -> Any:
    """Return a ragged tensor with an axis of one element more.

    >>> tl.ragged.expand_dims(tl.ragged.constant([[1, 2], [3]]), 0)
    <tf.RaggedTensor [[[1, 2], [3]]]>
    """
    if not isinstance(x, RaggedParts):
        return dense_expand_dims(x, axis)
    at = _axis(axis, [x], 1)
    if at == 0:
        return grouped(x, rows_in(x), x)
    if at == 1:
        return grouped(x, 1, x)
    return x.with_values(expand_dims(x.values, at - 1))


def squeeze(x: Any, axis: int) -> Any:
    """Return a ragged tensor without an axis of one element.

    >>> tl.ragged.squeeze(tl.ragged.constant([[[1], [2]]]), 0)
    <tf.RaggedTensor [[1], [2]]>
    """
    at = _axis(axis, [x])
    if not isinstance(x, RaggedParts):
        return dense_squeeze(x, at)
    if at == 0:
        return _if_holds(x.nrows() == 1, "there is one row", x)[0]
    if at == 1:
        return _if_holds(x.row_lengths() == 1, "rows are of one value", x).values
    inner = x.values
    if isinstance(inner, RaggedParts):
        return x.with_values(squeeze(inner, at - 1))
    sizes = [n for i, n in enumerate(inner.spec.dims) if i != at - 1]
    return x.with_values(reshape(inner, [-1, *sizes[1:]]))


def _if_holds(condition: Tensor, what: str, x: Any) -> Any:
    """Return rows, after it was seen that a condition holds."""
    check = assert_true(condition, what)
    if check is None:
        return x
    with control_dependencies([check]):
        return x.with_flat_values(identity(x.flat_values))


def tile(x: Any, multiples: Any) -> Any:
    """Return a ragged tensor repeated along each axis.

    >>> tl.ragged.tile(tl.ragged.constant([[1, 2], [3]]), [1, 2])
    <tf.RaggedTensor [[1, 2, 1, 2], [3, 3]]>
    """
    counts = to_tensor(multiples)
    known = counts.spec.constant()
    if known is not None and x.rank not in (None, len(known)):
        raise ShapeError(
            f"tile: {len(known)} multiples for {x.shape}; give one per axis"
        )
    times = [counts[i] if known is None else known[i] for i in range(x.rank)]
    return _tiled(x, times)


def _tiled(x: Any, times: list[Any]) -> Any:
    """Return a tensor repeated along its axes, the innermost ones first."""
    if all(isinstance(n, int) and n == 1 for n in times):
        return x
    if not isinstance(x, RaggedParts):
        return dense_tile(
            x, dense_stack([astype(to_tensor(n), int64) for n in times])
        )
    kind = x.row_splits.dtype
    rows, columns, *inner = times
    x = x.with_values(_tiled(x.values, [1, *inner]))
    every = arange(0, x.nrows(), dtype=kind)
    lengths = repeat(x.row_lengths(), columns)
    values = any_rows(x.values, run_of(repeat(x.row_starts(), columns), lengths))
    known = x.uniform_row_length
    length = (
        known * columns if known is not None and isinstance(columns, int) else None
    )
    wide = x.of(values, x.row_splits * astype(to_tensor(columns), kind), length)
    more = dense_tile(every, reshape(astype(to_tensor(rows), int64), [1]))
    return wide if isinstance(rows, int) and rows == 1 else any_rows(wide, more)


def gather(params: Any, indices: Any, axis: int = 0, batch_dims: int = 0) -> Any:
    """Return rows at places, which may be ragged themselves.

    >>> tl.ragged.gather(tl.ragged.constant([[1, 2], [3]]), [1, 0, 1])
    <tf.RaggedTensor [[3], [1, 2], [3]]>
    """
    x: Any = params if isinstance(params, RaggedParts) else to_tensor(params)
    at: Any = indices if isinstance(indices, RaggedParts) else to_tensor(indices)
    if not isinstance(x, RaggedParts) and not isinstance(at, RaggedParts):
        return dense_gather(
            x, at, max(axis, batch_dims) if axis >= 0 else axis, batch_dims
        )
    if batch_dims:
        return _gathered_within(x, at, axis, batch_dims)
    where = _axis(axis, [x])
    if where:
        return _gathered_inside(x, at, where)
    if isinstance(at, RaggedParts):
        return at.with_values(gather(x, at.values))
    if at.spec.rank == 0:
        return getitem_ragged(x, at)
    if at.spec.rank == 1:
        return any_rows(x, at)
    split = from_tensor(RaggedTensor, at, ragged_rank=len(at.spec.dims) - 1)
    return gather(x, split)


def _gathered_inside(x: Any, at: Any, axis: int) -> Any:
    """Return what each row, or each row of rows, has at the same places."""
    if not isinstance(x, RaggedParts):
        x = _deep(x, 1)
    if axis > 1:
        return x.with_values(_gathered_inside(x.values, at, axis - 1))
    flat: Any = at.flat_values if isinstance(at, RaggedParts) else reshape(at, [-1])
    if flat.spec.rank > 1:  # what is not split in the places is, from here on
        split = from_tensor(RaggedTensor, flat, ragged_rank=flat.spec.rank - 1)
        return _gathered_inside(x, at.with_flat_values(split), axis)
    made = any_rows(x.values, _places_in(x, flat))
    if isinstance(at, RaggedParts):
        for splits in reversed(at.nested_row_splits):
            lengths = dense_expand_dims(splits[1:] - splits[:-1], 0)
            made = x.of(made, splits_of(_for_each(lengths, x)))
        return x.of(
            made, _numbered(x.nrows() + 1) * astype(at.nrows(), x.row_splits.dtype)
        )
    sizes = [size_at(at, i) if n is None else n for i, n in enumerate(at.spec.dims)]
    for place in reversed(range(len(sizes))):
        count = x.nrows()
        for size in sizes[:place]:
            count = count * size
        splits = _numbered(count + 1) * sizes[place]
        known = sizes[place] if isinstance(sizes[place], int) else None
        made = x.of(made, splits, known)
    return made


def _places_in(x: Any, at: Tensor) -> Tensor:
    """Return where, among the values, each row has some places; an error where it has them not."""
    at = dense_expand_dims(astype(at, x.row_splits.dtype), 0)
    lengths = dense_expand_dims(x.row_lengths(), 1)
    there = logical_and(at >= 0, at < lengths)
    checks = assert_true(there, "indices are places in every row", at)
    with control_dependencies([] if checks is None else [checks]):
        starts = dense_expand_dims(x.row_starts(), 1) + 0
    return reshape(starts + at, [-1])


def _for_each(numbers: Tensor, x: Any) -> Tensor:
    """Return numbers as often as there are rows."""
    rows = dense_expand_dims(x.row_starts(), 1) * 0
    return reshape(rows + astype(numbers, rows.dtype), [-1])


def _numbered(count: Any) -> Tensor:
    return arange(0, count, dtype=count.dtype)


def _gathered_within(x: Any, at: Any, axis: int, batch_dims: int) -> Any:
    """Return what places within each row, or each row of rows, have."""
    ragged = isinstance(at, RaggedParts)
    if (at.rank if ragged else at.spec.rank) == batch_dims:
        flat: Any = at.flat_values if ragged else at
        more = dense_expand_dims(flat, 1 if ragged else batch_dims)
        each = at.with_flat_values(more) if ragged else more
        return squeeze(
            _gathered_within(x, each, axis, batch_dims), max(axis, batch_dims)
        )
    x = _deep(x, batch_dims)
    if batch_dims > 1 or axis > 1:
        at = _deep(at, batch_dims)
    if batch_dims > 1:
        return x.with_values(
            _gathered_within(x.values, at.values, max(axis - 1, 0), batch_dims - 1)
        )
    if axis > 1:
        each = any_rows(at, x.value_rowids())
        return x.with_values(_gathered_within(x.values, each, axis - 1, 1))
    starts, flat = x.row_starts(), at
    while isinstance(flat, RaggedParts):
        starts, flat = any_rows(starts, flat.value_rowids()), flat.values
    starts = reshape(starts, [-1, *[1] * (flat.spec.rank - 1)])
    places = astype(flat, starts.dtype) + starts
    return gather(x.values, at.with_flat_values(places) if ragged else places)


def reverse(x: Any, axis: Any) -> Any:
    """Return a ragged tensor with some axes from back to front.

    >>> tl.ragged.reverse(tl.ragged.constant([[1, 2], [3]]), axis=[1])
    <tf.RaggedTensor [[2, 1], [3]]>
    """
    for one in axis if isinstance(axis, (list, tuple)) else [axis]:
        at = _axis(int(one), [x])
        x = x[(*[slice(None)] * at, slice(None, None, -1))]
    return x


def range_rows(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """Return, as rows, the numbers from each start up to its limit.

    >>> tl.ragged.range([0, 5], [3, 7])
    <tf.RaggedTensor [[0, 1, 2], [5, 6]]>
    """
    if limits is None:
        starts, limits = 0, starts
    wanted = None if dtype is None else as_dtype(dtype)
    ends = [to_tensor(x) for x in (starts, limits, deltas)]
    own = wanted or max(
        [x.dtype for x in ends], key=lambda d: (d.kind == "f", d.itemsize)
    )
    first, last, step = (astype(x, own) for x in ends)
    shape = (first + last + step).spec.dims or (1,)
    sizes = shape if None not in shape else [size_at(first + last + step, 0)]
    first, last, step = (broadcast_to(x, sizes) for x in (first, last, step))
    width = last - first
    # As many as there are steps, the last of which may be a part of one.
    count = ceil(width / step) if own.kind == "f" else -floor_divide(-width, step)
    kind = as_dtype(row_splits_dtype)
    lengths = maximum(astype(count, kind), 0)
    rows = any_rows(first, _rows(lengths)), any_rows(step, _rows(lengths))
    places = run_of(lengths * 0, lengths)
    values = rows[0] + astype(places, own) * rows[1]
    return RaggedTensor.of(values, splits_of(lengths))


def _rows(lengths: Tensor) -> Tensor:
    rows: RaggedTensor = RaggedTensor.of(lengths, splits_of(lengths))
    return rows.value_rowids()


def boolean_mask(data: Any, mask: Any) -> Any:
    """Return what a mask holds true for: the rows keep what is left of them.

    >>> tl.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])
    <tf.RaggedTensor [[1], [3, 4]]>
    """
    rows = data if isinstance(data, RaggedParts) else to_tensor(data)
    held = mask if isinstance(mask, RaggedParts) else to_tensor(mask)
    if not isinstance(held, RaggedParts) and (held.spec.rank or 0) > 1:
        held = from_tensor(RaggedTensor, held, ragged_rank=len(held.spec.dims) - 1)
    return masked(rows, held)


def row_splits_to_segment_ids(splits: Any, out_type: Any = None) -> Tensor:
    """Return in which row each value is, of rows with some bounds.

    >>> print(tl.ragged.row_splits_to_segment_ids([0, 2, 2, 5]))
    [0 0 2 2 2]
    """
    ends = bounds(splits)
    ids = RaggedTensor.of(ends, ends).value_rowids()
    return ids if out_type is None else astype(ids, as_dtype(out_type))


def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None
) -> Tensor:
    """Return the bounds of rows, of which it is told in which each value is.

    >>> print(tl.ragged.segment_ids_to_row_splits([0, 0, 2]))
    [0 2 2 3]
    """
    ids = bounds(segment_ids)
    made = from_value_rowids(RaggedTensor, ids, ids, num_segments).row_splits
    return made if out_type is None else astype(made, as_dtype(out_type))


def stack_dynamic_partitions(data: Any, partitions: Any, num_partitions: Any) -> Any:
    """Return elements as rows, each in the row that it is told to be in.

    >>> tl.ragged.stack_dynamic_partitions([1, 2, 3], [1, 0, 1], 2)
    <tf.RaggedTensor [[2], [1, 3]]>
    """
    x: Any = data if isinstance(data, RaggedParts) else to_tensor(data)
    if isinstance(partitions, RaggedParts):
        x = _deep(x, 1)
        if not same_splits(x.row_splits, partitions.row_splits):
            raise InvalidArgumentError(
                f"partitions of {partitions.shape} for {x.shape}; they are in the same rows"
            )
        return stack_dynamic_partitions(x.values, partitions.values, num_partitions)
    rows = to_tensor(partitions)
    inner = len(rows.spec.dims)
    for _ in range(inner - 1 if isinstance(x, RaggedParts) else 0):
        x = x.values
    if inner != 1 and not isinstance(x, RaggedParts):
        x = reshape(x, [-1, *x.spec.dims[inner:]])
    if inner != 1:
        rows = reshape(rows, [-1])
    order = argsort(rows, stable=True)
    ids = astype(dense_gather(rows, order), int64)
    return from_value_rowids(RaggedTensor, any_rows(x, order), ids, num_partitions)


def where_rows(condition: Any, x: Any, y: Any) -> Any:
    """Return the rows of one tensor where a condition holds, and of another where not.

    >>> x, y = tl.ragged.constant([[1], [2, 3]]), tl.ragged.constant([[4, 5], []])
    >>> tl.ragged.where([True, False], x, y)
    <tf.RaggedTensor [[1], []]>
    """
    every = concat([x, y], axis=0)
    held = to_tensor(condition)
    rows = arange(0, size_at(held, 0), dtype=int64)
    chosen = astype(held, int64)
    return any_rows(every, rows + (1 - chosen) * size_at(held, 0))
