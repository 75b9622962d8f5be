"""Pooling by ratios and glimpses of images, whose parts are drawn."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import converted, named
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import float32, int32
from tensorlite.core.spec import all_known
from tensorlite.core.tensor import Tensor
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.streams import NodeStream, stream
from tensorlite.ops.images.glimpses import ExtractGlimpse, ExtractGlimpseV2
from tensorlite.ops.nn import fractional_draws, fractional_pool
from tensorlite.ops.nn.fractional_draws import FractionalPool
from tensorlite.ops.operators import astype
from tensorlite.ops.random.generators import Source
from tensorlite.ops.random.words import Seeds

Pooled = tuple[Tensor, Tensor, Tensor]


@named("FractionalMaxPool")
def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Pooled:
    """Return images pooled by ratios such as 1.44, and where rows and columns begin.

    `pseudo_random` says how they are drawn, `overlapping` whether windows share an edge;
    https://arxiv.org/abs/1412.6071. Each window gives its largest element.
    """
    options = (pseudo_random, overlapping, deterministic)
    kind = fractional_draws.FractionalMaxPool
    return _pooled(kind, converted(value), pooling_ratio, options, (seed, seed2))


@named("FractionalAvgPool")
def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Pooled:
    """Return images pooled by ratios such as 1.44, and where rows and columns begin.

    Each window gives its mean; arguments are those of `fractional_max_pool`.
    """
    options = (pseudo_random, overlapping, deterministic)
    kind = fractional_draws.FractionalAvgPool
    return _pooled(kind, converted(value), pooling_ratio, options, (seed, seed2))


def _pooled(
    kind: type[FractionalPool],
    x: Tensor,
    ratios: Any,
    options: tuple[bool, bool, bool],
    seeds: Seeds,
) -> Pooled:
    pseudo_random, overlapping, deterministic = options
    is_known = x.spec.shape is not None and all_known(x.spec.shape[1:3])
    if active_graph() is not None or not is_known:
        given = (tuple(map(float, ratios)), *map(bool, options))
        names = ("pooling_ratio", "pseudo_random", "overlapping", "deterministic")
        made = dict(zip(names, given, strict=True))
        y, rows, columns = NodeStream(seeds).made_by(kind, x, **made)
        return y, rows, columns
    source = _source(kind.__name__, deterministic, *seeds)
    starts = fractional_pool.fractional_starts(x, ratios, pseudo_random, source)
    pool = fractional_pool.max_pool_at
    if kind is fractional_draws.FractionalAvgPool:
        pool = fractional_pool.avg_pool_at
    return pool(x, *starts, overlapping), *starts


def _source(kind: str, deterministic: bool, seed: int, other: int) -> Source | Seeds:
    """Return what is drawn from: the same numbers in every run if that is asked for."""
    if deterministic:
        return seed, other
    return stream(seed or other or None, kind)


def glimpsed(op: ExtractGlimpse, image: Any, size: Any, offsets: Any) -> Tensor:
    """Return parts of images, which are numbers of float32."""
    return call(
        op,
        astype(converted(image, float32, "input"), float32),
        converted(size, int32, "size"),
        astype(converted(offsets, float32, "offsets"), float32),
    )


@named("ExtractGlimpseV2")
def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Any:
    """Return windows of images around offsets, [batch, height, width, channels].

    Offsets count from the middle if `centered`, in parts of the image if `normalized`; what lies
    outside is 'uniform', 'gaussian' or 'zero' noise.
    """
    op = ExtractGlimpseV2(bool(centered), bool(normalized), False, noise)
    return glimpsed(op, input, size, offsets)
