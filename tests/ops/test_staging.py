"""Staging areas: first in, first out, within bounds. Held against TensorFlow 2.21's by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.ops.queues.staging import Stage, StagePeek, StagingState, Unstage
from tests.threads import Background, until

errors = tl.errors


def area(**options: Any) -> tl.queue.StagingArea:
    return tl.queue.StagingArea([tl.float32, tl.int32], shapes=[(2,), ()], **options)


def state_of(staged: tl.queue.StagingArea) -> StagingState:
    state: StagingState = staged.handle.array
    return state


def values(element: list[tl.Tensor]) -> list[Any]:
    return [x.tolist() for x in element]


def test_elements_come_out_in_the_order_in_which_they_went_in() -> None:
    staged = area(capacity=2)
    staged.put([[1.0, 2.0], 3])
    staged.put([[4.0, 2.0], 4])
    assert int(staged.size()) == 2
    assert values(staged.peek(0)) == [[1.0, 2.0], 3]
    assert values(staged.peek(1)) == [[4.0, 2.0], 4]
    assert values(staged.get()) == [[1.0, 2.0], 3]
    assert values(staged.get()) == [[4.0, 2.0], 4]
    assert int(staged.size()) == 0


def test_one_component_comes_in_a_list_too() -> None:
    staged = tl.queue.StagingArea([tl.float32])
    staged.put(tl.ones(1))
    assert values(staged.get()) == [[1.0]]


def test_components_with_names_are_dicts() -> None:
    staged = tl.queue.StagingArea([tl.float32, tl.int32], names=["x", "n"])
    staged.put({"n": 1, "x": 2.0})
    assert {name: float(x) for name, x in staged.get().items()} == {"x": 2, "n": 1}


def test_what_is_cleared_is_gone_and_makes_room() -> None:
    staged = area(capacity=1)
    staged.put([[1.0, 2.0], 3])
    with Background(staged.put, [[5.0, 6.0], 7]):
        until(lambda: state_of(staged).waiting("fills") == 1)
        staged.clear()
    assert values(staged.get()) == [[5.0, 6.0], 7]


def test_a_put_waits_while_the_area_is_full() -> None:
    staged = area(capacity=1)
    staged.put([[1.0, 2.0], 3])
    with Background(staged.put, [[5.0, 6.0], 7]):
        until(lambda: state_of(staged).waiting("fills") == 1)
        assert int(staged.size()) == 1
        assert values(staged.get()) == [[1.0, 2.0], 3]
    assert values(staged.get()) == [[5.0, 6.0], 7]


def test_a_put_waits_for_memory() -> None:
    staged = tl.queue.StagingArea([tl.float32], memory_limit=16)
    staged.put(tl.ones(3))
    with Background(staged.put, tl.zeros(2)):
        until(lambda: state_of(staged).waiting("fills") == 1)
        staged.get()
    staged.put(tl.ones(2))
    assert state_of(staged).bytes == 16
    with pytest.raises(errors.ResourceExhaustedError, match=r"20 bytes.*16"):
        staged.put(tl.ones(5))
    assert int(staged.size()) == 2


def test_a_get_and_a_peek_wait_for_elements() -> None:
    staged = area()
    with Background(staged.peek, 1) as second, Background(staged.peek, 0) as first:
        until(lambda: state_of(staged).waiting("looks at 1") == 1)
        until(lambda: state_of(staged).waiting("looks at 0") == 1)
        staged.put([[1.0, 2.0], 3])
        assert values(first.result()) == [[1.0, 2.0], 3]
        staged.put([[1.0, 2.0], 4])
        assert values(second.result()) == [[1.0, 2.0], 4]
    staged.clear()
    with Background(staged.get) as taking:
        until(lambda: state_of(staged).waiting("drains") == 1)
        staged.put([[1.0, 2.0], 5])
        assert values(taking.result()) == [[1.0, 2.0], 5]


def test_what_is_given_up_puts_and_takes_nothing() -> None:
    staged = tl.queue.StagingArea([tl.int32], capacity=1)
    state, answers = state_of(staged), list[Any]()
    for op, given in (
        (Unstage(), ()),
        (StagePeek(), (np.asarray(0),)),
    ):
        cancel = op.start(answers.append, state, *given)
        assert cancel is not None
        cancel()
    staged.put(1)
    cancel = Stage().start(answers.append, state, np.asarray(2, np.int32))
    assert cancel is not None
    cancel()
    assert values(staged.get()) == [1]
    assert (answers, int(staged.size())) == ([], 0)


def test_waits_say_for_what() -> None:
    staged = area(name="s")
    state = state_of(staged)
    assert Unstage().waits_for(state).what == "an element of staging area 's'"
    wanted = StagePeek().waits_for(state, np.asarray(2)).what
    assert wanted == "3 elements in staging area 's' (0 there)"
    full = Stage().waits_for(state, np.zeros(2, np.float32), np.asarray(1)).what
    assert full == "room in staging area 's' (0 elements there)"


STAGED = area()
NAMED = tl.queue.StagingArea([tl.int32], names=["n"])
BAD: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "few": (
        lambda: STAGED.put([[1.0, 2.0]]),
        errors.StructureError,
        "1 values for 2",
    ),
    "many": (lambda: STAGED.put([1, 2, 3]), errors.StructureError, "3 values for 2"),
    "bare": (lambda: STAGED.put(1.0), errors.StructureError, "1 values for 2"),
    "dtype": (
        lambda: STAGED.put([tl.zeros(2), tl.asarray(1.5)]),
        errors.DTypeError,
        "component 1",
    ),
    "fraction": (lambda: STAGED.put([[1.0, 2.0], 1.5]), errors.DTypeError, "int32"),
    "shape": (lambda: STAGED.put([[1.0], 1]), errors.ShapeError, "component 0"),
    "dict": (lambda: STAGED.put({"a": 1, "b": 2}), errors.StructureError, "names"),
    "list": (lambda: NAMED.put([1]), errors.StructureError, "dict"),
    "names": (lambda: NAMED.put({"m": 1}), errors.StructureError, "'m'"),
    "place": (lambda: STAGED.peek(-1), errors.InvalidArgumentError, "index=-1"),
    "no place": (lambda: STAGED.peek(1.0), errors.DTypeError, "index"),
    "capacity": (lambda: area(capacity=-1), errors.InvalidArgumentError, "capacity"),
    "limit": (lambda: area(memory_limit=1.5), errors.DTypeError, "memory_limit"),
    "few names": (lambda: area(names=["a"]), errors.InvalidArgumentError, "names"),
    "equal names": (
        lambda: area(names=["a", "a"]),
        errors.InvalidArgumentError,
        "once",
    ),
    "no components": (
        lambda: tl.queue.StagingArea([]),
        errors.InvalidArgumentError,
        "no dtypes",
    ),
    "few shapes": (
        lambda: tl.queue.StagingArea([tl.int32, tl.int32], shapes=[()]),
        errors.InvalidArgumentError,
        "as many shapes",
    ),
    "no shape": (
        lambda: tl.queue.StagingArea([tl.int32, tl.int32], shapes=[(), 3]),  # type: ignore[list-item]
        errors.ShapeError,
        "no shape",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_and_nothing_changes(name: str) -> None:
    call, kind, text = BAD[name]
    with pytest.raises(kind, match=text):
        call()
    assert (int(STAGED.size()), int(NAMED.size())) == (0, 0)


def test_in_a_trace_elements_are_put_and_taken_in_program_order() -> None:
    staged = tl.queue.StagingArea([tl.float32], capacity=2)

    @tl.function
    def step(x: tl.Tensor) -> Any:
        staged.put(x)
        staged.put(2.0 * x)
        (first,) = staged.get()
        staged.put(3.0 * x)
        (second,) = staged.peek(1)
        number = staged.size()
        staged.clear()
        return first, second, number, staged.size()

    found = [float(x) for x in step(tl.asarray(1.0))]
    assert found == [1.0, 3.0, 2.0, 0.0]


def test_a_loop_in_a_trace_overlaps_two_stages() -> None:
    staged = tl.queue.StagingArea([tl.int32], shapes=[()])

    @tl.function
    def pipelined(n: tl.Tensor) -> tl.Tensor:
        staged.put(0)
        total = tl.asarray(0)
        for i in tl.range(n):
            staged.put((i + 1) ** 2)
            total = total + staged.get()[0]
        return total

    assert int(pipelined(tl.asarray(4))) == 0 + 1 + 4 + 9
    assert values(staged.get()) == [16]


def test_in_a_session_steps_overlap() -> None:
    staged = tl.queue.StagingArea([tl.float32])
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32, ())
        put = staged.put(x * 10.0)
        (got,) = staged.get()
        there = staged.size()
        clear = staged.clear()
    with tl.Session(graph) as session:
        session.run(put, {x: 1.0})
        assert session.run([got, put], {x: 2.0})[0] in (10.0, 20.0)
        assert session.run(there) == 1
        session.run(clear)
        assert session.run(there) == 0


def test_many_threads_get_each_element_once() -> None:
    staged = tl.queue.StagingArea([tl.int32], shapes=[()], capacity=3)
    threads, rounds = 6, 40

    def fill(i: int) -> None:
        for k in range(rounds):
            staged.put(i * rounds + k)

    def drain() -> list[int]:
        return [int(staged.get()[0]) for _ in range(rounds)]

    drains = [Background(drain) for _ in range(threads)]
    fills = [Background(fill, i) for i in range(threads)]
    for one in fills:
        one.result()
    got = [value for one in drains for value in one.result()]
    assert sorted(got) == list(range(threads * rounds))
    for one in drains:
        kept = [[x for x in one.result() if x // rounds == i] for i in range(threads)]
        assert all(part == sorted(part) for part in kept)
