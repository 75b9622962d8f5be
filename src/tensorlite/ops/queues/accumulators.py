"""Gradients added up by many, and taken by one when there are enough: dense ones.

Sparse gradients are in sparse_accumulators.py. Source: TensorFlow's ConditionalAccumulator, which
synchronous training with backup workers is made of (OSDI'16, section 4.4).
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.spec import Dims, TensorSpec, check_sizes
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.fetchable import effect
from tensorlite.ops.queues import accumulator_ops
from tensorlite.ops.queues.accumulator_ops import (
    MEAN,
    MEAN_OF_ALL,
    SUM,
    AccumulatorApplyGradient,
    AccumulatorNumAccumulated,
    AccumulatorNumDropped,
    AccumulatorSetGlobalStep,
    AccumulatorTakeGradient,
    MakesAccumulator,
)
from tensorlite.ops.queues.monitor import (
    Fetchable,
    fitting,
    integer,
)
from tensorlite.ops.state.making import made

__all__ = ["ConditionalAccumulator"]


class ConditionalAccumulatorBase:
    """What accumulators of dense and of sparse gradients have in common."""

    def __init__(
        self,
        dtype: DTypeLike,
        shape: Sequence[int | None] | None,
        name: str,
        reduction_type: str,
        shared_name: str | None,
        making: type[MakesAccumulator],
    ) -> None:
        self.dtype: DType = as_dtype(dtype)
        if not (self.dtype.is_floating or self.dtype.is_complex):
            raise DTypeError(
                f"{name}: gradients are of floating or complex dtypes, not {self.dtype!r}"
            )
        if reduction_type not in (MEAN, SUM, MEAN_OF_ALL):
            raise InvalidArgumentError(
                f"{name}: reduction_type={reduction_type!r}; allowed are 'MEAN', 'SUM' and "
                "'MEAN_OF_ALL'"
            )
        self.name = name
        value = TensorSpec(shape, self.dtype)
        check_sizes(value.shape)
        self.shape: Dims | None = value.shape
        self.handle = made(
            lambda: making(
                value, reduction_type, debug_name=name, shared_name=shared_name or ""
            )
        )

    def num_accumulated(self) -> Tensor:
        """Return how many gradients have been added since the last were taken, a 0-d int32.

        >>> sums = tl.queue.ConditionalAccumulator(tl.float32, shape=())
        >>> sums.apply_grad(1.0)
        >>> print(sums.num_accumulated())
        1
        """
        return call(AccumulatorNumAccumulated(), self.handle)

    def num_dropped(self) -> Tensor:
        """Return how many gradients came too late, since this was made, a 0-d int64.

        >>> sums = tl.queue.ConditionalAccumulator(tl.float32, shape=())
        >>> sums.set_global_step(3)
        >>> sums.apply_grad(1.0, local_step=2)
        >>> print(sums.num_dropped())
        1
        """
        return call(AccumulatorNumDropped(), self.handle)

    def set_global_step(self, new_global_step: TensorLike) -> Fetchable:
        """Set the step: gradients of an earlier `local_step` are dropped from now on.

        Those that have been added stay. A step that goes back is logged as a warning.

        >>> sums = tl.queue.ConditionalAccumulator(tl.float32, shape=())
        >>> sums.set_global_step(3)
        >>> sums.apply_grad(1.0, local_step=2)
        >>> print(sums.num_accumulated())
        0
        """
        step = integer(new_global_step, f"{self.name}: new_global_step")
        return effect(AccumulatorSetGlobalStep(), self.handle, step)

    def _step(self, local_step: TensorLike) -> Tensor:
        return integer(local_step, f"{self.name}: local_step")

    def _number(self, num_required: TensorLike) -> Tensor:
        return integer(num_required, f"{self.name}: num_required")

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"{kind}(name={self.name!r}, dtype={self.dtype!r}, shape={self.shape})"


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Adds up gradients of one step, from many threads or steps, for one to take.

    `shape` may be unknown, wholly or in part; gradients that are added up have one shape.
    `reduction_type` is "MEAN" or "SUM". All accumulators of one `shared_name` on one task are the
    same. Raises DTypeError for a dtype that is not floating or complex. Source: TensorFlow's
    `tf.compat.v1.ConditionalAccumulator`.

    >>> grads = tl.queue.ConditionalAccumulator(tl.float32, shape=(2,))
    >>> grads.apply_grad([1.0, 2.0], local_step=0)
    >>> grads.apply_grad([3.0, 4.0], local_step=0)
    >>> print(grads.take_grad(2))
    [2. 3.]
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: Sequence[int | None] | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = MEAN,
        shared_name: str | None = None,
    ) -> None:
        making = accumulator_ops.ConditionalAccumulator
        super().__init__(dtype, shape, name, reduction_type, shared_name, making)

    def apply_grad(self, grad: TensorLike, local_step: TensorLike = 0) -> Fetchable:
        """Add a gradient, computed in step `local_step`; it is dropped if that is too early.

        Raises DTypeError or ShapeError for a gradient that does not fit. Source: TensorFlow's
        AccumulatorApplyGradient.

        >>> grads = tl.queue.ConditionalAccumulator(tl.float32, shape=())
        >>> grads.apply_grad(1.0)
        >>> grads.apply_grad(3.0)
        >>> print(grads.take_grad(1))
        2.0
        """
        gradient = fitting(grad, self.dtype)
        op = AccumulatorApplyGradient()
        return effect(op, self.handle, self._step(local_step), gradient)

    def take_grad(self, num_required: TensorLike) -> Tensor:
        """Return the mean or sum of all gradients added, when there are `num_required` or more.

        Waits until then. The accumulator begins anew, and its step is one more. Raises
        InvalidArgumentError unless `num_required` is positive. Source: TensorFlow's
        AccumulatorTakeGradient.

        >>> grads = tl.queue.ConditionalAccumulator(tl.float32, (), reduction_type="SUM")
        >>> grads.apply_grad(1.0)
        >>> print(grads.take_grad(1))
        1.0
        >>> grads.apply_grad(5.0, local_step=0)
        >>> print(grads.num_accumulated())
        0
        """
        op = AccumulatorTakeGradient()
        return call(op, self.handle, self._number(num_required))
