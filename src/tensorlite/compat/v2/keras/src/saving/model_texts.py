"""Models as texts: JSON, and YAML as TensorFlow 1 writes it. What they say stands in describing.py.

Reading YAML makes nothing but numbers, texts, lists, tuples and dicts: tags of Python's that would
run code are refused.
"""

from __future__ import annotations

import importlib
import json
from typing import Any

from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.saving import describing
from tensorlite.core.errors import InvalidArgumentError

_TUPLE = "tag:yaml.org,2002:python/tuple"


class Texts:
    """The part of a model that says as a text what it is made of."""

    def to_json(self, **kwargs: Any) -> str:
        """Return what the model is made of, without weights, as JSON."""
        return json.dumps(describing.plain(describing.of_version(self)), **kwargs)

    def to_yaml(self, **kwargs: Any) -> str:
        """Return what the model is made of, without weights, as YAML; Keras 3 refuses."""
        if not naming.is_version_1():
            raise RuntimeError(
                "Method `model.to_yaml()` has been removed due to security risk of arbitrary code "
                "execution. Please use `model.to_json()` instead."
            )
        told = _with_tuples(describing.of_version(self))
        return str(yaml().dump(told, **kwargs))


def yaml() -> Any:
    """Return the module that reads and writes YAML."""
    try:
        return importlib.import_module("yaml")
    except ImportError as error:
        raise ImportError(
            "Requires yaml module installed (`pip install pyyaml`)."
        ) from error


def _with_tuples(value: Any) -> Any:
    """Return a description in which there is nothing but what YAML has, and tuples."""
    if isinstance(value, tuple):
        return tuple(map(_with_tuples, value))
    if isinstance(value, list):
        return list(map(_with_tuples, value))
    if isinstance(value, dict):
        return {key: _with_tuples(x) for key, x in value.items()}
    return describing.plain(value)


def parsed_yaml(text: str) -> Any:
    """Return what a text in YAML says; InvalidArgumentError for what is none, or runs code."""
    module = yaml()

    class Loader(module.SafeLoader):  # type: ignore[misc, name-defined]
        """A safe loader that knows tuples, too."""

    Loader.add_constructor(
        _TUPLE, lambda loader, node: tuple(loader.construct_sequence(node, deep=True))
    )
    try:
        return module.load(text, Loader)
    except module.YAMLError as error:
        raise InvalidArgumentError(
            f"model_from_yaml: this is no description of a model, as model.to_yaml() writes it: "
            f"{error}"
        ) from error
