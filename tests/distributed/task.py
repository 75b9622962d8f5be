"""A task in a process of its own, for tests and benchmarks: `python -m tests.distributed.task`.

It reads one line, a JSON object: how to make its plane, the address of the task that started it,
and what to do. It prints one line, its own address.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tensorlite.distributed.endpoints import Address, mutual
from tensorlite.distributed.links import Parcel
from tensorlite.distributed.messages import Limits
from tensorlite.distributed.plane import Plane
from tests.distributed.pairs import SECRET, Receiver, key

ROOT = Path(__file__).parents[2]
MASTER = "a"
ENVIRONMENT = {"PYTHONPATH": f"{ROOT}/src:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}


def made(task: str, options: dict[str, Any], incarnation: int = 1) -> Plane:
    """Return a plane from what JSON holds."""
    tls = mutual(*options["tls"][task]) if "tls" in options else None
    return Plane(
        task,
        incarnation,
        SECRET,
        host=options["hosts"][task] if "hosts" in options else None,
        unix="hosts" not in options,
        tls=tls,
        limits=Limits(**options.get("limits", {})),
    )


@contextmanager
def started(
    plane: Plane,
    options: dict[str, Any],
    work: str,
    incarnation: int = 1,
    within: Sequence[str] = (),
) -> Iterator[subprocess.Popen[str]]:
    """Give the process of a task `b` that does some work with `plane`, which knows it then.

    `within` is a command that runs another, elsewhere.
    """
    with (
        TemporaryDirectory(
            prefix="t-"
        ) as folder,  # a task that is killed leaves things
        subprocess.Popen(
            [*within, sys.executable, "-m", "tests.distributed.task"],
            cwd=ROOT,
            env={**os.environ, **ENVIRONMENT, "TMPDIR": folder},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            told = [options, incarnation, plane.address, plane.incarnation, work]
            process.stdin.write(json.dumps(told) + "\n")
            process.stdin.flush()
            node, path, tcp = json.loads(process.stdout.readline())
            address = Address(node, path, tcp and tuple(tcp))
            plane.meet("b", address, incarnation)
            yield process
        finally:
            process.kill()


def exchange(plane: Plane) -> None:
    """Send 1000 steps of three values each, and answer with what comes, doubled."""
    receiver = Receiver(plane, MASTER)
    for step in range(1, 1001):
        values = [np.array(step), np.arange(step), np.full(20_000, step, np.int64)]
        plane.send_all(
            MASTER, step, [Parcel(key("own", i), v) for i, v in enumerate(values)]
        )
        found = [receiver.take(step, key("x", i)) for i in range(3)]
        plane.send_all(
            MASTER,
            step,
            [Parcel(key("twice", i), 2 * v) for i, v in enumerate(found)],
        )


def acknowledge(plane: Plane) -> None:
    """Answer each value with a small one, until a dead value comes."""
    receiver = Receiver(plane, MASTER)
    word = np.zeros((), np.int8)
    step = 1
    while True:
        receiver.ask(step, key("x"))
        if receiver.get().dead:
            return
        plane.send(MASTER, step, key("taken"), word)
        step += 1


def stay(plane: Plane) -> None:
    """Do nothing until this process is ended."""
    plane.connect(MASTER)
    sys.stdin.read()


WORK = {work.__name__: work for work in (exchange, acknowledge, stay)}


def main() -> None:
    """Do what standard input says."""
    options, incarnation, address, theirs, work = json.loads(sys.stdin.readline())
    node, path, tcp = address
    plane = made("b", options, incarnation)
    plane.meet(MASTER, Address(node, path, tcp and tuple(tcp)), theirs)
    print(json.dumps(plane.address), flush=True)
    WORK[work](plane)
    sys.stdin.read()
    plane.close()


if __name__ == "__main__":
    main()
