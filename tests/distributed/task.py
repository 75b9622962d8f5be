"""A task in a process of its own, for tests and benchmarks: `python -m tests.distributed.task`.

It reads one line, a JSON object: how to make its plane, the address of the task that started it,
and what to do. It prints one line, its own address.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from time import sleep
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core.errors import UnavailableError
from tensorlite.distributed.transport.carrier import COMMAND
from tensorlite.distributed.transport.endpoints import Address, mutual
from tensorlite.distributed.transport.messages import Limits
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.distributed.transport.plane import Plane
from tensorlite.runtime.rendezvous import Key
from tests.distributed.pairs import SECRET, Receiver, key

WORKER, SERVERS = "d", ("b", "c")
"""Who is what in a round of parameter servers."""
ROOT = Path(__file__).parents[2]
MASTER = "a"
ENVIRONMENT = {"PYTHONPATH": f"{ROOT}/src:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}


def _address(told: Any) -> Address:
    """Return an address from what JSON holds."""
    node, path, tcp = told
    return Address(node, path, tcp and tuple(tcp))


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
        silence=options.get("silence", 6.0),
    )


class Started(NamedTuple):
    """A task that runs in a process."""

    address: Address
    process: subprocess.Popen[str]


@contextmanager
def started(
    plane: Plane,
    options: dict[str, Any],
    work: str,
    incarnation: int = 1,
    within: Sequence[str] = (),
    task: str = "b",
    others: Mapping[str, Address] = MappingProxyType({}),
) -> Iterator[Started]:
    """Give the process of a task that does some work with `plane`, which knows it then.

    `within` is a command that runs another, elsewhere; `others` are tasks that it links with.
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
            known = {MASTER: plane.address, **others}
            told = [task, options, incarnation, known, plane.incarnation, work]
            process.stdin.write(json.dumps(told) + "\n")
            process.stdin.flush()
            address = _address(json.loads(process.stdout.readline()))
            plane.meet(task, address, incarnation)
            yield Started(address, process)
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


def call(plane: Plane) -> None:
    """Link with the master, wait until it is lost, and link with it again when that can be."""
    plane.send(MASTER, 1, key("linked"), np.array(0))
    receiver = Receiver(plane, MASTER)
    receiver.ask(1, key("never"))
    with suppress(UnavailableError):
        receiver.get()
    while True:
        with suppress(UnavailableError):
            plane.send(MASTER, 1, key("again"), np.array(0))
            return
        sleep(0.1)


def echo(plane: Plane) -> None:
    """Answer each command with itself, from the thread that brings it."""

    def answer(task: str, asked: Key, value: Any) -> None:
        plane.send(task, COMMAND, asked, value)

    plane.serve(answer, lambda *_: None)


def keep(plane: Plane) -> None:
    """Be a parameter server: give the worker a scalar when told to, take one back, say so."""
    parameter = np.array(1.0)

    def turn(_: str, asked: Key, value: Any) -> None:
        if asked[0] == "run":
            plane.send(WORKER, COMMAND, ("parameter", asked[1]), parameter)
        else:
            plane.send(MASTER, COMMAND, ("done", asked[1]), value, dead=value is None)

    plane.serve(turn, lambda *_: None)


def train(plane: Plane) -> None:
    """Be a worker: when it was told to and all parameters came, give them back, and say so."""
    lock = Lock()
    missing: list[str] = [MASTER, *SERVERS]
    gradient = np.array(0.5)

    def turn(task: str, asked: Key, _: Any) -> None:
        with lock:
            missing.remove(task)
            if missing:
                return
            missing.extend((MASTER, *SERVERS))
        for server in SERVERS:
            plane.send(server, COMMAND, ("gradient", asked[1]), gradient)
        plane.send(MASTER, COMMAND, ("done", asked[1]), None, dead=True)

    plane.serve(turn, lambda *_: None)


WORK = {
    work.__name__: work
    for work in (exchange, acknowledge, stay, call, echo, keep, train)
}


def main() -> None:
    """Do what standard input says."""
    line = json.loads(sys.stdin.readline())
    task, options, incarnation, known, theirs, work = line
    plane = made(task, options, incarnation)
    for other, address in known.items():
        plane.meet(other, _address(address), theirs if other == MASTER else 1)
        if other != MASTER:
            plane.connect(other)
    print(json.dumps(plane.address), flush=True)
    WORK[work](plane)
    sys.stdin.read()
    plane.close()


if __name__ == "__main__":
    main()
