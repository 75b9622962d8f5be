"""Which layer each tensor of a TensorFlow 1 graph comes from, so that models are made of them.

There keras.Input is a placeholder, and a layer's result the tensor that its nodes make. Programs
hold these; sketch.py's symbolic tensors say beside each how it came about, and what functions of
`tf` made of them is noted as a part of the graph when a layer or a model is given it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

from tensorlite.compat.shared import nests
from tensorlite.compat.shared.arrays import identity
from tensorlite.compat.v1.graphs.framework import placeholder
from tensorlite.compat.v2.keras.src.layers import masks
from tensorlite.compat.v2.keras.src.models import in_graphs, sketch
from tensorlite.compat.v2.keras.src.models.in_sessions import (
    graph_of_models,
    handle_of,
    in_graph_of_models,
)
from tensorlite.compat.v2.keras.src.models.sketch import KerasTensor, Node
from tensorlite.compat.views import GraphTensor, view
from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.trace import standing
from tensorlite.graph_mode.graph import Graph, active_graph
from tensorlite.graph_mode.wrapped import as_function
from tensorlite.ops.state.resource import VarHandleOp

shown = sketch.shown

_TABLE = "tensors of layers"
_APART = "tensors of no layer"

_values: ContextVar[dict[int, Any] | None] = ContextVar("keras_values", default=None)
"""What symbolic tensors are in the step that a model takes."""
_placing: ContextVar[bool] = ContextVar("keras_placing", default=False)
"""Whether a layer is being called to make its nodes."""


def _key(x: Any) -> tuple[int, int]:
    return id(x.node), x.index


def _table(graph: Any) -> dict[tuple[int, int], KerasTensor]:
    found: dict[tuple[int, int], KerasTensor] = graph.scopes.setdefault(_TABLE, {})
    return found


def recovered(structure: Any) -> Any:
    """Return symbolic tensors in the place of those of the graph that come from layers."""
    if _placing.get() or in_graphs.building.get():
        return structure
    if isinstance(structure, GraphTensor):
        graph = structure.graph
        known = graph.scopes.get(_TABLE) if isinstance(graph, Graph) else None
        found = _found(structure, graph) if known else None
        return structure if found is None else found
    if type(structure) in (list, tuple):
        return type(structure)(map(recovered, structure))
    if type(structure) is dict:
        return {key: recovered(x) for key, x in structure.items()}
    return structure


def _found(x: Any, graph: Graph) -> KerasTensor | None:
    """Return what is noted beside a tensor; of what was made of such, a note of that."""
    table = _table(graph)
    known = table.get(_key(x))
    if known is not None:
        return known
    starts = _starts(x, graph)
    if not starts:
        return None
    part = PartOfGraph(graph, [s.placed for s in starts], x)
    node = Node(part, tuple(starts), {})
    made = KerasTensor.made(x.spec.without_value(), node, part.name)
    node.outputs = made
    part.nodes = (node,)
    return _remember(made, x)


def _remember(made: KerasTensor, x: Any) -> KerasTensor:
    made.placed = view(x)
    _table(x.node.graph)[_key(x)] = made
    return made


def _starts(x: Any, graph: Graph) -> list[KerasTensor]:
    """Return the symbolic tensors that a tensor was made of, the nearest ones."""
    table = _table(graph)
    apart: set[int] = graph.scopes.setdefault(_APART, set())
    found: dict[int, KerasTensor] = {}
    seen: set[int] = set()
    waiting = [x]
    while waiting:
        y = waiting.pop()
        known = table.get(_key(y))
        if known is not None:
            found[id(known)] = known
        elif id(y.node) not in seen and id(y.node) not in apart:
            seen.add(id(y.node))
            waiting += y.node.inputs
    if not found:
        apart |= seen
    return list(found.values())


def is_fed_by(x: Any, inputs: list[Any]) -> bool:
    """Return whether a tensor of a graph was made of some inputs, or of nothing that is fed."""
    own = {id(y.node) for y in inputs}
    found: set[int] = set()
    seen: set[int] = set()
    waiting = [x.node]
    while waiting:
        node = waiting.pop()
        if node.op.name == "Placeholder":
            found.add(id(node))
        elif id(node) not in seen:
            seen.add(id(node))
            waiting += [y.node for y in node.inputs]
    return not found or bool(found & own)


class _Held:
    """A variable of a part of a graph, where that runs."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle


class _Variable:
    """A variable of a graph, known by its handle alone."""

    def __init__(self, graph: Graph, handle: SymbolicTensor) -> None:
        self.graph, self.graph_handle = graph, handle
        self.initializing = next(
            (
                y
                for y in graph.nodes
                if "Assign" in y.op.name and y.inputs[0] is handle
            ),
            None,
        )


