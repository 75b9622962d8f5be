"""Operators that reduce axes, and those that run along them."""

from __future__ import annotations

from collections.abc import Callable

from tensorlite.core.dtypes import bool_, int32, int64
from tensorlite.interop.onnx.values import (
    Order,
    normal,
)
from tensorlite.interop.onnx.writing import (
    Made,
    Site,
)

REDUCTIONS = {
    "Sum": "ReduceSum",
    "Mean": "ReduceMean",
    "Prod": "ReduceProd",
    "Max": "ReduceMax",
    "Min": "ReduceMin",
    "All": "ReduceMin",
    "Any": "ReduceMax",
}


def _axes(site: Site, i: int) -> list[int]:
    return sorted({site.axis(axis, 0) for axis in site.ints(i, "axes")})


def left(order: Order, axes: list[int]) -> Order:
    """Return the order of what is left when axes are gone, as they are from what is stored.

    >>> left((0, 2, 3, 1), [1, 2])
    >>> left((0, 2, 1), [0])
    (1, 0)
    """
    if order is None:
        return None
    kept = [place for axis, place in enumerate(order) if axis not in axes]
    return normal([sorted(kept).index(place) for place in kept])


def _reduce(site: Site) -> Made:
    axes, order = _axes(site, 1), site.order(0)
    keep = bool(site.attribute("keep_dims"))
    name = site.name(0, order)
    if not axes:
        return site.view(name, order)
    stored = axes if order is None else sorted(order[axis] for axis in axes)
    is_logical = site.spec(0).dtype is bool_
    if is_logical:
        name = site.cast(name, int32)
    elif site.spec(0).dtype is not site.dtype:
        name = site.cast(name, site.dtype)
    places = site.constant(stored, int64)
    op = REDUCTIONS[site.node.op.name]
    name = site.add(op, name, places, keepdims=int(keep))
    if is_logical:
        name = site.cast(name, site.dtype)
    return site.view(name, order if keep else left(order, axes))


def _place(site: Site) -> Made:
    (given,) = site.ints(1, "axis")
    axis = site.axis(given, 0)
    name = site.add(site.node.op.name, site.name(0), axis=axis, keepdims=0)
    return name if site.dtype is int64 else site.cast(name, site.dtype)


def _cumulative(site: Site) -> Made:
    flags = {x: int(site.attribute(x)) for x in ("exclusive", "reverse")}
    (axis,) = site.ints(1, "axis")
    return site.add("CumSum", site.name(0), site.constant(axis, int64), **flags)


def _standardize(site: Site) -> Made:
    """Return deviation, mean and variance, in the form that runtimes know for a layer norm."""
    axes, order = _axes(site, 1), site.order(0)
    stored = axes if order is None else sorted(order[axis] for axis in axes)
    places = site.constant(stored, int64)
    x = site.name(0, order)
    centre = site.add("ReduceMean", x, places, keepdims=1)
    away = site.add("Sub", x, centre)
    squares = site.add("Mul", away, away)
    variance = site.add("ReduceMean", squares, places, keepdims=1)
    epsilon = site.constant(site.attribute("epsilon"))
    deviation = site.add("Sqrt", site.add("Add", variance, epsilon))
    result = site.add("Div", away, deviation)
    return [site.view(name, order) for name in (result, centre, variance)]


HANDLERS: dict[str, Callable[[Site], Made]] = {
    **dict.fromkeys(REDUCTIONS, _reduce),
    "ArgMax": _place,
    "ArgMin": _place,
    "Cumsum": _cumulative,
    "Standardize": _standardize,
}
