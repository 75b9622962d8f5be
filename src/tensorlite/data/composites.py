"""Sparse and ragged tensors as elements of datasets: their rows, and what batches of them are.

What is made of tensors is in elements.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType, DTypeLike, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.shapes import TensorShape
from tensorlite.core.spec import Dims, TensorSpec
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.xp import CPU, to_host
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.ragged.arrange import stack
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.ragged.making import from_tensor
from tensorlite.ops.ragged.tensor import RaggedTensor, ragged_spec
from tensorlite.ops.sparse.tensor import SparseTensor, sparse_spec

COMPOSITES = (SparseTensor, RaggedParts)


class RaggedRow(TensorSpec):
    """The spec of rows of a ragged tensor that are tensors: batches of them are ragged again."""

    __slots__ = ("row_splits_dtype",)

    ragged_rank = 0

    def __init__(
        self,
        shape: Sequence[int | None] | None,
        dtype: DTypeLike,
        row_splits_dtype: DType = int64,
    ) -> None:
        super().__init__(shape, dtype)
        self.row_splits_dtype = row_splits_dtype

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RaggedRow)
            and self._compared() == other._compared()
            and self.row_splits_dtype == other.row_splits_dtype
        )

    __hash__ = TensorSpec.__hash__

    def __repr__(self) -> str:
        return (
            f"RaggedTensorSpec({TensorShape(self.shape)!r}, tf.{self.dtype.name}, 0, "
            f"tf.{self.row_splits_dtype.name})"
        )

    __str__ = __repr__


def has_ragged(structure: Any) -> bool:
    """Return whether there are ragged tensors in a structure."""
    return any(isinstance(leaf, RaggedParts) for leaf in leaves(structure))


def leaves(structure: Any) -> list[Any]:
    """Return the tensors of a structure; what is made of several stays one."""
    if isinstance(structure, COMPOSITES) or not nest.is_nested(structure):
        return [structure]
    return [leaf for member in nest.children(structure) for leaf in leaves(member)]


def each(change: Callable[[Any], Any], structure: Any) -> Any:
    """Return a structure with something made of each tensor; what is made of several stays one."""
    if isinstance(structure, COMPOSITES) or not nest.is_nested(structure):
        return change(structure)
    members = [each(change, member) for member in nest.children(structure)]
    return nest.rebuild(structure, members)


def packed(structure: Any, rows: list[Any]) -> Any:
    """Return a structure with rows for its tensors."""
    source = iter(rows)
    return each(lambda _: next(source), structure)


def structure_of(x: Any) -> Any:
    """Return what is known of the tensors of which something is made, in its structure.

    Of a sparse tensor that is as many of its sizes as are known.
    """
    if isinstance(x, SparseTensor):
        return sparse_spec(x.dtype, TensorShape(x.get_shape()).known())
    return nest.map_structure(lambda leaf: leaf.spec.without_value(), x)


def row_count(leaf: Any) -> int | None:
    """Return how many rows a tensor has, None if it has no axes."""
    if isinstance(leaf, RaggedParts):
        return int(leaf.nrows().item())
    return leaf.shape[0] if len(leaf.shape) else None


def row_reader(leaf: Any) -> Callable[[int], Any]:
    """Return a function that returns a row of a sparse or ragged tensor."""
    if isinstance(leaf, RaggedParts):
        bounds = leaf.row_splits.numpy().tolist()
        return lambda i: leaf.values[bounds[i] : bounds[i + 1]]
    places, values = leaf.indices.numpy(), leaf.values.numpy()
    sizes = leaf.dense_shape.numpy()[1:]

    def row(i: int) -> SparseTensor:
        first, last = np.searchsorted(places[:, 0], [i, i + 1])
        return SparseTensor(places[first:last, 1:], values[first:last], sizes)

    return row


def row_spec(spec: Any) -> Any:
    """Return the spec of a row of a sparse or ragged tensor."""
    if isinstance(spec, RaggedParts):
        row = _with_rows(spec.values, spec.uniform_row_length)
        if isinstance(row, RaggedParts):
            return row
        return RaggedRow(row.shape, row.dtype, spec.row_splits.dtype)
    sizes = spec.get_shape().known()
    return sparse_spec(spec.dtype, None if sizes is None else sizes[1:])


def _with_rows(spec: Any, rows: int | None) -> Any:
    if isinstance(spec, RaggedParts):
        count = None if rows is None else rows + 1
        values = _with_rows(spec.values, None)
        return type(spec)(values, spec.row_splits.with_shape((count,)))
    return spec.with_shape(None if spec.shape is None else (rows, *spec.shape[1:]))


def _length(spec: TensorSpec) -> int | None:
    """Return how long the rows of a ragged tensor all are, where that is known."""
    return spec.shape[0] if spec.shape else None


def batch_spec(spec: Any, rows: int | None, dtype: DType = int64) -> Any:
    """Return the spec of a batch of ragged tensors, or of tensors whose sizes differ."""
    kind = spec.row_splits.dtype if isinstance(spec, RaggedParts) else dtype
    splits = TensorSpec((None if rows is None else rows + 1,), kind)
    if isinstance(spec, RaggedParts):
        return RaggedTensor.of(_with_rows(spec, None), splits)
    whole = spec.shape
    deepest = ragged_axes(spec)
    if deepest:
        flat = spec.with_shape((None, *whole[deepest + 1 :]))
        return ragged_spec((rows, *whole), flat, deepest + 1, kind)
    made = spec.with_shape(None if whole is None else (None, *whole[1:]))
    return RaggedTensor.of(
        made, splits, _length(spec) if isinstance(spec, RaggedRow) else None
    )


def ragged_axes(spec: Any) -> int:
    """Return up to which axis tensors of a spec are split into rows, where sizes are not known."""
    return max([i for i, n in enumerate(spec.shape or ()) if n is None], default=0)


def gathered_rows(rows: Sequence[Any], spec: RaggedRow) -> Any:
    """Return rows of a ragged tensor as one ragged tensor of its kind."""
    arrays = [row.numpy() for row in rows]
    bounds = np.cumsum([0, *map(len, arrays)]).astype(spec.row_splits_dtype.numpy)
    values = EagerTensor(np.concatenate(arrays), CPU)
    return RaggedTensor.of(values, to_tensor(bounds), _length(spec))


def ragged_column(group: list[Any], spec: Any = None) -> Any:
    """Return ragged tensors, or tensors whose sizes differ, as one ragged tensor.

    With the spec of tensors, they are split into rows up to the last axis of unknown size.
    """
    if isinstance(spec, TensorSpec) and spec.shape:
        if deepest := ragged_axes(spec):
            return stack(
                [from_tensor(RaggedTensor, x, ragged_rank=deepest) for x in group]
            )
        rows = [to_tensor(x) for x in group]
        lengths = [x.shape[0] for x in rows]
        return RaggedTensor.from_row_lengths(concat(rows), to_tensor(lengths, int64))
    return stack([x if isinstance(x, RaggedParts) else to_tensor(x) for x in group])


def sparse_rows(rows: Sequence[Any], sizes: Dims) -> SparseTensor:
    """Return tensors as the rows of a sparse one, whose rows have these sizes."""
    arrays = [to_host(to_tensor(row).array) for row in rows]
    if any(array.ndim != len(sizes) for array in arrays):
        raise InvalidArgumentError(
            f"sparse_batch: elements of shapes {sorted({x.shape for x in arrays})}; row_shape "
            f"gives {len(sizes)} axes"
        )
    longest = np.max([array.shape for array in arrays], axis=0).tolist()
    whole = [most if n is None else n for n, most in zip(sizes, longest, strict=True)]
    if any(most > size for most, size in zip(longest, whole, strict=True)):
        raise InvalidArgumentError(
            f"sparse_batch: an element of {longest} does not fit row_shape {whole}; allowed are "
            "None or -1 for sizes that differ"
        )
    places = [
        np.insert(np.argwhere(np.ones(x.shape, bool)), 0, i, axis=1)
        for i, x in enumerate(arrays)
    ]
    return SparseTensor(
        np.concatenate(places).astype(np.int64),
        np.concatenate([array.ravel() for array in arrays]),
        np.asarray([len(arrays), *whole], np.int64),
    )


def sparse_rows_spec(spec: Any, sizes: Dims) -> Any:
    """Return the spec of a batch of tensors as the rows of a sparse one."""
    return sparse_spec(spec.dtype, (None, *sizes))
