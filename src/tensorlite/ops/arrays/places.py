"""What operators that take indices share: checks, sums at places, and which are distinct.

The operators stand in gather.py, scatter.py and segment.py.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dtypes import of_numpy
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    PlaceError,
    ShapeError,
)
from tensorlite.core.spec import Dims, TensorSpec, merge, shape_text
from tensorlite.core.xp import Array, Xp, to_host


def integers(op: str, indices: TensorSpec) -> None:
    """Raise DTypeError unless indices are integers."""
    if not indices.dtype.is_integer:
        raise DTypeError(f"{op}: indices are {indices}; allowed are integers")


def nd_depth(op: str, indices: Dims | None, shape: Dims | None) -> int | None:
    """Return how many coordinates a row of indices has; ShapeError when too many."""
    if indices == ():
        raise ShapeError(
            f"{op}: indices are 0-d; their last axis must hold the coordinates"
        )
    depth = None if indices is None else indices[-1]
    if depth is not None and shape is not None and depth > len(shape):
        raise ShapeError(
            f"{op}: {depth} coordinates for a tensor of shape {shape_text(shape)}"
        )
    return depth


def nd_fits(
    op: str, indices: Dims | None, updates: Dims | None, shape: Dims | None
) -> None:
    """Raise ShapeError unless updates are shaped as the parts that rows of indices select."""
    depth = nd_depth(op, indices, shape)
    if depth is None or shape is None or indices is None:
        return
    wanted = (*indices[:-1], *shape[depth:])
    try:
        merge(wanted, updates)
    except ShapeError:
        raise ShapeError(
            f"{op}: updates have shape {shape_text(updates)}; indices "
            f"{shape_text(indices)} into {shape_text(shape)} need {shape_text(wanted)}"
        ) from None


def check_sorted(what: str, ids: Array, count: int) -> None:
    """Raise InvalidArgumentError unless segment numbers grow, from 0 to less than `count`."""
    if count < 0 or (ids.size and count == 0):
        raise InvalidArgumentError(f"{what}segment ids must be >= 0")
    outside = (ids < 0) | (ids >= count)
    falls = ids[1:] < ids[:-1]
    if not bool(outside.any()) and not bool(falls.any()):
        return
    first = int(outside.argmax()) if bool(outside.any()) else len(ids)
    if bool(falls.any()) and int(falls.argmax()) + 1 < first:
        raise InvalidArgumentError(
            f"{what}segment ids are not increasing; those that are not sorted are for "
            "tl.unsorted_segment_sum and the like"
        )
    raise InvalidArgumentError(
        f"{what}Segment id {int(ids[first])} out of range [0, {count}), possibly because "
        "'segment_ids' input is not sorted; those that are not are for tl.unsorted_segment_sum "
        "and the like"
    )


def segmented(
    op: str, data: TensorSpec, ids: TensorSpec, count: int | None
) -> TensorSpec:
    """Return the spec of segments; ShapeError unless the numbers' shape starts the data's."""
    integers(op, ids)
    if data.shape is None or ids.shape is None:
        return data.with_shape(None)
    rank = len(ids.shape)
    try:
        merge(data.shape[:rank], ids.shape)
    except ShapeError:
        raise ShapeError(
            f"{op}: segment numbers have shape {shape_text(ids.shape)}, with which the shape of "
            f"the data, {shape_text(data.shape)}, must start"
        ) from None
    return data.with_shape((count, *data.shape[rank:]))


def in_range(
    op: str, indices: Array, size: int, axis: int, name: str = "indices"
) -> None:
    """Raise PlaceError unless all indices, counted from the front, are there."""
    if indices.dtype.kind not in "iu":
        integers(op, TensorSpec(indices.shape, of_numpy(indices.dtype)))
    if indices.size:
        low, high = int(indices.min()), int(indices.max())
        if low < 0 or high >= size:
            allowed = f"allowed are 0 to {size - 1}" if size else "it has no elements"
            place, index = _first_outside(to_host(indices), size)
            raise PlaceError(
                f"{op}: {name}{place} = {index} is not in [0, {size}): index {index} is out of "
                f"range for axis {axis} of size {size}; {allowed}"
            )


def _first_outside(indices: np.ndarray[Any, Any], size: int) -> tuple[str, int]:
    """Return the place, as programs write it, and value of the first index that is not there."""
    place = np.argwhere((indices < 0) | (indices >= size))[0].tolist()
    text = f"[{','.join(map(str, place))}]" if place else ""
    return text, int(indices[tuple(place)])


def nd_rows(
    op: str, xp: Xp, indices: Array, shape: tuple[int, ...]
) -> tuple[tuple[int, int], Array]:
    """Return the shape of a tensor seen as rows, and the row that each row of indices selects."""
    depth = nd_depth(op, indices.shape, shape) or 0
    places = xp.zeros(prod(indices.shape[:-1]), "int64")
    for axis in range(depth):
        column = indices[..., axis].reshape(-1)
        in_range(op, column, shape[axis], axis)
        places = places * shape[axis] + column.astype("int64")
    return (prod(shape[:depth]), prod(shape[depth:])), places


_WIDER = {
    "float16": "float32",
    "bfloat16": "float32",
    **dict.fromkeys(("int8", "int16"), "int32"),
    **dict.fromkeys(("uint8", "uint16"), "uint32"),
}
"""What dtypes without atomic operations on GPUs are combined in."""
_SIGN = 1 << 63


def combine_at(xp: Xp, name: str, target: Array, rows: Array, values: Array) -> Array:
    """Return a copy of a matrix into whose `rows` values went by a function (add, maximum, ...)."""
    out = target.copy()
    combine_into(xp, name, out, rows, values)
    return out


def combine_into(
    xp: Xp, name: str, target: Array, rows: Array, values: Array
) -> None:
    """Bring values into the `rows` of a contiguous matrix by a function (add, maximum, ...).

    Rows may be named several times. Indices are made flat, for which `at` has a fast path.
    """
    inner = target.shape[1]
    places = (rows.astype("int64")[:, None] * inner + xp.arange(inner)).reshape(-1)
    flat, given = target.reshape(-1), values.reshape(-1)
    if xp is np and flat.dtype.name not in _WIDER:
        getattr(np, name).at(flat, places, given)
    elif flat.dtype.kind == "c":  # GPUs add numbers atomically, not pairs of numbers
        flat.real = _combined(xp, name, flat.real, places, given.real)
        flat.imag = _combined(xp, name, flat.imag, places, given.imag)
    else:
        flat[...] = _combined(xp, name, flat, places, given)


def _combined(xp: Xp, name: str, flat: Array, places: Array, values: Array) -> Array:
    """Return numbers with values brought in, computed in a dtype that can be."""
    kept = flat.dtype
    out = _atomic(flat, name)
    getattr(xp, name).at(out, places, _atomic(values, name))
    if kept.name == "int64":
        out = (out if name == "add" else out ^ xp.uint64(_SIGN)).view("int64")
    return out.astype(kept)


def sums_at(xp: Xp, count: int, rows: Array, values: Array) -> Array:
    """Return `count` slices, each the sum of those of `values` whose row it is."""
    inner = values.shape[1:]
    flat = values.reshape((rows.size, prod(inner)))
    sums = xp.zeros((count, prod(inner)), values.dtype)
    combine_into(xp, "add", sums, rows, flat)
    return sums.reshape((count, *inner))


def distinct(xp: Xp, x: Array) -> tuple[Array, Array]:
    """Return the distinct elements of a vector in order of appearance, and which each one is."""
    if xp is np and x.dtype.kind in "iu" and x.size:
        low = int(x.min())
        span = int(x.max()) - low + 1
        if span <= _SPAN * x.size:
            return _distinct_by_table(x, low, span)
    values, first, numbers = xp.unique(x, return_index=True, return_inverse=True)
    appearance = xp.argsort(first, kind="stable")
    places = xp.argsort(appearance, kind="stable")
    return values[appearance], places[numbers.reshape(x.shape)]


_SPAN = 16
"""Up to how many times as many numbers as elements a table of them costs less than sorting."""


def _distinct_by_table(x: Array, low: int, span: int) -> tuple[Array, Array]:
    """Return them of integers of which there are few, by a table of where each one is first."""
    wide = x if x.dtype.kind == "u" else x.astype("int64")
    entries = (wide - wide.dtype.type(low)).astype("int64")
    everywhere = np.arange(x.size)
    table = np.empty(span, np.int64)
    table[entries[::-1]] = everywhere[::-1]  # of writes to one place the last stays
    first = table[entries]
    is_first = first == everywhere
    number = np.cumsum(is_first) - 1
    return x[is_first], number[first]


def _atomic(x: Array, name: str) -> Array:
    """Return `x` in a dtype that GPUs combine atomically, int64 as uint64 in the same order."""
    if x.dtype.name == "int64":
        bits = x.copy().view("uint64")
        return bits if name == "add" else bits ^ bits.dtype.type(_SIGN)
    return x.astype(_WIDER.get(x.dtype.name, x.dtype.name))


def reduced_segments(
    op: str, xp: Xp, name: str, data: Array, ids: Array, count: int, initial: Any
) -> Array:
    """Return `count` segments, `initial` combined with their slices; negative ids are left out."""
    if data.shape[: ids.ndim] != ids.shape:
        segmented(
            op, TensorSpec(data.shape), TensorSpec(ids.shape, dtypes.int32), count
        )
    inner = data.shape[ids.ndim :]
    rows, values = ids.reshape(-1), data.reshape(ids.size, prod(inner))
    if ids.size and int(ids.min()) < 0:
        values, rows = values[rows >= 0], rows[rows >= 0]
    in_range(op, rows, count, 0)
    out = xp.full((count, prod(inner)), initial, data.dtype)
    combine_into(xp, name, out, rows, values)
    return out.reshape((count, *inner))
