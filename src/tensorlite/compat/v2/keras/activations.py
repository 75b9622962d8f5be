"""tf.keras.activations: gathers its names from where the functions live."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.keras.activation_functions import (
    celu,
    deserialize,
    elu,
    exponential,
    gelu,
    get,
    hard_sigmoid,
    hard_silu,
    hard_swish,
    hard_tanh,
    leaky_relu,
    linear,
    log_sigmoid,
    log_softmax,
    mish,
    relu,
    relu6,
    selu,
    serialize,
    sigmoid,
    silu,
    softmax,
    softplus,
    softsign,
    squareplus,
    swish,
    tanh,
    tanh_shrink,
)
from tensorlite.compat.v2.keras.ops.neural import (
    glu,
    hard_shrink,
    soft_shrink,
    sparse_plus,
    sparse_sigmoid,
    sparsemax,
    threshold,
)

OF_OPERATIONS = {
    "glu": glu,
    "hard_shrink": hard_shrink,
    "soft_shrink": soft_shrink,
    "sparse_plus": sparse_plus,
    "sparse_sigmoid": sparse_sigmoid,
    "sparsemax": sparsemax,
    "threshold": threshold,
}
"""Those that keras.ops has under the same names."""

__all__ = [
    "celu",
    "deserialize",
    "elu",
    "exponential",
    "gelu",
    "get",
    "glu",
    "hard_shrink",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "leaky_relu",
    "linear",
    "log_sigmoid",
    "log_softmax",
    "mish",
    "relu",
    "relu6",
    "selu",
    "serialize",
    "sigmoid",
    "silu",
    "soft_shrink",
    "softmax",
    "softplus",
    "softsign",
    "sparse_plus",
    "sparse_sigmoid",
    "sparsemax",
    "squareplus",
    "swish",
    "tanh",
    "tanh_shrink",
    "threshold",
]


__dir__ = listing("v2.keras.activations", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error("v2.keras.activations", name, __all__)
