"""A plan as the dataflow machine wants it: one program per frame, tasks knowing their consumers.

Everything that can be known before a run is found here: in which frame each task runs, for how
many values it waits, and whom it serves. The run itself is in frames.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tensorlite.core.errors import GraphError
from tensorlite.core.op import Effect, Role
from tensorlite.core.xp import Xp
from tensorlite.runtime.memory import is_worth_freeing, size_of
from tensorlite.runtime.plan import Composite, Plan, Task
from tensorlite.runtime.rendezvous import name_of
from tensorlite.runtime.straight import instruction
from tensorlite.runtime.tight import Tight, recognised

SWITCH, MERGE, ENTER, EXIT, NEXT, SEND, RECV, ASYNC = range(8, 16)
FORMS = {
    Role.SWITCH: SWITCH,
    Role.MERGE: MERGE,
    Role.ENTER: ENTER,
    Role.EXIT: EXIT,
    Role.NEXT: NEXT,
    Role.SEND: SEND,
    Role.RECV: RECV,
    Role.ASYNC: ASYNC,
}
HEAVY = 1 << 16
"""Bytes of operands and results from which a kernel may take longer than to wake a thread."""
ROOT = 0

Edge = tuple[int, int]
"""A task and which of its outputs; -1 stands for the task having run."""


class Arrival(NamedTuple):
    """One input of a Merge: which Merge, from which slot, and its position there."""

    merge: int
    slot: int
    position: int


class Step(NamedTuple):
    """A task of a frame: how to call it, and whom it serves. Slots and tasks count per frame."""

    form: int
    kernel: Any
    a: Any
    b: Any
    out: Any
    consumers: tuple[int, ...]
    merges: tuple[Arrival, ...]
    frees: tuple[int, ...]
    heavy: bool
    """Whether the kernel may run for long, so that other devices should run beside it."""


@dataclass(eq=False)
class Program:
    """What runs in a frame, once per iteration."""

    name: str
    parallel: int
    tasks: list[Task] = field(default_factory=list)
    inputs: list[tuple[int, ...]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    """The slots as an iteration finds them: constants are there already."""
    pending: list[int] = field(default_factory=list)
    """For how many arrivals each task waits."""
    uses: list[int] = field(default_factory=list)
    """How many tasks read each slot that is worth freeing."""
    starters: list[int] = field(default_factory=list)
    """Tasks that may be ready as an iteration begins."""
    given: list[Arrival] = field(default_factory=list)
    """Inputs of Merges that are there as an iteration begins."""
    expected: dict[int, int] = field(default_factory=dict)
    """How many inputs of each Merge may arrive dead."""
    exits: list[int] = field(default_factory=list)
    tight: Tight | None = None
    """How this frame is run at once, where that can be; its slots and tasks are this frame's."""


class Whole(NamedTuple):
    """The programs of a plan: the outermost frame's, and where its feeds and fetches lie."""

    root: Program
    feeds: list[int]
    fetches: list[int]


def prepare(plan: Plan, xp: Xp) -> Whole:
    """Return the programs of `plan`; GraphError when a value is used in a frame not its own."""
    return _Preparing(plan, xp).whole()


@dataclass
class _Frame:
    """A frame as the plan's tasks imply it, and the numbering of what is in it."""

    name: str
    parent: int
    children: dict[str, int] = field(default_factory=dict)
    slots: dict[int, int] = field(default_factory=dict)
    tasks: dict[int, int] = field(default_factory=dict)
    parallel: int = 1

    def slot(self, number: int) -> int:
        """Return the number in this frame of a slot of the plan."""
        return self.slots.setdefault(number, len(self.slots))


