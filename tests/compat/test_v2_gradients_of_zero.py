"""Gradients that are zeros, or None, where no derivative flows: TensorFlow 1.15's and 2.21's."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from tensorlite.graph_mode.graph import mode

tf: Any = import_module("tensorlite.compat.v2")  # as its programs see it, untyped
tf1: Any = tf.compat.v1
Function = Callable[..., Any]


def stopped_in_turns(x: Any, y: Any, w: Any) -> Any:
    stop = tf.stop_gradient
    return tf.while_loop(
        lambda x, y: x < 100.0,
        lambda x, y: (x * x + stop(y * y), stop(y * y) * stop(w)),
        [x, y],
    )[0]


def passed_on(x: Any, y: Any, w: Any) -> Any:
    return tf.while_loop(
        lambda i, x, z: i < 3,
        lambda i, x, z: (i + 1, x * 2.0 + tf.stop_gradient(w), z),
        [tf.constant(0), x, y],
    )[1]


def unused_captured(x: Any, y: Any, w: Any) -> Any:
    return tf.map_fn(lambda e: e * x + tf.stop_gradient(y), tf.ones(3))


def stopped_in_branches(x: Any, y: Any, w: Any) -> Any:
    stop = tf.stop_gradient
    return tf.cond(x < 100.0, lambda: x * stop(y), lambda: x * stop(w))


def of_other_results(x: Any, y: Any, w: Any) -> Any:
    return tf.cond(x < 100.0, lambda: (x * 2.0, y * 3.0), lambda: (x, w))[0]


def of_other_values(x: Any, y: Any, w: Any) -> Any:
    @tf.function  # type: ignore[untyped-decorator]
    def both(a: Any, b: Any) -> Any:
        return a * 2.0, b * 3.0

    return both(x, y)[0]


def together(x: Any, y: Any, w: Any) -> Any:
    return tf.identity_n([x, y])[0]


def stopped_in_calls(x: Any, y: Any, w: Any) -> Any:
    @tf.function  # type: ignore[untyped-decorator]
    def one(a: Any, b: Any) -> Any:
        return a * 2.0 + tf.stop_gradient(b)

    return one(x, y)


WANTED: list[tuple[Function, list[Any], list[Any]]] = [
    # What it is of; gradients under a tape in a function; with the function under the tape.
    (stopped_in_turns, [156.0, 0.0, 0.0], [156.0, 0.0, 0.0]),
    (passed_on, [8.0, 0.0, 0.0], [8.0, 0.0, 0.0]),
    (unused_captured, [3.0, 0.0, None], [3.0, 0.0, None]),
    (stopped_in_branches, [2.0, None, None], [2.0, None, None]),
    (of_other_results, [2.0, 0.0, 0.0], [2.0, 0.0, 0.0]),
    (of_other_values, [2.0, 0.0, None], [2.0, 0.0, None]),
    (together, [1.0, 0.0, None], [1.0, 0.0, None]),
    (stopped_in_calls, [2.0, None, None], [2.0, None, None]),
]


def told(gradients: Any) -> list[Any]:
    return [None if dx is None else float(dx) for dx in gradients]


@pytest.mark.parametrize(
    ("function", "inside", "outside"),
    WANTED,
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_zeros_are_where_tensorflow_2_has_them(
    function: Function, inside: Any, outside: Any
) -> None:
    given = [tf.constant(3.0), tf.constant(2.0), tf.constant(1.5)]

    @tf.function  # type: ignore[untyped-decorator]
    def derived(*xs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = function(*xs)
        return tape.gradient(y, xs)

    assert told(derived(*given)) == inside
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = tf.function(function)(*given)
    assert told(tape.gradient(y, given)) == outside


def test_gradients_for_variables_behind_branches_are_applied() -> None:
    """An optimizer is given zeros, and no None, for what a branch that counts leaves out."""
    v, w = tf.Variable(3.0), tf.Variable(2.0)

    @tf.function  # type: ignore[untyped-decorator]
    def derived() -> Any:
        with tf.GradientTape() as tape:
            y = of_other_results(v * 1.0, w * 1.0, w * 1.0)
        return tape.gradient(y, [v, w])

    assert told(derived()) == [2.0, 0.0]


WANTED_BEFORE: list[tuple[Function, list[Any]]] = [
    (stopped_in_turns, [156.0, 0.0, None]),
    (passed_on, [8.0, None, None]),
    (unused_captured, [3.0, None, None]),
    (stopped_in_branches, [2.0, None, None]),
    (of_other_results, [2.0, None, None]),
    (together, [1.0, 0.0, None]),
]


@pytest.mark.parametrize(("function", "wanted"), WANTED_BEFORE)
def test_graphs_have_those_of_tensorflow_1(
    function: Function, wanted: list[Any]
) -> None:
    before, mode.eager = mode.eager, False
    try:
        with tf1.Graph().as_default(), tf1.Session() as session:
            xs = [tf1.constant(3.0), tf1.constant(2.0), tf1.constant(1.5)]
            found = tf1.gradients(function(*xs), xs)
            values = [None if dx is None else session.run(dx) for dx in found]
    finally:
        mode.eager = before
    assert told(values) == wanted
