"""How many operations TensorFlow 1 would have made: what draws without a seed hang on.

It makes those of branches and loops in the graph itself, and some of its own around them; here
these are in graphs of their own, which are counted while they are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple, Self

from tensorlite.core import nest
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.trace import outermost
from tensorlite.graph_mode.graph import (
    Graph,
    active_graph,
    inner_graph,
    nodes_inside,
)
from tensorlite.graph_mode.variable_stores import store_of

_BESIDE = "operations beside"
"""Under what a graph keeps how many operations more TensorFlow would have than it has nodes."""
_UNSURE = "operations unsure"
"""Under what a graph keeps that it has something whose operations were not counted one by one."""
_BEGUN = "branches and loops begun"
"""Under what a graph keeps how many branches and loops are being made."""


def operations(graph: Graph) -> int:
    """Return how many operations TensorFlow would have made by now.

    >>> from tensorlite.graph_mode.graph import Graph
    >>> with Graph().as_default() as graph:
    ...     x = tl.exp(tl.ones(2))
    >>> operations(graph) == len(graph.nodes)
    True
    """
    return len(graph.nodes) + nodes_inside(graph) + int(graph.scopes.get(_BESIDE, 0))


def settle(graph: Graph, number: int) -> None:
    """Let there have been a number of operations by now."""
    beside = number - operations(graph)
    graph.scopes[_BESIDE] = graph.scopes.get(_BESIDE, 0) + beside


def be_unsure(graph: Graph) -> None:
    """Let the graph be counted as it is written before the number is asked for next."""
    graph.scopes[_UNSURE] = True


def counted_again(graph: Graph) -> int:
    """Return how many operations TensorFlow would have made, of the written graph where in doubt.

    Inside of branches and loops nothing is written yet.
    """
    if not graph.scopes.get(_BEGUN) and graph.scopes.pop(_UNSURE, False):
        settle(graph, graph.count_written() or operations(graph))
    return operations(graph)


@contextmanager
def alike(number: int, inside: int | None = None) -> Iterator[None]:
    """Count what is made inside as a number of operations, another within branches and loops."""
    graph = active_graph()
    if graph is None:
        yield
        return
    before = operations(graph)
    yield
    is_inner = inside is not None and inner_graph(graph) is not graph
    settle(graph, before + (inside if is_inner and inside is not None else number))


class Start(NamedTuple):
    """What there is before the graph of a branch or loop is made, though it be made again.

    >>> from tensorlite.graph_mode.graph import Graph
    >>> with Graph().as_default() as graph:
    ...     Start.of(graph, operations(graph)).operations
    0
    """

    operations: int
    variables: frozenset[str]
    scopes: dict[str, int]

    @classmethod
    def of(cls, graph: Graph, number: int) -> Self:
        """Return what there is in a graph that has a number of operations."""
        store = store_of(graph)
        return cls(number, frozenset(store.variables), dict(store.counts))

    def again(self, graph: Graph) -> AbstractContextManager[None]:
        """Return a block in which variables are found that were made since."""
        return store_of(graph).made_again(self.variables, self.scopes)


class Counted:
    """The operations of a conditional or a loop, whose graphs are made one after the other."""

    def __init__(self, graph: Graph, before: int) -> None:
        self.graph = graph
        self._is_inner = inner_graph(graph) is not graph
        self._by_now = operations(graph) + before
        self._starts: dict[Callable[..., Any], Start] = {}
        graph.scopes[_BEGUN] = graph.scopes.get(_BEGUN, 0) + 1

    def part(
        self, function: Callable[..., Any], behind: int = 0, is_whole: bool = True
    ) -> Callable[..., Any]:
        """Return a function that makes the next graph, and how many operations come behind it.

        What is made in the graph before the function is called counts, too, if that makes the
        whole of it; otherwise it is among those before.
        """

        def counted(*args: Any) -> Any:
            own = outermost()
            begun = 0 if own is None or not is_whole else len(own.graph.nodes)
            start, is_first = self._started(counted)
            settle(self.graph, start.operations + begun)
            with nullcontext() if is_first else start.again(self.graph):
                made = function(*args)
            for leaf in nest.flatten(made):
                if own is not None and isinstance(leaf, SymbolicTensor):
                    own.own(leaf)
            self._by_now = operations(self.graph) + behind
            return made

        return counted

    def _started(self, part: Callable[..., Any]) -> tuple[Start, bool]:
        """Return what there was before a graph, and whether it is made for the first time."""
        is_first = part not in self._starts
        if is_first:
            self._starts[part] = Start.of(self.graph, self._by_now)
        return self._starts[part], is_first

    def finish(self, results: int, hidden: int = 0) -> None:
        """Let all have been made; results are nodes of the graph, but those that are hidden.

        Inside another conditional or loop none of them is.
        """
        self.graph.scopes[_BEGUN] -= 1
        inside = results if self._is_inner else 0
        settle(self.graph, self._by_now + hidden + inside)
        if self._is_inner:
            be_unsure(self.graph)


def counted(before: int) -> Counted | None:
    """Return what counts the operations of a conditional or loop; None where none is built."""
    graph = active_graph()
    return None if graph is None else Counted(graph, before)
