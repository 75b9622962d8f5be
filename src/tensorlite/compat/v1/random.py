"""tf.random of TensorFlow 1, and the random functions of its top level."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.randoms import (
    random,
    random_experimental as experimental,
)
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
    create_rng_state,
    fold_in,
    get_global_generator,
    set_global_generator,
    split,
)
from tensorlite.compat.shared.randoms.random import (
    gamma,
    normal,
    random_crop as crop,
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
from tensorlite.compat.v1.graphs.framework import set_random_seed
from tensorlite.core.dtypes import float32
from tensorlite.graph_mode.streams import get_seed

__all__ = [
    "Algorithm",
    "Generator",
    "all_candidate_sampler",
    "create_rng_state",
    "crop",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "learned_unigram_candidate_sampler",
    "fold_in",
    "gamma",
    "get_global_generator",
    "get_seed",
    "log_uniform_candidate_sampler",
    "normal",
    "set_global_generator",
    "set_random_seed",
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


def multinomial(
    logits: Any,
    num_samples: Any,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: Any = None,
) -> Any:
    """Return num_samples classes drawn for each row of logits, int64 unless told."""
    return random.categorical(logits, num_samples, output_dtype, seed, name)


def categorical(
    logits: Any,
    num_samples: Any,
    dtype: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return num_samples classes drawn for each row of logits, int64 unless told."""
    title = name or "categorical"
    return random.categorical(logits, num_samples, dtype, seed, title)


def random_poisson(
    lam: Any,
    shape: Any,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return Poisson numbers of rates lam: shape [shape..., lam's shape...]."""
    return random.poisson(shape, lam, dtype, seed, name)


poisson = random_poisson
random_normal = normal
random_uniform = uniform
random_gamma = gamma
random_shuffle = shuffle
random_crop = crop


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
