"""What all that writes ragged tensors shares: rows, what is known of them, and their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import concat, ones, range as counted
from tensorlite.compat.shared.ragged_and_sparse.built_rows import RaggedTensor
from tensorlite.compat.shared.ragged_and_sparse.written import knowing
from tensorlite.compat.shared.reductions import cumsum
from tensorlite.compat.shared.repeating import repeat_along
from tensorlite.compat.v1.functions.arrays import gather, shape
from tensorlite.compat.v1.functions.checks import assert_equal
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import as_dtype, int32, int64
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.graph import name_scope
from tensorlite.ops.arrays.shape import Cast
from tensorlite.ops.ragged.operators import RaggedRange
from tensorlite.ops.ragged.values import RaggedTensorValue


def rows(values: Any, splits: Any, **known: Any) -> Any:
    """Return values in rows, with what is known of these: `lengths`, `ids` and their `count`."""
    return knowing(RaggedTensor.of(values, splits), known)


def nested(values: Any, splits: Sequence[Any]) -> Any:
    """Return values in rows of rows, given their bounds from outside in."""
    for one in reversed(splits):
        values = rows(values, one)
    return values


def given(
    x: Any, name: str | None = None, dtype: Any = None, hint: Any = None
) -> Any:
    """Return an argument as a tensor, unless it is ragged."""
    if isinstance(x, RaggedTensor):
        return x
    if isinstance(x, RaggedTensorValue):
        with name_scope(name, "ConvertToTensorOrRaggedTensor"):
            flat = convert_to_tensor(x.flat_values, dtype, name="flat_values")
            with name_scope(None, "RaggedFromNestedRowSplits"):
                for one in reversed(x.nested_row_splits):
                    with name_scope(None, "RaggedFromRowSplits"):
                        flat = rows(flat, convert_to_tensor(one, name="row_splits"))
                return flat
    return convert_to_tensor(x, dtype, name=name, preferred_dtype=hint)


def tried(x: Any) -> None:
    """Make a tensor of an argument, as TensorFlow does to see whether it could be one."""
    if isinstance(x, (list, tuple)):
        convert_to_tensor(x)


def splits_dtype(*xs: Any) -> Any:
    """Return the dtype of the bounds of rows; InvalidArgumentError where there are two."""
    kinds = {x.row_splits.dtype for x in xs if isinstance(x, RaggedTensor)}
    if len(kinds) > 1:
        raise InvalidArgumentError(
            "Input RaggedTensors have mismatched row_splits dtypes; use "
            "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
        )
    return kinds.pop() if kinds else int64


def integers(x: Any, name: str, dtype: Any = int32) -> Any:
    """Return whole numbers as a tensor of a dtype; DTypeError for others."""
    made = convert_to_tensor(x, name=name, preferred_dtype=dtype)
    if not made.dtype.is_integer:
        raise DTypeError(f"{name} must be an integer tensor; dtype={made.dtype}")
    return operator(Cast(dtype), made)


def operator(op: Op, *inputs: Any, name: str | None = None) -> Any:
    """Return the output of an operator, which is called by its name."""
    return in_graph(lambda: call(op, *map(plain, inputs)), op.name, name)


def operators(op: Op, *inputs: Any, name: str | None = None) -> Any:
    """Return the outputs of an operator, which is called by its name."""
    return in_graph(lambda: list(calls(op, *map(plain, inputs))), op.name, name)


def known_size(x: Any, axis: int) -> int | None:
    """Return a size of a tensor, if it is known."""
    dims = plain(x).spec.shape
    size: int | None = None if dims is None else dims[axis]
    return size


_TOLD = "Const Shape Size Rank Range Cast ConcatV2 Pack Fill Equal NotEqual"
"""Operators whose values TensorFlow 1 asks for in Python."""


def known(x: Any) -> Any:
    """Return the value of a tensor as an array, if TensorFlow 1 knows it as it builds a graph."""
    found = plain(x)
    value = found.spec.constant() if _is_told(found) else None
    return None if value is None else np.asarray(value)


def _is_told(x: Any) -> bool:
    if not isinstance(x, SymbolicTensor):
        return True
    op, inputs = x.node.op.name, x.node.inputs
    return op in _TOLD.split() and (op == "Shape" or all(map(_is_told, inputs)))


def rank_of(x: Any) -> int | None:
    """Return how many axes a tensor or a ragged one has, if it is known."""
    if isinstance(x, RaggedTensorValue):
        return len(x.shape)
    rank: int | None = x.get_shape().ndims
    return rank


def axis_of(axis: Any, rank: int | None) -> int:
    """Return an axis counted from the front; InvalidArgumentError for one that is not there."""
    if not isinstance(axis, int):
        raise TypeError(f"axis must be an int; got {type(axis).__name__}")
    if rank is None and axis < 0:
        raise InvalidArgumentError(
            "axis may only be negative if ndims is statically known."
        )
    if rank is not None and not -rank <= axis < rank:
        raise InvalidArgumentError(
            f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}"
        )
    return axis + (rank or 0) if axis < 0 else axis


def count_in(x: Any, dtype: Any = int32) -> Any:
    """Return how many rows there are in a tensor, or in a ragged one."""
    if isinstance(x, RaggedTensor):
        return x.nrows(out_type=dtype)
    return shape(x, out_type=dtype)[0]


def lengths_in(splits: Any) -> Any:
    """Return how long rows are, given their bounds."""
    return splits[1:] - splits[:-1]


def bounds_of(lengths: Any) -> Any:
    """Return the bounds of rows of some lengths."""
    return concat([[0], cumsum(lengths)], axis=-1)


def alike(listed: Sequence[Sequence[Any]]) -> list[Any]:
    """Return checks that bounds of rows are the same; InvalidArgumentError where they cannot be."""
    first, *rest = listed
    text = "Inputs must have identical ragged splits"
    if any(len(one) != len(first) for one in rest):
        raise InvalidArgumentError(text)
    return [
        assert_equal(a, b, message=text)
        for one in rest
        for a, b in zip(first, one, strict=True)
    ]


def numbered(
    starts: Any, limits: Any, deltas: Any, dtype: Any, name: Any = None
) -> Any:
    """Return the numbers from each start up to its limit, as rows."""
    splits, values = operators(RaggedRange(dtype), starts, limits, deltas, name=name)
    return rows(values, splits)


def runs_repeated(params: Any, splits: Any, repeats: Any) -> Any:
    """Return the elements of each row as often as a number, or a number for each row, says."""
    if rank_of(repeats) != 0:
        starts = repeat_along(splits[:-1], repeats, 0)
        limits = repeat_along(splits[1:], repeats, 0)
    else:
        repeated = repeat_along(splits, repeats, 0)
        count = shape(repeated, out_type=repeats.dtype)[0]
        starts, limits = repeated[: count - repeats], repeated[repeats:]
    step = ones([], starts.dtype)
    return gather(params, numbered(starts, limits, step, int64).values)


def segment_ids(splits: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return in which row each value is, given the bounds of rows."""
    with name_scope(name, "RaggedSplitsToSegmentIds"):
        ends = convert_to_tensor(splits, name="splits", preferred_dtype=int64)
        kind = ends.dtype if dtype is None else as_dtype(dtype)
        lengths = lengths_in(ends)
        count = shape(ends, out_type=kind)[-1] - 1
        return repeat_along(counted(count), lengths, 0)
