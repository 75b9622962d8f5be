"""Running: one task's part of one step, from its feeds to its answer.

It holds no thread while it waits; see runtime/unattended.py. What is run is registered.py's, where
values of other tasks come from, exchange.py's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Lock, get_ident
from typing import Any, NamedTuple, TypeAlias

from tensorlite.core.containers import current_container
from tensorlite.core.deadlock import Want
from tensorlite.core.errors import TensorliteError
from tensorlite.core.remote import here, say
from tensorlite.core.waiting import Cancel
from tensorlite.distributed.exchange import Exchange, context
from tensorlite.distributed.registered import Registered
from tensorlite.distributed.relay import Place, Relayed
from tensorlite.distributed.tracing import moved
from tensorlite.distributed.transport.arrivals import Arrival
from tensorlite.distributed.transport.carrier import Carrier
from tensorlite.distributed.variants import unpacked_variant
from tensorlite.runtime.cancel import ask, back
from tensorlite.runtime.plan import Arrays
from tensorlite.runtime.step import run_plan
from tensorlite.runtime.timeline import current
from tensorlite.runtime.unattended import Unattended, cancelled

Found: TypeAlias = "list[Any] | BaseException"
FEED = "feed"
"""The name under which a large feed travels beside the command."""


class Coming(NamedTuple):
    """A feed that comes beside the command: which, from whom, and whether variants.py packed it."""

    i: int
    task: str
    is_packed: bool


class Running:
    """A part of a step under way in a task."""

    def __init__(
        self,
        registered: Registered,
        carrier: Carrier,
        step: int,
        over: Callable[[Found], object],
        place: Place,
    ) -> None:
        self.registered = registered
        self.step = step
        self.is_over = False
        self.team: Unattended | Relayed | None = None
        self._exchange: Exchange | None = None
        self._carrier = carrier
        self._over = over
        self._place = place
        self._lock = Lock()
        self._awaited: dict[int, Cancel | None] = {}
        self._beside: Sequence[Coming] = ()
        self.since = carrier.now()
        self._arrays: list[Any] = []
        self._began = False
        self._given_up: BaseException | None = None
        self._thread: int | None = None
        """The one that runs the one plan, while it does."""

    def begin(self, feeds: Sequence[Any], beside: Sequence[Coming]) -> None:
        """Begin with values for the feeds, but for those that a task sends beside."""
        self._arrays = list(feeds)
        if not beside:
            self._start()
            return
        self._awaited = dict.fromkeys([one.i for one in beside])
        self._beside = beside
        for one in beside:
            if self.is_over:
                return
            cancel = self._carrier.receive(
                one.task, self.step, (FEED, (one.i,)), partial(self._came, one)
            )
            with self._lock:
                if cancel is not None and one.i in self._awaited:
                    self._awaited[one.i] = cancel

    def cancel(self, error: BaseException | None = None) -> None:
        """Give this up: loops end with their turn, and what a kernel makes is dropped."""
        given_up = error or cancelled()
        with self._lock:
            self._given_up = self._given_up or given_up
            began, team, awaited = self._began, self.team, self._awaited
            self._awaited = {}
            if self._thread is not None and self._thread != get_ident():
                ask(self, (self._thread,))
        for give_up in awaited.values():
            if give_up is not None:
                give_up()
        if team is not None:
            team.fail(given_up)
        elif not began:
            self._end(given_up)

    def said(self) -> None:
        """Take it that the client has written a text that this has printed."""
        if self._exchange is not None:
            self._exchange.said()

    def awaited(self) -> Iterator[str]:
        """Yield what this waits for, in words."""
        for want in self.wanted():
            yield want.what

    def wanted(self) -> Iterator[Want]:
        """Yield what this waits for, and which task is to send it if one is."""
        team, name = self.team, self.registered.name
        for one in tuple(self._beside):
            if one.i in self._awaited:
                yield Want(f"feed {one.i} of {name}", source=one.task)
        if self._exchange is not None and self._exchange.unsaid:
            yield Want(f"what it printed to be written, in {name}")
        if team is not None:
            for want in team.wanted():
                yield want._replace(what=f"{want.what}, in {name}")
        elif self._began and not self.is_over:
            yield Want(f"kernels that run, in {name}")

    def _came(self, one: Coming, came: Arrival | TensorliteError) -> None:
        i = one.i
        if not isinstance(came, Arrival):
            self.cancel(came)
            return
        moved(self.step, f"{FEED} {i}", "", self._carrier.task, False)
        try:
            value = unpacked_variant(came.value) if one.is_packed else came.value
        except Exception as error:  # noqa: BLE001  such as bytes that are no list
            self.cancel(error)
            return
        with self._lock:
            if i not in self._awaited:
                return
            self._arrays[i] = value
            del self._awaited[i]
            if self._awaited:
                return
        self._start()

    def _start(self) -> None:
        with self._lock:
            if self._given_up is not None or self._began:
                return
            self._began = True
        try:
            self._launch()
        except Exception as error:  # noqa: BLE001  it is told to the client
            self._end(error)

    def _launch(self) -> None:
        registered = self.registered
        if registered.is_alone:
            if registered.is_light:
                self._run_alone()
            else:
                self._carrier.later(self._run_alone)
        elif registered.goes_straight_on and current() is None:
            self._relay()
        else:
            self._assemble()

    def _relay(self) -> None:
        """Run the one plan, which waits for nothing but values of other tasks."""
        (part,) = self.registered.parts
        team = Relayed(
            part.plan,
            self.registered.routes,
            self._carrier,
            self.step,
            self._place,
            self._relayed,
        )
        given_up = self._entrusted(team)
        if given_up is None:
            team.begin([self._arrays[i] for i in part.feeds])
        else:
            team.fail(given_up)

    def _entrusted(self, team: Unattended | Relayed) -> BaseException | None:
        """Let a team be told when this is given up; return why it has been until now."""
        with self._lock:
            self.team = team
            return self._given_up

    def _relayed(self, found: Arrays | BaseException) -> None:
        self.team = None
        if isinstance(found, BaseException):
            self._end(found)
        else:
            self._end([found[i] for _, i in self.registered.fetches])

    def _run_alone(self) -> None:
        """Run the one plan, on the runner that fits it best."""
        part = self.registered.parts[0]
        found: Found
        if self._given_up is not None:  # while this waited for a thread
            self._end(self._given_up)
            return
        try:
            with self._stoppable(), self._around():
                made = run_plan(
                    part.plan,
                    [self._arrays[i] for i in part.feeds],
                    device=part.device,
                )
                found = [made[i] for _, i in self.registered.fetches]
        except BaseException as error:  # noqa: BLE001  it is told to the client
            found = error
        self._end(found)

    @contextmanager
    def _stoppable(self) -> Iterator[None]:
        """Let `cancel` stop the loops that this thread runs inside."""
        with self._lock:
            self._thread = get_ident()
        try:
            yield
        finally:
            with self._lock:
                self._thread = None
            back(self)

    def _assemble(self) -> None:
        """Run the parts on a team, which meets those of other tasks."""
        aside = None if self.registered.is_light else self._carrier.later
        team = Unattended(self._team_over, aside, self._around)
        routes = self.registered.routes
        exchange = self._exchange = Exchange(self._carrier, self.step, routes, team)
        team.flush = exchange.flush
        given_up = self._entrusted(team)
        if given_up is None:
            team.begin(self.registered.parts, self._arrays, exchange)
        else:
            team.fail(given_up)

    def _team_over(self, found: list[Arrays] | BaseException) -> None:
        assert self._exchange is not None
        self._exchange.close()
        self.team = None
        if isinstance(found, BaseException):
            self._end(found)
        else:
            self._end([found[part][i] for part, i in self.registered.fetches])

    def _end(self, found: Found) -> None:
        with self._lock:
            if self.is_over:
                return
            self.is_over = True
        self._arrays = []
        given_up = None if isinstance(found, BaseException) else self._given_up
        self._over(given_up or found)

    @contextmanager
    def _around(self) -> Iterator[None]:
        """Let a thread know for which task, and in which step, it works."""
        place = here.set(self._place.own)
        said = say.set(self._place.say)
        container = current_container.set(self._place.container)
        exchange = context.set(self._exchange)
        try:
            yield
        finally:
            context.reset(exchange)
            current_container.reset(container)
            say.reset(said)
            here.reset(place)
