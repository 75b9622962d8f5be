"""An engine that is for measuring only: `python -m tests.benchmarks.cluster_tasks`.

Its tasks are processes of this machine that talk over TCP without encryption, as TensorFlow's
servers do; the engines of the package have no such way.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from tensorlite.core.errors import UnavailableError
from tensorlite.distributed.engines.engine import (
    Keys,
    Lost,
    Needs,
    Registration,
    TaskSettings,
)
from tensorlite.distributed.engines.host import SWITCH, settle, versions
from tensorlite.distributed.transport.carrier import Carrier
from tensorlite.distributed.transport.endpoints import Address
from tensorlite.distributed.transport.plane import Plane
from tensorlite.distributed.worker import Worker

ROOT = Path(__file__).parents[2]
NODE = "127.0.0.1"


def carrier(task: str, secret: bytes) -> Plane:
    """Return what a task, or the client, sends and receives by."""
    return Plane(task, time.time_ns(), secret, host=NODE, unix=False)


class TcpEngine:
    """Has each task in a process of its own, which is not started anew."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._tasks: dict[str, subprocess.Popen[str]] = {}

    def start(
        self, tasks: Sequence[TaskSettings], needs: Mapping[str, Needs]
    ) -> None:
        """Start a process for each task."""
        for each in tasks:
            process = self._open.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "tests.benchmarks.cluster_tasks"],
                    cwd=ROOT,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            self._open.callback(process.kill)
            told = [each.cluster, each.task, each.keys.secret.hex()]
            assert process.stdin is not None
            process.stdin.write(json.dumps(told) + "\n")
            process.stdin.flush()
            self._tasks[each.task] = process

    def registration(self, task: str, timeout: float) -> Registration:
        """Return what a task has said of itself."""
        process = self._tasks[task]
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise UnavailableError(f"{task} does not start")
        (node, path, tcp), incarnation, pid = json.loads(line)
        address = Address(node, path, (tcp[0], tcp[1]))
        devices = (f"{task}/device:CPU:0",)
        return Registration(
            task, incarnation, address, NODE, pid, devices, versions()
        )

    def carrier(self, settings: TaskSettings) -> Carrier:
        """Return what the client sends and receives by."""
        sys.setswitchinterval(SWITCH)
        return carrier(settings.task, settings.keys.secret)

    def watch(self, lost: Lost) -> None:
        """Tell nobody: a link that ends tells as well."""

    def kill(self, task: str) -> None:
        """End a task."""
        self._tasks[task].kill()

    def close(self) -> None:
        """End all tasks."""
        self._open.close()


def main() -> None:
    """Be a task until standard input ends."""
    cluster, task, secret = json.loads(sys.stdin.readline())
    settle()
    plane = carrier(task, bytes.fromhex(secret))
    worker = Worker(TaskSettings(cluster, task, Keys(bytes.fromhex(secret))), plane)
    told = [plane.address, plane.incarnation, os.getpid()]
    print(json.dumps(told), flush=True)
    sys.stdin.read()
    worker.close()


if __name__ == "__main__":
    main()
