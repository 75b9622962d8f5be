"""Queues in traced functions and sessions, and what they refuse."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.op import Op
from tensorlite.ops.queues import operators as queue_ops
from tests.begun import (
    fifo,
    in_line,
    put_many,
)
from tests.threads import Background, until

errors = tl.errors


def test_a_traced_function_keeps_the_order_of_the_program() -> None:
    q = fifo()

    @tl.function
    def step(x: tl.Tensor) -> Any:
        before = q.size()
        q.enqueue(x)
        q.enqueue(x + 1)
        first = q.dequeue()
        return before, first, q.size(), q.dequeue_many(1)

    for x in (1, 7):
        found = [y.tolist() for y in step(tl.asarray(x))]
        assert found == [0, x, 1, [x + 1]]
    assert step.trace_count == 1


def test_a_loop_fills_a_queue_and_a_condition_drains_it() -> None:
    @tl.function
    def evens(n: tl.Tensor) -> tl.Tensor:
        q = fifo(20)
        i, total = tl.asarray(0), tl.asarray(0)
        while i < n:
            q.enqueue(i)
            i += 1
        while q.size() > 0:
            if q.dequeue() % 2 == 0:
                total += 1
        return total

    assert int(evens(tl.asarray(7))) == 4
    assert int(evens(tl.asarray(9))) == 5


def test_a_loop_puts_and_takes_in_turn() -> None:
    q = fifo(3)

    def step(n: tl.Tensor) -> tl.Tensor:
        def body(i: tl.Tensor, total: tl.Tensor) -> Any:
            q.enqueue(i)
            return i + 1, total * 2 + q.dequeue()

        zero = tl.asarray(0)
        return tl.while_loop(lambda i, _: i < n, body, (zero, zero))[1]

    traced = tl.function(step)
    assert int(traced(tl.asarray(6))) == int(step(tl.asarray(6))) == 57
    assert int(q.size()) == 0


def test_a_step_waits_for_another_thread() -> None:
    q = fifo()
    pair = tl.function(lambda: q.dequeue_many(2) * 10)
    with Background(pair) as step:
        until(lambda: in_line(q) == 1)
        q.enqueue_many([[1, 2]])
    assert step.result().tolist() == [10, 20]


def test_what_is_unknown_in_a_trace_is_checked_when_it_runs() -> None:
    q = fifo()
    enqueue = tl.function(
        q.enqueue, input_signature=[tl.TensorSpec((None,), tl.int32)]
    )
    with pytest.raises(errors.ShapeError, match="component 0"):
        enqueue(tl.asarray([1, 2]))
    loose = tl.function(q.enqueue, input_signature=[tl.TensorSpec(None, tl.int32)])
    with pytest.raises(errors.ShapeError, match=r"Expected \[\], got \[2\]"):
        loose(tl.asarray([1, 2]))
    take_some = tl.function(q.dequeue_many)
    with pytest.raises(errors.InvalidArgumentError, match="n=-1"):
        take_some(tl.asarray(-1))
    assert int(q.size()) == 0


def test_a_step_that_fails_gives_its_waits_up() -> None:
    q = fifo()
    q.enqueue(1)

    @tl.function
    def step(x: tl.Tensor) -> Any:
        both = q.dequeue_many(2)
        tl.debugging.assert_less(x, 0)
        return both

    with pytest.raises(errors.AssertionFailedError):
        step(tl.asarray(1))
    assert in_line(q) == 0
    assert int(q.dequeue()) == 1


@pytest.mark.usefixtures("one_cpu")
def test_a_queue_lives_on_a_device_and_steps_on_others_use_it() -> None:
    tl.config.set_logical_devices("CPU", 2)
    with tl.device("/device:CPU:1"):
        q = fifo()

    @tl.function
    def step(x: tl.Tensor) -> Any:
        with tl.device("/device:CPU:0"):
            y = x * 2
        q.enqueue(y)
        q.enqueue(y + 1)
        with tl.device("/device:CPU:0"):
            return q.dequeue() * 10, q.size()

    assert q.handle.device == tl.DeviceName.parse("/device:CPU:1")
    assert [int(x) for x in step(tl.asarray(3))] == [60, 1]
    assert int(q.dequeue()) == 7


def test_a_session_runs_what_it_fetches() -> None:
    q, graph = fifo(), tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.int32, ())
        enqueue, taken, number = q.enqueue(x), q.dequeue(), q.size()
        closing = q.close()
    session = tl.Session(graph)
    assert session.run(enqueue, {x: 3}) is None
    assert session.run(number) == 1
    assert session.run(taken) == 3
    with Background(session.run, taken) as waiting:
        until(lambda: in_line(q) == 1)
        session.run(closing)
    with pytest.raises(errors.OutOfRangeError, match="insufficient"):
        waiting.result()


def test_one_of_several_queues_is_chosen_when_the_step_runs() -> None:
    queues = [fifo(name="a"), fifo(name="b")]

    @tl.function
    def step(i: tl.Tensor, x: tl.Tensor) -> Any:
        q = tl.queue.QueueBase.from_list(i, queues)
        q.enqueue(x)
        q.enqueue(x + 1)
        return q.dequeue(), queues[0].size(), queues[1].size()

    assert [int(x) for x in step(tl.asarray(1), tl.asarray(5))] == [5, 0, 1]
    assert [int(x) for x in step(tl.asarray(0), tl.asarray(7))] == [7, 1, 1]
    with pytest.raises(errors.AssertionFailedError, match="not so many queues"):
        step(tl.asarray(2), tl.asarray(7))


def test_one_of_several_queues_is_chosen_eagerly() -> None:
    queues = [fifo(name="a"), fifo(name="b")]
    assert tl.queue.QueueBase.from_list(tl.asarray(1), queues) is queues[1]
    with pytest.raises(errors.InvalidArgumentError, match="index 2; there are 2"):
        tl.queue.QueueBase.from_list(2, queues)
    other = tl.queue.FIFOQueue(5, tl.float32, shapes=())
    with pytest.raises(errors.StructureError, match="different dtypes or names"):
        tl.queue.QueueBase.from_list(0, [*queues, other])
    with pytest.raises(errors.DTypeError, match="list of queues"):
        tl.queue.QueueBase.from_list(0, [])


@pytest.mark.parametrize(
    ("given", "kind", "text"),
    [
        (1.5, errors.DTypeError, r"1\.5"),
        (tl.asarray(1.5), errors.DTypeError, "tl.astype"),
        (np.float32(1.5), errors.DTypeError, r"1\.5"),
        ("one", errors.TensorliteError, "one"),
        ([1, 2], errors.StructureError, "one value for each component"),
        ([[1, 2]], errors.ShapeError, "component 0"),
        ({"a": 1}, errors.StructureError, "names"),
        (None, errors.DTypeError, "None"),
    ],
)
def test_what_is_no_element_is_refused(
    given: Any, kind: type[Exception], text: str
) -> None:
    q = fifo()
    for enqueue in (q.enqueue, tl.function(lambda: q.enqueue(given))):
        with pytest.raises(kind, match=text):
            enqueue(*([given] if enqueue == q.enqueue else []))
    assert int(q.size()) == 0


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (1, errors.ShapeError),
        ([[[1, 2]]], errors.ShapeError),
        ([[1.5]], errors.DTypeError),
    ],
)
def test_what_has_no_rows_that_fit_is_refused(
    given: Any, kind: type[Exception]
) -> None:
    q = fifo()
    with pytest.raises(kind):
        q.enqueue_many(given)
    with pytest.raises(kind):
        tl.function(lambda: q.enqueue_many(given))()
    assert int(q.size()) == 0


def test_components_of_different_numbers_of_rows_are_refused() -> None:
    q = tl.queue.FIFOQueue(5, [tl.int32, tl.float32])
    for enqueue in (q.enqueue_many, tl.function(q.enqueue_many)):
        with pytest.raises(errors.ShapeError, match="row"):
            enqueue([tl.asarray([1, 2, 3]), tl.asarray([1.0, 2.0])])
    assert int(q.size()) == 0


def test_elements_of_unknown_shape_make_no_batch() -> None:
    q = tl.queue.FIFOQueue(5, [tl.int32, tl.float32])
    q.enqueue([1, [1.0, 2.0]])
    q.enqueue_many([[1, 2], [[1.0], [2.0]]])
    for take_one in (q.dequeue_many, q.dequeue_up_to, tl.function(q.dequeue_many)):
        with pytest.raises(errors.ShapeError, match="made without shapes"):
            take_one(1)
    assert [x.tolist() for x in q.dequeue()] == [1, [1.0, 2.0]]
    assert int(q.size()) == 2


@pytest.mark.parametrize(
    ("n", "kind"),
    [
        (-1, errors.InvalidArgumentError),
        (1.5, errors.DTypeError),
        ([1, 2], errors.DTypeError),
        ("1", errors.DTypeError),
    ],
)
def test_a_number_of_elements_is_a_whole_one(n: Any, kind: type[Exception]) -> None:
    q = fifo()
    q.enqueue_many([[1, 2]])
    for take_some in (q.dequeue_many, q.dequeue_up_to):
        with pytest.raises(kind):
            take_some(n)
        with pytest.raises(kind):
            tl.function(take_some)(n)
    assert int(q.size()) == 2


QUEUES: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: tl.queue.FIFOQueue("x", tl.int32), errors.DTypeError, "capacity"),  # type: ignore[arg-type]
    (lambda: tl.queue.FIFOQueue(2.5, tl.int32), errors.DTypeError, "capacity"),  # type: ignore[arg-type]
    (lambda: tl.queue.FIFOQueue(2, "bogus"), errors.DTypeError, "bogus"),
    (
        lambda: tl.queue.FIFOQueue(2, tl.int32, shapes=(None,)),
        errors.ShapeError,
        "PaddingFIFOQueue",
    ),
    (
        lambda: tl.queue.FIFOQueue(2, [tl.int32], shapes=[(), ()]),
        errors.InvalidArgumentError,
        "1 components",
    ),
    (
        lambda: tl.queue.FIFOQueue(2, tl.int32, names=["a", "b"]),
        errors.InvalidArgumentError,
        "as many names",
    ),
    (
        lambda: tl.queue.PaddingFIFOQueue(2, tl.int32, shapes=None),
        errors.ShapeError,
        "one shape for each component",
    ),
    (
        lambda: tl.queue.PaddingFIFOQueue(2, [tl.int32], shapes=[None]),
        errors.ShapeError,
        "no shape",
    ),
    (
        lambda: tl.queue.PriorityQueue(2, [tl.int32], [(None,)]),
        errors.ShapeError,
        "known",
    ),
    (
        lambda: tl.queue.RandomShuffleQueue(3, 3, tl.int32),
        errors.InvalidArgumentError,
        "nothing ever comes out",
    ),
    (
        lambda: tl.queue.RandomShuffleQueue(3, -1, tl.int32),
        errors.InvalidArgumentError,
        "min_after_dequeue",
    ),
]


@pytest.mark.parametrize(("make", "kind", "text"), QUEUES)
def test_a_queue_that_cannot_be_is_refused(
    make: Callable[[], object], kind: type[Exception], text: str
) -> None:
    with pytest.raises(kind, match=text):
        make()


def test_operators_bear_tensorflows_names() -> None:
    names = {
        "QueueEnqueueV2", "QueueEnqueueManyV2", "QueueDequeueV2", "QueueDequeueManyV2",
        "QueueDequeueUpToV2", "QueueCloseV2", "QueueSizeV2", "QueueIsClosedV2",
    }  # fmt: skip
    found = {
        name
        for name, value in vars(queue_ops).items()
        if isinstance(value, type)
        and issubclass(value, Op)
        and name.startswith("Queue")
    }
    assert found == names


def test_no_thread_is_made_by_a_queue() -> None:
    before = threading.active_count()
    q = fifo(1)
    put_many(q, 1, 2)
    q.close(cancel_pending_enqueues=True)
    assert threading.active_count() == before


@pytest.mark.parametrize("names", ["a", ["a", "a"], ["a"]])
def test_names_are_a_list_of_as_many_each_once(names: Any) -> None:
    types = [tl.int32] * (1 if names == "a" else 2)
    with pytest.raises(errors.InvalidArgumentError, match="each once"):
        tl.queue.FIFOQueue(3, types, names=names)


def test_a_queue_has_a_component_and_shapes_that_are_shapes() -> None:
    wrong: Any = 2.5
    with pytest.raises(errors.InvalidArgumentError, match="one component is due"):
        tl.queue.FIFOQueue(3, [])
    for make in (
        lambda: tl.queue.FIFOQueue(3, tl.int32, shapes=wrong),
        lambda: tl.queue.Barrier(tl.int32, shapes=wrong),
        lambda: tl.queue.ConditionalAccumulator(tl.float32, wrong),
        lambda: tl.queue.ConditionalAccumulator(tl.float32, (-3,)),
    ):
        with pytest.raises(errors.ShapeError, match="allowed are"):
            make()


def test_closing_takes_true_and_false() -> None:
    queue, wrong = tl.queue.FIFOQueue(3, tl.int32), cast("Any", "yes")
    with pytest.raises(errors.DTypeError, match="allowed are True"):
        queue.close(wrong)
    assert not queue.is_closed()


def test_what_waits_too_long_eagerly_is_given_up_and_takes_nothing() -> None:
    queue = tl.queue.FIFOQueue(3, tl.int32, shapes=(), name="few")
    queue.enqueue(1)
    tl.config.set_step_timeout(0.01)
    try:
        with pytest.raises(
            errors.DeadlineExceededError,
            match=r"2 elements of FIFOQueue 'few' \(1 of 3",
        ):
            queue.dequeue_many(2)
    finally:
        tl.config.set_step_timeout(None)
    assert queue.dequeue().item() == 1


def test_a_lock_and_a_handle_have_a_text_and_no_value() -> None:
    mutex = tl.queue.Mutex(name="m")
    lock = mutex.acquire()
    assert str(lock) == "<lock of mutex 'm'>"
    assert repr(lock).endswith(str(lock))
    for read in (lock.numpy, mutex.handle.numpy, lambda: float(lock)):
        with pytest.raises(errors.DTypeError, match="is no data"):
            read()
    mutex.release(lock)
