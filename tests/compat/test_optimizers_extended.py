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


class _Shrinks(tf.train.AdamOptimizer):  # type: ignore[misc]
    """Makes weights smaller before it moves them, resources more than others."""

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([var.assign_sub(0.1 * var)]):
            return super()._apply_dense(grad, var)

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([var.assign_sub(0.2 * var)]):
            return super()._resource_apply_dense(grad, var)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([var.assign_sub(0.1 * var)]):
            return super()._apply_sparse(grad, var)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        with tf.control_dependencies([var.assign_sub(0.2 * var)]):
            return super()._resource_apply_sparse(grad, var, indices)


class _Written(tf.train.Optimizer):  # type: ignore[misc]
    """Momentum by TensorFlow's operators, those of references and those of resources."""

    def __init__(self) -> None:
        super().__init__(False, "Written")

    def _create_slots(self, var_list: Any) -> None:
        for v in var_list:
            self._zeros_slot(v, "m", self._name)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        m = self.get_slot(var, "m")
        return tf.raw_ops.ApplyMomentum(
            var=var, accum=m, lr=0.1, grad=grad, momentum=0.9
        )

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        m = self.get_slot(var, "m")
        return tf.raw_ops.ResourceApplyMomentum(
            var=var.handle, accum=m.handle, lr=0.1, grad=grad, momentum=0.9
        )

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        m = self.get_slot(var, "m")
        return tf.raw_ops.SparseApplyMomentum(
            var=var,
            accum=m,
            lr=0.1,
            grad=grad.values,
            indices=grad.indices,
            momentum=0.9,
        )

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        m = self.get_slot(var, "m")
        return tf.raw_ops.ResourceSparseApplyMomentum(
            var=var.handle,
            accum=m.handle,
            lr=0.1,
            grad=grad,
            indices=indices,
            momentum=0.9,
        )


@pytest.mark.parametrize(
    ("make", "is_resource", "dense", "rows"),
    [
        (lambda: _Shrinks(0.1), False, [0.62, 0.62], [0.81, 0.62, 0.81]),
        (lambda: _Shrinks(0.1), True, [0.46, 0.46], [0.64, 0.46, 0.64]),
        (_Written, False, [0.71, 0.42], [1.0, 0.71, 1.0]),
        (_Written, True, [0.71, 0.42], [1.0, 0.71, 1.0]),
    ],
)
def test_each_kind_of_variable_has_its_own_methods(
    make: Callable[[], Any], is_resource: bool, dense: list[float], rows: list[float]
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([1.0, 1.0], use_resource=is_resource)
        w = tf.Variable([[1.0], [1.0], [1.0]], use_resource=is_resource)
        halves = tf.constant([[0.5], [0.5]])
        slices = tf.IndexedSlices(halves, tf.constant([1, 1]), tf.constant([3, 1]))
        step = make().apply_gradients([(tf.constant([1.0, 2.0]), v), (slices, w)])
        session.run(tf.global_variables_initializer())
        for _ in range(2):
            session.run(step)
        np.testing.assert_allclose(session.run(v), dense, rtol=1e-5)
        np.testing.assert_allclose(session.run(w).ravel(), rows, rtol=1e-5)
