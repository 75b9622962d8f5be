"""Streams of random numbers by TensorFlow's seeds: the graph's, and that of each operator.

In a graph every drawing node has a stream of its own, which each session starts from the beginning.
The numbers are TensorFlow's. What draws from streams stands in ops/generators.py.
"""

from __future__ import annotations

import random
from collections.abc import Hashable

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls, constant, tracer
from tensorlite.core.scope import control_dependencies, scope
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops import philox
from tensorlite.ops.fetchable import effect
from tensorlite.ops.generators import Source, global_generator
from tensorlite.ops.random import (
    PHILOX,
    CountOf,
    FreshState,
    KeyAndCounter,
    RngReadAndSkip,
)
from tensorlite.ops.resource import AssignFirstValue, VarHandleOp

DEFAULT_SEED = 87654321
"""The graph's seed where only an operator has one."""
_LARGEST = 2**31 - 1


class GlobalSeed:
    """The seed of programs that run at once, and the streams that were begun since it was set."""

    def __init__(self) -> None:
        self.seed: int | None = None
        self.begun: dict[Hashable, int] = {}
        self._drawn = random.Random()  # noqa: S311  # as TensorFlow draws operators' seeds

    def set(self, seed: int) -> None:
        """Begin anew from a seed."""
        self.seed = seed
        self.begun.clear()
        self._drawn = random.Random(seed)  # noqa: S311
        global_generator().reset_from_seed(seed)

    def next(self) -> int:
        """Return a seed for an operator that has none."""
        return self._drawn.randint(0, _LARGEST)


global_seed = GlobalSeed()


def get_seed(seed: int | None) -> tuple[int | None, int | None]:
    """Return the two seeds of an operator, None for both where nobody has given one.

    >>> get_seed(5)
    (87654321, 5)
    """
    graph = active_graph()
    first = global_seed.seed if graph is None else graph.seed
    second = seed
    if first is None and second is None:
        return None, None
    if first is None:
        first = DEFAULT_SEED
    elif second is None:
        second = global_seed.next() if graph is None else len(graph.nodes)
    assert second is not None
    pair = first % _LARGEST, second % _LARGEST
    return (0, _LARGEST) if pair == (0, 0) else pair


class NodeStream(Source):
    """The stream of one node of a graph."""

    def __init__(self, seeds: tuple[int, int] | None) -> None:
        self.seeds = seeds
        """None: each session draws other numbers."""

    def key_and_counter(self, shape: Tensor) -> tuple[Tensor, Tensor]:
        """Return key and counter for the next numbers of a run."""
        begun = self._begun()
        spec = TensorSpec((3,), dtypes.int64)
        name = f"{scope.get().name}/generator{_number()}"
        handle = call(VarHandleOp(spec, debug_name="generator", shared_name=name))
        written = effect(AssignFirstValue(), handle, begun)
        algorithm = constant(np.asarray(PHILOX, np.int32))
        with control_dependencies([] if written is None else [written]):
            state = call(RngReadAndSkip(), handle, algorithm, call(CountOf(), shape))
        key, counter = calls(KeyAndCounter(), state)
        return key, counter

    def _begun(self) -> Tensor:
        if self.seeds is None:
            return call(FreshState())
        return constant(np.array([0, self.seeds[1], self.seeds[0]], np.int64))


_numbers = iter(range(2**62))


def _number() -> int:
    """Return a number that no other stream of this process has."""
    return next(_numbers)


class EagerStream(Source):
    """The stream of all calls with the same seeds, for programs that run at once."""

    def __init__(self, seeds: tuple[int, int], kind: str) -> None:
        self.seeds = seeds
        self.kind = kind

    def key_and_counter(self, shape: Tensor) -> tuple[Tensor, Tensor]:
        """Return key and counter, and go on past the numbers."""
        place = (self.kind, self.seeds)
        drawn = global_seed.begun.get(place, 0)
        count = int(call(CountOf(), shape).numpy())
        global_seed.begun[place] = drawn + count
        first = np.array([0, self.seeds[1]], np.uint64)
        counter = philox.advanced(first, 256 * drawn)
        return constant(np.array([self.seeds[0]], np.uint64)), constant(counter)


def stream(seed: int | None, kind: str) -> Source:
    """Return what an operator of a kind draws from, given its seed or None.

    >>> from tensorlite.graph_mode.graph import Graph
    >>> from tensorlite.graph_mode.sessions import Session
    >>> with Graph().as_default() as graph:
    ...     x = stream(7, "RandomUniform").uniform((2,))
    >>> first, second = Session(graph=graph), Session(graph=graph)
    >>> bool((first.run(x) == second.run(x)).all()), bool((first.run(x) == second.run(x)).all())
    (True, True)
    """
    first, second = get_seed(seed)
    given = None if first is None or second is None else (first, second)
    if active_graph() is None and (tracer() is None or seed is None):
        at_once = given is not None and tracer() is None
        return EagerStream(given, kind) if given and at_once else global_generator()
    return NodeStream(given)
