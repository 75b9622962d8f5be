"""Queues that pad, sort and shuffle. Numbers are those that TensorFlow 2.21's queues give."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import tensorlite as tl
from tests.begun import (
    in_line,
    take,
    take_many,
)
from tests.threads import Background, until

errors = tl.errors


def test_a_padding_queue_fills_up_with_zeros() -> None:
    q = tl.queue.PaddingFIFOQueue(10, tl.int32, shapes=(None, 2))
    for n in (1, 3, 2):
        q.enqueue([n * np.ones((n, 2), np.int32)])
    assert q.dequeue().tolist() == [[1, 1]]
    assert q.dequeue_many(2).tolist() == [
        [[3, 3], [3, 3], [3, 3]],
        [[2, 2], [2, 2], [0, 0]],
    ]
    with pytest.raises(errors.ShapeError, match=r"\[\?,2\], got \[2,3\]"):
        q.enqueue([np.ones((2, 3), np.int32)])
    with pytest.raises(errors.ShapeError, match="enqueued"):
        q.enqueue([np.ones(2, np.int32)])
    assert q.dequeue_many(0).shape == (0, 0, 2)


def test_a_padding_queue_fills_up_strings() -> None:
    q = tl.queue.PaddingFIFOQueue(10, tl.string, shapes=(None,))
    q.enqueue([["a"]])
    q.enqueue([["b", "c"]])
    assert q.dequeue_many(2).tolist() == [["a", ""], ["b", "c"]]


def test_a_padding_queue_puts_back_what_a_batch_had_taken() -> None:
    q = tl.queue.PaddingFIFOQueue(10, tl.int32, shapes=(None,))
    q.enqueue([[1]])
    batch = take_many(q, 3)
    assert int(q.size()) == 0
    q.close()
    assert isinstance(batch.value, errors.OutOfRangeError)
    assert int(q.size()) == 1


def test_a_priority_queue_gives_out_the_lowest_first() -> None:
    q = tl.queue.PriorityQueue(10, [tl.string], [()])
    q.enqueue_many([[3, 1, 2, 1], ["c", "a", "b", "a2"]])
    priorities, names = q.dequeue_many(3)
    assert priorities.dtype is tl.int64
    assert (priorities.tolist(), names.tolist()) == ([1, 1, 2], ["a", "a2", "b"])
    assert [x.tolist() for x in q.dequeue()] == [3, "c"]
    assert (q.dtypes, q.shapes) == ([tl.int64, tl.string], [(), ()])


def test_a_priority_queue_sorts_what_is_in_it_at_a_time() -> None:
    q = tl.queue.PriorityQueue(2, [tl.int32], [()])
    with Background(q.enqueue_many, [[9, 1, 5, 3], [9, 1, 5, 3]]):
        until(lambda: in_line(q) == 1)
        assert [int(q.dequeue()[0]) for _ in range(4)] == [1, 5, 3, 9]


def test_a_batch_of_a_priority_queue_is_sorted() -> None:
    q = tl.queue.PriorityQueue(20, [tl.int32], [()])
    with Background(q.dequeue_many, 4) as batch:
        until(lambda: in_line(q) == 1)
        q.enqueue_many([[5, 4], [50, 40]])
        q.enqueue_many([[1, 2], [10, 20]])
    assert [x.tolist() for x in batch.result()] == [[1, 2, 4, 5], [10, 20, 40, 50]]
    with pytest.raises(errors.InvalidArgumentError, match="capacity of 20"):
        q.dequeue_many(21)


def test_a_priority_queue_closed_gives_its_rest() -> None:
    q = tl.queue.PriorityQueue(20, [], [])
    q.enqueue_many([[5, 3, 4]])
    q.close()
    with pytest.raises(errors.OutOfRangeError, match="requested 4, current size 3"):
        q.dequeue_many(4)
    assert q.dequeue_up_to(4).tolist() == [3, 4, 5]


def test_a_shuffling_queue_keeps_some_to_choose_from() -> None:
    q = tl.queue.RandomShuffleQueue(10, 3, tl.int32, shapes=(), seed=1)
    q.enqueue_many([range(5)])
    taken = q.dequeue_many(2).tolist()
    assert int(q.size()) == 3
    one, batch = take(q), take_many(q, 2)
    assert one.waits
    assert batch.waits
    q.enqueue(5)
    assert not one.waits
    q.close()
    rest = [one.value, *batch.value, *q.dequeue_up_to(9).tolist()]
    assert sorted([*taken, *rest]) == list(range(6))


def test_a_shuffling_queue_closed_has_what_a_batch_had_taken() -> None:
    q = tl.queue.RandomShuffleQueue(10, 3, tl.int32, shapes=(), seed=1)
    q.enqueue_many([range(5)])
    batch = take_many(q, 6)
    assert int(q.size()) == 3
    q.close()
    assert isinstance(batch.value, errors.OutOfRangeError)
    assert sorted(q.dequeue_many(5).tolist()) == list(range(5))


def shuffled(seed: int | None) -> list[int]:
    q = tl.queue.RandomShuffleQueue(50, 0, tl.int32, shapes=(), seed=seed)
    q.enqueue_many([range(50)])
    order: list[int] = q.dequeue_many(50).tolist()
    assert sorted(order) == list(range(50))
    return order


def test_the_order_of_a_shuffling_queue_follows_the_seed() -> None:
    assert shuffled(1) == shuffled(1) != shuffled(2)
    tl.random.set_seed(7)
    first = shuffled(None)
    assert first != shuffled(None)
    tl.random.set_seed(7)
    assert first == shuffled(None)


def test_each_order_of_a_shuffling_queue_is_as_likely() -> None:
    q = tl.queue.RandomShuffleQueue(3, 0, tl.int32, shapes=(), seed=3)
    found: Counter[tuple[int, ...]] = Counter()
    for _ in range(1200):
        q.enqueue_many([range(3)])
        found[tuple(q.dequeue_many(3).tolist())] += 1
    # Chi-square of 5 degrees of freedom: 20.5 is exceeded once in a thousand.
    assert sum((n - 200) ** 2 / 200 for n in found.values()) < 20.5
    assert len(found) == 6


def test_strings_taken_together_are_strings() -> None:
    q = tl.queue.FIFOQueue(4, [tl.string, tl.string], [[], [2]])
    for text in ("a", "b"):
        q.enqueue([text, [text, "z"]])
    single, pairs = q.dequeue_many(2)
    assert [*map(type, single.numpy().tolist())] in ([bytes, bytes], [str, str])
    assert pairs.numpy().shape == (2, 2)
    assert all(isinstance(x, (bytes, str)) for x in pairs.numpy().ravel())
