"""Random numbers: generators, functions of a global generator, and functions of a seed.

All draw from Philox, a function of a key and a counter, so the same seed gives the same numbers on
every device, eager or traced.
"""

from __future__ import annotations

from tensorlite.ops.random.bounded import stateless_parameterized_truncated_normal
from tensorlite.ops.random.counted import binomial, poisson
from tensorlite.ops.random.generators import (
    Generator,
    Seed,
    global_generator,
    set_seed,
)
from tensorlite.ops.random.sampling import (
    bernoulli,
    categorical,
    gamma,
    integers,
    normal,
    permutation,
    shuffle,
    stateless_bernoulli,
    stateless_categorical,
    stateless_fold_in,
    stateless_gamma,
    stateless_integers,
    stateless_normal,
    stateless_permutation,
    stateless_shuffle,
    stateless_split,
    stateless_truncated_normal,
    stateless_uniform,
    truncated_normal,
    uniform,
)

__all__ = [
    "Generator",
    "Seed",
    "bernoulli",
    "binomial",
    "categorical",
    "gamma",
    "global_generator",
    "integers",
    "normal",
    "permutation",
    "poisson",
    "set_seed",
    "shuffle",
    "stateless_bernoulli",
    "stateless_categorical",
    "stateless_fold_in",
    "stateless_gamma",
    "stateless_integers",
    "stateless_normal",
    "stateless_parameterized_truncated_normal",
    "stateless_permutation",
    "stateless_shuffle",
    "stateless_split",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]


def __dir__() -> list[str]:
    return __all__
