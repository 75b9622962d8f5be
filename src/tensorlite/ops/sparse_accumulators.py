"""Sparse gradients added up by many, and taken by one when there are enough.

What they share with dense ones is in accumulators.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import calls, to_tensor
from tensorlite.core.dtypes import DTypeLike
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import Dims, TensorSpec, merge, shape_text
from tensorlite.core.tensor import IndexedSlices, Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.accumulators import (
    MEAN,
    ConditionalAccumulatorBase,
    Gathered,
    TakeGradient,
)
from tensorlite.ops.fetchable import effect
from tensorlite.ops.monitor import (
    Fetchable,
    fitting,
    must_fit,
    scalar,
    spec_of,
)
from tensorlite.ops.places import in_range, integers

__all__ = ["SparseConditionalAccumulator"]


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

        The mean of a row is over the gradients that had it.
        """
        assert self.total is not None
        (places, values, counts), self.total = self.total, None
        if self.mean:
            each = counts.reshape(-1, *[1] * (values.ndim - 1))
            values = values / each.astype(values.dtype)
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


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Adds up sparse gradients of one step, from many threads or steps, for one to take.

    A row's mean is over the gradients that have the row; a row that one gradient has twice counts
    once, with the sum. What is taken has each row once, in order. Otherwise as
    `ConditionalAccumulator`. Source: TensorFlow's `tf.compat.v1.SparseConditionalAccumulator`.

    >>> grads = tl.queue.SparseConditionalAccumulator(tl.float32, shape=(4, 1))
    >>> grads.apply_grad([0, 2], [[1.0], [2.0]])
    >>> grads.apply_grad([2, 3], [[4.0], [5.0]])
    >>> indices, values, shape = grads.take_grad(2)
    >>> print(indices, values[:, 0], shape)
    [0 2 3] [1. 3. 5.] [4 1]
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: Sequence[int | None] | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = MEAN,
    ) -> None:
        super().__init__(dtype, shape, name, reduction_type, SparseSum)
        if self.shape == ():
            raise ShapeError(f"{name}: shape=() has no rows; give 1 axis or more")

    def apply_grad(
        self,
        grad_indices: TensorLike,
        grad_values: TensorLike,
        grad_shape: Any = None,
        local_step: TensorLike = 0,
    ) -> Fetchable:
        """Add a gradient: `grad_values[i]` belongs at row `grad_indices[i]`.

        `grad_shape`, if given, is the dense shape, -1 for each unknown size. A gradient whose
        `local_step` is too early is dropped. Raises DTypeError or ShapeError for what does not
        fit, OutOfRangeError for a row that is not there. Source: TensorFlow's
        SparseAccumulatorApplyGradient.

        >>> grads = tl.queue.SparseConditionalAccumulator(tl.float32, shape=(4, 1))
        >>> grads.apply_grad([1, 1], [[1.0], [2.0]], grad_shape=[4, 1])
        >>> print(grads.take_grad(1)[1])
        [[3.]]
        """
        op = SparseAccumulatorApplyGradient(grad_shape is not None)
        shape = fitting([] if grad_shape is None else grad_shape, dtypes.int64)
        return effect(
            op,
            self.handle,
            self._step(local_step),
            fitting(grad_indices, dtypes.int64),
            fitting(grad_values, self.dtype),
            shape,
        )

    def apply_indexed_slices_grad(
        self, grad: IndexedSlices, local_step: TensorLike = 0
    ) -> Fetchable:
        """Add a gradient, as `apply_grad` does; DTypeError for what is no IndexedSlices.

        >>> grads = tl.queue.SparseConditionalAccumulator(tl.float32, shape=(4, 1))
        >>> row = tl.IndexedSlices(tl.ones((1, 1)), tl.asarray([2]), (4, 1))
        >>> grads.apply_indexed_slices_grad(row)
        >>> print(grads.num_accumulated())
        1
        """
        if not isinstance(grad, IndexedSlices):
            raise DTypeError(
                f"{self.name}: apply_indexed_slices_grad takes tl.IndexedSlices, not "
                f"{type(grad).__name__}; tl.queue.ConditionalAccumulator takes dense gradients"
            )
        shape = grad.dense_shape
        if not isinstance(shape, Tensor):
            shape = tuple([-1 if size is None else size for size in shape])
        return self.apply_grad(grad.indices, grad.values, shape, local_step)

    def take_grad(self, num_required: TensorLike) -> tuple[Tensor, Tensor, Tensor]:
        """Return indices, values and dense shape of the mean or sum, when there are enough.

        As `ConditionalAccumulator.take_grad`; a size that is not known is -1. Source: TensorFlow's
        SparseAccumulatorTakeGradient.

        >>> grads = tl.queue.SparseConditionalAccumulator(tl.float32)
        >>> grads.apply_grad([7], [[1.0, 2.0]])
        >>> print(*grads.take_grad(1))
        [7] [[1. 2.]] [-1  2]
        """
        op = SparseAccumulatorTakeGradient()
        indices, values, shape = calls(op, self.handle, self._number(num_required))
        return indices, values, shape

    def take_indexed_slices_grad(self, num_required: TensorLike) -> IndexedSlices:
        """Return the mean or sum, when there are `num_required` gradients or more.

        >>> grads = tl.queue.SparseConditionalAccumulator(tl.float32, shape=(3, 2))
        >>> grads.apply_grad([2], [[1.0, 2.0]])
        >>> print(tl.densify(grads.take_indexed_slices_grad(1)))
        [[0. 0.]
         [0. 0.]
         [1. 2.]]
        """
        indices, values, shape = self.take_grad(num_required)
        known = self.shape is not None and None not in self.shape
        dense = tuple(self.shape or ()) if known else to_tensor(shape)
        return IndexedSlices(values, indices, dense)
