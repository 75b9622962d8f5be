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

__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
]


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
