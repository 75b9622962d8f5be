"""Queues that threads fill with the rows of arrays: what input functions of estimators make.

Other producers are in input_producers.py, threads that fill queues in queues.py.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import OutOfRangeError
from tensorlite.core.tensor import Tensor
from tensorlite.graph.manual import placeholder
from tensorlite.graph_mode.graph import titled
from tensorlite.graph_mode.input_producers import Summarise, last_name, tell_fullness
from tensorlite.graph_mode.queues import (
    GraphQueueRunner,
    add_queue_runner,
    node_name,
    of_sessions,
)
from tensorlite.graph_mode.sessions import Session
from tensorlite.ops.queues.base import QueueBase
from tensorlite.ops.queues.queues import FIFOQueue, RandomShuffleQueue
from tensorlite.train.queue_runner import Step

Feed = Callable[[], Mapping[Any, Any]]
"""Returns what the next run is fed; raises OutOfRangeError where there is no more."""


class Feeding(NamedTuple):
    """How rows come into a queue: how many at a time, how often, and in which order."""

    rows: int
    epochs: int | None
    shuffle: bool
    capacity: int
    threads: int = 1
    least: int = 0
    """How many elements stay in a queue that gives them out in random order."""


class FeedingQueueRunner(GraphQueueRunner):
    """Threads that fill a queue of a graph with what functions of theirs feed."""

    def __init__(
        self, queue: QueueBase, enqueue_ops: Sequence[Any], feeds: Sequence[Feed]
    ) -> None:
        super().__init__(queue, enqueue_ops)
        self.feeds = list(feeds)

    def steps(self, sess: Session) -> list[Step]:
        """Return what puts rows once, for each thread."""
        pairs = zip(self.enqueue_ops, self.feeds, strict=True)
        return [partial(_fed, sess, op, feed) for op, feed in pairs]


def _fed(sess: Session, op: Any, feed: Feed) -> None:
    sess.run(op, feed())


class Rows:
    """Rows of arrays, so many at a time, and around again so many times, with their numbers."""

    def __init__(
        self, places: Sequence[Tensor], columns: Sequence[Any], how: Feeding
    ) -> None:
        self._places, self._columns = tuple(places), tuple(columns)
        self._count = len(columns[0])
        first = random.randrange(self._count) if how.shuffle else 0  # noqa: S311
        self._at, self._rows = first, how.rows
        self._end = None if how.epochs is None else first + how.epochs * self._count

    def __call__(self) -> dict[Any, Any]:
        """Return the next rows; OutOfRangeError behind the last."""
        stop = self._at + self._rows
        stop = stop if self._end is None else min(stop, self._end)
        if stop <= self._at:
            raise OutOfRangeError("all rows have been fed as often as asked")
        chosen = np.arange(self._at, stop) % self._count
        self._at = stop
        columns = [chosen, *[x[chosen] for x in self._columns]]
        return dict(zip(self._places, columns, strict=True))


def fed_queue(
    columns: Sequence[Any], how: Feeding, summarise: Summarise | None = None
) -> QueueBase:
    """Return a queue of the rows of arrays, with the number of each row before it."""
    kinds = [dtypes.int64, *[as_dtype(x.dtype) for x in columns]]
    shapes = [[], *[list(x.shape[1:]) for x in columns]]
    with of_sessions():
        if how.shuffle:
            queue: QueueBase = RandomShuffleQueue(
                how.capacity, how.least, kinds, shapes
            )
        else:
            queue = FIFOQueue(how.capacity, kinds, shapes, name="fifo_queue")
    puts, feeds = [], []
    for _ in range(how.threads):
        places = [placeholder(kind, None) for kind in kinds]
        put = queue.enqueue_many(places)
        puts.append(titled(put, f"{last_name(queue)}_EnqueueMany"))
        feeds.append(Rows(places, columns, how))
    add_queue_runner(FeedingQueueRunner(queue, puts, feeds))
    room = how.capacity - how.least
    title = f"queue/{node_name(queue)}fraction_over_{how.least}_of_{room}_full"
    tell_fullness(queue, title, room, summarise, how.least)
    return queue
