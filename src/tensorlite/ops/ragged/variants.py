"""Ragged tensors as values of one element each: what lists and loops of TensorFlow hold of them.

Such a value is an array of objects, with one for each row or one for all. Ragged tensors
themselves are in tensor.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp, to_host

__all__: list[str] = []


@dataclass(frozen=True, eq=False)
class Rows:
    """A ragged tensor as one element: the bounds of rows, from outside in, and the values."""

    splits: tuple[Array, ...]
    values: Array

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.splits[0]) - 1 if self.splits else len(self.values)

    def row(self, i: int) -> Rows:
        """Return a row, which has a level less."""
        first, last = i, i + 1
        inner = []
        for level, splits in enumerate(self.splits):
            first, last = int(splits[first]), int(splits[last])
            if level + 1 < len(self.splits):
                inner.append(self.splits[level + 1][first : last + 1])
        kept = tuple([one - one[0] for one in inner])
        return Rows(kept, self.values[first:last] if self.splits else self.values[i])


class RaggedTensorToVariant(Op):
    """A ragged tensor, as bounds of rows and values, made one element, or one for each row."""

    differentiable = False
    batched_input: bool

    def infer(self, *parts: TensorSpec) -> TensorSpec:
        """Return the spec of an element, or of as many as there are rows."""
        if not self.batched_input:
            return TensorSpec((), dtypes.variant)
        outer = parts[0].shape
        size = None if not outer else outer[0]
        less = 1 if len(parts) > 1 else 0
        return TensorSpec((None if size is None else size - less,), dtypes.variant)

    def kernel(self, xp: Xp, *parts: Array) -> Array:
        """Return the elements; InvalidArgumentError for bounds that are none."""
        *splits, values = parts
        whole = Rows(tuple([to_host(one) for one in splits]), values)
        _check(self.name, whole)
        if not self.batched_input:
            return _objects([whole], ())
        return _objects([whole.row(i) for i in range(whole.count)], (whole.count,))


class RaggedTensorFromVariant(Op):
    """The bounds of rows, and the values, of ragged tensors that are the elements of a tensor.

    The axes of that tensor become the outer ones; elements have `input_ragged_rank` levels of
    rows, -1 for what then is left of `output_ragged_rank`.
    """

    differentiable = False
    input_ragged_rank: int
    output_ragged_rank: int
    Tvalues: DType
    Tsplits: DType = dtypes.int64

    def infer(self, encoded: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return vectors of bounds, and values of which nothing is known but their dtype."""
        inner, rank = self.input_ragged_rank, encoded.rank
        if (
            rank is not None
            and inner >= 0
            and inner + rank != self.output_ragged_rank
        ):
            raise ShapeError(
                f"{self.name}: output_ragged_rank={self.output_ragged_rank}; elements of "
                f"{inner} levels in a tensor of rank {rank} make {inner + rank}"
            )
        bounds = [TensorSpec((None,), self.Tsplits)] * self.output_ragged_rank
        return (*bounds, TensorSpec(None, self.Tvalues))

    def kernel(self, xp: Xp, encoded: Array) -> tuple[Array, ...]:
        """Return bounds and values; InvalidArgumentError for elements of other levels."""
        ones = list(_each(encoded))
        depth = self.output_ragged_rank - encoded.ndim
        wrong = [one for one in ones if len(one.splits) != depth]
        if wrong or any(one.values.dtype != self.Tvalues.numpy for one in ones):
            raise InvalidArgumentError(
                f"{self.name}: elements must be of {self.Tvalues.name} in {depth} levels of rows"
            )
        if not encoded.ndim:
            return *[_as(one, self.Tsplits) for one in ones[0].splits], ones[0].values
        outer = [
            _counted(int(np.prod(encoded.shape[: i + 1])), size)
            for i, size in enumerate(encoded.shape[1:])
        ]
        lengths = [one.count if one.values.ndim else 0 for one in ones]
        inner = [_joined([one.splits[i] for one in ones]) for i in range(depth)]
        splits = [*outer, np.cumsum([0, *lengths]), *inner]
        return *[_as(one, self.Tsplits) for one in splits], self._values(xp, ones)

    def _values(self, xp: Xp, ones: Sequence[Rows]) -> Array:
        arrays = [one.values for one in ones]
        return (
            xp.concatenate(arrays) if arrays else xp.zeros((0,), self.Tvalues.numpy)
        )


class RaggedTensorToVariantGradient(Op):
    """The values of ragged tensors that are the elements of a vector, as one tensor of a shape."""

    differentiable = False
    Tvalues: DType

    def infer(
        self, encoded: TensorSpec, splits: TensorSpec, shape: TensorSpec
    ) -> TensorSpec:
        """Return values of the shape."""
        return TensorSpec(shape.vector(), self.Tvalues)

    def kernel(self, xp: Xp, encoded: Array, splits: Array, shape: Array) -> Array:
        """Return the values, one behind the other; zeros where there are no elements."""
        ones = list(_each(encoded))
        sizes = tuple(to_host(shape).tolist())
        if not ones:
            return xp.zeros(sizes, self.Tvalues.numpy)
        # Those of rows that are single elements have no axis of their own.
        pieces = [xp.reshape(one.values, (-1,)) for one in ones]
        return xp.reshape(xp.concatenate(pieces), sizes)


def _objects(ones: Sequence[Rows], shape: tuple[int, ...]) -> Array:
    made = np.empty(len(ones), object)
    for i, one in enumerate(ones):
        made[i] = one
    return made.reshape(shape)


def _each(encoded: Array) -> Iterator[Rows]:
    for one in encoded.ravel().tolist():
        if not isinstance(one, Rows):
            raise InvalidArgumentError(
                f"RaggedTensorFromVariant: an element is {type(one).__name__}, which is no "
                "ragged tensor; it may never have been written"
            )
        yield one


def _check(name: str, whole: Rows) -> None:
    """Raise InvalidArgumentError for bounds that do not rise from 0 to what is there."""
    sizes = [len(one) - 1 for one in whole.splits[1:]]
    size = len(whole.values) if whole.values.ndim else 0
    for splits, due in zip(whole.splits, [*sizes, size], strict=False):
        falls = (
            splits.ndim != 1 or not len(splits) or np.any(splits[1:] < splits[:-1])
        )
        if falls or splits[0] != 0 or splits[-1] != due:
            raise InvalidArgumentError(
                f"{name}: the bounds of rows must rise from 0 to {due}, not {splits[:9]}"
            )


def _counted(rows: int, size: int) -> Array:
    """Return the bounds of rows of one size."""
    return np.arange(rows + 1) * size


def _joined(listed: Sequence[Array]) -> Array:
    """Return bounds of rows, one behind the other."""
    found, end = [np.zeros(1, np.int64)], 0
    for one in listed:
        found.append(one[1:] + end)
        end += int(one[-1])
    return np.concatenate(found)


def _as(splits: Array, dtype: DType) -> Array:
    return splits.astype(dtype.numpy)
