"""Sparse tensors of graphs, and functions of sparse tensors that both TensorFlows have alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np

import tensorlite as tl
from tensorlite.compat import views
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import arrays
from tensorlite.compat.shared.reductions import reduce_max as reduce_max_of
from tensorlite.compat.views import plain
from tensorlite.core import texts
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import (
    DType,
    float32,
    float64,
    int64,
)
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.sessions import PARTS_AS, chosen_session
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.sparse.forms import (
    SparseAdd,
    SparseConcat,
    SparseDenseCwiseDiv,
    SparseDenseCwiseMul,
    SparseFillEmptyRows,
    SparseReorder,
    SparseSlice,
    SparseSoftmax,
    SparseSparseMaximum,
    SparseSparseMinimum,
    SparseSplit,
    SparseTensorDenseAdd,
    SparseTensorDenseMatMul,
)
from tensorlite.ops.sparse.layout import SparseToDense
from tensorlite.ops.sparse.tensor import SparseTensor as PlainSparse, check_parts


class SparseTensorValue(NamedTuple):
    """The value of a sparse tensor: three arrays."""

    indices: Any
    values: Any
    dense_shape: Any


_value_kind: Any = SparseTensorValue
_value_kind.plain_kind = PlainSparse  # taken as tensors are


class _SparseKind(type):
    """Takes for sparse tensors those too that methods of ragged tensors return."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, PlainSparse)


