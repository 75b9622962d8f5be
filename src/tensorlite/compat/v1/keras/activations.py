"""tf.keras.activations of version 1: another slope of hard_sigmoid, and nodes of TensorFlow 1."""

from __future__ import annotations

from functools import wraps
from typing import Any

from tensorlite.compat.missing import listing
from tensorlite.compat.shared import nn
from tensorlite.compat.shared.elementwise import (
    add,
    clip_by_value,
    exp,
    multiply,
)
from tensorlite.compat.v1.functions.arrays import where
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v2.keras import activation_functions, activations
from tensorlite.compat.views import shown
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.nn.activations import SELU_ALPHA, SELU_SCALE


@wraps(activation_functions.hard_sigmoid_of_keras_2)
def hard_sigmoid(x: Any) -> Any:
    if active_graph() is None:
        return activation_functions.hard_sigmoid_of_keras_2(x)
    given = convert_to_tensor(shown(x))
    share, half = constant(0.2, given.dtype), constant(0.5, given.dtype)
    return clip_by_value(add(multiply(given, share), half), 0.0, 1.0)


@wraps(activation_functions.selu)
def selu(x: Any) -> Any:
    if active_graph() is None:
        return activation_functions.selu(x)
    given = convert_to_tensor(shown(x))
    above = nn.elu(given)
    return SELU_SCALE * where(given > 0, above, SELU_ALPHA * above)


@wraps(activation_functions.elu)
def elu(x: Any, alpha: float = 1.0) -> Any:
    if active_graph() is None:
        return activation_functions.elu(x, alpha)
    made = nn.elu(shown(x))
    return made if alpha == 1.0 else where(shown(x) > 0, made, alpha * made)


@wraps(activation_functions.exponential)
def exponential(x: Any) -> Any:
    if active_graph() is None:
        return activation_functions.exponential(x)
    return exp(x)


DIFFERENT = {
    "elu": elu,
    "hard_sigmoid": hard_sigmoid,
    "selu": selu,
    "exponential": exponential,
}
"""What is found by its name in programs of version 1."""

__dir__ = listing(__name__, globals(), vars(activations))
__getattr__ = rest_of(activations, __name__, globals())
