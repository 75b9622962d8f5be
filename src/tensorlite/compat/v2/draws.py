"""Random numbers with the arguments of TensorFlow 2."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared import random
from tensorlite.core.dtypes import as_dtype, float32, int64
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.streams import global_seed
from tensorlite.ops.generators import Generator, Seed, global_generator

__all__ = ["Generator"]


def set_seed(seed: int) -> None:
    graph = active_graph()
    if graph is not None:
        graph.seed = seed
        return
    global_seed.set(int(seed))


def categorical(
    logits: Any,
    num_samples: Any,
    dtype: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    title = name or "categorical"
    return random.categorical(logits, num_samples, dtype, seed, title)


def get_global_generator() -> Any:
    return global_generator()


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


def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Any:
    return tl.random.stateless_fold_in(converted(seed), converted(data))


def split(seed: Any, num: int = 2, alg: Any = "auto_select") -> Any:
    return tl.random.stateless_split(converted(seed), num)
