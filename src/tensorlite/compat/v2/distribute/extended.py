"""StrategyExtended: what optimizers and libraries ask of a strategy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tensorlite.compat.v2.distribute.options import how_of
from tensorlite.distributed.strategies.copied import Copied
from tensorlite.distributed.strategies.per_replica import PerReplica, each
from tensorlite.distributed.strategies.reducing import mirrored, reduced
from tensorlite.distributed.strategies.replicas import Replicas, check_outside


class StrategyExtended:
    """What a strategy does for those who know that there is one."""

    should_checkpoint = should_save_summary = True
    experimental_require_static_shapes = False
    experimental_between_graph = False
    experimental_should_init = True

    def __init__(self, strategy: Any, replicas: Replicas | None) -> None:
        self._strategy, self._replicas = strategy, replicas

    @property
    def _num_replicas_in_sync(self) -> int:
        count: int = self._strategy.num_replicas_in_sync
        return count

    num_replicas_in_sync = _num_replicas_in_sync

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """Where replicas compute."""
        own = self._replicas
        return ("/device:CPU:0",) if own is None else _whole(own.devices)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """Where variables are."""
        own = self._replicas
        return ("/device:CPU:0",) if own is None else _whole(own.keepers)

    def non_slot_devices(self, var_list: Any) -> tuple[str, ...]:
        """Return where variables of optimizers are that belong to no other."""
        return self.parameter_devices

    def variable_created_in_scope(self, v: Any) -> bool:
        """Return whether a variable was made in the strategy's scope."""
        return self._replicas is None or (
            isinstance(v, Copied)
            and tuple(str(x.device) for x in v.copies)
            == tuple(map(str, self._replicas.keepers))
        )

    def call_for_each_replica(
        self, fn: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Return fn(*args, **kwargs) of each replica."""
        return self._strategy.run(fn, args, kwargs)

    def reduce_to(
        self, reduce_op: Any, value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """Return the sum or the mean of the replicas' values.

        For a variable with copies, or several devices, it is what all have; options have no effect.
        """
        check_outside()
        found = reduced(how_of(reduce_op), value, self._num_replicas_in_sync)
        held = getattr(destinations, "values", destinations)
        several = isinstance(held, (list, tuple)) and len(held) > 1
        return each(lambda x: mirrored(x, len(held)), found) if several else found

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """Return what reduce_to does of each pair of a value and where it goes."""
        return [self.reduce_to(reduce_op, x, to) for x, to in value_destination_pairs]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """Return a tensor as what all replicas have."""
        check_outside()
        count = self._num_replicas_in_sync
        is_plain = isinstance(tensor, (int, float, PerReplica)) or count == 1
        return tensor if is_plain else mirrored(tensor, count)

    def update(
        self,
        var: Any,
        fn: Any,
        args: Any = (),
        kwargs: Any = None,
        group: bool = True,
    ) -> Any:
        """Return what fn(copy, *args, **kwargs) returns for each copy of a variable.

        They come as a list of results if not group. RuntimeError is raised for a replica.
        """
        if self._replicas is None:
            return fn(var, *args, **(kwargs or {}))
        made = self._replicas.update(var, fn, tuple(args), kwargs or {})
        return made if group else self._strategy.experimental_local_results(made)

    def read_var(self, v: Any) -> Any:
        """Return the value of a variable, of one that is joined on reading what it comes to."""
        return v.__tensor__()

    def value_container(self, value: Any) -> Any:
        """Return the variable of which a copy is one, or the value itself."""
        state = getattr(getattr(value, "handle", None), "array", None)
        owner = getattr(state, "owner", None)
        return value if owner is None else owner() or value

    @contextmanager
    def colocate_vars_with(self, colocate_with_variable: Any) -> Iterator[None]:
        """Open a context whose new variables have copies where those of another are."""
        yield


def _whole(devices: Sequence[Any]) -> tuple[str, ...]:
    """Return the whole names of devices."""
    return tuple([f"/job:localhost/replica:0/task:0{x}" for x in devices])
