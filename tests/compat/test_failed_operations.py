"""Errors of sessions tell of the operation that failed, as TensorFlow 1.15's do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


def failed(run: Callable[[], Any]) -> Any:
    with pytest.raises(tf.errors.OpError) as info:
        run()
    return info.value


def test_a_placeholder_that_is_not_fed_is_told() -> None:
    x = tf.placeholder(tf.float32, name="wanted")
    with tf.Session() as session:
        error = failed(lambda: session.run(x + 1))
    assert error.op is x.op
    assert (error.node_def.name, error.node_def.op) == ("wanted", "Placeholder")


def test_an_operator_that_fails_is_told_also_in_loops_and_branches() -> None:
    x = tf.placeholder(tf.float32, [])
    plain = tf.check_numerics(x, "no", name="plain")
    loop = tf.while_loop(
        lambda i: i < 3, lambda i: tf.check_numerics(i, "no"), [x], name="loop"
    )
    branch = tf.cond(
        x > 0,
        lambda: tf.check_numerics(x, "no", name="in"),
        lambda: x,
        name="b",
    )
    held = tf.Assert(x < 0, ["no"], name="held")
    with tf.Session() as session:
        errors = [
            failed(partial(session.run, fetch, {x: fed}))
            for fetch, fed in [
                (plain, np.inf),
                (loop, -np.inf),
                (branch, np.inf),
                (held, 1),
            ]
        ]
    names = ["plain", "loop/CheckNumerics", "b/in", "held/Assert"]
    assert [error.op.name for error in errors] == names
    assert all(isinstance(x, tf.errors.InvalidArgumentError) for x in errors)


def test_callables_and_partial_runs_tell_it_too() -> None:
    x = tf.placeholder(tf.float32, [])
    y = tf.check_numerics(x, "no", name="y")
    with tf.Session() as session:
        assert failed(lambda: session.make_callable(y, [x])(np.inf)).op is y.op
        step = session.partial_run_setup([y], [x])
        assert failed(lambda: session.partial_run(step, y, {x: np.inf})).op is y.op


def test_errors_of_the_caller_are_of_no_operation() -> None:
    with tf.Session() as session:
        tf.constant(1)
        error = failed(lambda: session.run("nowhere:0"))
    assert (error.op, error.node_def) == (None, None)


def test_partial_runs_fetch_and_feed_kinds_that_a_program_registers() -> None:
    class Pair:
        def __init__(self, tensor: Any) -> None:
            self.tensor = tensor

    tf_session = tf.python.client.session
    tf_session.register_session_run_conversion_functions(
        Pair,
        lambda pair: ([pair.tensor], lambda values: values[0] * 10),
        lambda pair, value: [(pair.tensor, value)],
        lambda pair: [pair.tensor],
    )
    x = Pair(tf.placeholder(tf.float32, []))
    y = Pair(x.tensor + 1)
    with tf.Session() as session:
        step = session.partial_run_setup([y], [x])
        assert session.partial_run(step, y, {x: 2.0}) == 30.0


def test_a_variable_without_a_value_is_told_as_ever() -> None:
    variable = tf.Variable(1.0)
    with tf.Session() as session:
        for fetch in (variable, variable + 1.0, variable.assign_add(1.0)):
            error = failed(partial(session.run, fetch))
            assert isinstance(error, tf.errors.FailedPreconditionError)
            assert "uninitialized value" in error.message
