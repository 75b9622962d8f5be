"""tf.keras, a subset of it: layers, models, training, over tensorlite's own functions.

Weights are named and ordered as Keras 2 has them. Steps of training are traced by tl.function.
"""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.python import recompute_grad as remat
from tensorlite.compat.v2.keras import (
    activations as activations,
    applications,
    backend,
    callbacks,
    config,
    constraints,
    datasets,
    dtype_policies,
    export,
    initializers,
    internal,
    layers,
    losses,
    metrics,
    mixed_precision,
    models,
    ops,
    optimizers,
    preprocessing,
    random,
    regularizers,
    saving,
    tree,
    utils,
)
from tensorlite.compat.v2.keras.activation_functions import KNOWN as KNOWN_ACTIVATIONS
from tensorlite.compat.v2.keras.dtype_policies import DTypePolicy, FloatDTypePolicy
from tensorlite.compat.v2.keras.initializers import Initializer
from tensorlite.compat.v2.keras.models import Functional, Model, Sequential
from tensorlite.compat.v2.keras.regularizers import Regularizer
from tensorlite.compat.v2.keras.scopes import device, name_scope
from tensorlite.compat.v2.keras.src import positions
from tensorlite.compat.v2.keras.src.layers import feature_spaces
from tensorlite.compat.v2.keras.src.layers.autocast import KerasVariable as Variable
from tensorlite.compat.v2.keras.src.layers.base import InputSpec, Layer
from tensorlite.compat.v2.keras.src.layers.input import Input
from tensorlite.compat.v2.keras.src.losses.base import Loss
from tensorlite.compat.v2.keras.src.metrics.base import Metric
from tensorlite.compat.v2.keras.src.models.operations import Function, Operation
from tensorlite.compat.v2.keras.src.models.sketch import KerasTensor
from tensorlite.compat.v2.keras.src.optimizers.base import Optimizer
from tensorlite.compat.v2.keras.src.saving import describing

KNOWN_ACTIVATIONS.update(activations.OF_OPERATIONS)
describing.known.update(
    {
        "activations": KNOWN_ACTIVATIONS,
        "keras.layers": {
            name: kind
            for name, kind in vars(layers).items()
            if isinstance(kind, type)
        },
        "keras": {
            "Sequential": Sequential,
            "Functional": Functional,
            "Model": Model,
            **dtype_policies.CLASSES,
        },
        "keras.utils": feature_spaces.KNOWN,
        "keras.initializers": initializers.KNOWN,
        "keras.regularizers": regularizers.KNOWN,
        "keras.constraints": constraints.KNOWN,
        "keras.losses": losses.CLASSES | losses.FUNCTIONS,
        "keras.metrics": metrics.CLASSES | metrics.FUNCTIONS,
        "keras.optimizers": optimizers.CLASSES,
        "keras.optimizers.schedules": optimizers.schedules.CLASSES,
    }
)

for _space, _kinds in (
    *(("layers", layers), ("losses", losses), ("metrics", metrics)),
    *(("optimizers", optimizers), ("callbacks", callbacks)),
):
    positions.arrange(_space, vars(_kinds))
__version__ = "2.15.0"


def version() -> str:
    """Return Keras' version, as text."""
    return __version__


__all__ = [
    "DTypePolicy",
    "FloatDTypePolicy",
    "Function",
    "Operation",
    "version",
    "Initializer",
    "InputSpec",
    "KerasTensor",
    "Layer",
    "Loss",
    "remat",
    "Metric",
    "Optimizer",
    "Regularizer",
    "Variable",
    "saving",
    "Input",
    "Model",
    "Sequential",
    "activations",
    "device",
    "name_scope",
    "applications",
    "backend",
    "callbacks",
    "config",
    "constraints",
    "datasets",
    "dtype_policies",
    "export",
    "initializers",
    "layers",
    "losses",
    "metrics",
    "mixed_precision",
    "models",
    "ops",
    "optimizers",
    "preprocessing",
    "random",
    "regularizers",
    "tree",
    "utils",
]

__internal__ = internal


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
