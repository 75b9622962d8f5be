"""Titles: what a call has made bears the name of the call, as TensorFlow 1 names it.

Names of what stands for arguments are given in arguments.py, scopes in graph_mode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from tensorlite.compat.arguments import is_named, keep_name
from tensorlite.core import nest
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode.graph import Graph


def is_composite(x: Any) -> bool:
    """Return whether this is a value made of tensors, such as a sparse tensor."""
    if isinstance(x, IndexedSlices):
        return True
    seen_through = hasattr(x, "__feed__") or hasattr(x, "holds_tensors")
    return is_dataclass(x) and not isinstance(x, type) and seen_through


def rebuilt(x: Any, change: Callable[[Any], Any]) -> Any:
    """Return a value made of tensors with something else in the place of each."""
    return nest.rebuild(x, [change(one) for one in nest.children(x)])


def bear(
    graph: Graph, inner: Any, count: int, made: Any, name: str, last: str
) -> None:
    """Give the node that all of a result is of, if it was made now, the name of the call."""
    node = _node_of(made)
    if node is None and is_composite(made):
        node = _only_new(made, inner.nodes[count:])
    if node is None or node.graph is not inner or not name or is_named(node):
        return
    if node.name.startswith(f"{name}/") and any(
        x is node for x in inner.nodes[count:]
    ):
        whole = f"{name}/{last}" if last else name
        if last and node.name.lower() != whole.lower():
            if inner is graph:
                _make_way(graph, count, whole)
            whole = inner.free_name(whole)
        inner.rename(node, whole)
        keep_name(node)


def _make_way(graph: Graph, count: int, name: str) -> None:
    """Give another name to one of the nodes behind `count` that bears the name of a result."""
    for node in graph.nodes[count:]:
        if node.name.lower() == name.lower():
            graph.rename(node, graph.free_name(name))


def _node_of(made: Any) -> Node | None:
    if isinstance(made, SymbolicTensor):
        return made.node
    if isinstance(made, Node):
        return made
    held = list(_held(made))
    if held and all(x is held[0] for x in held):
        return held[0]
    return None


def _only_new(made: Any, new: list[Node]) -> Node | None:
    """Return the one node among new ones that some of a value's parts are of."""
    found = {x for x in _held(made) if x is not None and x in new}
    return found.pop() if len(found) == 1 else None


def _held(made: Any) -> Iterator[Node | None]:
    """Yield the nodes of all that a result is made of, None for what has none."""
    if isinstance(made, SymbolicTensor):
        yield made.node
    elif isinstance(made, dict):
        for x in made.values():
            yield from _held(x)
    elif isinstance(made, (list, tuple)):
        for x in made:
            yield from _held(x)
    elif is_composite(made):
        for field in fields(made):
            yield from _held(getattr(made, field.name))
    else:
        yield None
