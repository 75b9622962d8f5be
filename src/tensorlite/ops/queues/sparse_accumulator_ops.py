"""The operators on handles of accumulators of sparse gradients, and the state behind those.

What they share with dense ones is in accumulator_ops.py, what people use in sparse_accumulators.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import Dims, TensorSpec, merge, shape_text
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.places import in_range, integers
from tensorlite.ops.queues.accumulator_ops import (
    MEAN,
    MEAN_OF_ALL,
    Gathered,
    MakesAccumulator,
    TakeGradient,
)
from tensorlite.ops.queues.monitor import (
    must_fit,
    scalar,
    spec_of,
)

__all__: list[str] = []


class Rows(NamedTuple):
    """Rows of a tensor, each once and in order, and how many gradients had each."""

    places: Array
    values: Array
    counts: Array


class SparseSum(Gathered):
    """The sum of sparse gradients."""

    total: Rows | None = None

    def add(self, gradient: Rows) -> None:
        """Add a gradient; ShapeError when its rows are not shaped as the others'."""
        if self.total is None:
            self.total = gradient
            return
        row = spec_of(self.total.values[:0]).with_shape(
            (None, *self.total.values.shape[1:])
        )
        must_fit(self.title, row, spec_of(gradient.values))
        pairs = zip(self.total, gradient, strict=True)
        self.total = _gathered(*[np.concatenate(pair) for pair in pairs])

    def reduced(self) -> tuple[Array, ...]:
        """Return places, rows and dense shape of the sum or mean, and begin anew.

        The mean of a row is over the gradients that had it, or over all.
        """
        assert self.total is not None
        (places, values, counts), self.total = self.total, None
        if self.reduction == MEAN:
            each = counts.reshape(-1, *[1] * (values.ndim - 1))
            values = values / each.astype(values.dtype)
        elif self.reduction == MEAN_OF_ALL:
            values = values / values.dtype.type(self.count)
        sizes = merge(self.value.shape, (None, *values.shape[1:]))
        shape = [-1 if size is None else size for size in sizes or ()]
        return places, values, np.asarray(shape, np.int64)


def _gathered(places: Array, values: Array, counts: Array) -> Rows:
    """Return rows with those of one place added up, in the order in which they stand."""
    unique, where = np.unique(places, return_inverse=True)
    total = np.zeros((len(unique), *values.shape[1:]), values.dtype)
    np.add.at(total, where, values)
    number = np.zeros(len(unique), np.int64)
    np.add.at(number, where, counts)
    return Rows(unique, total, number)


def _once(places: Array, values: Array) -> Rows:
    """Return the rows of one gradient; a row that it has twice is the sum, of one gradient."""
    rows = _gathered(places.astype(np.int64), values, np.ones(len(places), np.int64))
    return rows._replace(counts=np.ones_like(rows.counts))


class SparseConditionalAccumulator(MakesAccumulator):
    """Makes an accumulator of sparse gradients."""

    made = SparseSum


class SparseAccumulatorApplyGradient(Op):
    """Adds a sparse gradient to an accumulator, unless it was computed in too early a step."""

    effect = Effect.WRITE
    differentiable = False
    host = (1, 2, 4)
    has_known_shape: bool = True

    def infer(
        self,
        handle: TensorSpec,
        local_step: TensorSpec,
        gradient_indices: TensorSpec,
        gradient_values: TensorSpec,
        gradient_shape: TensorSpec,
    ) -> tuple[TensorSpec, ...]:
        """Return nothing; DTypeError or ShapeError when the gradient does not fit."""
        scalar(self, "local_step", local_step)
        integers(self.name, gradient_indices)
        if not gradient_shape.dtype.is_integer or gradient_shape.rank not in (
            1,
            None,
        ):
            raise DTypeError(
                f"{self.name}: the dense shape is {gradient_shape}; allowed are integer vectors"
            )
        _fit_rows(self, handle.inner[0], gradient_indices, gradient_values)
        known = gradient_shape.vector() if self.has_known_shape else None
        if known is not None:
            _fit_shape(self, handle.inner[0].shape, known)
        return ()

    def kernel(
        self,
        xp: Xp,
        state: SparseSum,
        local_step: Array,
        indices: Array,
        values: Array,
        shape: Array,
    ) -> tuple[Array, ...]:
        """Add the gradient."""
        _fit_rows(self, state.value, spec_of(indices), spec_of(values))
        size = None if state.value.shape is None else state.value.shape[0]
        if self.has_known_shape:
            dense = _fit_shape(self, state.value.shape, tuple(shape.tolist()))
            _fit_shape(self, dense, (None, *values.shape[1:]))
            size = dense[0]
        limit = int(indices.max(initial=-1)) + 1 if size is None else size
        in_range(self.name, indices, limit, 0)
        state.apply(int(local_step), _once(indices, values))
        return ()


def _fit_rows(
    op: Op, value: TensorSpec, indices: TensorSpec, values: TensorSpec
) -> None:
    """Raise unless `values` are rows of a tensor such as `value`, one for each index."""
    if indices.rank not in (1, None) or values.rank == 0:
        raise ShapeError(
            f"{op.name}: indices {indices} and values {values}; a sparse gradient has a vector "
            "of indices, and for each a row of values"
        )
    rows = None if value.shape is None else (None, *value.shape[1:])
    must_fit("the accumulator", TensorSpec(rows, value.dtype), values)
    if indices.shape is not None and values.shape is not None:
        number, given = indices.dims[0], values.dims[0]
        if None not in (number, given) and number != given:
            raise ShapeError(
                f"{op.name}: {number} indices for {given} rows of values"
            )


def _fit_shape(op: Op, wanted: Dims | None, given: Dims) -> Dims:
    """Return a dense shape, -1 being unknown, with what is known of the accumulator's."""
    sizes = tuple([None if size in (-1, None) else size for size in given])
    try:
        merged = merge(wanted, sizes)
    except ShapeError:
        raise ShapeError(
            f"{op.name}: the gradient is of a tensor of shape {shape_text(sizes)}, the "
            f"accumulator of one of shape {shape_text(wanted)}"
        ) from None
    assert merged is not None
    return merged


class SparseAccumulatorTakeGradient(TakeGradient):
    """Indices, rows and dense shape of the sum or mean, when there are enough gradients."""

    def infer(
        self, handle: TensorSpec, num_required: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return the specs of indices, values and shape."""
        scalar(self, "num_required", num_required, 1)
        value = handle.inner[0]
        rows = None if value.shape is None else (None, *value.shape[1:])
        return (
            TensorSpec((None,), dtypes.int64),
            TensorSpec(rows, value.dtype),
            TensorSpec((value.rank,), dtypes.int64),
        )
