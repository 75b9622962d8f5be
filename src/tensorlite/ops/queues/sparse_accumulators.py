"""Sparse gradients added up by many, and taken by one when there are enough.

What they share with dense ones is in accumulators.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.core import dtypes
from tensorlite.core.dispatch import calls, to_tensor
from tensorlite.core.dtypes import DTypeLike
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.tensor import IndexedSlices, Tensor, TensorLike
from tensorlite.ops.fetchable import effect
from tensorlite.ops.queues import sparse_accumulator_ops
from tensorlite.ops.queues.accumulator_ops import MEAN
from tensorlite.ops.queues.accumulators import ConditionalAccumulatorBase
from tensorlite.ops.queues.monitor import (
    Fetchable,
    fitting,
)
from tensorlite.ops.queues.sparse_accumulator_ops import (
    SparseAccumulatorApplyGradient,
    SparseAccumulatorTakeGradient,
)

__all__ = ["SparseConditionalAccumulator"]


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Adds up sparse gradients of one step, from many threads or steps, for one to take.

    A row's mean is over the gradients that have the row, or, by the reduction type "MEAN_OF_ALL",
    over all; a row that one gradient has twice counts once, with the sum. What is taken has each
    row once, in order. Otherwise as `ConditionalAccumulator`. Source: TensorFlow's
    `tf.compat.v1.SparseConditionalAccumulator`.

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
        shared_name: str | None = None,
    ) -> None:
        making = sparse_accumulator_ops.SparseConditionalAccumulator
        super().__init__(dtype, shape, name, reduction_type, shared_name, making)
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
        fit, PlaceError for a row that is not there. Source: TensorFlow's
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
        shape = () if grad.dense_shape is None else grad.dense_shape
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
