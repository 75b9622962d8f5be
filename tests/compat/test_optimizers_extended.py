"""Optimizers that extend TensorFlow's use its attributes: hyperparameters, also as tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1


class _Seldom(tf.train.AdamOptimizer):  # type: ignore[misc]
    """Changes the powers of the betas itself, as those do that step once in some batches."""

    def _finish(self, update_ops: Any, name_scope: Any) -> Any:
        first, second = self._get_beta_accumulators()
        with tf.control_dependencies(update_ops):
            faded = first.assign(first * self._beta1_t, use_locking=self._use_locking)
            others = second.assign(second * self._beta2_t)
        return tf.group(*update_ops, faded, others, name=name_scope)


class _Slower(tf.train.AdamOptimizer):  # type: ignore[misc]
    """Halves the rate that it was given, in all that it does."""

    def _prepare(self) -> None:
        super()._prepare()
        self._lr_t: Any = self._lr_t / 2


def _after_steps(make: Callable[[], Any], n: int = 3) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([1.0, -2.0])
        step = make().minimize(tf.reduce_sum(v * v))
        session.run(tf.global_variables_initializer())
        for _ in range(n):
            session.run(step)
        return session.run(v)


def test_what_extends_adam_finds_betas_and_sets_the_rate() -> None:
    plain = _after_steps(lambda: tf.train.AdamOptimizer(0.1))
    np.testing.assert_allclose(plain, [0.7015863, -1.7006234], rtol=1e-5)
    np.testing.assert_array_equal(_after_steps(lambda: _Seldom(0.1)), plain)
    np.testing.assert_array_equal(_after_steps(lambda: _Slower(0.2)), plain)
    assert _Slower(0.25)._lr == 0.25


@pytest.mark.parametrize(
    ("make", "held"),
    [
        (tf.train.GradientDescentOptimizer, "_learning_rate_tensor"),
        (lambda rate: tf.train.MomentumOptimizer(rate, 0.0), "_learning_rate_tensor"),
        (tf.train.AdadeltaOptimizer, "_lr_t"),
        (tf.train.RMSPropOptimizer, "_learning_rate_tensor"),
        (tf.train.FtrlOptimizer, "_learning_rate_tensor"),
    ],
)
def test_rates_are_held_as_tensors(make: Callable[[float], Any], held: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        optimizer = make(0.5)
        optimizer.minimize(tf.Variable(1.0) * 2.0)
        assert session.run(getattr(optimizer, held)) == 0.5
