"""Where a strategy's variables go: policies, and the hook that asks them for each new variable."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from tensorlite.core.check import a_function, one_of, whole
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import interpreted_by, to_tensor
from tensorlite.core.scope import device, scope
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.distributed.strategies.shared import shared
from tensorlite.distributed.strategies.split import SplitVariable
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.ops.state.making import Make, creation
from tensorlite.ops.state.variable import Variable, variety
from tensorlite.train.replica import replica


class Policy(Protocol):
    """Chooses, for a new variable, among the tasks that keep parameters.

    >>> isinstance(tl.distribute.RoundRobin(), tl.distribute.BySize)
    False
    """

    def __call__(self, spec: TensorSpec, servers: Sequence[DeviceName]) -> DeviceName:
        """Return one of `servers`."""


class RoundRobin:
    """Puts variables on the servers in turn, in the order in which they are made.

    >>> policy, servers = tl.distribute.RoundRobin(), ["/job:ps/task:0", "/job:ps/task:1"]
    >>> [policy(tl.TensorSpec(()), servers)[-1] for _ in range(3)]
    ['0', '1', '0']
    """

    def __init__(self) -> None:
        self._next = 0

    def __call__(self, spec: TensorSpec, servers: Sequence[DeviceName]) -> DeviceName:
        """Return the next of `servers`."""
        self._next += 1
        return servers[(self._next - 1) % len(servers)]


class BySize:
    """Puts each variable on the server whose variables take the fewest bytes so far.

    >>> policy, servers = tl.distribute.BySize(), ["/job:ps/task:0", "/job:ps/task:1"]
    >>> [policy(tl.TensorSpec((size,)), servers)[-1] for size in (100, 10, 20, 50)]
    ['0', '1', '1', '1']
    """

    def __init__(self) -> None:
        self._loads: dict[DeviceName, int] = {}

    def __call__(self, spec: TensorSpec, servers: Sequence[DeviceName]) -> DeviceName:
        """Return the least loaded of `servers`, the first of equals."""
        chosen = min(servers, key=lambda server: self._loads.get(server, 0))
        size = (spec.size or 0) * spec.dtype.numpy.itemsize
        self._loads[chosen] = self._loads.get(chosen, 0) + size
        return chosen


class ByRows:
    """Splits each variable of `least` rows or more, such as an embedding, over the servers.

    Each part has consecutive rows; there are `parts`, or as many as servers. What has fewer rows,
    or is no matrix, goes where the policy `rest` says.

    >>> tl.distribute.ByRows(least=1000).splits(tl.TensorSpec((5000, 16)))
    True
    """

    def __init__(
        self,
        parts: int | None = None,
        least: int = 1024,
        rest: Policy | None = None,
    ) -> None:
        if parts is not None:
            whole(parts, "ByRows: parts", 1)
        whole(least, "ByRows: least", 1)
        if rest is not None:
            a_function(rest, "ByRows: rest")
        self.parts, self.least = parts, least
        self.rest = BySize() if rest is None else rest

    def __call__(self, spec: TensorSpec, servers: Sequence[DeviceName]) -> DeviceName:
        """Return what `rest` does."""
        return self.rest(spec, servers)

    def splits(self, spec: TensorSpec) -> bool:
        """Return whether a variable is split."""
        return len(spec.dims) > 1 and (spec.dims[0] or 0) >= self.least


def at_home(first: Any) -> Tensor:
    """Return the first value of a variable, computed in this process: it is sent when it is whole.

    So random numbers are drawn as they are without a strategy.
    """
    with interpreted_by(None), device(None):
        return to_tensor(first() if callable(first) else first)


class Owned:
    """Knows which variables a strategy made, by their handles."""

    def __init__(self) -> None:
        self._known: dict[int, weakref.ref[Tensor]] = {}

    def add(self, handle: Tensor) -> None:
        """Know a handle from now on, as long as it lives."""
        key, known = id(handle), self._known
        known[key] = weakref.ref(handle, lambda _: known.pop(key, None))

    def __contains__(self, variable: Variable) -> bool:
        return id(variable.handle) in self._known


class Placing:
    """Puts the variables that are made inside its `scope` where a policy says."""

    def __init__(self, servers: Sequence[DeviceName], policy: Policy) -> None:
        self.servers = servers
        self.policy = policy
        self.owned = Owned()
        self._first: tuple[Any, Tensor] | None = None
        """A first value that was computed already, and what computed it."""

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Place what is made inside."""
        above = creation.get()

        def maker(initial: Any, make: Make) -> Tensor:
            if (
                initial is None
            ):  # a queue or the like, which stays where it is asked for
                return make(None) if above is None else above(None, make)
            placed, first = self._placed(make), self._known(initial)
            handle = shared(
                lambda: placed(first) if above is None else above(first, placed)
            )
            self.owned.add(handle)
            return handle

        tokens = creation.set(maker), variety.set(self._varied)
        try:
            yield
        finally:
            creation.reset(tokens[0])
            variety.reset(tokens[1])

    def _placed(self, make: Make) -> Make:
        """Return what makes a variable where the policy says, if no scope says otherwise."""

        def made(first: Any) -> Tensor:
            if self._is_asked():
                return make(first)
            value = at_home(first)
            place = self.policy(value.spec, self.servers)
            one_of(place, (str, DeviceName), "policy: where", "one of the servers")
            with device(None), device(place):
                return make(value)

        return made

    def _known(self, initial: Any) -> Any:
        """Return the first value that was computed already, lest random ones be drawn twice."""
        known, self._first = self._first, None
        return known[1] if known is not None and known[0] is initial else initial

    @staticmethod
    def _is_asked() -> bool:
        """Return whether the user's own scope says where a variable is to be.

        Replicas compute in a scope of theirs, which is not meant for variables.
        """
        asked, here = scope.get().device, replica.get()
        is_free = asked.job is None and asked.kind is None
        return not is_free and (here is None or asked != here.device)

    def _varied(self, initial: Any, *args: Any, **options: Any) -> object:
        """Return a variable that is split, where the policy wants that."""
        if not isinstance(self.policy, ByRows) or self._is_asked():
            return None
        value = at_home(initial)
        if isinstance(value, SymbolicTensor) or not self.policy.splits(value.spec):
            self._first = initial, value
            return None
        count = self.policy.parts or len(self.servers)
        places = [self.servers[i % len(self.servers)] for i in range(count)]
        return SplitVariable(value, places, *args, **options)
