"""tf.keras.random: numbers that a seed determines, and SeedGenerator, which goes on from one."""

from __future__ import annotations

import random as python_random
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared import seeds
from tensorlite.compat.v2.framework import Module, Variable
from tensorlite.compat.v2.keras import defaults, naming, sketch
from tensorlite.compat.v2.keras.ops.making import fraction, tensor
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.dtypes import as_dtype, float32, int32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.ops.generators import Seed
from tensorlite.ops.shape import astype, shape_of


def _any_seed() -> int:
    """Return a seed that depends on Python's own, as Keras' do."""
    return python_random.randint(1, int(1e9))  # noqa: S311  nothing secret


class SeedGenerator(Module):
    """Gives a seed after the other: the one it was made with, and how many were given."""

    def __init__(
        self, seed: int | None = None, name: str | None = None, **kwargs: Any
    ) -> None:
        chosen = _any_seed() if seed is None else seed
        if not isinstance(chosen, (int, np.integer)):
            raise InvalidArgumentError(
                f"Argument `seed` must be an integer. Received: seed={seed}"
            )
        self._name = name or naming.unique("seed_generator")
        self._first = seed
        with interpreted_by(None):
            first = np.array([chosen, 0], np.int64)
            self.state: Any = Variable(
                first, trainable=False, name="seed_generator_state"
            )

    def next(self, ordered: bool = True) -> Any:
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


def _drawn(seed: Any) -> Any:
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
        pair = tensor(seed, int64)
    else:
        raise InvalidArgumentError(
            f"seed={seed!r}: an integer, a keras.random.SeedGenerator or None"
        )
    return astype(tl.remainder(pair, 2**31 - 2), int32)


def _noting(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of tensors that takes note of its call on symbolic ones."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if sketch.is_symbolic([args, kwargs]):
            return sketch.noted(call, args, kwargs, function.__name__)
        return function(*args, **kwargs)

    return call


def _kind(dtype: Any) -> Any:
    return defaults.kind_of(dtype)


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = None,
    seed: Any = None,
) -> Any:
    return seeds.stateless_normal(shape, _drawn(seed), mean, stddev, _kind(dtype))


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = None,
    seed: Any = None,
) -> Any:
    return seeds.stateless_truncated_normal(
        shape, _drawn(seed), mean, stddev, _kind(dtype)
    )


def uniform(
    shape: Any,
    minval: Any = 0.0,
    maxval: Any = 1.0,
    dtype: Any = None,
    seed: Any = None,
) -> Any:
    kind = _kind(dtype)
    low, high = tensor(minval, kind), tensor(maxval, kind)
    return seeds.stateless_uniform(shape, _drawn(seed), low, high, kind)


def randint(
    shape: Any, minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None
) -> Any:
    kind = as_dtype(dtype)
    drawn = kind if kind in (int32, int64) else int64
    made = seeds.stateless_uniform(shape, _drawn(seed), minval, maxval, drawn)
    return astype(made, kind)


@_noting
def categorical(
    logits: Any, num_samples: int, dtype: Any = "int32", seed: Any = None
) -> Any:
    made = seeds.stateless_categorical(fraction(logits), num_samples, _drawn(seed))
    return astype(made, as_dtype(dtype))


@_noting
def dropout(
    inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None
) -> Any:
    x = fraction(inputs)
    if rate in (0, 1):
        return x if rate == 0 else tl.zeros_like(x)
    own = shape_of(x)
    given = [None] * len(x.shape) if noise_shape is None else list(noise_shape)
    sizes = [own[i] if n is None else n for i, n in enumerate(given)]
    draws = Seed(_drawn(seed)).uniform(sizes, dtype=x.dtype)
    kept = x * (1.0 / (1.0 - rate))
    return tl.where(draws >= rate, kept, tl.zeros_like(kept))


@_noting
def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Any:
    value = tensor(x)
    draws = Seed(_drawn(seed)).uniform([shape_of(value)[axis]])
    return tl.gather(value, tl.argsort(draws), axis=axis)


def gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Any:
    kind = _kind(dtype)
    return astype(seeds.stateless_gamma(shape, _drawn(seed), alpha), kind)


def beta(
    shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None
) -> Any:
    kind, first = _kind(dtype), _drawn(seed)
    a, b = (tl.broadcast_to(fraction(x), shape) for x in (alpha, beta))
    x = seeds.stateless_gamma(shape, first, a)
    return astype(x / (x + seeds.stateless_gamma(shape, first + 12, b)), kind)


def binomial(
    shape: Any,
    counts: Any,
    probabilities: Any,
    dtype: Any = None,
    seed: Any = None,
) -> Any:
    kind, source = _kind(dtype), Seed(_drawn(seed))
    made = tl.random.binomial(
        shape, fraction(counts), fraction(probabilities), float32, source
    )
    return astype(made, kind)


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
