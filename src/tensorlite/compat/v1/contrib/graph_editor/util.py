"""contrib.graph_editor.util: lists of operations and tensors, of what gives them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.views import GraphTensor, Operation
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.graph import get_default_graph

PREFIX = "geph"
"""What names of placeholders begin with."""


def is_iterable(obj: Any) -> bool:
    """Return whether an object gives others; a tensor does not."""
    return not isinstance(obj, GraphTensor) and isinstance(obj, Iterable)


def flatten_tree(tree: Any) -> list[Any]:
    """Return the leaves of lists in lists; of dicts, those of the values."""
    return list(_leaves(tree))


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, dict):
        tree = tree.values()
    if not is_iterable(tree) or isinstance(tree, (str, bytes)):
        yield tree
        return
    for part in tree:
        yield from _leaves(part)


def transform_tree(tree: Any, fn: Any) -> Any:
    """Return lists in lists, with a function of each leaf."""
    if isinstance(tree, dict):
        return type(tree)((key, transform_tree(x, fn)) for key, x in tree.items())
    if not is_iterable(tree) or isinstance(tree, (str, bytes)):
        return fn(tree)
    parts = [transform_tree(x, fn) for x in tree]
    return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)


def get_unique_graph(
    tops: Any, check_types: Any = None, none_if_empty: bool = False
) -> Any:
    """Return the graph that all of some operations and tensors are in.

    InvalidArgumentError is raised for several graphs, and for none unless none_if_empty.
    """
    if isinstance(tops, framework.Graph):
        return tops
    listed = tops if is_iterable(tops) else [tops]
    kinds = check_types or (Operation, GraphTensor)
    graph = None
    for top in listed:
        if not isinstance(top, kinds):
            raise DTypeError(f"Expected a type in ({kinds}), got: {type(top)}")
        if graph is not None and top.graph is not graph:
            raise InvalidArgumentError(
                f"Operation {top} does not belong to given graph"
            )
        graph = top.graph
    if graph is None and not none_if_empty:
        raise InvalidArgumentError("Can't find the unique graph of an empty list")
    return graph


def make_list_of_op(
    ops: Any,
    check_graph: bool = True,
    allow_graph: bool = True,
    ignore_ts: bool = False,
) -> list[Any]:
    """Return operations as a list: those of a graph, of one, or of several.

    Tensors among them raise DTypeError unless ignore_ts, and those of several graphs
    InvalidArgumentError if check_graph.
    """
    return _listed(ops, Operation, GraphTensor, check_graph, allow_graph, ignore_ts)


def make_list_of_t(
    ts: Any,
    check_graph: bool = True,
    allow_graph: bool = True,
    ignore_ops: bool = False,
) -> list[Any]:
    """Return tensors as a list: those of a graph, of one, or of several.

    Operations among them raise DTypeError unless ignore_ops, and those of several graphs
    InvalidArgumentError if check_graph.
    """
    return _listed(ts, GraphTensor, Operation, check_graph, allow_graph, ignore_ops)


def _listed(
    given: Any, wanted: type, other: type, checks: bool, graphs: bool, ignores: bool
) -> list[Any]:
    if isinstance(given, framework.Graph):
        if not graphs:
            raise DTypeError("allow_graph is False: cannot convert a tf.Graph.")
        ops = given.get_operations()
        return list(ops) if wanted is Operation else get_tensors(given)
    parts = list(given) if is_iterable(given) else [given]
    parts = [x for x in parts if not (ignores and isinstance(x, other))]
    if checks:
        get_unique_graph(parts, check_types=wanted, none_if_empty=True)
    return parts


def get_tensors(graph: Any) -> list[Any]:
    """Return all tensors of a graph."""
    if not isinstance(graph, framework.Graph):
        raise DTypeError(f"Expected a graph, got: {type(graph)}")
    return [x for op in graph.get_operations() for x in op.outputs]


def get_generating_ops(ts: Any) -> list[Any]:
    """Return the operations that make tensors."""
    return [x.op for x in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts: Any) -> list[Any]:
    """Return the operations that take tensors, each once."""
    found: dict[Any, None] = {}
    for x in make_list_of_t(ts, allow_graph=False):
        found.update(dict.fromkeys(x.consumers()))
    return list(found)


class ControlOutputs:
    """Which operations of a graph wait for each."""

    def __init__(self, graph: Any) -> None:
        if not isinstance(graph, framework.Graph):
            raise DTypeError(f"Expected a tf.Graph, got: {type(graph)}")
        self.graph = graph

    def get_all(self) -> dict[Any, list[Any]]:
        """Return by operation those that wait for it; one that none waits for is not there."""
        found: dict[Any, list[Any]] = {}
        for op in self.graph.get_operations():
            for one in op.control_inputs:
                found.setdefault(one, []).append(op)
        return found

    def get(self, op: Any) -> list[Any]:
        """Return the operations that wait for one."""
        return self.get_all().get(op, [])


def scope_finalize(scope: str) -> str:
    """Return a scope with a slash at its end, unless it is empty."""
    return f"{scope}/" if scope and not scope.endswith("/") else scope


def placeholder_name(
    t: Any = None, scope: str | None = None, prefix: str = PREFIX
) -> str:
    """Return what the placeholder for a tensor is called: in its scope, or the one given."""
    outer = "" if scope is None else scope_finalize(scope)
    if t is None:
        return f"{outer}{prefix}"
    folder, _, name = t.op.name.rpartition("/")
    if scope is None and folder:
        outer = f"{folder}/"
    return f"{outer}{prefix}__{name}_{t.value_index}"


def make_placeholder_from_tensor(
    t: Any, scope: str | None = None, prefix: str = PREFIX
) -> Any:
    """Return a placeholder like a tensor, in the default graph."""
    name = placeholder_name(t, scope, prefix)
    return framework.placeholder(t.dtype, t.get_shape(), name)


def make_placeholder_from_dtype_and_shape(
    dtype: Any, shape: Any = None, scope: str | None = None, prefix: str = PREFIX
) -> Any:
    """Return a placeholder of a dtype and a shape."""
    return framework.placeholder(
        dtype, shape, placeholder_name(scope=scope, prefix=prefix)
    )


def graph_or_default(graph: Any) -> Any:
    """Return a graph, the default one if None."""
    return get_default_graph() if graph is None else graph
