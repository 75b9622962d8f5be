"""tf.keras of TensorFlow 1: models of a graph, whose weights have values in Keras' session.

Expected numbers are what TensorFlow 1.15 gives, or NumPy.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.graph_mode.graph import mode

keras: Any = tf.keras
K: Any = keras.backend


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    before, mode.eager = mode.eager, False
    try:
        with tf.Graph().as_default() as made:
            yield made
    finally:
        mode.eager = before


def drawn(*sizes: int, seed: int = 0) -> Any:
    return np.random.RandomState(seed).uniform(-1, 1, sizes).astype("float32")


def test_inputs_and_results_are_tensors_of_the_graph(graph: Any) -> None:
    model = keras.Sequential([keras.layers.Dense(3, input_shape=(4,))])
    assert isinstance(model.output, tf.Tensor)
    assert model.output.op.name == "dense/BiasAdd"
    assert model.input.op.type == "Placeholder"
    names = [x.name for x in tf.trainable_variables()]
    assert names == ["dense/kernel:0", "dense/bias:0"]
    assert [x.name for x in model.weights] == names


def test_sessions_and_models_have_the_same_values() -> None:
    x = drawn(5, 4)
    model = keras.Sequential([keras.layers.Dense(3, input_shape=(4,))])
    model.compile("sgd", "mse")
    model.fit(x, x[:, :3], verbose=0)
    session = K.get_session()
    found = session.run(model.output, {model.input: x})
    np.testing.assert_allclose(found, model.predict(x), rtol=1e-5)
    given = tf.placeholder(tf.float32, [None, 4])
    cost = tf.reduce_mean(tf.square(model(given)))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(cost)
    before = session.run(cost, {given: x})
    session.run(step, {given: x})
    assert session.run(cost, {given: x}) < before
    assert not np.allclose(model.predict(x), found)


def test_a_session_that_is_chosen_holds_the_values() -> None:
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(2,))])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(model.weights[0].assign([[2.0], [3.0]]))
        assert model.predict(np.ones((1, 2), "float32")).tolist() == [[5.0]]
        assert K.get_session() is session


def test_functions_of_tensors_of_layers_are_parts_of_models() -> None:
    x = drawn(5, 4)
    given = keras.Input((4,))
    doubled = tf.reduce_sum(keras.layers.Dense(3)(given) * 2.0, axis=1, keepdims=True)
    model = keras.Model(given, keras.layers.Dense(1)(doubled))
    model.compile("sgd", "mse")
    first = model.predict(x)
    np.testing.assert_allclose(
        K.get_session().run(model.output, {given: x}), first, rtol=1e-5
    )
    model.fit(x, x[:, :1], verbose=0)
    assert not np.allclose(model.predict(x), first)
    (slope,) = tf.gradients(model.output, given)
    assert K.get_session().run(slope, {given: x}).shape == (5, 4)


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [("LSTM", [0.16426, 0.11983]), ("GRU", [0.2124, 0.19955])],
)
def test_recurrent_layers_have_the_gates_of_version_1(
    kind: str, wanted: list[float]
) -> None:
    given = keras.Input(batch_shape=(2, 5, 3))
    model = keras.Model(given, getattr(keras.layers, kind)(4)(given))
    names = [x.name for x in model.weights]
    assert names == [
        f"{kind.lower()}/{x}:0" for x in ("kernel", "recurrent_kernel", "bias")
    ]
    model.set_weights(
        [
            np.abs(drawn(*x.shape, seed=7 + i) / 2) * (1 if i % 2 else 0.7)
            - (0.2 if x.ndim > 1 else 0)
            for i, x in enumerate(model.get_weights())
        ]
    )
    found = model.predict(drawn(2, 5, 3, seed=10))
    np.testing.assert_allclose(found[0, :2], wanted, atol=1e-4)


def test_hard_sigmoid_has_the_slope_of_version_1() -> None:
    made = keras.layers.Activation("hard_sigmoid")(tf.constant([[1.0, 5.0]]))
    np.testing.assert_allclose(K.get_session().run(made), [[0.7, 1.0]])


def test_the_phase_says_whether_layers_train() -> None:
    x = np.ones((4, 8), "float32")
    given = keras.Input((8,))
    model = keras.Model(given, keras.layers.Dropout(0.5)(given))
    run = K.function([given, K.learning_phase()], [model.output])
    assert run([x, 0])[0].tolist() == x.tolist()
    assert set(run([x, 1])[0].ravel()) <= {0.0, 2.0}
    assert run([x, 1])[0].min() == 0.0


def test_moments_are_moved_by_the_updates_alone() -> None:
    x = drawn(6, 3) + 2.0
    given = keras.Input((3,))
    layer = keras.layers.BatchNormalization()
    model = keras.Model(given, layer(given))
    session = K.get_session()
    feeds = {given: x, K.learning_phase(): True}
    np.testing.assert_allclose(session.run(model.output, feeds).mean(0), 0, atol=1e-5)
    assert not layer.get_weights()[2].any()
    assert len(model.updates) == 2
    session.run(model.updates, feeds)
    np.testing.assert_allclose(layer.get_weights()[2], 0.01 * x.mean(0), rtol=1e-4)


def test_functions_of_the_backend_change_variables() -> None:
    x, y = K.variable(3.0), K.placeholder(shape=())
    step = K.function([y], [x * y], updates=[(x, x + y)])
    assert step([2.0]) == [6.0]
    assert K.get_value(x) == 5.0
    K.set_value(x, 1.0)
    assert step([2.0]) == [2.0]
    assert K.get_value(K.switch(K.constant(1.0), x, x * 2)) == 3.0


def test_what_outputs_cost_is_added_to_a_model() -> None:
    x = drawn(8, 4)
    given = keras.Input((4,))
    middle = keras.layers.Dense(2)(given)
    model = keras.Model(given, keras.layers.Dense(4)(middle))
    model.add_loss(K.mean(K.square(model.output - given)) + K.mean(K.abs(middle)))
    model.compile("sgd")
    (cost,) = (
        K.get_session().run(model.losses[-1:], {given: x}) if model.losses else (0,)
    )
    told = model.fit(x, epochs=2, verbose=0).history["loss"]
    assert told[1] < told[0]
    assert np.isfinite(cost)


def test_losses_may_name_tensors_of_the_model() -> None:
    x = drawn(8, 4)
    given = keras.Input((4,))
    middle = keras.layers.Dense(3)(given)
    model = keras.Model(given, keras.layers.Dense(1)(middle))

    def loss(true: Any, predicted: Any) -> Any:
        return K.mean(K.square(middle))

    model.compile("sgd", loss)
    told = model.evaluate(x, x[:, :1], verbose=0)
    wanted = K.get_session().run(K.mean(K.square(middle)), {given: x})
    np.testing.assert_allclose(told, wanted, rtol=1e-5)


def test_steps_of_optimizers_are_parts_of_functions() -> None:
    x = drawn(8, 4)
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(4,))])
    cost = K.mean(K.square(model.output))
    updates = keras.optimizers.Adam(lr=0.1).get_updates(cost, model.trainable_weights)
    step = K.function([model.input], [cost], updates=updates)
    costs = [step([x])[0] for _ in range(6)]
    assert costs[-1] < costs[0]


def test_what_is_trained_is_settled_as_a_model_is_compiled() -> None:
    x = drawn(8, 4)
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(4,))])
    model.compile("sgd", "mse")
    model.trainable = False
    before = model.get_weights()[0]
    model.train_on_batch(x, x[:, :1])
    assert not np.allclose(model.get_weights()[0], before)


def test_metrics_gather_by_nodes_of_the_graph() -> None:
    true = np.asarray([0.0, 1.0, 1.0, 0.0], "float32")
    guessed = np.asarray([0.2, 0.6, 0.4, 0.7], "float32")
    metric = keras.metrics.Precision()
    update = metric.update_state(tf.constant(true), tf.constant(guessed))
    with tf.Session() as session:
        session.run([x.initializer for x in metric.variables])
        assert session.run(metric.result()) == 0.0
        session.run(update)
        assert session.run(metric.result()) == 0.5
        assert metric.variables[0] not in tf.global_variables()


def test_directions_that_are_the_same_count_as_such() -> None:
    x = tf.constant([[1.0, 0.0]])
    found = K.get_session().run(keras.losses.cosine_similarity(x, 2.0 * x))
    np.testing.assert_allclose(found, [1.0])
    each = keras.losses.Huber(reduction="none")(x, x + 0.5)
    np.testing.assert_allclose(K.get_session().run(each), [[0.125, 0.125]])


def test_rates_are_divided_by_roots_to_which_epsilon_is_added() -> None:
    """TensorFlow 1.15's losses of these steps."""
    model = keras.Sequential(
        [keras.layers.Dense(1, input_shape=(1,), use_bias=False)]
    )
    model.set_weights([[[1.0]]])
    model.compile(keras.optimizers.RMSprop(0.1, epsilon=0.1), "mse")
    one = np.ones((1, 1), "float32")
    model.train_on_batch(one, 0.0 * one)
    wanted = 1.0 - 0.1 * 2.0 / (np.sqrt(0.1 * 4.0) + 0.1)
    np.testing.assert_allclose(model.get_weights()[0], [[wanted]], rtol=1e-5)


