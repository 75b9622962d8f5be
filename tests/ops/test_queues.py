"""Queues: order, waiting, closing. Numbers are those that TensorFlow 2.21's queues give."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

import tensorlite as tl
from tests.begun import (
    Begun,
    close,
    fifo,
    in_line,
    put,
    put_many,
    state_of,
    take,
    take_many,
    take_up_to,
)
from tests.threads import Background, until

errors = tl.errors


def test_elements_come_out_as_they_went_in() -> None:
    q = tl.queue.FIFOQueue(4, [tl.int32, tl.float32], shapes=[(), (2,)])
    q.enqueue([1, [0.5, 1.5]])
    q.enqueue_many([[2, 3], [[1.0, 2.0], [3.0, 4.0]]])
    assert int(q.size()) == 3
    number, vector = q.dequeue()
    assert (number.dtype, vector.dtype) == (tl.int32, tl.float32)
    assert (int(number), vector.tolist()) == (1, [0.5, 1.5])
    numbers, vectors = q.dequeue_many(2)
    assert numbers.tolist() == [2, 3]
    assert vectors.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_components_with_names_are_dicts() -> None:
    q = tl.queue.FIFOQueue(
        5, [tl.int32, tl.float32], shapes=[(), ()], names=["a", "b"]
    )
    q.enqueue_many({"a": [1, 2], "b": [2.0, 3.0]})
    assert {name: float(x) for name, x in q.dequeue().items()} == {"a": 1, "b": 2}
    assert {name: x.tolist() for name, x in q.dequeue_many(1).items()} == {
        "a": [2],
        "b": [3.0],
    }
    with pytest.raises(errors.StructureError, match="keys"):
        q.enqueue({"a": 1})
    with pytest.raises(errors.StructureError, match="dict"):
        q.enqueue([1, 2.0])
    with pytest.raises(errors.StructureError, match="no names"):
        fifo().enqueue({"a": 1})


def test_a_queue_says_what_it_holds() -> None:
    q = tl.queue.FIFOQueue(5, [tl.int32, tl.string], shapes=[(), (2,)], name="input")
    assert (q.dtypes, q.shapes) == ([tl.int32, tl.string], [(), (2,)])
    assert repr(q) == "FIFOQueue(name='input', components=(int32[], string[2]))"
    assert repr(state_of(q)) == (
        "<FIFOQueue 'input' of (int32[], string[2]), 0 of 5 elements>"
    )


def test_none_and_no_elements_make_empty_batches() -> None:
    q = fifo()
    q.enqueue_many([[]])
    assert q.dequeue_many(0).tolist() == []
    assert q.dequeue_up_to(0).dtype is tl.int32
    q.close()
    assert q.dequeue_many(0).tolist() == []


def test_a_negative_capacity_is_none() -> None:
    q = fifo(-1)
    q.enqueue_many([np.arange(1000)])
    assert int(q.size()) == 1000
    assert "any number" in repr(state_of(q))


def test_a_full_queue_takes_in_rows_as_others_are_taken() -> None:
    q = fifo(2)
    many = put_many(q, 1, 2, 3, 4, 5)
    assert many.waits
    assert int(q.size()) == 2
    assert [int(q.dequeue()) for _ in range(3)] == [1, 2, 3]
    assert many.value == ()
    assert q.dequeue_many(2).tolist() == [4, 5]


def test_a_batch_may_be_larger_than_the_capacity() -> None:
    q = fifo(2)
    batch = take_many(q, 5)
    q.enqueue_many([[1, 2, 3]])
    assert int(q.size()) == 0
    q.enqueue_many([[4, 5, 6]])
    assert batch.value == [1, 2, 3, 4, 5]
    assert int(q.size()) == 1


def test_those_who_wait_are_served_in_turn() -> None:
    q = fifo()
    first, second = take_many(q, 2), take(q)
    q.enqueue(1)
    assert first.waits
    assert second.waits
    q.enqueue(2)
    q.enqueue(3)
    assert (first.value, second.value) == ([1, 2], 3)


def test_a_wait_given_up_takes_nothing_and_lets_the_next_go_on() -> None:
    q = fifo(2)
    q.enqueue_many([[1, 2]])
    first, second = take_many(q, 3), take(q)
    assert int(q.size()) == 0
    assert first.cancel is not None
    assert first.cancel()
    assert first.waits
    assert second.value == 1
    assert q.dequeue().tolist() == 2
    assert not first.cancel()


def test_an_enqueue_given_up_puts_nothing() -> None:
    q = fifo(1)
    q.enqueue(1)
    first, second = put(q, 2), put(q, 3)
    assert first.cancel is not None
    assert first.cancel()
    assert q.dequeue().tolist() == 1
    assert second.value == ()
    assert q.dequeue().tolist() == 3
    assert first.waits


def test_a_thread_waits_until_another_puts() -> None:
    q = fifo()
    with Background(lambda: q.dequeue_many(2).tolist()) as consumer:
        until(lambda: in_line(q) == 1)
        q.enqueue(1)
        q.enqueue(2)
    assert consumer.result() == [1, 2]


def test_ctrl_c_in_a_wait_leaves_the_queue_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    q = fifo()
    q.enqueue(1)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tensorlite.core.waiting._Answer.wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        q.dequeue_many(2)
    assert in_line(q) == 0
    assert q.dequeue().tolist() == 1


def test_many_threads_lose_nothing_and_get_nothing_twice() -> None:
    q = fifo(3)
    per_thread, makers = 200, 4

    def produce(first: int) -> None:
        for i in range(per_thread):
            q.enqueue(first + i)

    def consume() -> list[int]:
        taken: list[int] = []
        while True:
            try:
                taken.extend(q.dequeue_up_to(3).tolist())
            except errors.OutOfRangeError:
                return taken

    consumers = [Background(consume) for _ in range(4)]
    producers = [Background(produce, i * per_thread) for i in range(makers)]
    for producer in producers:
        producer.result()
    q.close()
    taken = [x for consumer in consumers for x in consumer.result()]
    assert Counter(taken) == Counter(range(makers * per_thread))


@given(st.integers(0, 2**32), st.integers(1, 4))
def test_whatever_is_begun_and_given_up_elements_keep_their_order(
    seed: int, capacity: int
) -> None:
    q, numbers = fifo(capacity), iter(range(10_000))
    draw = Random(seed)  # noqa: S311
    puts: list[Begun] = []
    takes: list[Begun] = []
    for _ in range(30):
        what = draw.randrange(6)
        if what == 0:
            puts.append(put(q, next(numbers)))
        elif what == 1:
            puts.append(put_many(q, *[next(numbers) for _ in range(3)]))
        elif what == 2:
            takes.append(take(q))
        elif what in (3, 4):
            takes.append((take_many, take_up_to)[what - 3](q, draw.randrange(1, 5)))
        else:
            waiting = [x for x in takes if x.waits and x.cancel is not None]
            if waiting:
                given_up = draw.choice(waiting)
                assert given_up.cancel is not None
                assert given_up.cancel()
                takes.remove(given_up)
    close(q)
    while puts and any(x.waits for x in puts):
        takes.append(take_up_to(q, 2))
    out = [x for begun in takes for x in np.ravel(begun.value) if not _ended(begun)]
    rest = [int(q.dequeue()) for _ in range(int(q.size()))]
    assert [int(x) for x in out] + rest == list(range(next(numbers)))


def _ended(begun: Begun) -> bool:
    return isinstance(begun.answers[0], errors.OutOfRangeError)


def test_a_closed_queue_gives_out_what_it_has_and_takes_nothing_in() -> None:
    q = fifo(3)
    q.enqueue_many([[1, 2]])
    q.close()
    assert bool(q.is_closed())
    with pytest.raises(
        errors.CancelledError, match="'fifo_queue': the queue is clos"
    ):
        q.enqueue(3)
    with pytest.raises(errors.CancelledError, match="closed and takes no more"):
        q.enqueue_many([[3]])
    with pytest.raises(errors.OutOfRangeError, match="requested 3, current size 2"):
        q.dequeue_many(3)
    assert int(q.dequeue()) == 1
    assert q.dequeue_up_to(5).tolist() == [2]
    for take_one in (
        q.dequeue,
        lambda: q.dequeue_up_to(5),
        lambda: q.dequeue_many(1),
    ):
        with pytest.raises(errors.OutOfRangeError, match="insufficient elements"):
            take_one()


def test_closing_twice_is_told_unless_pending_enqueues_are_cancelled() -> None:
    q = fifo()
    q.close()
    with pytest.raises(errors.CancelledError, match="already closed"):
        q.close()
    q.close(cancel_pending_enqueues=True)


def test_closing_waits_behind_the_enqueues_that_wait() -> None:
    q = fifo(3)
    many, closing = put_many(q, 1, 2, 3, 4, 5), close(q)
    late = put(q, 9)
    assert closing.waits
    assert late.waits
    assert not bool(q.is_closed())
    assert [int(q.dequeue()) for _ in range(5)] == [1, 2, 3, 4, 5]
    assert (many.value, closing.value) == ((), ())
    assert isinstance(late.value, errors.CancelledError)
    assert bool(q.is_closed())


def test_closing_may_cancel_the_enqueues_that_wait() -> None:
    q = fifo(2)
    many, earlier = put_many(q, 1, 2, 3, 4, 5), close(q)
    assert close(q, cancel=True).value == ()
    assert isinstance(many.value, errors.CancelledError)
    assert "this enqueue cancelled" in str(many.value)
    assert earlier.value == ()
    assert q.dequeue_up_to(9).tolist() == [1, 2]


def test_closing_ends_those_who_wait_for_elements() -> None:
    q = fifo()
    q.enqueue_many([[1, 2, 3]])
    batch, one = take_many(q, 5), take(q)
    assert int(q.size()) == 0
    q.close()
    assert isinstance(batch.value, errors.OutOfRangeError)
    assert one.value == 1
    assert q.dequeue_many(2).tolist() == [2, 3]
    q = fifo()
    q.enqueue_many([[1, 2, 3]])
    batch = take_up_to(q, 5)
    q.close()
    assert batch.value == [1, 2, 3]


def test_the_error_that_a_queue_was_closed_for_is_told() -> None:
    q, broken = fifo(), OSError("disk on fire")
    q.enqueue(1)
    q.close(error=broken)
    q.close(cancel_pending_enqueues=True, error=ValueError("later"))
    assert int(q.dequeue()) == 1
    with pytest.raises(
        errors.OutOfRangeError, match="OSError: disk on fire"
    ) as caught:
        q.dequeue()
    assert caught.value.__cause__ is broken
    with pytest.raises(errors.CancelledError, match="OSError: disk on fire"):
        q.enqueue(1)


def test_a_trace_closes_for_no_error() -> None:
    q = fifo()
    stop = tl.function(lambda: q.close(error=OSError()))
    with pytest.raises(errors.TracingError, match="outside of the traced function"):
        stop()
    assert not bool(q.is_closed())


def test_an_error_names_the_line_that_waited() -> None:
    q = fifo()
    with Background(q.dequeue) as waiting:
        until(lambda: in_line(q) == 1)
        q.close()
    with pytest.raises(errors.OutOfRangeError) as caught:
        waiting.result()
    notes = "".join(caught.value.__notes__)
    assert "dequeue()" in notes
    assert "close" not in notes
