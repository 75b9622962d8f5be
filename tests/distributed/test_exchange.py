"""Exchange: what several threads of one step send at once."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from threading import Lock, Thread
from typing import Any

import pytest

from tensorlite.distributed.exchange import Exchange
from tensorlite.distributed.registered import Route
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.runtime.unattended import Unattended

SENDERS, EACH = 4, 20_000
OTHER = "/job:ps/task:0"


class Recorder:
    """A carrier that keeps what it is given."""

    task = "/job:worker/task:0"

    def __init__(self) -> None:
        self.sent: list[tuple[str, tuple[int, ...]]] = []
        self._lock = Lock()

    def send_all(self, task: str, step: int, parcels: Sequence[Parcel]) -> None:
        assert (task, step) == (OTHER, 7)
        with self._lock:
            self.sent += [parcel.key for parcel in parcels]


@pytest.fixture
def eager_switches() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_switches")
def test_nothing_is_left_behind_by_threads_that_send_and_flush_at_once() -> None:
    carrier, team, failed = Recorder(), Unattended(lambda _: None), []
    made: Any = carrier
    exchange = Exchange(
        made, 7, {f"x{i}": Route(OTHER, False) for i in range(SENDERS)}, team
    )
    party: Any = None

    def send(name: str) -> None:
        try:
            for turn in range(EACH):
                exchange.send((name, (turn,)), party, None, dead=True)
                exchange.flush()
        except Exception as error:  # noqa: BLE001  the test is told
            failed.append(error)

    threads = [Thread(target=send, args=(f"x{i}",)) for i in range(SENDERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    wanted = {(f"x{i}", (turn,)) for i in range(SENDERS) for turn in range(EACH)}
    assert len(carrier.sent) == len(wanted)
    assert set(carrier.sent) == wanted
