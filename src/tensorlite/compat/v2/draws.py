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


def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Any:
    return tl.random.stateless_fold_in(converted(seed), converted(data))


def split(seed: Any, num: int = 2, alg: Any = "auto_select") -> Any:
    return tl.random.stateless_split(converted(seed), num)
