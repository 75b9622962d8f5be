"""Operators on bands of diagonals: which element of a band stands where in the matrix.

A single diagonal is an operator here; a band is gathered, element by element, so that sizes must be
known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tensorlite.core.dispatch import call, constant
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import GraphDefError
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter, Plain
from tensorlite.ops.arrays.gather import take
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.pieces import PadV2
from tensorlite.ops.arrays.shape import reshape, shape_of

_LEFT = {"LEFT_LEFT": (1, 1), "LEFT_RIGHT": (1, 0), "RIGHT_LEFT": (0, 1)}
"""Whether diagonals above, and below, the main one begin at the left of their row in a band."""


class Band(NamedTuple):
    """The diagonals from `low` to `high` of matrices, the highest first, as rows of one length."""

    low: int
    high: int
    rows: int
    columns: int
    align: str

    @property
    def width(self) -> int:
        """The length of the longest diagonal."""
        return min(self.rows + min(self.high, 0), self.columns - max(self.low, 0))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the band; of one diagonal that of a vector."""
        count = self.high - self.low + 1
        return (self.width,) if count == 1 else (count, self.width)

    def places(self) -> tuple[Any, Any]:
        """Return for each element of the band its place in the matrix, and the other way; or -1."""
        band = np.full((self.high - self.low + 1, self.width), -1)
        matrix = np.full((self.rows, self.columns), -1)
        above, below = _LEFT.get(self.align, (0, 0))
        for row, k in enumerate(range(self.high, self.low - 1, -1)):
            length = min(self.rows + min(k, 0), self.columns - max(k, 0))
            is_left = (k >= 0 and above) or (k <= 0 and below)
            start = 0 if is_left else self.width - length
            along = np.arange(length)
            i, j = along + max(-k, 0), along + max(k, 0)
            band[row, along + start] = i * self.columns + j
            matrix[i, j] = row * self.width + along + start
        return band, matrix


def _sides(given: Given, place: int) -> tuple[int, int]:
    k = given.constant(place).ravel().tolist()
    if len(k) not in (1, 2) or k[0] > k[-1] or max(map(abs, k)) > 2**31:
        raise GraphDefError(
            f"{given.record}: k={k}; allowed are one or two diagonals"
        )
    return int(k[0]), int(k[-1])


def _is_one(given: Given, place: int) -> bool:
    """Return whether one diagonal is asked for, which may be computed."""
    if given.tensor(place).spec.size == 1:
        return True
    low, high = _sides(given, place)
    return low == high


def _band(given: Given, rows: int | None, columns: int | None, place: int) -> Band:
    low, high = _sides(given, place)
    if rows is None or columns is None:
        raise GraphDefError(
            f"{given.record} takes a band of matrices whose sizes are not known; supported is one "
            "diagonal"
        )
    made = Band(low, high, rows, columns, _align(given))
    if not -rows < low <= high < columns:
        raise GraphDefError(
            f"{given.record}: a matrix of {rows} rows and {columns} columns has no diagonals "
            f"{low} to {high}"
        )
    return made


def _taken(x: Tensor, axes: int, places: Any, filling: Tensor) -> Tensor:
    """Return elements of the last axes of a tensor by their places; what has none is filled."""
    sizes = shape_of(x)
    outer = sizes[: x.ndim - axes]
    count = int(np.prod([size or 0 for size in x.shape[x.ndim - axes :]]))
    flat = reshape(x, concat([outer, constant([-1], int32)]))
    room = [[0, 0]] * (x.ndim - axes) + [[0, 1]]
    wide = call(PadV2(), flat, constant(room, int32), filling)
    chosen = np.where(places < 0, count, places).ravel()
    found = take(wide, constant(chosen.astype(np.int32)), axis=-1)
    return reshape(found, concat([outer, constant(list(places.shape), int32)]))


def _diag_part(given: Given) -> Values:
    if _is_one(given, 1):
        return _one(given)
    x, filling = given.tensor(0), given.tensor(2)
    tall, wide = x.shape[-2:] if x.spec.rank else (None, None)
    places, _ = _band(given, tall, wide, 1).places()
    return given.composed(lambda x, y: _taken(x, 2, places, y), x, filling)


def _diag(given: Given) -> Values:
    if _is_one(given, 1) and not np.any(given.constant(4)):
        return _one(given)
    low, high = _sides(given, 1)
    x, filling = given.tensor(0), given.tensor(4)
    axes = 1 if low == high else 2
    size = x.shape[-1] if x.spec.rank else None
    tall, wide = [int(given.constant(i)) for i in (2, 3)]
    least = None if size is None else (size - min(high, 0), size + max(low, 0))
    if least is not None:
        square = max(least) if tall == wide == -1 else None
        tall, wide = [
            (square or one) if asked == -1 else asked
            for asked, one in zip((tall, wide), least, strict=True)
        ]
    band = _band(given, tall if least else None, wide if least else None, 1)
    if band.shape != tuple(x.shape[-axes:]):
        raise GraphDefError(
            f"{given.record}: a band of shape {tuple(x.shape[-axes:])} is none of a matrix of "
            f"{tall} rows and {wide} columns"
        )
    _, places = band.places()
    return given.composed(lambda x, y: _taken(x, axes, places, y), x, filling)


def _set_diag(given: Given) -> Values:
    if _is_one(given, 2):
        return _one(given)
    x, diagonals = given.tensor(0), given.tensor(1)
    tall, wide = x.shape[-2:] if x.spec.rank else (None, None)
    band = _band(given, tall, wide, 2)
    if diagonals.spec.rank is None or tuple(diagonals.shape[-2:]) != band.shape:
        raise GraphDefError(
            f"{given.record}: {diagonals.spec} is no band of {x.spec}"
        )
    _, places = band.places()
    own = np.arange(band.rows * band.columns).reshape(places.shape)
    mixed = np.where(places < 0, own, places + own.size)

    def replaced(x: Tensor, y: Tensor) -> Tensor:
        outer, end = shape_of(x)[: x.ndim - 2], constant([-1], int32)
        flat = [reshape(one, concat([outer, end])) for one in (x, y)]
        zero = constant(0, x.dtype)
        return _taken(concat(flat, axis=-1), 1, mixed, zero)

    return given.composed(replaced, x, diagonals)


def _align(given: Given) -> str:
    """Return where diagonals stand in their rows; the second operators have them on the left."""
    return "LEFT_LEFT" if given.record.op in _SECOND else given.typed("align", str)


def _one(given: Given) -> Values:
    """Make the operator for one diagonal."""
    if given.record.op not in _SECOND:
        given.attribute("align")
    return Plain(_SECOND.get(given.record.op, given.record.op))(given)


_SECOND = {
    f"{kind}V2": f"{kind}V3"
    for kind in ("MatrixDiag", "MatrixDiagPart", "MatrixSetDiag")
}


BANDING: dict[str, Adapter] = {
    "MatrixDiagPartV2": _diag_part,
    "MatrixDiagPartV3": _diag_part,
    "MatrixDiagV2": _diag,
    "MatrixDiagV3": _diag,
    "MatrixSetDiagV2": _set_diag,
    "MatrixSetDiagV3": _set_diag,
}
