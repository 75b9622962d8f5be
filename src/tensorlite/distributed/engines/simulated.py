"""Simulated: carriers that are linked in one process, in virtual time; what goes wrong on links.

What travels is copied, and refused where it would be between processes. When it comes, and
whether, events.py draws. Who makes and kills carriers is network.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from mmap import mmap
from threading import RLock
from typing import NamedTuple, TypeAlias

from tensorlite.core.containers import Room
from tensorlite.core.errors import (
    DeadlockError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    UnavailableError,
)
from tensorlite.core.waiting import Cancel
from tensorlite.core.xp import Array
from tensorlite.distributed.engines.events import Events, Faults
from tensorlite.distributed.transport.arrivals import Arrivals, Done
from tensorlite.distributed.transport.boards import Board
from tensorlite.distributed.transport.carrier import COMMAND, Lost, Serve
from tensorlite.distributed.transport.endpoints import Address
from tensorlite.distributed.transport.messages import Limits, Message, value_of
from tensorlite.distributed.transport.parcels import Parcel, Traffic, message_of
from tensorlite.runtime.rendezvous import Key

NODE = "this process"

Came: TypeAlias = tuple[Message, Array | None]


class Wait(NamedTuple):
    """Who waits, for what if that has not been said, and from whom if that is known."""

    task: str
    what: str
    source: str = ""


class Medium:
    """What carriers of one network share: its time, who listens, and who cannot be reached."""

    def __init__(
        self,
        seed: int,
        faults: Faults,
        limits: Limits,
        stuck: Callable[[], DeadlockError],
    ) -> None:
        self.faults = faults
        self.limits = limits
        self.events = Events(seed, faults, stuck)
        self.lock = RLock()
        self.listening: dict[str, SimulatedCarrier] = {}
        """By the path in their addresses."""
        self._outages: dict[frozenset[str], float] = {}

    def part(self, task: str, other: str) -> None:
        """Let two tasks not be linked for a while."""
        until = self.events.now + self.events.draw(self.faults.outage)
        self._outages[frozenset((task, other))] = until

    def reached(self, task: str, address: Address) -> SimulatedCarrier | None:
        """Return who listens at an address, if a task can call there now."""
        found = self.listening.get(address.path)
        if found is None:
            return None
        until = self._outages.get(frozenset((task, found.task)), 0.0)
        return None if self.events.now < until else found

    def slowed(self, task: str, seconds: float) -> float:
        """Return the time at which something that takes a while is done by a task."""
        factor = self.faults.stragglers.get(task, 1.0)
        return self.events.now + factor * seconds


class End:
    """One end of a link, as the task there knows it."""

    def __init__(self, here: SimulatedCarrier, there: SimulatedCarrier) -> None:
        self.here = here
        self.peer = there.task
        self.incarnation = there.incarnation
        self.twin: End
        self.cut = False
        """Whether nothing passes any more, which nobody may know yet."""
        self.over = False
        """Whether the task here knows that the link is over."""
        self._last_command = 0.0
        self.last = 0.0
        """When the last message comes that was sent from here."""

    def claimed(self, message: Message) -> None:
        """Note that a message was taken: here nobody counts them."""

    def send(self, came: Sequence[Came], command: bool, what: str) -> None:
        """Have messages come to the other task, all at once, unless they are lost."""
        medium = self.here.medium
        events, faults = medium.events, medium.faults
        if self.cut:
            return
        if events.happens(faults.cuts):
            self.sever()
            return
        seconds = events.draw(faults.delay)
        if events.happens(faults.drops):
            events.note(f"dropped, and sent again: {what}")
            seconds += events.draw(faults.again)
        time = medium.slowed(self.peer, seconds)
        if command or not faults.reorder:
            time = self._last_command = max(time, self._last_command)
        self.last = max(time, self.last)
        there = self.twin
        events.post(time, partial(there.here.take, there, came), what, there.here)

    def sever(self) -> None:
        """Let nothing pass any more; both sides notice when some time has passed."""
        medium = self.here.medium
        events = medium.events
        if self.cut:
            return
        medium.part(self.here.task, self.peer)
        events.note(f"cut the link between {self.here.task} and {self.peer}")
        for each in (self, self.twin):
            each.cut = True
            notice = events.draw(medium.faults.notice)
            each.lose(notice, f"the link was cut at {events.when()}")

    def lose(self, seconds: float, reason: str) -> None:
        """Have the task here notice that the link is over."""
        events = self.here.medium.events
        events.post(
            events.now + seconds,
            partial(self.here.lost, self, reason),
            f"{self.here.task} notices the loss of {self.peer}",
            self.here,
        )

    def finish(self, reason: str) -> None:
        """Have the task here notice an orderly end, after all that was sent before."""
        events = self.here.medium.events
        arrived = max(0.0, self.twin.last - events.now)
        self.lose(arrived + events.draw(self.here.medium.faults.delay), reason)


class _Peer:
    """Another task, as it is known here."""

    def __init__(self, task: str, incarnation: int) -> None:
        self.task = task
        self.incarnation = incarnation
        self.address: Address | None = None
        self.end: End | None = None
        self.traffic = Traffic()


class SimulatedCarrier:
    """What a task of a simulated network sends and receives by: a Carrier."""

    def __init__(
        self, medium: Medium, task: str, incarnation: int, path: str, mortal: bool
    ) -> None:
        self.medium = medium
        self.task = task
        self.incarnation = incarnation
        self.address = Address(NODE, path, None)
        self.room: Room | None = None
        self.board: Board | None = None
        self.mortal = mortal
        self.alive = True
        self.awaited: Callable[[], Iterable[str]] = tuple
        """Says in words what the task waits for; else it is said which tensors are."""
        self._arrivals = Arrivals()
        self._peers: dict[str, _Peer] = {}
        self._command: Serve | None = None
        self._lost: Lost
        self._early: list[Callable[[], object]] = []
        """What came before anybody served."""

    def meet(self, task: str, address: Address, incarnation: int) -> None:
        """Learn where a task listens, or that it has been started anew."""
        tell: Callable[[], object] = tuple
        stale: End | None = None
        with self.medium.lock:
            peer = self._known(task, incarnation)
            peer.address = Address(*address)
            if incarnation > peer.incarnation:
                peer.incarnation = incarnation
                stale, peer.end = peer.end, None
                tell = self._arrivals.renew(task)
        tell()
        if stale is not None and not stale.over:
            stale.over = True
            self._tell(stale, f"incarnation {incarnation:#x} of it has begun")
            stale.twin.finish("it was taken for lost")

    def connect(self, task: str) -> None:
        """Link this task with another, unless it is; UnavailableError when that cannot be."""
        self._linked(self._peer(task))

    def serve(self, command: Serve, lost: Lost) -> None:
        """Hand commands to `command` from now on, and tell `lost` of links that end."""
        self._command, self._lost = command, lost
        early, self._early = self._early, []
        for each in early:
            each()

    def send(
        self, task: str, step: int, key: Key, value: object, dead: bool = False
    ) -> None:
        """Send a copy of a value; UnavailableError when that cannot be."""
        self.send_all(task, step, [Parcel(key, value, dead)])

    def send_all(self, task: str, step: int, parcels: Sequence[Parcel]) -> None:
        """Send copies of values that are ready together, together."""
        peer = self._peer(task)
        end = self._linked(peer)
        came = [self._encoded(step, parcel) for parcel in parcels]
        for message, _ in came:
            peer.traffic.messages_out += 1
            peer.traffic.bytes_out += message.payload
        names = ", ".join(parcel.key[0] for parcel in parcels)
        of = "" if step == COMMAND else f" of step {step}"
        what = f"{names}{of} from {self.task} to {task}"
        with self.medium.lock:
            end.send(came, step == COMMAND, what)

    def receive(self, task: str, step: int, key: Key, done: Done) -> Cancel | None:
        """Call `done` with the Arrival that `task` sends, or with the UnavailableError."""
        self._peer(task)
        return self._arrivals.receive(task, step, key, done)

    def forget(self, step: int) -> None:
        """Drop all that came in a step, is waited for in it, or comes later: it is over."""
        self._arrivals.forget(step)

    def waiting(self, step: int) -> Iterator[tuple[str, Key]]:
        """Yield the task and key of each value of a step that is waited for."""
        return self._arrivals.waiting(step)

    def waits(self) -> Iterator[Wait]:
        """Yield what is waited for here, in the task's own words if it has any."""
        words = list(self.awaited())
        for what in words:
            yield Wait(self.task, what)
        for step in self._arrivals.steps():
            for source, (name, tag) in self.waiting(step):
                turn = f" in iteration {tag}" if tag else ""
                what = "" if words else f"{name} of step {step}{turn}"
                yield Wait(self.task, what, source)

    def board_of(self, task: str) -> mmap | None:
        """Return None: what tasks of one process have is simulated as messages."""
        return None

    def traffic(self) -> Mapping[str, Traffic]:
        """Return what went to and came from each task."""
        return {task: replace(peer.traffic) for task, peer in self._peers.items()}

    def wait(self, until: Callable[[], bool], timeout: float | None = None) -> bool:
        """Let things happen until `until()` is true; return whether it was in time.

        The seconds are those of the simulation. Without a timeout, raises DeadlockError when
        nothing is left to happen.
        """
        return self.medium.events.wait(until, timeout)

    def wake(self) -> None:
        """Let those who wait look again."""
        self.medium.events.wake()

    def now(self) -> float:
        """Return the time of the simulation."""
        return self.medium.events.now

    def later(self, work: Callable[[], object], device: str = "") -> None:
        """Run `work` as something that happens later."""
        events = self.medium.events
        time = self.medium.slowed(self.task, events.draw(self.medium.faults.work))
        events.post(
            time, work, f"work of {self.task}{device and f' on {device}'}", self
        )

    def close(self) -> None:
        """End all links and listen no more; who waits is told."""
        if not self.alive:
            return
        reason = f"the connection of {self.task} was closed"
        for end in self._end_all():
            end.twin.finish("the connection was closed by it")
            self._tell(end, reason)
        for task in self._peers:
            self._arrivals.lose(task, reason)
        self._arrivals.clear()
        self.wake()

    # What the network and the ends of links call.

    def vanish(self) -> list[End]:
        """End as by an accident: nobody here is told. Returns the ends of the links."""
        ends = self._end_all()
        self._arrivals = Arrivals()
        self._command, self._early = None, []
        self.awaited = tuple
        return ends

    def _end_all(self) -> list[End]:
        with self.medium.lock:
            self.alive = False
            self.medium.listening.pop(self.address.path, None)
            ends = [p.end for p in self._peers.values() if p.end is not None]
            for end in ends:
                end.over = True
                self._peers[end.peer].end = None
        return ends

    def end_of(self, task: str) -> End | None:
        """Return this end of the link to a task, if there is one."""
        peer = self._peers.get(task)
        return None if peer is None else peer.end

    def knows(self, task: str) -> int:
        """Return which incarnation of a task is known here; 0: none."""
        peer = self._peers.get(task)
        return 0 if peer is None else peer.incarnation

    def take(self, end: End, came: Sequence[Came]) -> None:
        """Take in what came by a link, unless that is over."""
        traffic = self._peers[end.peer].traffic
        for message, value in came:
            if end.cut or end.over or not self.alive:
                traffic.dropped += 1
                continue
            traffic.heard = self.medium.events.now
            traffic.messages_in += 1
            traffic.bytes_in += message.payload
            if message.step == COMMAND:
                self._hand(partial(self._say, end.peer, message.key, value))
            else:
                self._arrivals.arrive(end, message, value)

    def lost(self, end: End, reason: str) -> None:
        """Tell who waits for a task that its link is over."""
        with self.medium.lock:
            peer = self._peers[end.peer]
            if end.over:
                return
            end.over = True
            if peer.end is end:
                peer.end = None
        self._tell(end, reason)

    def _tell(self, end: End, reason: str) -> None:
        who = f"task {end.peer} (incarnation {end.incarnation:#x})"
        text = f"{who} is not linked any more: {reason}"
        self._arrivals.end(end, text)
        self._hand(partial(self._say_lost, end.peer, text))

    def _say(self, task: str, key: Key, value: Array | None) -> None:
        if self._command is not None:
            self._command(task, key, value)

    def _say_lost(self, task: str, reason: str) -> None:
        self._lost(task, reason)

    def _hand(self, call: Callable[[], object]) -> None:
        """Call who serves, now or when somebody does."""
        if self._command is None:
            self._early.append(call)
        else:
            call()

    # Calling.

    def _peer(self, task: str) -> _Peer:
        peer = self._peers.get(task)
        if peer is not None:
            return peer
        if task == self.task:
            raise InvalidArgumentError(f"{task} is this task: nothing is sent to it")
        raise NotFoundError(
            f"there is no task {task!r}; known are {', '.join(self._peers) or 'none'}"
        )

    def _known(self, task: str, incarnation: int) -> _Peer:
        """Return a task, as it may be new."""
        peer = self._peers.get(task)
        if peer is None:
            peer = self._peers[task] = _Peer(task, incarnation)
        if incarnation < peer.incarnation:
            raise InvalidArgumentError(
                f"incarnation {incarnation:#x} of {task} is over; it is {peer.incarnation:#x}"
            )
        return peer

    def _linked(self, peer: _Peer) -> End:
        """Return the link to a task, which is made if there is none."""
        with self.medium.lock:
            if not self.alive:
                raise FailedPreconditionError(
                    f"the connection of {self.task} is closed"
                )
            if peer.end is not None:
                return peer.end
            if peer.address is None:
                raise UnavailableError(
                    f"task {peer.task} cannot be called, for it is not known where it listens"
                )
            other = self.medium.reached(self.task, peer.address)
            refusal = self._refusal(peer, other)
            if other is not None and not refusal:
                return self._join(peer, other)
        self._arrivals.lose(peer.task, refusal)
        raise UnavailableError(refusal)

    def _refusal(self, peer: _Peer, other: SimulatedCarrier | None) -> str:
        """Return why a task cannot be linked; "": it can."""
        now = f"at {self.medium.events.when()}"
        if other is None:
            return f"task {peer.task} cannot be reached at {peer.address}, {now}"
        if other.incarnation != peer.incarnation:
            return (
                f"task {peer.task} cannot be reached: it is incarnation {other.incarnation:#x} "
                f"now, not {peer.incarnation:#x}, {now}"
            )
        if other.knows(self.task) > self.incarnation:
            return (
                f"task {peer.task} would not be linked: incarnation {self.incarnation:#x} of "
                f"{self.task} is over, {now}"
            )
        return ""

    def _join(self, peer: _Peer, other: SimulatedCarrier) -> End:
        end, twin = End(self, other), End(other, self)
        end.twin, twin.twin = twin, end
        peer.end = end
        self._arrivals.begin(end)()
        other._joined(twin, self.incarnation)
        return end

    def _joined(self, end: End, incarnation: int) -> None:
        """Take a link that another task has made, in place of one that may be there."""
        peer = self._known(end.peer, incarnation)
        peer.incarnation = incarnation
        old, peer.end = peer.end, end
        tell = self._arrivals.begin(end)
        if old is not None:
            old.over = True
            old.twin.finish("another link has taken its place")
            events = self.medium.events

            def replaced() -> None:
                tell()
                self._tell(old, "another link has taken its place")

            events.post(
                events.now, replaced, f"{self.task} has {end.peer} anew", self
            )

    def _encoded(self, step: int, parcel: Parcel) -> Came:
        """Return a message, and the value that comes: a copy, as it would be read from bytes."""
        message, data = message_of(self.incarnation, step, parcel, self.medium.limits)
        message.encode()  # which refuses what no message can say
        return message, value_of(message, None if data is None else data.copy())
