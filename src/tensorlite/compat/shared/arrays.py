"""Functions that make and rearrange tensors, which TensorFlow 1 and 2 have alike.

Picking, scattering and ordering elements is in picking.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from math import prod
from operator import lt, mul
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.adopting import inner_named
from tensorlite.compat.calling import agreeing, converted, given_constant, named
from tensorlite.compat.shapes import TensorShape, as_shape
from tensorlite.compat.shared.sizes import ends_of, sizes_of
from tensorlite.compat.views import plain, shown
from tensorlite.core import nest
from tensorlite.core.check import integers_of, one_integer, several
from tensorlite.core.dispatch import call, calls, constant
from tensorlite.core.dtypes import (
    DType,
    as_dtype,
    float32,
    float64,
    int32,
    int64,
    string,
)
from tensorlite.core.errors import ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import broadcast
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops import arrange, pieces
from tensorlite.ops.ensure import ensure_shape as ensured
from tensorlite.ops.flows import ShapeN
from tensorlite.ops.identity import IdentityN
from tensorlite.ops.shape import as_shape as shape_tensor, shape_of
from tensorlite.ops.slicing import StridedSlice
from tensorlite.ops.sparse_tensor import SparseTensor


def tensors_of(
    values: Any, dtype: DType | None = None, name: str = "values_{}"
) -> list[Any]:
    """Return values as tensors; those that are none take the dtype of the first that is one.

    They bear a name with the place among them.
    """
    if isinstance(values, Operand):
        return list(tl.unstack(values))
    several(values, "values", "a list or tuple of tensors")
    found = dtype
    if found is None:
        of = [x.__tensor__().dtype for x in values if isinstance(x, Operand)]
        found = of[0] if of else None
    made = [converted(x, found, name.format(i)) for i, x in enumerate(values)]
    return [converted(x, made[0].dtype) if found is None else x for x in made]


@named("Reshape")
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    return tl.reshape(converted(tensor), sizes_of(shape))


@named("transpose")
def transpose(
    a: Any, perm: Any = None, name: str | None = "transpose", conjugate: bool = False
) -> Any:
    x = converted(a)
    if isinstance(perm, np.ndarray):
        perm = perm.tolist()
    moved = tl.transpose(x, perm)
    return tl.conj(moved) if conjugate and x.dtype.is_complex else moved


@named("concat")
def concat(values: Any, axis: Any, name: str | None = "concat") -> Any:
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        return tl.identity(converted(values[0]))
    parts = tensors_of(values)
    if any(x.spec.rank == 0 for x in parts):
        raise ShapeError("Can't concatenate scalars (use tf.stack instead)")
    return tl.concat(parts, axis=axis)


_NUMBERS = (bool, int, float, str, bytes, np.number, np.bool_)


@named("stack")
def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Any:
    if axis or active_graph() is None or isinstance(values, Operand):
        return tl.stack(tensors_of(values), axis=axis)
    several(values, "values", "a list or tuple of tensors")
    if all(isinstance(x, _NUMBERS) for x in values):
        return converted([getattr(x, "tolist", lambda x=x: x)() for x in values])
    return tl.stack(tensors_of(values, name="{}"), axis=axis)


@named("parallel_stack", "ParallelConcat")
def parallel_stack(values: Any, name: str | None = "parallel_stack") -> Any:
    return tl.stack(tensors_of(values))


@named("unstack")
def unstack(
    value: Any, num: int | None = None, axis: int = 0, name: str | None = "unstack"
) -> Any:
    return list(tl.unstack(converted(value), axis=axis, num=num))


def split(
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: int | None = None,
    name: str | None = "split",
) -> Any:
    if active_graph() is not None:
        sizes = num_or_size_splits
        if isinstance(sizes, int):
            given_constant(sizes, int32)  # TensorFlow makes it, and seeds count it
        elif isinstance(sizes, (list, tuple)):
            num_or_size_splits = given_constant(sizes)
    return _split(value, num_or_size_splits, axis, num, name=name)


@named("split")
def _split(
    value: Any,
    parts: Any,
    axis: Any = 0,
    num: int | None = None,
    name: str | None = "split",
) -> Any:
    if isinstance(parts, np.ndarray):
        parts = parts.tolist()
    if isinstance(parts, (list, tuple)):
        computed = any(isinstance(x, Operand) for x in parts)
        parts = tl.stack(tensors_of(parts)) if computed else list(parts)
    if num is not None and isinstance(parts, Operand):
        parts = ensured(parts, (num,))
    return list(tl.split(converted(value), parts, axis))


@named("ExpandDims")
def expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    if isinstance(axis, (list, tuple, np.ndarray)):
        axis = one_integer(axis, "expand_dims: axis")
    return tl.expand_dims(converted(input), axis)


@named("Squeeze")
def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    x = converted(input)
    axes = None if axis is None else integers_of(axis, "squeeze: axis")
    return tl.squeeze(x, axes or None)


@named("Shape")
def shape(input: Any, out_type: Any = int32, name: str | None = None) -> Any:
    wanted = as_dtype(out_type)
    if isinstance(input, SparseTensor):
        return tl.astype(input.dense_shape, wanted)
    return shape_of(converted(input), wanted)


@named("ShapeN")
def shape_n(input: Any, out_type: Any = int32, name: str | None = None) -> Any:
    return list(calls(ShapeN(as_dtype(out_type)), *map(converted, input)))


@named("Size")
def size(input: Any, out_type: Any = int32, name: str | None = None) -> Any:
    if isinstance(input, SparseTensor):
        return tl.astype(tl.prod(input.dense_shape), as_dtype(out_type))
    count = tl.size(converted(input))
    wanted = as_dtype(out_type)
    return count if wanted is int32 else tl.astype(count, wanted)


@named("Rank")
def rank(input: Any, name: str | None = None) -> Any:
    if isinstance(input, SparseTensor):
        return tl.size(input.dense_shape)
    return tl.rank(converted(input))


def _filled(default: str, value: Any) -> Callable[..., Any]:
    @named(default)
    def made(shape: Any, dtype: Any = float32, name: str | None = None) -> Any:
        wanted, sizes = as_dtype(dtype), sizes_of(shape)
        if _is_small(sizes):
            array = np.full([int(n) for n in sizes], _bare(wanted, value))
            return constant(array)
        _ask_how_many(shape)
        is_whole = isinstance(shape, Operand)
        return _all_alike(sizes if is_whole else _listed(sizes), wanted, value)

    return made


def _all_alike(sizes: Any, dtype: DType, value: Any) -> Any:
    """Return a tensor that holds a value throughout, as TensorFlow names what it is made of."""
    return tl.fill(sizes, inner_named(_element(dtype, value), "Const"))


def _listed(sizes: Any) -> Any:
    """Return sizes that were listed as a tensor, as TensorFlow names it."""
    if isinstance(sizes, Operand):
        return inner_named(sizes.__tensor__(), "packed")
    fine = all(type(n) is int and n >= 0 for n in sizes)
    made = _places(sizes, int32) if fine else shape_tensor(sizes)
    return inner_named(made, "shape_as_tensor")


def _ask_how_many(sizes: Any) -> None:
    """Make the nodes by which TensorFlow asks in vain whether there are few elements."""
    listed = sizes if isinstance(sizes, (list, tuple)) else []
    if active_graph() is not None and any(isinstance(x, Operand) for x in listed):
        lt(reduce(mul, shown(list(listed))), _SMALL)


_SMALL = 1000
"""How many elements TensorFlow does not keep in a constant any more."""


def _is_small(sizes: Any) -> bool:
    """Return whether all sizes are known, and those of a tensor that a graph may well hold."""
    known = isinstance(sizes, list) and all(
        isinstance(n, (int, np.integer)) for n in sizes
    )
    return known and min(sizes, default=0) >= 0 and prod(sizes) < _SMALL


def _element(dtype: DType, value: Any) -> Any:
    return constant(_bare(dtype, value))


def _bare(dtype: DType, value: Any) -> np.ndarray[Any, Any]:
    if dtype is string:
        return np.asarray(b"" if not value else b"1", object)
    return np.asarray(value, dtype.numpy)


zeros = _filled("zeros", 0)
ones = _filled("ones", 1)


def _like(
    default: str, function: Callable[..., Any], value: Any
) -> Callable[..., Any]:
    @named(default)
    def made(x: Any, dtype: Any, name: str | None = None) -> Any:
        operand = converted(x)
        wanted = operand.dtype if dtype is None else as_dtype(dtype)
        if active_graph() is None and wanted is not string:
            return function(operand, dtype=wanted)
        sizes = operand.spec.shape
        if not value and sizes is not None and _is_small(list(sizes)):
            return constant(np.full(sizes, _bare(wanted, 0), wanted.numpy))
        if not value and wanted is operand.dtype and wanted is not string:
            return function(operand, dtype=wanted)
        return _all_alike(inner_named(shape_of(operand), "Shape"), wanted, value)

    return made


zeros_like = _like("zeros_like", tl.zeros_like, 0)
ones_like = _like("ones_like", tl.ones_like, 1)


@named("Fill")
def fill(dims: Any, value: Any, name: str | None = None) -> Any:
    return tl.fill(sizes_of(dims), converted(value))


@named("eye", "diag")
def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = float32,
    name: str | None = None,
) -> Any:
    made = tl.eye(num_rows, num_columns, dtype=as_dtype(dtype))
    if batch_shape is None:
        return made
    batch = shape_tensor(sizes_of(batch_shape))
    return tl.broadcast_to(made, tl.concat([batch, shape_of(made)]))


@named("range")
def range(
    start: Any,
    limit: Any = None,
    delta: Any = 1,
    dtype: Any = None,
    name: str | None = "range",
) -> Any:
    if isinstance(start, Operand) or limit is not None:
        ends = [0, start, delta] if limit is None else [start, limit, delta]
    else:
        ends = [0, start, delta]
    wanted = None if dtype is None else as_dtype(dtype)
    if not any(isinstance(x, (Operand, np.ndarray)) for x in ends):
        return tl.arange(*ends, dtype=wanted)
    return tl.arange(*ends_of(ends, wanted), dtype=wanted)


@named("LinSpace")
def linspace(
    start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0
) -> Any:
    first = converted(start)
    if first.dtype.is_integer:
        first = tl.astype(first, float64)
    last = converted(stop, first.dtype)
    if first.ndim == 0 and last.ndim == 0:
        return tl.linspace(first, last, num)
    steps = tl.linspace(0.0, 1.0, num)
    steps = tl.astype(steps, first.dtype)
    rows = tl.reshape(steps, [-1, *[1] * first.ndim])
    return tl.moveaxis(first + rows * (last - first), 0, axis)


@named("Tile")
def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    counts: Any = sizes_of(multiples)
    if isinstance(counts, list) and any(isinstance(n, Operand) for n in counts):
        counts = shape_tensor(counts)
    x = converted(input)
    if isinstance(counts, list):
        is_nested = any(isinstance(n, (list, tuple)) for n in counts)
        if is_nested or x.spec.rank not in (None, len(counts)):
            raise ShapeError(
                f"Tile: {counts} for {x.spec}; give a number for each axis"
            )
    return tl.tile(x, counts)


@named("Slice")
def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Any:
    given = sizes_of(begin), sizes_of(size)
    kinds = [x.__tensor__().dtype for x in given if isinstance(x, Operand)] or [int32]
    first, sizes = [_places(x, kinds[0]) for x in given]
    if first.dtype is not sizes.dtype:
        first, sizes = tl.astype(first, int64), tl.astype(sizes, int64)
    return pieces.sliced(converted(input_), first, sizes)


def _places(given: Any, dtype: DType) -> Any:
    """Return places as a tensor: numbers, which are no tensor yet, of a dtype."""
    are_numbers = isinstance(given, list) and all(type(x) is int for x in given)
    return converted(given, dtype) if are_numbers else shape_tensor(given)


def _bounds(given: Any, name: str) -> Any:
    known = sizes_of(given)
    is_open = isinstance(known, Operand) or any(isinstance(x, Operand) for x in known)
    return shape_tensor(known) if is_open else converted(list(known), int32, name)


@named("StridedSlice")
def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Any:
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    first, last = _bounds(begin, "begin"), _bounds(end, "end")
    steps = tl.ones_like(first) if strides is None else _bounds(strides, "strides")
    return call(StridedSlice(*masks), converted(input_), first, last, steps)


@named("BroadcastTo")
def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    return tl.broadcast_to(converted(input), sizes_of(shape))


@named("BroadcastArgs")
def broadcast_dynamic_shape(
    shape_x: Any, shape_y: Any, name: str | None = None
) -> Any:
    return call(arrange.BroadcastArgs(), *_sizes_alike(shape_x, shape_y))


def _sizes_alike(x: Any, y: Any) -> tuple[Any, Any]:
    """Return shapes as tensors of one dtype; an empty list holds whole numbers, too."""
    if not isinstance(x, Operand) and not isinstance(y, Operand):
        x = converted(x, None if len(x) else int32)
    return agreeing(x, y)


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> Any:
    x, y = (plain(TensorShape(shape)) for shape in (shape_x, shape_y))
    return as_shape(None if x is None or y is None else broadcast(x, y))


@named("ReverseV2")
def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    if isinstance(axis, Operand):
        return call(arrange.ReverseV2(), converted(tensor), axis)
    return tl.flip(converted(tensor), axis=tuple(np.ravel(np.asarray(axis)).tolist()))


@named("Roll")
def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Any:
    return tl.roll(converted(input), shift, axis=axis)


@named("ReverseSequence")
def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Any:
    lengths = converted(seq_lengths)
    return tl.reverse_sequence(converted(input), lengths, seq_axis, batch_axis or 0)


@named("Identity")
def identity(input: Any, name: str | None = None) -> Any:
    if isinstance(input, SparseTensor):
        return SparseTensor(*[tl.identity(x) for x in input])
    if isinstance(input, IndexedSlices):
        rows = tl.identity(input.values), tl.identity(input.indices)
        return IndexedSlices(*rows, input.dense_shape)
    if isinstance(input, nest.Composite):
        parts = [tl.identity(converted(x)) for x in nest.flatten(input)]
        return nest.pack_like(input, parts)
    return tl.identity(converted(input))


@named("IdentityN")
def identity_n(input: Any, name: str | None = None) -> Any:
    return list(calls(IdentityN(), *map(converted, input)))


@named("StopGradient")
def stop_gradient(input: Any, name: str | None = None) -> Any:
    return tl.stop_gradient(converted(input))


@named("PreventGradient")
def prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Any:
    return tl.stop_gradient(converted(input))


@named("GuaranteeConst")
def guarantee_const(input: Any, name: str | None = None) -> Any:
    return tl.identity(converted(input))


@named("EnsureShape")
def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Any:
    return ensured(converted(x), plain(TensorShape(shape)))
