"""tf.keras.activations of version 1: hard_sigmoid has another slope."""

from __future__ import annotations

from tensorlite.compat.missing import listing
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v2.keras import activations
from tensorlite.compat.v2.keras.activation_functions import hard_sigmoid_of_keras_2

hard_sigmoid = hard_sigmoid_of_keras_2
DIFFERENT = {"hard_sigmoid": hard_sigmoid}
"""What is found by its name in programs of version 1."""

__dir__ = listing(__name__, globals(), vars(activations))
__getattr__ = rest_of(activations, __name__, globals())
