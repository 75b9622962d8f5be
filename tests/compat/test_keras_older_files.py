"""tf.keras: HDF5 files of Keras 2. Descriptions are those that TensorFlow 1.15 wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.compat.v2.keras.src.saving import archives
from tensorlite.core.errors import InvalidArgumentError

h5py = archives.hdf5()
keras: Any = tf.keras
layers = keras.layers

GLOROT = {"class_name": "GlorotUniform", "config": {"seed": None, "dtype": "float32"}}


def dense(name: str, units: int, **more: Any) -> dict[str, Any]:
    config = {"name": name, "trainable": True, "dtype": "float32", "units": units}
    given = {"activation": "linear", "use_bias": True, "kernel_initializer": GLOROT}
    return {"class_name": "Dense", "config": {**config, **given, **more}}


def written(
    path: Path, config: Any, groups: dict[str, Any], trained: Any = None
) -> None:
    """Write a file as TensorFlow 1.15 does."""
    with h5py.File(path, "w") as file:
        file.attrs["keras_version"], file.attrs["backend"] = (
            b"2.2.4-tf",
            b"tensorflow",
        )
        file.attrs["model_config"] = json.dumps(config).encode()
        inside = file.create_group("model_weights")
        inside.attrs["layer_names"] = [name.encode() for name in groups]
        for name, weights in groups.items():
            group = inside.create_group(name)
            group.attrs["weight_names"] = [x.encode() for x in weights]
            for key, value in weights.items():
                group[key] = value
        if trained is not None:
            file.attrs["training_config"] = json.dumps(trained[0]).encode()
            group = file.create_group("optimizer_weights")
            group.attrs["weight_names"] = [x.encode() for x in trained[1]]
            for key, value in trained[1].items():
                group[key] = value


def drawn(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


KERNEL, BIAS = drawn(4, 3, seed=1), drawn(3, seed=2)
WEIGHTS = {"d": {"d/kernel:0": KERNEL, "d/bias:0": BIAS}}
X = drawn(5, 4)


def test_models_and_states_of_optimizers_of_tensorflow_1_are_read(
    tmp_path: Path,
) -> None:
    line = [dense("d", 3, batch_input_shape=[None, 4])]
    config = {"class_name": "Sequential", "config": {"name": "s", "layers": line}}
    adam = {"name": "Adam", "learning_rate": 0.01, "decay": 0.0, "epsilon": 1e-07}
    compiled = {
        "optimizer_config": {"class_name": "Adam", "config": adam},
        "loss": "mse",
        "metrics": ["mae"],
        "sample_weight_mode": None,
    }
    slots = {
        "training/Adam/iter:0": np.int64(7),
        "training/Adam/d/kernel/m:0": np.full((4, 3), 0.1, np.float32),
        "training/Adam/d/bias/m:0": np.full(3, 0.2, np.float32),
        "training/Adam/d/kernel/v:0": np.full((4, 3), 0.3, np.float32),
        "training/Adam/d/bias/v:0": np.full(3, 0.4, np.float32),
    }
    written(tmp_path / "m.h5", config, WEIGHTS, (compiled, slots))
    model = keras.models.load_model(tmp_path / "m.h5")
    np.testing.assert_allclose(
        model.predict(X, verbose=0), X @ KERNEL + BIAS, rtol=1e-4, atol=1e-6
    )
    held = model.optimizer
    assert int(held.iterations) == 7
    assert abs(float(held.learning_rate) - 0.01) < 1e-7
    found = {
        name: float(slot.numpy().ravel()[0]) for _, name, slot in held.saved_slots()
    }
    assert found == pytest.approx({"m": 0.2, "v": 0.4})
    assert len(model.evaluate(X, drawn(5, 3), verbose=0)) == 2
    assert not keras.models.load_model(tmp_path / "m.h5", compile=False).optimizer


def test_calls_of_models_in_models_are_counted_as_tensorflow_1_does(
    tmp_path: Path,
) -> None:
    inner = {"name": "inner", "layers": [dense("d", 3, batch_input_shape=[None, 4])]}
    shape = {"batch_input_shape": [None, 4], "dtype": "float32", "name": "x"}
    relu = {"name": "r", "trainable": True, "dtype": "float32", "activation": "relu"}
    config = {
        "name": "m",
        "layers": [
            {
                "name": "x",
                "class_name": "InputLayer",
                "config": shape,
                "inbound_nodes": [],
            },
            {
                "name": "inner",
                "class_name": "Sequential",
                "config": inner,
                "inbound_nodes": [[["x", 0, 0, {}]]],
            },
            {
                "name": "r",
                "class_name": "Activation",
                "config": relu,
                "inbound_nodes": [[["inner", 1, 0, {}]]],
            },
        ],
        "input_layers": [["x", 0, 0]],
        "output_layers": [["r", 0, 0]],
    }
    groups = {"x": {}, "inner": WEIGHTS["d"], "r": {}}
    written(tmp_path / "m.h5", {"class_name": "Model", "config": config}, groups)
    model = keras.models.load_model(tmp_path / "m.h5")
    want = np.maximum(X @ KERNEL + BIAS, 0)
    np.testing.assert_allclose(
        model.predict(X, verbose=0), want, rtol=1e-4, atol=1e-6
    )


def test_functions_that_have_changed_are_those_of_the_file(tmp_path: Path) -> None:
    line = [dense("d", 3, activation="hard_sigmoid", batch_input_shape=[None, 4])]
    config = {"class_name": "Sequential", "config": {"name": "s", "layers": line}}
    written(tmp_path / "m.h5", config, WEIGHTS)
    model = keras.models.load_model(tmp_path / "m.h5")
    want = np.clip(0.2 * (X @ KERNEL + BIAS) + 0.5, 0, 1)
    np.testing.assert_allclose(
        model.predict(X, verbose=0), want, rtol=1e-4, atol=1e-6
    )


def sequence() -> Any:
    return keras.Sequential(
        [
            keras.Input((5,), dtype="int32"),
            layers.Embedding(10, 6),
            layers.Bidirectional(layers.LSTM(4, return_sequences=True)),
            layers.TimeDistributed(layers.Dense(3, kernel_initializer="he_normal")),
            layers.GRU(3, reset_after=False),
            layers.BatchNormalization(),
            layers.Dense(2, kernel_regularizer="l2"),
        ]
    )


def joined() -> Any:
    a = keras.Input((4,), name="a")
    b = layers.Dense(5)(a)
    both = layers.Concatenate()([a, b])
    inner = keras.Sequential([keras.Input((9,)), layers.Dense(2)])
    return keras.Model(a, layers.Add()([layers.Dense(2)(both), inner(both)]))


NUMBERS = np.random.default_rng(0).integers(0, 10, (6, 5))


@pytest.mark.parametrize(("make", "x"), [(sequence, NUMBERS), (joined, drawn(6, 4))])
def test_models_go_on_from_files_as_they_would_have(
    make: Any, x: Any, tmp_path: Path
) -> None:
    model, y = make(), np.ones((6, 2), np.float32)
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(x, y, verbose=0)
    model.save(tmp_path / "m.h5")
    again = keras.models.load_model(tmp_path / "m.h5")
    for one in (model, again):
        one.fit(x, y, verbose=0, shuffle=False)
    np.testing.assert_allclose(
        again.predict(x, verbose=0), model.predict(x, verbose=0), rtol=1e-4, atol=1e-5
    )
    model.save_weights(tmp_path / "w.h5")
    other = make()
    other.load_weights(tmp_path / "w.h5")
    np.testing.assert_allclose(
        other(x).numpy(), model(x).numpy(), rtol=1e-4, atol=1e-5
    )


def test_weights_are_taken_by_the_names_of_layers(tmp_path: Path) -> None:
    first = keras.Sequential(
        [keras.Input((4,)), layers.Dense(3, name="d"), layers.Dense(2, name="e")]
    )
    first.save_weights(tmp_path / "w.h5")
    other = keras.Sequential(
        [keras.Input((4,)), layers.Dense(3, name="d"), layers.Dense(5, name="e")]
    )
    with pytest.raises(InvalidArgumentError, match="the layer e has weights"):
        other.load_weights(tmp_path / "w.h5", by_name=True)
    other.load_weights(tmp_path / "w.h5", by_name=True, skip_mismatch=True)
    np.testing.assert_allclose(other.get_weights()[0], first.get_weights()[0])
    fewer = keras.Sequential([keras.Input((4,)), layers.Dense(3)])
    with pytest.raises(InvalidArgumentError, match="1 layers with weights"):
        fewer.load_weights(tmp_path / "w.h5")
    with pytest.raises(InvalidArgumentError, match="no description"):
        keras.models.load_model(tmp_path / "w.h5")
    first.save_weights(tmp_path / "w.weights.h5")
    with pytest.raises(InvalidArgumentError, match="by_name"):
        first.load_weights(tmp_path / "w.weights.h5", by_name=True)


def test_classes_of_programs_are_no_description(tmp_path: Path) -> None:
    class Own(keras.Model):  # type: ignore[misc]
        def call(self, inputs: Any) -> Any:
            return inputs

    model = Own()
    model(X)
    with pytest.raises(InvalidArgumentError, match="class of one's own"):
        model.save(tmp_path / "m.h5")
