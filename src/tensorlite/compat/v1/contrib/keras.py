"""tf.contrib.keras: what tf.keras was called before; all of it lives there."""

from __future__ import annotations

from tensorlite.compat.v1 import keras


def __dir__() -> list[str]:
    return dir(keras)


def __getattr__(name: str) -> object:
    """Return what tf.keras has."""
    return getattr(keras, name)
