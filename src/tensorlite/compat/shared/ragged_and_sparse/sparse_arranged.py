"""Sparse tensors arranged anew: in graphs by the nodes that TensorFlow has, which are many.

What is one operator of sparse tensors is in sparse.py.
"""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.shared import arrays, cutting
from tensorlite.compat.shared.elementwise import (
    add,
    cast,
    greater_equal,
    maximum,
    minimum,
    not_equal,
)
from tensorlite.compat.shared.picking import (
    gather,
    gather_nd,
    places_of,
    select,
    setdiff1d,
)
from tensorlite.compat.shared.ragged_and_sparse.sparse import (
    SparseTensor,
    as_sparse,
    sorted_rows,
    to_dense as _to_dense,
    told,
)
from tensorlite.compat.shared.reductions import reduce_max
from tensorlite.compat.views import in_graph, plain, shown
from tensorlite.core.check import one_of
from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import as_dtype, bool_, float32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.scope import scope
from tensorlite.core.spec import merge
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.arrays.arrange import Size
from tensorlite.ops.sparse import layout as sparse_layout
from tensorlite.ops.sparse.tensor import SparseTensor as PlainSparse


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> Any:
    """Return a sparse tensor of the same elements in another shape; one size may be -1."""
    sp = as_sparse(sp_input)
    if active_graph() is None:
        return tl.sparse.reshape(sp, converted(shape, int64))
    return _reshaped(sp, cast(shape, int64), name=name)


@named("SparseReshape", None)
def _reshaped(sp: Any, wanted: Any, name: str | None = None) -> Any:
    op = sparse_layout.SparseReshape()
    places, sizes = _scopes_own(op, sp.indices, sp.dense_shape, wanted)
    known = told(sizes) if _is_foreseen(plain(wanted)) else None
    shape = sizes if known is None else given_constant(known, int64)
    return SparseTensor(places, arrays.identity(sp.values), shape)


_OF_KNOWN = frozenset({"Cast", "ConcatV2", "Fill", "Pack"})
_KNOWN = frozenset({"Const", "Rank", "Shape", "Size"})


def _is_foreseen(sizes: Any) -> bool:
    """Return whether TensorFlow 1 knows all sizes but one while the graph is made.

    It looks into few operators for that, fewer than inference here does.
    """
    node = sizes.__tensor__().node
    if node.op.name != "Pack":
        return _looked_into(node)
    return sum(not _is_size(x) for x in node.inputs) <= 1


def _is_size(x: Any) -> bool:
    return _looked_into(x.node) and told(x) != [-1]


def _looked_into(node: Any) -> bool:
    if node.op.name in _KNOWN:
        return True
    return node.op.name in _OF_KNOWN and all(
        _looked_into(x.node) for x in node.inputs
    )


def _scopes_own(op: Any, *inputs: Any) -> Any:
    """Return the outputs of an operator whose node bears the name of the scope."""
    return in_graph(
        lambda: calls(op, *plain(inputs)), op.name, f"{scope.get().name}/"
    )


@named("SparseTranspose", None)
def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> Any:
    """Return a sparse tensor with its axes in the order of perm, reversed if that is None."""
    sp = as_sparse(sp_input)
    if active_graph() is None:
        return tl.sparse.transpose(sp, perm)
    order = _reversed_axes(sp) if perm is None else perm
    columns = gather(arrays.transpose(sp.indices, [1, 0]), order)
    places = arrays.transpose(columns, [1, 0])
    places.set_shape(sp.indices.spec.shape)
    known = None if perm is None else told(sp.dense_shape)
    if known is None:
        sizes = gather(sp.dense_shape, order)
        places, values = sorted_rows((places, sp.values, sizes))
        return SparseTensor(places, values, arrays.identity(sizes))
    given_constant(list(perm))
    sizes = [known[i] for i in perm]
    moved = SparseTensor(places, sp.values, sizes)
    places, values = sorted_rows(moved)
    return SparseTensor(places, values, sizes)


def _reversed_axes(sp: Any) -> Any:
    rank = in_graph(lambda: call(Size(), sp.dense_shape), "Rank")
    return (rank - 1) - arrays.range(0, rank, 1)


@named("expand_dims", None)
def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> Any:
    """Return a sparse tensor with an axis of size 1 put in, last unless said."""
    sp, at = as_sparse(sp_input), -1 if axis is None else axis
    if active_graph() is None or sp.rank is None:
        return tl.sparse.expand_dims(sp, at)
    given = given_constant(at, name="axis")
    place = select(greater_equal(given, 0), given, given + sp.rank + 1)
    column = arrays.zeros([arrays.shape(sp.indices)[0], 1], int64)
    before = cutting.slice(sp.indices, [0, 0], [-1, place])
    behind = cutting.slice(sp.indices, [0, place], [-1, -1])
    places = arrays.concat([before, column, behind], 1)
    first = cutting.slice(sp.dense_shape, [0], [place])
    last = cutting.slice(sp.dense_shape, [place], [-1])
    one = given_constant([1], int64, name="new_shape")
    sizes = arrays.concat([first, one, last], 0)
    places.set_shape([None, sp.rank + 1])
    sizes.set_shape([sp.rank + 1])
    return SparseTensor(places, sp.values, sizes)


