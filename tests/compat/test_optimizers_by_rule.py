"""Optimizers of tf.contrib.opt whose rule is one operator: values of steps, and the operator.

Values are those of TensorFlow 1.15.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

opt: Any = tf.contrib.opt

FIRST = np.array([[1.0, -2.0], [3.0, 0.5]], np.float32)
SLOPE = np.array([[0.5, -1.0], [2.0, 0.0]], np.float32)


def stepped(optimizer: Any, use_resource: bool) -> tuple[Any, set[str]]:
    """Return a variable behind two steps, and what its graph is made of."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        v = tf.get_variable("v", initializer=FIRST, use_resource=use_resource)
        step = optimizer.minimize(tf.reduce_sum(v * SLOPE))
        session.run(tf.global_variables_initializer())
        session.run(step)
        session.run(step)
        return session.run(v), {x.op for x in graph.as_graph_def().node}


@pytest.mark.parametrize("use_resource", [False, True])
def test_steps_by_signs(use_resource: bool) -> None:
    found, kinds = stepped(opt.AddSignOptimizer(0.1), use_resource)
    np.testing.assert_allclose(found, FIRST - 0.4 * SLOPE, rtol=1e-5)
    assert f"{'Resource' * use_resource}ApplyAddSign" in kinds
    found, kinds = stepped(opt.PowerSignOptimizer(0.1), use_resource)
    np.testing.assert_allclose(found, FIRST - 0.2 * np.e * SLOPE, rtol=1e-5)
    assert f"{'Resource' * use_resource}ApplyPowerSign" in kinds


@pytest.mark.parametrize("use_resource", [False, True])
def test_steps_by_the_greatest_gradient(use_resource: bool) -> None:
    found, kinds = stepped(opt.AdaMaxOptimizer(0.1), use_resource)
    away = 0.1 + 0.1 * 0.19 / (1 - 0.81)
    np.testing.assert_allclose(found, FIRST - away * np.sign(SLOPE), rtol=1e-5)
    assert f"{'Resource' * use_resource}ApplyAdaMax" in kinds


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("nesterov", [False, True])
def test_steps_by_the_lengths_of_layers(use_resource: bool, nesterov: bool) -> None:
    optimizer = opt.LARSOptimizer(0.1, use_nesterov=nesterov)
    found, kinds = stepped(optimizer, use_resource)
    v, speed = FIRST.astype(np.float64), np.zeros_like(FIRST, np.float64)
    for _ in range(2):
        weight, slope = np.linalg.norm(v), np.linalg.norm(SLOPE)
        rate = 0.1 * 0.001 * weight / (slope + 0.0001 * weight)
        step = rate * (SLOPE + 0.0001 * v)
        speed = 0.9 * speed + step
        v = v - (step + 0.9 * speed if nesterov else speed)
    np.testing.assert_allclose(found, v, rtol=1e-6)
    assert f"{'Resource' * use_resource}ApplyMomentum" in kinds


def test_a_sign_counts_less_by_and_by() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(FIRST)
        count = tf.train.get_or_create_global_step()
        optimizer = opt.AddSignOptimizer(
            0.1, sign_decay_fn=lambda step: 1.0 / (1.0 + tf.to_float(step))
        )
        step = optimizer.minimize(tf.reduce_sum(v * SLOPE), count)
        session.run(tf.global_variables_initializer())
        session.run(step)
        session.run(step)
        np.testing.assert_allclose(session.run(v), FIRST - 0.35 * SLOPE, rtol=1e-5)


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("name", ["AdaMax", "LazyAdam"])
def test_rows_without_gradients_stay(name: str, use_resource: bool) -> None:
    optimizer = getattr(tf.contrib.opt, f"{name}Optimizer")(0.1)
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=FIRST, use_resource=use_resource)
        step = optimizer.minimize(tf.reduce_sum(tf.gather(v, [1, 1])))
        session.run(tf.global_variables_initializer())
        session.run(step)
        session.run(step)
        found = session.run(v)
    np.testing.assert_allclose(found, FIRST - [[0.0], [0.2]], rtol=1e-4)
