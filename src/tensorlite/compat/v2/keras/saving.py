"""tf.keras.saving: models in files, and programs' own classes in them."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.keras.models import load_model, save_model
from tensorlite.compat.v2.keras.utils import (
    CustomObjectScope,
    custom_object_scope,
    deserialize_keras_object,
    get_custom_objects,
    get_registered_name,
    get_registered_object,
    register_keras_serializable,
    serialize_keras_object,
)


def save_weights(
    model: Any, filepath: Any, overwrite: bool = True, **kwargs: Any
) -> None:
    """Write a model's weights to a file, as its method does."""
    model.save_weights(filepath, overwrite, **kwargs)


def load_weights(
    model: Any, filepath: Any, skip_mismatch: bool = False, **kwargs: Any
) -> None:
    """Read a model's weights from a file, as its method does."""
    model.load_weights(filepath, skip_mismatch=skip_mismatch, **kwargs)


__all__ = [
    "CustomObjectScope",
    "custom_object_scope",
    "deserialize_keras_object",
    "get_custom_objects",
    "get_registered_name",
    "get_registered_object",
    "load_model",
    "load_weights",
    "register_keras_serializable",
    "save_model",
    "save_weights",
    "serialize_keras_object",
]
