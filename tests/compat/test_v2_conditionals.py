"""Conditionals of TensorFlow 2 keep the structure of what their branches return."""

from __future__ import annotations

import pytest

from tensorlite.compat import v2 as tf


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_single_result_stays_in_its_list(kind: type) -> None:
    @tf.function
    def chosen(p: object) -> object:
        return tf.cond(
            p, lambda: kind([tf.constant(1)]), lambda: kind([tf.constant(2)])
        )

    for flag, value in ((True, 1), (False, 2)):
        (found,) = chosen(tf.constant(flag))
        assert int(found) == value
