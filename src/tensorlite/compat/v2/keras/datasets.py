"""tf.keras.datasets: images from files on this machine; nothing is downloaded."""

from __future__ import annotations

from tensorlite.compat.shared.image_sets import (
    boston_housing,
    cifar10,
    cifar100,
    fashion_mnist,
    imdb,
    mnist,
    reuters,
)

__all__ = [
    "boston_housing",
    "cifar10",
    "cifar100",
    "fashion_mnist",
    "imdb",
    "mnist",
    "reuters",
]
