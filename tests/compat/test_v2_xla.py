"""tf.xla.experimental: functions that ask to be compiled give what they give otherwise."""

from __future__ import annotations

from functools import partial

import pytest

from tensorlite.compat import v2 as tf


def test_results_without_structure_are_listed() -> None:
    x = tf.constant([1.0, 2.0])
    for given, wanted in (
        (lambda: x + 1, [[2.0, 3.0]]),
        (lambda: (x, x * 2), [[1.0, 2.0], [2.0, 4.0]]),
        (lambda: 3, [3]),
    ):
        compiled = partial(tf.xla.experimental.compile, given)
        for run in (compiled, tf.function(compiled)):
            assert [y.numpy().tolist() for y in run()] == wanted


def test_structures_are_kept() -> None:
    x = tf.constant([1.0, 2.0])
    found = tf.xla.experimental.compile(
        lambda a, b: {"y": a["q"] * b}, [{"q": x}, 3.0]
    )
    assert found["y"].numpy().tolist() == [3.0, 6.0]


def test_what_cannot_be_compiled_is_refused() -> None:
    with pytest.raises(TypeError, match="must be a list"):
        tf.xla.experimental.compile(lambda x: x, tf.constant(1.0))
    with pytest.raises(TypeError, match="returns nothing"):
        tf.xla.experimental.compile(lambda: None)
    with pytest.raises(ValueError, match="must all either be"):
        tf.xla.experimental.compile(lambda: [tf.constant(1.0), None])


def test_state_changes_once() -> None:
    v = tf.Variable(0.0)
    (found,) = tf.xla.experimental.compile(lambda: v.assign_add(1.0))
    assert (float(found), float(v)) == (1.0, 1.0)


def test_scopes_are_for_functions() -> None:
    def scoped() -> object:
        with tf.xla.experimental.jit_scope():
            return tf.constant(1.0) + 1

    assert float(tf.function(scoped)()) == 2.0
    with pytest.raises(RuntimeError, match="eager execution"):
        scoped()


def test_strategies_unwrap_the_values_of_their_replicas() -> None:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    value = strategy.run(lambda: tf.constant(2.0))
    assert [float(x) for x in strategy.unwrap(value)] == [2.0]
