"""Operators that pick and put by index: gather, scatter, one-hot, the greatest, sorting."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorlite.core.dtypes import DType, int64
from tensorlite.interop.onnx.values import (
    Known,
    UnsupportedError,
)
from tensorlite.interop.onnx.writing import (
    Made,
    Site,
)


def _wide(site: Site, i: int) -> str:
    """Return indices as int64, which operators for many axes take alone."""
    value = site.value(i)
    if isinstance(value, Known):
        return site.constant(value.array, int64)
    return _cast(site, site.name(i), site.spec(i).dtype, int64)


def _cast(site: Site, name: str, have: DType, want: DType) -> str:
    return name if have is want else site.cast(name, want)


def _gather(site: Site) -> Made:
    (given,) = site.ints(2, "axis")
    axis, batch = site.axis(given, 0), site.attribute("batch_dims")
    if batch == 0:
        return site.add("Gather", site.name(0), site.name(1), axis=axis)
    if axis != batch:
        raise UnsupportedError(
            f"axis {axis} is not the first after {batch} batch axes"
        )
    places = site.unsqueezed(_wide(site, 1), len(site.shape(1)))
    return site.add("GatherND", site.name(0), places, batch_dims=batch)


def _resource_gather(site: Site) -> Made:
    return site.add("Gather", site.name(0), site.name(1), axis=0)


def _gather_nd(site: Site) -> Made:
    return site.add("GatherND", site.name(0), _wide(site, 1))


def _scatter_nd(site: Site) -> Made:
    zeros = site.add("Expand", site.constant(0), site.vector(2))
    return site.add("ScatterND", zeros, _wide(site, 0), site.name(1), reduction="add")


def _update(reduction: str) -> Callable[[Site], Made]:
    def handle(site: Site) -> Made:
        update = site.name(2)
        if reduction == "sub":
            update = site.add("Neg", update)
        named = "add" if reduction == "sub" else reduction
        places = _wide(site, 1)
        return site.add("ScatterND", site.name(0), places, update, reduction=named)

    return handle


def _one_hot(site: Site) -> Made:
    """Compare with a range: ONNX's operator counts negative indices from the end."""
    rank = len(site.shape(0))
    axis = site.axis(site.attribute("axis"), 0, 1)
    depth = site.known(1)
    if depth is None:
        limits = site.constant(0, int64), site.squeezed(site.vector(1), 0)
        places = site.add("Range", *limits, site.constant(1, int64))
    else:
        places = site.constant(np.arange(int(depth)), int64)
    places = site.reshaped(places, [-1] + [1] * (rank - axis))
    chosen = site.add("Equal", site.unsqueezed(_wide(site, 0), axis), places)
    return site.add("Where", chosen, site.name(2), site.name(3))


def _top_k(site: Site) -> Made:
    values, places = site.add_many(
        2, "TopK", site.name(0), site.vector(1), axis=-1, largest=1, sorted=1
    )
    return [values, _cast(site, places, int64, site.node.outputs[1].dtype)]


def _sorted(output: int) -> Callable[[Site], Made]:
    def handle(site: Site) -> Made:
        axis = site.axis(site.attribute("axis"), 0)
        sizes = site.add("Shape", site.name(0))
        number = site.add("Gather", sizes, site.constant([axis], int64), axis=0)
        largest = int(site.attribute("descending"))
        made = site.add_many(
            2, "TopK", site.name(0), number, axis=axis, largest=largest, sorted=1
        )
        return made[output]

    return handle


def _where(site: Site) -> Made:
    return site.add("Transpose", site.add("NonZero", site.name(0)), perm=[1, 0])


HANDLERS: dict[str, Callable[[Site], Made]] = {
    "GatherV2": _gather,
    "ResourceGather": _resource_gather,
    "GatherNd": _gather_nd,
    "ScatterNd": _scatter_nd,
    "OneHot": _one_hot,
    "TensorScatterUpdate": _update("none"),
    "TensorScatterAdd": _update("add"),
    "TensorScatterSub": _update("sub"),
    "TensorScatterMax": _update("max"),
    "TensorScatterMin": _update("min"),
    "TopKV2": _top_k,
    "Where": _where,
    "Sort": _sorted(0),
    "ArgSort": _sorted(1),
}
