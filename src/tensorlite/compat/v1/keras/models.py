"""tf.keras.models of version 1: names that version 2 has not, and the rest of it."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import listing
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v2.keras import models
from tensorlite.compat.v2.keras.src.saving import model_texts, older_files


def model_from_yaml(yaml_string: str, custom_objects: Any = None) -> Any:
    """Return the model of a description as YAML, without weights.

    >>> from tensorlite.compat import v1 as tf
    >>> keras = tf.keras
    >>> model = keras.Sequential([keras.layers.Dense(2, input_shape=(3,))])
    >>> keras.models.model_from_yaml(model.to_yaml()).output_shape
    (None, 2)
    """
    said = older_files.newer_model(model_texts.parsed_yaml(yaml_string), True)
    return models.model_from_config(said, custom_objects)


__dir__ = listing(__name__, globals(), vars(models))
__getattr__ = rest_of(models, __name__, globals())
