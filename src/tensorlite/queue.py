"""Queues, and what else waits: locks, barriers, accumulators; threads that fill queues."""

from __future__ import annotations

from tensorlite.ops.queues.accumulators import ConditionalAccumulator
from tensorlite.ops.queues.barrier import Barrier
from tensorlite.ops.queues.mutex import Mutex
from tensorlite.ops.queues.queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)
from tensorlite.ops.queues.sparse_accumulators import SparseConditionalAccumulator
from tensorlite.ops.queues.staging import StagingArea
from tensorlite.train.coordinator import Coordinator
from tensorlite.train.queue_runner import QueueRunner

__all__ = [
    "Barrier",
    "ConditionalAccumulator",
    "Coordinator",
    "FIFOQueue",
    "Mutex",
    "PaddingFIFOQueue",
    "PriorityQueue",
    "QueueBase",
    "QueueRunner",
    "RandomShuffleQueue",
    "SparseConditionalAccumulator",
    "StagingArea",
]


def __dir__() -> list[str]:
    return __all__
