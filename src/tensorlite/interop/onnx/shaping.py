"""Operators that move, cut, join and fill: transposes are put off, see writing.py."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from tensorlite.core.dtypes import DType, bool_, int32, int64
from tensorlite.interop.onnx.slicing import FIRST, LAST
from tensorlite.interop.onnx.values import (
    Flat,
    Order,
    UnsupportedError,
    View,
)
from tensorlite.interop.onnx.writing import (
    Made,
    Site,
)


def _transpose(site: Site) -> Made:
    perm = [site.axis(p, 0) for p in site.ints(1, "axes")]
    return site.transposed(site.value(0), perm)


def _shape(site: Site) -> Made:
    return _as_dtype(site, _sizes_of(site, 0), site.attribute("out_type"))


def _sizes_of(site: Site, i: int) -> str:
    order = site.order(i)
    sizes = site.add("Shape", site.name(i, order))
    if order is None:
        return sizes
    return site.add("Gather", sizes, site.constant(order, int64), axis=0)


def _as_dtype(site: Site, name: str, dtype: DType) -> str:
    return name if dtype is int64 else site.cast(name, dtype)


def _size(site: Site) -> Made:
    order = site.order(0)
    return _as_dtype(
        site, site.add("Size", site.name(0, order)), site.attribute("out_type")
    )


def _rank(site: Site) -> Made:
    sizes = site.add("Shape", site.add("Shape", site.name(0)))
    return _as_dtype(site, site.squeezed(sizes, 0), site.dtype)


def _reduced_size(site: Site) -> Made:
    sizes = site.add("Gather", site.name(0), site.name(1), axis=0)
    product = site.add("ReduceProd", _as_dtype(site, sizes, int64), keepdims=0)
    return site.cast(product, site.dtype)


def _kept_shape(site: Site) -> Made:
    """Return a shape with 1 at some axes."""
    (rank,) = site.shape(0)
    if rank is None:
        raise UnsupportedError("the rank of its tensor is not known")
    ones = np.zeros(rank, bool)
    ones[[axis % rank for axis in site.ints(1, "axes")]] = True
    return site.add(
        "Where", site.constant(ones, bool_), site.constant(1), site.name(0)
    )


def _resized(is_longer: bool) -> Callable[[Site], Made]:
    """Return the handler for a shape with a size of 1 put in, or one taken out."""

    def handle(site: Site) -> Made:
        (rank,) = site.shape(0)
        if rank is None:
            raise UnsupportedError("the rank of its tensor is not known")
        axis, name = site.attribute("axis"), site.name(0)
        places = [*range(axis), *range(axis if is_longer else axis + 1, rank)]
        if is_longer:
            places.insert(axis, rank)
            name = site.add("Concat", name, site.constant([1]), axis=0)
        return site.add("Gather", name, site.constant(places, int64), axis=0)

    return handle


def _reshape(site: Site) -> Made:
    value, shape = site.value(0), site.spec(0).shape
    order, made = site.order(0), site.node.outputs[0].spec.shape
    if isinstance(value, View) and order and order[0] == 0 and shape and made:
        sizes = [size for size in shape[1:] if size]
        if len(sizes) == len(shape) - 1 and len(made) == 2 and made[1] == prod(sizes):
            return Flat(value, prod(sizes))
    return site.add("Reshape", site.name(0), site.sizes(1), allowzero=_zeros(site))


def _zeros(site: Site) -> int:
    """Return whether a 0 in a shape is a size: unless nothing can be, alongside -1."""
    sizes = site.spec(1).vector()
    return int(
        sizes is None or (0 in sizes and None not in sizes and -1 not in sizes)
    )


def _expand_dims(site: Site) -> Made:
    (axis,) = site.ints(1, "axis")
    return site.unsqueezed(site.name(0), site.axis(axis, 0, 1))


def _squeeze(site: Site) -> Made:
    axes = site.attribute("squeeze_dims")
    if axes:
        return site.squeezed(site.name(0), *[site.axis(axis, 0) for axis in axes])
    return site.add("Squeeze", site.name(0))


def _broadcast(site: Site) -> Made:
    return site.add("Expand", site.name(0), site.vector(1))


def _fill(site: Site) -> Made:
    return site.add("Expand", site.name(1), site.vector(0))


def _filled_like(number: int) -> Callable[[Site], Made]:
    def handle(site: Site) -> Made:
        return site.add("Expand", site.constant(number), _sizes_of(site, 0))

    return handle


def _concat(site: Site) -> Made:
    count = site.attribute("N")
    (given,) = site.ints(count, "axis")
    axis = site.axis(given, 0)
    order = site.order(0)
    if order is None or any(site.order(i) != order for i in range(count)):
        return site.add("Concat", *[site.name(i) for i in range(count)], axis=axis)
    names = [site.name(i, order) for i in range(count)]
    return site.view(site.add("Concat", *names, axis=order[axis]), order)


def _pack(site: Site) -> Made:
    axis = site.axis(site.attribute("axis"), 0, 1)
    parts = [site.unsqueezed(name, axis) for name in site.names()]
    return site.add("Concat", *parts, axis=axis)


def _unpack(site: Site) -> Made:
    axis, count = site.axis(site.attribute("axis"), 0), site.attribute("num")
    parts = site.add_many(count, "Split", site.name(0), axis=axis, num_outputs=count)
    return [site.squeezed(part, axis) for part in parts]


def _split(site: Site) -> Made:
    count = site.attribute("num_split")
    (given,) = site.ints(0, "axis")
    axis, order = site.axis(given, 1), site.order(1)
    stored = axis if order is None else order[axis]
    name = site.name(1, order)
    parts = site.add_many(count, "Split", name, axis=stored, num_outputs=count)
    return [site.view(part, order) for part in parts]


def _split_sizes(site: Site) -> Made:
    (given,) = site.ints(2, "axis")
    axis, sizes = site.axis(given, 0), site.ints(1, "sizes")
    whole = site.shape(0)[axis]
    if -1 in sizes:
        if whole is None:
            raise UnsupportedError(
                "one of its sizes is -1 on an axis of unknown size"
            )
        sizes[sizes.index(-1)] = whole - sum(sizes) - 1
    given_sizes = site.constant(sizes, int64)
    return site.add_many(len(sizes), "Split", site.name(0), given_sizes, axis=axis)


def _pad(mode: str, value: bool) -> Callable[[Site], Made]:
    def handle(site: Site) -> Made:
        if mode == "mirror" and site.attribute("mode") != "REFLECT":
            raise UnsupportedError("ONNX mirrors without the border only (REFLECT)")
        order: Order = site.order(0)
        rows = site.known(1)
        if rows is None:
            order = None
            across = site.add("Transpose", site.name(1), perm=[1, 0])
            pads = site.reshaped(site.cast(across, int64), [-1])
        else:
            stored = rows if order is None else rows[np.argsort(order)]
            pads = site.constant(stored.T.reshape(-1), int64)
        given = [site.name(0, order), pads, *([site.name(2)] if value else [])]
        named = "constant" if value else "reflect"
        return site.view(site.add("Pad", *given, mode=named), order)

    return handle


def _tile(site: Site) -> Made:
    return site.add("Tile", site.name(0), site.vector(1))


def _repeat(site: Site) -> Made:
    axis = site.axis(site.attribute("axis"), 0)
    size = site.shape(0)[axis]
    if size is None:
        raise UnsupportedError(f"the size of axis {axis} is not known")
    counts = site.ints(1, "counts")
    places = np.repeat(np.arange(size), counts)
    return site.add("Gather", site.name(0), site.constant(places, int64), axis=axis)


def _reverse(site: Site) -> Made:
    axes = [site.axis(axis, 0) for axis in site.ints(1, "axes")]
    if not axes:
        return site.value(0)
    numbers = [[LAST] * len(axes), [FIRST] * len(axes), axes, [-1] * len(axes)]
    return site.add(
        "Slice", site.name(0), *[site.constant(one, int64) for one in numbers]
    )


def _roll(site: Site) -> Made:
    name = site.name(0)
    shifts, axes = site.ints(1, "shifts"), site.ints(2, "axes")
    for shift, given in zip(shifts, axes, strict=True):
        axis = site.axis(given, 0)
        size = site.shape(0)[axis]
        if size is None:
            raise UnsupportedError(f"the size of axis {axis} is not known")
        places = (np.arange(size) - shift) % max(size, 1)
        name = site.add("Gather", name, site.constant(places, int64), axis=axis)
    return name


def _reverse_sequence(site: Site) -> Made:
    return site.add(
        "ReverseSequence",
        site.name(0),
        site.vector(1),
        batch_axis=site.axis(site.attribute("batch_dim"), 0),
        time_axis=site.axis(site.attribute("seq_dim"), 0),
    )


def _range(site: Site) -> Made:
    return site.add("Range", *site.names())


def _triangle(upper: int) -> Callable[[Site], Made]:
    def handle(site: Site) -> Made:
        diagonal = site.constant(site.attribute("k"), int64)
        if site.spec(0).dtype is bool_:
            whole = site.cast(site.name(0), int32)
            return site.cast(site.add("Trilu", whole, diagonal, upper=upper), bool_)
        return site.add("Trilu", site.name(0), diagonal, upper=upper)

    return handle


HANDLERS: dict[str, Callable[[Site], Made]] = {
    "Transpose": _transpose,
    "Shape": _shape,
    "Size": _size,
    "Rank": _rank,
    "ReducedSize": _reduced_size,
    "KeptShape": _kept_shape,
    "InsertSize": _resized(is_longer=True),
    "RemoveSize": _resized(is_longer=False),
    "Reshape": _reshape,
    "Squeeze": _squeeze,
    "ExpandDims": _expand_dims,
    "BroadcastTo": _broadcast,
    "Fill": _fill,
    "ZerosLike": _filled_like(0),
    "OnesLike": _filled_like(1),
    "Pack": _pack,
    "ConcatV2": _concat,
    "Unpack": _unpack,
    "Split": _split,
    "SplitV": _split_sizes,
    "PadV2": _pad("constant", True),
    "MirrorPad": _pad("mirror", False),
    "Tile": _tile,
    "Repeat": _repeat,
    "ReverseV2": _reverse,
    "Roll": _roll,
    "ReverseSequence": _reverse_sequence,
    "Range": _range,
    "Tril": _triangle(0),
    "Triu": _triangle(1),
}
