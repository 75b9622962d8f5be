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
inbox      what others have posted: a value that was sent here, that one sent from here was taken,
           or the answer to an operator that had to wait. Only this is touched by other threads.

A task that has run serves its consumers: takes one off what each waits for, and makes those ready
that wait for nothing more. A dead one serves them too, making them dead. Merge is ready with its
first living input, and dead if all inputs are. Dead values stop at NextIteration and at Exit; when
a loop is over, those of its exits that never had a living value give a dead one outside.

One thread at a time takes tasks from `ready`, last come first served, so that memory stays small.
A step on several devices has a machine for each, which meet at a rendezvous; which thread drives
which of them is in team.py. Send and Recv of an iteration always run, dead or alive, so that each
finds the other; a Send, and an operator that waits, counts as run when it was answered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import GraphError, InvalidArgumentError
from tensorlite.core.provenance import UNKNOWN
from tensorlite.core.xp import CPU, Array, Xp, is_array, to_device
from tensorlite.runtime.cancel import asked, heed, stopped
from tensorlite.runtime.iterations import Frame, Iteration, stuck
from tensorlite.runtime.plan import Arrays, Plan, fail, settled
from tensorlite.runtime.program import (
    ASYNC,
    ENTER,
    EXIT,
    MERGE,
    NEXT,
    SEND,
    SWITCH,
    Arrival,
    Program,
    Step,
    Whole,
    prepare,
)
from tensorlite.runtime.rendezvous import Party
from tensorlite.runtime.stage import Stage
from tensorlite.runtime.turn import Turn

if TYPE_CHECKING:
    from tensorlite.runtime.team import Team

ndarray = np.ndarray


def run(plan: Plan, xp: Xp, arrays: Sequence[Array]) -> Arrays:
    """Return the fetched values of `plan`, given one array for each fed slot."""
    machine = Machine(plan, xp)
    machine.start(arrays)
    try:
        machine.run()
        if machine.root.left:
            stuck([machine.root])
        return machine.fetched()
    finally:
        machine.close()


def whole_of(plan: Plan, xp: Xp) -> Whole:
    """Return the programs of a plan, made once."""
    whole: Whole | None = plan.prepared.get("frames")
    if whole is None:
        whole = plan.prepared["frames"] = prepare(plan, xp)
    return whole


