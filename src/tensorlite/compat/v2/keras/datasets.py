"""tf.keras.datasets: well-known data, from files on this machine or fetched as Keras does."""

from __future__ import annotations

from tensorlite.compat.missing import listing
from tensorlite.compat.v2.keras.src.data.fetched_sets import (
    boston_housing,
    california_housing,
    cifar10,
    cifar100,
    fashion_mnist,
    imdb,
    mnist,
    reuters,
)

__all__ = [
    "boston_housing",
    "california_housing",
    "cifar10",
    "cifar100",
    "fashion_mnist",
    "imdb",
    "mnist",
    "reuters",
]


__dir__ = listing(__name__, globals())
