"""tf.keras.random: numbers that a seed determines. Seeds themselves are in seeding.py."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import tensorlite as tl
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.randoms import seeds
from tensorlite.compat.v2.keras import defaults, seeding
from tensorlite.compat.v2.keras.ops.making import fraction, tensor
from tensorlite.compat.v2.keras.seeding import (
    SeedGenerator as SeedGenerator,
    drawn,
    normal as normal,
    truncated_normal as truncated_normal,
    uniform as uniform,
)
from tensorlite.compat.v2.keras.src.models import sketch
from tensorlite.core.dtypes import as_dtype, float32, int32, int64
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.random.generators import Seed


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


def randint(
    shape: Any, minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None
) -> Any:
    """Return whole numbers from minval to below maxval, equally likely."""
    kind = as_dtype(dtype)
    wide = kind if kind in (int32, int64) else int64
    made = seeds.stateless_uniform(shape, drawn(seed), minval, maxval, wide)
    return astype(made, kind)


@_noting
def categorical(
    logits: Any, num_samples: int, dtype: Any = "int32", seed: Any = None
) -> Any:
    """Return numbers of classes drawn by rows of logits, num_samples each."""
    made = seeds.stateless_categorical(fraction(logits), num_samples, drawn(seed))
    return astype(made, as_dtype(dtype))


@_noting
def dropout(
    inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None
) -> Any:
    """Return x with a share rate of its elements set to 0, the others divided by 1 - rate."""
    x = fraction(inputs)
    if rate in (0, 1):
        return x if rate == 0 else tl.zeros_like(x)
    return seeding.dropout(x, rate, noise_shape, seed)


@_noting
def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Any:
    """Return the slices along an axis in an order drawn by a seed."""
    value = tensor(x)
    draws = Seed(drawn(seed)).uniform([shape_of(value)[axis]])
    return tl.gather(value, tl.argsort(draws), axis=axis)


def gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Return numbers distributed as Gamma with the shape alpha."""
    kind = _kind(dtype)
    return astype(seeds.stateless_gamma(shape, drawn(seed), alpha), kind)


def beta(
    shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None
) -> Any:
    """Return numbers distributed as Beta with alpha and beta."""
    kind, first = _kind(dtype), drawn(seed)
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
    """Return how many of counts draws succeed, each with a probability."""
    kind, source = _kind(dtype), Seed(drawn(seed))
    made = tl.random.binomial(
        shape, fraction(counts), fraction(probabilities), float32, source
    )
    return astype(made, kind)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
