"""Names of converted branches and loops in graphs of what a program called: TensorFlow 1's.

There what ends a branch or loop is a node for each result, by which programs know these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tensorlite.core.scope import scope
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.manual import ManualGraph, building
from tensorlite.ops.arrays.identity import identity


@contextmanager
def under(title: str) -> Iterator[None]:
    """Put what is made inside under a name of its own, in graphs of what a program called."""
    tracer, here = building(), scope.get()
    if tracer is None or not tracer.graph.as_called:
        yield
        return
    whole = f"{here.name}/{title}" if here.name else title
    token = scope.set(here._replace(name=tracer.graph.free_name(whole)))
    try:
        yield
    finally:
        scope.reset(token)


def ended(found: Sequence[Any], title: str, first: int = 0) -> list[Any]:
    """Return results of a branch or loop by the nodes that end it, which bear a title.

    The nodes are numbered from `first` on. Inside of another branch or loop there are none.
    """
    tracer = building()
    graph = None if tracer is None else tracer.graph
    if not isinstance(graph, ManualGraph) or not graph.as_called:
        return list(found)
    return [
        _ended(graph, x, f"{title}_{i}" if i else title)
        if isinstance(x, SymbolicTensor)
        else x
        for i, x in enumerate(found, first)
    ]


def _ended(graph: ManualGraph, x: SymbolicTensor, title: str) -> Tensor:
    """Return a result by a node of its own, which waits for nothing else."""
    here = scope.get()
    token = scope.set(here._replace(control=()))
    try:
        made = identity(x)
    finally:
        scope.reset(token)
    if isinstance(made, SymbolicTensor):
        graph.rename(made.node, f"{here.name}/{title}")
    return made
