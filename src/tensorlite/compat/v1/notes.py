"""What is noted of variables beside a graph, and variables made of such notes."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.views import plain
from tensorlite.core.errors import DTypeError
from tensorlite.graph.graph import Node
from tensorlite.graph_mode.graph import Graph
from tensorlite.graph_mode.sessions import reading
from tensorlite.interop.tensorflow.stored.metagraphs import (
    VariableInfo,
    variable_info,
    variable_proto,
)
from tensorlite.ops.resource import VarHandleOp


def proto_of(variable: Any, export_scope: str | None = None) -> Any:
    """Return a variable's VariableDef, by its names below a scope; None where it is not there."""
    scope = f"{export_scope.rstrip('/')}/" if export_scope else ""
    if not variable.bare_name.startswith(scope):
        return None
    return variable_proto(info_of(variable, scope))


def adopt_proto(made: Any, graph: Graph, scope: str | None, proto: Any) -> None:
    """Make of a bare object the variable that a VariableDef notes."""
    adopt_info(
        made, graph, f"{scope.rstrip('/')}/" if scope else "", variable_info(proto)
    )


def info_of(variable: Any, scope: str = "") -> VariableInfo:
    """Return the names of a variable's parts."""
    part = variable.save_slice
    first = variable.first.name if hasattr(variable.first, "name") else ""
    return VariableInfo(
        f"{variable.bare_name}:0".removeprefix(scope),
        variable.initializing.name.removeprefix(scope),
        variable.snapshot.name.removeprefix(scope),
        first.removeprefix(scope),
        is_resource=True,
        trainable=variable.watched,
        full_name="" if part is None else part.full_name,
        full_shape=() if part is None else tuple(part.full_shape),
        var_offset=() if part is None else tuple(part.var_offset),
        var_shape=() if part is None else tuple(part.var_shape),
    )


def adopt_info(made: Any, graph: Graph, scope: str, info: VariableInfo) -> None:
    """Make of a bare object the variable whose nodes a graph has by the names noted."""
    node = _node(graph, scope, info.variable_name)
    handle = node.outputs[0]
    if not isinstance(node.op, VarHandleOp):
        if not node.inputs:
            raise DTypeError(f"{node.name} is no variable: it is of {node.op.name}")
        handle = node.inputs[0]
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


def _node(graph: Graph, scope: str, name: str) -> Node:
    found: Node = plain(
        Graph.get_operation_by_name(graph, f"{scope}{name.partition(':')[0]}")
    )
    return found
