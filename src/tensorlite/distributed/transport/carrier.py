"""Carrier: what a task sends and receives by. Plane is one; engines/simulated.py has another.

Messages are of two kinds: the tensors of a step, which are kept until they are asked for by step
and key, and commands, whose step is 0, which are handed to whoever serves them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from mmap import mmap
from typing import Protocol, TypeAlias

from tensorlite.core.containers import Room
from tensorlite.core.waiting import Cancel
from tensorlite.core.xp import Array
from tensorlite.distributed.transport.arrivals import Done
from tensorlite.distributed.transport.boards import Board
from tensorlite.distributed.transport.endpoints import Address
from tensorlite.distributed.transport.parcels import Parcel, Traffic
from tensorlite.runtime.rendezvous import Key

COMMAND = 0
"""The step that commands bear."""

Serve: TypeAlias = Callable[[str, Key, Array | None], object]
"""Takes a command: from which task, its key and its payload. It may not wait."""
Lost: TypeAlias = Callable[[str, str], object]
"""Is told of a task whose link has ended, and why. It may not wait."""


def command(key: Key, payload: Array | None = None) -> Parcel:
    """Return a command to be sent."""
    return Parcel(key, payload, payload is None)


class Carrier(Protocol):
    """What a task sends and receives by."""

    task: str
    incarnation: int
    address: Address
    room: Room | None
    """Where large values are to be computed that are sent often; None: anywhere."""
    board: Board | None
    """What the other tasks of this host may look into; None: nothing."""

    def meet(self, task: str, address: Address, incarnation: int) -> None:
        """Learn where a task listens, or that it has been started anew."""

    def connect(self, task: str) -> None:
        """Link this task with another, unless it is; UnavailableError when that cannot be."""

    def serve(self, command: Serve, lost: Lost) -> None:
        """Hand commands to `command` from now on, and tell `lost` of links that end."""

    def send(
        self, task: str, step: int, key: Key, value: object, dead: bool = False
    ) -> None:
        """Send a value; return when it may be changed again; UnavailableError when it cannot."""

    def send_all(self, task: str, step: int, parcels: Sequence[Parcel]) -> None:
        """Send values that are ready together, together."""

    def receive(self, task: str, step: int, key: Key, done: Done) -> Cancel | None:
        """Call `done` with the Arrival that `task` sends, or with the UnavailableError."""

    def forget(self, step: int) -> None:
        """Drop all that came in a step, is waited for in it, or comes later: it is over."""

    def waiting(self, step: int) -> Iterator[tuple[str, Key]]:
        """Yield the task and key of each value of a step that is waited for."""

    def board_of(self, task: str) -> mmap | None:
        """Return the board of a task that is linked, if there is one to look into."""

    def traffic(self) -> Mapping[str, Traffic]:
        """Return what went to and came from each task."""

    def wait(self, until: Callable[[], bool], timeout: float | None = None) -> bool:
        """Hold up this thread until `until()` is true; return whether it was in time.

        Whoever makes it true calls `wake` after that.
        """

    def wake(self) -> None:
        """Let those who wait look again."""

    def now(self) -> float:
        """Return the seconds since some time, by the clock that waits go by."""

    def later(self, work: Callable[[], object], device: str = "") -> None:
        """Run `work` soon, on another thread where there are such: it may take long."""

    def close(self) -> None:
        """End all links and listen no more; who waits is told."""
