"""Item assignment: what `x[key] = value` does to `x`, to tapes and to traces."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    DTypeError,
    PlaceError,
    ShapeError,
    TracingError,
)
from tensorlite.core.tensor import Tensor
from tensorlite.graph.trace import trace
from tests.checks import run_graph


def values(x: Any) -> Any:
    return x.numpy().tolist()


def run(function: Callable[..., Any], *arguments: Tensor) -> list[Any]:
    """Return what the graph of `function` gives, as nested lists."""
    traced = trace(function, [x.spec.without_value() for x in arguments])
    found = run_graph(traced.graph, [*arguments, *traced.captured])
    return [np.asarray(y).tolist() for y in found]


def test_assignment_keeps_the_object_and_changes_its_value() -> None:
    x = tl.asarray([1.0, 2.0, 3.0])
    same = x
    x[1:] = 7
    assert same is x
    assert values(x) == [1, 7, 7]


def test_tensors_that_shared_the_value_keep_theirs() -> None:
    x = tl.asarray([[1.0, 2.0], [3.0, 4.0]])
    row = x[0]
    flat = tl.reshape(x, (-1,))
    x[0, 0] = 9
    assert values(row) == [1, 2]
    assert values(flat) == [1, 2, 3, 4]


def test_the_array_a_tensor_was_made_of_stays() -> None:
    array = np.zeros(3)
    x = tl.asarray(array)
    x[0] = 1
    assert array.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("key", "value", "error", "words"),
    [
        (0, [1.0, 2.0, 3.0], ShapeError, "does not broadcast to the part"),
        (slice(None), [[[1.0, 2.0]]], ShapeError, r"shape \[1, 1, 2\]"),
        ([0, 1], [1.0, 2.0, 3.0], ShapeError, "broadcast"),
        (5, 0.0, PlaceError, "index 5 is out of range for axis 0 of size 2"),
        (
            [0, -3],
            0.0,
            PlaceError,
            "index -3 is out of range for axis 0 of size 2",
        ),
        (0, 1j, DTypeError, "would lose something"),
        ("a", 0.0, DTypeError, "str 'a'"),
        (1.0, 0.0, DTypeError, "float"),
    ],
)
def test_a_value_or_key_that_does_not_fit_leaves_the_tensor(
    key: Any, value: Any, error: type[Exception], words: str
) -> None:
    x = tl.asarray([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(error, match=words):
        x[key] = value
    assert values(x) == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("dtype", "value", "holds"),
    [
        (tl.float32, 1, True),
        (tl.float32, True, True),
        (tl.float16, [1.5, 2.5], True),
        (tl.float64, np.array([1, 2], np.float32), True),
        (tl.float32, np.array([1, 2], np.float64), False),
        (tl.int32, 1.5, False),
        (tl.int32, np.array([1, 2], np.int64), False),
        (tl.int64, np.array([1, 2], np.int32), True),
        (tl.bool, True, True),
        (tl.bool, 1, False),
        (tl.complex64, 1.0, True),
    ],
)
def test_nothing_is_narrowed(dtype: tl.DType, value: Any, holds: bool) -> None:
    x = tl.zeros(2, dtype=dtype)
    if holds:
        x[:] = value
        assert x.dtype is dtype
    else:
        with pytest.raises(DTypeError, match="would lose something"):
            x[:] = value


def test_gradients_flow_to_the_old_value_and_to_the_part() -> None:
    x, v = tl.asarray([1.0, 2.0, 3.0]), tl.asarray(5.0)
    with tl.GradientTape() as tape:
        tape.watch([x, v])
        y = x * x
        y[1] = v * v
        total = tl.sum(y * tl.asarray([1.0, 10.0, 100.0]))
    dx, dv = tape.gradient(total, [x, v])
    assert values(dx) == [2, 0, 600]
    assert values(dv) == 100


def test_what_was_recorded_before_sees_the_value_of_then() -> None:
    x = tl.asarray([1.0, 2.0])
    factor = tl.asarray([3.0, 4.0])
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = x * factor
        before = tl.sum(y * y)
        factor[0] = 100.0
        y[0] = 0.0
        after = tl.sum(y * factor)
        total = before + after
    assert values(after) == 32
    gradient = tape.gradient(total, x)
    np.testing.assert_allclose(gradient.numpy(), [18, 64 + 16])


def test_a_change_after_the_tape_has_closed_does_not_reach_it() -> None:
    x, factor = tl.asarray([1.0, 2.0]), tl.asarray([3.0, 4.0])
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = tl.sum(x * factor)
    factor[:] = 0.0
    assert values(tape.gradient(y, x)) == [3, 4]


def test_a_watched_tensor_stands_for_its_new_value() -> None:
    x = tl.asarray([1.0, 2.0])
    with tl.GradientTape(persistent=True) as tape:
        tape.watch(x)
        before = tl.sum(x * x)
        x[0] = x[1] * 3.0
        after = tl.sum(x * x)
    assert values(tape.gradient(after, x)) == [12, 4]
    assert tape.gradient(before, x) is None


def test_two_nested_tapes_see_the_same() -> None:
    x = tl.asarray([1.0, 2.0])
    with tl.GradientTape() as outer:
        outer.watch(x)
        with tl.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
            y[0] = x[1] * x[1]
            total = tl.sum(y)
        first = inner.gradient(total, x)
        assert values(first) == [0, 16]
        norm = tl.sum(first * first)
    # first is (0, 2 b + 3 b^2); its square's derivative is 2 (2 b + 3 b^2) (2 + 6 b)
    assert values(outer.gradient(norm, x)) == [0, 2 * 16 * 14]


def test_an_assignment_that_a_tape_does_not_record_breaks_the_chain() -> None:
    x = tl.asarray([1.0, 2.0])
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0
        with tape.stop_recording():
            y[0] = 5.0
        total = tl.sum(y)
    assert tape.gradient(total, x) is None


def test_overwritten_updates_have_no_gradient() -> None:
    x, v = tl.zeros(3), tl.asarray([1.0, 2.0, 3.0])
    with tl.GradientTape() as tape:
        tape.watch(v)
        y = x * 1.0
        y[[0, 2, 0]] = v
        total = tl.sum(y * tl.asarray([5.0, 6.0, 7.0]))
    assert values(y) == [3, 0, 2]
    assert values(tape.gradient(total, v)) == [0, 7, 5]


def test_the_gradient_of_a_broadcast_value_is_summed() -> None:
    v = tl.asarray([1.0, 2.0])
    with tl.GradientTape() as tape:
        tape.watch(v)
        y = tl.zeros((3, 2))
        y[:2] = v
        y[:, 0] = v[1]
        total = tl.sum(y)
    assert values(tape.gradient(total, v)) == [0, 5]


def test_assignment_in_a_trace() -> None:
    def function(x: Tensor) -> list[Tensor]:
        y = x * 2
        before = y + 1
        y[0] = y[1] + 10
        y[tl.asarray([1])] = 7
        return [before, y, x]

    x = tl.asarray([1, 2, 3])
    assert run(function, x) == [[3, 5, 7], [14, 7, 6], [1, 2, 3]]
    assert values(x) == [1, 2, 3]


def test_an_argument_of_a_trace_may_be_assigned_to() -> None:
    def function(x: Tensor) -> list[Tensor]:
        double = x + x
        x[0] = 10
        return [double, x]

    x = tl.asarray([1, 2])
    assert run(function, x) == [[2, 4], [10, 2]]


def test_equal_expressions_of_a_trace_are_assigned_to_one_by_one() -> None:
    def function(x: Tensor) -> list[Tensor]:
        a, b = tl.zeros(2, dtype=tl.int32), tl.zeros(2, dtype=tl.int32)
        c, d = x + 1, x + 1
        a[0] = 5
        d[1] = 9
        return [a, b, c, d, tl.zeros(2, dtype=tl.int32), x + 1]

    assert run(function, tl.asarray([1, 2])) == [
        [5, 0],
        [0, 0],
        [2, 3],
        [2, 9],
        [0, 0],
        [2, 3],
    ]


def test_gradients_in_a_trace_flow_through_assignments() -> None:
    def function(x: Tensor) -> list[Tensor]:
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            z = x * x
            y[0] = x[1] * x[2]
            total = tl.sum(y) + tl.sum(z)
        return [tape.gradient(total, x)]

    assert run(function, tl.asarray([1.0, 2.0, 3.0])) == [[2, 11, 14]]


def test_a_traced_index_may_say_where() -> None:
    def function(x: Tensor, i: Tensor) -> list[Tensor]:
        x[i] = x[i - 1] * 10
        x[: i - 1] = 0
        return [x]

    x = tl.asarray([1, 2, 3, 4])
    assert run(function, x, tl.asarray(2)) == [[0, 2, 20, 4]]
    assert run(function, x, tl.asarray(-1)) == [[0, 0, 3, 30]]


def test_a_tensor_from_outside_cannot_be_assigned_to_in_a_trace() -> None:
    outside = tl.asarray([1.0, 2.0])

    def function(x: Tensor) -> list[Tensor]:
        y = outside * x
        outside[0] = 5.0
        return [y]

    with pytest.raises(TracingError, match=r"made outside of graph.*tl\.set_item"):
        trace(function, [tl.TensorSpec(())])
    assert values(outside) == [1, 2]


def test_a_tensor_of_an_outer_trace_cannot_be_assigned_to_in_an_inner_one() -> None:
    def outer(x: Tensor) -> list[Tensor]:
        def inner(y: Tensor) -> list[Tensor]:
            x[0] = y
            return [x]

        trace(inner, [tl.TensorSpec(())], name="inner")
        return [x]

    with pytest.raises(TracingError, match="made outside of inner"):
        trace(outer, [tl.TensorSpec((2,))])


def test_set_item_returns_a_new_tensor() -> None:
    x = tl.asarray([1, 2, 3])
    y = tl.set_item(x, 0, 9)
    assert (values(x), values(y)) == ([1, 2, 3], [9, 2, 3])


def test_set_item_assigns_to_whatever_else_it_is_given() -> None:
    items, table, array = [1, 2], {"a": 1}, np.zeros(2)
    assert tl.set_item(items, 0, 5) is items
    assert tl.set_item(table, "b", 2) is table
    assert tl.set_item(array, 1, 3.0) is array
    assert (items, table, array.tolist()) == ([5, 2], {"a": 1, "b": 2}, [0, 3])


def test_variables_take_assignments() -> None:
    w = tl.Variable([[1.0, 2.0], [3.0, 4.0]])
    w[0] = 0.0
    w[:, 1] = [8.0, 9.0]
    w[w > 8] = -1.0
    assert values(w) == [[0, 8], [3, -1]]


def test_gradients_of_a_variable_are_those_of_its_value_after_the_assignment() -> (
    None
):
    w = tl.Variable([1.0, 2.0])
    with tl.GradientTape() as tape:
        w[0] = 5.0
        y = tl.sum(w * w)
    assert values(tape.gradient(y, w)) == [10, 4]


def test_assigning_to_a_variable_in_a_trace_happens_when_the_graph_runs() -> None:
    w = tl.Variable([1.0, 2.0])

    def function(x: Tensor) -> list[Tensor]:
        w[1] = x
        return [w.value()]

    traced = trace(function, [tl.TensorSpec(())])
    assert values(w) == [1, 2]
    found = run_graph(traced.graph, [tl.asarray(7.0), *traced.captured])
    assert np.asarray(found[0]).tolist() == [1, 7]
    assert values(w) == [1, 7]


def test_a_traced_function_sees_the_new_value_of_what_it_captured() -> None:
    factor, x = tl.asarray([1.0, 2.0]), tl.asarray([1.0, 1.0])

    @tl.function
    def function(y: Tensor) -> Tensor:
        return y * factor

    assert values(function(x)) == [1, 2]
    factor[0] = 10.0
    assert values(function(x)) == [10, 2]


def test_a_tape_holds_what_a_traced_function_captured_then() -> None:
    factor, x = tl.asarray([1.0, 2.0]), tl.asarray([1.0, 1.0])
    function = tl.function(lambda y: y * factor)
    with tl.GradientTape() as tape:
        tape.watch([x, factor])
        total = tl.sum(function(x))
        factor[1] = 0.0
        total = total + tl.sum(function(x))
    dx, dfactor = tape.gradient(total, [x, factor])
    assert values(dx) == [2, 2]
    assert values(dfactor) == [1, 1]


def test_gradients_of_a_graph_know_equal_tensors_and_assigned_ones() -> None:
    def function(x: Tensor) -> list[Tensor]:
        first, second = x * x, x * x
        second[0] = 1.0
        return [
            tl.gradients(first, x),
            tl.gradients(second, x),
            tl.gradients(x * x, x),
        ]

    assert run(function, tl.asarray([3.0, 4.0])) == [[6, 8], [0, 8], [6, 8]]


def test_assignments_in_threads_keep_to_their_tapes() -> None:
    found: list[Any] = []

    def work() -> None:
        for _ in range(50):
            x = tl.asarray([1.0, 2.0])
            with tl.GradientTape() as tape:
                tape.watch(x)
                y = x * x
                y[0] = x[1]
                total = tl.sum(y)
            found.append(values(tape.gradient(total, x)))

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[0, 5]] * 200
