"""Apart: each replica of a step is a traced function of its own, and a step by itself.

When it is begun, and what becomes of its gradients, asynchronous.py and backup.py say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any

from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import Interpreter, tracer
from tensorlite.core.errors import TracingError
from tensorlite.core.scope import device
from tensorlite.distributed.strategies.base import never_trained
from tensorlite.distributed.strategies.shards import Reduce
from tensorlite.distributed.strategies.steps import (
    Step,
    key_of,
    name_of,
    python_of,
    tensors_of,
)
from tensorlite.function.function import Function, function
from tensorlite.ops.fetchable import Fetchable
from tensorlite.train.optimizers import Optimizer, Pair
from tensorlite.train.replica import replica

if TYPE_CHECKING:
    from tensorlite.distributed.strategies.base import Strategy


class Alone:
    """A replica whose step is traced by itself."""

    def __init__(
        self, apart: Apart, index: int, count: int, place: DeviceName, context: Any
    ) -> None:
        self.apart = apart
        self.context = context
        """What the kind of strategy wants to know of the step."""
        self.index, self.count, self.device = index, count, place
        self.calls = 0
        """How often the step has applied gradients."""
        self.tracer: Interpreter | None = tracer()

    def apply_gradients(
        self, optimizer: Optimizer, pairs: Sequence[Pair]
    ) -> Fetchable:
        """Do with the gradients what is done with those of one replica."""
        if self.apart.alone_only and tracer() is not self.tracer:
            raise TracingError(
                "optimizer.apply_gradients is called inside a branch, a loop or another traced "
                "function of the step: with backup workers, call it in the step itself"
            )
        self.apart.strategy.check_owned(optimizer, pairs)
        self.calls += 1
        self.apart.apply(self, optimizer, list(pairs))
        return None


class Apart(ABC):
    """Runs the replicas of a strategy's steps, each by itself."""

    alone_only = False
    """Whether gradients are to be applied outside of branches."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy
        self.lock = RLock()
        """Steps end on any thread."""
        self._programs: dict[tuple[object, int], Function[..., Any]] = {}

    @abstractmethod
    def run(self, step: Step, batch: tuple[Any, ...], reduce: Reduce) -> Any:
        """Begin a step on a batch, and return its result or a handle of it."""

    @abstractmethod
    def apply(self, here: Alone, optimizer: Optimizer, pairs: list[Pair]) -> None:
        """Do with a replica's gradients what is to be done, in the trace of its step."""

    @abstractmethod
    def join(self) -> None:
        """Wait until all steps that were begun are over."""

    @abstractmethod
    def reset(self) -> None:
        """Forget what steps have left, also on the tasks."""

    def forget(self) -> None:
        """Begin anew with the workers there are now: what was traced for others is forgotten."""
        self.reset()
        self._programs.clear()

    def program(self, step: Step, index: int) -> Function[..., Any]:
        """Return the traced function of a replica."""
        key = key_of(step), index
        known = self._programs.get(key)
        if known is None:

            def program(*given: Any) -> Any:
                return self.taken(step, index, given)

            name = f"{name_of(step)}/replica_{index}"
            known = function(program, autograph=False, name=name)
            self._programs[key] = known
        return known

    def taken(
        self, step: Step, index: int, given: tuple[Any, ...], context: Any = None
    ) -> Any:
        """Return what the step returns for a replica; this is what is traced."""
        place = self.strategy.workers[index]
        here = Alone(self, index, self.strategy.count, place, context)
        call = python_of(step)
        token = replica.set(here)
        try:
            with self.strategy.placing(), device(place):
                result = tensors_of(call(*given))
        finally:
            replica.reset(token)
        if not here.calls:
            raise never_trained(name_of(step))
        return result
