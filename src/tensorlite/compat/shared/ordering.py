"""Tensors in order, and the places that put them so: by TensorFlow's nodes in graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import agreeing, converted, deferring, named
from tensorlite.compat.shared.arrays import rank, reshape, shape, transpose
from tensorlite.compat.shared.picking import top_k
from tensorlite.compat.views import in_graph, plain, shown
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import as_dtype, int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.arrays.search import LowerBound, UpperBound


@named("sort", None)
def sort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None
) -> Any:
    """Return the tensor sorted along an axis, 'ASCENDING' or 'DESCENDING'.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.sort([3, 1, 2], direction="DESCENDING").numpy().tolist()
    [3, 2, 1]
    """
    falls = _falls(direction)
    x, along = _operand(values, axis)
    if not _is_taken_apart(x, along):
        return tl.sort(x, axis=axis, descending=falls)
    return _greatest(x, along, 0) if falls else -_greatest(-x, along, 0)


@named("argsort", None)
def argsort(
    values: Any,
    axis: int = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Any:
    """Return the places, as int32, in whose order a tensor is sorted along an axis.

    `direction` is 'ASCENDING' or 'DESCENDING'. `stable` has no effect: equal elements always keep
    their order.
    """
    falls = _falls(direction)
    x, along = _operand(values, axis)
    if not _is_taken_apart(x, along):
        return tl.astype(tl.argsort(x, axis=axis, descending=falls), int32)
    return _greatest(x if falls else -x, along, 1)


def _falls(direction: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise InvalidArgumentError(
            f"Argument `direction` should be one of 'ASCENDING' or 'DESCENDING', not {direction!r}"
        )
    return direction == "DESCENDING"


def _operand(values: Any, axis: Any) -> tuple[Any, Any]:
    """Return a tensor, and the axis of it if that is known."""
    along = axis
    if active_graph() is not None:
        along = converted(axis, int32, "axis").spec.scalar()
    elif isinstance(axis, Operand):
        along = None
    return shown(converted(values, None, "values")), along


def _is_taken_apart(x: Any, axis: int | None) -> bool:
    """Return whether a tensor is ordered by its greatest elements, as TensorFlow's graphs do.

    Numbers without a sign have no negatives to be ordered by.
    """
    if active_graph() is None or axis is None or x.spec.rank is None:
        return False
    is_signed = x.dtype.is_floating or x.dtype.kind == "i"
    return is_signed and axis in range(-x.spec.rank, x.spec.rank)


def _greatest(x: Any, axis: int, part: int) -> Any:
    """Return all elements along an axis, the greatest first, or as `part` 1 their places."""
    count, last = shape(x)[axis], x.spec.rank - 1
    rank(x)  # which TensorFlow asks for a rank that is not known
    if axis in (-1, last):
        return top_k(x, count)[part]
    order = np.arange(last + 1, dtype=np.int32)
    order[[axis, last]] = order[[last, axis]]
    turn = converted(order, int32, "transposition")
    found = top_k(transpose(x, turn), count)[part]
    return transpose(found, turn)


@deferring
def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: Any = "left",
    out_type: Any = int32,
    name: str | None = None,
) -> Any:
    """Return the places at which values would go into sorted rows, the last axis.

    side='left' is before elements equal to a value, 'right' behind them.
    """
    if side not in ("left", "right"):
        raise InvalidArgumentError(
            f"side must be either 'right' or 'left'.  Saw: {side}."
        )
    kind = (LowerBound if side == "left" else UpperBound)(as_dtype(out_type))
    if active_graph() is None:
        row, wanted = agreeing(sorted_sequence, values)
        found = tl.searchsorted(row, wanted, side=side)
        return tl.astype(found, kind.out_type)
    rows, sought = [reshape(x, [-1, shape(x)[-1]]) for x in (sorted_sequence, values)]
    found = in_graph(lambda: call(kind, *plain([rows, sought])), kind.name, name)
    return reshape(found, shape(values))
