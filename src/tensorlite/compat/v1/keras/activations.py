"""tf.keras.activations of version 1: hard_sigmoid has another slope."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import named
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v2.keras import activation_names
from tensorlite.compat.v2.keras.activations import hard_sigmoid_of_keras_2


@named("hard_sigmoid")
def hard_sigmoid(x: Any, name: str | None = None) -> Any:
    """Return the line 0.2 x + 1 / 2, cut off at 0 and 1."""
    return hard_sigmoid_of_keras_2(x)


DIFFERENT = {"hard_sigmoid": hard_sigmoid}
"""What is found by its name in programs of version 1."""

__getattr__ = rest_of(activation_names, __name__, globals())
