"""What TensorFlow's own tests of Keras found, in graphs of TensorFlow 1.

What is expected is what TensorFlow 1.15 gives, or NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

keras: Any = tf.keras
layers: Any = keras.layers


@pytest.mark.parametrize("bound", ["clipnorm", "clipvalue"])
def test_optimizers_refuse_negative_bounds(bound: str) -> None:
    with pytest.raises(ValueError, match=f"Expected {bound} >= 0"):
        keras.optimizers.SGD(0.1, **{bound: -1.0})


def test_layers_that_merge_take_two_inputs_at_least() -> None:
    with tf.Graph().as_default():
        x = keras.Input((4,))
        for make in (layers.add, layers.multiply, layers.concatenate):
            with pytest.raises(ValueError, match="list of at least 2 inputs"):
                make([x])
        for layer in (layers.Add(), layers.Concatenate()):
            with pytest.raises(ValueError, match="called on a list of inputs"):
                layer(x)


def test_layers_that_merge_refuse_later_calls_on_other_inputs() -> None:
    with tf.Graph().as_default():
        x, y = keras.Input((4,)), keras.Input((4,))
        less, behind = layers.Subtract(), layers.Concatenate()
        less([x, y])
        behind([x, y])
        with pytest.raises(ValueError, match="exactly 2 inputs"):
            less([x, y, x])
        with pytest.raises(ValueError, match="called on a list of inputs"):
            behind(x)


def test_a_sum_counts_where_all_of_the_masks_do() -> None:
    with tf.Graph().as_default():
        first, second = keras.Input((3, 1)), keras.Input((3, 1))
        masked = layers.Masking()(first)
        layer, both = layers.Add(), layers.Add()
        layer([masked, second])
        both([masked, layers.Masking()(second)])
        given = {
            first: np.array([[[1.0], [0.0], [2.0]]]),
            second: np.array([[[1.0], [3.0], [0.0]]]),
        }
        with tf.Session() as session:
            one, two = session.run([layer.output_mask, both.output_mask], given)
        assert one.tolist() == [[True, False, True]]
        assert two.tolist() == [[True, False, False]]


def test_layers_tell_masks_and_nodes_tell_tensors() -> None:
    with tf.Graph().as_default():
        ids = keras.Input((None,), dtype="int32")
        vectors = layers.Embedding(3, 4, mask_zero=True)
        dense = layers.Dense(2)
        x = vectors(ids)
        y = dense(x)
        assert vectors.input_mask is None
        assert vectors.output_mask.name == "embedding/NotEqual:0"
        (node,) = dense._inbound_nodes
        assert (node.input_tensors, node.output_tensors) == (x, y)
        assert node.input_shapes == (None, None, 4)
        assert node.output_shapes == (None, None, 2)
        dense(x)
        with pytest.raises(AttributeError, match="called 2 times"):
            dense.output_mask  # noqa: B018


def test_states_are_set_to_what_is_given() -> None:
    with tf.Graph().as_default():
        layer = layers.LSTM(3, stateful=True)
        layer(np.ones((2, 4, 5), "float32"))
        given = [np.full((2, 3), 1.5), np.full((2, 3), 2.5)]
        layer.reset_states(given)
        for state, value in zip(layer.states, given, strict=True):
            np.testing.assert_array_equal(keras.backend.get_value(state), value)
        with pytest.raises(ValueError, match="expects 2 states, but it received 1"):
            layer.reset_states(given[:1])
        with pytest.raises(AttributeError, match="must be stateful"):
            layers.LSTM(3).reset_states()


def _dropped_inside() -> Any:
    class Model(keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.dropout = layers.Dropout(0.5)

        def call(self, inputs: Any) -> Any:
            return self.dropout(inputs)

    return Model()


def _dropped_between() -> Any:
    x = keras.Input((20,))
    return keras.Model(x, layers.Dropout(0.5)(x))


def _zeros_of(model: Any) -> float:
    return round(float((model.predict(np.ones((50, 20), "float32")) == 0).mean()), 1)


MODELS: Any = {
    "inputs known": lambda: keras.Sequential(
        [layers.Dropout(0.5, input_shape=(20,))]
    ),
    "functional": _dropped_between,
    "inputs unknown": lambda: keras.Sequential([layers.Dropout(0.5)]),
    "own call": _dropped_inside,
}


@pytest.mark.parametrize("name", MODELS)
def test_models_keep_the_phase_that_was_set_when_they_were_made(name: str) -> None:
    make, phase = MODELS[name], keras.backend.set_learning_phase
    later = 0.0 if name in ("inputs known", "functional") else 0.5
    found = []
    try:
        for before, after in ((1, None), (None, 1), (1, 0)):
            keras.backend.clear_session()
            if before is not None:
                phase(before)
            model = make()
            if after is not None:
                phase(after)
            found.append(_zeros_of(model))
        assert found == ([0.5, later, 0.5] if later == 0 else [0.5, 0.5, 0.0])
    finally:
        keras.backend.clear_session()


@pytest.mark.parametrize("name", MODELS)
def test_steps_heed_the_phase_that_was_set(name: str) -> None:
    ones = np.ones((200, 20), "float32")
    try:
        for phase in (0, 1):
            keras.backend.clear_session()
            keras.backend.set_learning_phase(phase)
            model = MODELS[name]()
            model.compile("sgd", "mse")
            found = (
                model.evaluate(ones, ones, verbose=0),
                model.train_on_batch(ones, ones),
            )
            assert [round(float(x)) for x in found] == [phase, phase]
    finally:
        keras.backend.clear_session()


def _unknown(values: Any) -> Any:
    """Return a tensor of which the graph does not know how many axes it has."""
    return tf.py_func(lambda: np.array(values, np.float32), [], tf.float32)


def _metric_of(metric: Any, *args: Any) -> float:
    with tf.Session() as session:
        made = metric(*args)
        session.run([x.initializer for x in metric.variables])
        return float(session.run(made))


TRUE, PREDICTED = [[0.0, 1.0], [1.0, 0.0]], [[0.2, 0.3], [0.6, 0.1]]
OF_UNKNOWN = {
    "MeanSquaredError": 0.175,
    "BinaryAccuracy": 0.75,
    "CategoricalAccuracy": 1.0,
    "RootMeanSquaredError": 0.4183300,
    "TruePositives": 1.0,
    "Recall": 0.5,
}
"""NumPy's; TensorFlow 1.15 gives the same."""


