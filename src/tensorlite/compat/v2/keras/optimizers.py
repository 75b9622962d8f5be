"""tf.keras.optimizers: gathers its names, and finds optimizers by them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.training.optimizer import Optimizer as TrainOptimizer
from tensorlite.compat.v2.keras import schedules
from tensorlite.compat.v2.keras.src.optimizers import before_keras_3
from tensorlite.compat.v2.keras.src.optimizers.base import Optimizer
from tensorlite.compat.v2.keras.src.optimizers.classes import (
    SGD,
    Adadelta,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    Ftrl,
    Nadam,
    RMSprop,
)
from tensorlite.compat.v2.keras.src.optimizers.loss_scaling import LossScaleOptimizer
from tensorlite.compat.v2.keras.src.optimizers.newer_rules import (
    Muon,
    ScheduleFreeAdamW,
)
from tensorlite.compat.v2.keras.src.optimizers.older import TFOptimizer
from tensorlite.compat.v2.keras.src.optimizers.rules import Adafactor, Lamb, Lion
from tensorlite.compat.v2.keras.src.saving import lookup
from tensorlite.core.errors import InvalidArgumentError

CLASSES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        *(SGD, Adadelta, Adafactor, Adagrad, Adam, Adamax, AdamW, Ftrl, Lamb, Lion),
        *(LossScaleOptimizer, Muon, Nadam, RMSprop, ScheduleFreeAdamW),
    )
}
experimental = SimpleNamespace(Optimizer=Optimizer, **CLASSES)
legacy = SimpleNamespace(Optimizer=Optimizer, **(CLASSES | before_keras_3.CLASSES))


def get(identifier: Any, use_legacy_optimizer: bool = False) -> Any:
    """Return the optimizer of a name or configuration, or an optimizer itself.

    With use_legacy_optimizer it is one as Keras had them before its version 3.
    One of tf.train is made one of Keras. InvalidArgumentError is raised for classes, and for names
    that are not known.
    """
    if isinstance(identifier, TrainOptimizer):
        return TFOptimizer(identifier)
    if isinstance(identifier, type):
        raise InvalidArgumentError(
            f"Could not interpret optimizer identifier: {identifier}"
        )
    known = CLASSES | (before_keras_3.CLASSES if use_legacy_optimizer else {})
    if isinstance(identifier, str):
        identifier = {"class_name": identifier, "config": {}}
    return lookup.found("optimizer", identifier, known)


def serialize(optimizer: Any, use_legacy_format: bool = False) -> Any:
    """Return the configuration from which `deserialize` makes the optimizer.

    use_legacy_format has no effect.
    """
    return lookup.serialized(optimizer)


def deserialize(
    config: Any, custom_objects: Any = None, use_legacy_format: bool = False
) -> Any:
    """Return the optimizer of a configuration; custom_objects are looked up too.

    use_legacy_format has no effect.
    """
    with lookup.adding(custom_objects):
        return get(config)


__all__ = [
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Ftrl",
    "Lamb",
    "Lion",
    "LossScaleOptimizer",
    "Muon",
    "Nadam",
    "Optimizer",
    "RMSprop",
    "ScheduleFreeAdamW",
    "deserialize",
    "experimental",
    "get",
    "legacy",
    "schedules",
    "serialize",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
