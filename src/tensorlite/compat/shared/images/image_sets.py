"""keras.datasets' images: `load_data` of mnist and fashion_mnist, from files on this machine."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tensorlite.data.mnist import mnist as images_of

Pairs = tuple[tuple[Any, Any], tuple[Any, Any]]


def load_mnist(path: Any = "mnist.npz") -> Pairs:
    """Return images and labels of MNIST; see tensorlite/data/mnist.py for where from."""
    found = images_of(None)
    return (
        (found.train_images, found.train_labels),
        (found.test_images, found.test_labels),
    )


def load_fashion_mnist() -> Pairs:
    """Return images and labels of Fashion-MNIST, whose files are named as MNIST's are."""
    found = images_of(None, "fashion_mnist")
    return (
        (found.train_images, found.train_labels),
        (found.test_images, found.test_labels),
    )


mnist = SimpleNamespace(load_data=load_mnist)
fashion_mnist = SimpleNamespace(load_data=load_fashion_mnist)