def test_probabilities_are_kept_away_from_zero_twice() -> None:
    """TensorFlow 1.15's loss of a certain mistake is log(2e-7), not log(1e-7)."""
    found = keras.losses.binary_crossentropy(
        tf.constant([[1.0]]), tf.constant([[0.0]])
    )
    np.testing.assert_allclose(K.get_session().run(found), [-np.log(2e-7)], rtol=1e-5)


def test_all_outputs_have_the_metrics_of_a_list() -> None:
    x = drawn(8, 4)
    given = keras.Input((4,))
    outputs = [keras.layers.Dense(1, name=name)(given) for name in "ab"]
    model = keras.Model(given, outputs)
    model.compile(
        "sgd", "mse", metrics=["mae", keras.metrics.MeanSquaredError(name="q")]
    )
    model.fit(x, [x[:, :1], x[:, 0]], verbose=0)
    listed = ["loss", "a_loss", "b_loss", "a_mean_absolute_error", "a_q"]
    assert model.metrics_names[:3] == listed[:3]
    assert {"a_q", "b_q"} <= set(model.metrics_names)


def test_activations_are_found_and_told_by_name() -> None:
    layer = keras.layers.Dense(2, activation=keras.activations.softmax)
    assert keras.activations.serialize(layer.activation) == "softmax"
    assert keras.activations.get("hard_sigmoid") is keras.activations.hard_sigmoid


