"""Operators of queues begun as the dataflow machine begins them, without a thread that waits."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.core.waiting import Waiting
from tensorlite.ops.queues import operators as queue_ops
from tensorlite.ops.queues.contents import QueueState


def state_of(queue: tl.queue.QueueBase) -> QueueState:
    state: QueueState = queue.handle.array
    return state


def in_line(queue: tl.queue.QueueBase) -> int:
    state = state_of(queue)
    return len(state.putting) + len(state.taking)


class Begun:
    """An operator that was started, as the dataflow machine does it, and what came of it."""

    def __init__(self, queue: tl.queue.QueueBase, op: Waiting, *arrays: Any) -> None:
        self.answers: list[Any] = []
        given = [np.asarray(x, np.int32) for x in arrays]
        self.cancel = op.start(self.answers.append, state_of(queue), *given)
        assert (self.cancel is None) == bool(self.answers)

    @property
    def waits(self) -> bool:
        assert len(self.answers) <= 1
        return not self.answers

    @property
    def value(self) -> Any:
        (answer,) = self.answers
        return answer.tolist() if isinstance(answer, np.ndarray) else answer


def fifo(capacity: int = 5, **options: Any) -> tl.queue.FIFOQueue:
    return tl.queue.FIFOQueue(capacity, tl.int32, shapes=(), **options)


def put(queue: tl.queue.QueueBase, value: int) -> Begun:
    return Begun(queue, queue_ops.QueueEnqueueV2(), value)


def put_many(queue: tl.queue.QueueBase, *values: int) -> Begun:
    return Begun(queue, queue_ops.QueueEnqueueManyV2(), values)


def take(queue: tl.queue.QueueBase) -> Begun:
    return Begun(queue, queue_ops.QueueDequeueV2())


def take_many(queue: tl.queue.QueueBase, number: int) -> Begun:
    return Begun(queue, queue_ops.QueueDequeueManyV2(), number)


def take_up_to(queue: tl.queue.QueueBase, number: int) -> Begun:
    return Begun(queue, queue_ops.QueueDequeueUpToV2(), number)


def close(queue: tl.queue.QueueBase, cancel: bool = False) -> Begun:
    return Begun(queue, queue_ops.QueueCloseV2(cancel))
