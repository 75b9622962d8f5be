"""Ragged tensors joined, repeated and in other axes, in graphs of version 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared import arrays
from tensorlite.compat.shared.arrays import (
    concat,
    range as counted,
    reshape,
    transpose,
)
from tensorlite.compat.shared.cutting import tile as dense_tile
from tensorlite.compat.shared.ragged_and_sparse.built_rows import RaggedTensor
from tensorlite.compat.shared.ragged_and_sparse.written import (
    FUNCTIONS,
    levels,
    writes,
)
from tensorlite.compat.v1.functions.arrays import (
    expand_dims as dense_expand_dims,
    gather,
)
from tensorlite.compat.v1.functions.checks import assert_equal
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.compat.v1.ragged_written.base import (
    alike,
    axis_of,
    bounds_of,
    given,
    integers,
    known,
    lengths_in,
    nested,
    rank_of,
    rows,
    runs_repeated,
    splits_dtype,
    tried,
)
from tensorlite.compat.v1.ragged_written.converting import from_tensor
from tensorlite.compat.v1.ragged_written.gathering import gathered
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.shapes import TensorShape
from tensorlite.graph_mode.graph import name_scope


def joined(values: Any, axis: Any, stacks: bool, name: str | None = None) -> Any:
    """Return tensors, dense ones too, one behind the other along an axis, or along a new one."""
    listed = values if isinstance(values, (list, tuple)) else [values]
    with name_scope(name, "RaggedConcat"):
        return _joined([given(x, "rt_input") for x in listed], axis, stacks)


def _joined(xs: list[Any], axis: int, stacks: bool) -> Any:
    if not xs:
        raise InvalidArgumentError("rt_inputs may not be empty.")
    kind = splits_dtype(*xs)
    if len(xs) == 1:
        return expanded(xs[0], axis) if stacks else xs[0]
    ranks = {rank_of(x) for x in xs} - {None}
    if len(ranks) > 1:
        raise InvalidArgumentError(
            f"the operands have the ranks {sorted(ranks)}; they must be equal"  # type: ignore[type-var]
        )
    rank = rank_of(xs[0])
    out = rank if rank is None or not stacks else rank + 1
    at = axis_of(axis, out)
    if _are_dense(xs, at, rank, stacks):
        return arrays.stack(xs, at) if stacks else concat(xs, at)
    rows_of = [
        x
        if isinstance(x, RaggedTensor)
        else from_tensor(x, ragged_rank=1, row_splits_dtype=kind)
        for x in xs
    ]
    depth = max(x.ragged_rank for x in rows_of)
    rows_of = [_deep(x, depth, kind) for x in rows_of]
    if at == 0:
        return _behind(rows_of, stacks)
    if at == 1:
        return _beside(rows_of, stacks)
    checks = alike([[x.row_splits] for x in rows_of])
    with control_dependencies(checks):
        made = _joined([x.values for x in rows_of], at - 1, stacks)
        return rows(made, rows_of[0].row_splits)


def _are_dense(xs: list[Any], axis: int, rank: int | None, stacks: bool) -> bool:
    """Return whether tensors are joined as they are: along their last axis, or behind it."""
    if rank is None or any(isinstance(x, RaggedTensor) for x in xs):
        return False
    return axis == rank - 1 or (stacks and axis == rank)


def _deep(x: Any, depth: int, kind: Any) -> Any:
    """Return rows that are split along as many axes as others."""
    if not depth:
        return x
    if not isinstance(x, RaggedTensor):
        x = from_tensor(x, row_splits_dtype=kind)
    if x.ragged_rank < depth:
        return x.with_values(_deep(x.values, depth - 1, kind))
    return x


def _behind(xs: Sequence[Any], stacks: bool) -> Any:
    values = concat([x.flat_values for x in xs], axis=0)
    every = zip(*[x.nested_row_splits for x in xs], strict=True)
    splits = [_bounds_behind(one) for one in every]
    if stacks:
        counts = arrays.stack([x.nrows() for x in xs])
        splits.insert(0, bounds_of(counts))
    return nested(values, splits)


def _bounds_behind(every: Sequence[Any]) -> Any:
    """Return the bounds of rows, those of one tensor behind those of the one before."""
    first, *rest = every
    pieces, end = [first], first[-1]
    for one in rest:
        pieces.append(one[1:] + end)
        end = end + one[-1]
    return concat(pieces, axis=0)


def _beside(xs: Sequence[Any], stacks: bool) -> Any:
    number = len(xs)
    count = xs[0].nrows()
    text = "Input tensors have incompatible shapes."
    checks = [assert_equal(x.nrows(), count, message=text) for x in xs[1:]]
    with control_dependencies(checks):
        every = _behind(xs, False)
        places = reshape(counted(count * number), [number, -1])
        mixed = gathered(every, reshape(transpose(places), [-1]))
        values = mixed if stacks else mixed.values
        every_first = slice(None, None, number)
        splits = counted(0, count * number + 1, number) if stacks else None
        splits = mixed.row_splits[every_first] if splits is None else splits
        for told in [x.get_shape().as_list()[0] for x in xs]:
            if told is not None:
                splits.set_shape([told + 1])
        return rows(values, splits)


@writes("concat", of=FUNCTIONS)
def _concat(_: Any, arguments: dict[str, Any], name: str | None) -> Any:
    values = arguments["values"]
    for x in values if isinstance(values, (list, tuple)) else [values]:
        tried(x)
    return joined(values, _number(arguments["axis"]), False, name)


@writes("stack", of=FUNCTIONS)
def _stack(_: Any, arguments: dict[str, Any], name: str | None) -> Any:
    for x in arguments["values"]:
        tried(x)
    return joined(arguments["values"], arguments["axis"], True, name)


@writes("ragged.stack")
def _ragged_stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    listed = values if isinstance(values, (list, tuple)) else [values]
    shapes = {_vector(x) for x in listed}
    if len(shapes) > 1 and None not in shapes:  # which TensorFlow 1 does not stack
        return NotImplemented
    return joined(values, axis, True, name)


def _vector(x: Any) -> int | None:
    """Return the size of a vector, if it is known to be one."""
    if isinstance(x, (list, tuple)):
        return (
            len(x)
            if all(isinstance(one, (bool, int, float, str)) for one in x)
            else None
        )
    sizes = getattr(x, "shape", None)
    dims = None if sizes is None else TensorShape(sizes).known()
    return dims[0] if dims is not None and len(dims) == 1 else None


def _number(x: Any) -> Any:
    """Return an axis as a number, if it is known."""
    told = known(x) if hasattr(x, "get_shape") else x
    return int(told.item()) if hasattr(told, "item") else told


def expanded(x: Any, axis: int, name: str | None = None) -> Any:
    """Return a tensor with an axis of one element more."""
    with name_scope(name, "RaggedExpandDims"):
        if not isinstance(x, RaggedTensor):
            return dense_expand_dims(x, axis)
        rank = rank_of(x)
        at = axis_of(axis, None if rank is None else rank + 1)
        if at == 0:
            return rows(x, arrays.stack([0, x.nrows()]))
        if at == 1:
            return rows(x, counted(x.nrows() + 1))
        return rows(expanded(x.values, at - 1), x.row_splits)


@writes("ExpandDims", of=FUNCTIONS)
def _expand_dims(_: Any, arguments: dict[str, Any], name: str | None) -> Any:
    x, axis = given(arguments["input"], "input"), _number(arguments["axis"])
    return expanded(x, axis, name) if isinstance(axis, int) else NotImplemented


@writes("Size", of=FUNCTIONS)
def _size(again: Any, arguments: dict[str, Any], name: str | None) -> Any:
    x = given(arguments["input"])
    return again(x.flat_values, arguments["out_type"], name=name)


@writes("Rank", of=FUNCTIONS)
def _rank(again: Any, arguments: dict[str, Any], name: str | None) -> Any:
    x = given(arguments["input"])
    with name_scope(name, "RaggedRank"):
        return x.ragged_rank + again(x.flat_values)


@writes("one_hot", of=FUNCTIONS)
def _one_hot(again: Any, arguments: dict[str, Any], name: str | None) -> Any:
    axis = arguments["axis"]
    with name_scope(name, "RaggedOneHot"):
        x = given(arguments["indices"], "indices")
        if axis is not None:
            rank = rank_of(x)
            at = axis_of(axis, None if rank is None else rank + 1)
            if at <= x.ragged_rank:
                raise InvalidArgumentError(
                    f"one_hot: axis {axis} is among those that are split into rows"
                )
            arguments = {**arguments, "axis": at - x.ragged_rank}
        made = again(**{**arguments, "indices": x.flat_values}, name=name)
        return x.with_flat_values(made)


@writes("Tile", of=FUNCTIONS)
def _tile(_: Any, arguments: dict[str, Any], name: str | None) -> Any:
    return tile(arguments["input"], arguments["multiples"], name)


def tile(x: Any, multiples: Any, name: str | None = None) -> Any:
    """Return a tensor repeated along each axis."""
    with name_scope(name, "RaggedTile"):
        x = given(x, "input")
        if not isinstance(x, RaggedTensor):
            return dense_tile(x, multiples, name)
        counts = integers(multiples, "multiples", x.row_splits.dtype)
        if rank_of(counts) != 1:
            raise InvalidArgumentError(f"multiples are {counts}; allowed is a vector")
        told = known(counts)
        if told is not None and len(told) != rank_of(x):
            raise InvalidArgumentError(
                f"tile: {len(told)} multiples for {x.shape}; give one per axis"
            )
        values = _tiled_values(x, counts, told)
        return nested(values, _tiled_splits(x, counts, told))


def _tiled_values(x: Any, counts: Any, told: Any) -> Any:
    depth, bounds = x.ragged_rank, x.nested_row_splits
    places, before = counted(bounds[-1][-1]), None
    for axis in range(depth, 0, -1):
        splits = bounds[axis - 1]
        if before is not None:
            splits = gather(before * counts[axis + 1], splits)
        if told is None or told[axis] != 1:
            places = runs_repeated(places, splits, counts[axis])
        before = splits
    values = gather(x.flat_values, places)
    return dense_tile(values, concat([counts[:1], counts[depth + 1 :]], axis=0))


def _tiled_splits(x: Any, counts: Any, told: Any) -> list[Any]:
    bounds = [one.row_splits for one in levels(x)]
    depth = len(bounds)
    projected = [{i: bounds[i]} for i in range(depth)]
    for i in range(depth):
        for j in range(i + 1, depth - 1):
            projected[i][j] = gather(bounds[j], projected[i][j - 1])
    made = []
    for axis in range(depth):
        lengths = lengths_in(bounds[axis]) * counts[axis + 1]
        repeats: Any = 1
        for i in range(axis - 1, -1, -1):
            if told is None or told[i + 1] != 1:
                splits = projected[i][axis - 1] * repeats
                lengths = runs_repeated(lengths, splits, counts[i + 1])
            repeats = repeats * counts[i + 1]
        made.append(bounds_of(dense_tile(lengths, counts[:1])))
    return made
