"""What values of several replicas come to: their sum, their mean, all of them in one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import IndexedSlices
from tensorlite.distributed.strategies.per_replica import Mirrored, PerReplica, each
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.math.arithmetic import sum as reduce_sum
from tensorlite.ops.math.reduce import prod
from tensorlite.ops.sparse.slices import accumulate

SUM, MEAN = "SUM", "MEAN"


def reduced(how: str, value: Any, count: int, axis: Any = None) -> Any:
    """Return the sum or the mean of the replicas' values, along axes of theirs as well if asked.

    What is no value per replica is the mean of what all `count` of them have, but has no sum:
    InvalidArgumentError is raised, unless it is zero.
    """
    return each(lambda x: _reduced(how, x, count, axis), value)


def _reduced(how: str, value: Any, count: int, axis: Any) -> Any:
    if axis is None:
        if isinstance(value, PerReplica):
            return total(how, value.values)
        return _of_all(how, value, count)
    own = list(value) if isinstance(value, PerReplica) else [value] * count
    parts = [to_tensor(x) for x in own]
    whole = accumulate([reduce_sum(x, axis=axis) for x in parts])
    if how == SUM:
        return whole
    axes = list(axis) if isinstance(axis, (list, tuple)) else [axis]
    kind = whole.dtype
    return whole / total(SUM, [astype(prod(shape_of(x)[axes]), kind) for x in parts])


def _of_all(how: str, value: Any, count: int) -> Any:
    if count == 1 or how == MEAN:
        return value
    is_zero = not isinstance(value, Operand) and value == 0
    if is_zero:
        return value
    raise InvalidArgumentError(
        f"A non-DistributedValues value {value} cannot be reduced with the given reduce op "
        f"ReduceOp.{how}."
    )


def total(how: str, values: Sequence[Any]) -> Any:
    """Return the sum of what replicas have, or its mean."""
    given = [x if isinstance(x, IndexedSlices) else to_tensor(x) for x in values]
    whole = accumulate(given)
    if how == SUM:
        return whole
    if isinstance(whole, IndexedSlices):
        mean = whole.values / len(given)
        return IndexedSlices(mean, whole.indices, whole.dense_shape)
    return whole / len(given)


def gathered(value: Any, axis: int) -> Any:
    """Return the replicas' values, one behind the other along an axis."""
    return each(lambda x: _gathered(x, axis), value)


def _gathered(value: Any, axis: int) -> Any:
    given = list(value) if isinstance(value, PerReplica) else [value]
    if any(isinstance(x, IndexedSlices) for x in given):
        raise InvalidArgumentError("gather does not support IndexedSlices")
    if not isinstance(value, PerReplica):
        return value
    parts = [to_tensor(x) for x in given]
    if any(x.spec.rank == 0 for x in parts):
        raise InvalidArgumentError(
            f"gather(axis={axis}): the values are scalars, which have no axis"
        )
    return concat(parts, axis=axis)


def mirrored(value: Any, count: int) -> Any:
    """Return a value as what all replicas have."""
    return Mirrored((value,) * count)
