"""Unattended: a team that no thread waits for. Whoever brings it something drives its machines.

So a task of a cluster holds no thread for the steps that wait there for others. What is to be done
in what order is frames.py's, as for any team; by which thread is said here: by the one that begins
the step, receives a value for it, or ends one of its waits; or by one that `aside` gives, if that
may take long.

loops      threads that look for machines to drive. The step is over when there is none of them,
           nothing that waits, and no machine that has work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import get_ident
from typing import Any, TypeAlias

from tensorlite.core.errors import CancelledError
from tensorlite.core.xp import Array, xp_for
from tensorlite.runtime import cancel
from tensorlite.runtime.frames import Machine
from tensorlite.runtime.instruments import observed
from tensorlite.runtime.iterations import stuck
from tensorlite.runtime.parts import Part
from tensorlite.runtime.plan import Arrays
from tensorlite.runtime.rendezvous import Party, Rendezvous
from tensorlite.runtime.team import Team

Work: TypeAlias = Callable[[], object]
Over: TypeAlias = Callable[[list[Arrays] | BaseException], object]
"""Is given what each part fetched, or the error that ended the step."""


class Unattended(Team):
    """The machines of one task's part of a step."""

    def __init__(
        self,
        over: Over,
        aside: Callable[[Work], object] | None = None,
        around: Callable[[], AbstractContextManager[Any]] = nullcontext,
    ) -> None:
        super().__init__()
        self._over = over
        self._aside = aside
        """Runs work on another thread; None: whoever brings something drives."""
        self._around = around
        """What a thread works within, while it drives."""
        self._loops = 0
        self._held = 0
        self._ended = False
        self.flush: Work = _nothing
        """Sends what was kept back to travel together; called before a thread leaves."""

    def begin(
        self, parts: Sequence[Part], arrays: Sequence[Array], rendezvous: Rendezvous
    ) -> None:
        """Begin the step with one array for each feed."""
        with self.lock:
            if self._ended:  # it was given up before
                return
            self._loops += 1
        self.rendezvous = rendezvous
        try:
            for part in parts:
                machine = self.add(
                    observed(part.plan), xp_for(part.device), part.device
                )
                machine.start([machine.here(arrays[i]) for i in part.feeds])
        except BaseException as error:  # noqa: BLE001  it goes to whoever is told
            self.fail(error)
        with self.lock:
            self.idle_work.extend(self.machines)
        self._go()

    def wake(self, machine: Machine) -> None:
        """Let a machine be driven that has got something to do."""
        with self.lock:
            if machine.busy:
                return
            machine.busy = True
            self.idle_work.append(machine)
            if self._loops:
                return
            self._loops += 1
        self._go()

    def call_for_help(self) -> None:
        """Have another thread drive a machine that has work, while this one is in a kernel."""
        if self.error is not None:
            raise cancel.stopped()
        if self._aside is None:
            return
        with self.lock:
            if self._loops > len(self.idle_work):
                return
            self._loops += 1
        self._aside(self._loop)

    def answered(self, party: Party, value: Any, dead: bool = False) -> None:
        """Pass on what came for a task that waited; any thread may call this."""
        with self.lock:
            self.waits.pop(party, None)
            driving = get_ident() in self._driving
            if not driving:
                self._loops += 1  # so that the step is not over before this is posted
        party.machine.post((party.iteration, party.task, value, dead))
        if not driving:
            self._go()

    def hold(self) -> None:
        """Keep the step from being over, unless it fails, until it is let go on."""
        with self.lock:
            self._held += 1

    def let_go_on(self) -> None:
        """End a hold, and do what was kept back for it."""
        with self.lock:
            self._held -= 1
            self._loops += 1
        self._go()

    def fail(self, error: BaseException) -> None:
        """End this step with an error, unless it is over or has one."""
        with self.lock:
            if self._ended:
                return
            if self.error is None:
                self.error = error
            cancel.ask(self, self._driving - {get_ident()})
            if self._loops:
                return
            self._loops += 1
        self._loop()

    def _go(self) -> None:
        """Drive machines, on this thread or on another."""
        if self._aside is None or self._ended or self.error is not None:
            self._loop()
        else:
            self._aside(self._loop)

    def _loop(self) -> None:
        while True:
            with self._around():
                while (machine := self._chosen()) is not None:
                    self._drive(machine)
            over = self._left()
            if over is not None:
                break
        if over:
            self._end()

    def _chosen(self) -> Machine | None:
        with self.lock:
            if self.error is None and self.idle_work:
                self._driving.add(get_ident())
                return self.idle_work.popleft()
        try:
            self.flush()
        except Exception as error:  # noqa: BLE001  such as a task that is gone
            self.fail(error)
        return None

    def _left(self) -> bool | None:
        """Let this thread leave, and return whether the step is over; None: there is work again."""
        with self.lock:
            if self.error is None and self.idle_work and self._loops == 1:
                return None
            self._loops -= 1
            if self._loops or self._ended:
                return False
            self._ended = self.error is not None or not (self.waits or self._held)
            return self._ended

    def _end(self) -> None:
        """Let go of everything, and tell what came of the step."""
        self._give_up()
        found: list[Arrays] | BaseException | None = self.error
        if found is None:
            try:
                found = self._fetched()
            except BaseException as error:  # noqa: BLE001  it goes to whoever is told
                found = self.error = error
        self.disband()
        self._over(found)

    def _fetched(self) -> list[Arrays]:
        if any(machine.root.left for machine in self.machines):
            stuck([machine.root for machine in self.machines])
        return [machine.fetched() for machine in self.machines]

    def disband(self) -> None:
        """Let go of the machines and their values."""
        super().disband()
        self.flush = _nothing

    def _come_back(self) -> None:
        with self.lock:
            self._driving.discard(get_ident())
            if self.error is not None:
                cancel.back(self)

    def _interrupts(self, machine: Machine) -> bool:
        return self.error is not None


def _nothing() -> None:
    """Do nothing."""


def cancelled() -> CancelledError:
    """Return the error of a step that is given up since it failed elsewhere."""
    return CancelledError("this step has failed in another task")
