"""Relay: a part of a step whose plan runs straight on, but for the values that other tasks send.

The plan is cut once into legs: tasks that wait for the same values. A leg is run, in order and
without further questions, by the thread that brings the last of them, or by another if it may take
long. Plans with loops, branches, waits or several devices are for runtime/unattended.py.

pending    for each leg, how many values and earlier legs it still waits for.
left       how many values and legs are to come yet; the part is over when none is.
drivers    threads that run legs. A part that has failed is over when there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tensorlite.core.containers import (
    LARGE as SHARED,
    Container,
    current_container,
    room_for,
)
from tensorlite.core.deadlock import Want
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import InvalidArgumentError, TensorliteError
from tensorlite.core.op import Role
from tensorlite.core.opaque import Opaque
from tensorlite.core.remote import here, say
from tensorlite.core.xp import CPU, is_array, to_device
from tensorlite.distributed.exchange import LARGE
from tensorlite.distributed.registered import Route, bytes_in, is_light
from tensorlite.distributed.transport.arrivals import Arrival
from tensorlite.distributed.transport.carrier import Carrier
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.runtime.instruments import observed
from tensorlite.runtime.plan import Arrays, Plan, Task
from tensorlite.runtime.rendezvous import Key, name_of
from tensorlite.runtime.straight import (
    DIRECT1,
    DIRECT2,
    Instruction,
    follow,
    laid_out,
)

Over: TypeAlias = Callable[["Arrays | BaseException"], object]
"""Is given what the plan fetches, or the error that ended the part."""
ROOT = (0,)
"""The iteration in which everything is that is in no loop."""


class Place(NamedTuple):
    """Where a part runs: the state there is, the task, None being the client, and who writes."""

    container: Container
    own: DeviceName | None = None
    say: Callable[[str, str], object] | None = None


class Sending(NamedTuple):
    """A value that goes to another task: which, under which key, from which slot."""

    task: str
    key: Key
    slot: int
    is_last: bool
    """Whether nobody else reads it."""


class Stretch(NamedTuple):
    """Tasks of a leg, and what they made that is sent after them."""

    code: tuple[Instruction, ...]
    tasks: tuple[Task, ...]
    sendings: tuple[Sending, ...]


class Coming(NamedTuple):
    """A value that another task sends: which, under which key, into which slot."""

    task: str
    key: Key
    slot: int
    legs: tuple[int, ...]
    """Which wait for it."""
    name: str
    """What is said of it in words."""


@dataclass(frozen=True, eq=False)
class Leg:
    """Tasks that wait for the same values, and are run one after the other."""

    comings: frozenset[int]
    stretches: tuple[Stretch, ...]
    waits: int
    """For how many values and legs."""
    legs: tuple[int, ...]
    """Which wait for this one."""
    is_light: bool


@dataclass(frozen=True, eq=False)
class Relay:
    """A plan as legs."""

    legs: tuple[Leg, ...]
    comings: tuple[Coming, ...]

    @cached_property
    def first(self) -> tuple[int, ...]:
        """The legs that wait for nothing, the last one first."""
        return tuple([i for i, leg in enumerate(self.legs) if not leg.waits][::-1])

    @cached_property
    def waits(self) -> tuple[int, ...]:
        """For how many values and legs each leg waits."""
        return tuple([leg.waits for leg in self.legs])


def relay_of(plan: Plan, routes: Mapping[str, Route]) -> Relay:
    """Return the legs of a plan, made once."""
    made: Relay | None = plan.prepared.get("relay")
    if made is None:
        made = plan.prepared["relay"] = _Cutting(plan, routes).relay()
    return made


class _Cutting:
    """The cutting of a plan into legs."""

    def __init__(self, plan: Plan, routes: Mapping[str, Route]) -> None:
        self.plan = plan
        self.routes = routes
        tasks = plan.tasks
        self.made_by = {
            slot: i for i, task in enumerate(tasks) for slot in task.outputs
        }
        self.needs: list[frozenset[int]] = []
        """The tasks that receive what each task waits for."""
        for i, task in enumerate(tasks):
            needed = [self.needs[before] for before in self._before(task)]
            own = {i} if task.op.role is Role.RECV else set()
            self.needs.append(frozenset(own.union(*needed)))
        self.members: dict[frozenset[int], list[int]] = {}
        """The tasks of each leg, but for those that receive."""
        for i, task in enumerate(tasks):
            if task.op.role is not Role.RECV:
                self.members.setdefault(self.needs[i], []).append(i)
        self.number = {needs: i for i, needs in enumerate(self.members)}
        self.readers: dict[int, set[frozenset[int]]] = {}
        for i, task in enumerate(tasks):
            for slot in task.inputs:
                self.readers.setdefault(slot, set()).add(self.needs[i])
        sends = [task for task in tasks if task.op.role is Role.SEND]
        self.sent = {task.inputs[0] for task in sends}

    def _before(self, task: Task) -> list[int]:
        """Return the tasks that must have run before another, and before what that receives."""
        made = [self.made_by[slot] for slot in task.inputs if slot in self.made_by]
        found = [*made, *task.after]
        for i in found:
            before = self.plan.tasks[i]
            if before.op.role is Role.RECV:
                found += before.after
        return found

    def relay(self) -> Relay:
        """Return what has been cut."""
        tasks = self.plan.tasks
        received = [i for i, task in enumerate(tasks) if task.op.role is Role.RECV]
        place = {i: at for at, i in enumerate(received)}
        after = {
            needs: {self.needs[b] for i in members for b in self._before(tasks[i])}
            for needs, members in self.members.items()
        }
        legs = []
        for needs in self.members:
            before = (after[needs] - {needs}) & self.members.keys()
            following = [
                number
                for one, number in self.number.items()
                if one != needs and needs in after[one]
            ]
            leg = Leg(
                frozenset([place[i] for i in needs]),
                tuple(self._stretches(needs)),
                len(needs) + len(before),
                tuple(following),
                is_light(self.plan, [tasks[i] for i in self.members[needs]]),
            )
            legs.append(leg)
        return Relay(tuple(legs), tuple([self._coming(i) for i in received]))

    def _stretches(self, needs: frozenset[int]) -> Iterator[Stretch]:
        """Yield a leg's tasks, cut where something large has been made that is sent."""
        tasks = [self.plan.tasks[i] for i in self.members[needs]]
        sends = [task for task in tasks if task.op.role is Role.SEND]
        large = {task.inputs[0] for task in sends if self._is_large(task.inputs[0])}
        sendings = [self._sending(task, needs) for task in sends]
        run: list[Task] = []
        for task in tasks:
            if task.op.role is not Role.SEND:
                run.append(self._alone(task, needs))
            if not large.isdisjoint(task.outputs):
                now = [one for one in sendings if one.slot in task.outputs]
                sendings = [one for one in sendings if one not in now]
                yield self._stretch(run, now)
                run = []
        if run or sendings:
            yield self._stretch(run, sendings)

    def _stretch(self, run: list[Task], sendings: list[Sending]) -> Stretch:
        code = [
            self._in_room(task, one)
            for task, one in zip(run, laid_out(run, np), strict=True)
        ]
        return Stretch(tuple(code), tuple(run), tuple(sendings))

    def _in_room(self, task: Task, instruction: Instruction) -> Instruction:
        """Return how to call a task that makes something large to send: where it is sent from."""
        form, kernel, a, b, out, frees = instruction
        if form not in (DIRECT1, DIRECT2) or out not in self.sent:
            return instruction
        spec, size = self.plan.specs[out], bytes_in(self.plan, out)
        if size is None or size < SHARED:
            return instruction
        shape = tuple([length or 0 for length in spec.shape or ()])
        return (
            form,
            _InRoom(kernel, shape, np.dtype(spec.dtype.numpy)),
            a,
            b,
            out,
            frees,
        )

    def _is_large(self, slot: int) -> bool:
        size = bytes_in(self.plan, slot)
        return size is None or size >= LARGE

    def _sending(self, task: Task, needs: frozenset[int]) -> Sending:
        name, slot = name_of(task.op), task.inputs[0]
        readers = [other for other in self.plan.tasks if slot in other.inputs]
        is_last = (
            readers == [task] and slot in task.frees and needs == self._made(slot)
        )
        return Sending(self.routes[name].task, (name, ROOT), slot, is_last)

    def _made(self, slot: int) -> frozenset[int] | None:
        """Return what the task waits for that makes the value of a slot."""
        i = self.made_by.get(slot)
        return None if i is None else self.needs[i]

    def _alone(self, task: Task, needs: frozenset[int]) -> Task:
        """Return a task that lets go only of what no other leg reads, and no Send."""

        def is_own(slot: int) -> bool:
            return slot not in self.sent and self.readers.get(slot, {needs}) == {
                needs
            }

        frees = tuple([slot for slot in task.frees if is_own(slot)])
        reuse = task.reuse
        if reuse is not None and not is_own(task.inputs[reuse]):
            reuse = None
        return replace(task, frees=frees, reuse=reuse)

    def _coming(self, i: int) -> Coming:
        task = self.plan.tasks[i]
        name = name_of(task.op)
        source = self.routes[name].task
        legs = [number for needs, number in self.number.items() if i in needs]
        what = (
            f"{name}, which {source} has not sent, for {task.name!r} ({task.op.name}), "
            f"made at {task.line}"
        )
        return Coming(source, (name, ROOT), task.outputs[0], tuple(legs), what)


