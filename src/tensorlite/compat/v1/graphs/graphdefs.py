"""Graphs as TensorFlow's messages: read into the graph being built, written, cut out, frozen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.compat.overriding import keep_gradients
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.views import operation, plain, view
from tensorlite.core.check import one_of
from tensorlite.core.device import ANYWHERE
from tensorlite.core.dtypes import string
from tensorlite.core.errors import (
    AssertionFailedError,
    DTypeError,
    GraphDefError,
    InvalidArgumentError,
    NotFoundError,
)
from tensorlite.core.scope import Asked, decided, scope
from tensorlite.graph_mode.graph import Graph, get_default_graph, name_scope
from tensorlite.graph_mode.sessions import Session
from tensorlite.interop.tensorflow.attributes import proto_of_value
from tensorlite.interop.tensorflow.messages import message, parsed
from tensorlite.interop.tensorflow.reading import from_graphdef
from tensorlite.interop.tensorflow.tensors import OF_DTYPE
from tensorlite.interop.tensorflow.writing import to_graphdef


def as_graph_def(graph: Graph) -> Any:
    """Return a graph as a GraphDef."""
    return to_graphdef(graph)


def import_graph_def(
    graph_def: Any,
    input_map: Mapping[str, Any] | None = None,
    return_elements: Sequence[str] | None = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> list[Any] | None:
    """Add a GraphDef's operations to the default graph, and return those asked for.

    Their names begin with name ("import" if None, nothing if ""). input_map replaces tensors of the
    GraphDef, by name, with others; return_elements are names of operations or tensors ("add:0").
    op_dict and producer_op_list have no effect.
    """
    given_map = one_of(input_map or {}, Mapping, "input_map", "a dict of tensors")
    graph = get_default_graph()
    with name_scope("import" if name is None else name) as prefix:
        own = prefix.rstrip("/") if name != "" else ""
    given = {
        key: plain(framework.convert_to_tensor(x)) for key, x in given_map.items()
    }
    # From the choice of names on, so that no other thread takes one of them.
    with graph.lock:
        return _imported(graph, graph_def, own, given, return_elements)


def _imported(
    graph: Any,
    graph_def: Any,
    own: str,
    given: dict[str, Any],
    return_elements: Sequence[str] | None,
) -> list[Any] | None:
    first = len(graph.nodes)
    graph_def, names = unclashed(parsed(graph_def), graph, own)
    try:
        from_graphdef(graph_def, graph, own, given)
    except GraphDefError as error:
        if "input_map" in str(error):
            raise InvalidArgumentError(str(error)) from error
        raise
    below = f"{own}/" if own else ""
    keep_gradients(
        graph_def.node, lambda name: Graph.get_operation_by_name(graph, below + name)
    )
    here = scope.get().device
    for node in graph.nodes[first:] if here is not ANYWHERE else ():
        asked = Asked(node.name, node.op, node.inputs, node.device)
        node.device = decided(here.merge(node.device), asked)
    if return_elements is None:
        return None
    return [_element(graph, own, x, names) for x in return_elements]


def unclashed(proto: Any, graph: Graph, prefix: str) -> tuple[Any, dict[str, str]]:
    """Return a GraphDef with names that a graph does not have yet, and what was changed."""
    below = f"{prefix}/" if prefix else ""
    taken = {node.name.lower() for node in graph.nodes}
    clashing = [x.name for x in proto.node if f"{below}{x.name}".lower() in taken]
    if not clashing:
        return proto, {}
    names: dict[str, str] = {}
    for name in clashing:
        new = graph.free_name(below + name, mark=False)
        while new.removeprefix(below) in {
            *names.values(),
            *(x.name for x in proto.node),
        }:
            new = f"{new}_1"
        names[name] = new.removeprefix(below)
    made = message("GraphDef")()
    made.CopyFrom(proto)
    for node in made.node:
        node.name = names.get(node.name, node.name)
        given = [_renamed(x, names) for x in node.input]
        del node.input[:]
        node.input.extend(given)
        if "_class" in node.attr:
            groups = node.attr["_class"].list.s
            for i, group in enumerate(groups):
                name = group.decode().removeprefix("loc:@")
                groups[i] = f"loc:@{names.get(name, name)}".encode()
    return made, names


def _renamed(given: str, names: Mapping[str, str]) -> str:
    mark = "^" if given.startswith("^") else ""
    node, colon, index = given.removeprefix("^").partition(":")
    return f"{mark}{names.get(node, node)}{colon}{index}"


def _element(graph: Graph, prefix: str, name: str, names: Mapping[str, str]) -> Any:
    own = _renamed(name, names)
    whole = f"{prefix}/{own}" if prefix else own
    node, colon, index = whole.partition(":")
    try:
        found = Graph.get_operation_by_name(graph, node)
    except NotFoundError:
        raise InvalidArgumentError(
            f"Requested return_element {name!r} not found in graph_def."
        ) from None
    found = plain(found)
    return view(found.outputs[int(index)]) if colon else operation(found)


def write_graph(
    graph_or_graph_def: Any, logdir: str, name: str, as_text: bool = True
) -> str:
    """Write a graph or GraphDef to a file in logdir, as text or bytes, and return the path."""
    given = graph_or_graph_def
    proto = to_graphdef(given) if isinstance(given, Graph) else given
    path = Path(logdir) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if as_text:
        path.write_text(str(proto))
    else:
        path.write_bytes(proto.SerializeToString())
    return str(path)


def extract_sub_graph(graph_def: Any, dest_nodes: Iterable[str]) -> Any:
    """Return the nodes of a GraphDef that some need, themselves among them."""
    if isinstance(dest_nodes, str):
        raise DTypeError("dest_nodes must be a list.")
    nodes = {node.name: node for node in graph_def.node}
    waiting, kept = list(dest_nodes), set()
    for name in waiting:
        if name not in nodes:
            raise AssertionFailedError(f"{name} is not in graph")
    while waiting:
        name = waiting.pop()
        if name in kept:
            continue
        kept.add(name)
        waiting += [bare(x) for x in nodes[name].input if bare(x) in nodes]
    made = message("GraphDef")()
    made.node.extend([node for node in graph_def.node if node.name in kept])
    made.library.CopyFrom(graph_def.library)
    made.versions.CopyFrom(graph_def.versions)
    return made


def bare(name: str) -> str:
    """Return the node's name of an input."""
    return name.removeprefix("^").partition(":")[0]


