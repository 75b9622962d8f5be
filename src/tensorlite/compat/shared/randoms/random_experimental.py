"""tf.random.experimental: streams of random numbers, and seeds made of seeds."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.randoms.draws import (
    Algorithm,
    Generator,
    create_rng_state,
    fold_in as stateless_fold_in,
    get_global_generator,
    set_global_generator,
    split as stateless_split,
)
from tensorlite.ops.random.index_shuffle import index_shuffle as shuffled_index

__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "index_shuffle",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
]


def index_shuffle(index: Any, seed: Any, max_index: Any) -> Any:
    """Return where indices are in a range up to max_index that two numbers of a seed shuffle.

    Each may be a vector, or of the seed a matrix: one row for each index then.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.random.experimental.index_shuffle(tf.range(4), [5, 9], 10).numpy().tolist()
    [8, 0, 10, 3]
    """
    return _index_shuffle(index, seed, max_index)


@named("RandomIndexShuffle")
def _index_shuffle(
    index: Any, seed: Any, max_index: Any, name: str | None = None
) -> Any:
    given = converted(seed)
    first = given[..., :1] * 0 + _FIRST
    key = tl.concat([first, given], axis=-1)
    place = converted(index)
    return shuffled_index(place, key, tl.astype(converted(max_index), place.dtype))


_FIRST = 498247692
"""What TensorFlow puts before a seed of two numbers."""


@named("stateless_shuffle")
def stateless_shuffle(
    value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None
) -> Any:
    """Return the slices of the first axis in an order that a seed draws.

    `alg` has no effect.
    """
    return tl.random.stateless_shuffle(converted(value), converted(seed))


__dir__ = listing("random.experimental", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error("tensorlite.compat.v2.random.experimental", name, __all__)
