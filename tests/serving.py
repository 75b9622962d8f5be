"""Servers of this process for tests: a cluster's tasks at addresses of this machine."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from tensorlite.distributed.server import Server


def free_ports(count: int) -> list[int]:
    """Return ports at which nobody listens."""
    with ExitStack() as stack:  # all at once, lest one is found twice
        found = []
        for _ in range(count):
            one = stack.enter_context(socket.socket())
            one.bind(("127.0.0.1", 0))
            found.append(one.getsockname()[1])
        return found


class Served:
    """Servers for so many tasks of each job; as a context they end with the block."""

    def __init__(self, **jobs: int) -> None:
        free = iter(free_ports(sum(jobs.values())))
        self.jobs = {
            job: [f"localhost:{next(free)}" for _ in range(count)]
            for job, count in jobs.items()
        }
        """The addresses of each job's tasks, as a ClusterSpec takes them."""
        self.addresses = {
            f"/job:{job}/task:{i}": address
            for job, addresses in self.jobs.items()
            for i, address in enumerate(addresses)
        }
        self._servers: dict[str, Server] = {}
        for task in self.addresses:
            self.start(task)

    def start(self, task: str) -> None:
        """Start a task, which keeps nothing of what it was before."""
        self._servers[task] = Server(self.addresses, task)

    def stop(self, task: str) -> None:
        """End a task."""
        self._servers.pop(task).close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for server in self._servers.values():
            server.close()
