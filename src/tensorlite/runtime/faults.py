"""Faults: steps that run in a drawn order, with transfers delayed and kernels that fail; for tests.

One thread drives all machines of such a step, and every decision is drawn from its seed, so that
the same seed gives the same run. What other threads put into queues comes when it comes. What
fails has not happened: a kernel, and an operator that may wait, fails before it begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import InjectedError, InvalidArgumentError
from tensorlite.core.waiting import Waiting
from tensorlite.core.xp import Array, Xp
from tensorlite.runtime.frames import Machine
from tensorlite.runtime.instrument import instrumented
from tensorlite.runtime.iterations import Iteration
from tensorlite.runtime.plan import Kernel, Plan, Task
from tensorlite.runtime.program import ASYNC
from tensorlite.runtime.rendezvous import Party
from tensorlite.runtime.stage import Stage
from tensorlite.runtime.team import Team, hired

RUSH = 0.2
"""How often, at the least, a machine is left for another although it has work."""


@dataclass(frozen=True)
class Faults:
    """What goes wrong in steps, and how often: probabilities for each time that it could."""

    seed: int
    delay: float
    kernels: float
    transfers: float
    steps: Iterator[int] = field(default_factory=count)

    def team(self) -> Team:
        """Return the team of the next step."""
        return _Unruly(self, Random(f"{self.seed} {next(self.steps)}"))  # noqa: S311


_drawing: ContextVar[_Unruly | None] = ContextVar("drawing", default=None)


@contextmanager
def faults(
    seed: int, *, delay: float = 0.3, kernels: float = 0.0, transfers: float = 0.0
) -> Iterator[Faults]:
    """Run steps inside in an order drawn from `seed`, in which things may go wrong.

    What could run runs in any order, and devices take turns at any time. `delay`, `kernels` and
    `transfers` are the probabilities that a transfer arrives later, that a kernel fails, and
    that a transfer does; what fails raises InjectedError. InvalidArgumentError when one is
    not between 0 and 1. It holds for this thread, and what it runs in copies of its context.

    >>> f = tl.function(lambda x: x + 1.0)
    >>> with tl.debugging.faults(seed=1, kernels=1.0):
    ...     f(tl.ones(2))
    Traceback (most recent call last):
      ...
    tensorlite.core.errors.InjectedError: the kernel of AddV2 was made to fail...
    """
    given: dict[str, object] = {
        "delay": delay,
        "kernels": kernels,
        "transfers": transfers,
    }
    for name, value in given.items():
        if not (isinstance(value, (int, float)) and 0.0 <= value <= 1.0):
            raise InvalidArgumentError(
                f"faults: {name}={value!r}; give a probability, from 0.0 to 1.0"
            )
    if type(seed) is not int:
        raise InvalidArgumentError(f"faults: seed={seed!r}; give a whole number")
    chosen = Faults(seed, delay, kernels, transfers)
    token = hired.set(chosen.team)
    try:
        yield chosen
    finally:
        hired.reset(token)


class _Shuffled(list[Any]):
    """Tasks that are ready: any may come next, and at times it looks as if there were none."""

    def __init__(self, random: Random) -> None:
        super().__init__()
        self.random = random

    def pop(self, index: Any = None) -> Any:
        """Take out any one."""
        i = self.random.randrange(len(self))
        self[i], self[-1] = self[-1], self[i]
        return super().pop()

    def __bool__(self) -> bool:
        return len(self) > 0 and self.random.random() >= RUSH


class _Troubled(Machine):
    """A machine whose tasks come in any order, and whose mail may be late or lost."""

    def __init__(self, plan: Plan, xp: Xp, team: _Unruly, device: DeviceName) -> None:
        super().__init__(plan, xp, team, device)
        self.unruly = team
        self.in_order = False
        self.ready = _Shuffled(team.random)

    def post(self, message: tuple[Iteration | Stage, int, Any, bool]) -> None:
        """Take note of an answer, now, later or never."""
        team, (iteration, task, *_) = self.unruly, message
        if isinstance(iteration, Iteration) and iteration.steps[task].form == ASYNC:
            # Of an operator that waited: other threads, which give it, are not to suffer.
            super().post(message)
            return
        if team.draws(team.faults.transfers):
            raise InjectedError(
                f"the transfer to {self.describe(iteration, task)} was made to fail"
            )
        if team.draws(team.faults.delay):
            team.delayed.append((self, message))
        else:
            super().post(message)


class _Unruly(Team):
    """A team of one thread that does what it draws."""

    def __init__(self, faults: Faults, random: Random) -> None:
        super().__init__()
        self.faults = faults
        self.random = random
        self.delayed: list[
            tuple[_Troubled, tuple[Iteration | Stage, int, Any, bool]]
        ] = []

    def draws(self, probability: float) -> bool:
        """Return whether something happens this time."""
        return probability > 0 and self.random.random() < probability

    def add(self, plan: Plan, xp: Xp, device: DeviceName) -> Machine:
        """Return a machine of this team."""
        if self.faults.kernels:
            plan = instrumented(plan, "faults", _failing)
        machine = _Troubled(plan, xp, self, device)
        self.machines.append(machine)
        return machine

    def run(self, timeout: float | None = None) -> None:
        """Drive all machines until nothing is left to do."""
        token = _drawing.set(self)
        try:
            super().run(timeout)
        finally:
            _drawing.reset(token)

    def wait(self, party: Party, op: Waiting, arrays: Sequence[Array]) -> None:
        """Begin an operator that may wait, unless it fails, which leaves all as it was."""
        if self.draws(self.faults.kernels):
            machine, iteration, task = party
            raise InjectedError(
                f"{machine.describe(iteration, task)} was made to fail"
            )
        super().wait(party, op, arrays)

    def call_for_help(self) -> None:
        """Do without: one thread is enough to be unruly."""

    def _taken(self) -> Machine:
        at = self.random.randrange(len(self.idle_work))
        machine = self.idle_work[at]
        del self.idle_work[at]
        return machine

    def _next(self, until: float | None) -> Machine | None:
        self._deliver()
        return super()._next(until)

    def _deliver(self) -> None:
        """Bring some of the late mail, all of it when there is nothing else to do."""
        while self.delayed and (not self.idle_work or self.draws(0.5)):
            at = self.random.randrange(len(self.delayed))
            machine, message = self.delayed.pop(at)
            Machine.post(machine, message)

    def _interrupts(self, machine: Machine) -> bool:
        self._deliver()
        with self.lock:
            self.idle_work.append(machine)
        return True


def _failing(task: Task, kernel: Kernel) -> Kernel:
    """Return a kernel that fails when the step draws so."""

    def run(xp: Xp, *arrays: Array) -> Any:
        team = _drawing.get()
        if team is not None and team.draws(team.faults.kernels):
            raise InjectedError(f"the kernel of {task.op.name} was made to fail")
        return kernel(xp, *arrays)

    return run