def test_windows_have_weights_of_their_own() -> None:
    x = drawn(2, 5, 3)
    layer = keras.layers.LocallyConnected1D(2, 2, input_shape=(5, 3))
    model = keras.Sequential([layer])
    kernel, bias = model.get_weights()
    assert (kernel.shape, bias.shape) == ((4, 6, 2), (4, 2))
    windows = np.stack([x[:, i : i + 2].reshape(2, 6) for i in range(4)])
    wanted = np.moveaxis(windows @ kernel, 0, 1)
    np.testing.assert_allclose(model.predict(x), wanted, rtol=1e-4, atol=1e-5)
    images = keras.layers.LocallyConnected2D(3, 2, strides=2, input_shape=(6, 6, 3))
    assert keras.Sequential([images]).get_weights()[0].shape == (9, 12, 3)


def test_models_that_begin_with_an_embedding_have_their_weights() -> None:
    parts = [keras.layers.Embedding(10, 4), keras.layers.LSTM(3)]
    model = keras.Sequential(parts)
    assert [x.name for x in model.weights][:2] == [
        "embedding/embeddings:0",
        "lstm/kernel:0",
    ]
    assert model.predict(np.ones((2, 7), "int32")).shape == (2, 3)


def test_gates_and_shapes_are_told_as_version_1_has_them() -> None:
    layer = keras.layers.Bidirectional(keras.layers.GRU(2, input_shape=(5, 3)))
    model = keras.Sequential([layer])
    inner = layer.get_config()["layer"]["config"]
    assert inner["recurrent_activation"] == "hard_sigmoid"
    assert layer.backward_layer.recurrent_activation is keras.activations.hard_sigmoid
    assert model.layers[0].input_shape == (None, 5, 3)
    assert [type(x) for x in model.layers[0].output_shape] == [type(None), int]


