"""Models of Keras that are saved as SavedModels and become models again."""

from __future__ import annotations

import json
import operator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.interop.tensorflow.stored.models import SavedModel
from tensorlite.ops.records import wire

keras = tf.keras
ROWS = np.random.default_rng(3).normal(size=(6, 4)).astype(np.float32)
LABELS = np.arange(12, dtype=np.float32).reshape(6, 2) / 12


class Own(keras.Model):
    """A model of a program's own class, whose arguments have defaults."""

    def __init__(self, units: int = 2) -> None:
        super().__init__()
        self.dense = keras.layers.Dense(units)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        return self.dense(inputs)


class Doubled(keras.layers.Dense):
    """A layer of a program's own class."""

    def __init__(self, units: int = 2, **kwargs: Any) -> None:
        super().__init__(units, **kwargs)

    def call(self, inputs: Any, training: Any = None) -> Any:
        return 2 * super().call(inputs)


def _chain(**kwargs: Any) -> Any:
    first = keras.layers.Dense(3, activation="relu", **kwargs)
    dropped = keras.layers.Dropout(0.5)
    return keras.Sequential(
        [first, dropped, keras.layers.BatchNormalization(), keras.layers.Dense(2)]
    )


def _graph() -> Any:
    rows = keras.Input((4,))
    halves = keras.layers.Dense(1)(rows), keras.layers.Dense(1)(rows)
    return keras.Model(rows, keras.layers.Concatenate()(halves))


def _trained(model: Any) -> Any:
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(ROWS, LABELS, verbose=0)
    return model


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: _chain(input_shape=(4,)), "Sequential"),
        (_chain, "Sequential"),
        (_graph, "Functional"),
        (Own, "Revived"),
        (lambda: keras.Sequential([keras.Input((4,)), Doubled()]), "Revived"),
    ],
    ids=["chain", "chain_of_later_shape", "graph", "own_class", "own_layer"],
)
def test_models_come_back_from_folders(make: Any, kind: str, tmp_path: Path) -> None:
    """They predict and are measured as before, and go on training."""
    model = _trained(make())
    model.save(tmp_path / "model", save_format="tf")
    again = keras.models.load_model(tmp_path / "model")
    assert type(again).__name__ == kind
    wanted = model.predict(ROWS, verbose=0)
    np.testing.assert_allclose(again.predict(ROWS, verbose=0), wanted, rtol=1e-6)
    measured = model.evaluate(ROWS, LABELS, verbose=0)
    found = again.evaluate(ROWS, LABELS, verbose=0)
    np.testing.assert_allclose(found, measured, rtol=1e-6)
    again.fit(ROWS, LABELS, verbose=0)
    assert np.abs(again.predict(ROWS, verbose=0) - wanted).max() > 0


def test_classes_of_programs_are_given_by_name(tmp_path: Path) -> None:
    model = _trained(Own())
    model.save(tmp_path / "model")
    again = keras.models.load_model(tmp_path / "model", custom_objects={"Own": Own})
    assert type(again) is Own
    np.testing.assert_array_equal(again(ROWS).numpy(), model(ROWS).numpy())


def test_models_may_come_back_uncompiled(tmp_path: Path) -> None:
    _trained(_graph()).save(tmp_path / "model")
    again = keras.models.load_model(tmp_path / "model", compile=False)
    assert not again.get_compile_config()
    again.compile("sgd", "mae")
    again.fit(ROWS, LABELS, verbose=0)


def _distance(wanted: Any, found: Any) -> Any:
    return tf.reduce_mean(tf.abs(wanted - found))


def test_functions_that_nobody_registered_are_asked_for(tmp_path: Path) -> None:
    rows = keras.Input((4,))
    model = keras.Model(rows, keras.layers.Lambda(operator.neg)(rows))
    model.compile("sgd", _distance)
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match="custom_objects"):
        keras.models.load_model(tmp_path / "model")
    again = keras.models.load_model(tmp_path / "model", compile=False)
    np.testing.assert_array_equal(again.predict(ROWS, verbose=0), -ROWS)


def _as_tensorflow_says_it(folder: Path) -> None:
    """Let a folder tell of its model as TensorFlow's do."""
    file = folder / "assets.extra" / "keras_model.json"
    told = json.loads(file.read_text())
    shape = {"class_name": "__tuple__", "items": [None, 4]}
    told["config"]["layers"][0]["config"].pop("batch_shape", None)
    told["config"]["layers"][0]["config"]["batch_input_shape"] = shape
    kind = told["training_config"]["optimizer_config"]
    kind["class_name"] = f"Custom>{kind['class_name']}"
    layer = wire.field(2, 1) + wire.field(3, b"root.layer-0")
    root = wire.field(3, b"root") + wire.field(4, b"_tf_keras_sequential")
    root += wire.field(5, json.dumps(told).encode())
    data = wire.field(1, layer) + wire.field(1, root)
    (folder / "keras_metadata.pb").write_bytes(data)
    file.unlink()


def test_what_tensorflow_says_of_models_is_read(tmp_path: Path) -> None:
    model = _trained(_chain(input_shape=(4,)))
    model.save(tmp_path / "model")
    _as_tensorflow_says_it(tmp_path / "model")
    again = keras.models.load_model(tmp_path / "model")
    assert type(again).__name__ == "Sequential"
    assert type(again.optimizer).__name__ == "Adam"
    np.testing.assert_array_equal(again(ROWS).numpy(), model(ROWS).numpy())


def test_folders_that_say_nothing_give_what_they_hold(tmp_path: Path) -> None:
    model = _trained(_graph())
    model.export(tmp_path / "model")
    again = keras.models.load_model(tmp_path / "model")
    assert isinstance(again, SavedModel)
    np.testing.assert_array_equal(again(ROWS).numpy(), model(ROWS).numpy())


def test_damaged_descriptions_are_refused(tmp_path: Path) -> None:
    _trained(_graph()).save(tmp_path / "model")
    (tmp_path / "model" / "assets.extra" / "keras_model.json").write_text("{")
    with pytest.raises(tf.errors.DataLossError, match="damaged"):
        keras.models.load_model(tmp_path / "model")
