"""Frame and Iteration: what there is of a loop while the machine runs it; see frames.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from tensorlite.core.errors import GraphError
from tensorlite.core.opaque import Opaque
from tensorlite.runtime.program import Program, Step


class Iteration:
    """One turn of a frame."""

    __slots__ = (
        "arrived",
        "children",
        "dead",
        "frame",
        "left",
        "missed",
        "number",
        "pending",
        "steps",
        "tag",
        "uses",
        "values",
    )

    def __init__(self, frame: Frame, number: int) -> None:
        self.frame = frame
        self.number = number
        self.tag = (*frame.tag, number)
        """The numbers of this iteration and of those around it: the same on every device."""
        self.steps = frame.program.steps
        self.values = frame.values.copy()
        self.pending = frame.pending.copy()
        self.uses = frame.program.uses.copy()
        self.left = len(self.steps)
        self.dead = set(frame.dead)
        self.missed: dict[int, int] = {}
        """How many inputs of each Merge have arrived dead."""
        self.children: dict[int, Frame] = {}
        self.arrived: dict[int, list[tuple[Step, Any, bool]]] = {}
        """What is there for loops that run at once and wait for more."""


class Frame:
    """One execution of a loop, or of the outermost program."""

    __slots__ = (
        "dead",
        "exited",
        "iterations",
        "oldest",
        "outer",
        "parked",
        "pending",
        "program",
        "tag",
        "values",
    )

    def __init__(self, program: Program, outer: Iteration | None) -> None:
        self.program = program
        self.outer = outer
        self.tag: tuple[int, ...] = () if outer is None else outer.tag
        self.iterations: dict[int, Iteration] = {}
        self.oldest = 0
        self.parked: list[tuple[int, Step, Any]] = []
        self.values = program.values.copy()
        self.pending = program.pending.copy()
        self.dead: set[int] = set()
        self.exited: set[int] = set()

    def opaque(self) -> Iterator[Opaque]:
        """Yield the values in this frame, and in those inside it, that are no arrays."""
        for iteration in self.iterations.values():
            for frame in iteration.children.values():
                yield from frame.opaque()
            yield from [
                value for value in iteration.values if isinstance(value, Opaque)
            ]

    def clear(self) -> None:
        """Let go of all values, and of iterations, which know this frame as it knows them."""
        for iteration in self.iterations.values():
            for frame in iteration.children.values():
                frame.clear()
            iteration.children.clear()
            iteration.arrived.clear()
            iteration.values.clear()
        self.iterations.clear()
        self.parked.clear()
        self.values.clear()


def stuck(roots: Sequence[Iteration]) -> NoReturn:
    """Raise GraphError: the machines of a step are at rest, and some tasks have not run."""
    waiting = [
        task.name
        for root in roots
        for task, pending in zip(root.frame.program.tasks, root.pending, strict=True)
        if pending > 0
    ]
    raise GraphError(
        f"the graph came to rest with tasks that never ran: {', '.join(waiting[:5])}; a value they "
        "wait for never arrives. Is a loop closed with NextIteration, and left by Exit?"
    )
