"""Plan: a graph made ready to run, as data. Making one is build.py; running one, the runners.

A plan holds its values in numbered slots: first what is fed, then constants, then what the tasks
compute. It knows no graph and no tensors, and keeps no state of a run, so that several threads
may run it at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NoReturn, TypeAlias

import numpy as np

from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import explained
from tensorlite.core.errors import TensorliteError, note
from tensorlite.core.op import Op, Role
from tensorlite.core.opaque import Opaque, Resource
from tensorlite.core.provenance import UNKNOWN, Line
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.xp import (
    CPU,
    Array,
    Xp,
    device_of,
    is_array,
    on_device,
    to_device,
    to_host,
    xp_for,
)

Arrays = tuple[Array, ...]
Kernel: TypeAlias = Callable[..., Any]
Wrap: TypeAlias = "Callable[[Task, Kernel], Kernel]"
"""Gives what is called in place of a task's kernel."""
ndarray, generic, asarray = np.ndarray, np.generic, np.asarray

CONTROL = frozenset({Role.IF, Role.WHILE, Role.CALL})
"""Roles of operators with inner graphs."""
PRIMITIVE = frozenset(
    {Role.SWITCH, Role.MERGE, Role.ENTER, Role.EXIT, Role.NEXT, Role.LOOP_COND}
)
"""Roles of operators that only the dataflow machine runs."""


@dataclass(frozen=True, slots=True)
class Task:
    """One node: what to call, on which slots, and what to say when it fails."""

    op: Op
    kernel: Kernel
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    after: tuple[int, ...]
    """Positions of the tasks that must have run, beside those that make the inputs."""
    name: str
    line: Line
    device: DeviceName
    frees: tuple[int, ...] = ()
    """Slots that no later task reads."""
    reuse: int | None = None
    """Which input's memory the output may take, when nothing else holds that at run time."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Tasks in an order in which they can run, over numbered slots."""

    name: str
    tasks: tuple[Task, ...]
    feeds: int
    """How many values are fed; they take the first slots."""
    constants: Arrays
    """What the next slots hold before anything has run."""
    fetches: tuple[int, ...]
    specs: tuple[TensorSpec, ...]
    """What is known of the value in each slot."""
    peak_bytes: int = 0
    """The most memory that computed values take at once, as far as sizes are known."""
    device: DeviceName = CPU
    moved: bool = False
    """Whether tasks bring what they need to where they run."""
    prepared: dict[Any, Any] = field(default_factory=dict, repr=False)
    """What runners made of the tasks for themselves, and this plan on other devices."""

    @cached_property
    def rest(self) -> list[Any]:
        """The slots behind the fed ones, as a run finds them."""
        empty = len(self.specs) - self.feeds - len(self.constants)
        return [*self.constants, *[None] * empty]

    @cached_property
    def has_primitives(self) -> bool:
        """Whether this plan needs the dataflow machine."""
        return any(task.op.role in PRIMITIVE for task in self.tasks)

    @cached_property
    def may_wait(self) -> bool:
        """Whether a task may have to wait for others; those of inner plans hold up their thread."""
        return any(task.op.role is Role.ASYNC for task in self.tasks)

    @cached_property
    def has_regions(self) -> bool:
        """Whether a task runs inner plans."""
        return any(task.op.role in CONTROL for task in self.tasks)

    @cached_property
    def is_scattered(self) -> bool:
        """Whether tasks, also of inner plans, ask for a GPU; those of called functions do not."""
        return any(
            task.device.kind not in (None, "CPU")
            or (isinstance(task.kernel, Composite) and task.kernel.is_scattered)
            for task in self.tasks
        )

    def on(self, device: DeviceName) -> Plan:
        """Return this plan for another device, on which tasks run that ask for none themselves."""
        if self.moved or (device == self.device and not self.is_scattered):
            return self
        if device not in self.prepared:
            self.prepared[device] = _moved(self, device)
        moved: Plan = self.prepared[device]
        return moved

    def report(self) -> str:
        """Return what runs and what memory it takes, as text."""
        lines = [
            f"{self.name}: {len(self.tasks)} tasks, at most {self.peak_bytes} bytes at once"
        ]
        for task in self.tasks:
            memory = (
                ""
                if task.reuse is None
                else f", in the memory of {task.inputs[task.reuse]}"
            )
            lines.append(
                f"  {task.outputs} = {task.op!r}{task.inputs}{memory}  # {task.line}"
            )
        return "\n".join(lines)


