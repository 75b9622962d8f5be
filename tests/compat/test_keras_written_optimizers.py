"""Optimizers that programs have written for Keras 2, by methods that update a variable each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras = tf.keras
older: Any = keras.optimizers.legacy


class _Heavy(older.Optimizer):  # type: ignore[misc]  # a class that is found at run time
    """Momentum, with a number and a slot of its own."""

    def __init__(
        self,
        learning_rate: Any = 0.1,
        share: float = 0.5,
        name: str = "Heavy",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("share", share)

    def _create_slots(self, var_list: Any) -> None:
        for variable in var_list:
            self.add_slot(variable, "speed")

    def _resource_apply_dense(
        self, grad: Any, var: Any, apply_state: Any = None
    ) -> Any:
        dtype = var.dtype.base_dtype
        found = (apply_state or {}).get((var.device, dtype))
        if found is None:
            found = self._fallback_apply_state(var.device, dtype)
        speed = self.get_slot(var, "speed")
        share = self._get_hyper("share", dtype)
        after = speed.assign(share * speed + grad, use_locking=self._use_locking)
        return var.assign_sub(found["lr_t"] * after)

    def _resource_apply_sparse(
        self, grad: Any, var: Any, indices: Any, apply_state: Any = None
    ) -> Any:
        rate = self._decayed_lr(var.dtype.base_dtype)
        return self._resource_scatter_add(var, indices, -rate * grad)

    def get_config(self) -> Any:
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "share": self._serialize_hyperparameter("share"),
        }


def _steps(optimizer: Any, count: int = 3) -> Any:
    variable = tf.Variable([1.0, 2.0])
    for _ in range(count):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(variable * variable)
        optimizer.apply_gradients([(tape.gradient(loss, variable), variable)])
    return variable.numpy()


def _heavy(count: int, decay: float = 0.0) -> Any:
    w, speed = np.array([1.0, 2.0]), np.zeros(2)
    for i in range(count):
        speed = 0.5 * speed + 2.0 * w
        w = w - 0.1 / (1.0 + decay * i) * speed
    return w


def test_updates_of_programs_are_made_variable_by_variable() -> None:
    optimizer = _Heavy()
    np.testing.assert_allclose(_steps(optimizer), _heavy(3), rtol=1e-6)
    assert optimizer.iterations.numpy() == 3
    assert optimizer.get_slot_names() == ["speed"]
    np.testing.assert_allclose(_steps(_Heavy(decay=0.5)), _heavy(3, 0.5), rtol=1e-6)
    assert optimizer.share.numpy() == 0.5
    optimizer.share = 0.25
    assert optimizer.get_config()["share"] == 0.25
    assert _Heavy.from_config(optimizer.get_config()).share == 0.25
    called = _Heavy(lambda: tf.constant(0.1))
    np.testing.assert_allclose(_steps(called), _heavy(3), rtol=1e-6)
    assert called._get_hyper("learning_rate").numpy() == np.float32(0.1)


def test_rows_of_programs_updates_are_named_once() -> None:
    table = tf.Variable(np.ones((3, 2), np.float32))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, [2, 0, 2]))
    _Heavy().apply_gradients([(tape.gradient(loss, table), table)])
    np.testing.assert_allclose(
        table.numpy(), [[0.9, 0.9], [1.0, 1.0], [0.8, 0.8]], rtol=1e-6
    )


def test_models_are_trained_by_what_programs_have_written(tmp_path: Any) -> None:
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False)])
    model.build((None, 2))
    model.set_weights([np.ones((2, 1), np.float32)])
    optimizer = _Heavy()
    model.compile(optimizer, "mse")
    x = np.eye(2, dtype=np.float32)
    model.fit(x, np.zeros((2, 1), np.float32), epochs=2, batch_size=2, verbose=0)
    w = speed = np.ones(2)
    speed = w
    w = w - 0.1 * speed
    speed = 0.5 * speed + w
    np.testing.assert_allclose(
        model.get_weights()[0][:, 0], w - 0.1 * speed, rtol=1e-5
    )
    speed = optimizer.get_slot(model.weights[0], "speed").numpy()
    path = tf.train.Checkpoint(optimizer=optimizer, model=model).save(
        str(tmp_path / "c")
    )
    other = _Heavy()
    tf.train.Checkpoint(optimizer=other, model=model).restore(path)
    other.build(model.weights)
    np.testing.assert_array_equal(
        other.get_slot(model.weights[0], "speed").numpy(), speed
    )
    assert other.iterations.numpy() == 2


class _Decaying(older.Adam):  # type: ignore[misc]  # a class that is found at run time
    """Adam that makes weights smaller, as optimizers of transformers do."""

    def __init__(self, learning_rate: Any, share: float, **kwargs: Any) -> None:
        super().__init__(learning_rate, **kwargs)
        self.share = share

    def _prepare_local(
        self, var_device: Any, var_dtype: Any, apply_state: Any
    ) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        apply_state[var_device, var_dtype]["share"] = tf.constant(self.share)

    def _resource_apply_dense(
        self, grad: Any, var: Any, apply_state: Any = None
    ) -> Any:
        found = apply_state[var.device, var.dtype.base_dtype]
        with tf.control_dependencies(
            [var.assign_sub(found["lr_t"] * var * found["share"])]
        ):
            return super()._resource_apply_dense(grad, var, apply_state=apply_state)


def test_optimizers_of_keras_are_extended_by_programs() -> None:
    optimizer = _Decaying(0.1, 0.5)
    found = _steps(optimizer, 2)
    w, m, v = np.array([1.0, 2.0]), np.zeros(2), np.zeros(2)
    for t in (1, 2):
        g = 2.0 * w
        w = w - 0.1 * 0.5 * w
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w = w - 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-7)
    np.testing.assert_allclose(found, w, rtol=1e-5)
    assert optimizer.iterations.numpy() == 2
    assert optimizer.get_slot_names() == ["m", "v"]
    assert optimizer._get_hyper("beta_1", tf.float32).numpy() == np.float32(0.9)


class _Averaging(older.Optimizer):  # type: ignore[misc]  # a class that is found at run time
    """Keeps the mean of weights that another optimizer changes."""

    def __init__(
        self, optimizer: Any, name: str = "Averaging", **kwargs: Any
    ) -> None:
        super().__init__(name, **kwargs)
        self._optimizer = optimizer
        self._track_trackable(optimizer, "inner")

    def _create_slots(self, var_list: Any) -> None:
        self._optimizer._create_slots(var_list=var_list)
        for variable in var_list:
            self.add_slot(variable, "mean", initializer=variable)

    def _create_hypers(self) -> None:
        self._optimizer._create_hypers()

    def _prepare(self, var_list: Any) -> Any:
        return self._optimizer._prepare(var_list=var_list)

    def apply_gradients(
        self, grads_and_vars: Any, name: Any = None, **kwargs: Any
    ) -> Any:
        self._optimizer._iterations = self.iterations
        return super().apply_gradients(grads_and_vars, name, **kwargs)

    def _resource_apply_dense(
        self, grad: Any, var: Any, apply_state: Any = None
    ) -> Any:
        step = self._optimizer._resource_apply_dense(
            grad, var, apply_state=apply_state
        )
        with tf.control_dependencies([step]):
            mean = self.get_slot(var, "mean")
            return tf.group(step, mean.assign(0.5 * mean + 0.5 * var))


def test_optimizers_call_others_that_they_hold() -> None:
    inner = keras.optimizers.get("sgd", use_legacy_optimizer=True)
    inner.learning_rate = 0.25
    optimizer = _Averaging(inner)
    variable = tf.Variable([1.0])
    for _ in range(2):
        optimizer.apply_gradients([(tf.constant([2.0]), variable)])
    assert variable.numpy().tolist() == [0.0]
    mean = optimizer.get_slot(variable, "mean")
    assert mean.numpy().tolist() == [0.375]
    assert inner.iterations.numpy() == 2


def test_classes_without_updates_say_so() -> None:
    class Empty(older.Optimizer):  # type: ignore[misc]
        def _create_slots(self, var_list: Any) -> None:
            self.made = len(var_list)

    with pytest.raises(NotImplementedError):
        _steps(Empty("empty"))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = Empty("empty").nothing
