"""Tasks in processes of their own: thousands of messages, and one that is killed."""

from __future__ import annotations

import signal
from pathlib import Path

import numpy as np
import pytest

from tensorlite.core.errors import UnavailableError
from tensorlite.distributed.transport.parcels import Parcel
from tests.distributed.pairs import WAYS, Receiver, key, options
from tests.distributed.task import MASTER, made, started
from tests.distributed.values import same


@pytest.mark.cluster
@pytest.mark.parametrize("way", WAYS)
def test_thousands_of_messages_in_both_directions(way: str, tmp_path: Path) -> None:
    chosen = options(way, tmp_path)
    plane = made(MASTER, chosen)
    with started(plane, chosen, "exchange"):
        receiver = Receiver(plane, "b")
        for step in range(1, 1001):
            values = [
                np.array(step),
                np.arange(step),
                np.full(20_000, step, np.int64),
            ]
            plane.send_all(
                "b", step, [Parcel(key("x", i), v) for i, v in enumerate(values)]
            )
            for i, value in enumerate(values):
                same(receiver.take(step, key("own", i)), value)
                same(receiver.take(step, key("twice", i)), 2 * value)
        assert plane.traffic()["b"].messages_in == 6000
    plane.close()


@pytest.mark.parametrize("way", ["unix", "tcp"])
def test_a_killed_task_is_named_at_once_and_comes_back(
    way: str, tmp_path: Path
) -> None:
    chosen = options(way, tmp_path)
    plane = made(MASTER, chosen)
    receiver = Receiver(plane, "b")
    for incarnation in (1, 2):
        with started(plane, chosen, "stay", incarnation) as (_, process):
            plane.connect("b")
            waits = [receiver.ask(incarnation, key("x", i)) for i in range(3)]
            assert all(waits)
            process.send_signal(signal.SIGKILL)
            for _ in waits:
                with pytest.raises(
                    UnavailableError, match=rf"task b \(incarnation 0x{incarnation}\)"
                ):
                    receiver.get()
    plane.close()
