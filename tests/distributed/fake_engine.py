"""A third engine, whose tasks are plain processes: `python -m tests.distributed.fake_engine`.

Each reads one line, a JSON object with its settings, and prints one, its registration or what went
wrong; it ends when its input does. `Echo` is what tasks do in tests of engines.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Condition, Thread
from typing import Any

from tensorlite.core.errors import (
    FailedPreconditionError,
    NotFoundError,
    UnavailableError,
)
from tensorlite.core.xp import Array
from tensorlite.distributed.engines.engine import (
    Keys,
    Lost,
    Needs,
    Registration,
    TaskSettings,
)
from tensorlite.distributed.engines.host import Host, Make, carrier
from tensorlite.distributed.transport.carrier import COMMAND, Carrier
from tensorlite.distributed.transport.endpoints import Address
from tensorlite.distributed.worker import Worker
from tensorlite.runtime.rendezvous import Key

ROOT = Path(__file__).parents[2]
NODE = "127.0.0.1"


class Echo:
    """Sends each command back with its value, twice what it was."""

    def __init__(self, settings: TaskSettings, carrier: Carrier) -> None:
        self._carrier = carrier
        self.settings = settings
        carrier.serve(self._command, lambda task, why: None)

    def awaited(self) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def close(self) -> None:
        """Nothing is to be done."""

    def _command(self, task: str, key: Key, value: Array | None) -> None:
        assert value is not None
        answer = partial(self._carrier.send, task, COMMAND, key, 2 * value)
        self._carrier.later(answer)


class Failing(Echo):
    """Does not start."""

    def __init__(self, settings: TaskSettings, carrier: Carrier) -> None:
        super().__init__(settings, carrier)
        raise OSError("the disk of this task is full")


MAKE: dict[str, Make] = {make.__name__: make for make in (Echo, Failing, Worker)}


class Process:
    """A task's process, and those that are started after it has died."""

    def __init__(self, engine: FakeEngine, settings: TaskSettings, make: str) -> None:
        self._engine = engine
        self.settings = settings
        self._make = make
        self.registration: Registration | None = None
        self.error = ""
        self.process = self._started()
        self.thread = Thread(target=self._run, name=settings.task, daemon=True)
        self.thread.start()

    def _started(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self._engine.command(self.settings.task),
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": f"{ROOT}/src:{ROOT}",
                "TMPDIR": self._engine.folder.name,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        settings = asdict(self.settings)
        settings["keys"]["secret"] = self.settings.keys.secret.hex()
        assert process.stdin is not None
        node = self._engine.node(self.settings.task)
        process.stdin.write(json.dumps([settings, self._make, node]) + "\n")
        process.stdin.flush()
        return process

    def _run(self) -> None:
        """Learn what the process says; when it has died, tell that and start another."""
        engine = self._engine
        while True:
            process = self.process
            assert process.stdout is not None
            said = json.loads(process.stdout.readline() or "[null, null]")
            with engine.state:
                self.registration = said[0] and _registration(said[0])
                self.error = said[1] or ""
                engine.state.notify_all()
            process.wait()
            _let_go(process)
            with engine.state:
                self.registration = None
                if engine.closed:
                    return
                self.process = self._started()
            for lost in engine.told:
                lost(
                    self.settings.task, f"its process ended with {process.returncode}"
                )


class FakeEngine:
    """Has each task in a process of its own; conforms to `Engine`."""

    def __init__(self, make: str = "Echo") -> None:
        self._make = make
        self.folder = TemporaryDirectory(prefix="t-")
        self.state = Condition()
        self.closed = False
        self.told: list[Lost] = []
        self._processes: dict[str, Process] = {}

    def node(self, task: str) -> str:
        """Return the address of the node that a task is on."""
        return NODE

    def command(self, task: str) -> list[str]:
        """Return the command that runs a task."""
        return [sys.executable, "-m", "tests.distributed.fake_engine"]

    def start(
        self, tasks: Sequence[TaskSettings], needs: Mapping[str, Needs]
    ) -> None:
        for task in tasks:
            self._processes[task.task] = Process(self, task, self._make)

    def registration(self, task: str, timeout: float) -> Registration:
        process = self._process(task)
        with self.state:
            self.state.wait_for(
                lambda: process.registration or process.error, timeout
            )
            if process.registration is not None:
                return process.registration
        raise UnavailableError(
            f"{task} does not start: {process.error or 'it is slow'}"
        )

    def carrier(self, settings: TaskSettings) -> Carrier:
        return carrier(settings, self.node(settings.task))

    def watch(self, lost: Lost) -> None:
        self.told.append(lost)

    def kill(self, task: str) -> None:
        process = self._process(task).process
        process.kill()
        process.wait()

    def close(self) -> None:
        with self.state:
            self.closed = True
        for process in self._processes.values():
            process.process.kill()
            process.thread.join()
        self.folder.cleanup()

    def _process(self, task: str) -> Process:
        if self.closed:
            raise FailedPreconditionError("this engine is closed")
        if task not in self._processes:
            raise NotFoundError(f"there is no task {task!r}")
        return self._processes[task]


def _let_go(process: subprocess.Popen[str]) -> None:
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        pipe.close()


def _registration(said: Sequence[Any]) -> Registration:
    found = Registration(*said)
    node, path, tcp = found.address
    address = Address(node, path, (tcp[0], tcp[1]) if tcp else None)
    return found._replace(address=address, devices=tuple(found.devices))


def main() -> None:
    """Be a task until standard input ends."""
    said, make, node = json.loads(sys.stdin.readline())
    keys = said.pop("keys")
    secret = bytes.fromhex(keys.pop("secret"))
    try:
        settings = TaskSettings(**said, keys=Keys(secret, **keys))
        host = Host(settings, MAKE[make], node)
    except Exception as error:  # noqa: BLE001  whoever started this is told
        print(json.dumps([None, f"{type(error).__name__}: {error}"]), flush=True)
        sys.stdin.read()
        return
    print(json.dumps([host.registration(), None]), flush=True)
    sys.stdin.read()
    host.close()


if __name__ == "__main__":
    main()