class _InRoom:
    """A function of NumPy that writes its result where it can be sent from."""

    def __init__(
        self, function: Any, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> None:
        self.function = function
        self.shape = shape
        self.dtype = dtype

    def __call__(self, *arrays: Any) -> Any:
        """Return the result."""
        room = room_for(self.shape, self.dtype)
        return (
            self.function(*arrays)
            if room is None
            else self.function(*arrays, out=room)
        )


class Relayed:
    """One run of a relay, under way."""

    def __init__(
        self,
        plan: Plan,
        routes: Mapping[str, Route],
        carrier: Carrier,
        step: int,
        place: Place,
        over: Over,
    ) -> None:
        plan = self._plan = observed(plan)
        relay = self.relay = relay_of(plan, routes)
        self.error: BaseException | None = None
        self._carrier = carrier
        self._step = step
        self._place = place
        self._over = over
        self._lock = Lock()
        self._pending = list(relay.waits)
        self._left = len(relay.legs) + len(relay.comings)
        self._drivers = 0
        self._came: set[int] = set()
        self._dead: set[int] = set()
        self._values: list[Any] = []
        self._feeds: Sequence[Any] = ()
        self._ended = False

    def begin(self, arrays: Sequence[Any]) -> None:
        """Begin with one array for each feed."""
        feeds = self._feeds = [
            to_device(x, CPU) if type(x) is not np.ndarray and is_array(x) else x
            for x in arrays
        ]
        self._values = [*feeds, *self._plan.rest]
        first = self.relay.first
        self._drivers = 1  # this
        if first:
            self._drivers += 1
            self._take_over(list(first))
        for i, coming in enumerate(self.relay.comings):
            if self.error is not None:
                break
            try:
                self._carrier.receive(
                    coming.task, self._step, coming.key, partial(self._take, i)
                )
            except TensorliteError as error:  # such as of a task that is not known
                self.fail(error)
        self._leave(0)

    def fail(self, error: BaseException) -> None:
        """End this part with an error, as soon as no thread runs a leg."""
        with self._lock:
            if self._ended:
                return
            self.error = self.error or error
            self._drivers += 1
        self._leave(0)

    def wanted(self) -> Iterator[Want]:
        """Yield what is waited for."""
        for i, coming in enumerate(self.relay.comings):
            if i not in self._came:
                yield Want(coming.name, source=coming.task)
        if self._drivers:
            yield Want("kernels that run")

    def _take(self, i: int, arrival: Arrival | TensorliteError) -> None:
        """Take what came, and run what waited for it last."""
        if not isinstance(arrival, Arrival):
            self.fail(arrival)
            return
        coming = self.relay.comings[i]
        ready = []
        with self._lock:
            if self._ended or self.error is not None:
                return
            self._came.add(i)
            if arrival.dead:
                self._dead.add(i)
            self._values[coming.slot] = arrival.value
            for leg in coming.legs:
                self._pending[leg] -= 1
                if not self._pending[leg]:
                    ready.append(leg)
            self._left -= 1
            if not ready and self._left:
                return
            self._drivers += 1
        self._take_over(ready)

    def _take_over(self, ready: list[int]) -> None:
        """Run legs here, or on another thread if one of them may take long."""
        legs = self.relay.legs
        if all(legs[i].is_light for i in ready):
            self._drive(ready)
        else:
            self._carrier.later(partial(self._drive, ready))

    def _drive(self, ready: list[int]) -> None:
        """Run legs, and those that waited for them alone; then send what they made."""
        kept: dict[str, list[Parcel]] = {}
        done = 0
        container = current_container.set(self._place.container)
        where = here.set(self._place.own)
        said = say.set(self._place.say)
        try:
            while ready and self.error is None:
                i = ready.pop()
                leg = self.relay.legs[i]
                self._run(leg, kept)
                done += 1
                if leg.legs:
                    with self._lock:
                        for after in leg.legs:
                            self._pending[after] -= 1
                            if not self._pending[after]:
                                ready.append(after)
            if self.error is None:
                for task, parcels in kept.items():
                    self._carrier.send_all(task, self._step, parcels)
        except BaseException as error:  # noqa: BLE001  it is told to the client
            self.fail(error)
        finally:
            say.reset(said)
            here.reset(where)
            current_container.reset(container)
        self._leave(done)

    def _run(self, leg: Leg, kept: dict[str, list[Parcel]]) -> None:
        """Run a leg, and keep what it sends back; what is large goes at once."""
        values = self._values
        is_dead = bool(self._dead) and not self._dead.isdisjoint(leg.comings)
        for code, tasks, sendings in leg.stretches:
            if code and not is_dead:
                follow(code, tasks, values, np)
            for task, key, slot, is_last in sendings:
                value = None if is_dead else values[slot]
                kept.setdefault(task, []).append(Parcel(key, value, is_dead))
                if is_last:
                    values[slot] = None
                if getattr(value, "nbytes", 0) >= LARGE:
                    self._carrier.send_all(task, self._step, kept.pop(task))

    def _leave(self, done: int) -> None:
        """Let this thread go, which has run some legs; the last one ends the part."""
        with self._lock:
            self._left -= done
            self._drivers -= 1
            over = not self._drivers and (self.error is not None or not self._left)
            if not over or self._ended:
                return
            self._ended = True
        self._end()

    def _end(self) -> None:
        found: Arrays | BaseException | None = self.error
        if found is None:
            found = self._fetched() if self._plan.fetches else ()
        if isinstance(found, BaseException):
            given = set(map(id, self._feeds))
            for value in self._values:
                if isinstance(value, Opaque) and id(value) not in given:
                    value.abandon()
        self._values, self._feeds = [], ()
        self._over(found)

    def _fetched(self) -> Arrays | InvalidArgumentError:
        found = tuple([self._values[slot] for slot in self._plan.fetches])
        if any(value is None for value in found):
            return InvalidArgumentError(
                f"{self._plan.name}: a fetched value is dead: it lies on the side of a Switch that "
                "was not taken; fetch what a Merge makes of both sides"
            )
        return found
