"""Replicas: the devices of a machine that a function is called for, each with its own values.

Where variables lie is told apart from where is computed: each device has a copy, or all use those
that one device keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from tensorlite.core.device import DeviceName, local
from tensorlite.core.dispatch import tracer
from tensorlite.core.errors import AssertionFailedError, FailedPreconditionError
from tensorlite.core.xp import existing
from tensorlite.distributed.strategies.copied import Copied, Copying, several
from tensorlite.distributed.strategies.per_replica import (
    Mirrored,
    grouped,
    part_of,
)
from tensorlite.distributed.strategies.steps import Step, python_of
from tensorlite.distributed.strategies.tasks import own_devices
from tensorlite.distributed.strategies.turns import Turn, in_turns
from tensorlite.distributed.strategies.updating import as_replica
from tensorlite.function.function import Function
from tensorlite.ops.state.variable import variety
from tensorlite.train.replica import replica


class Replicas:
    """Calls functions once for each of some devices, and makes variables for them.

    Without devices they are the machine's GPUs, or its logical CPUs if it has none. `keeper` is
    the one device that has the variables; without it each device has a copy.

    >>> from tensorlite.distributed.strategies.replicas import Replicas
    >>> print(Replicas(["/cpu:0"]).call(lambda x: x + 1, (tl.asarray(1),), {}))
    2
    """

    def __init__(
        self,
        devices: Sequence[str | DeviceName] | None = None,
        keeper: str | DeviceName | None = None,
    ) -> None:
        self.devices = tuple([_named(x) for x in devices or own_devices()])
        if len(set(self.devices)) < len(self.devices):
            listed = ", ".join(map(str, self.devices))
            raise AssertionFailedError(
                f"No duplicates allowed in `devices` argument: {listed}"
            )
        own = self.devices
        self.keepers = own if keeper is None else (_named(keeper),)
        self._traced: WeakKeyDictionary[Any, Function[..., Any]] = WeakKeyDictionary()

    @property
    def count(self) -> int:
        """The number of replicas."""
        return len(self.devices)

    @contextmanager
    def making(self) -> Iterator[None]:
        """Let the variables that are made inside be those of these replicas."""
        copying = Copying(self.keepers, self.count)
        tokens = several.set(copying), variety.set(copying.varied)
        try:
            yield
        finally:
            several.reset(tokens[0])
            variety.reset(tokens[1])

    def call(
        self, function: Step, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        """Return what a function returns for each replica, as values per replica.

        Of values per replica among its arguments each gets its own. A function that is traced
        is traced with all replicas in one graph.
        """
        check_outside()
        if isinstance(function, Function) and tracer() is None:
            return self._program(function)(*args, **kwargs)
        return self._called(function, args, kwargs)

    def _called(
        self, function: Step, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        call = function if tracer() is None else python_of(function)
        bodies = [
            partial(call, *part_of(i, tuple(args)), **part_of(i, dict(kwargs)))
            for i in range(self.count)
        ]
        return grouped(in_turns(bodies, self.devices))

    def _program(self, function: Function[..., Any]) -> Function[..., Any]:
        """Return the traced function that calls a function for all replicas."""
        known = self._traced.get(function.cache)
        if known is None:

            def program(*args: Any, **kwargs: Any) -> Any:
                return self._called(function, args, kwargs)

            known = type(function)(
                program,
                autograph=False,
                name=function.name,
                reduce_retracing=function.reduce_retracing,
            )
            self._traced[function.cache] = known
        return known

    def update(
        self,
        variable: Any,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> Any:
        """Return what a function returns that is called with each copy of a variable."""
        check_outside()
        copies = variable.copies if isinstance(variable, Copied) else (variable,)
        made = []
        for i, copy in enumerate(copies):
            own, named = part_of(i, tuple(args)), part_of(i, dict(kwargs))
            with as_replica(i, len(copies), copy.device):
                made.append(function(copy, *own, **named))
        return grouped(made, Mirrored)


def _named(device: str | DeviceName) -> DeviceName:
    """Return the whole name of a device; DeviceError where there is no such, nor one in place."""
    asked = DeviceName.of(device)
    existing(asked)
    return local(asked.kind or "CPU", asked.index or 0)


def check_outside() -> None:
    """Raise FailedPreconditionError, a RuntimeError, in what is called for a replica."""
    if isinstance(replica.get(), Turn):
        raise FailedPreconditionError(
            "Method requires being in cross-replica context, use "
            "get_replica_context().merge_call()"
        )
