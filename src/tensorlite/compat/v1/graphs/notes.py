"""What is noted beside a graph of variables and of what fills queues, and these made of notes."""

from __future__ import annotations

from typing import Any
from weakref import ref

from tensorlite.compat.shared.errors import (
    error_code_from_exception_type,
    exception_type_from_error_code,
)
from tensorlite.compat.views import plain
from tensorlite.core.errors import DTypeError, OutOfRangeError, TensorliteError
from tensorlite.graph.graph import Node
from tensorlite.graph_mode.graph import Graph
from tensorlite.graph_mode.partitioned import SaveSlice
from tensorlite.graph_mode.queues import GraphQueueRunner, queue_of
from tensorlite.graph_mode.sessions import reading
from tensorlite.interop.tensorflow.stored.metagraphs import (
    QueueRunnerInfo,
    VariableInfo,
    variable_info,
    variable_proto,
)
from tensorlite.interop.tensorflow.writers.referring import is_reference
from tensorlite.ops.state.resource import VarHandleOp


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
        is_resource=not is_reference(variable.handle.node),
        trainable=variable.watched,
        full_name="" if part is None else part.full_name,
        full_shape=() if part is None else tuple(part.full_shape),
        var_offset=() if part is None else tuple(part.var_offset),
        var_shape=() if part is None else tuple(part.var_shape),
        synchronization=variable.distribution[0],
        aggregation=variable.distribution[1],
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
    made.born_behind = ()
    made.snapshot = _snapshot(graph, scope, info.snapshot_name, handle)
    if info.initial_value_name:
        made.first = _node(graph, scope, info.initial_value_name).outputs[0]
    else:
        made.first = made.initializing.inputs[1]
    if handle.node.owner is None or handle.node.owner() is None:
        handle.node.owner = ref(made)
    made.constraint, made.watched = None, info.trainable
    made.trainable = info.trainable
    made.distribute(info.synchronization, info.aggregation)
    sizes = info.full_shape, info.var_offset, info.var_shape
    made.save_slice = (
        SaveSlice(info.full_name, *map(list, sizes)) if info.full_name else None
    )


def _snapshot(graph: Graph, scope: str, name: str, handle: Any) -> Any:
    """Return the reading that is noted; one that there is where it is not of the handle."""
    found = _node(graph, scope, name).outputs if name else ()
    is_own = any(x is handle for y in found for x in y.node.inputs[:1])
    return found[0] if is_own else reading(handle)


def runner_info(runner: GraphQueueRunner, scope: str = "") -> QueueRunnerInfo | None:
    """Return the names of what fills and closes a queue; None for one outside of a scope."""

    def named(x: Any) -> str:
        node = getattr(x, "node", x)
        return "" if node is None else str(node.name).removeprefix(scope)

    if not runner.name.startswith(scope):
        return None
    known = [
        kind
        for kind in runner.queue_closed_exception_types
        if issubclass(kind, TensorliteError)
    ]
    return QueueRunnerInfo(
        runner.name.removeprefix(scope),
        tuple([named(op) for op in runner.enqueue_ops]),
        named(runner.close_op),
        named(runner.cancel_op),
        tuple([error_code_from_exception_type(kind) for kind in known]),
    )


def adopt_runner(
    made: GraphQueueRunner, graph: Graph, scope: str, info: QueueRunnerInfo
) -> None:
    """Make of a bare object what fills the queue that is noted."""
    codes = info.queue_closed_exception_types or (OutOfRangeError.error_code,)
    ends = [
        _node(graph, scope, name) if name else None
        for name in (info.close_op_name, info.cancel_op_name)
    ]
    GraphQueueRunner.__init__(
        made,
        queue_of(_node(graph, scope, info.queue_name)),
        [_node(graph, scope, name) for name in info.enqueue_op_name],
        [exception_type_from_error_code(code) for code in codes],
        *ends,
    )


def _node(graph: Graph, scope: str, name: str) -> Node:
    found: Node = plain(
        Graph.get_operation_by_name(graph, f"{scope}{name.partition(':')[0]}")
    )
    return found
