"""What Keras' objects of version 1 tell of themselves: what TensorFlow 1.15 does (recorded)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

keras: Any = tf.keras
layers = keras.layers
RECORDED = Path(__file__).with_name("recorded") / "keras_configs.jsonl"
TOLD = [json.loads(line) for line in RECORDED.read_text().splitlines()]


def _made(expression: str) -> Any:
    keras.backend.clear_session()
    return eval(expression, {"tf": tf, "keras": keras, "layers": layers})  # noqa: S307  of the file


@pytest.mark.parametrize(("expression", "expected"), TOLD, ids=[x for x, _ in TOLD])
def test_configurations_are_those_of_tensorflow_1(
    expression: str, expected: Any
) -> None:
    found = _made(expression).get_config()
    assert json.loads(json.dumps(found, default=dict)) == expected


@pytest.mark.parametrize(
    "expression", [x for x, _ in TOLD if x.startswith(("layers", "keras.Seq", "(l"))]
)
def test_what_is_told_makes_the_same_again(expression: str) -> None:
    made = _made(expression)
    again = type(made).from_config(made.get_config())
    assert again.get_config() == made.get_config()


def test_configurations_of_keras_3_are_taken_as_well() -> None:
    policy = {"module": "keras", "class_name": "DTypePolicy", "registered_name": None}
    config = {
        "name": "seen",
        "trainable": True,
        "dtype": {**policy, "config": {"name": "float64"}},
        "units": 3,
        "kernel_initializer": {
            "module": "keras.initializers",
            "class_name": "HeNormal",
            "config": {"seed": 5, "input_axes": None, "output_axes": None},
            "registered_name": None,
        },
    }
    layer = layers.Dense.from_config(config)
    assert (layer.units, layer.dtype, layer.kernel_initializer.seed) == (
        3,
        "float64",
        5,
    )


@pytest.mark.parametrize("name", ["BatchNormalizationV1", "BatchNormalizationV2"])
def test_layers_are_found_by_the_names_of_tensorflow_1_13(name: str) -> None:
    made = layers.deserialize({"class_name": name, "config": {"momentum": 0.5}})
    assert type(made) is layers.BatchNormalization
    assert made.momentum == 0.5
    assert layers.serialize(made)["class_name"] == "BatchNormalization"


def test_losses_are_those_of_results_then_those_of_weights() -> None:
    x = keras.Input((4,))
    y = layers.Dense(3, activity_regularizer="l1", bias_regularizer="l1", name="d1")(
        x
    )
    model = keras.Model(x, layers.Dense(2, kernel_regularizer="l2", name="d2")(y))
    model.add_loss(tf.reduce_mean(model.output))
    assert [x.name for x in model.losses] == [
        "d1/ActivityRegularizer/truediv:0",
        "d1/bias/Regularizer/add:0",
        "d2/kernel/Regularizer/add:0",
        "Mean:0",
    ]


def test_yaml_describes_models_and_runs_no_code() -> None:
    x = keras.Input((4,))
    y = layers.Dense(3, activation="relu", kernel_initializer="he_normal")(x)
    model = keras.Model(x, layers.Concatenate()([x, y]))
    again = keras.models.model_from_yaml(model.to_yaml())
    assert again.get_config() == model.get_config()
    with pytest.raises(ValueError, match="model_from_yaml"):
        keras.models.model_from_yaml("!!python/object/apply:os.getcwd []")


def test_layers_take_the_dtype_of_their_first_inputs() -> None:
    inputs = tf.ones((2, 3), tf.float64)
    layer = layers.Dense(2)
    assert layer(inputs).dtype == layer.kernel.dtype == tf.float64
    assert layer.get_config()["dtype"] == layer.dtype == "float64"
    assert layers.BatchNormalization()(inputs).dtype == tf.float64
    assert layers.Dropout(0.5)(inputs).dtype == tf.float64
    assert layers.Dense(2, dtype="float32")(inputs).dtype == tf.float32


def test_lambdas_are_code_that_runs_only_where_it_is_asked_for() -> None:
    def doubled(x: Any) -> Any:
        return x * 2.0

    config = layers.Lambda(lambda x: x + 1.0, name="more").get_config()
    assert config["function_type"] == "lambda"
    with pytest.raises(ValueError, match="is code, which may do anything"):
        layers.Lambda.from_config(dict(config))
    made = layers.Lambda.from_config(dict(config), safe_mode=False)
    model = keras.Sequential([keras.Input((2,)), made])
    np.testing.assert_array_equal(model.predict(np.ones((1, 2))), [[2.0, 2.0]])
    config = layers.Lambda(doubled, arguments={}).get_config()
    assert (config["function"], config["function_type"]) == ("doubled", "function")
    with pytest.raises(ValueError, match="doubled"):
        layers.Lambda.from_config(dict(config))
    made = layers.Lambda.from_config(dict(config), {"doubled": doubled})
    assert made.function is doubled


def test_lambdas_in_files_are_read_if_they_are_trusted(tmp_path: Path) -> None:
    model = keras.Sequential([layers.Lambda(lambda x: x + 1.0, input_shape=(2,))])
    path = str(tmp_path / "model.h5")
    model.save(path)
    with pytest.raises(ValueError, match="safe_mode=False"):
        keras.models.load_model(path)
    again = keras.models.load_model(path, safe_mode=False)
    np.testing.assert_array_equal(again.predict(np.ones((1, 2))), [[2.0, 2.0]])
    with pytest.raises(ValueError, match="is code"):
        keras.models.model_from_json(model.to_json())


def test_code_of_another_python_is_refused() -> None:
    code = (
        "4wEAAAAAAAAAAQAAAAIAAABTAAAAcwgAAAB8AGQBFABTACkC\n"  # Python 3.7's, cut off
    )
    config = {
        **layers.Lambda(lambda x: x).get_config(),
        "function": (code, None, None),
    }
    with pytest.raises(ValueError, match="another version of Python's"):
        layers.Lambda.from_config(config, safe_mode=False)
