"""Meta graphs: a graph with its collections and its saver, written and read."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tensorlite.compat.shared import logging
from tensorlite.compat.v1.graphs import collection_messages
from tensorlite.compat.v1.graphs.graphdefs import import_graph_def
from tensorlite.compat.v1.graphs.notes import adopt_info, info_of, runner_info
from tensorlite.compat.v1.graphs.resources import ResourceVariable
from tensorlite.compat.v1.graphs.stripping import (
    describe,
    part_below,
    strip_defaults,
    without_savers,
)
from tensorlite.compat.v1.graphs.variables import RefVariable
from tensorlite.compat.v1.pipelines.input import QueueRunner
from tensorlite.compat.v1.version import VERSION
from tensorlite.compat.views import GraphTensor, Operation
from tensorlite.core.errors import CheckpointError, GraphDefError
from tensorlite.core.scope import scope as marks
from tensorlite.graph_mode.graph import Graph, get_default_graph, name_scope
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.queues import GraphQueueRunner
from tensorlite.interop.tensorflow.stored.metagraphs import (
    VARIABLES,
    AnyInfo,
    MetaGraph,
    QueueRunnerInfo,
    SaverInfo,
    VariableInfo,
    load_meta_graph,
    meta_graph_of,
    to_message,
)
from tensorlite.interop.tensorflow.writers.nesting import contexts_of


def create_meta_graph_def(
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Iterable[str] | None = None,
    graph: Graph | None = None,
    export_scope: str | None = None,
    exclude_nodes: Iterable[str] | None = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
) -> Any:
    """Return a graph with its collections as a MetaGraphDef.

    graph_def is written in place of the graph's own, collections only those of collection_list and
    without the nodes in exclude_nodes. export_scope is left out of the names in collections, which
    have only what is below it.
    """
    chosen: Any = get_default_graph() if graph is None else graph
    proto = chosen.as_graph_def(add_shapes=True) if graph_def is None else graph_def
    if strip_default_attrs:
        strip_defaults(proto)
    scope = f"{export_scope.rstrip('/')}/" if export_scope else ""
    keys = list(chosen.collections if collection_list is None else collection_list)
    kinds = {f"{node.name}:0": node.op for node in proto.node}
    without = {f"{x}".partition(":")[0] for x in exclude_nodes or ()}
    collections = {
        key: [
            _as_written(x, kinds)
            for x in _noted(key, chosen.get_collection(key), scope, without)
        ]
        if (own := _registered(key, chosen, export_scope)) is None
        else own
        for key in keys
        if not (clear_extraneous_savers and key == GraphKeys.SAVERS)
    }
    if collection_list is None:
        collections |= contexts_of(proto)
    saver = None if saver_def is None else SaverInfo(**_fields(saver_def))
    if clear_extraneous_savers and GraphKeys.SAVERS in keys and saver is not None:
        collections[GraphKeys.SAVERS] = [saver]
    written = {k: v for k, v in collections.items() if v and _is_alike(k, v)}
    meta = MetaGraph(proto, written, saver)
    made = to_message(meta)
    describe(made, meta_info_def, strip_default_attrs, VERSION)
    return made


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
    """Return the graph with its collections as a MetaGraphDef, written to a file if named.

    graph_def is written in place of the graph's own, collections only those of collection_list.
    export_scope takes a part of the graph, without the scope in its names. save_debug_info has no
    effect.
    """
    chosen: Any = get_default_graph() if graph is None else graph
    proto = chosen.as_graph_def(add_shapes=True) if graph_def is None else graph_def
    if export_scope:
        proto = part_below(proto, f"{export_scope.rstrip('/')}/")
    if clear_extraneous_savers:
        proto = without_savers(proto, saver_def)
    if clear_devices:
        for node in proto.node:
            node.device = ""
    made = create_meta_graph_def(
        meta_info_def,
        proto,
        saver_def,
        collection_list,
        chosen,
        export_scope,
        clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs,
    )
    if filename is not None:
        data = str(made).encode() if as_text else made.SerializeToString()
        Path(filename).parent.mkdir(parents=True, exist_ok=True)
        Path(filename).write_bytes(data)
    return made


def _fields(saver_def: Any) -> dict[str, Any]:
    return {name: getattr(saver_def, name) for name in SaverInfo._fields}


def _noted(
    key: str, values: list[Any], scope: str, without: Container[str]
) -> list[Any]:
    """Return what can be said of the members of a collection; others are left out."""
    found = [
        _note(value, scope, key in VARIABLES)
        for value in values
        if getattr(value, "name", "").partition(":")[0] not in without
    ]
    return [x for x in found if x is not None]


def _registered(key: str, graph: Any, scope: str | None) -> list[bytes] | None:
    """Return a collection as libraries write it who have registered how; None for others."""
    return collection_messages.written(key, graph.get_collection(key), scope)


def _as_written(note: Any, kinds: Mapping[str, str]) -> Any:
    """Return a note of a variable that says what it is in the graph that is written."""
    if not isinstance(note, VariableInfo) or note.variable_name not in kinds:
        return note
    return note._replace(is_resource=kinds[note.variable_name] == "VarHandleOp")


def _note(value: Any, scope: str, of_variables: bool) -> Any:
    if isinstance(value, (RefVariable, GraphTensor, Operation)):
        if not value.name.startswith(scope):
            return None
        is_variable = isinstance(value, RefVariable) and of_variables
        return (
            info_of(value, scope) if is_variable else value.name.removeprefix(scope)
        )
    if isinstance(value, (int, float, bytes)):
        return int(value) if isinstance(value, bool) else value
    if isinstance(value, str):  # names are of nodes, texts of programs are bytes
        return value.encode()
    if isinstance(value, GraphQueueRunner):
        return runner_info(value, scope)
    if hasattr(value, "saver_def"):
        return (
            None if value.saver_def is None else SaverInfo(**_fields(value.saver_def))
        )
    return (
        AnyInfo(*[getattr(value, x) for x in AnyInfo._fields])
        if _is_any(value)
        else None
    )


def _is_any(value: Any) -> bool:
    """Return whether a value is a message of a kind that is said beside it."""
    return getattr(getattr(value, "DESCRIPTOR", None), "full_name", "") == _ANY


def _is_alike(key: str, notes: Sequence[Any]) -> bool:
    """Return whether the members of a collection are of one kind; others are not written."""
    kinds = {type(x) for x in notes}
    if len(kinds) > 1:
        told = sorted(kind.__name__ for kind in kinds)
        logging.warning("The collection %r is not written: it has %s.", key, told)
    return len(kinds) == 1


def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> tuple[MetaGraph, str]:
    """Read a meta graph into the graph being built; its collections grow by what is noted.

    The scope that names begin with now is returned, too. A file that is none raises OSError.
    """
    given = meta_graph_or_file
    is_path = isinstance(given, str) or hasattr(given, "__fspath__")
    meta = _loaded(given) if is_path else meta_graph_of(given)
    if clear_devices:
        for node in meta.graph_def.node:
            node.device = ""
    graph = get_default_graph()
    scope = ""
    if import_scope or marks.get().name:
        with name_scope(import_scope) as prefix:
            scope = prefix
    import_graph_def(meta.graph_def, kwargs.get("input_map"), name=scope or "")
    known: dict[str, Any] = {}
    for key, members in meta.collections.items():
        if key in _MADE_ANEW:
            continue
        for member in members:
            found = (
                collection_messages.read(key, member, scope.removesuffix("/"))
                if isinstance(member, bytes)
                else _member(graph, scope, member, known)
            )
            if found is not None:
                graph.add_to_collection(key, found)
    return meta, scope


def _loaded(path: Any) -> MetaGraph:
    if not Path(path).exists():
        raise FileNotFoundError(f"File {path} does not exist.")
    try:
        return load_meta_graph(path)
    except GraphDefError as error:
        raise CheckpointError(f"Cannot parse file {path}: {error}.") from error


_ANY = "google.protobuf.Any"
_MADE_ANEW = {GraphKeys.SAVERS, GraphKeys.COND_CONTEXT, GraphKeys.WHILE_CONTEXT}
"""What graphs are noted by when they are written, and not before."""


def _member(graph: Any, scope: str, member: Any, known: dict[str, Any]) -> Any:
    if isinstance(member, VariableInfo):
        if member.variable_name not in known:
            made = object.__new__(
                ResourceVariable if member.is_resource else RefVariable
            )
            adopt_info(made, graph, scope, member)
            known[member.variable_name] = made
        return known[member.variable_name]
    if isinstance(member, QueueRunnerInfo):
        return QueueRunner.from_proto(member, scope)
    if isinstance(member, str):
        try:
            return graph.as_graph_element(f"{scope}{member}")
        except (KeyError, ValueError):
            return member
    if isinstance(member, AnyInfo):
        return import_module("google.protobuf.any_pb2").Any(**member._asdict())
    return member if isinstance(member, (int, float)) else None
