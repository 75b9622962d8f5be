"""Exchange: the rendezvous of one task's part of a step: within the task, and with the others.

What goes to another task is kept back until this one has nothing left to do, so that all that is
ready together travels together; what is large goes at once. How it travels is the carrier's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, Any

from tensorlite.core.deadlock import Want
from tensorlite.core.errors import TensorliteError
from tensorlite.distributed.registered import Route
from tensorlite.distributed.transport.arrivals import Arrival
from tensorlite.distributed.transport.carrier import Carrier
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.distributed.variants import packed_variant, unpacked_variant
from tensorlite.runtime import timeline
from tensorlite.runtime.rendezvous import Key, Local, Offer, Party

if TYPE_CHECKING:
    from tensorlite.runtime.unattended import Unattended

LARGE = 1 << 16
"""Bytes that are not kept back."""


class Exchange:
    """What the machines of a part send by and receive by."""

    def __init__(
        self,
        carrier: Carrier,
        step: int,
        routes: Mapping[str, Route],
        team: Unattended,
    ) -> None:
        self.carrier = carrier
        self.step = step
        self.task = carrier.task
        self._routes = routes
        self._team = team
        self._local = Local()
        self._lock = Lock()
        self._kept: dict[str, list[Parcel]] = {}
        self.unsaid = 0
        """Texts that the client has not written yet; nothing that follows them is sent before."""

    def send(self, key: Key, party: Party, value: Any, dead: bool) -> bool:
        """Hand a value over; what goes to another task counts as taken."""
        route = self._routes.get(key[0])
        if route is None:
            return self._local.send(key, party, value, dead)
        task, is_variant = route
        recorder = timeline.current()
        if recorder is not None and not dead:
            recorder.ending(self.step, key, True, getattr(value, "nbytes", 0))
        if is_variant and not dead:
            value = packed_variant(value)
        parcel = Parcel(key, value, dead)
        with self._lock:  # several threads may drive one step
            self._kept.setdefault(task, []).append(parcel)
        if getattr(value, "nbytes", 0) >= LARGE:
            self.flush()
        return True

    def flush(self) -> None:
        """Send what was kept back; UnavailableError when a task is gone."""
        while self._kept:
            with self._lock:
                if not self._kept or self.unsaid:
                    return
                task, parcels = self._kept.popitem()
            self.carrier.send_all(task, self.step, parcels)

    def saying(self) -> None:
        """Keep back what is sent: another task may print what comes after this one's text."""
        self._team.hold()
        with self._lock:
            self.unsaid += 1

    def said(self) -> None:
        """Send what was kept back, if the client has written all."""
        with self._lock:
            if not self.unsaid:
                return
            self.unsaid -= 1
        self._team.let_go_on()

    def receive(self, key: Key, party: Party) -> Offer | None:
        """Return what was sent, or None: then the party is given it when it is."""
        route = self._routes.get(key[0])
        if route is None:
            return self._local.receive(key, party)
        task, is_variant = route
        coming = _Coming(self._team, party, is_variant, self.step, key)
        cancel = self.carrier.receive(task, self.step, key, coming)
        with self._team.lock:
            if coming.arrival is None:
                assert cancel is not None
                coming.is_waited_for = True
                what = f"{key[0]}, which {task} has not sent"
                want = Want(what, source=task)
                self._team.waits[party] = cancel, lambda: want
                return None
        if isinstance(coming.arrival, BaseException):
            raise coming.arrival
        return Offer(party, coming.value(coming.arrival), coming.arrival.dead)

    def waiting(self) -> Iterator[tuple[Key, Party]]:
        """Yield what is waited for within the task; the rest are the team's waits."""
        return self._local.waiting()

    def close(self) -> None:
        """Let go of what was kept back: the part is over."""
        with self._lock:
            self._kept.clear()


class _Coming:
    """What the carrier calls with a value, or with why there will be none."""

    __slots__ = (
        *("arrival", "is_variant", "is_waited_for", "key", "party", "step", "team"),
    )

    def __init__(
        self, team: Unattended, party: Party, is_variant: bool, step: int, key: Key
    ) -> None:
        self.is_variant = is_variant
        self.step = step
        self.key = key
        self.team = team
        self.party = party
        self.arrival: Arrival | TensorliteError | None = None
        self.is_waited_for = False

    def __call__(self, arrival: Arrival | TensorliteError) -> None:
        with self.team.lock:
            self.arrival = arrival
            if not self.is_waited_for:
                return  # receive() is under way, and will look
        if not isinstance(arrival, Arrival):
            self.team.fail(arrival)
            return
        try:
            value = self.value(arrival)
        except Exception as error:  # noqa: BLE001  such as bytes that are no list
            self.team.fail(error)
        else:
            self.team.answered(self.party, value, arrival.dead)

    def value(self, arrival: Arrival) -> Any:
        """Return what came, unpacked."""
        recorder = timeline.current()
        if recorder is not None and not arrival.dead:
            recorder.ending(self.step, self.key, False, 0)
        if self.is_variant and not arrival.dead:
            return unpacked_variant(arrival.value)
        return arrival.value


context: ContextVar[Exchange | None] = ContextVar("context", default=None)
"""The step that this thread works for, as operators see it that talk to other tasks themselves."""
