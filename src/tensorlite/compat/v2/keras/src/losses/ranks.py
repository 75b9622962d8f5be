"""Axes of what losses and metrics are given, brought to fit where only the run knows them.

Shapes at the run say which these are, so that no branch is needed. Ragged rows are flattened.
"""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.core.dtypes import int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.ragged.checking import behind


def of(*values: Any) -> tuple[int, ...] | None:
    """Return the numbers of axes; None if one of them is not known."""
    found = [x.spec.shape for x in values]
    return None if None in found else tuple(len(x) for x in found if x is not None)


def like(weights: Any, x: Any) -> Any:
    """Return weights with as many axes as x, where only the run knows how many these are.

    Axes of size 1 are taken off at the end, or put on there.
    """
    sizes, wanted = _sizes(weights), _sizes(x)
    longest = tl.concat([sizes, tl.ones_like(wanted)])
    return tl.reshape(weights, longest[: shape_of(wanted)[0]])


def matched(true: Any, predicted: Any) -> tuple[Any, Any]:
    """Return both, without a last axis of size 1 that the other does not have."""
    ours, theirs = _sizes(true), _sizes(predicted)
    more = shape_of(ours)[0] - shape_of(theirs)[0]
    return _without_last(true, ours, more), _without_last(predicted, theirs, -more)


def _without_last(x: Any, sizes: Any, more: Any) -> Any:
    is_single = tl.logical_and(more == 1, tl.all(sizes[-1:] == 1))
    kept = shape_of(sizes)[0] - astype(is_single, more.dtype)
    return tl.reshape(x, sizes[:kept])


def _sizes(x: Any) -> Any:
    return astype(tl.shape(x), int64)


_OTHER_ROWS = "Inputs must have identical ragged splits"


def _same(one: Any, other: Any) -> Any:
    """Return whether bounds of rows are the same."""
    if one.spec.shape != other.spec.shape and None not in (
        one.spec.dims + other.spec.dims
    ):
        return tl.asarray(False)
    return tl.all(astype(one, int64) == astype(other, int64))


def flat(values: list[Any], weights: Any = None) -> tuple[list[Any], Any]:
    """Return the elements of ragged tensors of the same rows, dense ones as they are.

    InvalidArgumentError is raised where some are ragged and others are not, and for other rows.
    """
    given = [*values, *([] if weights is None else [weights])]
    ragged = [isinstance(x, RaggedParts) for x in given]
    if not any(ragged):
        return values, weights
    if not all(ragged):
        raise InvalidArgumentError(
            "One of the inputs does not have acceptable types: ragged tensors go with ragged "
            "tensors alone"
        )
    first, *others = [x.nested_row_splits for x in given]
    if any(len(x) != len(first) for x in others):
        raise InvalidArgumentError(
            "ragged tensors of different numbers of ragged axes do not go together"
        )
    found = [x.flat_values for x in given]
    for splits in others:
        for one, other in zip(first, splits, strict=True):
            if one is not other:
                found[0] = behind(found[0], _same(one, other), _OTHER_ROWS)
    return found[: len(values)], None if weights is None else found[-1]
