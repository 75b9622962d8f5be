"""Columns in graphs of version 1: values as NumPy has them, variables as TensorFlow 1.15."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
columns = tf.feature_column
PRICE = columns.numeric_column("price")
RANGES = columns.bucketized_column(PRICE, [0.0, 10.0])
SIZE = columns.categorical_column_with_identity("size", 3)


def run(made: Any, feed: Any = None, changes: Any = ()) -> Any:
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        session.run(list(changes))
        return session.run(made, feed)


def test_ranges_and_counts_stand_side_by_side() -> None:
    with tf.Graph().as_default():
        shown = columns.indicator_column(SIZE)
        given = {"price": [-1.0, 0.0, 99.0], "size": [[0, 0], [2, -1], [-1, -1]]}
        found = run(columns.input_layer(given, [shown, RANGES]))
        hot = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        counts = [[2, 0, 0], [0, 0, 1], [0, 0, 0]]
        assert found.tolist() == np.hstack([hot, counts]).tolist()


def test_a_linear_model_adds_weights_of_resources() -> None:
    with tf.Graph().as_default():
        owned: dict[Any, Any] = {}
        given = {"price": [1.0, 20.0], "size": [[0, 1], [2, -1]]}
        found = columns.linear_model(given, [RANGES, SIZE], cols_to_vars=owned)
        assert found.name == "linear_model_1/linear_model/weighted_sum:0"
        names = [x.name for x in tf.global_variables()]
        assert names == [
            "linear_model/price_bucketized/weights:0",
            "linear_model/size/weights:0",
            "linear_model/bias_weights:0",
        ]
        assert all(x.handle.dtype is tf.resource for x in tf.global_variables())
        assert (
            tf.get_collection(tf.GraphKeys.MODEL_VARIABLES) == tf.global_variables()
        )
        ranges, sizes, bias = [owned[key][0] for key in (RANGES, SIZE, "bias")]
        changes = [
            ranges.assign([[1.0], [2.0], [3.0]]),
            sizes.assign([[10.0], [20.0], [40.0]]),
            bias.assign([100.0]),
        ]
        assert run(found, changes=changes).tolist() == [[132.0], [143.0]]


@pytest.mark.parametrize("size", [3, -2])
def test_numbers_that_are_no_categories_fail_as_they_run(size: int) -> None:
    with tf.Graph().as_default():
        given = {"size": [[size]]}
        found = columns.input_layer(given, [columns.indicator_column(SIZE)])
        with pytest.raises(tf.errors.InvalidArgumentError, match='column "size"'):
            run(found)


def test_ranks_may_be_known_later() -> None:
    with tf.Graph().as_default():
        price = tf.placeholder(tf.float32)
        found = columns.input_layer({"price": price}, [PRICE])
        assert run(found, {price: [1.0, 2.0]}).tolist() == [[1], [2]]
        assert run(found, {price: [[1.0], [2.0]]}).tolist() == [[1], [2]]
        with pytest.raises(tf.errors.InvalidArgumentError, match="rank 0"):
            run(found, {price: 1.0})


def test_shared_vectors_are_one_variable_in_a_collection() -> None:
    with tf.Graph().as_default():
        words = [columns.categorical_column_with_identity(x, 3) for x in ("a", "b")]
        ones = tf.ones_initializer()
        shared = columns.shared_embedding_columns(words, 2, "sum", ones)
        found = columns.input_layer({"a": [[0, 1]], "b": [[2, -1]]}, shared)
        (table,) = tf.global_variables()
        assert table.name == "input_layer/a_b_shared_embedding/embedding_weights:0"
        assert tf.get_collection("a_b_shared_embedding") == [table]
        assert run(found).tolist() == [[2, 2, 1, 1]]


def test_partitioned_weights_are_summed() -> None:
    with tf.Graph().as_default():
        halves = tf.fixed_size_partitioner(2)
        with tf.variable_scope("outer", partitioner=halves):
            owned: dict[Any, Any] = {}
            given = {"size": [[0, 2], [1, -1]]}
            found = columns.linear_model(given, [SIZE], cols_to_vars=owned)
        assert [x.name for x in owned[SIZE]] == [
            "outer/linear_model/size/weights/part_0:0",
            "outer/linear_model/size/weights/part_1:0",
        ]
        changes = [
            x.assign(np.full(x.shape.as_list(), i + 1.0))
            for i, x in enumerate(owned[SIZE])
        ]
        assert run(found, changes=changes).tolist() == [[3.0], [1.0]]
