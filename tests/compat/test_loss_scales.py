"""Scales of losses for half precision, as TensorFlow 1.15's tf.train.experimental has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
experimental: Any = tf.train.experimental


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


@pytest.mark.parametrize(
    ("finite", "expected"),
    [
        ([True] * 6, [1, 2, 2, 4, 4, 8]),
        ([True, True, True, False, True], [1, 2, 2, 1, 1]),
        ([False, False], [1, 1]),
    ],
)
def test_scales_grow_after_finite_steps(
    finite: list[bool], expected: list[float]
) -> None:
    scale = experimental.DynamicLossScale(1, increment_period=2, multiplier=2)
    gradient = tf.placeholder(tf.float32, [])
    update, applies = scale.update([gradient, None])
    found = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for each in finite:
            fed = {gradient: 1.0 if each else float("nan")}
            assert session.run([update, applies], fed)[1] == each
            found.append(session.run(scale()))
    assert found == expected
    assert repr(scale) == (
        "DynamicLossScale(initial_loss_scale=1.0, increment_period=2, multiplier=2.0)"
    )


def test_fixed_scales_stay_and_apply_all() -> None:
    scale = experimental.FixedLossScale(123)
    assert scale.update([tf.constant(float("nan"))])[1] is True
    assert repr(scale) == "FixedLossScale(123.0)"
    again = experimental.FixedLossScale.from_config(scale.get_config())
    with tf.Session() as session:
        assert session.run(again()) == 123.0
    with pytest.raises(ValueError, match="at least 1"):
        experimental.FixedLossScale(0.5)


def test_optimizers_leave_out_steps_that_are_not_finite() -> None:
    x = tf.Variable([1.0, 2.0])
    scale = experimental.DynamicLossScale(2, increment_period=1, multiplier=4)
    inner = tf.train.MomentumOptimizer(1.0, momentum=1.0)
    optimizer = tf.mixed_precision.MixedPrecisionLossScaleOptimizer(inner, scale)
    factor = tf.placeholder(tf.float32, [])
    step = tf.train.get_or_create_global_step()
    update = optimizer.minimize(tf.reduce_sum(x * factor), step)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(update, {factor: 2.0})
        assert session.run([x, scale()])[0].tolist() == [-1.0, 0.0]
        assert session.run(scale()) == 8.0
        session.run(update, {factor: float("nan")})
        assert session.run(x).tolist() == [-1.0, 0.0]
        assert session.run([scale(), step]) == [2.0, 1]
    slots = optimizer.get_slot_names()
    assert slots == ["momentum"]


def test_rewriting_gives_optimizers_a_scale() -> None:
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    rewrite = experimental.enable_mixed_precision_graph_rewrite
    scaled = rewrite(optimizer, 128.0)
    assert isinstance(scaled, experimental.MixedPrecisionLossScaleOptimizer)
    with pytest.raises(ValueError, match="must not already be an instance"):
        rewrite(scaled)
    with pytest.raises(ValueError, match=r"must be an instance of a tf\.train"):
        rewrite(1)


def test_scales_are_kept_eagerly() -> None:
    mode.eager = True
    x = tf.Variable([5.0])
    optimizer = experimental.MixedPrecisionLossScaleOptimizer(
        tf.train.GradientDescentOptimizer(2.0), "dynamic"
    )
    optimizer.minimize(lambda: tf.reduce_sum(x), var_list=[x])
    assert x.numpy().tolist() == [3.0]
    mode.eager = False
