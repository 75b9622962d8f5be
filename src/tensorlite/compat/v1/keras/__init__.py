"""tf.keras as TensorFlow 1 has it: what differs from that of version 2, and the rest of it.

Layers, models and training are those of compat/v2/keras. Here stand only the names and defaults
that version 1 has otherwise, a module for each namespace in which there are such.
"""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.keras import (
    activations as activations,
    backend as backend,
    callbacks as callbacks,
    constraints as constraints,
    estimator as estimator,
    experimental as experimental,
    initializers as initializers,
    layers as layers,
    losses as losses,
    metrics as metrics,
    mixed_precision as mixed_precision,
    models as models,
    optimizers as optimizers,
    optimizers_written as optimizers_written,
    preprocessing as preprocessing,
    regularizers as regularizers,
    training_written as training_written,
    utils as utils,
    wrappers as wrappers,
)
from tensorlite.compat.v1.keras.inputs import Input as Input
from tensorlite.compat.v2 import keras
from tensorlite.compat.v2.keras import (
    Model as Model,
    Sequential as Sequential,
    applications as applications,
    datasets as datasets,
    internal,
)
from tensorlite.compat.v2.keras.src import positions
from tensorlite.compat.v2.keras.src.saving import lookup

for _namespace in (
    *(activations, initializers, layers, losses, optimizers, regularizers),
):
    lookup.of_version_1.update(_namespace.DIFFERENT)
for _space, _kinds in (
    *(("layers", layers), ("losses", losses), ("optimizers", optimizers)),
    ("experimental", experimental),
):
    positions.arrange(_space, vars(_kinds))
__version__ = "2.2.4-tf"
__internal__ = internal


__dir__ = listing(__name__, globals(), vars(keras))


def __getattr__(name: str) -> object:
    """Return what version 1 has of version 2, or say what is near a name that is not there."""
    try:
        return getattr(keras, name)
    except AttributeError:
        raise attribute_error(__name__, name, globals()) from None
