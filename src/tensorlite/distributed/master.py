"""Master: the client's side of a cluster: it registers plans with tasks, and runs steps on them.

A task learns its part of a graph once, and is sent one command a step, which it answers once. What
it does then is worker.py's; what a step has at hand while it is under way, under.py's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from threading import RLock
from typing import Any
from weakref import WeakSet, finalize

import numpy as np

from tensorlite.core.device import DeviceName, settings
from tensorlite.core.errors import (
    DeadlineExceededError,
    DeadlockError,
    FailedPreconditionError,
    ProtocolError,
    UnavailableError,
    note,
)
from tensorlite.core.op import Effect, Op
from tensorlite.core.provenance import UNKNOWN, Line, user_line
from tensorlite.core.remote import Remote, RemoteResource
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.waiting import Cancel, noted
from tensorlite.core.xp import Array
from tensorlite.distributed import packing, status
from tensorlite.distributed.failures import remade
from tensorlite.distributed.registered import task_of
from tensorlite.distributed.steps import ClusterStep
from tensorlite.distributed.tracing import moved
from tensorlite.distributed.transport.arrivals import Arrival
from tensorlite.distributed.transport.carrier import COMMAND, Carrier, command
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.distributed.transport.threads import report
from tensorlite.distributed.under import Under
from tensorlite.distributed.unwanted import Unwanted
from tensorlite.distributed.variants import unpacked_variant
from tensorlite.distributed.worker import FETCH, PARTED
from tensorlite.graph.graph import Graph
from tensorlite.ops.control.effects import STREAMS, write
from tensorlite.passes.partition import Division
from tensorlite.runtime import timeline
from tensorlite.runtime.rendezvous import Key
from tensorlite.runtime.timeline import clock

Numbers = tuple[int, ...]
RECOVER = "cluster.recover() waits until it runs again"
EAGER = 2048
"""Steps of one operator that are kept to be run again."""


class Master:
    """What a client runs steps on the tasks of a cluster by."""

    def __init__(self, carrier: Carrier, first: int, remedy: str = RECOVER) -> None:
        self.carrier = carrier
        self.remedy = remedy
        """What helps when a task is lost, in words."""
        self.task = carrier.task
        self.lost: dict[str, str] = {}
        """Tasks that are gone, and why."""
        self.incarnations: dict[str, int] = {}
        self.over = ""
        """Why nothing can be asked of any task any more."""
        self.life = 0
        """How often a task was lost, found or remade: what was checked before is to be again."""
        self._numbers = count(first)
        """Steps, requests and kept values have numbers that no other client's have."""
        self._lock = RLock()
        self._under: dict[int, Under] = {}
        self._requests: dict[int, _Request] = {}
        self._known: dict[str, set[int]] = {}
        """The plans that each task has registered."""
        self._eager: dict[Any, ClusterStep] = {}
        """Steps of one operator, the one used last at the end."""
        self._made: WeakSet[RemoteResource] = WeakSet()
        self.unwanted = Unwanted()
        carrier.serve(self._command, self._gone)

    # What the layers below ask for.

    def run_op(
        self, op: Op, inputs: Sequence[Tensor], device: DeviceName
    ) -> tuple[Tensor, ...]:
        """Return the outputs of an operator that is run on a device of a task."""
        # A recording is to tell from which line each was called.
        line = UNKNOWN if timeline.current() is None else user_line()
        key = op, device, tuple([x.spec.without_value() for x in inputs]), line
        step = self._eager.get(key)
        if step is None:
            step = self._alone(op, inputs, device, line)
            self._remember(key, step)
        elif len(self._eager) > EAGER // 2:
            self._remember(key, step)
        made = step.run([x.array for x in inputs])
        return tuple([EagerTensor(y, device) for y in made])

    def _remember(self, key: Any, step: ClusterStep) -> None:
        """Keep the step of an operator as the one used last."""
        with self._lock:
            self._eager.pop(key, None)
            self._eager[key] = step
            if len(self._eager) > EAGER:
                del self._eager[next(iter(self._eager))]

    def _alone(
        self,
        op: Op,
        inputs: Sequence[Tensor],
        device: DeviceName,
        line: Line = UNKNOWN,
    ) -> ClusterStep:
        """Return the step that runs one operator."""
        graph = Graph(op.name)
        taken = [graph.add_input(x.spec.without_value()) for x in inputs]
        for x in taken:
            x.node.device = device
        node = graph.add(op, taken, device=device, line=line)
        graph.outputs = list(node.outputs)
        graph.effects = [node] if op.effect is not Effect.NONE else []
        division = Division(
            {device: graph},
            {device: list(range(len(inputs)))},
            [(device, i) for i in range(len(graph.outputs))],
        )
        return self.prepare(op.name, len(inputs), division, made_by=op)

    def prepare(
        self,
        name: str,
        inputs: int,
        division: Division,
        captured: int = 0,
        made_by: Op | None = None,
    ) -> ClusterStep:
        """Return what runs a graph that is cut over the devices of tasks."""
        number = next(self._numbers)
        step = ClusterStep(self, number, name, inputs, division, made_by, captured)
        tasks = tuple(step.tasks)
        finalize(step, self.unwanted.plan, tasks, number).atexit = False
        return step

    def value(self, handle: Remote) -> Any:
        """Return a list or a bundle that a task keeps."""
        return unpacked_variant(self.fetch(handle))

    def fetch(self, handle: Remote) -> np.ndarray[Any, Any]:
        """Return an array that a task keeps; a list or a bundle packed."""
        task = task_of(handle.where, self.task)
        self.check(handle)
        request = self.request(task, "push", handle.number)
        request.expect_value()
        found: np.ndarray[Any, Any] = request.result()
        return found

    def has(self, handle: Remote) -> bool:
        """Return whether the task still has what a handle stands for."""
        task = task_of(handle.where, self.task)
        now = self.incarnations.get(task)
        return task not in self.lost and handle.incarnation == now

    def check(self, handle: Remote) -> None:
        """Raise UnavailableError for a handle of what was lost with its task."""
        if self.over:
            raise FailedPreconditionError(self.over)
        task = task_of(handle.where, self.task)
        reason = self.lost.get(task)
        if reason is not None:
            raise UnavailableError(reason)
        now = self.incarnations.get(task)
        if handle.incarnation != now:
            raise FailedPreconditionError(
                f"{handle!r} was lost when {task} was started anew: compute it again, or restore "
                "a checkpoint"
            )

    # Steps and requests.

    def number(self) -> int:
        """Return a number that nothing else has."""
        return next(self._numbers)

    def numbers(self, many: int) -> int:
        """Return the first of `many` numbers in a row that nothing else has."""
        with self._lock:
            first = next(self._numbers)
            for _ in range(many - 1):
                next(self._numbers)
        return first

    def enter(self, under: Under) -> None:
        """Let a step be told what its tasks answer."""
        self._under[under.step] = under

    def leave(self, under: Under) -> None:
        """Tell a step nothing any more."""
        self._under.pop(under.step, None)

    def known(self, task: str) -> set[int]:
        """Return the plans that a task has registered.

        Whoever has sent one adds it, after that: another thread may run it at once.
        """
        return self._known.setdefault(task, set())

    def command(self, task: str, *parcels: Parcel) -> None:
        """Send commands to a task, with word of what it need not keep any more."""
        if self.over:
            raise FailedPreconditionError(self.over)
        reason = self.lost.get(task)
        if reason is not None:
            raise UnavailableError(reason)
        if self.unwanted.is_any(task):
            parcels = (*self.unwanted.told(task, self.known(task)), *parcels)
        try:
            self.carrier.send_all(task, COMMAND, parcels)
        except UnavailableError as error:  # the task is gone, of which word comes yet
            raise UnavailableError(f"{error}; {self.remedy}") from error

    def request(
        self, task: str, name: str, *numbers: int, payload: Array | None = None
    ) -> _Request:
        """Ask a task for something, and return what its answer will be found in."""
        number = self.number()
        request = self._requests[number] = _Request(self, task, number, name)
        try:
            self.command(task, command((name, (number, *numbers)), payload))
        except BaseException:
            self._requests.pop(number, None)  # unless its task was lost meanwhile
            raise
        return request

    def ask(
        self,
        tasks: Iterable[str],
        name: str,
        seconds: float,
        payload: Array | None = None,
        *,
        beside: bool = False,
    ) -> dict[str, Any]:
        """Return what tasks answer to a question, or the error, if they do within some seconds.

        It is asked by other threads, if there are such: a link may be stuck. `beside` says that
        the answer is a value that travels beside.
        """
        left = dict.fromkeys(tasks)
        requests: dict[str, _Request] = {}
        answers: dict[str, Any] = {}
        over = False

        def ask(task: str) -> None:
            try:
                request = requests[task] = self.request(task, name, payload=payload)
                if beside:
                    request.expect_value()
                if over:
                    self._forget(request)
            except (UnavailableError, FailedPreconditionError) as error:
                answers[task] = error
                del left[task]
                self.carrier.wake()

        for task in tuple(left):
            self.carrier.later(partial(ask, task))
        self.carrier.wait(
            lambda: all(
                task in requests and requests[task].is_over for task in tuple(left)
            ),
            seconds,
        )
        over = True
        for task, request in tuple(requests.items()):
            self._forget(request)
            if request.is_over:
                answers[task] = request.answer
        return answers

    def _forget(self, request: _Request) -> None:
        self.answered(request)
        self.carrier.forget(request.number)

    def answered(self, request: _Request) -> None:
        """Forget a request."""
        self._requests.pop(request.number, None)

    def keep(self, handle: Remote) -> Remote:
        """Let the task forget a value when nobody here has the handle any more."""
        task = task_of(handle.where, self.task)
        if isinstance(handle, RemoteResource):
            self._made.add(handle)
        finalize(handle, self.unwanted.value, task, handle.number).atexit = False
        return handle

    def wait(
        self, until: Callable[[], bool], what: Callable[[], str], step: int = COMMAND
    ) -> None:
        """Hold up this thread until something is so; DeadlineExceededError after too long.

        Of a step, its message says what the tasks wait for.
        """
        timeout = settings.step_timeout
        try:
            in_time = self.carrier.wait(until, timeout)
        except DeadlockError as error:
            note(error, f"the client waits for {what()}")
            raise
        if not in_time:
            raise DeadlineExceededError(
                f"the step waited longer than {timeout} s; it waits for {what()}"
                f"{status.told_of(self, step)}\ntl.config.set_step_timeout() allows more"
            )

    # What tasks tell.

    def _command(self, task: str, key: Key, payload: Array | None) -> None:
        name, numbers = key
        if name == PARTED:
            content = packing.unpack_json(payload)
            for each in list(self._under.values()):
                each.parted(task, content["task"], content["reason"])
            return
        if name == "say":
            self._say(task, numbers, payload)
            return
        number = numbers[0] if numbers else COMMAND
        under = self._under.get(number)
        if under is not None:
            if name == "failed":
                under.failed(task, remade(packing.unpack_json(payload)))
            else:
                under.answered(task, packing.unpack(payload))
            return
        request = self._requests.get(number)
        if request is not None:
            if name == "failed":
                request.end(remade(packing.unpack_json(payload)))
            else:
                request.end(packing.unpack_json(payload))

    def _say(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        """Write what a task prints, and tell it so if it waits for that."""
        _write(*packing.unpack_json(payload))
        if numbers:
            with suppress(
                UnavailableError, FailedPreconditionError
            ):  # gone meanwhile
                self.command(task, command(("said", numbers[:1])))

    def _gone(self, task: str, reason: str) -> None:
        """Note that a task is gone, and end all that waits for it."""
        reason = f"{reason}; {self.remedy}"
        with self._lock:
            self.life += 1
            self.lost[task] = reason
            self._known.pop(task, None)
            self.unwanted.lost(task)
        for under in list(self._under.values()):
            under.lost(task, reason)
        for request in list(self._requests.values()):
            if request.task == task:
                request.end(UnavailableError(reason))

    def found(self, task: str, incarnation: int) -> None:
        """Note that a task is there, or there again."""
        with self._lock:
            self.life += 1
            self.incarnations[task] = incarnation
            self.lost.pop(task, None)
            self._known.pop(task, None)
            self.unwanted.lost(task)

    def remake(self, tasks: Sequence[str]) -> None:
        """Make the state of tasks anew that were started anew: under its numbers, without values.

        State that is shared by its name is made by whoever comes first.
        """
        for handle in sorted(self._made, key=lambda each: each.number):
            task = task_of(handle.where, self.task)
            if task in tasks and handle.made_by is not None:
                step = self._alone(handle.made_by, (), handle.where)
                step.remake(handle)
                handle.incarnation = self.incarnations[task]
                self.life += 1

    def gone(self, task: str, reason: str) -> None:
        """Note that a task is gone, as the engine knows it."""
        self._gone(task, reason)


def _write(stream: str, text: str) -> None:
    """Write what a task prints; ProtocolError for what it cannot ask for, such as a file here."""
    if stream not in STREAMS:
        raise ProtocolError(f"a task prints to {stream!r}")
    try:
        write(stream, text)
    except (OSError, ValueError) as error:  # the stream is closed
        report(error)


class _Request:
    """Something that a task was asked for."""

    def __init__(self, master: Master, task: str, number: int, name: str) -> None:
        self.master = master
        self.task = task
        self.number = number
        self.name = name
        self.at = 0
        """When it was answered, by the timeline's clock."""
        self._answer: list[Any] = []
        self._cancel: Cancel | None = None

    def expect_value(self) -> None:
        """Take a value that travels beside as the answer."""

        def done(came: Any) -> None:
            moved(self.number, f"{FETCH} 0", self.task, "", False)
            self.end(came.value if isinstance(came, Arrival) else came)

        self._cancel = self.master.carrier.receive(
            self.task, self.number, (FETCH, (0,)), done
        )
        if self.is_over:
            self._give_up()

    def end(self, answer: Any) -> None:
        """Take the answer, unless there is one."""
        self.at = clock()
        self._answer.append(answer)
        self._give_up()
        self.master.answered(self)
        self.master.carrier.wake()

    def _give_up(self) -> None:
        """Wait for no value, if one is waited for."""
        cancel, self._cancel = self._cancel, None
        if cancel is not None:
            cancel()

    @property
    def is_over(self) -> bool:
        """Whether there is an answer."""
        return bool(self._answer)

    @property
    def answer(self) -> Any:
        """The answer, or what went wrong."""
        return self._answer[0]

    def result(self) -> Any:
        """Return the answer, once it is there; what went wrong is raised."""
        self.master.wait(
            lambda: self.is_over,
            lambda: f"{self.task} to answer {self.name!r}",
        )
        answer = self.answer
        if isinstance(answer, BaseException):
            raise noted(answer)
        return answer