class SparseTensor(PlainSparse, metaclass=_SparseKind):
    """A sparse tensor of a graph, whose parts programs see."""

    __slots__ = ()
    plain_kind = PlainSparse

    def __new__(cls, indices: Any, values: Any, dense_shape: Any) -> Self:
        if active_graph() is None:
            return super().__new__(cls, indices, values, dense_shape)
        parts = _parts(indices, values, dense_shape)
        check_parts(*map(plain, parts))
        return tuple.__new__(cls, parts)

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> Any:
        """Return a sparse tensor as it is, or one of a SparseTensorValue's three parts."""
        if isinstance(sparse_tensor_value, PlainSparse):
            return sparse_tensor_value
        return super().from_value(sparse_tensor_value)

    def with_values(self, values: Any) -> SparseTensor:
        """Return a sparse tensor with other values at the same places."""
        return type(self)(self.indices, values, self.dense_shape)

    def __mul__(self, other: Any) -> Any:
        if active_graph() is None:
            return super().__mul__(other)
        return self.with_values(_scaled(self, other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if active_graph() is None:
            return super().__truediv__(other)
        return self.with_values(_divided(self, other))

    @property
    def dtype(self) -> DType:
        """Dtype of the values."""
        found: DType = self.values.dtype
        return found

    def _seen(self) -> Any:
        """Return the values as programs see them, which are views in a graph."""
        return self.values

    @property
    def op(self) -> Any:
        """Operation that makes the values."""
        return self._seen().op

    @property
    def graph(self) -> Any:
        """Graph that the values belong to."""
        return self._seen().graph

    @property
    def name(self) -> str:
        """Name of the values' tensor."""
        return str(self._seen().name)

    @property
    def shape(self) -> Any:
        """TensorShape of the dense tensor; only some of its sizes, or its rank, may be known."""
        spec = self.dense_shape.__tensor__().spec
        known = spec.vector()
        if known is not None:
            return as_shape(known)
        rank = None if spec.shape is None else spec.shape[0]
        return as_shape(None if rank is None else (None,) * rank)

    def get_shape(self) -> Any:
        """Return the TensorShape of the dense tensor."""
        return self.shape

    def consumers(self) -> Any:
        """Return the operations that take the values."""
        return self._seen().consumers()

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Return a SparseTensorValue of arrays, computed in a session or the default one."""
        return chosen_session(session, "sparse.eval").run(self, feed_dict)

    def __fetch__(self) -> Any:
        return SparseTensorValue(*self)

    def __feed__(self, value: Any) -> Any:
        return zip(tuple(self)[: len(value)], value, strict=True)

    def __repr__(self) -> str:
        return texts.parts_text("SparseTensor", **self._asdict())


PlainSparse.known_as = SparseTensor


@named("SparseTensor")
def _parts_of(
    indices: Any, values: Any, dense_shape: Any, name: str | None = None
) -> Any:
    return [
        converted(indices, int64, "indices"),
        converted(values, None, "values"),
        converted(dense_shape, int64, "dense_shape"),
    ]


def _parts(*given: Any) -> list[Any]:
    """Return the parts as programs see them, in a scope of their own as in TensorFlow."""
    made: list[Any] = _parts_of(*given)
    return made


@named("mul")
def _scaled(sp: Any, other: Any, name: str | None = None) -> Any:
    return composed(SparseDenseCwiseMul(), *sp, converted(other, sp.dtype, "y"))


@named("truediv")
def _divided(sp: Any, other: Any, name: str | None = None) -> Any:
    values, y = sp.values, converted(other, sp.dtype, "y")
    if sp.dtype.is_integer:
        wide = float32 if sp.dtype.itemsize <= 2 else float64
        values, y = tl.astype(values, wide), tl.astype(y, wide)
    return composed(SparseDenseCwiseDiv(), sp.indices, values, sp.dense_shape, y)


def _as_seen(*parts: Any) -> SparseTensor:
    """Return a sparse tensor of parts that programs see, which is not made anew."""
    return tuple.__new__(SparseTensor, parts)


views.SHOWN_AS[PlainSparse] = views.SHOWN_AS[SparseTensor] = _as_seen
PARTS_AS[PlainSparse] = SparseTensorValue


def as_sparse(value: Any) -> Any:
    """Return a sparse tensor, of another one or of a value."""
    return value if isinstance(value, PlainSparse) else PlainSparse(*value)


def _node(kind: Callable[[], Composite], default: str, inner: str = "") -> Any:
    """Return what makes a node of an operator, given its inputs and a name."""

    @named(default, inner)
    def made(parts: Any, *, name: str | None = None) -> Any:
        return composed(kind(), *map(converted, parts))

    return made


def told(shape: Any) -> list[int] | None:
    """Return the sizes of a tensor of a graph, if all of them are known."""
    known = shape.__tensor__().spec.constant()
    return None if known is None else np.ravel(known).tolist()


def _shaped(sp: Any, parts: Any) -> Any:
    """Return a sparse tensor of other parts, of a shape that is told anew where it is known."""
    if active_graph() is None:
        return PlainSparse(*parts)
    indices, values, shape = parts
    return SparseTensor(indices, values, told(sp.dense_shape) or shape)


sorted_rows = _node(SparseReorder, "SparseReorder")
_add = _node(SparseAdd, "SparseAdd")
_slice = _node(SparseSlice, "SparseSlice")
_softmax = _node(SparseSoftmax, "SparseSoftmax", "SparseSoftmax")
_maximum = _node(SparseSparseMaximum, "SparseSparseMaximum")
_minimum = _node(SparseSparseMinimum, "SparseSparseMinimum")
_fill = _node(SparseFillEmptyRows, "SparseFillEmptyRows")
_dense_add = _node(SparseTensorDenseAdd, "SparseTensorDenseAdd")


def reorder(sp_input: Any, name: str | None = None) -> Any:
    """Return a sparse tensor with its places in row-major order."""
    sp = as_sparse(sp_input)
    made = sorted_rows(sp, name=name)
    is_open = active_graph() is not None and told(sp.dense_shape) is None
    shape = arrays.identity(sp.dense_shape) if is_open else sp.dense_shape
    return _shaped(sp, (*made, shape))


def softmax(sp_input: Any, name: str | None = None) -> Any:
    """Return the softmax along the last axis, of what is there alone, as a sparse tensor."""
    sp = as_sparse(sp_input)
    return sp.with_values(_softmax(sp, name=name))


def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> Any:
    """Return the larger of two sparse tensors' elements, 0 where one has none."""
    return _joined(_maximum, sp_a, sp_b, name)


def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> Any:
    """Return the smaller of two sparse tensors' elements, 0 where one has none."""
    return _joined(_minimum, sp_a, sp_b, name)


def _joined(function: Any, sp_a: Any, sp_b: Any, name: str | None) -> Any:
    first, second = as_sparse(sp_a), as_sparse(sp_b)
    made = function((*first, *second), name=name)
    return type(first)(*made, first.dense_shape)


def to_dense(
    sp_input: Any,
    default_value: Any = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """Return a tensor of all elements, `default_value` (0) where a sparse tensor has none.

    With validate_indices=True places must be in order, and each there once.
    """
    if default_value is None:
        default_value = arrays.zeros([], as_sparse(sp_input).values.dtype)
    return _to_dense(sp_input, default_value, validate_indices, name=name)


@named("SparseToDense")
def _to_dense(
    sp_input: Any,
    default_value: Any,
    validate_indices: bool,
    name: str | None = None,
) -> Any:
    sp = as_sparse(sp_input)
    return tl.sparse.to_dense(
        sp, converted(default_value, sp.dtype), validate_indices
    )


@named("SparseFillEmptyRows", None)
def fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> Any:
    """Return a sparse tensor with a value at the begin of empty rows, and which were empty."""
    sp = as_sparse(sp_input)
    value = given_constant(default_value, sp.dtype)
    indices, values, empty, _ = _fill((*sp, value))
    return type(sp)(indices, values, sp.dense_shape), empty


def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> Any:
    """Return the part of a sparse tensor that begins at `start` and has a shape `size`."""
    sp = as_sparse(sp_input)
    first, sizes = given_constant(start, int64), given_constant(size, int64)
    return type(sp)(*_slice((*sp, first, sizes), name=name))


@named("SparseTensorDenseMatMul", "SparseTensorDenseMatMul")
def sparse_dense_matmul(
    sp_a: Any,
    b: Any,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Any:
    """Return the dense product of a sparse and a dense matrix, or of their adjoints."""
    if isinstance(sp_a, (PlainSparse, SparseTensorValue)):
        op = SparseTensorDenseMatMul(adjoint_a, adjoint_b)
        return composed(op, *as_sparse(sp_a), converted(b, None, "b"))
    return tl.sparse.sparse_dense_matmul(converted(sp_a), b, adjoint_a, adjoint_b)


def add(a: Any, b: Any, threshold: Any = 0, name: str | None = None) -> Any:
    """Return the sum of two tensors of which one is sparse at least; sparse if both are.

    Sums of two sparse tensors that are below `threshold` in size are left out.
    """
    if not isinstance(a, (PlainSparse, SparseTensorValue)):
        a, b = b, a
    x = as_sparse(a)
    if not isinstance(b, (PlainSparse, SparseTensorValue)):
        return _dense_add((*x, b), name=name)
    y = as_sparse(b)
    if active_graph() is None:
        return tl.sparse.add(x, y, threshold)
    least = _threshold(threshold, x.values.dtype, name="threshold")
    return _shaped(x, _add((*x, *y, least), name=name))


@named("threshold")
def _threshold(value: Any, dtype: DType, name: str | None = None) -> Any:
    return converted(value, dtype.real_dtype)


def concat(
    axis: int,
    sp_inputs: Any,
    expand_nonconcat_dims: bool = False,
    name: str | None = None,
) -> Any:
    """Return sparse tensors joined along an axis.

    With expand_nonconcat_dims=True other sizes may differ: the largest counts.
    """
    parts = [as_sparse(x) for x in sp_inputs]
    if len(parts) == 1:
        return parts[0]
    if expand_nonconcat_dims and active_graph() is None:
        return tl.sparse.concat(axis, parts, expand_nonconcat_dims=True)
    if expand_nonconcat_dims:
        parts = _expanded(axis, parts)
    listed = [part for every in zip(*parts, strict=True) for part in every]
    places, values, shape = _concat(axis, listed, name=name)
    if active_graph() is not None and told(shape) is not None:
        shape = given_constant(told(shape), int64)
    return type(parts[0])(places, values, shape)


@named("SparseConcat")
def _concat(axis: int, listed: Any, name: str | None = None) -> Any:
    return composed(SparseConcat(axis), *listed)


def _expanded(axis: int, parts: list[Any]) -> list[Any]:
    """Return sparse tensors of a graph as ones that differ in size along an axis only."""
    rows = [arrays.reshape(x.dense_shape, [1, -1]) for x in parts]
    most = reduce_max_of(arrays.concat(rows, 0), 0)
    behind = axis + 1 or None
    widened = []
    for x in parts:
        sizes = [most[:axis], views.shown(x.dense_shape)[axis:behind]]
        sizes.append(most[behind:] if behind else np.zeros(0, np.int64))
        widened.append(x._replace(dense_shape=arrays.concat(sizes, 0)))
    return widened


def split(
    sp_input: Any = None,
    num_split: Any = None,
    axis: Any = None,
    name: str | None = None,
) -> Any:
    """Return a list of num_split sparse tensors, cut along an axis.

    The first ones are longer by one where the size is no multiple.
    """
    given = {"sp_input": sp_input, "num_split": num_split, "axis": axis}
    for key, value in given.items():
        if value is None:
            raise InvalidArgumentError(f"sparse.split: {key} is required")
    sp = as_sparse(sp_input)
    made = _pieces(sp, num_split, axis, name=name)
    return [type(sp)(*made[i::num_split]) for i in range(num_split)]


@named("SparseSplit")
def _pieces(sp: Any, number: int, axis: Any, name: str | None = None) -> Any:
    return composed(SparseSplit(number), converted(axis, int64), *sp)


@named("SparseToDense")
def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """Return a tensor with values at places, and default_value elsewhere.

    `sparse_values` is a vector, or a scalar for all places. With validate_indices=True places must
    be in order, and each there once.
    """
    values = converted(sparse_values)
    value = default_value
    if values.dtype is tl.string and value == 0:
        value = b""
    default = converted(value, values.dtype)
    told = [x for x in (sparse_indices, output_shape) if isinstance(x, Operand)]
    kind = told[0].__tensor__().dtype if told else int64
    places, sizes = [
        converted(x, None if isinstance(x, Operand) else kind, key)
        for x, key in (
            (sparse_indices, "sparse_indices"),
            (output_shape, "output_shape"),
        )
    ]
    if active_graph() is not None and places.dtype is sizes.dtype:
        return call(SparseToDense(validate_indices), places, sizes, values, default)
    return tl.sparse.sparse_to_dense(places, sizes, values, default, validate_indices)


@named("edit_distance")
def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance"
) -> Any:
    """Return the Levenshtein distance of sequences, the last axis of two sparse tensors.

    normalize=True divides by the length of truth.
    """
    return tl.math.edit_distance(as_sparse(hypothesis), as_sparse(truth), normalize)


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return a sparse tensor of what `op` makes of the values of sparse tensors.

    Other arguments are given as they are; ValueError if none is sparse.
    """
    sparse = [x for x in (*args, *kwargs.values()) if isinstance(x, PlainSparse)]
    if not sparse:
        raise ValueError("No SparseTensor in argument list of map_values")

    def values(x: Any) -> Any:
        return x.values if isinstance(x, PlainSparse) else x

    found = op(*map(values, args), **{key: values(x) for key, x in kwargs.items()})
    return type(sparse[0])(sparse[0].indices, found, sparse[0].dense_shape)