def test_files_say_of_layers_what_version_1_takes(tmp_path: Path) -> None:
    """TensorFlow 1.15 refuses dtypes that are described, and arguments that it does not know."""
    model = keras.Sequential([keras.layers.LSTM(2, input_shape=(4, 3))])
    model.save(tmp_path / "model.h5")
    with import_module("h5py").File(tmp_path / "model.h5") as file:
        told = json.loads(file.attrs["model_config"])["config"]["layers"][-1][
            "config"
        ]
    assert told["dtype"] == "float32"
    assert told["recurrent_activation"] == "hard_sigmoid"
    assert not {"seed", "zero_output_for_mask"} & set(told)
    again = keras.models.load_model(tmp_path / "model.h5")
    x = drawn(2, 4, 3)
    np.testing.assert_allclose(again.predict(x), model.predict(x), rtol=1e-5)


def test_results_of_metrics_wait_for_what_they_are_called_with() -> None:
    metric = keras.metrics.Precision()
    result = metric(tf.constant([0, 1, 1, 0]), tf.constant([1, 0, 1, 0]))
    with tf.Session() as session:
        session.run(tf.variables_initializer(metric.variables))
        assert session.run(result) == 0.5


def two_outputs() -> Any:
    first, second = keras.Input((1,), name="i1"), keras.Input((1,), name="i2")
    shared = keras.layers.Dense(1, kernel_initializer="ones")
    ends = [
        keras.layers.Dense(1, kernel_initializer="ones", name=name)(shared(x))
        for name, x in (("o1", first), ("o2", second))
    ]
    model = keras.Model([first, second], ends)
    model.compile("rmsprop", "mse", metrics=["mae"], weighted_metrics=["mse"])
    return model


def test_metrics_of_outputs_stand_output_by_output() -> None:
    x = np.array([[1.0], [2.0], [3.0], [4.0]])
    weights = [np.array([2.0, 3.0, 4.0, 5.0]), np.array([3.5, 2.5, 1.5, 0.5])]
    model = two_outputs()
    found = model.evaluate(
        [x, x], [2 * x, x], sample_weight=weights, batch_size=2, verbose=0
    )
    assert model.metrics_names == [
        *("loss", "o1_loss", "o2_loss", "o1_mean_absolute_error"),
        *("o1_weighted_mean_squared_error", "o2_mean_absolute_error"),
        "o2_weighted_mean_squared_error",
    ]
    np.testing.assert_allclose(found, [32.5, 32.5, 0, 2.5, 9.285714, 0, 0], 1e-5)
    history = model.fit([x, x], [2 * x, x], batch_size=2, verbose=0).history
    assert list(history) == model.metrics_names


def test_classes_of_each_output_have_weights() -> None:
    x = np.array([[1.0], [2.0], [3.0], [4.0]])
    told = [{2: 2.0, 4: 3.0, 6: 4.0, 8: 5.0}, {1: 3.5, 2: 2.5, 3: 1.5, 4: 0.5}]
    by_class = two_outputs().train_on_batch([x, x], [2 * x, x], class_weight=told)
    rows = [np.array([2.0, 3.0, 4.0, 5.0]), np.array([3.5, 2.5, 1.5, 0.5])]
    by_row = two_outputs().train_on_batch([x, x], [2 * x, x], sample_weight=rows)
    np.testing.assert_allclose(by_class, by_row, rtol=1e-6)


def test_inputs_refuse_arguments_that_there_are_none_of() -> None:
    for kind in (keras.Input, keras.layers.InputLayer):
        with pytest.raises(ValueError, match="Unrecognized keyword arguments"):
            kind((3,), activaton="relu")
    with pytest.raises(ValueError, match="both `shape` and `batch_shape`"):
        keras.Input((3,), batch_input_shape=(2, 3))
    assert keras.Input(batch_input_shape=(2, 3)).shape.as_list() == [2, 3]
