"""An engine whose tasks are in this process, and talk over sockets: many threads, no processes."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence

from tensorlite.distributed.engines.engine import (
    Engine,
    Lost,
    Needs,
    Registration,
    TaskSettings,
)
from tensorlite.distributed.engines.host import carrier, versions
from tensorlite.distributed.transport.carrier import Carrier
from tensorlite.distributed.worker import Worker


class ThreadEngine(Engine):
    """Has tasks in this process."""

    def __init__(self) -> None:
        self.settings: dict[str, TaskSettings] = {}
        self.workers: dict[str, Worker] = {}
        self._told: list[Lost] = []

    def start(
        self, tasks: Sequence[TaskSettings], needs: Mapping[str, Needs]
    ) -> None:
        """Start tasks."""
        for task in tasks:
            self.settings[task.task] = task
            self._begin(task)

    def registration(self, task: str, timeout: float) -> Registration:
        """Return what a task says of itself."""
        found = self.workers[task].carrier
        return Registration(
            task,
            found.incarnation,
            found.address,
            socket.gethostname(),
            os.getpid(),
            (f"{task}/device:CPU:0",),
            versions(),
        )

    def carrier(self, settings: TaskSettings) -> Carrier:
        """Return what the client sends and receives by."""
        return carrier(settings)

    def watch(self, lost: Lost) -> None:
        """Tell of tasks that are killed."""
        self._told.append(lost)

    def kill(self, task: str) -> None:
        """End a task, and start it anew."""
        self.workers[task].close()
        self._begin(self.settings[task])
        for lost in self._told:
            lost(task, f"{task} was killed")

    def close(self) -> None:
        """End all tasks."""
        for worker in self.workers.values():
            worker.close()

    def _begin(self, task: TaskSettings) -> None:
        self.workers[task.task] = Worker(task, carrier(task))
