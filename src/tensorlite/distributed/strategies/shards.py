"""Batches cut into one share per replica, and the replicas' results made one again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tensorlite.core import dtypes, nest
from tensorlite.core.dispatch import tracer
from tensorlite.core.errors import InvalidArgumentError, StructureError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import shape_text
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.distributed.strategies.per_replica import PerReplica, each, leaves
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.sparse.slices import accumulate

Reduce: TypeAlias = Any
"""One of REDUCTIONS, or a structure of them like that which the step returns."""
REDUCTIONS = ("mean", "sum", "concat", "stack", "none")


class Share(NamedTuple):
    """What one replica is given of a batch."""

    replica: int
    arguments: tuple[Any, ...]
    rows: int | None
    """How many rows of the batch; None where nothing given has rows."""


class Batch(NamedTuple):
    """A batch cut into shares, of those replicas that have one."""

    shares: tuple[Share, ...]

    @property
    def weights(self) -> tuple[float, ...]:
        """What each share counts in a mean over the batch: its part of the rows."""
        rows = [1 if share.rows is None else share.rows for share in self.shares]
        return tuple([n / sum(rows) for n in rows])

    @property
    def is_even(self) -> bool:
        """Whether all shares count the same."""
        return len({share.rows for share in self.shares}) <= 1


def cut(arguments: tuple[Any, ...], count: int) -> Batch:
    """Return the arguments of a step cut into one share for each of `count` replicas.

    Tensors and arrays are cut along their first axis, as evenly as can be, into shares that
    differ by one row at most; 0-d ones and what is no array go to every replica whole. What is
    PerReplica already stays so. Replicas without rows take no part.
    """
    parts = leaves(arguments)
    given = [leaf for leaf in parts if isinstance(leaf, PerReplica)]
    _check_counts(given, count)
    sizes = {leaf.shape[0] for leaf in parts if _has_rows(leaf)}
    if None in sizes:
        raise InvalidArgumentError(
            "a batch whose number of rows is not known while tracing cannot be shared out: give "
            "the traced function a signature with sizes, or call strategy.run outside of it"
        )
    whole = sorted(sizes)
    if len(whole) > 1 or (given and whole):
        raise InvalidArgumentError(
            f"a batch of tensors with {' and '.join(map(str, whole))} rows"
            f"{' beside values that are cut already' if given else ''} cannot be shared out: all "
            "must have as many rows. What every replica is to have whole, the step may capture"
        )
    bounds = None if not whole else bounds_of(whole[0], count)
    shares = [_share(arguments, parts, i, bounds) for i in range(count)]
    taking = tuple([share for share in shares if share is not None])
    if not taking:
        raise InvalidArgumentError(
            "a batch without rows: there is nothing for any replica to do"
        )
    return Batch(taking)


def _check_counts(given: Sequence[PerReplica], count: int) -> None:
    for leaf in given:
        if len(leaf) != count:
            raise InvalidArgumentError(
                f"values for {len(leaf)} replicas are given to a strategy of {count}; "
                "strategy.distribute cuts data as this one needs it"
            )
    missing = {tuple([value is None for value in leaf]) for leaf in given}
    if len(missing) > 1:
        raise InvalidArgumentError(
            "the values per replica of one batch differ in which replicas have one"
        )


def _has_rows(leaf: object) -> bool:
    return isinstance(leaf, (Tensor, np.ndarray)) and len(leaf.shape) > 0


def bounds_of(rows: int, count: int) -> list[tuple[int, int]]:
    """Return where each share begins and ends; the first are longer by one where it must be."""
    short, longer = divmod(rows, count)
    starts = [i * short + min(i, longer) for i in range(count + 1)]
    return list(pairwise(starts))


def _share(
    arguments: Any,
    parts: Sequence[Any],
    index: int,
    bounds: list[tuple[int, int]] | None,
) -> Share | None:
    """Return the share of a replica; None when it has none."""
    own = []
    rows: int | None = None
    for leaf in parts:
        value = leaf
        if isinstance(leaf, PerReplica):
            value = leaf[index]
            if value is None:
                return None
            if _has_rows(value):
                rows = int(value.shape[0])
        elif bounds is not None and _has_rows(leaf):
            start, end = bounds[index]
            value, rows = _rows(leaf, start, end), end - start
        own.append(value)
    if rows == 0:
        return None
    source = iter(own)
    return Share(index, each(lambda _: next(source), arguments), rows)


def _rows(leaf: Any, start: int, end: int) -> Any:
    if isinstance(leaf, EagerTensor) and isinstance(leaf.array, np.ndarray):
        return EagerTensor(leaf.array[start:end], leaf.device)
    return leaf[start:end]


def joined(results: Sequence[Any], batch: Batch, reduce: Reduce) -> Any:
    """Return the results of the replicas that took part as one, as `reduce` says."""
    for other in results[1:]:
        nest.assert_same(results[0], other)
    names = _reductions(results[0], reduce)
    columns = zip(*[nest.flatten(result) for result in results], strict=True)
    paths = nest.paths(results[0])
    leaves = [
        _joined(list(column), batch, name, path)
        for column, name, path in zip(columns, names, paths, strict=True)
    ]
    return nest.pack_like(results[0], leaves)


def check_reduce(reduce: Reduce) -> None:
    """Raise InvalidArgumentError unless all leaves of `reduce` are reductions."""
    for name in nest.flatten(reduce):
        if name not in REDUCTIONS:
            raise InvalidArgumentError(
                f"reduce={name!r}; allowed are {', '.join(map(repr, REDUCTIONS))}, or a structure "
                "of them like that which the step returns"
            )


def _reductions(result: Any, reduce: Reduce) -> list[str]:
    if isinstance(reduce, str):
        return [reduce] * len(nest.flatten(result))
    try:
        nest.assert_same(result, reduce)
    except StructureError as error:
        raise StructureError(
            f"reduce={reduce!r} is not structured as what the step returns: {error}"
        ) from None
    return nest.flatten(reduce)


def _joined(column: list[Any], batch: Batch, name: str, path: str) -> Any:
    where = f" at {path}" if path else ""
    if not all(isinstance(x, Operand) for x in column):
        return _agreed(column, where)
    tensors = [_home(x.__tensor__()) for x in column]
    if name == "none":
        return PerReplica(tuple(tensors))
    if name == "concat":
        if any(x.shape == () for x in tensors):
            raise InvalidArgumentError(
                f"reduce='concat': the step returns a 0-d tensor{where}; allowed are 'mean', "
                "'sum', 'stack' and 'none'"
            )
        return concat(tensors)
    shapes = {x.shape for x in tensors}
    if len(shapes) > 1:
        listed = " and ".join(sorted(map(shape_text, shapes)))
        raise InvalidArgumentError(
            f"the step returns tensors of shape {listed}{where}, of which there is no {name}; "
            "allowed are reduce='concat' and 'none'"
        )
    return _REDUCED[name](tensors, batch)


def _agreed(column: list[Any], where: str) -> Any:
    """Return what is no tensor, in which all replicas must agree."""
    first = column[0]
    if isinstance(first, (np.ndarray, np.generic)) or any(
        type(x) is not type(first) or x != first for x in column
    ):
        raise InvalidArgumentError(
            f"the step returns {first!r}{where}, which is no tensor"
            f"{'' if len(column) < 2 else f', and {column[-1]!r} in another replica'}; allowed are "
            "tensors, and Python values that are the same in all replicas"
        )
    return first


def _home(x: Tensor) -> Tensor:
    """Return a tensor in this process's host memory, where results are joined."""
    eager = tracer() is None
    return EagerTensor(x.numpy()) if eager and isinstance(x, EagerTensor) else x


def _mean(tensors: list[Tensor], batch: Batch) -> Tensor:
    inexact = [
        x if x.dtype.is_differentiable else astype(x, dtypes.float32) for x in tensors
    ]
    if batch.is_even:
        return _sum(inexact) / len(inexact)
    weighed = [x * w for x, w in zip(inexact, batch.weights, strict=True)]
    return _sum(weighed)


def _sum(tensors: list[Tensor]) -> Tensor:
    total = accumulate(tensors)
    assert isinstance(total, Tensor)
    return total


_REDUCED: dict[str, Callable[[list[Tensor], Batch], Tensor]] = {
    "mean": _mean,
    "sum": lambda tensors, _: _sum(tensors),
    "stack": lambda tensors, _: stack(tensors),
}
