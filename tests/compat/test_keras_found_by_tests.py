"""What TensorFlow's own tests of Keras found, in Keras 3.

What is expected is what TensorFlow 2.21 gives, or NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras: Any = tf.keras
layers: Any = keras.layers


@pytest.mark.parametrize("bound", ["clipnorm", "clipvalue", "global_clipnorm"])
def test_a_negative_bound_clips_nothing(bound: str) -> None:
    weight = tf.Variable([1.0, 2.0])
    keras.optimizers.SGD(0.5, **{bound: -1.0}).apply_gradients([(tf.ones(2), weight)])
    np.testing.assert_array_equal(weight, [0.5, 1.5])


def test_axes_of_products_are_whole_numbers() -> None:
    with pytest.raises(TypeError, match="should be a list or an int"):
        layers.Dot("a")
    with pytest.raises(ValueError, match="should contain two elements"):
        layers.Dot([1, 2, 3])
    with pytest.raises(ValueError, match="should be integers"):
        layers.Dot([1.0, 2])
    with pytest.raises(ValueError, match="list or tuple of sizes"):
        layers.Dot(1).compute_output_shape(1)


def test_a_function_tells_shapes_of_nested_shapes() -> None:
    layer = layers.Lambda(lambda x: (x[1]["a"], {"b": x[0]}))
    first, rest = layer.compute_output_shape(((10, 20), {"a": (10, 5)}))
    assert (tuple(first), tuple(rest["b"])) == ((10, 5), (10, 20))


def test_nodes_tell_tensors() -> None:
    x = keras.Input((4,))
    layer = layers.Dense(3)
    y = layer(x)
    (node,) = layer._inbound_nodes
    assert [id(t) for t in node.input_tensors] == [id(x)]
    assert [id(t) for t in node.output_tensors] == [id(y)]


def test_states_are_set_before_the_first_call() -> None:
    layer = layers.SimpleRNN(3, stateful=True)
    layer.build((2, 4, 5))
    layer.reset_states(np.full((2, 3), 1.5))
    np.testing.assert_array_equal(layer.states[0], np.full((2, 3), 1.5))
    with pytest.raises(ValueError, match="State 0 is incompatible"):
        layer.reset_states([np.ones((2, 4))])


TRUE = [[[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0]]]
PREDICTED = [[[0.2, 0.3], [0.6, 0.1]], [[0.3, 0.6]]]
OF_ROWS = {  # as TensorFlow 2.21's tf_keras gives them
    "MeanSquaredError": ([0.265, 0.085, 0.425], 0.2583333),
    "MeanAbsoluteError": ([0.45, 0.25, 0.65], 0.45),
    "BinaryCrossentropy": ([0.7135579, 0.3080929, 1.0601315], 0.6939275),
    "CategoricalCrossentropy": ([0.5108256, 0.1541507, 1.0986123], 0.5878629),
}


@pytest.mark.parametrize("name", OF_ROWS)
def test_losses_of_ragged_tensors_keep_their_rows(name: str) -> None:
    true = tf.ragged.constant(TRUE, ragged_rank=1)
    predicted = tf.ragged.constant(PREDICTED, ragged_rank=1)
    kind = getattr(keras.losses, name)
    each, mean = OF_ROWS[name]
    made = kind(reduction="none")(true, predicted)
    assert made.row_splits.numpy().tolist() == [0, 2, 3]
    np.testing.assert_allclose(made.flat_values, each, rtol=1e-6)
    np.testing.assert_allclose(kind()(true, predicted), mean, rtol=1e-6)


def test_losses_are_along_rows_of_different_lengths() -> None:
    true, predicted = (
        tf.ragged.constant([[0.0, 1.0], [1.0]]),
        tf.ragged.constant([[0.2, 0.3], [0.6]]),
    )
    loss = tf.function(keras.losses.mean_squared_error)
    np.testing.assert_allclose(loss(true, predicted), [0.265, 0.16], rtol=1e-6)
    inner = keras.losses.mean_squared_error(
        tf.stack([true, true]), tf.stack([predicted, predicted])
    )
    np.testing.assert_allclose(inner.flat_values, [0.265, 0.16] * 2, rtol=1e-6)


def test_labels_are_ragged() -> None:
    loss = keras.losses.SparseCategoricalCrossentropy()
    predicted = tf.ragged.constant(PREDICTED, ragged_rank=1)
    made = loss(tf.ragged.constant([[1, 0], [1]]), tf.nn.softmax(predicted))
    chosen = np.array([[0.2, 0.3], [0.6, 0.1], [0.3, 0.6]])
    powers = np.exp(chosen)
    shares = (powers / powers.sum(1, keepdims=True))[range(3), [1, 0, 1]]
    np.testing.assert_allclose(made, -np.log(shares).mean(), rtol=1e-5)


def test_metrics_in_functions_take_tensors_of_unknown_rank() -> None:
    metric = keras.metrics.MeanSquaredError()

    def step(true: Any, predicted: Any) -> Any:
        metric.update_state(true, predicted)
        return keras.losses.MeanAbsoluteError()(true, predicted)

    unknown = tf.TensorSpec(None)
    traced = tf.function(step, input_signature=[unknown, unknown])
    loss = traced(tf.constant([[1.0], [3.0]]), tf.constant([2.0, 5.0]))
    assert (float(loss), float(metric.result())) == (1.5, 2.5)


@pytest.mark.parametrize(
    ("name", "count", "right", "result"),
    [
        ("SensitivityAtSpecificity", 1, [2.0], 0.5),
        ("SensitivityAtSpecificity", 2, [4.0, 0.0], 0.0),
        ("SpecificityAtSensitivity", 1, [2.0], 0.75),
        ("PrecisionAtRecall", 2, [4.0, 0.0], 0.5714286),
        ("RecallAtPrecision", 1, [2.0], 0.5),
        ("RecallAtPrecision", 3, [4.0, 2.0, 0.0], 1.0),
    ],
)
def test_thresholds_of_rates_at_others(
    name: str, count: int, right: list[float], result: float
) -> None:
    made = getattr(keras.metrics, name)(0.4, num_thresholds=count)
    metric = type(made).from_config(made.get_config())
    true = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0])
    scores = np.array([0.0, 0.3, 0.8, 0.3, 0.5, 0.8, 0.5, 1.0])
    metric.update_state(true, scores)
    np.testing.assert_array_equal(metric.true_positives, right)
    np.testing.assert_allclose(metric.result(), result, rtol=1e-6)


def test_initializers_of_arrays_are_made_again() -> None:
    start = np.arange(6.0).reshape(3, 2)
    dense = layers.Dense(2, kernel_initializer=keras.initializers.Constant(start))
    model = keras.Sequential([keras.Input((3,)), dense])
    again = keras.models.model_from_json(model.to_json())
    np.testing.assert_array_equal(again.get_weights()[0], start)
    kept = layers.Dense.from_config(dense.get_config()).kernel_initializer.value
    np.testing.assert_array_equal(kept, start)


def test_the_inner_module_of_schedules_reads_them() -> None:
    place = "tensorlite.compat.v2.python.keras.optimizer_v2.learning_rate_schedule"
    inner = import_module(place)
    rate = inner.deserialize(inner.serialize(inner.PolynomialDecay(0.5, 10, 0.1)))
    np.testing.assert_allclose(rate(5), 0.3, rtol=1e-6)


class _Rises(keras.metrics.Metric):  # type: ignore[misc]
    """Asks tensors, as programs do that TensorFlow converts."""

    def __init__(self) -> None:
        super().__init__(name="rises")
        self.total = self.add_weight(name="total", initializer="zeros")
        self.batches = self.add_weight(name="batches", initializer="zeros")

    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        far = tf.reduce_sum(tf.abs(tf.cast(y_true, tf.float32) - y_pred))
        if far > 1.0:
            self.total.assign_add(far)
        else:
            self.total.assign_add(-1.0)
        self.batches.assign_add(1.0)

    def result(self) -> Any:
        if self.batches > 1.0:
            return self.total / self.batches
        return tf.zeros(())


def test_metrics_may_ask_tensors_in_steps() -> None:
    model = keras.Sequential(
        [keras.Input((1,)), layers.Dense(1, kernel_initializer="ones")]
    )
    model.compile("sgd", "mse", metrics=[_Rises()])
    x = np.array([[1.0], [2.0], [0.25], [0.5]], np.float32)
    found = model.evaluate(x, np.zeros((4, 1)), batch_size=2, verbose=0)
    np.testing.assert_allclose(found[1], (3.0 - 1.0) / 2, rtol=1e-6)
    found = model.evaluate(x[:2], np.zeros((2, 1)), batch_size=2, verbose=0)
    assert found[1] == 0.0


def test_a_metric_that_is_weighted_as_well_is_listed_twice() -> None:
    model = keras.Sequential(
        [keras.Input((1,)), layers.Dense(1, kernel_initializer="ones")]
    )
    model.compile("sgd", "mse", metrics=["mae"], weighted_metrics=["mae"])
    x, weights = np.array([[1.0], [3.0]]), np.array([0.0, 1.0])
    options = {"sample_weight": weights, "verbose": 0}
    found = model.evaluate(x, np.zeros((2, 1)), **options)
    np.testing.assert_allclose(found, [4.5, 2.0, 2.0, 3.0], rtol=1e-6)
    told = model.evaluate(x, np.zeros((2, 1)), return_dict=True, **options)
    assert list(told) == ["loss", "mae", "weighted_mae"]
