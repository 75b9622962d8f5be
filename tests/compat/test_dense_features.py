"""Keras models that are given feature columns: what the layer gives, and that it learns."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tensorlite.graph_mode.graph import mode

tf: Any = import_module("tensorlite.compat.v2")


@pytest.fixture(autouse=True)
def eager() -> Iterator[None]:
    before, mode.eager = mode.eager, True
    yield
    mode.eager = before


def _columns() -> list[Any]:
    column = tf.feature_column
    age = column.numeric_column("age")
    kind = column.categorical_column_with_vocabulary_list("kind", ["a", "b", "c"])
    halves = column.bucketized_column(age, [0.0])
    return [
        age,
        column.bucketized_column(age, [-1.0, 0.0, 1.0]),
        column.indicator_column(kind),
        column.embedding_column(kind, 4),
        column.indicator_column(column.crossed_column([halves, "kind"], 10)),
    ]


def test_columns_stand_side_by_side_by_their_names() -> None:
    layer = tf.keras.layers.DenseFeatures(_columns()[:3])
    rows = layer({"age": [-2.0, 0.5], "kind": ["b", "?"]})
    assert rows.tolist() == [
        [-2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        [0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    ]


def test_a_model_learns_from_columns() -> None:
    rng = np.random.default_rng(0)
    raw = {
        "age": rng.normal(size=64).astype(np.float32),
        "kind": np.array(["a", "b", "c", "?"])[rng.integers(0, 4, 64)],
    }
    labels = (raw["age"] > 0).astype(np.int32)
    batches = tf.data.Dataset.from_tensor_slices((raw, labels)).batch(16)
    tf.random.set_seed(1)
    first = tf.keras.layers.DenseFeatures(_columns())
    model = tf.keras.Sequential([first, tf.keras.layers.Dense(1)])
    loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    model.compile(optimizer=tf.keras.optimizers.Adam(0.05), loss=loss)
    losses = model.fit(batches, epochs=5, verbose=0).history["loss"]
    assert losses[-1] < losses[0] / 2
    assert [w.shape.as_list() for w in first.weights] == [[3, 4]]


def test_inputs_are_named_in_a_functional_model() -> None:
    inputs = {
        "age": tf.keras.Input((1,), name="age"),
        "kind": tf.keras.Input((1,), name="kind", dtype=tf.string),
    }
    wide = tf.keras.layers.DenseFeatures(_columns())(inputs)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(2)(wide))
    given = {"age": np.zeros((3, 1), np.float32), "kind": np.array([["a"]] * 3)}
    assert model(given).shape.as_list() == [3, 2]


def test_initializers_of_embeddings_may_ask_for_the_part_they_fill() -> None:
    column = tf.feature_column
    kind = column.categorical_column_with_identity("kind", 3)
    asked: list[Any] = []

    def filled(shape: Any, dtype: Any, partition_info: Any) -> Any:
        asked.append(partition_info)
        return tf.reshape(tf.range(6, dtype=dtype), shape)

    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        embedded = column.embedding_column(kind, 2, initializer=filled)
        rows = v1.feature_column.input_layer({"kind": [[2], [0]]}, [embedded])
        session.run(v1.global_variables_initializer())
        assert session.run(rows).tolist() == [[4, 5], [0, 1]]
    assert len(asked) == 1
