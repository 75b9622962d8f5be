"""Gradients added up by many, and taken by one when there are enough: dense ones.

Sparse gradients are in sparse_accumulators.py. Source: TensorFlow's ConditionalAccumulator, which
synchronous training with backup workers is made of (OSDI'16, section 4.4).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.deadlock import Want
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import Dims, TensorSpec, check_sizes
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.waiting import Cancel, Done, Waiting
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.fetchable import effect
from tensorlite.ops.monitor import (
    LATER,
    Fetchable,
    Monitor,
    at_least,
    fitting,
    handle_of,
    integer,
    must_fit,
    scalar,
    spec_of,
)

__all__ = ["ConditionalAccumulator"]

MEAN, SUM = "MEAN", "SUM"
_log = logging.getLogger("tensorlite")


class Gathered(Monitor):
    """Gradients of one step added up, however they are stored, and how many there are."""

    def __init__(self, value: TensorSpec, mean: bool, name: str) -> None:
        super().__init__(name, (value,))
        self.value = value
        self.mean = mean
        self.step = 0
        """Gradients of earlier steps are stale."""
        self.count = 0

    @property
    def title(self) -> str:
        """What messages call this."""
        return f"accumulator {self.name!r}"

    def apply(self, step: int, gradient: Any) -> None:
        """Add a gradient, unless it is stale."""
        self.change("applies", lambda: self._apply(step, gradient))

    def _apply(self, step: int, gradient: Any) -> None:
        if step >= self.step:
            self.add(gradient)
            self.count += 1

    def take(self, required: int, done: Done) -> Cancel | None:
        """Begin to take what has been added up, when that is `required` gradients or more."""
        return self.ask("takes", lambda: self._take(required), done)

    def _take(self, required: int) -> Any:
        if self.count < required:
            return LATER
        taken = self.reduced()
        self.count = 0
        self.step += 1
        return taken

    def advance(self, step: int) -> None:
        """Make `step` the one before which gradients are stale."""
        with self.lock:
            before, self.step = self.step, step
        if step < before:
            _log.warning(
                "%s: the global step goes back from %d to %d",
                self.title,
                before,
                step,
            )

    def add(self, gradient: Any) -> None:
        """Add a gradient to those there are, or raise and leave them as they are."""
        raise NotImplementedError

    def reduced(self) -> Any:
        """Return the sum or the mean, and begin anew."""
        raise NotImplementedError


class DenseSum(Gathered):
    """The sum of dense gradients."""

    total: Array = None

    def add(self, gradient: Array) -> None:
        """Add a gradient; ShapeError when its shape is not that of the others."""
        if self.count:
            must_fit(self.title, spec_of(self.total), spec_of(gradient))
            self.total = self.total + gradient
        else:
            self.total = gradient

    def reduced(self) -> Array:
        """Return the sum, or the mean, and begin anew."""
        total, self.total = self.total, None
        return np.asarray(
            total / total.dtype.type(self.count) if self.mean else total
        )


class AccumulatorApplyGradient(Op):
    """Adds a gradient to an accumulator, unless it was computed in too early a step."""

    effect = Effect.WRITE
    differentiable = False
    host = (1,)

    def infer(
        self, handle: TensorSpec, local_step: TensorSpec, gradient: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return nothing; DTypeError or ShapeError when the gradient does not fit."""
        scalar(self, "local_step", local_step)
        must_fit("the accumulator", handle.inner[0], gradient)
        return ()

    def kernel(
        self, xp: Xp, state: DenseSum, local_step: Array, gradient: Array
    ) -> tuple[Array, ...]:
        """Add the gradient."""
        must_fit(state.title, state.value, spec_of(gradient))
        state.apply(int(local_step), gradient)
        return ()


class TakeGradient(Waiting, abstract=True):
    """Takes the sum or mean of gradients, when there are enough of them."""

    effect = Effect.WRITE
    host = (1,)

    def start(
        self, done: Done, state: Gathered, num_required: Array
    ) -> Cancel | None:
        """Begin to take."""
        required = int(num_required)
        at_least(self, "num_required", required, 1)
        return state.take(required, done)

    def waits_for(self, state: Gathered, num_required: Array) -> Want:
        """Return that gradients are waited for."""
        what = f"{int(num_required)} gradients in {state.title} ({state.count} there)"
        return Want(what, "applies to", state.parties["applies"])


class AccumulatorTakeGradient(TakeGradient):
    """The sum or mean of the gradients, when there are enough; the accumulator begins anew."""

    def infer(self, handle: TensorSpec, num_required: TensorSpec) -> TensorSpec:
        """Return the spec of a gradient."""
        scalar(self, "num_required", num_required, 1)
        return handle.inner[0]


class AccumulatorSetGlobalStep(Op):
    """Sets the step before which gradients are stale."""

    effect = Effect.WRITE
    differentiable = False
    host = (1,)

    def infer(
        self, handle: TensorSpec, new_global_step: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        scalar(self, "new_global_step", new_global_step)
        return ()

    def kernel(
        self, xp: Xp, state: Gathered, new_global_step: Array
    ) -> tuple[Array, ...]:
        """Set the step."""
        state.advance(int(new_global_step))
        return ()


class AccumulatorNumAccumulated(Op):
    """The number of gradients in an accumulator."""

    effect = Effect.READ
    differentiable = False

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return a 0-d int32."""
        return TensorSpec((), dtypes.int32)

    def kernel(self, xp: Xp, state: Gathered) -> Array:
        """Return the number, in host memory."""
        return np.asarray(state.count, np.int32)


class ConditionalAccumulatorBase:
    """What accumulators of dense and of sparse gradients have in common."""

    def __init__(
        self,
        dtype: DTypeLike,
        shape: Sequence[int | None] | None,
        name: str,
        reduction_type: str,
        kind: type[Gathered],
    ) -> None:
        self.dtype: DType = as_dtype(dtype)
        if not (self.dtype.is_floating or self.dtype.is_complex):
            raise DTypeError(
                f"{name}: gradients are of floating or complex dtypes, not {self.dtype!r}"
            )
        if reduction_type not in (MEAN, SUM):
            raise InvalidArgumentError(
                f"{name}: reduction_type={reduction_type!r}; allowed are 'MEAN' and 'SUM'"
            )
        self.name = name
        value = TensorSpec(shape, self.dtype)
        check_sizes(value.shape)
        self.shape: Dims | None = value.shape
        self.handle = handle_of(lambda: kind(value, reduction_type == MEAN, name))

    def num_accumulated(self) -> Tensor:
        """Return how many gradients have been added since the last were taken, a 0-d int32.

        >>> sums = tl.queue.ConditionalAccumulator(tl.float32, shape=())
        >>> sums.apply_grad(1.0)
        >>> print(sums.num_accumulated())
        1
        """
        return call(AccumulatorNumAccumulated(), self.handle)

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
    `reduction_type` is "MEAN" or "SUM". Raises DTypeError for a dtype that is not floating or
    complex. Source: TensorFlow's `tf.compat.v1.ConditionalAccumulator`.

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
    ) -> None:
        super().__init__(dtype, shape, name, reduction_type, DenseSum)

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
