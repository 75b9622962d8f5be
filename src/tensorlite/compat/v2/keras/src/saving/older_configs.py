"""Configurations as TensorFlow 1.15 takes them: without what classes were given later.

What configurations have otherwise stands in describing.py.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.saving import describing

_OF_ENTROPIES = {"axis", "ignore_class"}
_LATER: dict[str, set[str]] = {
    "AUC": {"multi_label", "num_labels", "label_weights", "from_logits"},
    "BinaryCrossentropy": _OF_ENTROPIES,
    "CategoricalCrossentropy": _OF_ENTROPIES,
    "SparseCategoricalCrossentropy": {"ignore_class"},
    "MeanIoU": {"axis", "ignore_class", "sparse_y_true", "sparse_y_pred"},
    "SensitivityAtSpecificity": {"class_id"},
    "SpecificityAtSensitivity": {"class_id"},
    "SparseTopKCategoricalAccuracy": {"from_sorted_ids"},
}
"""What TensorFlow 1.15 does not know of metrics, by their classes."""
_OF_LOSSES = {"SparseCategoricalCrossentropy": _OF_ENTROPIES}
"""The same of losses, where it is more."""


@cache
def _keys() -> dict[str, list[str]]:
    """Return the keys that TensorFlow 1.15 tells of layers, by their classes."""
    lines = Path(__file__).with_name("layer_keys.txt").read_text().splitlines()
    listed = [line.split() for line in lines if line and not line.startswith("#")]
    return {kind: keys for kind, *keys in listed}


def of_layer(layer: Any, config: dict[str, Any]) -> dict[str, Any]:
    """Return a layer's configuration as TensorFlow 1.15 has it: in its order, with its keys.

    Models are described as they are, by what they are made of.
    """
    if "layers" in config:
        return config
    own = dict(config)
    first: dict[str, Any] = {}
    for key in ("name", "trainable"):
        if key in own:
            first[key] = own.pop(key)
    if layer.given_shape is not None:
        first["batch_input_shape"] = tuple(layer.given_shape)
    if "dtype" in own:
        own.pop("dtype")
        first["dtype"] = _dtype_of(layer)
    kinds = [x.__name__ for x in type(layer).__mro__ if x.__name__ in _keys()]
    if not kinds:
        return {**first, **own}
    return {**first, **_listed(layer, own, _keys()[kinds[0]])}


def _listed(layer: Any, own: dict[str, Any], keys: list[str]) -> dict[str, Any]:
    made = {}
    for key in keys:
        name = key.removesuffix("?")
        if key == name or name in layer.arguments_named():
            held = getattr(layer, name, None)
            made[name] = own[name] if name in own else describing.described(held)
    return made


def _dtype_of(layer: Any) -> str | None:
    """Return the dtype that a layer was given, or that of its inputs; before these, None."""
    known = layer.built_shape is not None or bool(layer.nodes) or layer.was_called
    if known or layer.is_told_dtype:
        return str(layer.policy_used().name)
    return None


def of_input(config: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration of an InputLayer as TensorFlow 1.15 has it."""
    others = {key: x for key, x in config.items() if key != "batch_shape"}
    return {"batch_input_shape": tuple(config["batch_shape"]), **others}


def of_metric(kind: str, config: dict[str, Any]) -> dict[str, Any]:
    """Return a metric's configuration as its version of Keras has it."""
    return _without(_LATER.get(kind, set()), config)


def of_loss(kind: str, config: dict[str, Any]) -> dict[str, Any]:
    """Return a loss' configuration as its version of Keras has it."""
    return _without(_OF_LOSSES.get(kind) or _LATER.get(kind, set()), config)


def _without(later: set[str], config: dict[str, Any]) -> dict[str, Any]:
    if naming.is_keras_3():
        return config
    return {key: x for key, x in config.items() if key not in later}
