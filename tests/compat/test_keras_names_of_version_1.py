"""What tf.keras of TensorFlow 1 has and version 2 has not: estimators of models, wrappers and such.

Expected numbers are what TensorFlow 1.15 gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode

tf: Any = v1
keras: Any = tf.keras


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    before, mode.eager = mode.eager, False
    try:
        with tf.Graph().as_default() as made:
            yield made
    finally:
        mode.eager = before


def data(rows: int, width: int) -> tuple[Any, Any]:
    x = np.random.RandomState(0).rand(rows, width).astype("float32")
    return x, x.sum(1, keepdims=True)


def regression() -> Any:
    model = keras.Sequential(
        [
            keras.layers.Dense(
                3,
                activation="relu",
                input_shape=(4,),
                name="a",
                kernel_initializer="ones",
            ),
            keras.layers.Dense(1, name="b", kernel_initializer="ones"),
        ]
    )
    model.compile(keras.optimizers.SGD(0.01), "mse", metrics=["mae"])
    return model


def test_a_compiled_model_becomes_an_estimator(tmp_path: Path) -> None:
    x, y = data(32, 4)
    estimator = keras.estimator.model_to_estimator(
        regression(), model_dir=str(tmp_path / "model")
    )

    def given() -> Any:
        pairs = tf.data.Dataset.from_tensor_slices(({"a_input": x}, y))
        return pairs.batch(8).repeat()

    estimator.train(given, steps=10)
    found = estimator.evaluate(given, steps=4)
    assert found["global_step"] == 10
    np.testing.assert_allclose(found["loss"], 0.0621, atol=1e-4)
    np.testing.assert_allclose(found["mean_absolute_error"], 0.19293, atol=1e-4)
    rows = list(
        estimator.predict(
            lambda: tf.data.Dataset.from_tensor_slices({"a_input": x[:2]}).batch(2)
        )
    )
    np.testing.assert_allclose([r["b"][0] for r in rows], [2.7011, 2.6805], 1e-3)
    with pytest.raises(ValueError, match="expected inputs keys"):
        estimator.train(lambda: tf.data.Dataset.from_tensors(({"c": x}, y)), steps=1)
    with pytest.raises(ValueError, match="not both"):
        keras.estimator.model_to_estimator()


def test_metrics_of_keras_judge_in_estimators(tmp_path: Path) -> None:
    def built(features: Any, labels: Any, mode: str) -> Any:
        weight = tf.get_variable("w", [], initializer=tf.ones_initializer())
        metric = keras.metrics.Mean(name="mean")
        metric.update_state(features * weight)
        step = tf.assign_add(tf.train.get_global_step(), 1).op
        return tf.estimator.EstimatorSpec(
            mode,
            loss=tf.reduce_sum(weight),
            train_op=step,
            eval_metric_ops={"mean": metric},
        )

    def given() -> Any:
        return tf.data.Dataset.from_tensor_slices(np.arange(4, dtype="float32"))

    estimator = tf.estimator.Estimator(built, str(tmp_path))
    estimator.train(given, steps=1)
    assert estimator.evaluate(given)["mean"] == 1.5


def test_waves_bend_learning_rates() -> None:
    made = keras.experimental
    rates = [
        made.LinearCosineDecay(0.1, 10)(3),
        made.CosineDecay(0.1, 10)(3),
        made.NoisyLinearCosineDecay(0.1, 10, initial_variance=1e-12)(3),
        tf.train.noisy_linear_cosine_decay(0.1, 3, 10, initial_variance=1e-12),
    ]
    with tf.Session() as session:
        found = session.run(rates)
    expected = [0.055672478, 0.07938927, 0.0556724, 0.0556724]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_wide_and_deep_models_have_an_optimizer_each() -> None:
    x, y = data(8, 3)
    made = keras.experimental
    linear = made.LinearModel(kernel_initializer="zeros")
    linear.compile("sgd", "mse")
    told: Any = {"epochs": 2, "verbose": 0, "batch_size": 8}
    np.testing.assert_allclose(
        linear.fit(x, y, **told).history["loss"], [3.58139, 3.28117], rtol=1e-5
    )
    wide = made.LinearModel(kernel_initializer="zeros")
    deep = keras.Sequential(
        [keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(3,))]
    )
    model = made.WideDeepModel(wide, deep)
    model.compile(["sgd", keras.optimizers.SGD(0.1)], "mse")
    np.testing.assert_allclose(
        model.fit([x, x], y, **told).history["loss"], [3.58139, 2.78785], rtol=1e-5
    )


def test_gates_look_through_peepholes() -> None:
    cell = keras.experimental.PeepholeLSTMCell(
        2, kernel_initializer="ones", recurrent_initializer="ones"
    )
    given = keras.Input((4, 3))
    model = keras.Model(given, keras.layers.RNN(cell)(given))
    found = model.predict(np.full((1, 4, 3), 0.1, "float32"))
    np.testing.assert_allclose(found, [[0.94966, 0.94966]], rtol=1e-4)
    assert [x.name for x in model.weights][3:] == [
        f"rnn/{gate}_gate_peephole_weights:0"
        for gate in ("input", "forget", "output")
    ]


def test_models_are_estimators_of_scikit_learn() -> None:
    def build(units: int = 3) -> Any:
        model = keras.Sequential(
            [
                keras.layers.Dense(units, input_shape=(3,)),
                keras.layers.Dense(2, "softmax", kernel_initializer="zeros"),
            ]
        )
        model.compile("sgd", "categorical_crossentropy", metrics=["accuracy"])
        return model

    kinds = keras.wrappers.scikit_learn
    classes = np.array(["a", "b"] * 4)
    x, _ = data(8, 3)
    made = kinds.KerasClassifier(build, units=4, epochs=1, batch_size=8, verbose=0)
    assert made.get_params() == {
        "units": 4,
        "epochs": 1,
        "batch_size": 8,
        "verbose": 0,
        "build_fn": build,
    }
    made.fit(x, classes)
    assert set(made.predict(x)) <= {"a", "b"}
    np.testing.assert_allclose(made.predict_proba(x).sum(1), np.ones(8), rtol=1e-5)
    assert made.score(x, classes) == np.mean(made.predict(x) == classes)
    with pytest.raises(ValueError, match="neurons is not a legal parameter"):
        kinds.KerasClassifier(build, neurons=4)


def test_numbers_of_models_are_scored_by_their_loss() -> None:
    x, y = data(8, 4)
    made = keras.wrappers.scikit_learn.KerasRegressor(regression, verbose=0)
    made.fit(x, y)
    assert made.predict(x).shape == (8,)
    np.testing.assert_allclose(
        made.score(x, y), -np.mean((made.predict(x) - y[:, 0]) ** 2), rtol=1e-4
    )


def test_saved_models_become_models_again(tmp_path: Path) -> None:
    model, (x, _) = regression(), data(3, 4)
    keras.experimental.export_saved_model(model, str(tmp_path / "a"))
    assert (tmp_path / "a" / "assets" / "saved_model.json").is_file()
    again = keras.experimental.load_from_saved_model(str(tmp_path / "a"))
    np.testing.assert_allclose(again.predict(x), model.predict(x), rtol=1e-6)


def test_the_input_of_a_chain_is_a_layer_in_checkpoints(tmp_path: Path) -> None:
    model = regression()
    model.save_weights(str(tmp_path / "weights"))
    saved = tf.train.load_checkpoint(str(tmp_path / "weights"))
    told = saved.get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH")
    names = [b"layer-1", b"layer-2", b"layer_with_weights-0"]
    assert all(name in told for name in names)
    assert b"layer-0" not in told


def test_steps_of_columns_stand_side_by_side() -> None:
    column = tf.feature_column.sequence_numeric_column("a")
    given = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2])
    steps, lengths = keras.experimental.SequenceFeatures([column])({"a": given})
    with tf.Session() as session:
        found, counts = session.run([steps, lengths])
    assert found.tolist() == [[[1.0], [2.0]], [[3.0], [0.0]]]
    assert counts.tolist() == [2, 1]


@pytest.mark.parametrize("order", ["channels_last", "channels_first"])
@pytest.mark.parametrize(
    ("implementation", "padding", "sizes", "total"),
    [
        (1, "valid", (2, 3), 112.29814),
        (2, "valid", (2, 3), 112.29814),
        (2, "same", (3, 4), 157.02206),
        (3, "same", (3, 4), 157.02206),
    ],
)
def test_windows_with_weights_of_their_own(
    implementation: int, padding: str, sizes: Any, total: float, order: str
) -> None:
    layer = keras.layers.LocallyConnected2D(
        2,
        (3, 2),
        strides=(2, 1),
        padding=padding,
        implementation=implementation,
        kernel_initializer="ones",
        data_format=order,
    )
    is_first = order == "channels_first"
    x = np.random.RandomState(0).rand(1, 5, 4, 3).astype("float32")
    x = x.transpose(0, 3, 1, 2) if is_first else x
    given = keras.Input(x.shape[1:])
    found = keras.Model(given, layer(given)).predict(x)
    assert found.shape == ((1, 2, *sizes) if is_first else (1, *sizes, 2))
    np.testing.assert_allclose(found.sum(), total, rtol=1e-5)


def test_weights_in_one_row_are_those_of_one_result_after_the_other() -> None:
    layer = keras.layers.LocallyConnected2D(
        2, (3, 2), padding="same", implementation=3
    )
    given = keras.Input((3, 4, 2))
    model = keras.Model(given, layer(given))
    row, bias = layer.get_weights()
    layer.set_weights([np.arange(row.size) / 100, bias])
    found = model.predict(np.arange(24).reshape(1, 3, 4, 2) / 10)
    expected = [0.044, 0.116, 0.58, 0.932, 1.724, 2.204]
    np.testing.assert_allclose(found.ravel()[:6], expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("scale", "first", "last"),
    [
        (8.0, 8.0, 8.0),
        ("dynamic", 32768.0, 32768.0),
        (lambda: tf.train.experimental.DynamicLossScale(4.0, 2), 4.0, 8.0),
    ],
)
def test_losses_are_scaled_by_a_number_or_by_one_that_grows(
    scale: Any, first: float, last: float
) -> None:
    model = keras.Sequential(
        [keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")]
    )
    optimizer = keras.mixed_precision.experimental.LossScaleOptimizer(
        keras.optimizers.SGD(0.1), scale() if callable(scale) else scale
    )
    model.compile(optimizer, "mse")
    x = np.ones((4, 2), "float32")
    held = optimizer.variables[0]
    assert keras.backend.get_value(held) == first
    history = model.fit(x, x[:, :1], epochs=3, verbose=0).history
    np.testing.assert_allclose(history["loss"], [1.0, 0.16, 0.0256], rtol=1e-5)
    assert keras.backend.get_value(held) == last