class Machine:
    """One run of a plan: the tasks that are ready, and what happens when one has run."""

    def __init__(
        self, plan: Plan, xp: Xp, team: Team | None = None, device: DeviceName = CPU
    ) -> None:
        self.plan = plan
        self.xp = xp
        self.device = device
        self.team = team
        """Where other devices' machines are found; None: the plan needs none, nor ever waits."""
        self.whole = whole_of(plan, xp)
        self.ready: list[tuple[Iteration, int]] = []
        self.inbox: deque[tuple[Iteration | Stage, int, Any, bool]] = deque()
        self.in_order = True
        """Whether loops that can run at once do so."""
        self.closed = False
        self.busy = True
        """Whether a thread drives this machine, or one is sure to come."""
        self.frame = Frame(self.whole.root, None)
        self.root: Iteration

    def start(self, arrays: Sequence[Array]) -> None:
        """Begin with one array for each fed slot."""
        for slot, array in zip(self.whole.feeds, arrays, strict=True):
            self.frame.values[slot] = array
        self.root = self.begin(self.frame, 0)

    def fetched(self) -> Arrays:
        """Return the fetched values."""
        slots = self.whole.fetches
        return tuple([_fetched(self.plan, self.root, slot) for slot in slots])

    def close(self, failed: bool = False) -> None:
        """Let go of all values: frames and iterations hold each other.

        What a failed step has locked is unlocked here: an error that is kept keeps the frames of
        its traceback, and those all that they name.
        """
        given = {id(self.frame.values[slot]) for slot in self.whole.feeds}
        for value in self.frame.opaque() if failed else ():
            if id(value) not in given:
                value.abandon()
        self.busy = self.closed = True  # what is still posted wakes nobody
        self.ready.clear()
        self.inbox.clear()
        self.frame.clear()

    def run(self) -> None:  # noqa: C901, PLR0912  one decision per kind of task, once
        """Run tasks until none is ready."""
        ready, xp, team = self.ready, self.xp, self.team
        y: Any = None
        while ready:
            iteration, task = ready.pop()
            step = iteration.steps[task]
            form, kernel, a, b, out, consumers, merges, frees, heavy = step
            if iteration.dead and task in iteration.dead:
                self.skip(iteration, task)
                continue
            values = iteration.values
            if heavy and team is not None and team.idle_work:
                team.call_for_help()
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
                elif form >= SEND:
                    self.exchange(iteration, task)
                    continue
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
        """Pass on that a task is dead, unless it runs all the same."""
        if iteration.frame.program.tasks[task].op.outlives:
            iteration.dead.discard(task)
            self.ready.append((iteration, task))
            return
        step = iteration.steps[task]
        if SEND <= step.form < ASYNC:
            self.exchange(iteration, task, dead=True)
            return
        if step.form == ENTER:
            self.enter(iteration, step, None, dead=True)
        elif step.form not in (EXIT, NEXT):
            self.kill(iteration, step.consumers, step.merges)
        if step.form == SWITCH:
            for _, consumers, merges in step.out:
                self.kill(iteration, consumers, merges)
        self.finish(iteration, step)

    def finish(self, iteration: Iteration, step: Step) -> None:
        """Count a task as run, or skipped."""
        if step.frees:
            self.free(iteration, step.frees)
        iteration.left -= 1
        if not iteration.left:
            self.over(iteration)

    def exchange(self, iteration: Iteration, task: int, dead: bool = False) -> None:
        """Begin a task that hands over, receives or waits; it may be over at once."""
        step, team = iteration.steps[task], self.team
        if team is None:
            raise GraphError(
                f"{self.plan.name} is a part of a step on several devices, or may have to wait; "
                "run it by run_parts"
            )
        party = Party(self, iteration, task)
        if step.form == ASYNC:
            arrays = [iteration.values[slot] for slot in step.a]
            team.wait(party, step.kernel, arrays)
        elif step.form == SEND:
            value = None if dead else iteration.values[step.a[0]]
            if team.rendezvous.send((step.kernel, iteration.tag), party, value, dead):
                self.finish(iteration, step)
        else:
            offer = team.rendezvous.receive((step.kernel, iteration.tag), party)
            if offer is not None:
                self.settle(iteration, task, offer.value, offer.dead)

    def describe(self, iteration: Iteration | Stage, task: int) -> str:
        """Return in words what a task under way is."""
        if isinstance(iteration, Stage):
            return iteration.describe()
        here = iteration.frame.program.tasks[task]
        turns = ".".join(map(str, iteration.tag[1:]))
        turn = f", turn {turns}" if turns else ""
        made = "" if here.line == UNKNOWN else f", made at {here.line}"
        return f"{here.name!r} ({here.op.name}) on {self.device}{made}{turn}"

    def post(self, message: tuple[Iteration | Stage, int, Any, bool]) -> None:
        """Take note of an answer to a task under way; any thread may call this."""
        self.inbox.append(message)
        if self.closed:
            self.inbox.clear()  # a lock that came too late must not live on
        if not self.busy:
            assert self.team is not None
            self.team.wake(self)

    def here(self, value: Any) -> Any:
        """Return what has come from elsewhere in the memory of this machine's device."""
        if type(value) is ndarray and self.xp is np:
            return value
        return to_device(value, self.device) if is_array(value) else value

    def drain(self) -> None:
        """Take in what was posted."""
        inbox = self.inbox
        while inbox:
            self.settle(*inbox.popleft())

    def settle(
        self, iteration: Iteration | Stage, task: int, value: Any, dead: bool
    ) -> None:
        """End a task that was under way with what came for it."""
        if isinstance(iteration, Stage):
            iteration.settle(task, value, dead)
            return
        step = iteration.steps[task]
        if isinstance(value, BaseException):
            _explain(iteration, task, value)
        if dead and step.form != SEND:
            self.kill(iteration, step.consumers, step.merges)
        elif step.form != SEND:
            made = value if type(value) is tuple else (value,)
            for slot, y in zip(step.out, made, strict=True):
                iteration.values[slot] = settled(self.xp, self.here(y))
            self.serve(iteration, step.consumers, step.merges)
        self.finish(iteration, step)

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
        """Tell the consumers of a value that it is dead, and so are they.

        A Merge that only waits for it lives by its inputs, as in TensorFlow.
        """
        steps = iteration.steps
        iteration.dead.update([one for one in consumers if steps[one].form != MERGE])
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
        if step.kernel.tight is not None and self.in_order:
            self.gather(outer, step, value, dead)
        else:
            self.enter_frame(outer, step, value, dead)

    def gather(self, outer: Iteration, step: Step, value: Any, dead: bool) -> None:
        """Put a value aside for a loop that runs at once; run that when everything is there.

        A loop that something dead enters is left to the machine.
        """
        program = step.kernel
        arrived = outer.arrived.setdefault(id(program), [])
        arrived.append((step, value, dead))
        if len(arrived) < len(program.tight.enters):
            return
        del outer.arrived[id(program)]
        if any(lost for _, _, lost in arrived):
            for one in arrived:
                self.enter_frame(outer, *one)
            return
        brought = {one.out: given for one, given, _ in arrived}
        state, given = program.tight.entered(brought)
        leave = partial(self.leave, outer, program)
        turn = program.tight.turn
        if isinstance(turn, Turn):
            leave(turn.repeated(self.xp, state, given))
        else:
            assert self.team is not None
            Stage(self, self.team, outer.tag, turn, leave).begin(state, given)

    def leave(self, outer: Iteration, program: Program, results: Arrays) -> None:
        """Bring out what a loop that ran in order has found."""
        assert program.tight is not None
        for task, place in program.tight.exits:
            step = program.steps[task]
            outer.values[step.out] = results[place]
            self.serve(outer, step.consumers, step.merges)

    def enter_frame(
        self, outer: Iteration, step: Step, value: Any, dead: bool = False
    ) -> None:
        """Bring a value, or a dead one, into the frame of a loop that the machine runs."""
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
        if self.team is not None and self.team.error is not None:
            raise stopped()
        if asked:
            heed()
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
        iteration.children.clear()
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


def _explain(iteration: Iteration, task: int, error: BaseException) -> NoReturn:
    failed = iteration.frame.program.tasks[task]
    slots = iteration.frame.program.inputs[task]
    try:
        if not isinstance(error, Exception):
            raise error
        fail(failed, [iteration.values[slot] for slot in slots], error)
    finally:
        del error  # else its traceback holds it, and all the values of the step


def _fetched(plan: Plan, iteration: Iteration, slot: int) -> Array:
    value = iteration.values[slot]
    if value is None:
        raise InvalidArgumentError(
            f"{plan.name}: a fetched value is dead: it lies on the side of a Switch that was not "
            "taken; fetch what a Merge makes of both sides"
        )
    return value