_VARIABLES = {"Variable", "VariableV2", "VarHandleOp"}
_READS = {"ReadVariableOp", "ResourceGather"}


def convert_variables_to_constants(
    sess: Session,
    input_graph_def: Any,
    output_node_names: Sequence[str],
    variable_names_whitelist: Iterable[str] | None = None,
    variable_names_blacklist: Iterable[str] | None = None,
) -> Any:
    """Return what some nodes need, the values of variables being constants in it."""
    part = extract_sub_graph(input_graph_def, output_node_names)
    wanted = [node.name for node in part.node if node.op in _VARIABLES]
    if variable_names_whitelist is not None:
        allowed = set(variable_names_whitelist)
        wanted = [name for name in wanted if name in allowed]
    refused = set(variable_names_blacklist or ())
    wanted = [name for name in wanted if name not in refused]
    values = dict(zip(wanted, sess.run([f"{x}:0" for x in wanted]), strict=True))
    made = message("GraphDef")()
    made.library.CopyFrom(part.library)
    made.versions.CopyFrom(part.versions)
    for node in part.node:
        _put_frozen(made.node.add(), node, values)
    return made


def _put_frozen(target: Any, node: Any, values: Mapping[str, Any]) -> None:
    first = bare(node.input[0]) if node.input else ""
    if node.name in values:
        value = np.asarray(values[node.name])
        target.name, target.op = node.name, "Const"
        target.attr["dtype"].CopyFrom(node.attr["dtype"])
        target.attr["value"].CopyFrom(proto_of_value(value))
        return
    target.CopyFrom(node)
    if node.op not in _READS or first not in values:
        return
    kind, indices = node.attr["dtype"], node.attr["Tindices"]
    for name in list(target.attr):
        del target.attr[name]
    if node.op == "ReadVariableOp":
        target.op = "Identity"
        target.attr["T"].CopyFrom(kind)
        return
    target.op = "Gather"
    target.attr["Tparams"].CopyFrom(kind)
    target.attr["Tindices"].CopyFrom(indices)


def remove_training_nodes(
    input_graph: Any, protected_nodes: Iterable[str] | None = None
) -> Any:
    """Return a GraphDef without nodes that only pass on what they are given."""
    protected = set(protected_nodes or ())
    passed = {
        node.name: node.input[0]
        for node in input_graph.node
        if node.op in {"Identity", "CheckNumerics"}
        and node.name not in protected
        and not any(x.startswith("^") for x in node.input)
    }
    controls = {
        bare(x) for node in input_graph.node for x in node.input if x.startswith("^")
    }
    made = message("GraphDef")()
    made.library.CopyFrom(input_graph.library)
    made.versions.CopyFrom(input_graph.versions)
    for node in input_graph.node:
        if node.name in passed and node.name not in controls:
            continue
        target = made.node.add()
        target.CopyFrom(node)
        del target.input[:]
        target.input.extend([_source(x, passed, controls) for x in node.input])
    return made


def _source(name: str, passed: Mapping[str, str], controls: set[str]) -> str:
    while name in passed and name not in controls:
        name = passed[name]
    return name


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Return whether an operation cannot run on a GPU: a constant of strings.

    With pin_variables_on_cpu variables count, too.
    """
    found = node if hasattr(node, "attr") else node.node_def
    if pin_variables_on_cpu and found.op in _VARIABLES:
        return True
    return bool(found.op == "Const" and found.attr["dtype"].type == OF_DTYPE[string])


def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> Any:
    """Return the shape of an operation's output, by a name like "add" or "add:0"."""
    name = input_name if ":" in input_name else f"{input_name}:0"
    return graph.get_tensor_by_name(name).get_shape()
