"""Sparse tensors of graphs, and functions of sparse tensors that both TensorFlows have alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np

import tensorlite as tl
from tensorlite.compat import views
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shapes import as_shape
from tensorlite.core import texts
from tensorlite.core.dtypes import DType, as_dtype, float32, int64, string
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.sessions import chosen_session
from tensorlite.ops import crossing, tensor_bytes
from tensorlite.ops.sparse_tensor import SparseTensor as PlainSparse


class SparseTensorValue(NamedTuple):
    """The value of a sparse tensor: three arrays."""

    indices: Any
    values: Any
    dense_shape: Any


_value_kind: Any = SparseTensorValue
_value_kind.plain_kind = PlainSparse  # taken as tensors are


class SparseTensor(PlainSparse):
    """A sparse tensor of a graph, whose parts programs see."""

    __slots__ = ()
    plain_kind = PlainSparse

    def __new__(cls, indices: Any, values: Any, dense_shape: Any) -> Self:
        if active_graph() is None:
            return super().__new__(cls, indices, values, dense_shape)
        return tuple.__new__(cls, _parts(indices, values, dense_shape))

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> Any:
        if isinstance(sparse_tensor_value, PlainSparse):
            return sparse_tensor_value
        return cls(*sparse_tensor_value)

    def with_values(self, values: Any) -> SparseTensor:
        return type(self)(self.indices, values, self.dense_shape)

    @property
    def dtype(self) -> DType:
        found: DType = self.values.dtype
        return found

    def _seen(self) -> Any:
        """Return the values as programs see them, which are views in a graph."""
        return self.values

    @property
    def op(self) -> Any:
        return self._seen().op

    @property
    def graph(self) -> Any:
        return self._seen().graph

    @property
    def name(self) -> str:
        return str(self._seen().name)

    @property
    def shape(self) -> Any:
        spec = self.dense_shape.__tensor__().spec
        known = spec.constant()
        if known is not None:
            return as_shape(tuple(np.ravel(known).tolist()))
        rank = None if spec.shape is None else spec.shape[0]
        return as_shape(None if rank is None else (None,) * rank)

    def get_shape(self) -> Any:
        return self.shape

    def consumers(self) -> Any:
        return self._seen().consumers()

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        return chosen_session(session, "sparse.eval").run(self, feed_dict)

    def __fetch__(self) -> Any:
        return SparseTensorValue(*self)

    def __feed__(self, value: Any) -> Any:
        return zip(tuple(self)[: len(value)], value, strict=True)

    def __repr__(self) -> str:
        return texts.parts_text("SparseTensor", **self._asdict())


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
    """Return the parts as programs see them: those that are tensors as they are."""
    if all(isinstance(x, Operand) for x in given):
        return [views.shown(x.__tensor__()) for x in given]
    made: list[Any] = _parts_of(*given)
    return made


views.SHOWN_AS[PlainSparse] = SparseTensor


def as_sparse(value: Any) -> Any:
    """Return a sparse tensor, of another one or of a value."""
    return value if isinstance(value, PlainSparse) else PlainSparse(*value)


def _one(default: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of one sparse tensor and a name."""

    @named(default)
    def made(sp_input: Any, name: str | None = None) -> Any:
        return function(as_sparse(sp_input))

    return made


