"""Configurations as TensorFlow 1.15 takes them: without what classes were given later.

What configurations have otherwise stands in describing.py.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.keras.src.layers import naming

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