@pytest.mark.parametrize("name", OF_UNKNOWN)
def test_metrics_take_tensors_of_unknown_rank(name: str) -> None:
    with tf.Graph().as_default():
        metric = getattr(keras.metrics, name)()
        found = _metric_of(metric, _unknown(TRUE), _unknown(PREDICTED))
    assert found == pytest.approx(OF_UNKNOWN[name], rel=1e-6)


def test_means_take_weights_of_unknown_rank() -> None:
    for weights in ([1.0, 3.0], [[1.0], [3.0]]):
        with tf.Graph().as_default():
            values = _unknown([[1.0, 2.0], [3.0, 4.0]])
            assert _metric_of(keras.metrics.Mean(), values, _unknown(weights)) == 3.0


LOSSES = {  # as TensorFlow 1.15 gives them, without weights and with 1 and 3
    "MeanSquaredError": (0.175, 0.26),
    "MeanAbsoluteError": (0.35, 0.6),
    "BinaryCrossentropy": (0.5108254, 0.8189183),
    "CategoricalCrossentropy": (0.3324881, 0.4866389),
    "Hinge": (0.85, 1.6),
    "Huber": (0.0875, 0.13),
    "CosineSimilarity": (0.9092221, 1.8956162),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses_take_tensors_of_unknown_rank(name: str) -> None:
    loss = getattr(keras.losses, name)()
    with tf.Graph().as_default(), tf.Session() as session:
        true, predicted = _unknown(TRUE), _unknown(PREDICTED)
        made = [loss(true, predicted), loss(true, predicted, _unknown([1.0, 3.0]))]
        np.testing.assert_allclose(session.run(made), LOSSES[name], rtol=1e-6)


def test_labels_of_unknown_rank_are_numbers_of_classes() -> None:
    loss = keras.losses.SparseCategoricalCrossentropy()
    for labels in ([0.0, 1.0], [[0.0], [1.0]]):
        with tf.Graph().as_default(), tf.Session() as session:
            made = loss(_unknown(labels), _unknown(PREDICTED))
            assert session.run(made) == pytest.approx(1.4311004, rel=1e-6)


RAGGED: Any = {  # as TensorFlow 1.15 gives them
    "Mean": ([[[0.0, 1.0], [1.0]], [[1.0, 2.0], [3.0]]], 5 / 6),
    "Recall": ([[[0.0, 1.0], [1.0]], [[0.2, 0.3], [0.6]]], 0.5),
    "MeanSquaredError": (
        [[[0.0, 1.0], [1.0]], [[0.2, 0.3], [0.6]], [[1.0, 2.0], [3.0]]],
        0.25,
    ),
}


@pytest.mark.parametrize("name", RAGGED)
def test_metrics_take_ragged_tensors(name: str) -> None:
    given, expected = RAGGED[name]
    with tf.Graph().as_default():
        metric = getattr(keras.metrics, name)()
        found = _metric_of(metric, *map(tf.ragged.constant, given))
    assert found == pytest.approx(expected)


def test_metrics_refuse_ragged_tensors_of_other_rows() -> None:
    with tf.Graph().as_default():
        first = tf.ragged.constant([[0.0, 1.0], [1.0]])
        other = tf.ragged.constant([[1.0], [2.0, 3.0]])
        metric = keras.metrics.MeanSquaredError()
        with pytest.raises(tf.errors.InvalidArgumentError, match="identical ragged"):
            _metric_of(metric, first, other)
        with pytest.raises(ValueError, match="acceptable types"):
            metric(first, tf.constant([1.0, 2.0]))
