"""Pooling by ratios in GraphDefs: where windows begin is drawn, and told to the gradients."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tensorlite.core.errors import GraphDefError
from tensorlite.core.tensor import Tensor
from tensorlite.graph_mode.streams import stream
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.arrays.create import zeros
from tensorlite.ops.control.differentiate import gradients
from tensorlite.ops.nn.fractional_pool import (
    avg_pool_at,
    fractional_starts,
    max_pool_at,
)

Pooling = Callable[..., Tensor]


def _pooled(pool: Pooling, given: Given) -> Values:
    """Return pooled images, and where rows and columns of windows begin."""
    ratios: tuple[float, ...] = given.listed("pooling_ratio", float)
    by_grid, overlapping, is_fixed = [
        given.typed(name, bool)
        for name in ("pseudo_random", "overlapping", "deterministic")
    ]
    seeds = given.typed("seed", int), given.typed("seed2", int)
    if any(seeds) and not is_fixed:
        raise GraphDefError(
            f"{given.record}: seed and seed2 are {seeds}; both are 0 unless it is deterministic"
        )

    def pooled(x: Tensor) -> tuple[Tensor, ...]:
        source = seeds if is_fixed else stream(None, given.record.op)
        starts = fractional_starts(x, ratios, by_grid, source)
        return pool(x, *starts, overlapping), *starts

    return given.composed(pooled, *given.tensors)


def _max_back(given: Given) -> Values:
    overlapping = given.typed("overlapping", bool)

    def back(x: Tensor, _: Tensor, dy: Tensor, rows: Tensor, columns: Tensor) -> Any:
        return gradients(max_pool_at(x, rows, columns, overlapping), x, dy)

    return given.composed(back, *given.tensors)


def _avg_back(given: Given) -> Values:
    """Return the gradient of a mean, which is the same for all images of a shape."""
    overlapping = given.typed("overlapping", bool)

    def back(shape: Tensor, dy: Tensor, rows: Tensor, columns: Tensor) -> Any:
        x = zeros(shape, dtype=dy.dtype)
        return gradients(avg_pool_at(x, rows, columns, overlapping), x, dy)

    return given.composed(back, *given.tensors)


FRACTIONAL: dict[str, Adapter] = {
    "FractionalAvgPool": partial(_pooled, avg_pool_at),
    "FractionalAvgPoolGrad": _avg_back,
    "FractionalMaxPool": partial(_pooled, max_pool_at),
    "FractionalMaxPoolGrad": _max_back,
}
"""How pooling by ratios is read."""
