"""Keras in programs of TensorFlow 1, which build graphs: it trains and writes files at once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.compat.shapes import TensorShape
from tensorlite.core.device import settings
from tensorlite.core.errors import FailedPreconditionError
from tensorlite.core.shapes import Results
from tensorlite.graph_mode.graph import mode

keras: Any = tf.keras
X = np.random.RandomState(0).rand(32, 3).astype(np.float32)
Y = (X.sum(1, keepdims=True) > 1.5).astype(np.float32)


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default():
        yield
    mode.eager = before


def chain(optimizer: Any) -> Any:
    layers, filled = keras.layers, keras.initializers.Constant
    made = keras.Sequential(
        [
            layers.Dense(4, "relu", kernel_initializer=filled(0.3), input_shape=(3,)),
            layers.Dense(1, kernel_initializer=filled(0.2)),
        ]
    )
    made.compile(optimizer, "mse")
    return made


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (
            partial(tf.train.GradientDescentOptimizer, 0.1),
            [0.18779, 0.17167, 0.16366],
        ),
        (partial(tf.train.AdamOptimizer, 0.05), [0.20931, 0.13193, 0.1319]),
        (partial(tf.train.MomentumOptimizer, 0.1, 0.9), [0.20536, 0.1249, 0.12979]),
    ],
)
def test_models_train_with_optimizers_of_train(
    make: Any, wanted: list[float], tmp_path: Path
) -> None:
    """TensorFlow 1.15's losses; such models are saved without what they were compiled with."""
    model = chain(make())
    told = model.fit(X, Y, batch_size=8, epochs=3, shuffle=False, verbose=0)
    np.testing.assert_allclose(told.history["loss"], wanted, atol=6e-6)
    with pytest.raises(FailedPreconditionError, match=r"tf\.keras\.optimizers"):
        model.optimizer.learning_rate = 0.1
    with pytest.warns(UserWarning, match="call compile"):
        model.save(tmp_path / "model.h5")
    again = keras.models.load_model(tmp_path / "model.h5")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_batches_are_counted_where_sizes_may_be_unknown_dimensions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Beside version 2 tensors' shapes are of the kind that was chosen: here, version 1's."""
    monkeypatch.setattr(Results, "kind", TensorShape)
    monkeypatch.setattr(settings, "tensorflow_results", True)
    model = chain("sgd")
    told = model.fit(X[:30], Y[:30], batch_size=8, epochs=2, verbose=0)
    assert told.history["loss"][1] < told.history["loss"][0]


@pytest.mark.parametrize("name", ["model.h5", "model.keras"])
def test_models_are_written_and_read_while_a_graph_is_built(
    name: str, tmp_path: Path
) -> None:
    model = chain("adam")
    model.fit(X, Y, verbose=0)
    model.save(tmp_path / name)
    again = keras.models.load_model(tmp_path / name)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    again.fit(X, Y, verbose=0)
    model.save_weights(tmp_path / "weights")
    again.load_weights(tmp_path / "weights")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_datasets_and_generators_give_batches_while_a_graph_is_built() -> None:
    """Keras 2 has names of its own for generators; all three ways take the same steps."""
    sgd = keras.optimizers.SGD
    by_arrays = chain(sgd(0.1)).fit(X, Y, 8, 2, shuffle=False, verbose=0)
    dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8).repeat()
    model = chain(sgd(0.1))
    by_dataset = model.fit(dataset, steps_per_epoch=4, epochs=2, verbose=0)
    parts = [(X[i : i + 8], Y[i : i + 8]) for i in range(0, 32, 8)] * 2
    by_generator = chain(sgd(0.1)).fit_generator(
        iter(parts), steps_per_epoch=4, epochs=2, verbose=0, workers=2
    )
    for told in (by_dataset, by_generator):
        np.testing.assert_allclose(told.history["loss"], by_arrays.history["loss"])
    assert model.predict_generator(iter([X, X, X]), steps=2).shape == (64, 1)
    loss = model.evaluate_generator(iter(parts), steps=4)
    np.testing.assert_allclose(loss, model.evaluate(X, Y, verbose=0), rtol=1e-6)


def test_metrics_have_the_names_of_version_1() -> None:
    keras: Any = tf.keras
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,))])
    model.compile("sgd", "mse", metrics=["accuracy", "mse"])
    x, y = np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)
    found = model.fit(x, y, verbose=0).history
    assert sorted(found) == ["acc", "loss", "mean_squared_error"]


def test_layers_are_called_inside_of_loops_and_by_recurrent_networks() -> None:
    layers: Any = tf.keras.layers  # type: ignore[attr-defined]
    dense = layers.Dense(2, kernel_initializer="ones")
    ones = tf.ones((1, 2))
    loop = tf.while_loop(
        lambda i, _: i < 3, lambda i, x: (i + 1, dense(x)), [0, ones]
    )
    rows = tf.map_fn(lambda row: dense(row[None])[0], tf.ones((3, 2)))
    cell = layers.SimpleRNNCell(
        2, kernel_initializer="ones", recurrent_initializer="ones"
    )
    outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones((1, 3, 2)), dtype=tf.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        last, mapped, steps = session.run([loop[1], rows, outputs])
    np.testing.assert_array_equal(last, [[8.0, 8.0]])
    np.testing.assert_array_equal(mapped, np.full((3, 2), 2.0))
    wanted = [0.9640276, 0.9992255, 0.9993273]  # as TensorFlow 1.15 has them
    np.testing.assert_allclose(steps[0, :, 0], wanted, rtol=1e-5)
