"""Memory is bounded whoever floods: a stranger, or a task that sends more than is taken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tensorlite.core.errors import UnavailableError
from tensorlite.distributed.transport.carrier import COMMAND, Carrier
from tensorlite.distributed.transport.endpoints import Address
from tensorlite.distributed.transport.plane import STRANGERS
from tests.distributed.conftest import descriptors
from tests.distributed.pairs import Receiver, key, options, pair, plane
from tests.distributed.task import ENVIRONMENT, MASTER, ROOT, made, started
from tests.distributed.test_commands import Served
from tests.threads import Background, until

MIB = 1 << 20
CALLS = {"unix": 20_000, "tcp": 3000, "tls": 3000}
ENDLESS = 1 << 40


def resident(process: int) -> int:
    """Return the bytes of memory that a process has to itself, segments included."""
    lines = Path(f"/proc/{process}/status").read_text("ascii").splitlines()
    sizes = dict(line.split(":") for line in lines if line.startswith("Rss"))
    return 1024 * sum(int(size.split()[0]) for size in sizes.values())


@contextmanager
def stranger(address: Address, calls: int) -> Iterator[subprocess.Popen[bytes]]:
    """Give a process without keys that calls so often where a task listens."""
    command = (sys.executable, "-m", "tests.distributed.flood")
    with subprocess.Popen(
        [*command, str(calls), json.dumps(address)],
        cwd=ROOT,
        env={**os.environ, **ENVIRONMENT},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.cluster
@pytest.mark.parametrize("way", ["unix", "tcp", "tls"])
def test_a_stranger_that_floods_changes_nothing(way: str, tmp_path: Path) -> None:
    with pair(way, tmp_path) as (a, b):
        served = Served(b)
        a.connect("b")
        before = resident(os.getpid()), threading.active_count(), len(descriptors())
        most = [0, 0, 0]
        with stranger(b.address, CALLS[way]) as process:
            step = 0
            while process.poll() is None:
                step += 1
                a.send("b", step, key("x"), np.full(30_000, step))
                a.send("b", COMMAND, key("run"), np.array(step))
                assert (Receiver(b, "a").take(step, key("x")) == step).all()
                now = (
                    resident(os.getpid()),
                    threading.active_count(),
                    len(descriptors()),
                )
                most = [max(both) for both in zip(most, now, strict=True)]
            assert process.returncode == 0
        assert [one[2] for one in served.wait(step)] == [*range(1, step + 1)]
        assert most[0] < before[0] + 64 * MIB
        assert most[1] <= before[1] + 2 * STRANGERS
        assert most[2] <= before[2] + 2 * (2 * STRANGERS + 1) + 200
        assert set(b.traffic()) == {"a"}
        assert len(served.told) == step
        until(lambda: not b._answering)


@pytest.mark.cluster
def test_a_task_gets_through_a_flood(tmp_path: Path) -> None:
    with pair("tcp", tmp_path) as (_, b):
        with stranger(b.address, ENDLESS) as process:
            until(lambda: len(b.refused) > 5)
            for incarnation in range(1, 6):
                other = plane("c", "tcp", tmp_path, incarnation=incarnation)
                other.meet("b", b.address, 1)
                other.send("b", incarnation, key("x"), np.array(incarnation))
                assert Receiver(b, "c").take(incarnation, key("x")) == incarnation
                other.close()
            assert process.poll() is None
        assert set(b.traffic()) == {"a", "c"}


@pytest.mark.cluster
@pytest.mark.parametrize("way", ["unix", "tcp"])
def test_memory_is_bounded_when_nobody_takes(way: str, tmp_path: Path) -> None:
    """A gigabyte is sent to a task that takes nothing: neither keeps more than the window."""
    chosen = options(way, tmp_path)
    sender = made(MASTER, chosen)
    with started(sender, chosen, "stay") as (_, process):
        sender.connect("b")
        before = [resident(one) for one in (os.getpid(), process.pid)]
        value = np.ones(2 * MIB, np.uint8)
        sent: list[int] = []

        def send() -> None:
            for step in range(1, 513):
                sender.send("b", step, key("x"), value)
                sent.append(step)

        work = Background(send)
        until(lambda: bool(sent))
        until(lambda: _rests(sender, sent))
        assert 5 < len(sent) < 40
        after = [resident(one) for one in (os.getpid(), process.pid)]
        for now, then in zip(after, before, strict=True):
            assert now < then + 2 * 64 * MIB + 32 * MIB
        process.kill()
        with pytest.raises(UnavailableError, match="task b"):
            work.result()
    sender.close()


def _rests(carrier: Carrier, listed: list[int]) -> bool:
    """Return whether a list stays as long as it is for a while."""
    count = len(listed)
    return not carrier.wait(lambda: len(listed) > count, 0.5)
