"""Where gradients do not get through loops and branches: zeros or None, as in TensorFlow 1.15."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tensorlite.compat import v1

tf: Any = v1
Loop = Callable[..., Any]


def turned(body: Loop, *first: Any) -> Any:
    """Return the variables of a loop of three turns."""
    return tf.while_loop(
        lambda i, *_: i < 3, lambda i, *xs: (i + 1, *body(*xs)), [0, *first]
    )[1:]


def sums(c: Any, t: Any) -> Any:
    return tf.stop_gradient(c) + t


CUT: list[tuple[Loop, list[Any]]] = [
    # A variable that only cut paths lead from has zeros, a tensor around the loop None.
    (lambda a, b: turned(lambda t, u: (tf.stop_gradient(t * u), u), a, b)[0], [0, 0]),
    (lambda a, b: turned(lambda t, u: (t + tf.stop_gradient(u), u), a, b)[0], [1, 0]),
    (lambda a, b: turned(lambda t: (tf.stop_gradient(t * b),), a)[0], [0, None]),
    (lambda a, b: turned(lambda t, u: (t * 2.0, u + t), a, b)[0], [8, None]),
    (lambda a, b: tf.scan(sums, tf.stack([a, a]), b), [2, 0]),
    (lambda a, b: tf.scan(lambda c, t: t, tf.stack([a, a]), b), [2, None]),
    # Rounding has no gradient, and a branch that gives none none of another's zeros.
    (lambda a, b: tf.cond(a > b, lambda: tf.round(a), lambda: tf.sign(b)), [None, 0]),
    (lambda a, b: tf.cond(a < b, lambda: tf.round(a), lambda: a * b), [1, 1]),
]


@pytest.mark.parametrize(("made", "expected"), CUT)
def test_gradients_that_are_cut(made: Loop, expected: list[Any]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = tf.constant(1.0), tf.constant(1.0)
        found = tf.gradients(made(a, b), [a, b])
        told = [None if dx is None else session.run(dx) for dx in found]
    assert told == expected
