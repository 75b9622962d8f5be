"""Folds: what the values of all ranks become, and in which order. Who sends what is elsewhere.

Sums of floats depend on the order of their terms; here that never depends on what comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.xp import Array

MERGES: dict[str, Callable[..., Any]] = {
    "sum": np.add,
    "mean": np.add,
    "max": np.maximum,
    "min": np.minimum,
}


class Fold(NamedTuple):
    """How values are merged, and what is done with the result."""

    op: str
    merge: Callable[..., Any]
    size: int
    """How many values there are."""

    def ended(self, total: Array) -> Array:
        """Return the result, which may be the same array, changed."""
        if self.op != "mean":
            return total
        if total.dtype.itemsize == 2:  # where the number of ranks may not be exact
            total[...] = total.astype(np.float32) / np.float32(self.size)
            return total
        return np.divide(total, self.size, out=total)


def fold_of(op: str, dtype: np.dtype[Any], size: int, what: str) -> Fold:
    """Return how arrays of a dtype are merged, or raise why they cannot be."""
    if op not in MERGES:
        raise InvalidArgumentError(
            f"{what}: op={op!r}; allowed are {', '.join(MERGES)}"
        )
    known = dtypes.of_numpy(dtype)
    kinds = {"sum": "iufc", "mean": "fc"}.get(op, "iuf")
    if known.kind not in kinds:
        raise DTypeError(f"{what}: {op} of {known.name} {_instead(known.kind)}")
    return Fold(op, MERGES[op], size)


def _instead(kind: str) -> str:
    if kind == "b":
        return "is not defined; cast to int32 first, or use max for any and min for all of that"
    if kind in "iu":
        return "would not be whole numbers; cast to a float first, or take the sum"
    if kind == "c":
        return "is not defined, since complex numbers have no order"
    return "is not defined; floats and integers can be reduced"


class Ranked:
    """The values of all ranks, merged in the order of ranks, each as soon as it can be.

    The first two make the total in `out`; the own value stays as it is until its turn.
    """

    __slots__ = ("_busy", "_came", "_fold", "_lock", "_next", "_out", "_total")

    def __init__(self, fold: Fold, rank: int, own: Array, out: Array) -> None:
        self._fold = fold
        self._out = out
        self._came = {rank: own}
        self._next = 0
        self._total: Any = None
        self._busy = False
        self._lock = Lock()

    def put(self, rank: int, value: Array) -> Array | None:
        """Take a value; return the total if it is whole with that."""
        with self._lock:
            self._came[rank] = value
            if self._busy:
                return None
            self._busy = True
        while (value := self._due()) is not None:
            if self._total is None:
                self._total = value
            else:
                self._total = self._fold.merge(self._total, value, out=self._out)
            self._next += 1
            if self._next == self._fold.size:
                return self._fold.ended(self._total)
        return None

    def _due(self) -> Array | None:
        """Return the value whose turn it is, if it has come; else another thread may go on."""
        with self._lock:
            value = self._came.pop(self._next, None)
            self._busy = value is not None
        return value