def _two(default: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @named(default)
    def made(sp_a: Any, sp_b: Any, name: str | None = None) -> Any:
        return function(as_sparse(sp_a), as_sparse(sp_b))

    return made


reorder = _one("SparseReorder", tl.sparse.reorder)
softmax = _one("SparseSoftmax", tl.sparse.softmax)
maximum = _two("SparseSparseMaximum", tl.sparse.maximum)
minimum = _two("SparseSparseMinimum", tl.sparse.minimum)


@named("SparseReshape")
def reshape(sp_input: Any, shape: Any, name: str | None = None) -> Any:
    return tl.sparse.reshape(as_sparse(sp_input), converted(shape, int64))


@named("SparseTranspose")
def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> Any:
    return tl.sparse.transpose(as_sparse(sp_input), perm)


@named("SparseToDense")
def to_dense(
    sp_input: Any,
    default_value: Any = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    sp = as_sparse(sp_input)
    value = None if default_value is None else converted(default_value, sp.dtype)
    return tl.sparse.to_dense(sp, value, validate_indices)


@named("SparseToIndicator")
def to_indicator(sp_input: Any, vocab_size: int, name: str | None = None) -> Any:
    return tl.sparse.to_indicator(as_sparse(sp_input), vocab_size)


@named("SparseFillEmptyRows")
def fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> Any:
    sp = as_sparse(sp_input)
    return tl.sparse.fill_empty_rows(sp, converted(default_value, sp.dtype))


@named("SparseSlice")
def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> Any:
    first, sizes = converted(start, int64), converted(size, int64)
    return tl.sparse.slice(as_sparse(sp_input), first, sizes)


@named("SparseRetain")
def retain(sp_input: Any, to_retain: Any, name: str | None = None) -> Any:
    return tl.sparse.retain(as_sparse(sp_input), converted(to_retain))


@named("SparseResetShape")
def reset_shape(sp_input: Any, new_shape: Any = None, name: str | None = None) -> Any:
    shape = None if new_shape is None else converted(new_shape, int64)
    return tl.sparse.reset_shape(as_sparse(sp_input), shape)


@named("SparseTensorDenseMatMul")
def sparse_dense_matmul(
    sp_a: Any,
    b: Any,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Any:
    left, right = (
        x if isinstance(x, PlainSparse) else converted(x) for x in (sp_a, b)
    )
    if isinstance(sp_a, SparseTensorValue):
        left = as_sparse(sp_a)
    return tl.sparse.sparse_dense_matmul(left, right, adjoint_a, adjoint_b)


@named("SparseAdd")
def add(a: Any, b: Any, threshold: Any = 0, name: str | None = None) -> Any:
    x, y = _either(a), _either(b)
    return tl.sparse.add(x, y, threshold)


def _either(x: Any) -> Any:
    is_sparse = isinstance(x, (PlainSparse, SparseTensorValue))
    return as_sparse(x) if is_sparse else converted(x)


@named("SparseConcat")
def concat(
    axis: int,
    sp_inputs: Any,
    expand_nonconcat_dims: bool = False,
    name: str | None = None,
) -> Any:
    parts = [as_sparse(x) for x in sp_inputs]
    if len(parts) == 1:
        return parts[0]
    return tl.sparse.concat(axis, parts, expand_nonconcat_dims)


@named("SparseSplit")
def split(
    sp_input: Any = None,
    num_split: Any = None,
    axis: Any = None,
    name: str | None = None,
) -> Any:
    return tl.sparse.split(as_sparse(sp_input), num_split, axis)


def _reduced(default: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @named(default)
    def made(
        sp_input: Any,
        axis: Any = None,
        keepdims: bool | None = None,
        output_is_sparse: bool = False,
        name: str | None = None,
    ) -> Any:
        found = function(as_sparse(sp_input), axis, bool(keepdims))
        return tl.sparse.from_dense(found) if output_is_sparse else found

    return made


reduce_sum = _reduced("SparseReduceSum", tl.sparse.reduce_sum)
reduce_max = _reduced("SparseReduceMax", tl.sparse.reduce_max)


@named("SparseExpandDims")
def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> Any:
    return tl.sparse.expand_dims(as_sparse(sp_input), -1 if axis is None else axis)


@named("eye")
def eye(
    num_rows: Any,
    num_columns: Any = None,
    dtype: Any = float32,
    name: str | None = None,
) -> Any:
    return tl.sparse.eye(num_rows, num_columns, as_dtype(dtype))


@named("dense_to_sparse")
def from_dense(tensor: Any, name: str | None = None) -> Any:
    return tl.sparse.from_dense(converted(tensor))


@named("SparseMask")
def mask(a: Any, mask_indices: Any, name: str | None = None) -> Any:
    return tl.sparse.mask(a, converted(mask_indices))


@named("SparseToDense")
def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    values = converted(sparse_values)
    value = default_value
    if values.dtype is tl.string and value == 0:
        value = b""
    default = converted(value, values.dtype)
    places, sizes = converted(sparse_indices), converted(output_shape)
    return tl.sparse.sparse_to_dense(places, sizes, values, default, validate_indices)


@named("edit_distance")
def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance"
) -> Any:
    return tl.math.edit_distance(as_sparse(hypothesis), as_sparse(truth), normalize)


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    sparse = [x for x in (*args, *kwargs.values()) if isinstance(x, PlainSparse)]
    if not sparse:
        raise ValueError("No SparseTensor in argument list of map_values")

    def values(x: Any) -> Any:
        return x.values if isinstance(x, PlainSparse) else x

    found = op(*map(values, args), **{key: values(x) for key, x in kwargs.items()})
    return type(sparse[0])(sparse[0].indices, found, sparse[0].dense_shape)


@named("SerializeSparse")
def serialize_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = string
) -> Any:
    _as_strings("serialize_sparse", out_type)
    return tensor_bytes.serialize_sparse(as_sparse(sp_input))


@named("SerializeManySparse")
def serialize_many_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = string
) -> Any:
    _as_strings("serialize_many_sparse", out_type)
    return tensor_bytes.serialize_many_sparse(as_sparse(sp_input))


@named("DeserializeManySparse")
def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: Any = None, name: str | None = None
) -> Any:
    inner = None if rank is None else int(rank)
    return tensor_bytes.deserialize_many_sparse(serialized_sparse, dtype, inner)


def _as_strings(function: str, out_type: Any) -> None:
    if as_dtype(out_type) is not string:
        raise InvalidArgumentError(
            f"{function}: out_type={as_dtype(out_type).name}; allowed is tf.string"
        )


@named("SparseCross")
def cross(inputs: Any, name: str | None = None, separator: str | None = None) -> Any:
    if separator not in (None, "_X_"):
        raise InvalidArgumentError(
            f"sparse.cross: separator={separator!r}; allowed: '_X_'"
        )
    return crossing.sparse_cross(inputs)


@named("SparseCross")
def cross_hashed(
    inputs: Any,
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> Any:
    key = crossing.HASH_KEY if hash_key is None else hash_key
    return crossing.sparse_cross_hashed(inputs, num_buckets, key)
