"""Keras' layers over cells of tf.nn.rnn_cell in graphs: their weights are the layer's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
X = np.linspace(-1, 1, 24).reshape(4, 3, 2).astype("float32")
Y = np.ones((4, 1), "float32")


@pytest.fixture(autouse=True)
def graphs() -> None:
    """Build models in a graph of their own."""
    tf.reset_default_graph()
    tf.keras.backend.clear_session()


def model(cell: Any) -> Any:
    layer = tf.keras.layers.RNN(cell)
    x = tf.keras.Input((3, 2))
    y = tf.keras.layers.Dense(1, kernel_initializer="ones")(layer(x))
    made = tf.keras.Model(x, y)
    made.compile(tf.keras.optimizers.SGD(0.5), "mse")
    return layer, made


def test_weights_of_cells_are_trained_and_kept(tmp_path: Path) -> None:
    first = tf.constant_initializer(0.1)
    layer, made = model(tf.nn.rnn_cell.GRUCell(2, kernel_initializer=first))
    assert [w.name for w in made.trainable_weights] == [
        *("gru_cell/gates/kernel:0", "gru_cell/gates/bias:0"),
        *("gru_cell/candidate/kernel:0", "gru_cell/candidate/bias:0"),
        *("dense/kernel:0", "dense/bias:0"),
    ]
    losses = made.fit(X, Y, epochs=3, verbose=0, shuffle=False).history["loss"]
    np.testing.assert_allclose(losses, [1.02709, 0.47168, 0.15037], atol=1e-5)
    np.testing.assert_allclose(made.get_weights()[3], [0.5045, 0.5045], atol=1e-4)
    made.set_weights([0.2 + 0 * w for w in made.get_weights()])
    wanted = [0.16421, 0.24341, 0.30854, 0.35304]
    np.testing.assert_allclose(made.predict(X).ravel(), wanted, atol=1e-5)
    made.save_weights(str(tmp_path / "own.h5"))
    made.set_weights([0 * w for w in made.get_weights()])
    made.load_weights(str(tmp_path / "own.h5"))
    np.testing.assert_allclose(made.predict(X).ravel(), wanted, atol=1e-5)
    layer.trainable = False
    assert (len(made.trainable_weights), len(made.non_trainable_weights)) == (2, 4)
    assert made.count_params() == 33


def test_cells_in_cells_are_trained() -> None:
    kinds = [tf.nn.rnn_cell.BasicLSTMCell(n) for n in (3, 2)]
    _, made = model(tf.nn.rnn_cell.MultiRNNCell(kinds))
    losses = made.fit(X, Y, epochs=4, verbose=0, shuffle=False).history["loss"]
    assert len(made.get_weights()) == 6
    assert losses[-1] < losses[0]
