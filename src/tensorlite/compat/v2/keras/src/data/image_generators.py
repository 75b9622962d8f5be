"""ImageDataGenerator of keras.preprocessing.image: says how images are changed as they are read.

The changes are in image_changes.py, the batches in image_batches.py.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from tensorlite.compat.v2.keras import defaults
from tensorlite.compat.v2.keras.src.data.image_batches import (
    DataFrameIterator,
    DirectoryIterator,
    NumpyArrayIterator,
)
from tensorlite.compat.v2.keras.src.data.image_changes import (
    apply_affine_transform,
    apply_brightness_shift,
    apply_channel_shift,
)
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.core.errors import InvalidArgumentError

_SMALL = 1e-6
_OF_TABLES = {"self", "dataframe", "directory", "kwargs"}


class ImageDataGenerator:
    """Draws a change for each image, and brings its numbers to a scale."""

    def __init__(
        self,
        featurewise_center: bool = False,
        samplewise_center: bool = False,
        featurewise_std_normalization: bool = False,
        samplewise_std_normalization: bool = False,
        zca_whitening: bool = False,
        zca_epsilon: float = 1e-6,
        rotation_range: float = 0,
        width_shift_range: Any = 0.0,
        height_shift_range: Any = 0.0,
        brightness_range: Any = None,
        shear_range: float = 0.0,
        zoom_range: Any = 0.0,
        channel_shift_range: float = 0.0,
        fill_mode: str = "nearest",
        cval: float = 0.0,
        horizontal_flip: bool = False,
        vertical_flip: bool = False,
        rescale: Any = None,
        preprocessing_function: Any = None,
        data_format: str | None = None,
        validation_split: float = 0.0,
        interpolation_order: int = 1,
        dtype: Any = None,
    ) -> None:
        self.__dict__.update({k: v for k, v in locals().items() if k != "self"})
        self.data_format = data_format or defaults.chosen.image_data_format
        self.dtype = dtype or defaults.floatx()
        self._validation_split = self.__dict__.pop("validation_split")
        self.zoom_range = _bounds(zoom_range)
        self.mean: Any = None
        self.std: Any = None
        self.zca_whitening_matrix: Any = None
        first = self.data_format == "channels_first"
        self.channel_axis, self.row_axis, self.col_axis = (
            (1, 2, 3) if first else (3, 1, 2)
        )
        if not 0 <= self._validation_split < 1:
            raise InvalidArgumentError(
                f"validation_split={self._validation_split}; it is at least 0 and less than 1"
            )
        if brightness_range is not None and len(brightness_range) != 2:
            raise InvalidArgumentError(
                f"brightness_range={brightness_range!r}; it is a least and a greatest factor"
            )
        self.featurewise_center |= zca_whitening or featurewise_std_normalization
        self.samplewise_center |= samplewise_std_normalization

    featurewise_center: bool
    samplewise_center: bool

    def flow(
        self,
        x: Any,
        y: Any = None,
        batch_size: int = 32,
        shuffle: bool = True,
        sample_weight: Any = None,
        seed: int | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        ignore_class_split: bool = False,
        subset: str | None = None,
    ) -> NumpyArrayIterator:
        """Return batches of changed images from arrays, without an end."""
        given = {k: v for k, v in locals().items() if k not in {"self", "x", "y"}}
        kinds: dict[str, Any] = {"data_format": self.data_format, "dtype": self.dtype}
        return NumpyArrayIterator(x, y, self, **given, **kinds)

    def flow_from_directory(
        self,
        directory: Any,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
        keep_aspect_ratio: bool = False,
    ) -> DirectoryIterator:
        """Return batches of changed images from a folder of folders, one per class."""
        given = {k: v for k, v in locals().items() if k not in {"self", "directory"}}
        kinds: dict[str, Any] = {"data_format": self.data_format, "dtype": self.dtype}
        return DirectoryIterator(directory, self, **given, **kinds)

    def flow_from_dataframe(
        self,
        dataframe: Any,
        directory: Any = None,
        x_col: str = "filename",
        y_col: Any = "class",
        weight_col: str | None = None,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        validate_filenames: bool = True,
        **kwargs: Any,
    ) -> DataFrameIterator:
        """Return batches of changed images that a table's column names.

        validate_filenames leaves out what is no image. Further arguments have no effect.
        """
        given = {k: v for k, v in locals().items() if k not in _OF_TABLES}
        kinds: dict[str, Any] = {"data_format": self.data_format, "dtype": self.dtype}
        return DataFrameIterator(dataframe, directory, self, **given, **kinds)

    def standardize(self, x: Any) -> Any:
        """Return an image whose numbers are brought to the scale that was asked for."""
        told = vars(self)
        if told["preprocessing_function"]:
            x = told["preprocessing_function"](x)
        x = x * told["rescale"] if told["rescale"] else x
        if self.samplewise_center:
            x = x - np.mean(x, keepdims=True)
        if told["samplewise_std_normalization"]:
            x = x / (np.std(x, keepdims=True) + _SMALL)
        if self.featurewise_center and self._is_fitted(self.mean):
            x = x - self.mean
        if told["featurewise_std_normalization"] and self._is_fitted(self.std):
            x = x / (np.asarray(self.std) + _SMALL)
        if told["zca_whitening"] and self._is_fitted(self.zca_whitening_matrix):
            x = (x.reshape(1, -1) @ self.zca_whitening_matrix).reshape(x.shape)
        return x

    def _is_fitted(self, found: Any) -> bool:
        if found is None:
            warnings.warn(
                "this ImageDataGenerator centers or scales by what it has seen, and it has seen "
                "nothing: call fit(images)",
                stacklevel=4,
            )
        return found is not None

    def fit(
        self, x: Any, augment: bool = False, rounds: int = 1, seed: int | None = None
    ) -> None:
        """Take mean, deviation and whitening of images."""
        images = np.array(x, self.dtype)
        if images.ndim != 4:
            raise InvalidArgumentError(
                f"fit: images of shape {images.shape}; they have four axes, the images first"
            )
        if seed is not None:
            np.random.seed(seed)
        if augment:
            changed = [
                self.random_transform(i) for _ in range(rounds) for i in images
            ]
            images = np.stack(changed).astype(self.dtype)
        told = vars(self)
        axes = (0, self.row_axis, self.col_axis)
        if self.featurewise_center:
            self.mean = np.mean(images, axes, keepdims=True)[0]
            images = images - self.mean
        if told["featurewise_std_normalization"]:
            self.std = np.std(images, axes, keepdims=True)[0]
            images = images / (self.std + _SMALL)
        if told["zca_whitening"]:
            flat = images.reshape(len(images), -1)
            self.zca_whitening_matrix = _whitening(flat, told["zca_epsilon"])

    def get_random_transform(
        self, img_shape: Any, seed: int | None = None
    ) -> dict[str, Any]:
        """Draw a change for an image of a shape."""
        if seed is not None:
            np.random.seed(seed)
        told = vars(self)
        draw: Any = np.random.uniform
        rows, columns = img_shape[self.row_axis - 1], img_shape[self.col_axis - 1]
        turn, shear = told["rotation_range"], told["shear_range"]
        made: dict[str, Any] = {"theta": draw(-turn, turn) if turn else 0}
        made["tx"] = _shift(told["height_shift_range"], rows)
        made["ty"] = _shift(told["width_shift_range"], columns)
        made["shear"] = draw(-shear, shear) if shear else 0
        is_zoomed = tuple(self.zoom_range) != (1, 1)
        made["zx"], made["zy"] = draw(*self.zoom_range, 2) if is_zoomed else (1, 1)
        made["flip_horizontal"] = (np.random.random() < 0.5) * told["horizontal_flip"]
        made["flip_vertical"] = (np.random.random() < 0.5) * told["vertical_flip"]
        most, bounds = told["channel_shift_range"], told["brightness_range"]
        made["channel_shift_intensity"] = draw(-most, most) if most else None
        made["brightness"] = None if bounds is None else draw(*bounds)
        return made

    def apply_transform(self, x: Any, transform_parameters: Any) -> Any:
        """Return an image changed as it is told."""
        told, given = vars(self), transform_parameters
        names = {"theta": 0, "tx": 0, "ty": 0, "shear": 0, "zx": 1, "zy": 1}
        x = apply_affine_transform(
            x,
            **{name: given.get(name, usual) for name, usual in names.items()},
            row_axis=self.row_axis - 1,
            col_axis=self.col_axis - 1,
            channel_axis=self.channel_axis - 1,
            fill_mode=told["fill_mode"],
            cval=told["cval"],
            order=told["interpolation_order"],
        )
        if given.get("channel_shift_intensity") is not None:
            intensity = given["channel_shift_intensity"]
            x = apply_channel_shift(x, intensity, self.channel_axis - 1)
        if given.get("flip_horizontal"):
            x = np.flip(x, self.col_axis - 1)
        if given.get("flip_vertical"):
            x = np.flip(x, self.row_axis - 1)
        if given.get("brightness") is not None:
            x = apply_brightness_shift(x, given["brightness"], False)
        return x

    def random_transform(self, x: Any, seed: int | None = None) -> Any:
        """Return an image changed by what is drawn for it."""
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))


def _bounds(zoom: Any) -> Any:
    """Return the least and the greatest factor of a zoom."""
    if isinstance(zoom, (int, float)):
        return [1 - zoom, 1 + zoom]
    if len(zoom) != 2:
        raise InvalidArgumentError(
            f"zoom_range={zoom!r}; it is a number, or a least and a greatest factor"
        )
    return [zoom[0], zoom[1]]


def _shift(most: Any, size: int) -> Any:
    """Draw by how much an image is moved: a share of its size, or so many places."""
    if not np.any(most):
        return 0
    if isinstance(most, float):
        drawn = np.random.uniform(-most, most)
    else:
        drawn = np.random.choice(most) * np.random.choice([-1, 1])
    return drawn * size if np.max(most) < 1 else drawn


def _whitening(rows: Any, epsilon: float) -> Any:
    """Return the matrix by which components are apart; Keras 2 adds epsilon to their variances."""
    if naming.is_keras_3():
        u, s, _ = np.linalg.svd(rows.T, full_matrices=False)
        scale = np.sqrt(len(rows)) / (s + epsilon)
    else:
        u, s, _ = np.linalg.svd(rows.T @ rows / len(rows))
        scale = 1.0 / np.sqrt(s + epsilon)
    return (u * scale) @ u.T