class Composite(ABC):
    """A kernel that runs inner plans; see structured.py."""

    @abstractmethod
    def __call__(self, xp: Xp, *arrays: Array) -> Arrays:
        """Return the outputs."""

    @abstractmethod
    def on(self, device: DeviceName) -> Composite:
        """Return this kernel for another device."""

    @abstractmethod
    def instrumented(self, key: str, wrap: Wrap) -> Composite:
        """Return this kernel with instrumented inner plans; see instrument.py."""

    @property
    @abstractmethod
    def is_scattered(self) -> bool:
        """Whether the inner plans have tasks that ask for a GPU."""


@dataclass(frozen=True, slots=True)
class Moving:
    """A kernel that takes inputs from wherever they are to where it works."""

    op: Op
    device: DeviceName

    def __call__(self, xp: Xp, *arrays: Array) -> Any:
        """Return the kernel's result, structure being read from host memory.

        A resource stays where it lives, and is worked on there.
        """
        states = [device_of(x) for x in arrays if isinstance(x, Resource)]
        device, host = states[0] if states else self.device, self.op.host
        placed = [
            to_device(x, device)
            if i not in host
            else to_host(x)
            if is_array(x)
            else x
            for i, x in enumerate(arrays)
        ]
        with on_device(device):
            return self.op.kernel(xp_for(device), *placed)


def _moved(plan: Plan, device: DeviceName) -> Plan:
    structure: set[int] = set()
    data: set[int] = set()
    for task in plan.tasks:
        for i, slot in enumerate(task.inputs):
            (structure if i in task.op.host else data).add(slot)
    constants = [
        to_device(x, device) if plan.feeds + i in data - structure else x
        for i, x in enumerate(plan.constants)
    ]
    tasks = [
        replace(
            task,
            kernel=task.kernel.on(device)
            if isinstance(task.kernel, Composite)
            else Moving(task.op, _place(task, device)),
        )
        for task in plan.tasks
    ]
    placed, held = tuple(tasks), tuple(constants)
    return replace(
        plan, tasks=placed, constants=held, device=device, moved=True, prepared={}
    )


def _place(task: Task, otherwise: DeviceName) -> DeviceName:
    if task.device.kind is None:
        return otherwise
    return DeviceName(kind=task.device.kind, index=task.device.index or 0)


def settled(xp: Xp, value: Any) -> Any:
    """Return what a kernel returned as an array: scalars become 0-d arrays here."""
    if isinstance(value, generic):
        return asarray(value)
    if type(value) is tuple:
        (value,) = value
    if type(value) is ndarray or isinstance(value, Opaque) or is_array(value):
        return value
    return xp.asarray(value)


def fail(task: Task, arrays: list[Array], error: Exception) -> NoReturn:
    """Raise `error`, or inference's better one, with a note of the task that failed."""
    better = error
    if not isinstance(error, TensorliteError):
        better = explained(task.op, tuple([EagerTensor(x) for x in arrays]), error)
    made = "" if task.line == UNKNOWN else f", made at {task.line}"
    where = f", on {task.device}" if task.device.kind is not None else ""
    if isinstance(better, TensorliteError) and better.node_name is None:
        better.node_name = task.name
    note(better, f"in node {task.name!r} ({task.op.name}){made}{where}")
    try:
        if better is error:
            raise error
        raise better from error
    finally:
        del better, error  # else their tracebacks hold them, and all arrays
