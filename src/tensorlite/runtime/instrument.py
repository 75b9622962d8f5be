"""instrumented: a plan whose kernels are called through something else, and else the same.

Timelines, accounts of memory and injected faults are such plans. The runners know nothing of them,
so that a step without them pays nothing; what is done around a kernel stands with who does it.
"""

from __future__ import annotations

from dataclasses import replace

from tensorlite.core.device import DeviceName
from tensorlite.core.op import Role
from tensorlite.core.xp import Array, Xp
from tensorlite.runtime.plan import Arrays, Composite, Plan, Task, Wrap

UNCALLED = frozenset(
    {
        Role.INPUT,
        Role.SWITCH,
        Role.MERGE,
        Role.ENTER,
        Role.EXIT,
        Role.NEXT,
        Role.SEND,
        Role.RECV,
    }
)
"""Roles of operators that the dataflow machine runs itself, without a call of their kernels."""


def instrumented(plan: Plan, key: str, wrap: Wrap) -> Plan:
    """Return `plan` with `wrap(task, kernel)` in place of each task's kernel, in inner plans too.

    What `wrap` returns is called as a kernel is, with (xp, *arrays), on any thread; the task that
    it is given has the device on which it runs. The plan is made once for each `key`, and kept as
    long as the plan is: what belongs to one run has to be found during the call. A plan for
    another device is instrumented when it has been made for that, never before.
    """
    made: Plan | None = plan.prepared.get(key)
    if made is None:
        tasks = tuple([_wrapped(plan, task, key, wrap) for task in plan.tasks])
        made = plan.prepared[key] = replace(plan, tasks=tasks, prepared={})
    return made


def _wrapped(plan: Plan, task: Task, key: str, wrap: Wrap) -> Task:
    if task.op.role in UNCALLED:
        return task
    here = replace(task, device=_place(task.device, plan.device))
    if isinstance(task.kernel, Composite):
        inside = task.kernel.instrumented(key, wrap)
        return replace(here, kernel=_Around(inside, here, wrap))
    return replace(here, kernel=wrap(here, task.kernel))


def _place(asked: DeviceName, otherwise: DeviceName) -> DeviceName:
    """Return the device on which a task runs that asks for `asked`, whole."""
    device = otherwise.merge(asked)
    return device if device.index is not None else replace(device, index=0)


class _Around(Composite):
    """A kernel with inner plans that is called through something else.

    It remembers through what, so that what is done next reaches the inner plans as well.
    """

    def __init__(self, inside: Composite, task: Task, wrap: Wrap) -> None:
        self.inside = inside
        self.task = task
        self.wrap = wrap
        self.kernel = wrap(task, inside)

    def __call__(self, xp: Xp, *arrays: Array) -> Arrays:
        """Return the outputs, called for through what is around."""
        outputs: Arrays = self.kernel(xp, *arrays)
        return outputs

    def on(self, device: DeviceName) -> Composite:
        """Return this kernel for another device."""
        return _Around(self.inside.on(device), self.task, self.wrap)

    def instrumented(self, key: str, wrap: Wrap) -> Composite:
        """Return this kernel with inner plans instrumented once more."""
        return _Around(self.inside.instrumented(key, wrap), self.task, self.wrap)

    @property
    def is_scattered(self) -> bool:
        """Whether the inner plans have tasks that ask for a GPU."""
        return self.inside.is_scattered
