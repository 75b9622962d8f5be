"""slim.queues: a block in which the runners of the graph's queues run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from tensorlite.compat.v1.graphs.scopes import get_collection
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.train.coordinator import Coordinator

__all__ = ["NestedQueueRunnerError", "QueueRunners"]

_open = Lock()


class NestedQueueRunnerError(Exception):
    """A block of QueueRunners inside another."""


@contextmanager
def QueueRunners(session: Any) -> Iterator[None]:
    """Run the runners of the graph's queues in a session while the block runs.

    A block inside another raises NestedQueueRunnerError. Threads that do not end close the session.
    """
    if not _open.acquire(blocking=False):
        raise NestedQueueRunnerError("QueueRunners cannot be nested")
    try:
        coord = Coordinator()
        threads = [
            thread
            for runner in get_collection(GraphKeys.QUEUE_RUNNERS)
            for thread in runner.create_threads(
                session, coord, daemon=True, start=True
            )
        ]
        try:
            yield
        finally:
            coord.request_stop()
            try:
                coord.join(threads, stop_grace_period_secs=120)
            except RuntimeError:
                session.close()
    finally:
        _open.release()
