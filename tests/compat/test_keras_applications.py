"""tf.keras.applications without trained weights. Counts are those of TensorFlow 2.21."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.core.errors import (
    InvalidArgumentError,
    NotFoundError,
    UnavailableError,
)
from tensorlite.data import fetching

keras: Any = tf.keras
nets = keras.applications


COUNTS = {
    "VGG16": (14714688, 19),
    "VGG19": (20024384, 22),
    "ResNet50": (23587712, 175),
    "MobileNet": (3228864, 86),
    "MobileNetV2": (2257984, 154),
    "DenseNet121": (7037504, 427),
    "InceptionV3": (21802784, 311),
    "Xception": (20861480, 132),
    "ResNet50V2": (23564800, 190),
    "MobileNetV3Small": (939120, 157),
    "EfficientNetB0": (4049571, 237),
}
LARGER = {
    "NASNetMobile": (4269716, 769),
    "InceptionResNetV2": (54336736, 780),
    "MobileNetV3Large": (2996352, 187),
    "EfficientNetV2B0": (5919312, 270),
    "ConvNeXtTiny": (27820128, 133),
}


@pytest.mark.parametrize("name", COUNTS)
def test_models_have_the_parameters_of_tensorflows(name: str) -> None:
    model = getattr(nets, name)(
        weights=None, include_top=False, input_shape=(96, 96, 3)
    )
    assert (model.count_params(), len(model.layers)) == COUNTS[name]


def test_models_end_in_classes_or_in_means() -> None:
    given = {"weights": None, "input_shape": (32, 32, 3)}
    model = nets.MobileNetV2(alpha=0.35, classes=5, **given)
    shares = model.predict(np.zeros((1, 32, 32, 3), np.float32), verbose=0)
    assert shares.shape == (1, 5)
    assert abs(shares.sum() - 1) < 1e-5
    assert nets.VGG16(include_top=False, pooling="avg", **given).output.shape == (
        None,
        512,
    )


def test_layers_stand_in_keras_order() -> None:
    model = nets.ResNet50(weights=None, include_top=False, input_shape=(32, 32, 3))
    names = [layer.name for layer in model.layers]
    first, side = (names.index(f"conv2_block1_{i}_conv") for i in (1, 0))
    assert first < side  # the longer way begins earlier
    assert names[-1] == "conv5_block3_out"


def test_pixels_are_brought_into_the_range_of_a_model() -> None:
    x = np.full((1, 2, 2, 3), 255.0, np.float32)
    np.testing.assert_allclose(nets.mobilenet.preprocess_input(x), np.ones_like(x))
    shifted = nets.vgg16.preprocess_input(x)[0, 0, 0]
    np.testing.assert_allclose(shifted, [151.061, 138.221, 131.32], rtol=1e-5)
    first = nets.densenet.preprocess_input(x.transpose(0, 3, 1, 2), "channels_first")
    np.testing.assert_allclose(
        first[0, :, 0, 0],
        (1 - np.array([0.485, 0.456, 0.406])) / [0.229, 0.224, 0.225],
        rtol=1e-5,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGER)
def test_larger_models_have_the_parameters_of_tensorflows(name: str) -> None:
    given = {"weights": None, "include_top": False, "input_shape": (96, 96, 3)}
    model = getattr(nets, name)(**given)
    assert (model.count_params(), len(model.layers)) == LARGER[name]


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of Keras' in which nothing is, on a machine that reaches nothing."""

    def unreached(address: str, target: Path) -> None:
        raise UnavailableError(f"{address} cannot be fetched")

    monkeypatch.setattr(fetching, "fetch", unreached)
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    (tmp_path / "models").mkdir()
    return tmp_path / "models"


def test_trained_weights_are_those_in_keras_folder(home: Path) -> None:
    given = {"include_top": False, "input_shape": (32, 32, 3), "pooling": "avg"}
    first = nets.MobileNetV3Small(weights=None, **given)
    first.save_weights(home / "weights_mobilenet_v3_small_224_1.0_float_no_top_v2.h5")
    second = nets.MobileNetV3Small(**given)
    x = np.ones((1, 32, 32, 3), np.float32)
    np.testing.assert_allclose(second(x).numpy(), first(x).numpy())


def test_classes_are_named_by_keras_file(home: Path) -> None:
    names = {str(i): [f"n{i}", f"class {i}"] for i in range(1000)}
    (home / "imagenet_class_index.json").write_text(json.dumps(names))
    shares = np.zeros((1, 1000), np.float32)
    shares[0, [7, 3]] = 0.75, 0.25
    assert nets.vgg16.decode_predictions(shares, top=2) == [
        [("n7", "class 7", 0.75), ("n3", "class 3", 0.25)]
    ]
    with pytest.raises(InvalidArgumentError, match="samples, 1000"):
        nets.vgg16.decode_predictions(np.zeros((1, 10)))


def test_what_is_not_there_is_said(home: Path) -> None:
    with pytest.raises(NotFoundError, match="no trained weights"):
        nets.ResNet50()
    with pytest.raises(NotFoundError, match="not served"):
        nets.AlexNet(weights=None)
    with pytest.raises(InvalidArgumentError, match="no arguments"):
        nets.VGG16(weights=None, depth=3)
    with pytest.raises(InvalidArgumentError, match="1000 classes"):
        nets.VGG16(classes=3)
    with pytest.raises(NotFoundError, match="ImageNet"):
        nets.vgg16.decode_predictions(np.zeros((1, 1000)))
