"""What stands for operations that branches in functions return: the predicate."""

from __future__ import annotations

from typing import Any

import tensorlite.compat.v2 as tf


def test_functions_tell_the_predicate() -> None:
    @tf.function
    def chosen(p: Any) -> Any:
        return tf.cond(p, tf.no_op, lambda: tf.print("", end=""))

    @tf.function
    def numbered(i: Any) -> Any:
        return tf.switch_case(i, [tf.no_op, tf.no_op])

    @tf.function
    def paired(i: Any) -> Any:
        pairs = [(tf.equal(i, 0), tf.no_op), (tf.equal(i, 1), tf.no_op)]
        return tf.case(pairs, default=tf.no_op)

    assert [bool(chosen(tf.constant(p))) for p in (True, False)] == [True, False]
    assert [int(numbered(tf.constant(i))) for i in (0, 1, 7)] == [0, 1, 7]
    assert [bool(paired(tf.constant(i))) for i in range(3)] == [True, True, False]
