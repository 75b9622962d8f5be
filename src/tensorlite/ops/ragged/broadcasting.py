"""How operands some of which are ragged broadcast: which row of each stands beside which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from tensorlite.core.dispatch import call, constant, to_tensor
from tensorlite.core.dtypes import int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.ops.arrays.arrange import BroadcastArgs
from tensorlite.ops.arrays.gather import gather, size_at
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.math.arithmetic import broadcast_to as stretched
from tensorlite.ops.math.compare import logical_or, where
from tensorlite.ops.math.reduce import all as all_of
from tensorlite.ops.ragged.base import RaggedParts, below, is_number
from tensorlite.ops.ragged.checking import behind
from tensorlite.ops.ragged.dynamic_shape import DynamicRaggedShape
from tensorlite.ops.ragged.partition import RowPartition, known
from tensorlite.ops.ragged.slicing import run_of

Rows = Tensor | None
"""For each row that is wanted, which one it is of an operand; None where all are in order."""
_TEXT = "Cannot broadcast: rows of different lengths do not broadcast"


def mapped(function: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
    """Return what a function makes, element by element, of operands that broadcast."""
    ragged = [x for x in operands if isinstance(x, RaggedParts)]
    if _are_alike(operands) or any(x.rank is None for x in ragged):
        like = ragged[0]
        return like.with_flat_values(function(*[below(x, like) for x in operands]))
    given = [x if is_number(x) or _is_ragged(x) else to_tensor(x) for x in operands]
    shapes = [None if is_number(x) else _shape(x) for x in given]
    wanted = reduce(_shared, [x for x in shapes if x is not None])
    flat = [
        x if shape is None else _Spread.of(shape, wanted).flat(x)
        for x, shape in zip(given, shapes, strict=True)
    ]
    return wanted.rows_of(function(*flat))


def _is_ragged(x: Any) -> bool:
    return isinstance(x, RaggedParts)


def _shape(x: Any) -> DynamicRaggedShape:
    made: DynamicRaggedShape = DynamicRaggedShape.root.from_tensor(x)
    return made


def _shared(a: DynamicRaggedShape, b: DynamicRaggedShape) -> DynamicRaggedShape:
    return broadcast_shapes(a, b)


def _are_alike(operands: tuple[Any, ...]) -> bool:
    """Return whether all ragged ones have the same bounds, whatever these are."""
    ragged = [x.nested_row_splits for x in operands if isinstance(x, RaggedParts)]
    flat = [x.flat_values for x in operands if isinstance(x, RaggedParts)]
    inner = min([x.spec.rank or 0 for x in flat])
    dense = [
        x for x in operands if not isinstance(x, RaggedParts) and not is_number(x)
    ]
    if any(rank and rank >= inner for rank in [_rank(x) for x in dense]):
        return False
    return all(
        len(a) == len(b) and all(map(_is_one_tensor, a, b))
        for a, b in pairwise(ragged)
    )


def _rank(x: Any) -> int:
    return (to_tensor(x).spec.rank or 0) if not hasattr(x, "node") else x.spec.rank


def _is_one_tensor(a: Any, b: Any) -> bool:
    """Return whether these are one output of one node, or of one value."""
    if a is b:
        return True
    node = getattr(a, "node", None)
    if node is not None:
        return node is getattr(b, "node", None) and bool(a.index == b.index)
    return not hasattr(b, "node") and bool(np.array_equal(a.numpy(), b.numpy()))


def broadcast_shapes(
    a: DynamicRaggedShape, b: DynamicRaggedShape
) -> DynamicRaggedShape:
    """Return the sizes that two broadcast to; InvalidArgumentError where they do not."""
    if a.dtype is not b.dtype:
        if a.row_partitions and b.row_partitions:
            raise InvalidArgumentError(
                f"Dtypes don't match: {a.dtype.name} and {b.dtype.name}"
            )
        kind = a.dtype if a.row_partitions else b.dtype if b.row_partitions else int64
        a, b = a.with_dtype(kind), b.with_dtype(kind)
    if a.rank is None or b.rank is None:
        raise InvalidArgumentError("Unable to broadcast: unknown rank")
    rank = max(a.rank, b.rank)
    levels = _levels_of(a, b, rank)
    mine, theirs = _Aligned.of(a, rank, levels), _Aligned.of(b, rank, levels)
    if not levels:
        return _made(a, (), call(BroadcastArgs(), a.inner_shape, b.inner_shape))
    if mine is None or theirs is None:
        whole = a if theirs is None else b
        parts = (mine or theirs or _refuse()).parts
    else:
        whole, parts = a, _joined(mine, theirs)[0]
    inner = call(BroadcastArgs(), *[_inner(x, rank, levels) for x in (a, b)])
    return _made(whole, parts, concat([reshape(parts[-1].nvals(), [1]), inner]))


def _refuse() -> Any:
    raise InvalidArgumentError(_TEXT)


def _made(like: DynamicRaggedShape, parts: Any, inner: Any) -> DynamicRaggedShape:
    return DynamicRaggedShape.root(tuple(parts), astype(inner, like.dtype))


def _inner(x: DynamicRaggedShape, rank: int, levels: int) -> Any:
    """Return the sizes of the axes behind the values of some levels of rows."""
    own = levels - (rank - (x.rank or 0))
    if own < 0:
        return x.inner_shape
    return x.with_num_row_partitions(own).inner_shape[1:]


def _levels_of(a: DynamicRaggedShape, b: DynamicRaggedShape, rank: int) -> int:
    """Return how many partitions there are of what two shapes broadcast to."""
    split = [x for x in (a, b) if x.num_row_partitions]
    return max(
        [x.num_row_partitions + rank - (x.rank or 0) for x in split], default=0
    )


def broadcast_to(x: Any, shape: DynamicRaggedShape) -> Any:
    """Return a tensor, or a ragged one, spread over other sizes.

    >>> shape = tl.ragged.DynamicRaggedShape.from_lengths([2, (2, 1)])
    >>> tl.ragged.broadcast_to([[1], [2]], shape).to_list()
    [[1, 1], [2]]
    """
    given = x if _is_ragged(x) else to_tensor(x)
    own = _shape(given)
    if own.row_partitions and shape.row_partitions and own.dtype is not shape.dtype:
        raise InvalidArgumentError("Cannot coerce row_splits.dtype")
    kind = shape.dtype if shape.row_partitions else own.dtype
    own, shape = own.with_dtype(kind), shape.with_dtype(kind)
    if own.rank is None or shape.rank is None:
        raise InvalidArgumentError(
            "Rank of source and target must be statically known"
        )
    if own.rank > shape.rank:
        raise InvalidArgumentError("Cannot broadcast to a shape with smaller rank")
    flat = _Spread.of(own, shape).flat(given)
    return shape.rows_of(stretched(flat, shape.inner_shape))


@dataclass(frozen=True)
class _Aligned:
    """Sizes with as many axes, and as many partitions, as what they broadcast to."""

    count: Any
    parts: tuple[RowPartition, ...]

    @classmethod
    def of(cls, x: DynamicRaggedShape, rank: int, levels: int) -> _Aligned | None:
        """Return sizes with axes of 1 in front; None where all of their own are within."""
        missing = rank - (x.rank or 0)
        if missing > levels:
            return None
        own = x.with_num_row_partitions(levels - missing)
        first = _count(own)
        if not missing:
            return cls(first, own.row_partitions)
        one = _uniform(1, 1, x)
        parts = [one] * (missing - 1) + [_uniform(first, 1, x)]
        return cls(1, (*parts, *own.row_partitions))


def _count(x: DynamicRaggedShape) -> Any:
    size = x.size_at(0)
    told = known(size)
    return size if told is None else told


def _uniform(length: Any, rows: Any, like: Any) -> RowPartition:
    return RowPartition.root.from_uniform_row_length(
        length, nrows=rows, dtype=like.dtype
    )


@dataclass(frozen=True)
class _Spread:
    """Which of an operand's values stand where in what it is spread over."""

    shape: DynamicRaggedShape
    levels: int
    rows: Rows

    @classmethod
    def of(cls, shape: DynamicRaggedShape, wanted: DynamicRaggedShape) -> _Spread:
        """Return how sizes are spread over others."""
        rank, levels = wanted.rank or 0, wanted.num_row_partitions
        if shape is wanted or not levels:
            return cls(shape, shape.num_row_partitions, None)
        shape = shape.with_dtype(wanted.dtype)
        missing = rank - (shape.rank or 0)
        mine = _Aligned.of(shape, rank, levels)
        if mine is None:
            return cls(shape, 0, None)
        over = _Aligned(_count(wanted), wanted.row_partitions)
        return cls(shape, levels - missing, _joined(mine, over, grows=False)[1])

    def flat(self, x: Any) -> Any:
        """Return an operand's innermost values beside those of what it is spread over."""
        flat = x.flat_values if isinstance(x, RaggedParts) else x
        if self.shape.num_row_partitions != self.levels:
            other = self.shape.with_num_row_partitions(self.levels)
            flat = reshape(flat, other.inner_shape)
        return flat if self.rows is None else gather(flat, self.rows)


