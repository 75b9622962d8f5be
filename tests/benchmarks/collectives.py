"""All-reduce between processes of a host, beside MPI: `python -m tests.benchmarks.collectives`.

MPI is measured with the Python that TENSORLITE_BENCH_MPI names, which has mpi4py and an mpiexec
beside it. Each is given the room for its outcome; ours finds what it reduces where the package puts
gradients. (MPI takes as long with memory of `MPI.Alloc_mem`.) Options choose the numbers of tasks,
the bytes and the algorithm: `--tasks 2 --bytes 4000 1000000 --algorithm ring`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from tensorlite.distributed.collectives.all_reduce_op import SHARED
from tensorlite.distributed.collectives.collectives import all_reduce, group_of
from tensorlite.distributed.collectives.gradients import LIMIT
from tensorlite.distributed.transport.endpoints import Address
from tensorlite.distributed.transport.plane import Plane

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {"PYTHONPATH": f"{ROOT}/src:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
SECRET = b"for measuring only"
TASKS = (2, 4)
BYTES = (4_000, 1_000_000, 100_000_000)
TARGETS = {4_000: 8.0, 1_000_000: 1.0, 100_000_000: 0.5}
"""The most that ours may take, as a multiple of MPI's time, between two tasks."""
ROUNDS = 5
"""Ours and MPI's are measured in turns, and the best round of each counts."""
SECONDS = 1.0
"""For each size, whichever is less; but not below 5 times."""
TRIALS = 1_000

MPI = """
import json, sys, time
import numpy as np
from mpi4py import MPI
comm = MPI.COMM_WORLD
for nbytes, count in json.loads(sys.argv[1]):
    x, y = np.ones(nbytes // 4, np.float32), np.empty(nbytes // 4, np.float32)
    taken = []
    for _ in range(count):
        begin = time.perf_counter()
        comm.Allreduce(x, y)
        taken.append(time.perf_counter() - begin)
    if comm.rank == 0:
        print(json.dumps(taken), flush=True)
"""


def trials(nbytes: int) -> int:
    """Return how often a size is measured."""
    return int(min(TRIALS, max(5, SECONDS * 2e9 / (nbytes + 1e6))))


