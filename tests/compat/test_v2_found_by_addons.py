"""What libraries of layers and optimizers for Keras ask of version 2, beside what is public."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras = tf.keras


class _Counting(keras.layers.Layer):
    """Counts its calls, in Python."""

    def __init__(self, dynamic: bool) -> None:
        super().__init__(dynamic=dynamic)
        self.calls = 0

    def call(self, inputs: Any) -> Any:
        self.calls += 1
        return inputs


@pytest.mark.filterwarnings("ignore:.*self.calls")
def test_dynamic_layers_are_called_anew_in_each_step() -> None:
    layer = _Counting(dynamic=True)
    inner = keras.Sequential([layer, keras.layers.Dense(1)])
    model = keras.Sequential([inner])
    model.compile("sgd", "mse")
    x = np.ones((6, 2), np.float32)
    model.fit(x, x[:, :1], batch_size=2, epochs=1, verbose=0)
    first = layer.calls
    model.fit(x, x[:, :1], batch_size=2, epochs=2, verbose=0)
    assert layer.calls - first == 6
    assert model.dynamic
    assert not _Counting(dynamic=False).dynamic


def test_layers_tell_their_dtypes_as_keras_2_does() -> None:
    layer = keras.layers.Dense(1, dtype="mixed_float16")
    assert layer._compute_dtype == "float16"
    assert layer._compute_dtype_object is tf.float16


def test_frequencies_of_saving_are_checked() -> None:
    with pytest.raises(ValueError, match="Unrecognized save_freq"):
        keras.callbacks.ModelCheckpoint("x", save_freq="often")


def test_wrapped_functions_are_unwrapped() -> None:
    def inner(x: int) -> int:
        return x

    def wrapper(x: int) -> int:
        return inner(x) + 1

    outer = tf.__internal__.decorator.make_decorator(inner, wrapper)
    found, target = tf.__internal__.decorator.unwrap(outer)
    assert target is inner
    assert len(found) == 1


def test_objects_hold_what_they_are_told_to(tmp_path: Any) -> None:
    holder = tf.Module()
    held = tf.Variable([1.0, 2.0])
    assert holder._track_trackable(held, "weights") is held
    path = tf.train.Checkpoint(root=holder).save(str(tmp_path / "c"))
    assert "weights/.ATTRIBUTES/VARIABLE_VALUE" in dict(tf.train.list_variables(path))
    with pytest.raises(ValueError, match="already declared"):
        holder._track_trackable(tf.Variable(0.0), "weights")


def test_variables_have_no_length() -> None:
    variable = tf.Variable([1.0, 2.0])
    assert not hasattr(variable, "__len__")
    assert hasattr(variable, "__iter__")
    with pytest.raises(TypeError, match=r"no len\(\)"):
        len(variable)


class _Model(keras.Model):
    """Has attributes of names that are near at hand."""

    def __init__(self) -> None:
        super().__init__()
        self._layer = keras.layers.Dense(1)
        self._policy = keras.layers.Dense(2)
        self._finished = self._called = self._reading = 0.0
        self._step = self._steps = self._epoch = self._batch = 0
        self._compiled = self._path = self._node = None

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        return self._layer(self._policy(inputs)) + self._finished


def test_programs_choose_names_of_attributes() -> None:
    model = _Model()
    model.compile("sgd", "mse")
    x = np.ones((4, 3), np.float32)
    told = model.fit(x, x[:, :1], epochs=1, verbose=0, validation_data=(x, x[:, :1]))
    assert set(told.history) == {"loss", "val_loss"}
    assert model.predict(x, verbose=0).shape == (4, 1)
    assert model.evaluate(x, x[:, :1], verbose=0) >= 0.0
    assert len(model.weights) == 4


def test_layers_are_described_by_an_argument_of_keras_2() -> None:
    told = keras.layers.serialize(keras.layers.Dense(3), use_legacy_format=True)
    assert keras.layers.deserialize(told, use_legacy_format=True).units == 3
