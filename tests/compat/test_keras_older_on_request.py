"""Programs of TensorFlow 2 that are for Keras 2: what libraries of models ask of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.compat.v2.compiler.tf2xla.python import xla
from tensorlite.compat.v2.keras.src.layers import naming

Dense: Any = tf.keras.layers.Dense
Layer: Any = tf.keras.layers.Layer
Model: Any = tf.keras.Model


@pytest.fixture(autouse=True)
def older(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naming, "OLDER_IS_ASKED_FOR", True)


class Scaled(Layer):  # type: ignore[misc]
    """A layer that opens scopes around its weights."""

    def build(self, input_shape: Any) -> None:
        with tf.name_scope("words"):
            self.scale = self.add_weight(name="weight", shape=(2, 2))
        with tf.name_scope("inner"):
            self.inner = Dense(3, name="inner")
            self.inner.build((None, 2))
        super().build(input_shape)

    def call(self, inputs: Any) -> Any:
        return self.inner(inputs @ self.scale)


class Told(Model):  # type: ignore[misc]
    """A model whose call has more arguments than inputs."""

    def __init__(self) -> None:
        super().__init__(name="told")
        self.scaled, self.end = Scaled(name="scaled"), Dense(1, name="end")

    def call(self, first: Any = None, mode: Any = None, training: Any = None) -> Any:
        with tf.name_scope("ends"):
            return self.end(self.scaled(first))


def test_scopes_that_layers_open_are_in_the_names_of_weights() -> None:
    model = Told()
    with tf.name_scope("outer"):
        model(tf.ones((4, 2)))
    assert [x.name for x in model.weights] == [
        "outer/told/ends/scaled/words/weight:0",
        "outer/told/ends/scaled/inner/kernel:0",
        "outer/told/ends/scaled/inner/bias:0",
        "outer/told/ends/end/kernel:0",
        "outer/told/ends/end/bias:0",
    ]


def test_scopes_around_models_that_are_put_together_are_not() -> None:
    with tf.name_scope("outer"):
        start = tf.keras.Input((2,))
        model = Model(start, Dense(2, name="dense_a")(start))
    assert [x.name for x in model.weights] == ["dense_a/kernel:0", "dense_a/bias:0"]


def test_the_first_argument_of_a_call_is_known_by_its_name() -> None:
    model = Told()
    model(training=True, first=tf.ones((4, 2)), mode="fast")
    assert model.save_spec() == ([tf.TensorSpec((None, 2), tf.float32)], {})


def test_libraries_say_what_a_model_takes() -> None:
    model = Told()
    spec = tf.TensorSpec((3, 2), tf.float32, "first")
    model._set_save_spec({"first": spec, "mode": None})
    model(tf.ones((5, 2)))
    ((told,), _) = model.save_spec(dynamic_batch=False)
    assert told == {"first": spec, "mode": None}
    ((told,), _) = model.save_spec()
    assert told["first"] == tf.TensorSpec((None, 2), tf.float32, "first")


def test_dropout_that_drops_nothing_asks_for_no_shape() -> None:
    dropout = tf.keras.layers.Dropout(0.0, "name")
    np.testing.assert_array_equal(
        dropout(tf.ones((2, 2)), training=True), np.ones((2, 2))
    )


@pytest.mark.parametrize(
    ("place", "wanted"),
    [
        ([0, 0], [[-1, -2, 2, 3], [-3, -4, 6, 7], [8, 9, 10, 11]]),
        ([2, 3], [[0, 1, 2, 3], [4, 5, -1, -2], [8, 9, -3, -4]]),
        ([-1, -1], [[-1, -2, 2, 3], [-3, -4, 6, 7], [8, 9, 10, 11]]),
    ],
)
def test_parts_are_replaced_within_the_tensor(place: Any, wanted: Any) -> None:
    update = tf.constant([[-1, -2], [-3, -4]])
    given = tf.reshape(tf.range(12), (3, 4)), update, tf.constant(place)
    found = xla.dynamic_update_slice(*given)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(
        tf.function(xla.dynamic_update_slice)(*given), wanted
    )
    np.testing.assert_array_equal(xla.dynamic_slice(found, place, [2, 2]), update)
