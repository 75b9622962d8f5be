"""Random numbers of a seed of two integers, which both TensorFlows draw alike.

Binomial numbers are tensorlite's own.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared import random
from tensorlite.core.dtypes import as_dtype, float32, int32, int64
from tensorlite.ops import sampling
from tensorlite.ops.generators import Seed
from tensorlite.ops.host_draws import binomial, poisson


@named("stateless_random_uniform")
def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    wanted, source = as_dtype(dtype), Seed(converted(seed))
    sizes = random.sizes_of(shape)
    if wanted.is_integer and minval is None and maxval is None:
        return source.bits(sizes, wanted)
    return source.uniform(sizes, minval, 1 if maxval is None else maxval, wanted)


@named("stateless_random_normal")
def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    sizes = random.sizes_of(shape)
    return Seed(converted(seed)).normal(sizes, mean, stddev, as_dtype(dtype))


@named("stateless_truncated_normal")
def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    source = Seed(converted(seed))
    return source.truncated_normal(
        random.sizes_of(shape), mean, stddev, as_dtype(dtype)
    )


@named("stateless_parameterized_truncated_normal")
def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Any:
    mean = converted(means)
    given = [converted(x, mean.dtype) for x in (stddevs, minvals, maxvals)]
    return sampling.stateless_parameterized_truncated_normal(
        random.sizes_of(shape), converted(seed), mean, *given
    )


@named("stateless_random_gamma")
def stateless_gamma(
    shape: Any,
    seed: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = float32,
    name: str | None = None,
) -> Any:
    a = converted(alpha, as_dtype(dtype))
    rate = 1.0 if beta is None else converted(beta, as_dtype(dtype))
    return Seed(converted(seed)).gamma(random.sizes_of(shape), a, rate)


@named("stateless_random_poisson")
def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = int32, name: str | None = None
) -> Any:
    rate = converted(lam, float32)
    source = Seed(converted(seed))
    return poisson(random.sizes_of(shape), rate, as_dtype(dtype), source)


@named("stateless_categorical")
def stateless_categorical(
    logits: Any,
    num_samples: Any,
    seed: Any,
    dtype: Any = int64,
    name: str | None = None,
) -> Any:
    wanted = int64 if dtype is None else as_dtype(dtype)
    return Seed(converted(seed)).categorical(converted(logits), num_samples, wanted)


@named("stateless_random_binomial")
def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: Any,
    probs: Any,
    output_dtype: Any = int32,
    name: str | None = None,
) -> Any:
    sizes, source = random.sizes_of(shape), Seed(converted(seed))
    given = (converted(counts), converted(probs))
    return binomial(sizes, *given, as_dtype(output_dtype), source)