def _joined(
    a: _Aligned, b: _Aligned, grows: bool = True
) -> tuple[tuple[RowPartition, ...], Rows, Rows]:
    """Return the partitions that two broadcast to, and which values of each stand in them.

    `grows` says whether b broadcasts, too, and not only a.
    """
    mine, theirs = _first(a.count, b.count, grows)
    parts = []
    for x, y in zip(a.parts, b.parts, strict=True):
        part, mine, theirs = _next((x, mine), (y, theirs), grows)
        parts.append(part)
    return tuple(parts), mine, theirs


def _first(a: Any, b: Any, grows: bool) -> tuple[Rows, Rows]:
    """Return which of a and of b rows stand beside each other."""
    if isinstance(a, int) and isinstance(b, int) and a == b:
        return None, None
    if isinstance(a, int) and a == 1:
        return _zeros(b), None
    if isinstance(b, int) and b == 1 and grows:
        return None, _zeros(a)
    if isinstance(a, int) and isinstance(b, int):
        raise InvalidArgumentError(
            f"Cannot broadcast: {a} rows and {b} do not broadcast"
        )
    kind = (b if isinstance(a, int) else a).dtype
    a, b = (astype(to_tensor(x), kind) for x in (a, b))
    ones = [a == 1, b == 1] if grows else [a == 1]
    holds = reduce(logical_or, ones, a == b)
    count = behind(where(a == 1, b, a), holds, "Cannot broadcast")
    rows = arange(0, count, dtype=kind)
    mine = rows * astype(a != 1, kind)
    return mine, rows * astype(b != 1, kind) if grows else rows


