"""The dataflow machine: runs plans with Switch, Merge, Enter, Exit and NextIteration.

It is the machine of TensorFlow's control-flow paper (EuroSys'18). What there is during a run:

Frame      one execution of a loop (and one for the outermost program): its program; the iteration
           `outer` that it was entered from; the iterations under way by number; `oldest`, the
           first that is not over; tokens `parked` for iterations too far ahead of that, which is
           how `parallel_iterations` is kept; and the constants that every iteration begins with.
Iteration  one turn: `values` by slot; `pending`, for how many arrivals each task still waits;
           `dead`, the tasks that something dead has reached; and `left`, how many tasks have not
           run. Every task of an iteration runs exactly once, or is skipped once if it is dead,
           so that the iteration is over when none is left.
ready      tasks that wait for nothing more, each with its iteration: all that can run now.

A task that has run serves its consumers: takes one off what each waits for, and makes those ready
that wait for nothing more. A dead one serves them too, making them dead. Merge is ready with its
first living input, and dead if all inputs are. Dead values stop at NextIteration and at Exit; when
a loop is over, those of its exits that never had a living value give a dead one outside.

One thread takes tasks from `ready`, last come first served, so that memory stays small. Devices
with threads of their own would each have a `ready`; nothing else here is shared between runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from tensorlite.core.errors import GraphError
from tensorlite.core.xp import Array, Xp
from tensorlite.runtime.plan import Arrays, Plan, fail, settled
from tensorlite.runtime.program import (
    ENTER,
    EXIT,
    MERGE,
    NEXT,
    SWITCH,
    Arrival,
    Program,
    Step,
    prepare,
)

ndarray = np.ndarray


class Iteration:
    """One turn of a frame."""

    __slots__ = (
        "children",
        "dead",
        "frame",
        "left",
        "missed",
        "number",
        "pending",
        "steps",
        "uses",
        "values",
    )

    def __init__(self, frame: Frame, number: int) -> None:
        self.frame = frame
        self.number = number
        self.steps = frame.program.steps
        self.values = frame.values.copy()
        self.pending = frame.pending.copy()
        self.uses = frame.program.uses.copy()
        self.left = len(self.steps)
        self.dead = set(frame.dead)
        self.missed: dict[int, int] = {}
        """How many inputs of each Merge have arrived dead."""
        self.children: dict[int, Frame] = {}


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
        "values",
    )

    def __init__(self, program: Program, outer: Iteration | None) -> None:
        self.program = program
        self.outer = outer
        self.iterations: dict[int, Iteration] = {}
        self.oldest = 0
        self.parked: list[tuple[int, Step, Any]] = []
        self.values = program.values.copy()
        self.pending = program.pending.copy()
        self.dead: set[int] = set()
        self.exited: set[int] = set()


def run(plan: Plan, xp: Xp, arrays: Sequence[Array]) -> Arrays:
    """Return the fetched values of `plan`, given one array for each fed slot."""
    whole = plan.prepared.get("frames")
    if whole is None:
        whole = plan.prepared["frames"] = prepare(plan, xp)
    frame = Frame(whole.root, None)
    for slot, array in zip(whole.feeds, arrays, strict=True):
        frame.values[slot] = array
    machine = Machine(xp)
    iteration = machine.begin(frame, 0)
    machine.run()
    if iteration.left:
        _stuck(iteration)
    return tuple([_fetched(plan, iteration, slot) for slot in whole.fetches])


class Machine:
    """The tasks that are ready, and what happens when one has run."""

    def __init__(self, xp: Xp) -> None:
        self.xp = xp
        self.ready: list[tuple[Iteration, int]] = []

    def run(self) -> None:  # noqa: C901, PLR0912  one decision per kind of task, once
        """Run tasks until none is ready."""
        ready, xp = self.ready, self.xp
        y: Any = None
        while ready:
            iteration, task = ready.pop()
            form, kernel, a, b, out, consumers, merges, frees = iteration.steps[task]
            if iteration.dead and task in iteration.dead:
                self.skip(iteration, task)
                continue
            values = iteration.values
            try:
                if form == 1:
                    y = kernel(values[a], values[b])
                elif form == 3:
                    y = kernel(xp, values[a], values[b])
                elif form == 0:
                    y = kernel(values[a])
                elif form == 2:
                    y = kernel(xp, values[a])
                elif form == 4:
                    y = kernel(xp, *[values[slot] for slot in a])
                elif form == 5:
                    self.several(kernel, values, a, out)
                elif form != MERGE:
                    self.route(iteration, task)
                if form < 5:
                    values[out] = y if type(y) is ndarray else settled(xp, y)
            except Exception as error:  # noqa: BLE001  whatever it is, it goes on with a note
                _explain(iteration, task, error)
            if form < ENTER:
                pending = iteration.pending
                for consumer in consumers:
                    waits = pending[consumer] - 1
                    pending[consumer] = waits
                    if not waits:
                        ready.append((iteration, consumer))
                if merges:
                    self.offer(iteration, merges)
            if frees:
                self.free(iteration, frees)
            iteration.left -= 1
            if not iteration.left:
                self.over(iteration)

    def several(
        self,
        kernel: Any,
        values: list[Any],
        inputs: tuple[int, ...],
        outputs: tuple[int, ...],
    ) -> None:
        """Run a kernel that returns a tuple."""
        made = kernel(self.xp, *[values[slot] for slot in inputs])
        for slot, y in zip(outputs, made, strict=True):
            values[slot] = y if type(y) is ndarray else settled(self.xp, y)

    def route(self, iteration: Iteration, task: int) -> None:
        """Run a task whose outputs go to one side, another iteration or another frame."""
        step = iteration.steps[task]
        value, frame = iteration.values[step.a], iteration.frame
        if step.form == SWITCH:
            taken = bool(iteration.values[step.b])
            slot, consumers, merges = step.out[taken]
            iteration.values[slot] = value
            self.serve(iteration, consumers, merges)
            _, consumers, merges = step.out[not taken]
            self.kill(iteration, consumers, merges)
        elif step.form == ENTER:
            self.enter(iteration, step, value)
        elif step.form == NEXT:
            self.advance(frame, iteration.number + 1, step, value)
        else:
            assert frame.outer is not None
            frame.exited.add(task)
            frame.outer.values[step.out] = value
            self.serve(frame.outer, step.consumers, step.merges)

    def skip(self, iteration: Iteration, task: int) -> None:
        """Pass on that a task is dead."""
        step = iteration.steps[task]
        if step.form == ENTER:
            self.enter(iteration, step, None, dead=True)
        elif step.form not in (EXIT, NEXT):
            self.kill(iteration, step.consumers, step.merges)
        if step.form == SWITCH:
            for _, consumers, merges in step.out:
                self.kill(iteration, consumers, merges)
        if step.frees:
            self.free(iteration, step.frees)
        iteration.left -= 1
        if not iteration.left:
            self.over(iteration)

    def serve(
        self,
        iteration: Iteration,
        consumers: Sequence[int],
        merges: Sequence[Arrival],
    ) -> None:
        """Tell the consumers of a value that it is there."""
        for consumer in consumers:
            iteration.pending[consumer] -= 1
            if not iteration.pending[consumer]:
                self.ready.append((iteration, consumer))
        if merges:
            self.offer(iteration, merges)

    def offer(self, iteration: Iteration, merges: Sequence[Arrival]) -> None:
        """Give a living value to Merges; the first one is what each passes on."""
        values = iteration.values
        for merge, slot, position in merges:
            out, which = iteration.steps[merge].out
            if values[which] is None:
                values[out] = values[slot]
                values[which] = np.asarray(position, np.int32)
                self.serve(iteration, (merge,), ())

    def kill(
        self,
        iteration: Iteration,
        consumers: Sequence[int],
        merges: Sequence[Arrival],
    ) -> None:
        """Tell the consumers of a value that it is dead, and so are they."""
        iteration.dead.update(consumers)
        self.serve(iteration, consumers, ())
        for merge, _, _ in merges:
            missed = iteration.missed[merge] = iteration.missed.get(merge, 0) + 1
            if missed == iteration.frame.program.expected[merge]:
                iteration.dead.add(merge)
                self.serve(iteration, (merge,), ())

    def free(self, iteration: Iteration, slots: Sequence[int]) -> None:
        """Drop the values that have no reader left."""
        for slot in slots:
            iteration.uses[slot] -= 1
            if not iteration.uses[slot]:
                iteration.values[slot] = None

    def enter(
        self, outer: Iteration, step: Step, value: Any, dead: bool = False
    ) -> None:
        """Bring a value, or a dead one, into the frame of a loop, which this may begin."""
        frame = outer.children.get(id(step.kernel))
        if frame is None:
            frame = outer.children[id(step.kernel)] = Frame(step.kernel, outer)
            self.begin(frame, 0)
        if not step.b:
            self.arrive(frame.iterations[0], step, value, dead)
            return
        frame.values[step.out] = value
        for consumer in step.consumers:
            frame.pending[consumer] -= 1
        if dead:
            frame.dead.update(step.consumers)
        for iteration in list(frame.iterations.values()):
            self.arrive(iteration, step, value, dead)

    def arrive(
        self, iteration: Iteration, step: Step, value: Any, dead: bool = False
    ) -> None:
        """Put a value from elsewhere into an iteration."""
        iteration.values[step.out] = value
        (self.kill if dead else self.serve)(iteration, step.consumers, step.merges)

    def advance(self, frame: Frame, number: int, step: Step, value: Any) -> None:
        """Hand a value to an iteration, or park it if that is too far ahead."""
        if number >= frame.oldest + frame.program.parallel:
            frame.parked.append((number, step, value))
            return
        iteration = frame.iterations.get(number)
        self.arrive(iteration or self.begin(frame, number), step, value)

    def begin(self, frame: Frame, number: int) -> Iteration:
        """Begin an iteration of a frame."""
        iteration = frame.iterations[number] = Iteration(frame, number)
        for task in frame.program.starters:
            if not iteration.pending[task]:
                self.ready.append((iteration, task))
        self.offer(iteration, frame.program.given)
        return iteration

    def over(self, iteration: Iteration) -> None:
        """End an iteration, let parked ones begin, and end the loop if there are none."""
        frame = iteration.frame
        if frame.outer is None:
            return
        while (
            frame.oldest in frame.iterations
            and frame.iterations[frame.oldest].left == 0
        ):
            del frame.iterations[frame.oldest]
            frame.oldest += 1
        parked, frame.parked = frame.parked, []
        for number, step, value in parked:
            self.advance(frame, number, step, value)
        if not frame.iterations:
            for task in frame.program.exits:
                if task not in frame.exited:
                    step = frame.program.steps[task]
                    self.kill(frame.outer, step.consumers, step.merges)


def _explain(iteration: Iteration, task: int, error: Exception) -> NoReturn:
    failed = iteration.frame.program.tasks[task]
    slots = iteration.frame.program.inputs[task]
    fail(failed, [iteration.values[slot] for slot in slots], error)


def _stuck(iteration: Iteration) -> NoReturn:
    program = iteration.frame.program
    waiting = [
        task.name
        for task, pending in zip(program.tasks, iteration.pending, strict=True)
        if pending > 0
    ]
    raise GraphError(
        f"the graph came to rest with tasks that never ran: {', '.join(waiting[:5])}; a value they "
        "wait for never arrives. Is a loop closed with NextIteration, and left by Exit?"
    )


def _fetched(plan: Plan, iteration: Iteration, slot: int) -> Array:
    value = iteration.values[slot]
    if value is None:
        raise GraphError(
            f"{plan.name}: a fetched value is dead: it lies on the side of a Switch that was not "
            "taken; fetch what a Merge makes of both sides"
        )
    return value
