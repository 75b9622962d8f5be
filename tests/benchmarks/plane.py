"""Send and acknowledge between two processes: `python -m tests.benchmarks.plane`.

One task sends an array and waits for a small answer, which the other gives when it has the array.
Beside each time stands what sockets alone took for it, in a prototype that had no threads.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from tests.distributed.pairs import Receiver, key, options
from tests.distributed.task import MASTER, made, started

SIZES = {"4 KB": 4_000, "100 KB": 100_000, "1 MB": 1_000_000, "10 MB": 10_000_000}
PROTOTYPE = {
    "unix, segments": (10, 12, 62, 839),
    "unix, inline": (10, 17, 158, 1_767),
    "tcp": (11, 18, 163, 4_497),
    "tls": (28, 96, 859, 12_061),
}
"""Microseconds, on two shared cores."""
TRIALS = 2_000
SECONDS = 1.0
"""For each entry of the table, whichever is less."""


def ways(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each way of being linked, and how planes are made for it."""
    yield "unix, segments", {}
    yield "unix, inline", {"limits": {"inline": 1 << 40}}
    yield "tcp", options("tcp", folder)
    yield "tls", options("tls", folder)


def times(chosen: dict[str, Any], sizes: list[int]) -> list[float]:
    """Return the median time that each size takes, in microseconds."""
    plane = made(MASTER, chosen)
    found = []
    with started(plane, chosen, "acknowledge"):
        receiver = Receiver(plane, "b")
        step = 1
        for size in sizes:
            array = np.zeros(size, np.uint8)
            taken: list[float] = []
            end = perf_counter() + SECONDS
            while len(taken) < TRIALS and perf_counter() < end:
                begin = perf_counter()
                plane.send("b", step, key("x"), array)
                receiver.take(step, key("taken"))
                taken.append(perf_counter() - begin)
                step += 1
            found.append(1e6 * median(taken[len(taken) // 10 :]))
        plane.send("b", step, key("x"), None, dead=True)
    plane.close()
    return found


def report() -> list[str]:
    """Return the table's lines."""
    lines = [f"{'microseconds (prototype)':<26}" + "".join(f"{s:>20}" for s in SIZES)]
    with tempfile.TemporaryDirectory() as folder:
        for way, chosen in ways(Path(folder)):
            measured = zip(
                times(chosen, [*SIZES.values()]), PROTOTYPE[way], strict=True
            )
            cells = [f"{time:,.0f} ({before:,})" for time, before in measured]
            lines.append(f"{way:<26}" + "".join(f"{cell:>20}" for cell in cells))
    return lines


if __name__ == "__main__":
    print("\n".join(report()))
