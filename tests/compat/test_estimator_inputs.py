"""Input functions of arrays and tables.

pandas is not among what tests need: a table here is what pandas_input_fn asks of a DataFrame.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf


@dataclass
class Frame:
    """Columns by name, as a DataFrame has them."""

    data: dict[str, list[Any]]
    index: list[int] = field(default_factory=lambda: [0, 1, 2])

    @property
    def columns(self) -> list[str]:
        return list(self.data)

    def __getitem__(self, name: str) -> list[Any]:
        return self.data[name]


@dataclass
class Series:
    values: list[float]
    index: list[int]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.values, dtype)


TABLE = Frame({"age": [20.0, 30.0, 40.0], "job": ["a", "b", "c"]})


def batches(input_fn: Any) -> list[Any]:
    found = []
    with tf.Graph().as_default(), tf.Session() as session:
        made = input_fn()
        session.run(tf.tables_initializer())
        tf.train.start_queue_runners(session)
        while True:
            try:
                found.append(session.run(made))
            except tf.errors.OutOfRangeError:
                return found


def test_columns_of_a_table_are_features() -> None:
    make = tf.estimator.inputs.pandas_input_fn(TABLE, batch_size=2, shuffle=False)
    first, second = batches(make)
    assert first["age"].tolist() == [20.0, 30.0]
    assert second["job"].tolist() == [b"c"]


def test_labels_are_a_series_or_the_columns_of_a_table() -> None:
    labels = Series([1.0, 0.0, 1.0], [0, 1, 2])
    make = tf.estimator.inputs.pandas_input_fn(TABLE, labels, 3, 2, shuffle=False)
    found = batches(make)
    assert [y.tolist() for _, y in found] == [[1.0, 0.0, 1.0]] * 2
    several = Frame({"one": [1, 2, 3], "two": [4, 5, 6]})
    make = tf.estimator.inputs.pandas_input_fn(TABLE, several, 3, shuffle=False)
    ((_, y),) = batches(make)
    assert {name: x.tolist() for name, x in y.items()} == several.data


def test_rows_that_are_shuffled_stay_together() -> None:
    labels = Series([20.0, 30.0, 40.0], [0, 1, 2])
    make = tf.estimator.inputs.pandas_input_fn(
        TABLE, labels, 3, shuffle=True, queue_capacity=None
    )
    ((features, y),) = batches(make)
    assert sorted(y) == [20.0, 30.0, 40.0]
    assert features["age"].tolist() == y.tolist()


def test_what_does_not_fit_is_refused() -> None:
    make = tf.estimator.inputs.pandas_input_fn
    labels = Series([1.0, 0.0, 1.0], [0, 1, 5])
    with pytest.raises(ValueError, match="shuffle must be provided"):
        make(TABLE)
    with pytest.raises(ValueError, match="Index for x and y are mismatched"):
        make(TABLE, labels, shuffle=False)
    with pytest.raises(ValueError, match="Cannot use name age for target column"):
        make(TABLE, labels, shuffle=False, target_column="age")
    with pytest.raises(TypeError, match="x is a dict; allowed is a DataFrame"):
        make({"age": [1.0]}, shuffle=False)


def test_arrays_are_fed_by_queues_that_are_named_as_tensorflow_names_them() -> None:
    rows = {"x": np.arange(12.0).reshape(6, 2)}
    with tf.Graph().as_default() as graph:
        make = tf.estimator.inputs.numpy_input_fn(rows, np.arange(6), 4, shuffle=True)
        features, labels = make()
        assert features["x"].name == "random_shuffle_queue_DequeueUpTo:1"
        assert labels.name == "random_shuffle_queue_DequeueUpTo:2"
        (runner,) = graph.get_collection("queue_runners")
        assert runner.name == "enqueue_input/random_shuffle_queue"
        (told,) = graph.get_collection("summaries")
        whole = f"enqueue_input/queue/{runner.name}fraction_over_250_of_750_full:0"
        assert told.name == whole


def test_rows_come_in_order_as_often_as_asked_the_last_in_a_smaller_batch() -> None:
    make = tf.estimator.inputs.numpy_input_fn(np.arange(3), None, 2, 3, shuffle=False)
    found = [x.tolist() for x in batches(make)]
    assert found == [[0, 1], [2, 0], [1, 2], [0, 1], [2]]


def test_shuffled_rows_come_each_once_in_a_round() -> None:
    make = tf.estimator.inputs.numpy_input_fn(np.arange(7), None, 3, shuffle=True)
    assert sorted(x for batch in batches(make) for x in batch.tolist()) == list(
        range(7)
    )


def test_keys_of_features_are_no_keys_of_labels() -> None:
    x = {"a": np.zeros(2)}
    with pytest.raises(ValueError, match="duplicate keys are found in both x and y"):
        tf.estimator.inputs.numpy_input_fn(x, {"a": np.zeros(2)}, shuffle=False)
