"""Feature columns: matrices, linear models, names of variables, how examples are read."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np


def program(tf: Any) -> dict[str, Any]:
    """Return what columns of every kind give."""
    return {
        "dense": side_by_side(tf),
        "linear": weighted(tf),
        "shared": shared(tf),
        "read": read(tf),
        "crossed": crossed(tf),
    }


def counted(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    """Return numbers that tell the rows of a table from each other."""
    return (np.arange(np.prod(shape)).reshape(shape) * 0.1).astype(np.float32)


def features(tf: Any) -> dict[str, Any]:
    """Return raw features of three rows."""
    places = [[0, 0], [1, 0], [1, 1]]
    return {
        "age": [23.0, 31.0, 64.0],
        "size": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
        "sex": [["m"], ["f"], ["?"]],
        "number": [[3], [0], [9]],
        "year": [[2001], [2000], [1999]],
        "words": tf.SparseTensor(places, ["x", "y", "q"], [3, 2]),
        "weights": tf.SparseTensor(places, [1.0, 2.0, 3.0], [3, 2]),
    }


def columns(tf: Any, folder: str) -> dict[str, Any]:
    """Return columns by what they are of."""
    column = tf.feature_column
    path = Path(folder) / "words.txt"
    path.write_text("q\nx\ny\n")
    age = column.numeric_column("age")
    words = column.categorical_column_with_hash_bucket("words", 7)
    listed = column.categorical_column_with_vocabulary_list
    ranges = column.bucketized_column(age, [18, 31, 40])
    return {
        "age": age,
        "size": column.numeric_column("size", (2,), normalizer_fn=lambda x: x * 2.0),
        "ranges": ranges,
        "both": column.bucketized_column(
            column.numeric_column("size", (2,)), [2.0, 4.0]
        ),
        "sex": listed("sex", ["m", "f"]),
        "oov": listed("sex", ["m", "f"], num_oov_buckets=3),
        "year": listed("year", [1999, 2001], default_value=0),
        "number": column.categorical_column_with_identity(
            "number", 5, default_value=1
        ),
        "file": column.categorical_column_with_vocabulary_file("words", str(path)),
        "words": words,
        "weighted": column.weighted_categorical_column(words, "weights"),
        "cross": column.crossed_column([ranges, "sex"], 50),
    }


def run(tf: Any, *asked: Any) -> list[Any]:
    """Return values in a new session."""
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return [x.tolist() for x in session.run(list(asked))]


def names(tf: Any) -> list[Any]:
    """Return names and shapes of the graph's variables."""
    return [[v.name, v.shape.as_list()] for v in tf.global_variables()]


def side_by_side(tf: Any) -> list[Any]:
    """Return what an input layer gives."""
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
        own = columns(tf, folder)
        column = tf.feature_column
        chosen = [
            *(own[key] for key in ("age", "size", "ranges", "both")),
            *(
                column.indicator_column(own[key])
                for key in ("oov", "year", "weighted")
            ),
            column.embedding_column(own["number"], 2, initializer=counted),
            column.embedding_column(own["file"], 3, "sum", initializer=counted),
            column.embedding_column(own["cross"], 2, "sqrtn", initializer=counted),
        ]
        kept: dict[Any, Any] = {}
        made = column.input_layer(features(tf), chosen, cols_to_vars=kept)
        listed = {x.name: [v.name for v in found] for x, found in kept.items()}
        return [run(tf, made), names(tf), made.shape.as_list(), listed]


def weighted(tf: Any) -> list[Any]:
    """Return what a linear model gives, with weights that are counted."""
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
        own = columns(tf, folder)
        chosen = [own[key] for key in ("age", "ranges", "sex", "weighted", "cross")]
        made = tf.feature_column.linear_model(features(tf), chosen, units=2)
        given = [v.assign(counted(v.shape.as_list())) for v in tf.global_variables()]
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            session.run(given)
            return [session.run(made).tolist(), names(tf)]


def shared(tf: Any) -> list[Any]:
    """Return what two columns give that have one table, in two layers."""
    with tf.Graph().as_default():
        of = tf.feature_column.categorical_column_with_identity
        both = tf.feature_column.shared_embedding_columns(
            [of("a", 3), of("b", 3)], 2, initializer=counted
        )
        given = {"a": [[0], [2]], "b": [[1], [1]]}
        made = [tf.feature_column.input_layer(given, both) for _ in range(2)]
        return [run(tf, *made), names(tf)]


def read(tf: Any) -> list[Any]:
    """Return how examples are read."""
    with tempfile.TemporaryDirectory() as folder:
        own = columns(tf, folder)
        found = tf.feature_column.make_parse_example_spec(
            [own[key] for key in ("size", "year", "weighted", "cross")]
        )
    return sorted(
        [key, type(x).__name__, x.dtype.name, list(getattr(x, "shape", []))]
        for key, x in found.items()
    )


def crossed(tf: Any) -> list[Any]:
    """Return crosses of several, some of them dense."""
    column = tf.feature_column
    with tf.Graph().as_default():
        number = column.categorical_column_with_identity("number", 5, default_value=1)
        cross = column.crossed_column(["sex", "words", number], 20, hash_key=3)
        made = column.input_layer(features(tf), column.indicator_column(cross))
        return run(tf, made)