def times(reduce: Callable[[int], object], count: int) -> list[float]:
    """Return the seconds that each call takes, but for the first ones."""
    taken = []
    for i in range(count):
        begin = perf_counter()
        reduce(i)
        taken.append(perf_counter() - begin)
    return taken[count // 10 :]


def gradients(plane: Plane, nbytes: int) -> Any:
    """Return an array that lies where buckets of gradients do; larger ones are in none."""
    shape, dtype = (nbytes // 4,), np.dtype(np.float32)
    room = plane.room if SHARED <= nbytes <= LIMIT else None
    found = None if room is None else room(shape, dtype)
    return np.empty(shape, dtype) if found is None else found


def be_task(told: dict[str, Any]) -> None:
    """Be one of the tasks, in a process of its own."""
    names, rank = told["tasks"], told["rank"]
    plane = Plane(names[rank], 1, SECRET)
    print(json.dumps(plane.address), flush=True)
    for name, address in zip(names, json.loads(input()), strict=True):
        if name != plane.task:
            plane.meet(name, Address(*address), 1)
    for name in names[:rank]:
        plane.connect(name)
    group = group_of(names, plane)
    for number, (nbytes, count) in enumerate(told["sizes"]):
        x = gradients(plane, nbytes)
        x[:] = rank + 1
        y = np.empty_like(x)

        def reduce(
            i: int, x: Any = x, y: Any = y, first: int = number * TRIALS
        ) -> None:
            found: list[Any] = []

            def done(value: Any) -> None:
                found.append(value)
                plane.wake()

            step = 1 + first + i
            all_reduce(group, step, "x", x, done, algorithm=told["algorithm"], out=y)
            plane.wait(lambda: bool(found))
            if isinstance(found[0], Exception):
                raise found[0]

        taken = times(reduce, count)
        assert y.min() == y.max() == sum(range(1, len(names) + 1))
        print(json.dumps(taken), flush=True)
    input()
    plane.close()


@contextmanager
def started(told: dict[str, Any]) -> Iterator[subprocess.Popen[str]]:
    """Give the process of a task."""
    command = [sys.executable, "-m", "tests.benchmarks.collectives", "--be"]
    with (
        tempfile.TemporaryDirectory(prefix="t-") as folder,
        subprocess.Popen(
            [*command, json.dumps(told)],
            cwd=ROOT,
            env={**os.environ, **ENVIRONMENT, "TMPDIR": folder},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


def ours(size: int, sizes: list[tuple[int, int]], algorithm: str) -> list[float]:
    """Return the median seconds of our all-reduce of each size between so many tasks."""
    names = [f"/job:worker/task:{i}" for i in range(size)]
    told = {"tasks": names, "sizes": sizes, "algorithm": algorithm}
    with ExitStack() as stack:
        processes = [
            stack.enter_context(started({**told, "rank": rank}))
            for rank in range(size)
        ]
        addresses = [json.loads(_line(each)) for each in processes]
        for process in processes:
            _say(process, json.dumps(addresses))
        found = [
            max(median(json.loads(_line(each))) for each in processes) for _ in sizes
        ]
        for process in processes:
            _say(process, "")
        for process in processes:
            process.wait()
    return found


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def _say(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdin is not None
    process.stdin.write(text + "\n")
    process.stdin.flush()


def mpi(python: str, size: int, sizes: list[tuple[int, int]]) -> list[float]:
    """Return the median seconds of MPI's."""
    launch = [str(Path(python).parent / "mpiexec"), "-n", str(size)]
    ran = subprocess.run(
        [*launch, python, "-c", MPI, json.dumps(sizes)],
        check=True,
        capture_output=True,
        text=True,
    )
    every = [json.loads(line) for line in ran.stdout.splitlines()]
    return [median(taken[len(taken) // 10 :]) for taken in every]


def report(tasks: list[int], sizes: list[int], algorithm: str) -> Iterator[str]:
    """Yield the table's lines."""
    python = os.environ.get("TENSORLITE_BENCH_MPI", "")
    if not python:
        yield "MPI: not measured; TENSORLITE_BENCH_MPI may name a Python that has mpi4py"
    asked = [(nbytes, trials(nbytes)) for nbytes in sizes]
    for size in tasks:
        own: list[list[float]] = []
        theirs: list[list[float]] = []
        for _ in range(ROUNDS):
            own.append(ours(size, asked, algorithm))
            theirs.append(mpi(python, size, asked) if python else [0.0] * len(asked))
        for i, nbytes in enumerate(sizes):
            taken, other = (min(row[i] for row in rows) for rows in (own, theirs))
            yield line(size, nbytes, taken, other)


def line(size: int, nbytes: int, taken: float, other: float) -> str:
    """Return one line of the table."""
    text = f"all-reduce, {size} tasks, {nbytes:>11,} bytes: {1e3 * taken:9.3f} ms"
    if not other:
        return text
    target = TARGETS.get(nbytes) if size == 2 else None
    wanted = "" if target is None else f" (at most {target:g})"
    return f"{text}, MPI {1e3 * other:9.3f} ms, ratio {taken / other:5.2f}{wanted}"


def main() -> None:
    """Measure, or be a task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, nargs="*", default=TASKS)
    parser.add_argument("--bytes", type=int, nargs="*", default=BYTES)
    parser.add_argument("--algorithm", default="auto")
    parser.add_argument("--be", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.be:
        be_task(json.loads(chosen.be))
        return
    for text in report(chosen.tasks, chosen.bytes, chosen.algorithm):
        print(text, flush=True)


if __name__ == "__main__":
    main()
