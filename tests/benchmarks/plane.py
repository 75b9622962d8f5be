"""The data plane between processes: `python -m tests.benchmarks.plane`.

First commands, which the other tasks answer from the threads that bring them: to and fro, and a
step with parameter servers (the client tells a worker and two servers, these send the worker a
scalar each, it sends one back to each, all three tell the client). Then arrays, each of which is
acknowledged by the thread that has asked for it. Beside each number stands what sockets alone
took, in a prototype that had no threads.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from tensorlite.distributed.transport.carrier import COMMAND
from tensorlite.distributed.transport.endpoints import Address
from tensorlite.distributed.transport.plane import Plane
from tests.distributed.pairs import Receiver, key, options
from tests.distributed.task import MASTER, SERVERS, WORKER, made, started

SIZES = {"4 KB": 4_000, "100 KB": 100_000, "1 MB": 1_000_000} | {
    "10 MB": 10_000_000,
    "100 MB": 100_000_000,
}
PROTOTYPE = {
    "unix, segments": (10, 12, 62, 839, 16_500),
    "unix, inline": (10, 17, 158, 1_767, 27_800),
    "tcp": (11, 18, 163, 4_497, 50_700),
    "tls": (28, 96, 859, 12_061, 123_600),
}
"""Microseconds, on two shared cores."""
STEPS = {"unix, segments": 303, "tcp": 330, "tls": 408}
"""Microseconds of a step with parameter servers, there."""
TRIALS = 2_000
SECONDS = 1.0
"""For each entry of the table, whichever is less."""
RUNS = 3
"""Of each, of which the best median counts: others may be using the machine."""


def ways(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each way of being linked, and how planes are made for it."""
    yield "unix, segments", {}
    yield "unix, inline", {"limits": {"inline": 1 << 40}}
    yield "tcp", options("tcp", folder)
    yield "tls", options("tls", folder)


def measured(work: Callable[[], object]) -> float:
    """Return how long a call takes, in microseconds: the best of several medians."""
    found = []
    for _ in range(RUNS):
        taken: list[float] = []
        end = perf_counter() + SECONDS / RUNS
        while len(taken) < TRIALS and (perf_counter() < end or len(taken) < 3):
            begin = perf_counter()
            work()
            taken.append(perf_counter() - begin)
        found.append(1e6 * median(taken[len(taken) // 10 :]))
    return min(found)


class Client:
    """Sends commands and waits until as many have come."""

    def __init__(self, plane: Plane) -> None:
        self.plane = plane
        self.came = 0
        plane.serve(self._take, lambda *_: None)

    def _take(self, *_: Any) -> None:
        self.came += 1
        self.plane.wake()

    def turn(self, tasks: tuple[str, ...], value: Any) -> None:
        """Send a command to each task, and wait for its answer."""
        self.came = 0
        for task in tasks:
            self.plane.send(task, COMMAND, ("run", ()), value, dead=value is None)
        assert self.plane.wait(lambda: self.came == len(tasks), 60)


def to_and_fro(chosen: dict[str, Any]) -> float:
    """Return the time that a command of 4 KB and its like as an answer take."""
    plane = made(MASTER, chosen)
    with started(plane, chosen, "echo"):
        client, value = Client(plane), np.zeros(4_000, np.uint8)
        found = measured(lambda: client.turn(("b",), value))
    plane.close()
    return found


def step(chosen: dict[str, Any]) -> float:
    """Return the time that a step with two parameter servers takes."""
    plane = made(MASTER, chosen)
    with ExitStack() as processes:
        others: dict[str, Address] = {}
        for task in (*SERVERS, WORKER):
            work = "train" if task == WORKER else "keep"
            process = started(plane, chosen, work, task=task, others=others)
            address, _ = processes.enter_context(process)
            others[task] = address
        client, tasks = Client(plane), (WORKER, *SERVERS)
        found = measured(lambda: client.turn(tasks, None))
    plane.close()
    return found


def transfers(chosen: dict[str, Any], sizes: list[int]) -> Iterator[float]:
    """Yield the time that each size takes."""
    plane = made(MASTER, chosen)
    with started(plane, chosen, "acknowledge"):
        receiver = Receiver(plane, "b")
        steps = iter(range(1, 1 << 60))

        def send(array: Any) -> None:
            now = next(steps)
            plane.send("b", now, key("x"), array)
            receiver.take(now, key("taken"))

        for size in sizes:
            array = np.zeros(size, np.uint8)
            yield measured(lambda: send(array))  # noqa: B023  called at once
        plane.send("b", next(steps), key("x"), None, dead=True)
    plane.close()


def report() -> Iterator[str]:
    """Yield the lines of the tables."""
    with tempfile.TemporaryDirectory() as folder:
        yield "commands, microseconds (prototype)   4 KB to and fro    step, 2 ps   steps/s"
        for way, chosen in ways(Path(folder)):
            there, before = step(chosen), STEPS.get(way, 0)
            yield (
                f"{way:<34}{to_and_fro(chosen):>18,.0f}{there:>8,.0f} ({before})"
                f"{1e6 / there:>10,.0f}"
            )
        titles = "".join(f"{size:>20}" for size in SIZES)
        yield f"{'microseconds (prototype)':<26}{titles}"
        for way, chosen in ways(Path(folder)):
            found = zip(
                transfers(chosen, [*SIZES.values()]), PROTOTYPE[way], strict=True
            )
            cells = [f"{time:,.0f} ({before:,})" for time, before in found]
            yield f"{way:<26}" + "".join(f"{cell:>20}" for cell in cells)


if __name__ == "__main__":
    for line in report():
        print(line, flush=True)
