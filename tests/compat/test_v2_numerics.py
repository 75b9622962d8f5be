"""tf.debugging.enable_check_numerics: what makes NaN or infinity is told, wherever it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf1
import tensorlite.compat.v2 as tf


@pytest.fixture(autouse=True)
def enabled() -> Iterator[None]:
    tf.debugging.enable_check_numerics()
    with np.errstate(all="ignore"):
        yield
    tf.debugging.disable_check_numerics()


def test_eager_operators_and_their_gradients_are_checked_until_it_is_disabled() -> (
    None
):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Log .*Tensor had Inf"):
        tf.math.log([1.0, 0.0])
    x = tf.constant(0.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sqrt(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tensor had Inf values"):
        tape.gradient(y, x)
    tf.debugging.enable_check_numerics()  # twice is as once
    tf.debugging.disable_check_numerics()
    assert np.isneginf(tf.math.log(0.0))
    tf.debugging.disable_check_numerics()


def test_functions_are_checked_that_were_traced_before_and_their_steps_too() -> None:
    tf.debugging.disable_check_numerics()
    weights = tf.Variable([1.0, 4.0])
    optimizer = tf.keras.optimizers.SGD(1.0)

    @tf.function
    def train(scale: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sqrt(weights) * scale)
        optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
        return loss

    assert float(train(tf.constant(0.0))) == 0.0
    tf.debugging.enable_check_numerics()
    train(tf.constant(2.0))  # weights: 0, 3.5
    with pytest.raises(tf.errors.InvalidArgumentError) as found:
        train(tf.constant(2.0))
    assert "in [0.0, " in str(found.value)
    assert any("test_v2_numerics.py" in x for x in found.value.__notes__)


def test_sessions_of_version_1_are_checked() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf1.float32, [2])
        y = tf1.log(x)
        np.testing.assert_allclose(session.run(y, {x: [1.0, 1.0]}), [0.0, 0.0])
        with pytest.raises(tf1.errors.InvalidArgumentError, match="Tensor had Inf"):
            session.run(y, {x: [1.0, 0.0]})
