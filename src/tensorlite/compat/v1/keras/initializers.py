"""tf.keras.initializers of version 1: those of tf.initializers, which are told a dtype.

Three have other defaults, and four names are functions that make a VarianceScaling.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import listing
from tensorlite.compat.v1.functions import init_ops
from tensorlite.compat.v1.functions.init_ops import (
    GlorotNormal,
    GlorotUniform,
    he_normal,
    he_uniform,
    lecun_normal,
    lecun_uniform,
)
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v2.keras import initializers
from tensorlite.compat.v2.keras.src.saving import lookup
from tensorlite.core.dtypes import float32

Initializer = init_ops.Initializer


class RandomUniform(init_ops.RandomUniform):
    """Weights from minval to below maxval, equally likely."""

    def __init__(
        self,
        minval: Any = -0.05,
        maxval: Any = 0.05,
        seed: Any = None,
        dtype: Any = float32,
    ) -> None:
        super().__init__(minval, maxval, seed, dtype)


class RandomNormal(init_ops.RandomNormal):
    """Normally distributed weights."""

    def __init__(
        self,
        mean: Any = 0.0,
        stddev: Any = 0.05,
        seed: Any = None,
        dtype: Any = float32,
    ) -> None:
        super().__init__(mean, stddev, seed, dtype)


class TruncatedNormal(init_ops.TruncatedNormal):
    """Normally distributed weights, at most two deviations from the mean."""

    def __init__(
        self,
        mean: Any = 0.0,
        stddev: Any = 0.05,
        seed: Any = None,
        dtype: Any = float32,
    ) -> None:
        super().__init__(mean, stddev, seed, dtype)


Zeros = zeros = init_ops.Zeros
Ones = ones = init_ops.Ones
Constant = constant = init_ops.Constant
VarianceScaling = init_ops.VarianceScaling
Orthogonal = orthogonal = init_ops.Orthogonal
Identity = identity = init_ops.Identity
glorot_normal, glorot_uniform = GlorotNormal, GlorotUniform
normal = random_normal = RandomNormal
uniform = random_uniform = RandomUniform
truncated_normal = TruncatedNormal
_MAKERS = {
    made.__name__: made
    for made in (he_normal, he_uniform, lecun_normal, lecun_uniform)
}
lookup.makers.update(_MAKERS.values())
DIFFERENT = {
    **{
        kind.__name__: kind
        for kind in (
            *(Zeros, Ones, Constant, VarianceScaling, Orthogonal, Identity),
            *(GlorotNormal, GlorotUniform),
            *(RandomNormal, RandomUniform, TruncatedNormal),
        )
    },
    "uniform": uniform,
    "normal": normal,
    "one": Ones,
    "zero": Zeros,
    **_MAKERS,
}
"""What is found by its name in programs of version 1."""

__dir__ = listing(__name__, globals(), vars(initializers))
__getattr__ = rest_of(initializers, __name__, globals())
