"""Seeds of Keras, SeedGenerator among them, and what initializers draw by them.

Other draws are in random.py.
"""

from __future__ import annotations

import random as python_random
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.shared.randoms import seeds
from tensorlite.compat.v2.framework import Module
from tensorlite.compat.v2.keras import defaults
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.weights import Weight
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.dtypes import int32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.streams import global_seed
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.random import philox
from tensorlite.ops.random.generators import Seed


def any_seed() -> int:
    """Return a seed that depends on Python's own, as Keras' do."""
    return python_random.randint(1, int(1e9))  # noqa: S311  nothing secret


class SeedGenerator(Module):
    """Gives a seed after the other: the one it was made with, and how many were given."""

    def __init__(
        self, seed: int | None = None, name: str | None = None, **kwargs: Any
    ) -> None:
        chosen = any_seed() if seed is None else seed
        if not isinstance(chosen, (int, np.integer)):
            raise InvalidArgumentError(
                f"Argument `seed` must be an integer. Received: seed={seed}"
            )
        self._name = name or naming.unique("seed_generator")
        self._first = seed
        with interpreted_by(None):
            first = np.array([chosen, 0], np.int64)
            self.state: Any = Weight(
                first, trainable=False, name="seed_generator_state"
            )

    def next(self, ordered: bool = True) -> Any:
        """Return the seed that is next; unless ordered, the one after it is far from it."""
        now = self.state.value()
        if ordered:
            self.state.assign_add(np.array([0, 1], np.int64))
        else:
            self.state.assign(tl.remainder((now + 1) * 5387, 933199))
        return now

    def get_config(self) -> dict[str, Any]:
        return {"seed": self._first, "name": self._name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> SeedGenerator:
        return cls(**config)


_common: list[SeedGenerator] = []
"""The generator of what no seed is given for, once there is one."""


def begin_anew() -> None:
    """Let what no seed is given for follow Python's seed again."""
    _common.clear()


def drawn(seed: Any) -> Any:
    """Return two numbers that what is drawn depends on alone."""
    if isinstance(seed, SeedGenerator):
        pair = seed.next()
    elif isinstance(seed, (int, np.integer)):
        pair = tl.asarray(np.array([int(seed), 0], np.int64))
    elif seed is None:
        if not _common:
            _common.append(SeedGenerator())
        pair = _common[0].next(ordered=False)
    elif isinstance(seed, Operand):
        pair = converted(seed, int64)
    else:
        raise InvalidArgumentError(
            f"seed={seed!r}: an integer, a keras.random.SeedGenerator or None"
        )
    return astype(tl.remainder(pair, 2**31 - 2), int32)


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = None,
    seed: Any = None,
) -> Any:
    """Return normally distributed numbers, by a seed."""
    return seeds.stateless_normal(
        shape, drawn(seed), mean, stddev, defaults.kind_of(dtype)
    )


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = None,
    seed: Any = None,
) -> Any:
    """Return normally distributed numbers, at most two deviations from the mean, by a seed."""
    return seeds.stateless_truncated_normal(
        shape, drawn(seed), mean, stddev, defaults.kind_of(dtype)
    )


def uniform(
    shape: Any,
    minval: Any = 0.0,
    maxval: Any = 1.0,
    dtype: Any = None,
    seed: Any = None,
) -> Any:
    """Return numbers from minval to below maxval, equally likely, by a seed."""
    kind = defaults.kind_of(dtype)
    low, high = converted(minval, kind), converted(maxval, kind)
    return seeds.stateless_uniform(shape, drawn(seed), low, high, kind)


def generator(seed: Any) -> SeedGenerator | None:
    """Return what a layer draws by; None in graphs built by hand, whose operators have seeds."""
    return SeedGenerator(seed) if active_graph() is None else None


def dropout(
    inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None
) -> Any:
    """Return x with a share rate of its elements set to 0, the others divided by 1 - rate."""
    own = shape_of(inputs)
    given = [None] * len(inputs.shape) if noise_shape is None else list(noise_shape)
    sizes = [own[i] if n is None else n for i, n in enumerate(given)]
    draws = Seed(drawn(seed)).uniform(sizes, dtype=inputs.dtype)
    kept = inputs * (1.0 / (1.0 - rate))
    return tl.where(draws >= rate, kept, tl.zeros_like(kept))


def permutation(count: int) -> Any:
    """Return the order of rows in an epoch.

    Keras shuffles them in a dataset's function, whose draws begin anew with each epoch: where a
    seed was set, the order is the same in all.
    """
    if active_graph() is not None:
        return np.random.permutation(count)
    seed = global_seed.seed
    if seed is None:
        return np.random.default_rng().permutation(count)
    other = 0 if seed else 2**31 - 1  # two seeds of zero would say that none is set
    key, counter = np.array([seed], np.uint64), np.array([0, other], np.uint64)
    return philox.permutation(np, key, counter, count)