def _zeros(count: Any) -> Tensor:
    kind = int64 if isinstance(count, int) else count.dtype
    return stretched(
        constant(np.zeros((), kind.numpy)), reshape(to_tensor(count), [1])
    )


def _is_one(x: RowPartition) -> Any:
    """Return whether rows are all of one value, as a tensor where that is not known yet."""
    if not x.is_uniform():
        return False
    length = x.static_uniform_row_length
    return x.length == 1 if length is None else length == 1


def _next(
    a: tuple[RowPartition, Rows], b: tuple[RowPartition, Rows], grows: bool
) -> tuple[RowPartition, Rows, Rows]:
    """Return the rows of the next axis, and which values of a and of b are in them."""
    ones = _is_one(a[0]), _is_one(b[0]) if grows else False
    if isinstance(ones[0], Tensor) or isinstance(ones[1], Tensor):
        return _next_unknown(a, b, ones)
    if ones == (True, False):
        part = _picked(b)
        return part, _repeated(a[1], part), _inside(b)
    if ones == (False, True):
        part = _picked(a)
        return part, _inside(a), _repeated(b[1], part)
    told = a[0].static_uniform_row_length, b[0].static_uniform_row_length
    if None not in told:
        if told[0] != told[1]:
            raise InvalidArgumentError(
                f"Cannot broadcast: rows of {told[0]} and {told[1]} do not broadcast"
            )
        return _picked(a), _inside(a), _inside(b)
    mine, theirs = _lengths(a), _lengths(b)
    lengths = behind(mine, _equal(mine, theirs), _TEXT)
    if a[0].is_uniform() and b[0].is_uniform():
        part = _uniform(a[0].length, size_at(lengths, 0), a[0])
    else:
        part = RowPartition.root.from_row_lengths(lengths, validate=False)
    return part, _inside(a), _inside(b)


def _equal(a: Tensor, b: Tensor) -> Tensor:
    if isinstance(a, EagerTensor) and isinstance(b, EagerTensor):
        return to_tensor(bool(np.array_equal(a.numpy(), b.numpy())))
    return all_of(a == b)


def _rows(x: Any, rows: Rows) -> Any:
    return x if rows is None else gather(x, rows)


def _lengths(x: tuple[RowPartition, Rows]) -> Any:
    return _rows(x[0].row_lengths(), x[1])


def _picked(x: tuple[RowPartition, Rows]) -> RowPartition:
    """Return some rows' partition."""
    part, rows = x
    if rows is None:
        return part
    if part.is_uniform():
        length = part.static_uniform_row_length
        count = astype(size_at(rows, 0), part.dtype)
        return _uniform(part.length if length is None else length, count, part)
    return RowPartition.root.from_row_lengths(_lengths(x), validate=False)


def _inside(x: tuple[RowPartition, Rows]) -> Rows:
    """Return which values some rows have."""
    part, rows = x
    if rows is None:
        return None
    return run_of(gather(part.row_starts(), rows), _lengths(x))


def _repeated(rows: Rows, part: RowPartition) -> Tensor:
    """Return the one value of each row, as often as rows of a partition have values."""
    ids: Tensor = part.value_rowids()
    return ids if rows is None else gather(rows, ids)


def _next_unknown(
    a: tuple[RowPartition, Rows], b: tuple[RowPartition, Rows], ones: Any
) -> tuple[RowPartition, Rows, Rows]:
    """Return the same where lengths of all rows, which may be 1, are known when it runs."""
    one_a, one_b = (to_tensor(x) for x in ones)
    mine, theirs = _lengths(a), _lengths(b)
    holds = logical_or(logical_or(one_a, one_b), _equal(mine, theirs))
    lengths = behind(where(one_a, theirs, mine), holds, _TEXT)
    if a[0].is_uniform() and b[0].is_uniform():
        wide = where(one_a, b[0].length, a[0].length)
        count = astype(size_at(lengths, 0), wide.dtype)
        part = _uniform(behind(wide, holds, _TEXT), count, a[0])
    else:
        part = RowPartition.root.from_row_lengths(lengths, validate=False)
    places, ids = part.offsets_in_rows(), part.value_rowids()
    return part, *[
        gather(_rows(x[0].row_starts(), x[1]), ids) + places * astype(~one, ids.dtype)
        for x, one in ((a, one_a), (b, one_b))
    ]