class PartOfGraph(sketch.Noted):
    """What a program made of tensors of layers with functions of its own."""

    def __init__(self, graph: Graph, feeds: list[Any], fetch: Any) -> None:
        self.graph, self.feeds, self.fetch = graph, feeds, fetch
        self.name = f"tf_op_layer_{fetch.node.name}"
        self.nodes: tuple[Node, ...] = ()

    def call(self, *values: Any) -> Any:
        is_value = active_graph() is None
        held = {
            x: _Held(handle_of(_Variable(self.graph, x)) if is_value else x)
            for x in self._handles()
        }
        feeds = [x.__tensor__() for x in self.feeds]
        run: Any = as_function
        return run(self.graph, feeds, [self.fetch.__tensor__()], held)(*values)[0]

    @property
    def reads_variables(self) -> bool:
        """Whether it reads variables, which are the graph's alone."""
        return bool(self._handles())

    def _handles(self) -> list[SymbolicTensor]:
        """Return the handles of the variables that it reads."""
        ends = {_key(x) for x in self.feeds}
        found: dict[int, SymbolicTensor] = {}
        seen: set[int] = set()
        waiting = [self.fetch]
        while waiting:
            x = waiting.pop()
            if _key(x) in ends:
                continue
            if isinstance(x.node.op, VarHandleOp):
                found[id(x.node)] = x.node.outputs[0]
            if id(x.node) not in seen:
                seen.add(id(x.node))
                waiting += x.node.inputs
        return list(found.values())


def record(layer: Any, args: Any, kwargs: Any) -> Any:
    """Return what a layer will return for symbolic tensors, its nodes made if there is a graph."""
    graph = graph_of_models()
    leaves = [x for x in nests.flatten([args, kwargs]) if sketch.is_leaf(x)]
    if graph is None or any(x.placed is None for x in leaves):
        return sketch.record(layer, args, kwargs)
    node = Node(layer, args, kwargs)
    own_args, own_kwargs = shown(args), shown(kwargs)
    token = _placing.set(True)
    try:
        with in_graph_of_models(graph):
            made = layer(*own_args, **own_kwargs)
            made = nest.map_structure(partial(_own, graph), made)
    finally:
        _placing.reset(token)
    flat = nest.flatten(made)
    many = len(flat) != 1
    names = [f"{layer.name}:{i}" if many else layer.name for i in range(len(flat))]
    of_outputs = iter(names)
    node.outputs = nest.map_structure(
        lambda x: _noted(x, node, next(of_outputs)), made
    )
    layer.nodes = (*layer.nodes, node)
    return node.outputs


def _own(graph: Graph, x: Any) -> Any:
    """Return a tensor that no other layer has made."""
    if not isinstance(x, SymbolicTensor):
        raise InvalidArgumentError(
            f"a layer returned {x!r} for tensors of a graph; it is to return such"
        )
    if _key(x) not in _table(graph):
        return x
    made: Any = identity(view(x))
    masks.remember(made.__tensor__(), masks.of_one(x))
    return made


def _noted(x: Any, node: Node, name: str) -> KerasTensor:
    mask = masks.of_one(x)
    spec = None if mask is None else mask.spec.without_value()
    return _remember(KerasTensor.made(x.spec.without_value(), node, name, spec), x)


@contextmanager
def stepping() -> Iterator[None]:
    """Let tensors of the graph mean their values in a model's step, where a loss names them."""
    values: dict[int, Any] = {}
    token, found = _values.set(values), standing.set(partial(_value, values))
    try:
        yield
    finally:
        standing.reset(found)
        _values.reset(token)


def note_values(values: dict[int, Any]) -> None:
    """Keep what symbolic tensors are in the call of a model that a step makes."""
    known = _values.get()
    if known is not None:
        known.update(values)


def _value(values: dict[int, Any], x: SymbolicTensor) -> Any:
    """Return what a tensor of the graph is in a step; None if it is not known there."""
    graph: Any = x.node.graph
    known = values and isinstance(graph, Graph) and graph.scopes.get(_TABLE)
    found = _found(view(x), graph) if known else None
    if found is None:
        return _without_inputs(x, graph) if isinstance(graph, Graph) else None
    if id(found) not in values:
        own = dict(values)
        ends = [y for y in _table(graph).values() if id(y) in own]
        values[id(found)] = sketch.replayed(sketch.needed(found, ends), own, found)
    return values[id(found)]


def _without_inputs(x: SymbolicTensor, graph: Graph) -> Any:
    """Return the value of what no input of a model has part in, None if something is to be fed."""
    if isinstance(x.node.op, VarHandleOp):
        return handle_of(_Variable(graph, x))
    seen: set[int] = set()
    waiting = [x.node]
    while waiting:
        node = waiting.pop()
        if node.op.name == "Placeholder":
            return None
        if id(node) not in seen:
            seen.add(id(node))
            waiting += [y.node for y in node.inputs]
    return PartOfGraph(graph, [], view(x)).call()


def placed_input(
    shape: Any,
    dtype: Any = None,
    name: str | None = None,
    layer: Any = None,
    ragged: bool = False,
) -> KerasTensor:
    """Return a symbolic tensor that a model is given values for, in a graph a placeholder."""
    made = sketch.placed_input(shape, dtype, name, layer, ragged)
    graph = graph_of_models()
    if graph is not None and ragged:
        raise InvalidArgumentError(
            "Input: ragged=True is not served in a graph; give rows of one length and a Masking "
            "layer, or build the model eagerly"
        )
    if graph is not None:
        with in_graph_of_models(graph):
            sizes = made.spec.shape
            _remember(made, placeholder(made.spec.dtype, sizes, name=made.name))
    return made


def taken(tensor: Any, name: str | None, layer: Any) -> KerasTensor:
    """Return a symbolic tensor that stands for one which a graph has already."""
    tensor, node = view(tensor), Node(layer, (), {})
    node.outputs = KerasTensor.made(tensor.spec.without_value(), node, name or "")
    tensor.graph.scopes.pop(_APART, None)
    return _remember(node.outputs, tensor)
