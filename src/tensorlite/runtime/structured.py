"""Kernels that run inner plans as Python branches, loops and calls.

With them an operator that has inner graphs is a task like any other, on every runner.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tensorlite.core.device import DeviceName
from tensorlite.core.op import Role
from tensorlite.core.xp import CPU, Array, Xp
from tensorlite.runtime import frames, straight
from tensorlite.runtime.cancel import asked, heed
from tensorlite.runtime.instrument import instrumented
from tensorlite.runtime.plan import Arrays, Composite, Plan, Wrap
from tensorlite.runtime.turn import Turn, of_plans


@dataclass(frozen=True, slots=True, eq=False)
class Branch(Composite):
    """Runs the first plan if the condition holds, else the second."""

    then: Plan
    otherwise: Plan

    def __call__(self, xp: Xp, pred: Array, *arrays: Array) -> Arrays:
        """Return what the chosen plan gives for `arrays`."""
        return run(self.then if pred else self.otherwise, xp, arrays)

    def on(self, device: DeviceName) -> Branch:
        """Return this kernel for another device."""
        return Branch(self.then.on(device), self.otherwise.on(device))

    def instrumented(self, key: str, wrap: Wrap) -> Branch:
        """Return this kernel with both plans instrumented."""
        return Branch(
            instrumented(self.then, key, wrap),
            instrumented(self.otherwise, key, wrap),
        )

    @property
    def is_scattered(self) -> bool:
        """Whether either plan has tasks that ask for a GPU."""
        return self.then.is_scattered or self.otherwise.is_scattered


@dataclass(frozen=True, slots=True, eq=False)
class Loop(Composite):
    """Runs the second plan over its own results as long as the first gives true."""

    cond: Plan
    body: Plan
    turn: list[Turn] = field(default_factory=list)
    """Both plans as one, made when first it runs."""

    def __call__(self, xp: Xp, *state: Array) -> Arrays:
        """Return the loop variables after the last turn."""
        if self.cond.has_primitives or self.body.has_primitives:
            while run(self.cond, xp, state)[0]:
                state = run(self.body, xp, state)
                if asked:
                    heed()
            return state
        if not self.turn:
            self.turn.append(Turn(of_plans(self.cond, self.body), xp))
        return self.turn[0].repeated(xp, state)

    def on(self, device: DeviceName) -> Loop:
        """Return this kernel for another device."""
        return Loop(self.cond.on(device), self.body.on(device))

    def instrumented(self, key: str, wrap: Wrap) -> Loop:
        """Return this kernel with both plans instrumented."""
        return Loop(
            instrumented(self.cond, key, wrap), instrumented(self.body, key, wrap)
        )

    @property
    def is_scattered(self) -> bool:
        """Whether either plan has tasks that ask for a GPU."""
        return self.cond.is_scattered or self.body.is_scattered


@dataclass(slots=True, eq=False)
class Invocation(Composite):
    """Runs the plan of a called function, which may be one that contains this very call."""

    find: Callable[[], Plan]
    device: DeviceName | None = None
    wraps: tuple[tuple[str, Wrap], ...] = ()

    def __call__(self, xp: Xp, *arrays: Array) -> Arrays:
        """Return what the called plan gives for `arrays`."""
        plan = self.find()
        if self.device is not None or plan.is_scattered:
            plan = plan.on(self.device or CPU)
        for key, wrap in self.wraps:
            plan = instrumented(plan, key, wrap)
        return run(plan, xp, arrays)

    def on(self, device: DeviceName) -> Invocation:
        """Return this kernel for another device."""
        return Invocation(self.find, device, self.wraps)

    def instrumented(self, key: str, wrap: Wrap) -> Invocation:
        """Return this kernel, which instruments the called plan when it runs."""
        return Invocation(self.find, self.device, (*self.wraps, (key, wrap)))

    @property
    def is_scattered(self) -> bool:
        """Say no: the called plan, which may be the calling one, is asked when it runs."""
        return False


def run(plan: Plan, xp: Xp, arrays: Arrays) -> Arrays:
    """Return what `plan` gives for `arrays`, on the runner that it needs."""
    return (
        frames.run(plan, xp, arrays)
        if plan.has_primitives
        else straight.run(plan, xp, arrays)
    )


def composite(role: Role, plans: Sequence[Callable[[], Plan]]) -> Composite:
    """Return the kernel of an operator with inner graphs, given what makes their plans."""
    if role is Role.CALL:
        return Invocation(plans[0])
    first, second = [make() for make in plans]
    return Branch(first, second) if role is Role.IF else Loop(first, second)


def inner_peak(kernel: Any) -> int:
    """Return the most bytes that the inner plans of a kernel take at once."""
    if isinstance(kernel, Branch):
        return max(kernel.then.peak_bytes, kernel.otherwise.peak_bytes)
    if isinstance(kernel, Loop):
        return max(kernel.cond.peak_bytes, kernel.body.peak_bytes)
    return 0
