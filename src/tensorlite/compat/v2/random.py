"""Random numbers: `tf.random`."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.randoms import random_experimental as experimental
from tensorlite.compat.shared.randoms.candidates import (
    all_candidate_sampler,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from tensorlite.compat.shared.randoms.draws import (
    Algorithm,
    Generator,
    categorical,
    create_rng_state,
    fold_in,
    get_global_generator,
    set_global_generator,
    set_seed,
    split,
)
from tensorlite.compat.shared.randoms.random import (
    gamma,
    normal,
    poisson,
    shuffle,
    truncated_normal,
    uniform,
)
from tensorlite.compat.shared.randoms.seeds import (
    stateless_binomial,
    stateless_categorical,
    stateless_gamma,
    stateless_normal,
    stateless_parameterized_truncated_normal,
    stateless_poisson,
    stateless_truncated_normal,
    stateless_uniform,
)

__all__ = [
    "Algorithm",
    "Generator",
    "all_candidate_sampler",
    "categorical",
    "create_rng_state",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "learned_unigram_candidate_sampler",
    "fold_in",
    "gamma",
    "get_global_generator",
    "log_uniform_candidate_sampler",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_normal",
    "stateless_parameterized_truncated_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
