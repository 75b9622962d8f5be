"""Two carriers of any kind that know each other, what they are told, and simulated networks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tensorlite.core.errors import TensorliteError
from tensorlite.distributed.engines.events import Faults
from tensorlite.distributed.engines.network import Network
from tensorlite.distributed.transport.arrivals import Arrival
from tensorlite.distributed.transport.carrier import Carrier
from tensorlite.distributed.transport.messages import Limits
from tests.distributed.pairs import pair, plane
from tests.threads import LONG

LIMITS = Limits(payload=1 << 22)
WAYS = ("network", "unix")


class Pair(NamedTuple):
    """Two carriers that know each other, and what makes the second one anew."""

    a: Carrier
    b: Carrier
    again: Callable[[int], Carrier]


@contextmanager
def two(way: str, folder: Path) -> Iterator[Pair]:
    """Give two carriers, 'a' and 'b'."""
    if way == "network":
        network = Network(seed=3, limits=LIMITS)
        a, b = network.carrier("a"), network.carrier("b")
        a.meet("b", b.address, 1)
        b.meet("a", a.address, 1)
        yield Pair(a, b, lambda incarnation: network.carrier("b", incarnation))
        return
    made = []

    def again(incarnation: int) -> Carrier:
        made.append(plane("b", way, folder, incarnation=incarnation))
        return made[-1]

    with pair(way, folder, limits=LIMITS) as (x, y):
        try:
            yield Pair(x, y, again)
        finally:
            for each in made:
                each.close()


class Answers:
    """What a carrier was asked for and got, and the commands and losses it was told of."""

    def __init__(self, carrier: Carrier) -> None:
        self.carrier = carrier
        self.came: list[Any] = []
        self.commands: list[Any] = []
        self.lost: list[tuple[str, str]] = []

    def serve(self) -> None:
        self.carrier.serve(
            lambda task, asked, value: self._note(
                self.commands, (task, asked, value)
            ),
            lambda task, reason: self._note(self.lost, (task, reason)),
        )

    def ask(self, task: str, step: int, asked: Any) -> Any:
        return self.carrier.receive(
            task, step, asked, lambda answer: self._note(self.came, answer)
        )

    def after(self, listed: list[Any], count: int) -> list[Any]:
        """Return what came, once there is enough."""
        assert self.carrier.wait(lambda: len(listed) >= count, LONG)
        return listed

    def take(self, task: str, step: int, asked: Any) -> Any:
        """Return the value of a key."""
        self.came.clear()
        self.ask(task, step, asked)
        answer = self.after(self.came, 1)[0]
        if isinstance(answer, TensorliteError):
            raise answer
        assert isinstance(answer, Arrival)
        return answer.value

    def _note(self, listed: list[Any], what: Any) -> None:
        listed.append(what)
        self.carrier.wake()


def linked(
    seed: int = 0, faults: Faults | None = None, tasks: str = "ab"
) -> tuple[Network, list[Any]]:
    """Return a network and carriers that know each other."""
    network = Network(seed, faults)
    made = [network.carrier(task) for task in tasks]
    for one in made:
        for other in made:
            if other is not one:
                one.meet(other.task, other.address, 1)
    return network, made
