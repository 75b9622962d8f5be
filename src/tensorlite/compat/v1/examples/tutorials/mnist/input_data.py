"""read_data_sets: MNIST for tutorials, from local files, or scikit-learn's digits in its format."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.data.mnist import Examples, mnist

__all__ = ["DataSet", "Datasets", "load_mnist", "read_data_sets"]


class Datasets(NamedTuple):
    """What is learnt from, what is chosen by, and what is tested with."""

    train: Any
    validation: Any
    test: Any


class DataSet(Examples):
    """Images and labels as tutorials ask for them."""

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = dtypes.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        kind = as_dtype(dtype)
        if kind not in (dtypes.uint8, dtypes.float32):
            raise DTypeError(
                f"Invalid image dtype {kind.name}, expected uint8 or float32"
            )
        self.one_hot = one_hot
        if fake_data:
            label = [1] + [0] * 9 if one_hot else 0
            super().__init__(
                np.asarray(images), np.asarray(labels), seed, ([1] * 784, label)
            )
            return
        if reshape:
            images = images.reshape(len(images), images.shape[1] * images.shape[2])
        if kind is dtypes.float32:
            images = images.astype(np.float32) / np.float32(255)
        super().__init__(images, labels, seed)


def read_data_sets(
    train_dir: Any = None,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = dtypes.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = "",
) -> Datasets:
    """Return MNIST of the files in `train_dir`; with "digits", scikit-learn's digits instead."""
    if fake_data:
        none = np.zeros((0, 784), np.float32)
        made = [
            DataSet(none, none, True, one_hot, dtype, seed=seed) for _ in range(3)
        ]
        return Datasets(*made)
    found = mnist(None if train_dir is None else str(train_dir))
    size = validation_size
    if len(found.train_images) == 1500 and size == 5000:
        size = 200  # the digits are fewer than what MNIST sets apart
    if not 0 <= size <= len(found.train_images):
        raise InvalidArgumentError(
            f"Validation size should be between 0 and {len(found.train_images)}. Received: {size}."
        )
    parts = [
        (found.train_images[size:], found.train_labels[size:]),
        (found.train_images[:size], found.train_labels[:size]),
        (found.test_images, found.test_labels),
    ]
    return Datasets(
        *[
            DataSet(
                x[..., None],
                _labels(y, one_hot),
                False,
                one_hot,
                dtype,
                reshape,
                seed,
            )
            for x, y in parts
        ]
    )


def _labels(labels: Any, one_hot: bool) -> Any:
    return np.eye(10)[labels] if one_hot else labels


def load_mnist(train_dir: Any = "MNIST-data") -> Datasets:
    """Return the parts train, validation and test of MNIST, from files in train_dir."""
    return read_data_sets(train_dir)
