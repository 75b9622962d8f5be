"""Barriers: complete keys leave in the order in which they came, as in TensorFlow 2.21."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.ops.queues.barrier_ops import BarrierState, BarrierTakeMany
from tests.threads import Background, until

errors = tl.errors
FIRST = -(2**63)


def pairs(**options: Any) -> tl.queue.Barrier:
    return tl.queue.Barrier((tl.string, tl.int32), shapes=((), ()), **options)


def state_of(barrier: tl.queue.Barrier) -> BarrierState:
    state: BarrierState = barrier.handle.array
    return state


def sizes(barrier: tl.queue.Barrier) -> tuple[int, int]:
    return int(barrier.ready_size()), int(barrier.incomplete_size())


def taken(barrier: tl.queue.Barrier, number: int, small: bool = False) -> list[Any]:
    indices, keys, values = barrier.take_many(number, small)
    rows = [[i - FIRST for i in indices.tolist()], keys.tolist()]
    return rows + [x.tolist() for x in values]


def test_keys_leave_in_the_order_in_which_they_came_first() -> None:
    barrier = pairs()
    barrier.insert_many(0, ["k1", "k2"], ["a", "b"])
    assert sizes(barrier) == (0, 2)
    barrier.insert_many(1, ["k1"], [1])
    barrier.insert_many(0, ["k3"], ["c"])
    barrier.insert_many(1, ["k3"], [3])
    barrier.insert_many(1, ["k2"], [2])
    assert sizes(barrier) == (3, 0)
    assert taken(barrier, 0) == [[], [], [], []]
    assert taken(barrier, 2) == [[0, 0], ["k1", "k2"], ["a", "b"], [1, 2]]
    assert taken(barrier, 1) == [[1], ["k3"], ["c"], [3]]
    assert sizes(barrier) == (0, 0)


def test_a_key_that_is_complete_may_come_anew() -> None:
    barrier = pairs()
    barrier.insert_many(0, ["d"], ["x"])
    barrier.insert_many(1, ["d"], [1])
    barrier.insert_many(0, ["d"], ["y"])
    assert sizes(barrier) == (1, 1)
    barrier.insert_many(1, ["d"], [2])
    assert taken(barrier, 2) == [[0, 1], ["d", "d"], ["x", "y"], [1, 2]]


def test_with_one_component_a_key_is_complete_at_once() -> None:
    barrier = tl.queue.Barrier(tl.float32, shapes=(2,))
    barrier.insert_many(0, ["a", "b", "a"], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    _, keys, (rows,) = barrier.take_many(3)
    assert keys.tolist() == ["a", "b", "a"]
    assert rows.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def test_no_keys_are_no_insertion() -> None:
    barrier = pairs()
    barrier.insert_many(0, [], [])
    barrier.insert_many(0, ["a"], ["x"])
    barrier.insert_many(1, ["a"], [1])
    assert taken(barrier, 1)[0] == [0]


def test_values_of_unknown_shape_make_a_batch_if_they_can() -> None:
    barrier = tl.queue.Barrier(tl.float32)
    barrier.insert_many(0, ["a"], [[1.0, 2.0]])
    barrier.insert_many(0, ["b"], [[1.0, 2.0, 3.0]])
    with pytest.raises(errors.ShapeError, match="make no batch"):
        barrier.take_many(2)
    assert barrier.take_many(1)[2][0].tolist() == [[1.0, 2.0]]
    assert barrier.take_many(1)[2][0].tolist() == [[1.0, 2.0, 3.0]]
    assert barrier.take_many(0)[2][0].shape == (0,)


def test_a_closed_barrier_takes_no_new_keys_and_can_be_completed() -> None:
    barrier = pairs()
    barrier.insert_many(0, ["k1", "k2"], ["a", "b"])
    barrier.insert_many(1, ["k1"], [1])
    barrier.close()
    with pytest.raises(errors.CancelledError, match="already closed"):
        barrier.close()
    with pytest.raises(errors.CancelledError, match="'new' is a new key"):
        barrier.insert_many(1, ["k2", "new"], [2, 3])
    assert sizes(barrier) == (1, 1)
    with pytest.raises(errors.OutOfRangeError, match=r"requested 3, total size 2"):
        barrier.take_many(3)
    assert taken(barrier, 5, small=True) == [[0], ["k1"], ["a"], [1]]
    with pytest.raises(errors.OutOfRangeError, match=r"requested 5, total size 0"):
        barrier.take_many(5, allow_small_batch=True)
    barrier.insert_many(1, ["k2"], [2])
    assert taken(barrier, 1) == [[0], ["k2"], ["b"], [2]]
    with pytest.raises(errors.OutOfRangeError, match="closed"):
        barrier.take_many(0)


def test_closing_with_cancelling_forgets_what_is_not_complete() -> None:
    barrier = pairs()
    barrier.insert_many(0, ["k1", "k2"], ["a", "b"])
    barrier.insert_many(1, ["k1"], [1])
    barrier.close()
    barrier.close(cancel_pending_enqueues=True)
    assert sizes(barrier) == (1, 0)
    with pytest.raises(errors.CancelledError, match="already closed"):
        barrier.close(cancel_pending_enqueues=True)
    with pytest.raises(errors.CancelledError, match="'k2' is a new key"):
        barrier.insert_many(1, ["k2"], [2])
    with pytest.raises(errors.OutOfRangeError, match="total size 1"):
        barrier.take_many(2)
    assert taken(barrier, 2, small=True) == [[0], ["k1"], ["a"], [1]]


def test_a_take_waits_for_complete_keys() -> None:
    barrier = pairs()
    with Background(taken, barrier, 2) as taking:
        until(lambda: state_of(barrier).waiting("takes from") == 1)
        barrier.insert_many(0, ["a", "b"], ["x", "y"])
        barrier.insert_many(1, ["a"], [1])
        assert state_of(barrier).waiting("takes from") == 1
        barrier.insert_many(1, ["b"], [2])
        assert taking.result() == [[0, 0], ["a", "b"], ["x", "y"], [1, 2]]


@pytest.mark.parametrize("cancel", [False, True])
def test_closing_ends_a_wait_for_what_will_not_come(cancel: bool) -> None:
    barrier = pairs()
    with Background(barrier.take_many, 1) as taking:
        until(lambda: state_of(barrier).waiting("takes from") == 1)
        barrier.close(cancel)
        with pytest.raises(errors.OutOfRangeError, match="total size 0") as caught:
            taking.result()
    assert "Barrier.take_many()" in "".join(caught.value.__notes__)


def test_closing_gives_a_small_batch_to_one_that_waits() -> None:
    barrier = pairs()
    with Background(taken, barrier, 3, True) as taking:
        until(lambda: state_of(barrier).waiting("takes from") == 1)
        barrier.insert_many(0, ["a"], ["x"])
        barrier.insert_many(1, ["a"], [1])
        barrier.close()
        assert taking.result() == [[0], ["a"], ["x"], [1]]


def test_a_take_that_is_given_up_takes_nothing() -> None:
    barrier, answers = tl.queue.Barrier(tl.int32, shapes=()), list[Any]()
    two = BarrierTakeMany().start(answers.append, state_of(barrier), np.asarray(2))
    one = BarrierTakeMany().start(answers.append, state_of(barrier), np.asarray(1))
    assert one is not None
    assert two is not None
    barrier.insert_many(0, ["a"], [1])
    assert (answers, sizes(barrier)) == ([], (1, 0))
    two()
    assert [x.tolist() for x in answers[0]] == [[FIRST], ["a"], [1]]
    one()
    assert len(answers) == 1


def test_a_wait_says_for_what() -> None:
    barrier = pairs(name="b")
    barrier.insert_many(0, ["a"], ["x"])
    wants = BarrierTakeMany().waits_for(state_of(barrier), np.asarray(3))
    assert wants.what == "3 complete entries of barrier 'b' (0 complete, 1 not)"


BAD: dict[str, tuple[Callable[[tl.queue.Barrier], object], type[Exception], str]] = {
    "few": (
        lambda barrier: barrier.take_many(-1),
        errors.InvalidArgumentError,
        "=-1",
    ),
    "number": (
        lambda barrier: barrier.take_many(1.5),
        errors.DTypeError,
        "num_elements",
    ),
    "component": (
        lambda barrier: barrier.insert_many(2, ["k"], [1]),
        errors.InvalidArgumentError,
        "component_index=2",
    ),
    "negative component": (
        lambda barrier: barrier.insert_many(-1, ["k"], [1]),
        errors.InvalidArgumentError,
        "component_index=-1",
    ),
    "no component": (
        lambda barrier: barrier.insert_many("0", ["k"], ["a"]),  # type: ignore[arg-type]
        errors.DTypeError,
        "component_index",
    ),
    "there already": (
        lambda barrier: barrier.insert_many(0, ["new", "known"], ["a", "b"]),
        errors.InvalidArgumentError,
        "'known' has component 0 already",
    ),
    "twice": (
        lambda barrier: barrier.insert_many(0, ["new", "new"], ["a", "b"]),
        errors.InvalidArgumentError,
        "'new' has component 0 already",
    ),
    "dtype": (
        lambda barrier: barrier.insert_many(1, ["k"], [1.5]),
        errors.DTypeError,
        "component 1",
    ),
    "text": (
        lambda barrier: barrier.insert_many(1, ["k"], ["a"]),
        errors.DTypeError,
        "'a'",
    ),
    "keys": (
        lambda barrier: barrier.insert_many(1, [5], [1]),
        errors.DTypeError,
        "strings",
    ),
    "one key": (
        lambda barrier: barrier.insert_many(1, "k", [1]),
        errors.ShapeError,
        "vector",
    ),
    "one value": (
        lambda barrier: barrier.insert_many(1, ["k"], 1),
        errors.ShapeError,
        "row",
    ),
    "few values": (
        lambda barrier: barrier.insert_many(1, ["k", "l"], [1]),
        errors.ShapeError,
        "keys",
    ),
    "shape": (
        lambda barrier: barrier.insert_many(1, ["k"], [[1, 2]]),
        errors.ShapeError,
        "component 1",
    ),
    "shapes": (
        lambda _: tl.queue.Barrier((tl.int32, tl.int32), shapes=((),)),
        errors.InvalidArgumentError,
        "shapes",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_and_nothing_changes(name: str) -> None:
    call, kind, text = BAD[name]
    barrier = pairs()
    barrier.insert_many(0, ["known"], ["value"])
    with pytest.raises(kind, match=text):
        call(barrier)
    assert sizes(barrier) == (0, 1)


def test_in_a_trace_in_program_order() -> None:
    barrier = tl.queue.Barrier((tl.float32, tl.int32), shapes=((), ()))

    @tl.function
    def step(x: tl.Tensor) -> Any:
        barrier.insert_many(0, ["a", "b"], x)
        before = barrier.incomplete_size()
        barrier.insert_many(1, ["b", "a"], [2, 1])
        ready = barrier.ready_size()
        _, keys, values = barrier.take_many(2)
        return before, ready, keys, values, barrier.ready_size()

    for i in range(2):
        before, ready, keys, values, after = step(tl.asarray([1.0 + i, 2.0]))
        assert [int(x) for x in (before, ready, after)] == [2, 2, 0]
        assert keys.tolist() == ["a", "b"]
        assert [x.tolist() for x in values] == [[1.0 + i, 2.0], [1, 2]]


def test_sizes_are_inferred_in_a_trace() -> None:
    barrier = tl.queue.Barrier((tl.float32, tl.int32), shapes=((3,), ()))

    @tl.function
    def shapes() -> None:
        indices, keys, values = barrier.take_many(2)
        assert (indices.shape, keys.shape) == ((2,), (2,))
        assert [x.shape for x in values] == [(2, 3), (2,)]
        _, keys, values = barrier.take_many(2, allow_small_batch=True)
        assert [keys.shape, *[x.shape for x in values]] == [
            (None,),
            (None, 3),
            (None,),
        ]

    shapes.get_concrete_function()


def test_in_a_session() -> None:
    barrier = tl.queue.Barrier((tl.int32, tl.int32), shapes=((), ()))
    graph = tl.Graph()
    with graph.as_default():
        keys = tl.placeholder(tl.string, (None,))
        x = tl.placeholder(tl.int32, (None,))
        first = barrier.insert_many(0, keys, x)
        second = barrier.insert_many(1, keys, x * 10)
        took = barrier.take_many(1)
        close = barrier.close()
    with tl.Session(graph) as session:
        session.run(first, {keys: ["a", "b"], x: [1, 2]})
        session.run(second, {keys: ["b"], x: [2]})
        _, found, (one, other) = session.run(took)
        assert (found.tolist(), one.tolist(), other.tolist()) == (["b"], [2], [20])
        session.run(close)
        with pytest.raises(errors.CancelledError, match="already closed"):
            session.run(close)
        session.run(second, {keys: ["a"], x: [1]})
        assert session.run(took)[1].tolist() == ["a"]
        with pytest.raises(errors.OutOfRangeError, match="total size 0"):
            session.run(took)


def test_many_threads_complete_each_key_once() -> None:
    barrier = tl.queue.Barrier([tl.int32] * 3, shapes=[()] * 3)
    keys, batch = [f"key {i}" for i in range(120)], 8

    def insert(component: int) -> None:
        order = list(range(len(keys)))
        Random(component).shuffle(order)  # noqa: S311  it draws an order
        for i in order:
            barrier.insert_many(component, [keys[i]], [10 * i + component])

    def take() -> list[tuple[str, list[int]]]:
        found: list[tuple[str, list[int]]] = []
        while True:
            try:
                _, names, values = barrier.take_many(batch, allow_small_batch=True)
            except errors.OutOfRangeError:
                return found
            columns = zip(*[x.tolist() for x in values], strict=True)
            found += list(zip(names.tolist(), map(list, columns), strict=True))

    takers = [Background(take) for _ in range(3)]
    inserters = [Background(insert, component) for component in range(3)]
    for one in inserters:
        one.result()
    barrier.close()
    got = dict(found for one in takers for found in one.result())
    assert got == {
        key: [10 * i, 10 * i + 1, 10 * i + 2] for i, key in enumerate(keys)
    }
    assert sum(len(one.result()) for one in takers) == len(keys)
