"""Worker: what a task of a cluster does: it registers plans, runs its part of steps, keeps state.

It does what clients ask by commands, and answers each. It never holds up the thread that brings
one; which thread that is, is the carrier's. The client's side is master.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import IntFlag
from functools import partial
from threading import RLock
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core.containers import Container
from tensorlite.core.device import DeviceName
from tensorlite.core.dtypes import of_numpy
from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    ProtocolError,
    UnavailableError,
)
from tensorlite.core.opaque import Opaque
from tensorlite.core.xp import Array, to_host
from tensorlite.distributed import packing, status
from tensorlite.distributed.collectives import all_reduce_op
from tensorlite.distributed.engines.engine import TaskSettings
from tensorlite.distributed.exchange import context
from tensorlite.distributed.failures import told
from tensorlite.distributed.packing import Beside, Held, Item, Kept, Packed, State
from tensorlite.distributed.registered import Registered, unpacked
from tensorlite.distributed.relay import Place
from tensorlite.distributed.running import Coming, Found, Running
from tensorlite.distributed.tracing import Recording, moved
from tensorlite.distributed.transport.carrier import COMMAND, Carrier, command
from tensorlite.distributed.transport.endpoints import Address
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.distributed.variants import packed_variant, unpacked_variant
from tensorlite.ops import every
from tensorlite.ops.control.list_values import Bundled, TensorList
from tensorlite.ops.state.resource import VariableState
from tensorlite.runtime.rendezvous import Key
from tensorlite.runtime.timeline import clock
from tensorlite.runtime.unattended import cancelled

Numbers: TypeAlias = "tuple[int, ...]"
PARTED = "parted"
"""The command by which clients are told that the link between two tasks has ended."""
KNOWN = every.__name__, all_reduce_op.__name__
"""What registers all operators: graphs come from elsewhere."""
FETCH = "fetch"
"""The name under which a large value that is fetched travels beside the answer."""


class How(IntFlag):
    """What a step is asked for with."""

    PLAIN = 0
    VALUES = 1
    """Large outputs are sent, and not kept."""
    ANEW = 2
    """It makes a resource in place of one that was lost."""


class _Client:
    """What a task keeps for one client."""

    def __init__(self) -> None:
        self.plans: dict[int, Registered | Exception] = {}
        """What is registered, or why it could not be."""
        self.held: dict[int, Any] = {}
        self.running: dict[int, Running] = {}
        self.ending: set[int] = set()
        """Steps that were given up and are not over yet; nothing new begins before they are."""
        self.deferred: dict[int, Callable[[], None]] = {}
        """What begins the steps that wait for that."""
        self.gone = False
        """Whether it is lost: what it wanted is given up, and nothing begins for it."""


class Worker:
    """A task of a cluster."""

    def __init__(
        self,
        settings: TaskSettings,
        carrier: Carrier,
        presence: Mapping[str, Any] | None = None,
    ) -> None:
        self.settings = settings
        self.presence = dict(presence or {})
        """What it tells of itself to clients that only know its address."""
        self.carrier = carrier
        self.container = Container()
        self.container.room = carrier.room
        self._began = carrier.now()
        self.steps = 0
        """How many parts of steps have run."""
        self._own = DeviceName.parse(settings.task)
        self._recording = Recording(settings.task)
        self._lock = RLock()
        self._clients: dict[str, _Client] = {}
        self._commands: dict[str, Callable[[str, Numbers, Array | None], None]] = {
            "who": self._who,
            "meet": self._meet,
            "link": self._link,
            "register": self._register,
            "unregister": self._unregister,
            "forget": self._forget,
            "said": self._said,
            "run": self._run,
            "cancel": self._cancel,
            "release": self._release,
            "push": self._push,
            "status": self._status,
            "record": self._record,
            "clock": self._clock,
            "recorded": self._recorded,
        }
        carrier.serve(self._command, self._lost)

    def close(self) -> None:
        """End all that runs, and all links."""
        for task in list(self._clients):
            self._lost(task, "the task ends")
        self.carrier.close()

    def awaited(self) -> Iterator[str]:
        """Yield what the parts of steps wait for that are under way, in words."""
        for client in list(self._clients.values()):
            for running in list(client.running.values()):
                yield from running.awaited()
            if client.deferred:
                yield "steps that were given up to be over, to begin others"

    def _command(self, task: str, key: Key, payload: Array | None) -> None:
        """Do what a client asks for; what goes wrong is its answer."""
        name, numbers = key
        try:
            command = self._commands.get(name, self._unknown)
            command(task, numbers, payload)
        except Exception as error:  # noqa: BLE001  the client is told
            self._refuse(task, numbers, error)

    def _unknown(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        raise ProtocolError(
            f"{task} asks for what no task does; there are {', '.join(self._commands)}"
        )

    def _refuse(self, task: str, numbers: Numbers, error: Exception) -> None:
        answer = packing.pack_json(told(error, self.settings.task))
        self._answer(task, ("failed", numbers[:1]), answer)

    def _answer(self, task: str, key: Key, payload: Array | None) -> None:
        """Answer a client, unless it is gone."""
        try:
            self.carrier.send_all(task, COMMAND, (command(key, payload),))
        except (UnavailableError, FailedPreconditionError) as error:
            self._lost(task, str(error))

    def _client(self, task: str) -> _Client:
        found = self._clients.get(task)
        if found is None:
            with self._lock:
                found = self._clients.setdefault(task, _Client())
        return found

    def _who(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        answer = packing.pack_json(self.presence)
        self._answer(task, ("answer", numbers[:1]), answer)

    def _meet(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        for name, (address, incarnation) in packing.unpack_json(payload).items():
            if name != self.settings.task:
                node, path, tcp = address
                there = Address(node, path, None if tcp is None else (tcp[0], tcp[1]))
                self.carrier.meet(name, there, incarnation)

    def _link(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        """Link with other tasks, where that is not so, and answer why it cannot be."""
        others = packing.unpack_json(payload)

        def link() -> None:
            reasons = []
            for other in others:
                try:
                    self.carrier.connect(other)
                except UnavailableError as error:
                    reasons.append(f"{self.settings.task} and {other}: {error}")
            answer = packing.pack_json(reasons)
            self._answer(task, ("answer", numbers[:1]), answer)

        self.carrier.later(link)

    def _register(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        client = self._client(task)
        (plan,) = numbers
        try:
            client.plans[plan] = unpacked(payload, self._own)
        except Exception as error:  # noqa: BLE001  steps that run it are told
            client.plans[plan] = error

    def _unregister(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        client = self._client(task)
        for number in _listed(payload):
            client.plans.pop(number, None)

    def _run(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        """Begin a step: its number, the plan's, that of the first value kept, and `How`."""
        step, plan, first, how = numbers
        client = self._client(task)
        if step <= COMMAND or step in client.running:
            raise ProtocolError(f"{task} begins step {step}, which cannot begin")
        try:
            running = Running(
                self._registered(client, task, plan),
                self.carrier,
                step,
                partial(self._over, task, client, step, first, how),
                Place(self.container, self._own, partial(self._say, task, step)),
            )
            feeds, beside = self._feeds(client, task, packing.unpack(payload))
            self._begin(client, running, feeds, beside)
        except Exception:
            self.carrier.forget(step)  # what others send for it
            raise

    def _registered(self, client: _Client, task: str, plan: int) -> Registered:
        found = client.plans.get(plan)
        if found is None:
            raise UnavailableError(
                f"{self.settings.task} has lost what {task} registered, plan {plan} for one, with "
                "the link to it or when it was started anew"
            )
        if isinstance(found, Exception):
            raise found
        return found

    def _begin(
        self,
        client: _Client,
        running: Running,
        feeds: list[Any],
        beside: list[Coming],
    ) -> None:
        """Begin a step, once those are over that were given up before."""
        with self._lock:
            if client.gone:
                return
            if client.ending:
                again = partial(self._begin, client, running, feeds, beside)
                client.deferred[running.step] = again
                return
            client.running[running.step] = running
        running.begin(feeds, beside)

    def _say(self, task: str, step: int, stream: str, text: str) -> None:
        """Have a client write what its step prints, before other tasks go on after it."""
        exchange = context.get()
        if exchange is not None:
            exchange.saying()
        numbers = () if exchange is None else (step,)
        self._answer(task, ("say", numbers), packing.pack_json([stream, text]))

    def _said(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        running = self._client(task).running.get(numbers[0])
        if running is not None:
            running.said()

    def _feeds(
        self, client: _Client, task: str, items: list[Item]
    ) -> tuple[list[Any], list[Coming]]:
        feeds: list[Any] = []
        beside: list[Coming] = []
        for i, item in enumerate(items):
            if type(item) is Held:
                feeds.append(self._held(client, item.number))
            elif isinstance(item, Beside):
                feeds.append(None)
                beside.append(Coming(i, task, item.is_packed))
            elif isinstance(item, Packed):
                feeds.append(unpacked_variant(item.data))
            elif isinstance(item, Kept | State):
                raise ProtocolError(f"feed {i} is a {type(item).__name__}")
            else:
                feeds.append(item)
        return feeds, beside

    def _held(self, client: _Client, number: int) -> Any:
        if number not in client.held:
            raise NotFoundError(
                f"{self.settings.task} has no value {number} any more: it was released, or lost "
                "with the link to this client, or with the task when that was started anew"
            )
        return client.held[number]

    def _over(
        self,
        task: str,
        client: _Client,
        step: int,
        first: int,
        how: int,
        found: Found,
    ) -> None:
        """Answer what came of a step."""
        client.running.pop(step, None)
        self.carrier.forget(step)
        self.steps += 1
        if isinstance(found, BaseException):
            answer = packing.pack_json(told(found, self.settings.task))
            self._answer(task, ("failed", (step,)), answer)
        else:
            try:
                if found:
                    self._answer_values(task, client, step, found, first, how)
                else:
                    self._answer(task, ("done", (step,)), None)
            except Exception as error:  # noqa: BLE001  such as a value that cannot travel
                self._refuse(task, (step,), error)
        with self._lock:
            client.ending.discard(step)
            ready = [] if client.ending else list(client.deferred.values())
            if ready:
                client.deferred.clear()
        for begin in ready:
            begin()

    def _answer_values(
        self,
        task: str,
        client: _Client,
        step: int,
        found: list[Any],
        first: int,
        how: int,
    ) -> None:
        items: list[Item] = []
        large: list[Parcel] = []
        kept: dict[int, Any] = {}
        for i, value in enumerate(found):
            if isinstance(value, Opaque):
                kept[first + i] = value
                items.append(State())
                if how & How.ANEW and isinstance(value, VariableState):
                    value.lost = self.settings.task
            elif packing.is_small(value):
                items.append(to_host(value))
            elif how & How.VALUES or value.dtype == object:
                large.append(Parcel((FETCH, (i,)), to_host(value)))
                items.append(Beside())
            else:
                kept[first + i] = value
                items.append(Kept(of_numpy(value.dtype), value.shape))
        answer = packing.pack(items)
        for (name, (i,)), value, _ in large:
            size = getattr(value, "nbytes", 0)
            moved(step, f"{name} {i}", self.settings.task, "", True, size)
        if large:
            self.carrier.send_all(task, step, large)
        if kept:
            client.held.update(kept)
        self._answer(task, ("done", (step,)), answer)

    def _cancel(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        """Give a step up: its number, that of the first value it keeps, and how many these are.

        It may be over, and its answer on the way; or what was sent for it is here, and it is not.
        """
        client = self._client(task)
        step, first, many = numbers
        with self._lock:
            deferred = client.deferred.pop(step, None)
            running = client.running.get(step)
            if running is not None:
                client.ending.add(step)
        if running is not None:
            running.cancel()
            return
        self.carrier.forget(step)
        for number in [x for x in list(client.held) if first <= x < first + many]:
            client.held.pop(number, None)
        if deferred is not None:
            self._refuse(task, numbers, cancelled())

    def _release(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        client = self._client(task)
        for number in _listed(payload):
            client.held.pop(number, None)

    def _forget(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        """Drop what comes for steps that were over before this task was started."""
        running = self._client(task).running
        for step in _listed(payload):
            if step > COMMAND and step not in running:
                self.carrier.forget(step)

    def _push(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        """Send a value that is kept here to the client."""
        request, number = numbers
        value = self._held(self._client(task), number)
        if isinstance(value, TensorList | Bundled):
            value = packed_variant(value)
        elif isinstance(value, Opaque):
            raise InvalidArgumentError(f"{value!r} is no array")
        sent = to_host(value)
        moved(request, f"{FETCH} 0", self.settings.task, "", True, sent.nbytes)
        self.carrier.send(task, request, (FETCH, (0,)), sent)

    def _status(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        clients = list(self._clients.values())
        told = status.report(
            self.carrier,
            self._began,
            self.steps,
            [run for client in clients for run in list(client.running.values())],
            [*self.container.resources(), *[list(x.held.values()) for x in clients]],
        )
        self._answer(task, ("answer", numbers[:1]), packing.pack_json(told))

    def _record(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        """Take note of what runs, from now on."""
        self._client(task)
        told = self._recording.begin(task, packing.unpack_json(payload))
        self._answer(task, ("answer", numbers[:1]), packing.pack_json(told))

    def _clock(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        answer = packing.pack_json(clock())
        self._answer(task, ("answer", numbers[:1]), answer)

    def _recorded(self, task: str, numbers: Numbers, payload: Array | None) -> None:
        """Send what was noted to the client, and take no more notes."""
        noted = self._recording.end(task)
        self.carrier.send(task, numbers[0], (FETCH, (0,)), noted)

    def _lost(self, task: str, reason: str) -> None:
        """Give up what a client wanted that is gone.

        Clients are told of other tasks: what is lost on a link may be of a step that was asked
        for and has not come here yet, and would be waited for then.
        """
        self._recording.drop(task)
        with self._lock:
            client = self._clients.pop(task, None)
            clients = list(self._clients)
            if client is not None:
                client.gone = True
                client.deferred.clear()
        if client is None:
            content = packing.pack_json({"task": task, "reason": reason})
            for each in clients:
                self._answer(each, (PARTED, (0,)), content)
            return
        for running in list(client.running.values()):
            running.cancel(UnavailableError(reason))
        client.held.clear()


def _listed(payload: Array | None) -> list[int]:
    """Return the numbers that a command lists."""
    found: list[int] = [] if payload is None else payload.view(np.int64).tolist()
    return found
