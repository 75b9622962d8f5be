"""Meta graphs: a graph with its collections and its saver, written and read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorlite.compat.v1.graphdefs import import_graph_def
from tensorlite.compat.v1.variables import RefVariable
from tensorlite.compat.views import GraphTensor, Operation, plain
from tensorlite.core.errors import DTypeError
from tensorlite.graph.graph import Node
from tensorlite.graph_mode.graph import Graph, get_default_graph, name_scope
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.sessions import reading
from tensorlite.interop.tensorflow.stored.metagraphs import (
    MetaGraph,
    SaverInfo,
    VariableInfo,
    load_meta_graph,
    meta_graph_of,
    save_meta_graph,
    to_message,
)
from tensorlite.interop.tensorflow.writing import to_graphdef
from tensorlite.ops.resource import VarHandleOp


def export_meta_graph(
    filename: str | None = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Iterable[str] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **_: Any,
) -> Any:
    chosen = get_default_graph() if graph is None else graph
    proto = to_graphdef(chosen) if graph_def is None else graph_def
    if clear_devices:
        for node in proto.node:
            node.device = ""
    keys = chosen.collections if collection_list is None else collection_list
    collections = {key: _noted(chosen.get_collection(key)) for key in keys}
    saver = None if saver_def is None else SaverInfo(**_fields(saver_def))
    meta = MetaGraph(proto, {k: v for k, v in collections.items() if v}, saver)
    if filename is not None:
        save_meta_graph(meta, filename, as_text=as_text)
    return to_message(meta)


def _fields(saver_def: Any) -> dict[str, Any]:
    return {name: getattr(saver_def, name) for name in SaverInfo._fields}


def _noted(values: list[Any]) -> list[Any]:
    """Return what can be said of the members of a collection; others are left out."""
    found = [_note(value) for value in values]
    return [x for x in found if x is not None]


def _note(value: Any) -> Any:
    if isinstance(value, RefVariable):
        return info_of(value)
    if isinstance(value, (GraphTensor, Operation)):
        return value.name
    if isinstance(value, (int, float, bytes)) and not isinstance(value, bool):
        return value
    if hasattr(value, "saver_def"):
        return (
            None if value.saver_def is None else SaverInfo(**_fields(value.saver_def))
        )
    return value if isinstance(value, str) else None


def info_of(variable: Any) -> VariableInfo:
    """Return the names of a variable's parts."""
    part = variable.save_slice
    return VariableInfo(
        f"{variable.bare_name}:0",
        variable.initializing.name,
        variable.snapshot.name,
        variable.first.name if hasattr(variable.first, "name") else "",
        is_resource=True,
        trainable=variable.watched,
        full_name="" if part is None else part.full_name,
        full_shape=() if part is None else tuple(part.full_shape),
        var_offset=() if part is None else tuple(part.var_offset),
        var_shape=() if part is None else tuple(part.var_shape),
    )


def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> MetaGraph:
    """Read a meta graph into the graph being built; its collections grow by what is noted."""
    given = meta_graph_or_file
    meta = (
        load_meta_graph(given)
        if isinstance(given, str) or hasattr(given, "__fspath__")
        else (meta_graph_of(given))
    )
    if clear_devices:
        for node in meta.graph_def.node:
            node.device = ""
    graph = get_default_graph()
    scope = ""
    if import_scope:
        with name_scope(import_scope) as prefix:
            scope = prefix
    import_graph_def(meta.graph_def, kwargs.get("input_map"), name=scope or "")
    known: dict[str, Any] = {}
    for key, members in meta.collections.items():
        if key == GraphKeys.SAVERS:
            continue
        for member in members:
            found = _member(graph, scope, member, known)
            if found is not None:
                graph.add_to_collection(key, found)
    return meta


def _member(graph: Graph, scope: str, member: Any, known: dict[str, Any]) -> Any:
    if isinstance(member, VariableInfo):
        if member.variable_name not in known:
            known[member.variable_name] = variable_of(graph, scope, member)
        return known[member.variable_name]
    if isinstance(member, str):
        try:
            return graph.as_graph_element(f"{scope}{member}")  # type: ignore[attr-defined]
        except (KeyError, ValueError):
            return member
    return member if isinstance(member, (int, float, bytes)) else None


def variable_of(graph: Graph, scope: str, info: VariableInfo) -> Any:
    """Return the variable whose nodes a graph has by the names noted."""
    node = _node(graph, scope, info.variable_name)
    handle = node.outputs[0]
    if not isinstance(node.op, VarHandleOp):
        if not node.inputs:
            raise DTypeError(f"{node.name} is no variable: it is of {node.op.name}")
        handle = node.inputs[0]
    made: Any = object.__new__(RefVariable)
    made.graph, made.handle = graph, handle
    made.bare_name = f"{scope}{info.variable_name.partition(':')[0]}"
    made.initializing = _node(graph, scope, info.initializer_name)
    made.snapshot = reading(handle)
    if info.initial_value_name:
        made.first = _node(graph, scope, info.initial_value_name).outputs[0]
    else:
        made.first = made.initializing.inputs[1]
    made.constraint, made.save_slice, made.watched = None, None, info.trainable
    made.trainable = info.trainable
    return made


def _node(graph: Graph, scope: str, name: str) -> Node:
    found: Node = plain(
        Graph.get_operation_by_name(graph, f"{scope}{name.partition(':')[0]}")
    )
    return found
