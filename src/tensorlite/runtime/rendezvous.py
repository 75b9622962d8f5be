"""Rendezvous: where the Sends and Recvs of one step meet. Who then does what is in frames.py.

A transfer is known by its name and the iterations that both ends are in, so that turns of a loop
can be under way at once. Whoever comes first leaves word; the second finds it. A Send counts as
run when its value has been taken, so that a device is never further ahead of another than
`parallel_iterations` allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

from tensorlite.core.device import DeviceName
from tensorlite.runtime import timeline

Tag = tuple[int, ...]
"""The number of the iteration in each frame around, outermost first."""
Key = tuple[str, Tag]


class Party(NamedTuple):
    """One end of a transfer: the machine, the iteration and the task to be told."""

    machine: Any
    iteration: Any
    task: int


class Offer(NamedTuple):
    """What a Send leaves: who it is, and a value or that it is dead."""

    party: Party
    value: Any
    dead: bool
    sent: int = 0
    """When, by the timeline's clock, if there is one."""


def name_of(op: Any) -> str:
    """Return the name under which a Send and a Recv meet."""
    return f"{op.tensor_name} from {op.send_device} to {op.recv_device}"


def ends_of(name: str) -> tuple[str, DeviceName, DeviceName]:
    """Return what is sent under a name, and from where to where."""
    rest, _, target = name.rpartition(" to ")
    what, _, source = rest.rpartition(" from ")
    return what, DeviceName.parse(source), DeviceName.parse(target)


class Rendezvous(Protocol):
    """What a machine sends by and receives by; `Local` is the one within a process."""

    def send(self, key: Key, party: Party, value: Any, dead: bool) -> bool:
        """Hand a value over; return whether it was taken, else the party is told when it is."""

    def receive(self, key: Key, party: Party) -> Offer | None:
        """Return what was sent, or None: then the party is given it when it is."""

    def waiting(self) -> Iterator[tuple[Key, Party]]:
        """Yield what is waited for and was not sent, and who waits."""


class Local:
    """The rendezvous of a step whose devices are all in this process.

    Both ends do one `setdefault`, which nothing comes between: who gets the own word back was
    first.
    """

    def __init__(self) -> None:
        self._words: dict[Key, Any] = {}

    def send(self, key: Key, party: Party, value: Any, dead: bool) -> bool:
        """Hand a value over; return whether it was taken, else the party is told when it is."""
        recorder = timeline.current()
        sent = 0 if recorder is None else timeline.clock()
        offer = Offer(party, value, dead, sent)
        found = self._words.setdefault(key, offer)
        if found is offer:
            return False
        del self._words[key]
        if recorder is not None:
            _note(recorder, key, offer, found)
        machine, iteration, task = found
        machine.post((iteration, task, value, dead))
        return True

    def receive(self, key: Key, party: Party) -> Offer | None:
        """Return what was sent, or None: then the party is given it when it is."""
        found = self._words.setdefault(key, party)
        if found is party:
            return None
        del self._words[key]
        assert isinstance(found, Offer)
        recorder = timeline.current()
        if recorder is not None:
            _note(recorder, key, found, party)
        machine, iteration, task = found.party
        machine.post((iteration, task, None, False))
        return found

    def waiting(self) -> Iterator[tuple[Key, Party]]:
        """Yield what is waited for and was not sent, and who waits."""
        for key, word in tuple(self._words.items()):
            if isinstance(word, Party):
                yield key, word


def _note(recorder: timeline.Recorder, key: Key, offer: Offer, to: Party) -> None:
    """Note a transfer of a living value in the timeline."""
    if not offer.dead and offer.sent:
        source = timeline.placed(offer.party.machine.device)
        target = timeline.placed(to.machine.device)
        size = getattr(offer.value, "nbytes", 0)
        name = key[0].partition(" from ")[0]
        recorder.transfer(name, source, target, size, offer.sent, timeline.clock())