class _Preparing:
    """The making of one Whole."""

    def __init__(self, plan: Plan, xp: Xp) -> None:
        self.plan = plan
        self.xp = xp
        self.computed = plan.feeds + len(plan.constants)
        self.kept = set(plan.fetches)
        """Slots whose readers are not counted: who fetches, or merges, reads when it likes."""
        for task in plan.tasks:
            self.kept.update(task.inputs if task.op.role is Role.MERGE else ())
        self.maker = {
            slot: (i, k)
            for i, task in enumerate(plan.tasks)
            for k, slot in enumerate(task.outputs)
        }
        self.frames = [_Frame("", ROOT)]
        self.where: list[int] = []
        self.consumers: dict[Edge, list[int]] = {}
        self.merges: dict[Edge, list[Arrival]] = {}

    def whole(self) -> Whole:
        """Return the programs, nested, and the slots that are fed and fetched."""
        for i, task in enumerate(self.plan.tasks):
            self.where.append(self.frame_of(task))
            frame = self.frames[self.where[i]]
            frame.tasks[i] = len(frame.tasks)
        for i, task in enumerate(self.plan.tasks):
            self.frame_after(i)
            self.check_frames(i, task)
        programs = [Program(frame.name, frame.parallel) for frame in self.frames]
        for i, task in enumerate(self.plan.tasks):
            self.connect(i, task, programs[self.where[i]])
        for i, task in enumerate(self.plan.tasks):
            programs[self.where[i]].steps.append(self.step(i, task, programs))
        root = self.frames[ROOT]
        feeds = [root.slot(slot) for slot in range(self.plan.feeds)]
        fetches = [self.fetch(slot) for slot in self.plan.fetches]
        for i, frame in enumerate(self.frames):
            self.finish(frame, programs[i])
            programs[i].tight = None if i == ROOT else self.tight(i, frame)
        return Whole(programs[ROOT], feeds, fetches)

    def tight(self, number: int, frame: _Frame) -> Tight | None:
        """Return how a frame is run at once, by its own slots and tasks; None if it cannot be."""
        tasks = self.plan.tasks
        entering = [
            i
            for i, task in enumerate(tasks)
            if task.op.role is Role.ENTER and self.frame_after(i) == number
        ]
        found = recognised(
            self.plan, entering, list(frame.tasks), self.xp, self.is_heavy
        )
        if found is None:
            return None
        enters = {frame.slots[slot]: place for slot, place in found.enters.items()}
        exits = [(frame.tasks[i], place) for i, place in found.exits]
        return replace(found, enters=enters, exits=exits)

    def frame_of(self, task: Task) -> int:
        """Return the frame that a task runs in, which is that of the first value known."""
        for i in self.makers(task):
            if i < len(self.where):
                return self.frame_after(i)
        return ROOT

    def makers(self, task: Task) -> list[int]:
        """Return the tasks whose values or completion a task waits for."""
        return [
            *[self.maker[s][0] for s in task.inputs if s in self.maker],
            *task.after,
        ]

    def frame_after(self, i: int) -> int:
        """Return the frame that the outputs of a task belong to."""
        here, op = self.where[i], self.plan.tasks[i].op
        if op.role is Role.EXIT:
            return self.frames[here].parent
        if op.role is not Role.ENTER:
            return here
        name, parallel = _frame_attributes(op)
        inside = self.frames[here].children.setdefault(name, len(self.frames))
        if inside == len(self.frames):
            self.frames.append(_Frame(name, here))
        self.frames[inside].parallel = max(1, parallel)
        return inside

    def check_frames(self, i: int, task: Task) -> None:
        """Raise GraphError unless all that a task waits for is of its frame."""
        for maker in self.makers(task):
            if self.frame_after(maker) != self.where[i]:
                source = self.plan.tasks[maker]
                made, used = (
                    self.frames[self.frame_after(maker)],
                    self.frames[self.where[i]],
                )
                raise GraphError(
                    f"{source.name!r} is of frame {made.name!r} and {task.name!r}, made at "
                    f"{task.line}, uses it in frame {used.name!r}; bring it in with Enter, or "
                    "out with Exit"
                )
        fed = [slot for slot in task.inputs if slot < self.plan.feeds]
        if fed and self.where[i] != ROOT:
            raise GraphError(
                f"{task.name!r}, made at {task.line}, uses an input of the graph in frame "
                f"{self.frames[self.where[i]].name!r}; bring it in with Enter"
            )

    def connect(self, i: int, task: Task, program: Program) -> None:
        """Enter a task as consumer of what it waits for, and count that."""
        frame = self.frames[self.where[i]]
        me, role = frame.tasks[i], task.op.role
        waits: set[Edge] = {self.edge(maker, -1) for maker in task.after}
        for position, slot in enumerate(task.inputs):
            arrival = Arrival(me, frame.slot(slot), position)
            if role is not Role.MERGE:
                waits.update(
                    [self.edge(*self.maker[slot])] if slot in self.maker else []
                )
            elif slot in self.maker:
                self.merges.setdefault(self.edge(*self.maker[slot]), []).append(
                    arrival
                )
            else:
                program.given.append(arrival)
        for edge in waits:
            self.consumers.setdefault(edge, []).append(me)
        program.tasks.append(task)
        program.inputs.append(tuple([frame.slot(slot) for slot in task.inputs]))
        program.pending.append(len(waits) + (role is Role.MERGE))
        if role is Role.MERGE:
            turns = [
                self.plan.tasks[self.maker[s][0]]
                for s in task.inputs
                if s in self.maker
            ]
            program.expected[me] = sum(
                source.op.role is not Role.NEXT for source in turns
            )
        elif all(self.is_lasting(maker) for maker, _ in waits):
            program.starters.append(me)
        if role is Role.EXIT:
            program.exits.append(me)

    def edge(self, maker: int, output: int) -> Edge:
        """Return the edge from an output; only those of Switch differ from the task's own."""
        return maker, output if self.plan.tasks[maker].op.role is Role.SWITCH else -1

    def is_lasting(self, maker: int) -> bool:
        """Return whether a task gives its value to all iterations of a loop."""
        op = self.plan.tasks[maker].op
        return op.role is Role.ENTER and bool(getattr(op, "is_constant", False))

    def step(self, i: int, task: Task, programs: list[Program]) -> Step:
        """Return how the machine runs a task."""
        here = self.frames[self.where[i]]
        there = self.frames[self.frame_after(i)]
        form, kernel, a, b, out, _ = instruction(replace(task, reuse=None), self.xp)
        inputs = tuple([here.slot(slot) for slot in task.inputs])
        outputs = tuple([there.slot(slot) for slot in task.outputs])
        if task.op.role in FORMS:
            form = FORMS[task.op.role]
            if form >= SEND:
                kernel, a, b, out = _exchange(task), inputs, None, outputs
            else:
                a, b = inputs[0], inputs[-1]
                out = outputs[0] if form != MERGE else outputs
        elif form >= 4:
            a, out = inputs, outputs if isinstance(out, tuple) else outputs[0]
        else:
            a, b, out = inputs[0], inputs[-1], outputs[0]
        if form == SWITCH:
            out = tuple([self.side(i, k, slot) for k, slot in enumerate(outputs)])
        if form == ENTER:
            kernel, b = programs[self.frame_after(i)], self.is_lasting(i)
        consumers, merges = self.served((i, -1))
        return Step(
            form,
            kernel,
            a,
            b,
            out,
            consumers,
            merges,
            self.freed(task, here),
            form < SWITCH and self.is_heavy(task),
        )

    def is_heavy(self, task: Task) -> bool:
        """Return whether a kernel may run for long, as far as sizes tell."""
        if task.op.role in FORMS:
            return False
        if isinstance(task.kernel, Composite) or task.op.effect is Effect.IO:
            return True
        sizes = [
            size_of(self.plan.specs[slot])
            for slot in (*task.inputs, *task.outputs)
            if self.plan.specs[slot].dtype.kind not in "RV"
        ]
        return None in sizes or sum(filter(None, sizes)) >= HEAVY

    def side(self, i: int, k: int, slot: int) -> tuple[Any, ...]:
        """Return the slot of one output of a Switch, and whom it serves."""
        return (slot, *self.served((i, k)))

    def served(self, edge: Edge) -> tuple[tuple[int, ...], tuple[Arrival, ...]]:
        """Return the tasks that wait for an edge, and the inputs of Merges at its end.

        What sends comes last, to be first taken: others wait for it.
        """
        frame = self.frames[self.frame_after(edge[0])]
        tasks = {mine: self.plan.tasks[i].op.role for i, mine in frame.tasks.items()}
        waiting = self.consumers.get(edge, ())
        return (
            tuple(sorted(waiting, key=lambda one: tasks[one] is Role.SEND)),
            tuple(self.merges.get(edge, ())),
        )

    def freed(self, task: Task, frame: _Frame) -> tuple[int, ...]:
        """Return the slots that a task reads and whose readers are counted."""
        return tuple({frame.slot(s) for s in task.inputs if self.is_counted(s)})

    def is_counted(self, slot: int) -> bool:
        """Return whether the value of a slot is dropped when its last reader has run."""
        if slot < self.computed or slot in self.kept:
            return False
        return is_worth_freeing(self.plan.specs[slot])

    def fetch(self, slot: int) -> int:
        """Return where the outermost frame holds a fetched value."""
        if slot in self.maker and self.frame_after(self.maker[slot][0]) != ROOT:
            task = self.plan.tasks[self.maker[slot][0]]
            raise GraphError(
                f"{task.name!r} lies in a loop; fetch what its Exit brings out"
            )
        return self.frames[ROOT].slot(slot)

    def finish(self, frame: _Frame, program: Program) -> None:
        """Lay out the slots of a frame: constants, and how often each is read."""
        program.values = [None] * len(frame.slots)
        program.uses = [0] * len(frame.slots)
        for slot, local in frame.slots.items():
            if self.plan.feeds <= slot < self.computed:
                program.values[local] = self.plan.constants[slot - self.plan.feeds]
        for step in program.steps:
            for local in step.frees:
                program.uses[local] += 1


def _exchange(task: Task) -> Any:
    """Return what the machine needs of a task that hands over, receives or waits."""
    return task.op if task.op.role is Role.ASYNC else name_of(task.op)


def _frame_attributes(op: Any) -> tuple[str, int]:
    return op.frame_name, op.parallel_iterations
