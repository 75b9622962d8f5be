"""Carriers without sockets: a network in one process, which delivers in an order from a seed.

Nothing happens but in `run`. All that is sent is copied, so that who changes it later is found
out; what was received may be written to by nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from mmap import mmap
from random import Random
from typing import Any

import numpy as np

from tensorlite.core.containers import Room
from tensorlite.core.errors import NotFoundError, UnavailableError
from tensorlite.core.waiting import Cancel, ended
from tensorlite.distributed.transport.arrivals import Arrival, Done
from tensorlite.distributed.transport.boards import Board
from tensorlite.distributed.transport.carrier import Lost, Serve
from tensorlite.distributed.transport.endpoints import Address
from tensorlite.distributed.transport.messages import raw
from tensorlite.distributed.transport.parcels import Parcel, Traffic
from tensorlite.runtime.rendezvous import Key

Where = tuple[str, int, Key]


class Net:
    """Carriers that reach each other."""

    def __init__(self, tasks: Sequence[str], seed: int = 0) -> None:
        self.random = Random(seed)  # noqa: S311  order, not secrets
        self.events: list[Callable[[], object]] = []
        self.lost: set[str] = set()
        self.sent = 0
        self.carriers = {task: Loop(self, task) for task in tasks}

    def run(self, most: int | None = None) -> None:
        """Let all happen that is to, or so many events."""
        while self.events and most != 0:
            self.events.pop(self.random.randrange(len(self.events)))()
            most = None if most is None else most - 1

    def lose(self, task: str) -> None:
        """End a task; who waits for it is told."""
        self.lost.add(task)
        for carrier in self.carriers.values():
            if carrier.task != task:
                self.events.append(partial(carrier.told, task))


class Loop:
    """What one of them sends and receives by."""

    incarnation = 1
    room: Room | None = None
    board: Board | None = None
    """None, unless a test gives it one."""
    address = Address("here", "", None)

    def __init__(self, net: Net, task: str) -> None:
        self.net = net
        self.task = task
        self.came: dict[Where, Arrival] = {}
        self.asked: dict[Where, Done] = {}
        self.gone: set[str] = set()

    def send(
        self, task: str, step: int, key: Key, value: Any, dead: bool = False
    ) -> None:
        self.send_all(task, step, [Parcel(key, value, dead)])

    def send_all(self, task: str, step: int, parcels: Sequence[Parcel]) -> None:
        self._known(task)
        if task in self.net.lost:
            raise self._unavailable(task)
        if self.task in self.net.lost:
            return
        to = self.net.carriers[task]
        for key, value, dead in parcels:
            self.net.sent += 1
            copied = np.array(raw(value)[2] if isinstance(value, bytes) else value)
            copied.flags.writeable = False
            arrive = partial(to.arrive, (self.task, step, key), Arrival(copied, dead))
            self.net.events.append(arrive)

    def receive(self, task: str, step: int, key: Key, done: Done) -> Cancel | None:
        self._known(task)
        where = task, step, key
        if where in self.came:
            done(self.came.pop(where))
            return None
        if task in self.gone:
            done(self._unavailable(task))
            return None
        assert where not in self.asked, f"{where} is asked for twice"
        self.asked[where] = done
        return partial(self.asked.pop, where, None)

    def arrive(self, where: Where, arrival: Arrival) -> None:
        if self.task in self.net.lost or where[0] in self.gone:
            return
        assert where not in self.came, f"{where} came twice"
        done = self.asked.pop(where, None)
        if done is None:
            self.came[where] = arrival
        else:
            done(arrival)

    def told(self, task: str) -> None:
        self.gone.add(task)
        for where in [where for where in self.asked if where[0] == task]:
            done = self.asked.pop(where, None)
            if done is not None:
                done(self._unavailable(task))

    def now(self) -> float:
        return 0.0

    def later(self, work: Callable[[], object], device: str = "") -> None:
        self.net.events.append(work)

    def wait(self, until: Callable[[], bool], timeout: float | None = None) -> bool:
        while not until() and self.net.events:
            self.net.run(1)
        return until()

    def wake(self) -> None:
        """Nobody waits."""

    def waiting(self, step: int) -> Iterator[tuple[str, Key]]:
        for task, number, key in self.asked:
            if number == step:
                yield task, key

    def forget(self, step: int) -> None:
        for words in (self.came, self.asked):
            for where in [where for where in words if where[1] == step]:
                del words[where]

    def meet(self, task: str, address: Address, incarnation: int) -> None:
        raise NotImplementedError

    def connect(self, task: str) -> None:
        self._known(task)

    def serve(self, command: Serve, lost: Lost) -> None:
        raise NotImplementedError

    def board_of(self, task: str) -> mmap | None:
        board = self.net.carriers[task].board
        return None if board is None else board.memory

    def traffic(self) -> Mapping[str, Traffic]:
        return {}

    def close(self) -> None:
        self.net.lost.add(self.task)

    def _known(self, task: str) -> None:
        if task not in self.net.carriers:
            raise NotFoundError(f"there is no task {task!r}")

    @staticmethod
    def _unavailable(task: str) -> UnavailableError:
        error = ended(UnavailableError(f"task {task} is gone"))
        assert isinstance(error, UnavailableError)
        return error
