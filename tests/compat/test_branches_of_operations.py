"""What stands for operations that branches return: the predicate, as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tensorlite.compat import v1

tf: Any = v1
NOTHING = tf.no_op


def told(
    choose: Callable[[Any], Any], given: list[Any], dtype: Any = bool
) -> list[Any]:
    """Return what a choice gives for several values of what it hangs on."""
    with tf.Graph().as_default(), tf.Session() as session:
        asked = tf.placeholder(dtype, [])
        found = choose(asked)
        return [session.run(found, {asked: x}) for x in given]


@pytest.mark.parametrize(
    ("choose", "expected"),
    [
        (lambda p: tf.cond(p, tf.group, NOTHING), [True, False]),
        (lambda p: tf.cond(p, NOTHING, lambda: tf.constant(True)), [True, True]),
        (lambda p: tf.cond(p, lambda: tf.constant(False), NOTHING), [False, False]),
        (
            lambda p: tf.cond(p, lambda: [NOTHING(), 1], lambda: [NOTHING(), 2]),
            [[True, 1], [False, 2]],
        ),
        (
            lambda p: tf.cond(p, lambda: {"a": NOTHING()}, lambda: {"a": NOTHING()}),
            [{"a": True}, {"a": False}],
        ),
        (
            lambda p: tf.cond(
                tf.logical_not(p), NOTHING, lambda: tf.cond(p, NOTHING, NOTHING)
            ),
            [True, True],
        ),
    ],
)
def test_an_operation_of_a_branch_is_the_predicate(
    choose: Any, expected: Any
) -> None:
    assert told(choose, [True, False]) == expected


def test_choices_among_several_tell_the_last_predicate_that_was_asked() -> None:
    def chosen(i: Any, **options: Any) -> Any:
        pairs = [(tf.equal(i, 0), NOTHING), (tf.equal(i, 1), NOTHING)]
        return tf.case(pairs, **options)

    def of_default(i: Any) -> Any:
        return chosen(i, default=NOTHING)

    assert told(of_default, [0, 1, 2], "int32") == [True, True, False]
    assert told(chosen, [0, 1], "int32") == [True, False]


def test_a_choice_by_a_number_tells_the_number() -> None:
    def chosen(i: Any) -> Any:
        return tf.switch_case(i, [NOTHING, NOTHING])

    assert told(chosen, [-1, 0, 1, 5], "int32") == [-1, 0, 1, 5]


def test_a_written_graph_tells_the_predicate() -> None:
    with tf.Graph().as_default() as graph:
        pred = tf.placeholder(tf.bool, [], name="pred")
        tf.identity(tf.cond(pred, NOTHING, NOTHING), name="told")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph.as_graph_def(), name="")
        found = [session.run("told:0", {"pred:0": p}) for p in (True, False)]
    assert found == [True, False]


def test_loops_take_no_operations() -> None:
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="Can't convert Operation"):
            tf.while_loop(lambda b: b, lambda b: NOTHING(), [tf.constant(True)])
        with pytest.raises(TypeError, match="Can't convert Operation"):
            tf.map_fn(lambda x: NOTHING(), tf.ones([2]), dtype=tf.bool)


def test_a_branch_that_returns_nothing_is_refused() -> None:
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match="true_fn must have a"),
    ):
        tf.cond(tf.constant(True), lambda: None, tf.no_op)
