"""tf.contrib.predictor: SavedModels as functions of dicts."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tensorlite.core.errors import InvalidArgumentError

tf: Any = import_module("tensorlite.compat.v1")  # as its programs see it, untyped


def test_a_saved_model_predicts_what_its_signature_says(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        y = tf.matmul(x, tf.Variable([[1.0], [2.0]]), name="y")
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, str(folder), {"x": x}, {"y": y})
    load = tf.contrib.predictor.from_saved_model
    predict = load(folder)
    assert predict({"x": [[1.0, 2.0], [0.0, 1.0]]})["y"].tolist() == [[5.0], [2.0]]
    assert predict.feed_tensors["x"].graph is predict.graph
    named = load(folder, input_names={"a": "x:0"}, output_names={"b": "y:0"})
    assert named({"a": [[2.0, 0.0]]})["b"].tolist() == [[2.0]]
    with pytest.raises(InvalidArgumentError, match=r"unexpected keys .*\['z'\]"):
        predict({"z": 1})
    with pytest.raises(InvalidArgumentError, match="serving_default"):
        load(folder, "other")


def test_names_of_signals() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(tf.contrib.signal.frame(tf.range(4), 2, 2))
    assert found.tolist() == [[0, 1], [2, 3]]
