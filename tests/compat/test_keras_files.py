"""tf.keras: models and weights in files, descriptions of models, and copies made of them."""

from __future__ import annotations

import operator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.compat.v2.keras.src.saving import archives
from tensorlite.core.errors import InvalidArgumentError, NotFoundError

keras = tf.keras
layers = keras.layers
DATA = Path(__file__).parent / "recorded"
PREDICTED = [[0.026544973254203796]]


def drawn(*shape: int) -> Any:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def functional() -> Any:
    given = keras.Input((4, 6), name="given")
    x = layers.MultiHeadAttention(2, 3)(given, given)
    x = (1.0 - x * 2.0)[:, 1:]
    x = layers.Bidirectional(layers.GRU(3, return_sequences=True))(
        layers.Dropout(0.2)(x)
    )
    x = layers.BatchNormalization()(layers.LSTM(5)(x))
    left = layers.Dense(4, activation="relu", kernel_regularizer="l2")(x)
    x = layers.LayerNormalization()(
        layers.Concatenate()([left, layers.Dense(4)(left)])
    )
    return keras.Model(given, layers.Dense(1, name="result")(x), name="whole")


def images() -> Any:
    return keras.Sequential(
        [
            keras.Input((8, 8, 2)),
            layers.Conv2D(4, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(2),
            layers.SeparableConv2D(3, 3),
            layers.DepthwiseConv2D(2),
            layers.GlobalAveragePooling2D(),
            keras.Sequential([layers.Dense(3), layers.ReLU()]),
            layers.Reshape((3, 1)),
            layers.UpSampling1D(2),
            layers.ZeroPadding1D(1),
        ]
    )


@pytest.mark.parametrize(
    ("make", "x"), [(functional, drawn(3, 4, 6)), (images, drawn(2, 8, 8, 2))]
)
def test_a_model_comes_back_from_an_archive(
    make: Any, x: Any, tmp_path: Path
) -> None:
    model = make()
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(
        again.predict(x, verbose=0), model.predict(x, verbose=0)
    )
    assert [type(y) for y in again.layers] == [type(y) for y in model.layers]


@pytest.mark.parametrize("make", [functional, images])
def test_weights_come_back_from_hdf5(make: Any, tmp_path: Path) -> None:
    model, other = make(), make()
    model.save_weights(tmp_path / "a.weights.h5")
    other.load_weights(tmp_path / "a.weights.h5")
    for x, y in zip(model.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(x, y)


def test_training_goes_on_after_loading(tmp_path: Path) -> None:
    x, y = drawn(8, 4), drawn(8, 1)
    model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
    model.compile(keras.optimizers.Adam(0.1), loss="mse", metrics=["mae"])
    model.fit(x, y, shuffle=False, verbose=0)
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    for one in (model, again):
        one.fit(x, y, shuffle=False, verbose=0)
    assert int(again.optimizer.iterations.numpy()) == 2
    for a, b in zip(model.get_weights(), again.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    assert set(again.evaluate(x, y, verbose=0, return_dict=True)) == {"loss", "mae"}


@keras.utils.register_keras_serializable("tests")
class Blocks(keras.Model):
    """A model of one's own, whose inputs are known by a call only."""

    def __init__(self, units: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.first = layers.Dense(units)
        self.blocks = [layers.Dense(3), layers.Dense(1)]

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        x = self.first(inputs)
        for block in self.blocks:
            x = block(x)
        return x


def test_a_model_of_a_class_of_ones_own_comes_back(tmp_path: Path) -> None:
    model = Blocks(5)
    want = model(drawn(2, 3)).numpy()
    model.save(tmp_path / "own.keras")
    again = keras.models.load_model(tmp_path / "own.keras")
    assert again.first.units == 5
    np.testing.assert_allclose(again(drawn(2, 3)).numpy(), want)


def test_weights_lie_where_keras_has_them(tmp_path: Path) -> None:
    model = Blocks()
    model(drawn(2, 3))
    model.save_weights(tmp_path / "own.weights.h5")
    found: list[str] = []
    with archives.hdf5().File(tmp_path / "own.weights.h5") as file:
        file.visititems(
            lambda name, x: found.append(name) if hasattr(x, "shape") else None
        )
    assert found == [
        f"{place}/vars/{i}"
        for place in ("blocks/dense", "blocks/dense_1", "first")
        for i in (0, 1)
    ]


def test_an_archive_of_keras_itself_is_read() -> None:
    # Made by Keras 3.15: Sequential([Input((5,)), Embedding(10, 3), TimeDistributed(Dense(2)),
    # Flatten(), Dense(1)]), saved, with what it predicts of [[1, 2, 0, 4, 5]].
    model = keras.models.load_model(DATA / "keras3.keras")
    found = model.predict(np.array([[1, 2, 0, 4, 5]]), verbose=0)
    np.testing.assert_allclose(found, PREDICTED, rtol=1e-5)


def test_models_are_described_and_copied() -> None:
    model, x = functional(), drawn(3, 4, 6)
    want = model.predict(x, verbose=0)
    for again in (
        keras.models.clone_model(model),
        keras.models.model_from_json(model.to_json()),
        keras.Model.from_config(model.get_config()),
    ):
        again.set_weights(model.get_weights())
        np.testing.assert_allclose(again.predict(x, verbose=0), want, rtol=1e-5)
        assert again.get_layer("result").units == 1


def test_layers_tell_what_they_were_made_with() -> None:
    layer = layers.Conv2D(
        4, 3, strides=2, activation="relu", kernel_regularizer="l2", name="c"
    )
    config = layer.get_config()
    assert (config["filters"], config["activation"]) == (4, "relu")
    assert config["strides"] == (2, 2)
    assert config["kernel_regularizer"]["config"] == {"l2": pytest.approx(0.01)}
    again = layers.Conv2D.from_config(config)
    assert again.name == "c"
    assert again.kernel_regularizer.l2 == pytest.approx(0.01)


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((2,)), layers.Lambda(operator.neg)])
    assert keras.models.clone_model(model).predict(drawn(1, 2), verbose=0).shape == (
        1,
        2,
    )
    with pytest.raises(InvalidArgumentError, match="register_keras_serializable"):
        model.save(tmp_path / "lambda.keras")
    with pytest.raises(NotFoundError, match="no such file"):
        keras.models.load_model(tmp_path / "nothing.keras")
    with pytest.raises(InvalidArgumentError, match="register_keras_serializable"):
        model.save(tmp_path / "lambda.h5")
    model.save(tmp_path / "served")


def test_calls_are_described_as_keras_has_them() -> None:
    described = {x["class_name"]: x for x in functional().get_config()["layers"]}
    call = described["MultiHeadAttention"]["inbound_nodes"][0]
    assert [x["config"]["keras_history"] for x in call["args"]] == [
        ["given", 0, 0]
    ] * 2
    taken = described["Subtract"]["inbound_nodes"][0]["args"]
    assert taken[0] == 1.0
    assert taken[1]["class_name"] == "__keras_tensor__"


def test_models_that_were_only_called_are_saved(tmp_path: Path) -> None:
    model = tf.keras.Sequential(
        [tf.keras.layers.Flatten(), tf.keras.layers.Dense(3, activation="softmax")]
    )
    model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
    x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(4, 3, 2)
    model.fit(x, np.array([0, 1, 2, 0]), batch_size=2, verbose=0)
    tf.saved_model.save(model, str(tmp_path / "one"))
    loaded = tf.saved_model.load(str(tmp_path / "one"))
    np.testing.assert_allclose(loaded(x), model(x), rtol=1e-6)
    assert list(loaded.signatures) == ["serving_default"]


def test_models_that_were_never_called_are_not(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
    with pytest.raises(InvalidArgumentError, match="call it once"):
        model.export(str(tmp_path / "one"))


@pytest.mark.parametrize(
    ("make", "argument", "said"),
    [
        (
            lambda: layers.Conv2DTranspose(2, 3, kernel_regularizer="l2"),
            "kernel_size",
            (3, 3),
        ),
        (lambda: layers.DepthwiseConv1D(3, activation="relu"), "strides", (1,)),
        (
            lambda: layers.SeparableConv2D(2, 3, depthwise_constraint="unitnorm"),
            "groups",
            None,
        ),
        (layers.MaxPooling2D, "strides", (2, 2)),
        (lambda: layers.ZeroPadding1D(1), "padding", (1, 1)),
        (lambda: layers.Cropping2D(1), "cropping", ((1, 1), (1, 1))),
        (layers.Flatten, "data_format", "channels_last"),
        (
            lambda: layers.LSTM(2, dropout=0.5, kernel_regularizer="l1"),
            "dropout",
            0.5,
        ),
        (lambda: layers.GRUCell(2, recurrent_dropout=0.5), "recurrent_dropout", 0.5),
        (
            lambda: layers.BatchNormalization(gamma_constraint="nonneg"),
            "momentum",
            0.99,
        ),
        (lambda: layers.LayerNormalization(beta_regularizer="l2"), "epsilon", 1e-3),
        (
            lambda: layers.MultiHeadAttention(2, 3, kernel_regularizer="l2"),
            "value_dim",
            3,
        ),
        (lambda: layers.ReLU(max_value=6.0), "max_value", 6.0),
        (lambda: layers.PReLU(shared_axes=[1]), "shared_axes", [1]),
    ],
)
def test_descriptions_have_all_arguments_and_make_the_layer_again(
    make: Any, argument: str, said: Any
) -> None:
    layer = make()
    config = layer.get_config()
    assert config.get(argument) == said
    again = type(layer).from_config(config).get_config()
    assert again == config


def softplus_of_a_program(x: Any) -> Any:
    return tf.math.log(tf.exp(x) + 1.0)


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
def test_a_programs_functions_are_told_by_name(tmp_path: Path, suffix: str) -> None:
    def cubed(y: Any, guess: Any) -> Any:
        return tf.abs(y - guess) ** 3

    layers = [
        tf.keras.layers.Input((2,)),
        tf.keras.layers.Dense(3, activation=softplus_of_a_program),
    ]
    model = tf.keras.Sequential(layers)
    model.compile(loss=cubed)
    x, y = np.ones((4, 2), np.float32), np.ones((4, 3), np.float32)
    file = str(tmp_path / f"model{suffix}")
    model.save(file)
    with pytest.raises(ValueError, match="softplus_of_a_program"):
        tf.keras.models.load_model(file)
    known = {"softplus_of_a_program": softplus_of_a_program, "cubed": cubed}
    again = tf.keras.models.load_model(file, custom_objects=known)
    have, want = (m.evaluate(x, y, verbose=0) for m in (again, model))
    np.testing.assert_allclose(have, want, rtol=1e-6)
    told = model.layers[0].get_config()["activation"]
    assert told == {
        "module": "builtins",
        "class_name": "function",
        "config": "softplus_of_a_program",
        "registered_name": "function",
    }


def with_lambdas() -> Any:
    scale = 3.0
    return keras.Sequential(
        [
            keras.Input((2,)),
            layers.Lambda(lambda x, by=2.0: tf.stack([x * by, x * scale], axis=-1)),
            layers.Dense(1, kernel_initializer=lambda shape, dtype: tf.ones(shape)),
        ]
    )


def test_lambdas_in_a_file_run_where_a_program_trusts_it(tmp_path: Path) -> None:
    model, path = with_lambdas(), str(tmp_path / "model.keras")
    model.save(path)
    with pytest.raises(InvalidArgumentError, match="safe_mode=False"):
        keras.models.load_model(path)
    again = keras.models.load_model(path, {"tf": tf}, safe_mode=False)
    np.testing.assert_array_equal(again(np.ones((1, 2), "f")), [[[5.0], [5.0]]])


def test_a_lambda_that_another_python_wrote_is_told_from_damage() -> None:
    code = {"code": "AAAA", "defaults": None, "closure": None}
    config = {"class_name": "__lambda__", "config": code}
    with pytest.raises(InvalidArgumentError, match="another version of Python"):
        keras.utils.deserialize_keras_object(config, safe_mode=False)


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
def test_losses_and_metrics_given_as_functions_come_back(
    tmp_path: Path, suffix: str
) -> None:
    model = keras.Sequential(
        [keras.Input((3,)), keras.layers.Dense(1, activation="sigmoid")]
    )
    losses, metrics = keras.losses, keras.metrics
    model.compile("sgd", losses.binary_crossentropy, [metrics.binary_accuracy])
    x, y = np.ones((4, 3), np.float32), np.array([0, 1, 1, 1])
    wanted = model.evaluate(x, y, verbose=0)
    model.save(tmp_path / f"model{suffix}")
    again = keras.models.load_model(tmp_path / f"model{suffix}")
    np.testing.assert_allclose(again.evaluate(x, y, verbose=0), wanted, rtol=1e-6)


class _Remembering(keras.layers.Dense):
    """A layer that keeps an array beside its weights."""

    noted: Any = np.zeros(2)

    def save_own_variables(self, store: Any) -> None:
        super().save_own_variables(store)
        store["noted"] = self.noted

    def load_own_variables(self, store: Any) -> None:
        self.noted = store["noted"][...]
        super().load_own_variables({key: store[key] for key in ("0", "1")})


def test_layers_of_programs_say_what_is_stored_of_them(tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((3,)), _Remembering(2)])
    model.layers[0].noted = np.arange(2.0)
    path = str(tmp_path / "model.keras")
    model.save(path)
    again = keras.models.load_model(path, {"_Remembering": _Remembering})
    np.testing.assert_array_equal(again.layers[0].noted, [0.0, 1.0])
    x = np.ones((1, 3), np.float32)
    np.testing.assert_array_equal(again(x), model(x))
    model.save_weights(str(tmp_path / "a.weights.h5"))
    model.layers[0].noted = np.zeros(2)
    keras.saving.load_weights(model, str(tmp_path / "a.weights.h5"))
    np.testing.assert_array_equal(model.layers[0].noted, [0.0, 1.0])


def test_weights_of_bfloat16_are_stored(tmp_path: Path) -> None:
    path = str(tmp_path / "a.weights.h5")
    layers = keras.layers
    first = keras.Sequential([keras.Input((3,)), layers.Dense(2, dtype="bfloat16")])
    second = keras.Sequential([keras.Input((3,)), layers.Dense(2)])
    first.save_weights(path)
    second.load_weights(path)
    for x, y in zip(first.get_weights(), second.get_weights(), strict=True):
        np.testing.assert_array_equal(x.astype(np.float32), y)


def test_layers_of_other_shapes_are_left_out_if_so_wanted(tmp_path: Path) -> None:
    def made(units: int) -> Any:
        layers = [keras.layers.Dense(2), keras.layers.Dense(units)]
        return keras.Sequential([keras.Input((3,)), *layers])

    path = str(tmp_path / "a.weights.h5")
    first, second = made(4), made(5)
    first.save_weights(path)
    with pytest.raises(ValueError, match="must match"):
        second.load_weights(path)
    with pytest.warns(UserWarning, match="was not loaded"):
        second.load_weights(path, skip_mismatch=True)
    np.testing.assert_array_equal(second.get_weights()[0], first.get_weights()[0])
