"""keras.preprocessing.image: changes of images, and batches of changed ones, as TensorFlow's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.core.errors import InvalidArgumentError

keras: Any = tf.keras
image = keras.preprocessing.image
RAMP = np.arange(12.0).reshape(3, 4, 1)


@pytest.mark.parametrize(
    ("change", "first", "last"),
    [
        ({"tx": 1}, [1.0, 2.0, 3.0, 3.0], [9.0, 10.0, 11.0, 11.0]),
        ({"ty": 1}, [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]),
        ({"theta": 90}, [4.5, 8.5, 10.5, 10.5], [2.5, 6.5, 8.5, 8.5]),
        ({"zx": 0.5}, [0.5, 1.0, 1.5, 2.0], [8.5, 9.0, 9.5, 10.0]),
        ({"shear": 45}, [2.818, 3.818, 4.757, 4.757], [7.414, 8.061, 9.061, 10.061]),
        ({}, [0.0, 1.0, 2.0, 3.0], [8.0, 9.0, 10.0, 11.0]),
    ],
)
def test_images_are_turned_and_moved_as_in_tensorflow(
    change: Any, first: list[float], last: list[float]
) -> None:
    axes = {"row_axis": 0, "col_axis": 1, "channel_axis": 2}
    made = image.apply_affine_transform(RAMP, **change, **axes)
    np.testing.assert_allclose(made[0, :, 0], first, atol=1e-3)
    np.testing.assert_allclose(made[2, :, 0], last, atol=1e-3)


def test_changes_are_drawn_in_tensorflows_order() -> None:
    whole = image.ImageDataGenerator(width_shift_range=3, channel_shift_range=30.0)
    drawn = whole.get_random_transform((6, 8, 3), seed=2)
    assert (drawn["tx"], drawn["ty"]) == (0, 0)
    assert drawn["channel_shift_intensity"] == pytest.approx(-3.880656442903387)
    every = image.ImageDataGenerator(
        rotation_range=30,
        width_shift_range=0.2,
        height_shift_range=[1, 2],
        shear_range=10,
        zoom_range=0.3,
        horizontal_flip=True,
    )
    drawn = every.get_random_transform((6, 8, 3), seed=2)
    wanted = {
        "theta": -3.8403058714797744,
        "tx": -2,
        "ty": 0.15891992921186926,
        "shear": -1.293552147634463,
        "zx": 0.9522206812524934,
        "zy": 0.8982008926023245,
        "flip_horizontal": 1,
        "flip_vertical": 0,
    }
    assert {name: drawn[name] for name in wanted} == pytest.approx(wanted)


def test_batches_of_arrays_go_on_without_an_end() -> None:
    x = np.arange(7 * 4 * 4, dtype=np.float32).reshape(7, 4, 4, 1)
    y = np.arange(7)
    batches = image.ImageDataGenerator(rescale=0.5).flow(x, y, batch_size=3, seed=5)
    assert len(batches) == 3
    rows = [next(batches)[1].tolist() for _ in range(3)]
    assert rows[:2] == [[6, 2, 4], [1, 0, 5]]  # as TensorFlow draws them
    assert sorted(n for row in rows for n in row) == list(range(7))
    images, numbers = batches[0]
    np.testing.assert_array_equal(images, x[numbers] * 0.5)
    whole, beside = next(image.ImageDataGenerator().flow((x, [y]), shuffle=False))
    assert (whole.shape, beside.tolist()) == ((7, 4, 4, 1), list(range(7)))
    parts = image.ImageDataGenerator(validation_split=0.3)
    assert parts.flow(x, subset="validation").n == 2
    with pytest.raises(InvalidArgumentError, match="same classes"):
        parts.flow(x, y, subset="training")


def test_images_are_brought_to_the_scale_of_all() -> None:
    x = np.random.default_rng(0).uniform(0, 255, (9, 3, 3, 2)).astype(np.float32)
    made = image.ImageDataGenerator(featurewise_std_normalization=True)
    made.fit(x)
    images = next(made.flow(x, batch_size=9, shuffle=False))
    np.testing.assert_allclose(images.mean((0, 1, 2)), 0.0, atol=1e-5)
    np.testing.assert_allclose(images.std((0, 1, 2)), 1.0, rtol=1e-4)
    own = image.ImageDataGenerator(samplewise_std_normalization=True)
    alone = own.standardize(x[0])
    assert (alone.mean(), alone.std()) == pytest.approx((0.0, 1.0), abs=1e-4)
    white = image.ImageDataGenerator(zca_whitening=True)
    white.fit(x)
    assert white.zca_whitening_matrix.shape == (18, 18)
    with pytest.warns(UserWarning, match="call fit"):
        image.ImageDataGenerator(featurewise_center=True).standardize(x[0])


def test_folders_and_tables_give_batches_to_fit(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        for i in range(5):
            value = np.full((6, 8, 3), 10 * i + 100 * (name == "b"), np.float32)
            keras.utils.save_img(tmp_path / name / f"{i}.png", value, scale=False)
    made = image.ImageDataGenerator(rescale=1 / 255.0, validation_split=0.4)
    given = {"target_size": (3, 4), "batch_size": 2, "seed": 1}
    training = made.flow_from_directory(tmp_path, subset="training", **given)
    assert (training.samples, training.class_indices) == (6, {"a": 0, "b": 1})
    assert training.filenames[:2] == ["a/2.png", "a/3.png"]
    images, labels = training[0]
    assert (images.shape, labels.shape, training.image_shape) == (
        (2, 3, 4, 3),
        (2, 2),
        (3, 4, 3),
    )
    np.testing.assert_array_equal(images[:, 0, 0, 0] > 0.35, labels[:, 1] == 1)
    sparse = made.flow_from_directory(
        tmp_path, class_mode="sparse", shuffle=False, color_mode="grayscale", **given
    )
    assert next(sparse)[0].shape == (2, 3, 4, 1)
    assert next(sparse)[1].tolist() == [0.0, 0.0]
    table = {"filename": ["a/0.png", "b/1.png", "no.png"], "price": [1.0, 2.0, 3.0]}
    told = made.flow_from_dataframe(
        table, tmp_path, y_col="price", class_mode="raw", shuffle=False, **given
    )
    assert (told.samples, next(told)[1].tolist()) == (2, [1.0, 2.0])
    model = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(2)])
    model.compile("sgd", "mse")
    history = model.fit(training, epochs=2, verbose=0, validation_data=training)
    assert len(history.history["val_loss"]) == 2
    assert model.predict(sparse_of_colours(made, tmp_path, given)).shape == (10, 2)


def sparse_of_colours(made: Any, folder: Path, given: Any) -> Any:
    return made.flow_from_directory(folder, class_mode=None, shuffle=False, **given)
