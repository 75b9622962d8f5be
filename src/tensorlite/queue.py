"""Queues, and what else waits: locks, barriers, accumulators; threads that fill queues."""

from __future__ import annotations

from tensorlite.ops.queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)
from tensorlite.train.coordinator import Coordinator
from tensorlite.train.queue_runner import QueueRunner

__all__ = [
    "Coordinator",
    "FIFOQueue",
    "PaddingFIFOQueue",
    "PriorityQueue",
    "QueueBase",
    "QueueRunner",
    "RandomShuffleQueue",
]
