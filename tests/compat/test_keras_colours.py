"""Keras' layers that change colours and mix images: what is drawn is given, or bounded.

Expected numbers are what TensorFlow 2.21's Keras gives, or NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

layers: Any = tf.keras.layers
ops: Any = tf.keras.ops
SHARES = np.array([0.3, 0.1, 0.2, 0.5], "float32")


def images() -> Any:
    return np.random.RandomState(0).randint(0, 255, (4, 6, 8, 3)).astype("float32")


EACH = {
    "hue": lambda: layers.RandomHue(0.5, seed=3),
    "saturation": lambda: layers.RandomSaturation(0.5, seed=3),
    "sharpness": lambda: layers.RandomSharpness(0.5, seed=3),
    "posterization": lambda: layers.RandomPosterization(3, seed=1),
    "invert": lambda: layers.RandomInvert(seed=1),
    "grayscale": lambda: layers.RandomGrayscale(1.0, seed=1),
    "blur": lambda: layers.RandomGaussianBlur(seed=1),
    "solarization": lambda: layers.Solarization(0.3, 0.3, seed=1),
    "jitter": lambda: layers.RandomColorJitter(
        brightness_factor=0.2, contrast_factor=0.3, hue_factor=0.1, seed=1
    ),
    "erasing": lambda: layers.RandomErasing(fill_value=7, seed=1),
    "shear": lambda: layers.RandomShear(0.3, 0.2, seed=2),
    "perspective": lambda: layers.RandomPerspective(1.0, 0.4, seed=2),
    "mix up": lambda: layers.MixUp(0.8, seed=1),
    "cut mix": lambda: layers.CutMix(seed=1),
    "rand augment": lambda: layers.RandAugment(seed=1),
    "aug mix": lambda: layers.AugMix(seed=1),
}


@pytest.mark.parametrize("make", EACH.values(), ids=EACH.keys())
def test_images_change_in_training_only_and_as_a_dataset_maps_them(make: Any) -> None:
    layer, x = make(), images()
    changed = layer(x, training=True).numpy()
    assert changed.shape == x.shape
    assert changed.min() >= -1e-3
    assert changed.max() <= 255.001
    assert np.abs(changed - x).max() > 1
    np.testing.assert_array_equal(layer(x, training=False), x)
    rows = tf.data.Dataset.from_tensor_slices((x, np.eye(4, dtype="float32")))
    told = rows.batch(4).map(
        lambda a, b: layer({"images": a, "labels": b}, training=True)
    )
    made = next(iter(told))
    assert made["images"].shape == x.shape
    np.testing.assert_allclose(
        tf.reduce_sum(made["labels"], 1), np.ones(4), rtol=1e-6
    )


def first(layer: Any, **drawn: Any) -> list[float]:
    told = {key: tf.constant(value) for key, value in drawn.items()}
    made = layer.transform_images(tf.constant(images()), told).numpy()
    return np.round(made.ravel()[:6], 2).tolist()  # type: ignore[no-any-return]


FIXED = [
    (
        lambda: layers.RandomHue(0.2),
        {"factor": np.array([0.3, -0.1, 0.2, 0.5], "float32")},
        [142.0, 172.0, 47.0, 251.0, 155.2, 67.0],
    ),
    (
        lambda: layers.RandomSaturation((0.3, 0.5)),
        {"factor": SHARES * 2},
        [172.0, 97.0, 139.0, 215.6, 140.6, 251.0],
    ),
    (
        lambda: layers.RandomSharpness((0.5, 0.9)),
        {"factor": SHARES},
        [139.05, 42.35, 103.22, 159.78, 64.54, 203.92],
    ),
    (
        lambda: layers.RandomPosterization((2, 5)),
        {"shift_factor": np.array([3, 4, 5, 6], "uint8")},
        [168.0, 40.0, 112.0, 192.0, 64.0, 248.0],
    ),
    (
        layers.RandomInvert,
        {"apply_inversion": np.array([True, False, True, True])},
        [83.0, 208.0, 138.0, 63.0, 188.0, 4.0],
    ),
    (
        layers.RandomGaussianBlur,
        {
            "should_apply_blur": np.array([True, False, True, True]),
            "blur_factor": np.array([0.5, 0.8], "float32"),
        },
        [98.52, 40.23, 94.89, 106.45, 56.18, 130.79],
    ),
    (
        lambda: layers.Solarization(0.3, 0.3),
        {"additions": SHARES * 20, "thresholds": SHARES * 200},
        [77.0, 53.0, 132.0, 57.0, 182.0, 0.0],
    ),
    (
        layers.MixUp,
        {"mix_weight": SHARES, "permutation_order": np.array([1, 0, 3, 2])},
        [195.1, 92.5, 196.8, 161.9, 160.8, 164.2],
    ),
]


@pytest.mark.parametrize(("make", "drawn", "expected"), FIXED)
def test_colours_change_as_was_drawn(make: Any, drawn: Any, expected: Any) -> None:
    told = {key: tf.constant(value) for key, value in drawn.items()}
    made = make().transform_images(tf.constant(images()), told).numpy()
    np.testing.assert_allclose(made.ravel()[:6], expected, atol=0.006)


def test_as_many_boxes_as_are_wanted_are_left_or_filled_in() -> None:
    boxes = {"boxes": np.ones((2, 2, 4)), "labels": np.ones((2, 2))}
    given = {"images": images()[:2], "bounding_boxes": boxes}
    made = layers.MaxNumBoundingBoxes(3)(given)["bounding_boxes"]
    assert made["labels"].numpy().tolist() == [[1.0, 1.0, -1.0]] * 2
    assert made["boxes"].shape == (2, 3, 4)
    few = layers.MaxNumBoundingBoxes(1)(given)["bounding_boxes"]
    assert few["boxes"].shape == (2, 1, 4)


def test_corners_go_where_they_are_told_to() -> None:
    start = np.array([[0, 0], [7, 0], [0, 5], [7, 5]], "float32")
    end = start[[1, 0, 3, 2]]
    made = ops.image.perspective_transform(images()[0], start, end)
    np.testing.assert_allclose(made, images()[0][:, ::-1], atol=0.05)


@pytest.mark.parametrize(
    "make",
    [
        lambda: layers.RandomHue(1.5),
        lambda: layers.RandomSharpness(0.5, value_range=3),
        lambda: layers.RandomGaussianBlur(kernel_size=4),
        lambda: layers.RandomErasing(fill_value=(1, 2)),
    ],
)
def test_factors_outside_their_bounds_are_refused(make: Any) -> None:
    with pytest.raises(
        ValueError, match=r"factor|value_range|kernel_size|fill_value"
    ):
        make()
