"""The operators on accumulators' handles, and the state behind those: gradients added up.

Those of sparse gradients are in sparse_accumulator_ops.py, the classes that people use in
accumulators.py and sparse_accumulators.py.
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.deadlock import Want
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.waiting import Cancel, Done, Waiting
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.queues.monitor import (
    LATER,
    Monitor,
    at_least,
    must_fit,
    scalar,
    spec_of,
)
from tensorlite.ops.state.making import Making

__all__: list[str] = []

MEAN, SUM, MEAN_OF_ALL = "MEAN", "SUM", "MEAN_OF_ALL"
_log = logging.getLogger("tensorlite")


class Gathered(Monitor):
    """Gradients of one step added up, however they are stored, and how many there are."""

    def __init__(self, value: TensorSpec, reduction: str, name: str) -> None:
        super().__init__(name, (value,))
        self.value = value
        self.reduction = reduction
        self.step = 0
        """Gradients of earlier steps are stale."""
        self.count = 0
        self.dropped = 0
        """How many gradients came too late."""

    @property
    def title(self) -> str:
        """What messages call this."""
        return f"accumulator {self.name!r}"

    def apply(self, step: int, gradient: Any) -> None:
        """Add a gradient, unless it is stale."""
        self.change("applies", lambda: self._apply(step, gradient))

    def _apply(self, step: int, gradient: Any) -> None:
        if step < self.step:
            self.dropped += 1
        else:
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

    @abstractmethod
    def add(self, gradient: Any) -> None:
        """Add a gradient to those there are, or raise and leave them as they are."""

    @abstractmethod
    def reduced(self) -> Any:
        """Return the sum or the mean, and begin anew."""


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
            total if self.reduction == SUM else total / total.dtype.type(self.count)
        )


class MakesAccumulator(Making, abstract=True):
    """Makes an accumulator of gradients of some spec, whose sum or mean is taken."""

    value: TensorSpec
    reduction_type: str = MEAN
    made: ClassVar[type[Gathered]]

    def inner(self) -> tuple[TensorSpec, ...]:
        """Return the spec of what is added up."""
        return (self.value,)

    def fresh(self, xp: Xp) -> Gathered:
        """Return a new accumulator."""
        return self.made(self.value, self.reduction_type, self.label)


class ConditionalAccumulator(MakesAccumulator):
    """Makes an accumulator of dense gradients."""

    made = DenseSum


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


class AccumulatorNumDropped(Op):
    """The number of gradients that came to an accumulator too late."""

    effect = Effect.READ
    differentiable = False

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return a 0-d int64."""
        return TensorSpec((), dtypes.int64)

    def kernel(self, xp: Xp, state: Gathered) -> Array:
        """Return the number, in host memory."""
        return np.asarray(state.dropped, np.int64)
