"""Which strategy is current, and what is called for a replica knows of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Self

import tensorlite as tl
from tensorlite.compat.v2.distribute.options import how_of
from tensorlite.core import nest
from tensorlite.core.errors import FailedPreconditionError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import IndexedSlices
from tensorlite.distributed.strategies.per_replica import (
    each,
    grouped,
    leaves,
    part_of,
)
from tensorlite.distributed.strategies.reducing import SUM, total
from tensorlite.distributed.strategies.turns import Turn
from tensorlite.distributed.strategies.updating import on
from tensorlite.ops.arrays.join import concat
from tensorlite.train.replica import replica

if TYPE_CHECKING:
    from tensorlite.compat.v2.distribute.strategy import Strategy

current: ContextVar[Strategy | None] = ContextVar("strategy", default=None)
"""The strategy whose scope is open."""


class ReplicaContext:
    """What a function knows of the replica that it is called for."""

    def __init__(self, strategy: Any, replica_id_in_sync_group: Any = 0) -> None:
        self.strategy = strategy
        self.replica_id_in_sync_group = replica_id_in_sync_group

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        count: int = self.strategy.num_replicas_in_sync
        return count

    @property
    def replica_id(self) -> Any:
        """Which replica this is."""
        return self.replica_id_in_sync_group

    @property
    def devices(self) -> Any:
        """The device that the replica computes on, in a list."""
        here = replica.get()
        return [str(here.device) if isinstance(here, Turn) else ""]

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """Return what the replicas' values come to: their sum or their mean.

        It can be differentiated: gradients are reduced in the same way. options has no effect.
        """
        how = how_of(reduce_op)
        flat = leaves(value)
        sparse = [i for i, x in enumerate(flat) if isinstance(x, IndexedSlices)]
        dense = [i for i in range(len(flat)) if i not in sparse]
        sums = _all_reduced(how, [tl.asarray(flat[i]) for i in dense])
        met = _met([flat[i] for i in sparse], lambda own: total(how, own))
        rows = [IndexedSlices(x.values, x.indices, x.dense_shape) for x in met]
        found = dict(zip((*dense, *sparse), (*sums, *rows), strict=True))
        source = iter([found[i] for i in range(len(flat))])
        return each(lambda _: next(source), value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """Return the replicas' values behind each other along an axis.

        It can be differentiated. options has no effect.
        """
        return nest.map_structure(lambda x: _all_gathered(tl.asarray(x), axis), value)

    def merge_call(self, merge_fn: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Return merge_fn(strategy, *args, **kwargs), called once for all replicas.

        What they give is values per replica there; of what is returned each gets its own.
        """
        here = replica.get()
        if not isinstance(here, Turn):
            return merge_fn(self.strategy, *args, **(kwargs or {}))

        def merged(brought: list[Any]) -> list[Any]:
            given = grouped([tuple(own) for own, _ in brought])
            named = grouped([own for _, own in brought])
            found = merge_fn(self.strategy, *given, **named)
            return [part_of(i, found) for i in range(len(brought))]

        return here.merge(merged, (args, dict(kwargs or {})))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the context, which stays that of the function that is called."""


def _met(own: list[Any], change: Any) -> list[Any]:
    """Return what becomes of the replicas' values, leaf by leaf."""
    here = replica.get()
    if not own:
        return []
    if not isinstance(here, Turn):
        return [change([x]) for x in own]

    def merged(brought: list[list[Any]]) -> list[list[Any]]:
        with on(here.device):
            made = [change(list(column)) for column in zip(*brought, strict=True)]
        return [made] * len(brought)

    found: list[Any] = here.merge(merged, own)
    return found


def _all_reduced(how: str, tensors: list[Any]) -> list[Any]:
    """Return the replicas' sums or means of tensors, whose gradients are reduced as well."""
    if not tensors:
        return []

    @tl.custom_gradient
    def reduce(*own: Any) -> Any:
        made = _met(list(own), lambda column: total(how, column))

        def gradient(*dys: Any) -> Any:
            there = [i for i, dy in enumerate(dys) if dy is not None]
            sums = _all_reduced(how, [tl.densify(dys[i]) for i in there])
            known = dict(zip(there, sums, strict=True))
            return [known.get(i) for i in range(len(dys))]

        return made, gradient

    found: list[Any] = reduce(*tensors)
    return found


def _all_gathered(value: Any, axis: int) -> Any:
    here = replica.get()

    @tl.custom_gradient
    def gather(own: Any) -> Any:
        parts = _met([own], lambda column: column)[0]
        sizes = [tl.shape(x)[axis] for x in parts]

        def gradient(dy: Any) -> Any:
            whole = _all_reduced(SUM, [dy])[0]
            pieces = tl.split(whole, tl.stack(sizes), axis=axis)
            return pieces[0 if here is None else here.index]

        return concat(parts, axis=axis), gradient

    return gather(value)


def in_cross_replica_context() -> bool:
    """Return whether the scope of a strategy is open, and this is not called for a replica."""
    return current.get() is not None and not isinstance(replica.get(), Turn)


def has_strategy() -> bool:
    """Return whether the scope of a strategy other than the default one is open."""
    return current.get() is not None


@contextmanager
def opened(strategy: Any) -> Iterator[None]:
    """Let a strategy be the current one; RuntimeError in another's scope, or for a replica."""
    around = current.get()
    if around is not None and around is not strategy:
        raise FailedPreconditionError(
            "Mixing different tf.distribute.Strategy objects: "
            f"{around!r} is not {strategy!r}"
        )
    token = current.set(strategy)
    try:
        yield
    finally:
        current.reset(token)


def here(default: Any) -> ReplicaContext | None:
    """Return the context of the replica that this is called for, that of `default` if of none."""
    strategy, own = current.get(), replica.get()
    if strategy is None:
        return ReplicaContext(default)
    if strategy.replicas is None:
        return ReplicaContext(strategy)
    if isinstance(own, Turn):
        return strategy.replica_context(strategy, _number(own.index))
    return None


def _number(index: int) -> Operand:
    return tl.asarray(index, dtype=tl.int32)
