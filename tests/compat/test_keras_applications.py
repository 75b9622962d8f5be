"""tf.keras.applications without trained weights. Counts are those of TensorFlow 2.21."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.core.errors import InvalidArgumentError, NotFoundError

keras: Any = tf.keras
nets = keras.applications


COUNTS = {
    "VGG16": (14714688, 19),
    "VGG19": (20024384, 22),
    "ResNet50": (23587712, 175),
    "MobileNet": (3228864, 86),
    "MobileNetV2": (2257984, 154),
    "DenseNet121": (7037504, 427),
}


@pytest.mark.parametrize("name", COUNTS)
def test_models_have_the_parameters_of_tensorflows(name: str) -> None:
    model = getattr(nets, name)(
        weights=None, include_top=False, input_shape=(32, 32, 3)
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


def test_what_is_not_there_is_said() -> None:
    with pytest.raises(NotFoundError, match="no trained weights"):
        nets.ResNet50()
    with pytest.raises(NotFoundError, match="not served"):
        nets.EfficientNetB0(weights=None)
    with pytest.raises(InvalidArgumentError, match="no arguments"):
        nets.VGG16(weights=None, depth=3)
    with pytest.raises(NotFoundError, match="ImageNet"):
        nets.vgg16.decode_predictions(np.zeros((1, 1000)))
