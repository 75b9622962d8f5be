"""Random numbers of a seed of two integers, which both TensorFlows draw alike.

Binomial numbers are tensorlite's own.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.adopting import inner_named
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared.randoms import random
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.dtypes import as_dtype, float32, int32, int64
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.streams import stream
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.older_forms import Add
from tensorlite.ops.random import bounded, seeded
from tensorlite.ops.random.counted import binomial, poisson
from tensorlite.ops.random.generators import Seed

_LARGEST = 2**31 - 1


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
    """Return numbers between minval and maxval, which is left out, by a seed.

    maxval is 1 unless given; integers without both are from their whole range. The seed is two
    integers. `alg` has no effect.
    """
    wanted, sizes = as_dtype(dtype), random.shape_tensor(shape)
    is_open = minval is None and maxval is None
    if active_graph() is None or (wanted.is_integer and is_open):
        source, top = Seed(converted(seed)), 1 if maxval is None else maxval
        if wanted.is_integer and is_open:
            return source.bits(sizes, wanted)
        return source.uniform(sizes, minval, top, wanted)
    low = converted(minval, wanted, "min")
    top = converted(1 if maxval is None else maxval, wanted, "max")
    if wanted.is_integer:
        given = converted(seed, None, "seed")
        return composed(seeded.StatelessRandomUniformInt(), sizes, given, low, top)
    unit = _drawn(seeded.StatelessRandomUniform(wanted), sizes, seed)
    room = inner_named(top - low, "sub")
    return composed(Add(), inner_named(unit * room, "mul"), low)


def _drawn(op: Composite, *inputs: Any) -> Any:
    """Return what an operator draws that is a node of its own name."""
    return plain(in_graph(lambda: composed(op, *map(converted, inputs)), op.name))


def _moved(op: Composite, shape: Any, seed: Any, mean: Any, stddev: Any) -> Any:
    """Return numbers that an operator draws, scaled and moved."""
    sizes, wanted = random.shape_tensor(shape), op.attributes()["dtype"]
    middle = converted(mean, wanted, "mean")
    deviation = converted(stddev, wanted, "stddev")
    unit = _drawn(op, sizes, seed)
    return composed(Add(), inner_named(unit * deviation, "mul"), middle)


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
    """Return normally distributed numbers by a seed of two integers.

    `alg` has no effect.
    """
    wanted = as_dtype(dtype)
    if active_graph() is not None:
        op = seeded.StatelessRandomNormal(wanted)
        return _moved(op, shape, seed, mean, stddev)
    sizes = random.sizes_of(shape)
    return Seed(converted(seed)).normal(sizes, mean, stddev, wanted)


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
    """Return normal numbers within two standard deviations, by a seed.

    `alg` has no effect.
    """
    wanted = as_dtype(dtype)
    if active_graph() is not None:
        op = seeded.StatelessTruncatedNormal(wanted)
        return _moved(op, shape, seed, mean, stddev)
    sizes = random.sizes_of(shape)
    return Seed(converted(seed)).truncated_normal(sizes, mean, stddev, wanted)


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
    """Return normal numbers between bounds, by a seed.

    Means, deviations and bounds broadcast to the shape.
    """
    mean = converted(means)
    given = [converted(x, mean.dtype) for x in (stddevs, minvals, maxvals)]
    return bounded.stateless_parameterized_truncated_normal(
        random.sizes_of(shape), converted(seed), mean, *given
    )


@named("parameterized_truncated_normal")
def parameterized_truncated_normal(
    shape: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return normal numbers between bounds; means, deviations and bounds broadcast to the shape."""
    kind = as_dtype(dtype)
    given = [converted(x, kind) for x in (means, stddevs, minvals, maxvals)]
    pair = stream(seed, "ParameterizedTruncatedNormal").integers((2,), 0, _LARGEST)
    return bounded.stateless_parameterized_truncated_normal(
        random.sizes_of(shape), pair, *given
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
    """Return numbers of gamma distributions, by a seed of two integers.

    `alpha` is the shape, `beta` the rate, 1 unless given; both broadcast to the shape.
    """
    a = converted(alpha, as_dtype(dtype))
    rate = 1.0 if beta is None else converted(beta, as_dtype(dtype))
    return Seed(converted(seed)).gamma(random.sizes_of(shape), a, rate)


@named("stateless_random_poisson")
def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = int32, name: str | None = None
) -> Any:
    """Return numbers of Poisson distributions of rates `lam`, by a seed."""
    rate = converted(lam, float32)
    source = Seed(converted(seed))
    return poisson(random.sizes_of(shape), rate, as_dtype(dtype), source)


@named("stateless_categorical", None)
def stateless_categorical(
    logits: Any,
    num_samples: Any,
    seed: Any,
    dtype: Any = int64,
    name: str | None = None,
) -> Any:
    """Return [batch, num_samples] classes drawn by the logits of each, by a seed."""
    wanted = int64 if dtype is None else as_dtype(dtype)
    if active_graph() is None:
        source = Seed(converted(seed))
        return source.categorical(converted(logits), num_samples, wanted)
    return _drawn(seeded.StatelessMultinomial(wanted), logits, num_samples, seed)


@named("stateless_random_binomial")
def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: Any,
    probs: Any,
    output_dtype: Any = int32,
    name: str | None = None,
) -> Any:
    """Return how often `counts` trials succeed with `probs`, by a seed."""
    sizes, source = random.sizes_of(shape), Seed(converted(seed))
    given = (converted(counts), converted(probs))
    return binomial(sizes, *given, as_dtype(output_dtype), source)
