"""What TensorFlow's unit tests of feature columns found, as 1.15 has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
columns = tf.feature_column


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def run(fetches: Any) -> Any:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def test_layers_take_lists_in_graphs() -> None:
    price, size = columns.numeric_column("price"), columns.numeric_column("size")
    layer = tf.keras.layers.DenseFeatures([price, size])
    each: dict[Any, Any] = {}
    found = layer({"price": [[1.0], [5.0]], "size": [[3.0], [4.0]]}, each)
    whole, alone = run([found, each[size]])
    assert whole.tolist() == [[1.0, 3.0], [5.0, 4.0]]
    assert alone.tolist() == [[3.0], [4.0]]


@pytest.mark.parametrize(
    "words",
    [
        tf.SparseTensorValue([[0], [1]], ["b", "a"], [2]),
        tf.SparseTensorValue([[0, 0], [1, 0]], ["b", "a"], [2, 1]),
    ],
)
def test_sparse_features_may_be_values_and_have_one_axis(words: Any) -> None:
    word = columns.categorical_column_with_vocabulary_list("word", ["a", "b"])
    shown = columns.indicator_column(word)
    given = {"word": tf.SparseTensor(*words)}
    first = columns.input_layer(given, [shown])
    second = tf.keras.layers.DenseFeatures([shown])({"word": words})
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        for found in session.run([first, second]):
            assert found.tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_defaults_are_tuples_in_the_columns_dtype() -> None:
    column = columns.numeric_column("a", [1, 2], [[3, 2]])
    assert column.default_value == ((3.0, 2.0),)
    assert isinstance(column.default_value[0][0], float)
    filled = columns.numeric_column("a", [2, 3], 2.0)
    assert filled.default_value == ((2.0, 2.0, 2.0), (2.0, 2.0, 2.0))


@pytest.mark.parametrize(
    ("error", "match", "make"),
    [
        (
            TypeError,
            "compatible with dtype",
            lambda: columns.numeric_column("a", 1, 1.5, tf.int32),
        ),
        (
            TypeError,
            "compatible with dtype",
            lambda: columns.numeric_column("a", 1, ["x"]),
        ),
        (TypeError, "must be integer", lambda: columns.numeric_column("a", [1.5])),
        (
            ValueError,
            "convertible to float",
            lambda: columns.numeric_column("a", dtype=tf.string),
        ),
        (ValueError, "key must be a string", lambda: columns.numeric_column(("a",))),
        (
            ValueError,
            "string or integer",
            lambda: columns.categorical_column_with_hash_bucket("a", 9, tf.float32),
        ),
        (
            ValueError,
            "hash_bucket_size must be set",
            lambda: columns.categorical_column_with_hash_bucket("a", None),
        ),
        (
            ValueError,
            "vocabulary dtype must be string or integer",
            lambda: columns.categorical_column_with_vocabulary_list("a", [1.5]),
        ),
        (
            ValueError,
            "must be non-empty",
            lambda: columns.categorical_column_with_vocabulary_list("a", []),
        ),
        (ValueError, "must be > 1", lambda: columns.crossed_column(["a", "b"], -1)),
        (
            ValueError,
            "Unsupported key type",
            lambda: columns.crossed_column(["a", columns.numeric_column("b")], 9),
        ),
        (
            ValueError,
            "boundaries must be",
            lambda: columns.bucketized_column(columns.numeric_column("a"), None),
        ),
        (
            ValueError,
            "found dict",
            lambda: columns.input_layer(
                {"a": [[0]]}, {"a": columns.numeric_column("a")}
            ),
        ),
        (
            ValueError,
            "Batch size .first dimension. of each feature must be same",
            lambda: columns.input_layer(
                {"a": [[1.0], [2.0]], "b": [[1.0]]},
                [columns.numeric_column("a"), columns.numeric_column("b")],
            ),
        ),
    ],
)
def test_what_makes_no_column_is_refused(
    error: type[Exception], match: str, make: Any
) -> None:
    with pytest.raises(error, match=match):
        make()


def test_functional_models_are_saved_where_version_1_runs_at_once(
    tmp_path: Any,
) -> None:
    before = mode.eager, mode.plain_sizes, mode.older
    try:
        tf.enable_eager_execution()
        inputs = tf.keras.Input((None, 3))
        model = tf.keras.Model(inputs, tf.keras.layers.Dense(2)(inputs))
        tf.saved_model.save(model, str(tmp_path / "model"))
        loaded = tf.saved_model.load_v2(str(tmp_path / "model"))
        x = np.ones([1, 4, 3], "f")
        assert np.allclose(loaded(x), model(x))
    finally:
        mode.eager, mode.plain_sizes, mode.older = before


def test_csv_defaults_may_be_constants_of_the_graph(tmp_path: Any) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("1,,x\n,2.5,y\n")
    defaults = [
        tf.constant([7], tf.int32),
        tf.constant([0.5]),
        tf.constant([], tf.string),
    ]
    rows = tf.data.experimental.CsvDataset(str(path), record_defaults=defaults)
    element = tf.data.make_one_shot_iterator(rows).get_next()
    with tf.Session() as session:
        assert [session.run(element) for _ in range(2)] == [
            (1, 0.5, b"x"),
            (7, 2.5, b"y"),
        ]
        assert session.run(tf.data.experimental.cardinality(rows)) == -2
        assert (
            session.run(tf.data.experimental.cardinality(tf.data.Dataset.range(3)))
            == 3
        )


def test_columns_of_words_tell_of_words_that_they_do_not_know() -> None:
    made = tf.feature_column.categorical_column_with_vocabulary_list
    assert made("x", ["a", "b"], num_oov_buckets=3).num_oov_buckets == 3
    assert made("x", ["a", "b"]).num_oov_buckets == 0
