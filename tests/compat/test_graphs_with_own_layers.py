"""Layers, models and functions of a program's own see in graphs of TensorFlow 1 what they do there.

What they compute with has sizes that know their value, in models that are trained at once, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.core.device import settings
from tensorlite.core.shapes import Results
from tensorlite.graph_mode.graph import mode

keras: Any = tf.keras
X = np.arange(12.0, dtype=np.float32).reshape(4, 3)


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default():
        yield
    mode.eager = before


class Sums(keras.layers.Layer):  # type: ignore[misc]
    """Makes two columns, of one more than what is given in training."""

    def build(self, input_shape: Any) -> None:
        count = input_shape[1].value
        self.kernel = self.add_weight("kernel", [count, 2], initializer="ones")
        super().build(input_shape)

    def call(self, inputs: Any, training: Any = None) -> Any:
        if training is not None:
            inputs = inputs + tf.cast(training, inputs.dtype)
        assert inputs.get_shape()[1].value == inputs.shape.dims[1].value
        made = tf.matmul(inputs, self.kernel)
        return tf.reshape(made, [-1, made.shape[1].value])


class Twice(keras.layers.Dense):  # type: ignore[misc]
    """Products times their number."""

    def call(self, inputs: Any) -> Any:
        made = super().call(inputs)
        return made * made.shape[1].value


class Net(keras.Model):  # type: ignore[misc]
    """Two layers, and a function between them."""

    def __init__(self) -> None:
        super().__init__()
        self.sums = Sums()
        self.times = keras.layers.Lambda(lambda x: x * x.shape[1].value)

    def call(self, inputs: Any) -> Any:
        return self.times(self.sums(inputs)) + inputs.shape[1].value


def run(tensor: Any, x: Any) -> Any:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(tensor, {x: X})


def test_own_layers_see_sizes_that_know_their_value() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    made = Sums()(x)
    np.testing.assert_array_equal(run(made, x), X.sum(1, keepdims=True) * [1, 1])
    assert not [n for n in made.graph.get_operations() if "phase" in n.name]


def test_layers_that_extend_others_see_what_these_give() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    made = Twice(2, kernel_initializer="ones")(x)
    assert made.name == "twice/mul:0"
    np.testing.assert_array_equal(run(made, x), X.sum(1, keepdims=True) * [2, 2])


def test_functions_see_them_in_lambda_and_as_activations() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    through = keras.layers.Lambda(lambda x: x * x.shape[1].value)(x)
    dense = keras.layers.Dense(
        2, lambda x: x * x.shape[1].value, kernel_initializer="ones"
    )
    activated = keras.layers.Activation(lambda x: x + x.shape[1].value)(x)
    np.testing.assert_array_equal(run(through, x), X * 3)
    np.testing.assert_array_equal(run(dense(x), x), X.sum(1, keepdims=True) * [2, 2])
    np.testing.assert_array_equal(run(activated, x), X + 3)


def test_own_models_see_them_in_graphs_and_where_they_are_trained() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    np.testing.assert_array_equal(
        run(Net()(x), x), X.sum(1, keepdims=True) * [2, 2] + 3
    )
    model = Net()
    model.compile("sgd", "mse")
    model.fit(X, np.zeros((4, 2)), epochs=1, verbose=0)
    assert model.predict(X).shape == (4, 2)


def test_shapes_are_what_they_were_once_such_a_call_is_over() -> None:
    before = Results.kind, settings.tensorflow_results
    inputs = keras.Input([3])
    model = keras.Model(inputs, Sums()(inputs))
    np.testing.assert_array_equal(model.predict(X), X.sum(1, keepdims=True) * [1, 1])
    assert (Results.kind, settings.tensorflow_results) == before


def test_graphs_have_a_phase_if_a_layer_asks_for_it() -> None:
    x = tf.placeholder(tf.float32, [None, 2, 3])
    keras.layers.TimeDistributed(keras.layers.Dense(2))(x)
    keras.Sequential([keras.layers.Dense(2)])(x)
    graph: Any = tf.get_default_graph()
    assert not [n for n in graph.get_operations() if "learning_phase" in n.name]
    keras.layers.TimeDistributed(keras.layers.Dropout(0.5))(x)
    assert graph.get_tensor_by_name("keras_learning_phase:0").dtype == tf.bool


def test_dropouts_of_a_programs_own_say_what_is_dropped_together() -> None:
    class Rows(keras.layers.Dropout):  # type: ignore[misc]
        def _get_noise_shape(self, inputs: Any) -> Any:
            return [tf.shape(inputs)[0], 1]

    x = tf.placeholder(tf.float32, [None, 3])
    found = run(Rows(0.5, seed=1)(x, training=True), x)
    assert all(row.all() or not row.any() for row in found[1:])


def test_a_phase_says_which_moments_are_renormalized() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    layer = keras.layers.BatchNormalization(renorm=True)
    y = layer(x)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        usual = session.run(y, {x: X})
        phase = keras.backend.learning_phase()
        trained = session.run(y, {x: X, phase: True})
    np.testing.assert_allclose(usual, X / np.sqrt(1.001), rtol=1e-5)
    # At first corrections make of a batch's moments those that are kept.
    np.testing.assert_allclose(trained, X, rtol=1e-4)


def test_losses_are_those_of_weights_or_of_calls() -> None:
    layer = keras.layers.GRU(
        2, kernel_regularizer="l2", bias_regularizer="l1", activity_regularizer="l1"
    )
    x = tf.placeholder(tf.float32, [None, 2, 3])
    layer(x)
    counts = [len(layer.get_losses_for(y)) for y in (None, x)]
    assert counts == [2, 1]


def test_sequences_are_cut_to_nothing_and_look_back() -> None:
    sequences = np.ones((2, 4, 2), np.float32)
    cut = keras.Sequential([keras.layers.Cropping1D(2, input_shape=(4, 2))])
    assert cut.predict(sequences).shape == (2, 0, 2)
    kinds = {"padding": "causal", "depthwise_initializer": "ones", "use_bias": False}
    layer = keras.layers.SeparableConv1D(1, 2, pointwise_initializer="ones", **kinds)
    model = keras.Sequential([keras.layers.InputLayer((4, 2)), layer])
    np.testing.assert_array_equal(model.predict(sequences)[0, :, 0], [2, 4, 4, 4])


def test_locally_connected_layers_are_made_from_their_descriptions() -> None:
    layer = keras.layers.LocallyConnected1D(2, 3)
    told = {"class_name": "LocallyConnected1D", "config": layer.get_config()}
    assert keras.layers.deserialize(told).kernel_size == (3,)
    model = keras.Sequential([keras.layers.InputLayer((4, 2)), layer])
    again = keras.models.clone_model(model)
    assert again.predict(np.ones((1, 4, 2))).shape == (1, 2, 2)


def test_metrics_count_whole_numbers_in_their_own_dtype() -> None:
    metric = keras.metrics.MeanAbsoluteError()
    update = metric.update_state(tf.constant([[0, 1, 0]]), tf.constant([[0, 0, 2]]))
    result = metric.result()
    with tf.Session() as session:
        session.run([v.initializer for v in metric.variables])
        session.run(update)
        assert session.run(result) == 1.0
        session.run(metric.update_state(tf.constant([[0, 1]]), tf.constant([[0, 0]])))
        assert session.run(result) == 0.75


def test_frozen_layers_are_left_alone_once_models_are_compiled_again() -> None:
    layer = keras.layers.Dense(2)
    inputs = keras.Input([3])
    model = keras.Model(inputs, keras.layers.Dense(1)(layer(inputs)))
    model.compile("sgd", "mse")
    model.train_on_batch(X, np.ones((4, 1)))
    layer.trainable = False
    assert len(model.trainable_weights) == 2
    model.compile("sgd", "mse")
    before = layer.get_weights()
    model.train_on_batch(X, np.ones((4, 1)))
    for old, new in zip(before, layer.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)


def test_a_chain_may_be_made_of_a_single_layer() -> None:
    model = keras.Sequential(keras.layers.Dense(2, input_shape=(3,)))
    assert model.predict(X).shape == (4, 2)


def _scaled(x: Any) -> Any:
    w = tf.Variable([[1.0]], name="own")
    return tf.matmul(x, w) * tf.Variable([[3.0]], trainable=False, name="kept")


def _dense(x: Any) -> Any:
    return keras.layers.Dense(1, kernel_initializer="ones", name="d")(x)


def _older_dense(x: Any) -> Any:
    return tf.layers.dense(x, 1, kernel_initializer=tf.ones_initializer())


def _by_name(x: Any) -> Any:
    return x * tf.get_variable("u", [], initializer=tf.ones_initializer())


@pytest.mark.parametrize(
    ("function", "names", "trained", "predicted"),
    [
        (_scaled, ["lambda/own:0"], [0.82], 2.46),  # one step by 0.01 * (2 * 3) * 3
        (_dense, ["lambda/d/kernel:0", "lambda/d/bias:0"], [0.98, -0.02], 0.96),
        (_older_dense, ["dense/kernel:0", "dense/bias:0"], [0.98, -0.02], 0.96),
        (_by_name, ["u:0"], [0.98], 0.98),
    ],
)
def test_what_functions_of_lambda_layers_make_is_trained(
    function: Any, names: list[str], trained: list[float], predicted: float
) -> None:
    keras.backend.clear_session()
    x = keras.Input((1,))
    layer = keras.layers.Lambda(function)
    model = keras.Model(x, layer(x))
    model.compile("sgd", "mse")
    assert [w.name for w in layer.trainable_weights] == names
    one = np.ones((2, 1), np.float32)
    model.fit(one, 0 * one, verbose=0)
    values = [float(np.squeeze(x)) for x in model.get_weights()]
    np.testing.assert_allclose(values[: len(names)], trained, rtol=1e-6)
    assert values[len(names) :] == [3.0] * (function is _scaled)
    np.testing.assert_allclose(model.predict(one), one * predicted, rtol=1e-6)
