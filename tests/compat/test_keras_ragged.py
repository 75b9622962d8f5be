"""Keras' models of rows of different lengths: keras.Input(ragged=True), and layers that take them.

What is expected is what TensorFlow 2.21 gives, or NumPy; layers that Keras 3 has only for tensors
give what they make of each row by itself, as those of Keras 2 do.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras: Any = tf.keras
layers: Any = keras.layers

_NUMBERS = [[1, 2], [3], [4, 5, 6]]
_STEPS: list[Any] = [[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]], [[1.0, 1.0]]]


def _numbers() -> Any:
    return tf.ragged.constant(_NUMBERS, dtype=tf.int64)


def _steps() -> Any:
    return tf.ragged.constant(_STEPS, ragged_rank=1)


def _model(*inner: Any) -> Any:
    return keras.Sequential(
        [
            keras.Input((None,), ragged=True, dtype="int64"),
            layers.Embedding(10, 4, embeddings_initializer="ones"),
            *inner,
        ]
    )


def test_inputs_of_rows_say_so() -> None:
    x = keras.Input((None,), ragged=True, dtype="int64")
    y = layers.Embedding(10, 4)(x)
    assert (x.ragged, y.ragged, x.sparse) == (True, True, False)
    assert (tuple(x.shape), tuple(y.shape)) == ((None, None), (None, None, 4))
    assert not layers.GlobalAveragePooling1D()(y).ragged
    with pytest.raises(ValueError, match="two axes at least"):
        keras.Input((), ragged=True)


def test_models_predict_rows() -> None:
    made = _model().predict(_numbers(), batch_size=2, verbose=0)
    assert isinstance(made, tf.RaggedTensor)
    assert made.row_lengths().numpy().tolist() == [2, 1, 3]
    np.testing.assert_array_equal(made.flat_values, np.ones((6, 4)))


def test_models_train_on_rows() -> None:
    model = _model(
        layers.Lambda(lambda x: tf.reduce_mean(x, axis=1), output_shape=(4,)),
        layers.Dense(1, kernel_initializer="ones"),
    )
    model.compile("sgd", "mse")
    history = model.fit(_numbers(), np.ones((3, 1)), epochs=2, verbose=0).history
    np.testing.assert_allclose(history["loss"], [9.0, 7.0444064], rtol=1e-5)
    data = tf.data.Dataset.from_tensor_slices((_numbers(), np.ones((3, 1)))).batch(2)
    model.fit(data, verbose=0)
    assert np.isfinite(model.evaluate(data, verbose=0))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("GlobalAveragePooling1D", [[1.0, 2.0], [4.0, 5.0], [1.0, 1.0]]),
        ("GlobalMaxPooling1D", [[1.0, 2.0], [5.0, 6.0], [1.0, 1.0]]),
    ],
)
def test_pools_take_the_steps_of_each_row(kind: str, expected: Any) -> None:
    x = keras.Input((None, 2), ragged=True)
    model = keras.Model(x, getattr(layers, kind)()(x))
    np.testing.assert_array_equal(model(_steps()), expected)


def test_layers_of_elements_keep_rows() -> None:
    for layer, first in (
        (layers.Activation("tanh"), np.tanh(1.0)),
        (layers.Rescaling(2.0), 2.0),
        (layers.LayerNormalization(), -0.998006),
        (layers.BatchNormalization(), 0.9995004),
        (layers.Softmax(), 0.26894143),
        (layers.Dropout(0.5), 1.0),
        (layers.Dense(3, kernel_initializer="ones"), 3.0),
        (layers.TimeDistributed(layers.Dense(3, kernel_initializer="ones")), 3.0),
    ):
        made = layer(_steps())
        assert made.row_lengths().numpy().tolist() == [1, 2, 1]
        np.testing.assert_allclose(made.flat_values[0, 0], first, rtol=1e-4)


def test_layers_merge_rows() -> None:
    x = keras.Input((None, 2), ragged=True)
    kept = keras.Model(
        x, [layers.Add()([x, x]), layers.Concatenate(axis=1)([x, x]), x * 2]
    )
    total, behind, twice = kept(_steps())
    assert total.to_list() == twice.to_list()
    assert twice.to_list() == [[[2, 4]], [[6, 8], [10, 12]], [[2, 2]]]
    assert behind.row_lengths().numpy().tolist() == [2, 4, 2]


def test_recurrent_layers_go_as_far_as_each_row() -> None:
    layer = layers.LSTM(
        3, return_sequences=True, kernel_initializer="ones", bias_initializer="ones"
    )
    both = layers.Bidirectional(layers.GRU(2))
    for one in (layer, both):
        made = one(_steps())
        for row, steps in zip(made, _STEPS, strict=True):
            alone = one(tf.constant([steps]))[0]
            got = row if one is layer else row[None]
            whole = alone if one is layer else alone[None]
            np.testing.assert_allclose(got, whole, rtol=1e-5)


def test_categories_of_rows_are_counted() -> None:
    made = layers.CategoryEncoding(8, output_mode="count")(_numbers())
    expected = np.array([np.bincount(row, minlength=8) for row in _NUMBERS])
    np.testing.assert_array_equal(made, expected)


def test_files_say_that_inputs_are_rows(tmp_path: Path) -> None:
    x = keras.Input((None,), ragged=True, dtype="int64")
    functional = keras.Model(x, layers.Embedding(10, 4)(x))
    for model in (functional, _model(layers.GlobalAveragePooling1D())):
        assert model.get_config()["layers"][0]["config"]["ragged"] is True
        model.save(tmp_path / "model.keras")
        again = keras.models.load_model(tmp_path / "model.keras")
        first, second = (m.predict(_numbers(), verbose=0) for m in (model, again))
        for one, other in zip(first, second, strict=True):
            np.testing.assert_array_equal(one, other)


def test_predictions_of_batches_of_different_sizes_are_ragged() -> None:
    class Lengths(tf.keras.utils.PyDataset):
        def __len__(self) -> int:
            return 2

        def __getitem__(self, idx: int) -> Any:
            return np.ones((2, 3 + idx, 2)), np.zeros((2, 1))

    model = tf.keras.Sequential([tf.keras.Input((None, 2)), layers.Dense(1)])
    model.set_weights([np.ones((2, 1)), np.zeros(1)])
    made = model.predict(Lengths(), verbose=0)
    assert made.shape.as_list() == [4, None, 1]
    assert [len(row) for row in made.to_list()] == [3, 3, 4, 4]
    assert set(np.ravel(made.flat_values.numpy())) == {2.0}