@named("eye", None)
def eye(
    num_rows: Any,
    num_columns: Any = None,
    dtype: Any = float32,
    name: str | None = None,
) -> Any:
    """Return a sparse matrix with ones on its diagonal."""
    wanted = as_dtype(dtype)
    if active_graph() is None:
        return tl.sparse.eye(num_rows, num_columns, wanted)
    rows = given_constant(num_rows, int64, name="num_rows")
    columns = rows
    if num_columns is not None:
        columns = given_constant(num_columns, int64, name="num_columns")
    count = minimum(rows, columns)
    numbers = arrays.range(0, count, 1, int64)
    places = arrays.stack([numbers, numbers], axis=1)
    return SparseTensor(places, arrays.ones(count, wanted), [rows, columns])


def retain(sp_input: Any, to_retain: Any) -> Any:
    """Return a sparse tensor of those elements for which a vector of booleans is True."""
    sp = as_sparse(sp_input)
    if active_graph() is None:
        return tl.sparse.retain(sp, converted(to_retain))
    kept = given_constant(to_retain, bool_)
    merge(kept.spec.shape, sp.values.spec.shape)
    rows = arrays.reshape(places_of(kept), [-1])
    places, values = gather(sp.indices, rows), gather(sp.values, rows)
    return SparseTensor(places, values, arrays.identity(sp.dense_shape))


def reset_shape(sp_input: Any, new_shape: Any = None) -> Any:
    """Return a sparse tensor of another shape, the least one that holds it if None.

    The shape given must be of the same rank and no smaller.
    """
    sp = as_sparse(sp_input)
    if active_graph() is None:
        wanted = None if new_shape is None else converted(new_shape, int64)
        return tl.sparse.reset_shape(sp, wanted)
    places, values, sizes = [arrays.identity(x) for x in sp]
    if new_shape is None:
        most = reduce_max(places, 0)
        ones = arrays.ones_like(sizes, None)
        least = given_constant(0, int64)
        return SparseTensor(places, values, maximum(least, add(most, ones)))
    wanted = cast(given_constant(new_shape), int64)
    return SparseTensor(places, values, _grown(wanted, sizes, sp))


def _grown(wanted: Any, sizes: Any, sp: Any) -> Any:
    """Return a shape that a sparse tensor fits into."""
    known, before = told(wanted), told(sp.dense_shape)
    if known is not None and before is not None:
        sparse_layout.FittingShape(may_grow=True).check(known, before, ValueError)
        return known
    op = sparse_layout.FittingShape(may_grow=True)
    return in_graph(
        lambda: calls(op, *plain([wanted, sizes]))[0], "control_dependency"
    )


@named("dense_to_sparse", None)
def from_dense(tensor: Any, name: str | None = None) -> Any:
    """Return a sparse tensor of the elements that are not 0, or not empty."""
    x = converted(tensor)
    if active_graph() is None or not x.dtype.is_numeric:
        return tl.sparse.from_dense(x)
    return without(x, 0)


def without(x: Any, value: Any) -> Any:
    """Return a tensor of a graph as a sparse one, which has all that differs from a value."""
    places = places_of(not_equal(x, given_constant(value, x.dtype)))
    return SparseTensor(places, gather_nd(x, places), arrays.shape(x, int64))


def mask(a: Any, mask_indices: Any, name: str | None = None) -> Any:
    """Return slices without those rows whose places are given."""
    if active_graph() is None:
        return tl.sparse.mask(a, converted(mask_indices))
    one_of(a, IndexedSlices, "a", "IndexedSlices")
    return _masked(a, mask_indices, name=name)


@named("sparse_mask", None)
def _masked(a: Any, left_out: Any, name: str | None = None) -> Any:
    found, rows = setdiff1d(a.indices, left_out)
    values = gather(a.values, rows, name=f"{scope.get().name}/")
    return IndexedSlices(values, found, a.dense_shape)


@named("SparseToIndicator", None)
def to_indicator(sp_input: Any, vocab_size: int, name: str | None = None) -> Any:
    """Return booleans [..., vocab_size] that say which numbers rows of a sparse tensor hold."""
    sp = as_sparse(sp_input)
    if active_graph() is None:
        return tl.sparse.to_indicator(sp, vocab_size)
    count = arrays.expand_dims(arrays.shape(sp.indices)[0], 0)
    marks = SparseTensor(sp.indices, arrays.fill(count, True), sp.dense_shape)
    here = f"{scope.get().name}/"
    made = merged([sp], marks, [vocab_size], False, name=here)
    return _to_dense(made, False, name=here)


@named("SparseMerge", None)
def merged(
    ids: Any, values: Any, sizes: Any, is_sorted: bool, name: str | None = None
) -> Any:
    """Return a sparse tensor whose last places are the values of others."""
    if not ids:
        raise InvalidArgumentError("sparse_merge: sp_ids are empty")
    for one in (*ids, values):
        one_of(one, PlainSparse, "sp_ids or sp_values", "SparseTensors")
    first: Any = shown(ids[0])
    columns = [arrays.expand_dims(cast(x.values, int64), 1) for x in ids]
    counts = [cast(n, int64) for n in sizes]
    places = arrays.concat([first.indices[:, :-1], *columns], 1)
    shape = arrays.concat([first.dense_shape[:-1], counts], 0)
    made = SparseTensor(places, values.values, shape)
    if is_sorted:
        return made
    places, kept = sorted_rows(made)
    if (
        active_graph() is not None
    ):  # TensorFlow orders it, and then has its shape again
        SparseTensor(places, kept, told(shape) or arrays.identity(shape))
    return SparseTensor(places, kept, shape)
