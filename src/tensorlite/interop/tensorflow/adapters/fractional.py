"""Pooling by ratios in GraphDefs: where windows begin is drawn, and told to the gradients."""

from __future__ import annotations

from functools import partial

from tensorlite.core.errors import GraphDefError
from tensorlite.interop.tensorflow.adapters.containers import generator_of
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.nn.fractional_draws import (
    FractionalAvgPool,
    FractionalMaxPool,
    FractionalPool,
)

_CHOICES = ("pseudo_random", "overlapping", "deterministic")


def _pooled(kind: type[FractionalPool], given: Given) -> Values:
    """Return pooled images, and where rows and columns of windows begin."""
    ratios: tuple[float, ...] = given.listed("pooling_ratio", float)
    choices = {name: given.typed(name, bool) for name in _CHOICES}
    seeds = {name: given.typed(name, int) for name in ("seed", "seed2")}
    if any(seeds.values()) and not choices["deterministic"]:
        raise GraphDefError(
            f"{given.record}: its seeds are {seeds}; both are 0 unless it is deterministic"
        )
    generator = generator_of(given)
    return given.node(
        kind(ratios, **choices, **seeds), generator, *given.tensors
    ).outputs


FRACTIONAL: dict[str, Adapter] = {
    "FractionalAvgPool": partial(_pooled, FractionalAvgPool),
    "FractionalMaxPool": partial(_pooled, FractionalMaxPool),
}
"""How pooling by ratios is read."""
