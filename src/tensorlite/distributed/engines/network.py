"""Network: the simulated network of a cluster that runs in one process, and who waits there.

What travels and what goes wrong on the way is simulated.py's; who the tasks are, inprocess.py's.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from tensorlite.core.errors import DeadlockError
from tensorlite.distributed.engines.events import Faults, Happening
from tensorlite.distributed.engines.simulated import Medium, SimulatedCarrier, Wait
from tensorlite.distributed.transport.messages import Limits

TOLD = 10
"""What went wrong last, as far as an error says it."""


class Network(Medium):
    """Carriers that are linked in this process, in virtual time, with faults drawn from a seed.

    >>> network = Network(seed=17)
    >>> a, b = network.carrier("a"), network.carrier("b")
    >>> a.meet("b", b.address, b.incarnation)
    >>> came = []
    >>> a.send("b", 1, ("x", ()), 2.5)
    >>> _ = b.receive("a", 1, ("x", ()), came.append)
    >>> b.wait(lambda: bool(came)), came[0].value.item()
    (True, 2.5)
    """

    def __init__(
        self,
        seed: int = 0,
        faults: Faults | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(seed, faults or Faults(), limits or Limits(), self._stuck)
        self._addresses = count(1)

    @property
    def log(self) -> list[Happening]:
        """What went wrong, from the beginning on."""
        return self.events.log

    def carrier(
        self, task: str, incarnation: int = 1, mortal: bool = False
    ) -> SimulatedCarrier:
        """Return what a task sends and receives by; one that is mortal may be killed."""
        path = f"{task}#{next(self._addresses)}"
        made = SimulatedCarrier(self, task, incarnation, path, mortal)
        self.listening[path] = made
        return made

    def kill(self, carrier: SimulatedCarrier, why: str = "killed") -> None:
        """End a carrier without a word; the others notice when some time has passed."""
        if not carrier.alive:
            return
        self.events.note(f"{why} {carrier.task}")
        for end in carrier.vanish():
            notice = self.events.draw(self.faults.notice)
            end.twin.lose(notice, f"it was killed at {self.events.when()}")

    def cut(self, task: str, other: str) -> None:
        """Cut the link between two tasks: what is under way is lost, and nobody is told yet."""
        for carrier in list(self.listening.values()):
            end = carrier.end_of(other) if carrier.task == task else None
            if end is not None:
                end.sever()

    def waits(self) -> Iterator[Wait]:
        """Yield what is waited for."""
        for carrier in sorted(self.listening.values(), key=lambda x: x.task):
            yield from carrier.waits()

    def _stuck(self) -> DeadlockError:
        """Return an error that says who waits for what, and who is to blame."""
        waits = list(self.waits())
        lines = [
            f"{wait.task} waits for {wait.what}"
            + (
                f" from {wait.source}{self._state(wait.source)}"
                if wait.source
                else ""
            )
            for wait in waits
            if wait.what
        ] or ["no task waits for anything but the call that was made here"]
        idle = {wait.source for wait in waits} - {wait.task for wait in waits} - {""}
        blamed = "".join(
            f"; {task}{self._state(task)} is waited for and waits for nothing itself"
            for task in sorted(idle)
        )
        before = [str(each) for each in self.log[-TOLD:]] or ["nothing"]
        return DeadlockError(
            f"deadlock: nothing is left to happen at {self.events.when()}:\n  "
            + ";\n  ".join(lines)
            + blamed
            + f".\nWhat went wrong before: {'; '.join(before)}. The same seed shows it again"
        )

    def _state(self, task: str) -> str:
        found = [x for x in self.listening.values() if x.task == task]
        return "" if found else " (which does not run)"
