"""tf.train.queue_runner: its names, which tf.train has, too."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.pipelines.input import (
    QueueRunner,
    add_queue_runner,
    start_queue_runners,
)

__all__ = ["QueueRunner", "add_queue_runner", "start_queue_runners"]


__dir__ = listing("v1.train.queue_runner", globals())


def __getattr__(name: str) -> object:
    raise attribute_error("v1.train.queue_runner", name, __all__)
