"""Team: the machines of one step, one for each device, and the threads that drive them.

There is little to gain from threads where kernels are small, since Python runs one at a time; and
much where they are large. So the thread that runs the step drives all machines in turn, and the
devices' own threads are called only when a kernel that may take long is about to run while another
machine has work. A machine is driven by one thread at a time.

idle_work  machines that have work, and nobody who drives them.
driving    the threads that drive a machine; each drives one.
waits      operators that wait for something outside the step: how to give each up, for what it is.
error      the first thing that went wrong; after it nothing new begins, loops stop at their next
           turn, and the step ends as soon as every thread has come back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from functools import partial
from queue import Empty, SimpleQueue
from threading import RLock, get_ident
from time import monotonic
from typing import Any

from tensorlite.core.deadlock import PERIOD, Stand, Want, standing
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import CancelledError, DeadlineExceededError
from tensorlite.core.provenance import user_line
from tensorlite.core.waiting import Cancel, Waiting
from tensorlite.core.xp import Array, Xp
from tensorlite.runtime import cancel
from tensorlite.runtime.devices import executor
from tensorlite.runtime.frames import Machine
from tensorlite.runtime.iterations import stuck
from tensorlite.runtime.plan import Plan
from tensorlite.runtime.rendezvous import Local, Party, Rendezvous


class Team:
    """The machines of one step."""

    def __init__(self, rendezvous: Rendezvous | None = None) -> None:
        self.rendezvous = rendezvous or Local()
        self.machines: list[Machine] = []
        self.idle_work: deque[Machine] = deque()
        self.waits: dict[Party, tuple[Cancel, Callable[[], Want]]] = {}
        self.error: BaseException | None = None
        self._driving: set[int] = set()
        self._called = 0
        self._resting = False
        # No Condition: an interrupt within one leaves it locked, or unlocked.
        self.lock = RLock()
        self._bell: SimpleQueue[None] = SimpleQueue()

    def add(self, plan: Plan, xp: Xp, device: DeviceName) -> Machine:
        """Return a machine of this team, which runs `plan`."""
        machine = Machine(plan, xp, self, device)
        self.machines.append(machine)
        return machine

    def run(self, timeout: float | None = None) -> None:
        """Drive all machines, with what help there is, until nothing is left to do.

        Raises the first error of any machine; DeadlineExceededError when the step waited until
        `timeout` seconds had passed; GraphError when tasks are left that nothing will wake.
        """
        until = None if timeout is None else monotonic() + timeout
        self.idle_work.extend(self.machines)
        try:
            while (machine := self._next(until)) is not None:
                self._drive(machine)
        except BaseException as error:  # noqa: BLE001  an interrupt ends the step too
            self.fail(error)
        self._end()
        if self.error is not None:
            raise self.error
        if any(machine.root.left for machine in self.machines):
            stuck([machine.root for machine in self.machines])

    def disband(self) -> None:
        """Let go of the machines and their values, as they of this."""
        if self._driving:  # since one interrupt came after another
            self.fail(CancelledError("this step is over"))
        cancel.back(self)
        for machine in self.machines:
            machine.close(failed=self.error is not None)
        self.machines.clear()
        self.idle_work.clear()
        self.rendezvous = Local()
        if self.error is not None:
            self.error = CancelledError("this step is over")

    def wake(self, machine: Machine) -> None:
        """Let a machine be driven that has got something to do."""
        with self.lock:
            if machine.busy:
                return
            machine.busy = True
            self.idle_work.append(machine)
            if self._resting and not self._driving:
                self._ring()

    def call_for_help(self) -> None:
        """Have another thread drive a machine that has work, while this one is in a kernel."""
        with self.lock:
            if self.error is not None:
                raise cancel.stopped()
            if not self.idle_work:
                return
            if self._resting:
                self._ring()
            elif self._called < len(self.idle_work):
                self._called += 1
                executor(self.idle_work[0].device).submit(self._help)

    def wait(self, party: Party, op: Waiting, arrays: Sequence[Array]) -> None:
        """Begin an operator that may wait; its party is told when it is over."""
        if self.error is not None:
            raise cancel.stopped()
        answer = _Answer(self, party)
        give_up = op.start(answer, *arrays)
        with self.lock:
            if not answer.given and give_up is not None:
                self.waits[party] = give_up, partial(op.waits_for, *arrays)

    def answered(self, party: Party, value: Any) -> None:
        """Pass on what came of an operator that waited."""
        party.machine.post((party.iteration, party.task, value, False))
        with self.lock:
            self.waits.pop(party, None)
            if self._resting:
                self._ring()

    def fail(self, error: BaseException) -> None:
        """Take note of what ends this step, if nothing has yet."""
        with self.lock:
            if self.error is None:
                self.error = error
            cancel.ask(self, self._driving - {get_ident()})
            self._ring()

    def _next(self, until: float | None) -> Machine | None:
        """Return a machine to drive, waiting for one; None when the step is over."""
        while True:
            with self.lock:
                if self.error is not None:
                    return None
                if self.idle_work:
                    self._driving.add(get_ident())
                    return self._taken()
                if not self._driving and not self.waits:
                    return None
                self._resting = True
            self._rest(until)

    def _taken(self) -> Machine:
        """Return the machine whose turn it is."""
        return self.idle_work.popleft()

    def _ring(self) -> None:
        """Wake the thread that runs the step; it hears of this if it is about to rest, too."""
        if self._bell.empty():
            self._bell.put(None)

    def _heard(self, seconds: float | None = None) -> bool:
        """Wait for the bell; return whether it rang in time."""
        try:
            self._bell.get(timeout=seconds)
        except Empty:
            return False
        return True

    def _rest(self, until: float | None) -> None:
        """Wait until something has changed; that this thread rests is noted already."""
        try:
            left = None if until is None else until - monotonic()
            if left is not None and left <= 0:
                raise DeadlineExceededError(
                    "Timed out waiting for notification: the step waited too long; it waits for "
                    f"{'; '.join(self.awaited())}"
                )
            if self.error is not None:
                self._heard(left)
                return
            # This step may be within another, which fails.
            with cancel.resting(self.fail):
                if left is None and self.waits:
                    self._stand()
                else:
                    self._heard(left)
        finally:
            self._resting = False

    def _stand(self) -> None:
        """Rest, while it may be that others alone let this step go on, and see if they can."""
        stand = Stand(
            lambda: [want() for _, want in tuple(self.waits.values())],
            lambda: bool(self.idle_work or self._driving or self.error is not None),
            self.fail,
            user_line(),
        )
        with standing(stand) as look:
            if not self._heard(None if look is None else PERIOD) and look is not None:
                look()  # a deadlock may be another step's, which is told of it

    def awaited(self) -> Iterator[str]:
        """Yield what the step waits for, in words."""
        for want in self.wanted():
            yield want.what

    def wanted(self) -> Iterator[Want]:
        """Yield what the step waits for, and for which node."""
        for (machine, iteration, task), (_, told) in tuple(self.waits.items()):
            want, where = told(), machine.describe(iteration, task)
            yield want._replace(what=f"{want.what}, for {where}")
        for (name, _), (machine, iteration, task) in self.rendezvous.waiting():
            where = machine.describe(iteration, task)
            yield Want(f"{name}, not sent yet, for {where}")
        if self._driving:
            yield Want("kernels that run")

    def _drive(self, machine: Machine) -> None:
        """Run a machine until it has nothing to do."""
        try:
            while True:
                machine.drain()
                machine.run()
                if machine.inbox or len(machine.ready) > 0:
                    if self._interrupts(machine):
                        return
                    continue
                machine.busy = False
                if not machine.inbox:
                    return
                with self.lock:
                    if machine.busy:
                        return
                    machine.busy = True
        except CancelledError as error:
            if self.error is None:
                self.fail(error)
        except BaseException as error:  # noqa: BLE001  raised again where the step was called
            self.fail(error)
        finally:
            self._come_back()

    def _come_back(self) -> None:
        """Note that this thread drives no machine any more."""
        with self.lock:
            self._driving.discard(get_ident())
            if self.error is not None:
                cancel.back(self)
            if self._resting and not self._driving:
                self._ring()

    def _interrupts(self, machine: Machine) -> bool:
        """Return whether another machine is to be driven before this one goes on."""
        return self.error is not None

    def _help(self) -> None:
        """Drive machines that have work, on the thread of a device."""
        with self.lock:
            self._called -= 1
        while True:
            with self.lock:
                if self.error is not None or not self.idle_work:
                    return
                self._driving.add(get_ident())
                machine = self._taken()
            self._drive(machine)

    def _end(self) -> None:
        """Give up what still waits, and wait for the threads that have not come back."""
        # An interrupt may have come while this thread had a machine and had not begun to drive it.
        self._come_back()
        self._give_up()
        while self._is_driven():
            self._rest(None)
        # One of these threads may have begun to wait for something meanwhile.
        self._give_up()

    def _is_driven(self) -> bool:
        """Return whether threads drive machines; then this one is about to rest."""
        with self.lock:
            self._resting = bool(self._driving)
            return self._resting

    def _give_up(self) -> None:
        """Give up what still waits, if the step has failed."""
        if self.error is not None:
            with self.lock:
                waits, self.waits = self.waits, {}
            for give_up, _ in waits.values():
                give_up()


class _Answer:
    """What an operator that waits calls when it is over."""

    def __init__(self, team: Team, party: Party) -> None:
        self.team = team
        self.party = party
        self.given = False

    def __call__(self, value: Any) -> None:
        self.given = True
        self.team.answered(self.party, value)


hired: ContextVar[Callable[[], Team]] = ContextVar("hired", default=Team)
"""What makes the team of a step; faults.py sets one that misbehaves on purpose."""


def misbehaves() -> bool:
    """Return whether the steps of this thread are to run on a team that was asked to misbehave."""
    return hired.get() is not Team


def assembled() -> Team:
    """Return a team without machines, for a step that begins."""
    return hired.get()()
