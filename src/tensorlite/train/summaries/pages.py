"""Graphs as TensorBoard's graph page draws them: GraphDefs for looking at, not for running.

Branches and bodies of loops become name scopes within their node, so that they open where they
stand; called functions become functions of the library. GraphDefs that run: interop/tensorflow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import numpy as np

from tensorlite.core.dtypes import enum_name
from tensorlite.core.op import Role
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.text import inner
from tensorlite.ops.summaries.event_messages import board, message

LONGEST = 1024
"""How many characters of an attribute are written."""
_PRODUCER = 1087


def page_of(graph: Graph) -> Any:
    """Return a graph as a GraphDef message for TensorBoard.

    >>> graph = tl.Graph()
    >>> with graph.as_default():
    ...     y = tl.exp(tl.placeholder(tl.float32, (2,)))
    >>> [(node.name, node.op) for node in page_of(graph).node]
    [('Placeholder', 'Placeholder'), ('Exp', 'Exp')]
    """
    page = _Page()
    page.proto.versions.producer = _PRODUCER
    page.nodes(page.proto.node, _Place.of(graph.shown()))
    return page.proto


def shown_names(graph: Graph) -> Iterator[tuple[str, Node, tuple[Node, ...]]]:
    """Yield each node with the name under which it is shown, and the nodes it lies within."""
    is_other = graph.shown() is not graph
    for name, node, around in _shown(_Place.of(graph), ()):
        yield node.name if is_other else name, node, around


def _shown(
    place: _Place, around: tuple[Node, ...]
) -> Iterator[tuple[str, Node, tuple[Node, ...]]]:
    for node in place.graph.nodes:
        yield place.name(node), node, around
        for _, within in place.inside(node):
            yield from _shown(within, (*around, node))


@dataclass(frozen=True)
class _Place:
    """Where the nodes of one graph are shown."""

    graph: Graph
    names: dict[Node, str]
    given: tuple[str, ...] = ()
    """What the graph's inputs come from."""
    arguments: dict[Node, int] = field(default_factory=dict)

    @staticmethod
    def of(
        graph: Graph,
        prefix: str = "",
        dropped: Sequence[str] = (),
        given: tuple[str, ...] = (),
    ) -> _Place:
        """Return a place whose names begin with `prefix`, in place of a scope that is `dropped`."""
        names: dict[Node, str] = {}
        taken: set[str] = set()
        for node in graph.nodes:
            scope = next((x for x in dropped if node.name.startswith(x)), "")
            short = node.name.removeprefix(scope)
            while short in taken:
                short += "_"
            names[node] = prefix + short
            taken.add(short)
        numbers = {x.node: i for i, x in enumerate(graph.inputs)} if prefix else {}
        return _Place(graph, names, given, numbers)

    def name(self, node: Node) -> str:
        """Return what a node is called."""
        return self.names[node]

    def source(self, x: SymbolicTensor) -> str:
        """Return how an output of a node is called as an input."""
        name = self.name(x.node)
        return f"{name}:{x.index}" if x.index else name

    def inside(self, node: Node) -> list[tuple[str, _Place]]:
        """Return the places of branches, or of a loop's condition and body."""
        if node.op.role not in {Role.IF, Role.WHILE}:
            return []
        given = tuple([self.source(x) for x in node.inputs])
        scope = node.name.rpartition("/")[0]
        dropped = (f"{node.name}/", f"{scope}/") if scope else (f"{node.name}/",)
        # A branch has all inputs but the first, which chooses it.
        given = given[1:] if node.op.role is Role.IF else given
        return [
            (label, _Place.of(region, f"{self.name(node)}/{label}/", dropped, given))
            for label, region in inner(node)
        ]


class _Page:
    """A GraphDef in the making."""

    def __init__(self) -> None:
        self.proto = message("GraphDef")()
        self._names: dict[int, str] = {}
        self._kept: list[Graph] = []
        """Graphs whose ids are known are kept, so that no other has the same."""

    def nodes(self, protos: Any, place: _Place) -> None:
        """Add the nodes of a graph, and those of branches and loops within."""
        used = _used(place.graph)
        for node in place.graph.nodes:
            if node in place.arguments and node not in used:
                continue
            made = protos.add(name=place.name(node), op=node.op.name)
            made.device = str(node.device)
            number = place.arguments.get(node)
            if number is not None and number < len(place.given):
                made.input.append(place.given[number])
            regions = place.inside(node)
            made.input.extend(_inputs(node, place, regions))
            made.input.extend([f"^{place.name(x)}" for x in node.control])
            if node.op.role is Role.CALL:
                # TensorBoard opens nodes whose operator is a function.
                made.op = self.function(node.op.regions()[0])
            _attributes(made, node)
            for _, within in regions:
                self.nodes(protos, within)

    def function(self, graph: Graph) -> str:
        """Return the name of a function of the library, written if it is new."""
        known = self._names.get(id(graph))
        if known is not None:
            return known
        base = "".join([x if x.isalnum() else "_" for x in graph.name]) or "function"
        name, count = base, 0
        while name in self._names.values():
            count += 1
            name = f"{base}_{count}"
        self._names[id(graph)] = name
        self._kept.append(graph)
        made = self.proto.library.function.add()
        made.signature.name = name
        place = _Place.of(graph, dropped=[_common_scope(graph)])
        types = board("tensorboard.compat.proto.types_pb2").DataType
        inputs = {x.node for x in graph.inputs}
        for x in graph.inputs:
            kind = types.Value(enum_name(x.dtype))
            made.signature.input_arg.add(name=place.name(x.node), type=kind)
        for i, x in enumerate(graph.outputs):
            kind = types.Value(enum_name(x.dtype))
            made.signature.output_arg.add(name=f"result_{i}", type=kind)
            result = made.node_def.add(name=f"result_{i}", op="Identity")
            result.input.append(place.source(x))
        body = message("GraphDef")()
        self.nodes(body.node, place)
        drawn = {place.name(node) for node in inputs}
        made.node_def.extend([x for x in body.node if x.name not in drawn])
        return name


def _common_scope(graph: Graph) -> str:
    """Return the scope that all nodes stand in, inputs apart: that of the function's first call."""
    inputs = {x.node for x in graph.inputs}
    scopes = [node.name.split("/")[:-1] for node in graph.nodes if node not in inputs]
    shared = takewhile(lambda parts: len(set(parts)) == 1, zip(*scopes, strict=False))
    return "".join([f"{parts[0]}/" for parts in shared])


def _used(graph: Graph) -> set[Node]:
    """Return the nodes of which something is taken."""
    taken = [*graph.outputs, *[x for node in graph.nodes for x in node.inputs]]
    return {x.node for x in taken}


def _inputs(
    node: Node, place: _Place, regions: Sequence[tuple[str, _Place]]
) -> list[str]:
    """Return what a node takes; what has inner graphs takes their results, and they its inputs."""
    if not regions:
        return [place.source(x) for x in node.inputs]
    results = [
        within.source(x) for _, within in regions for x in within.graph.outputs
    ]
    chosen = node.inputs[:1] if node.op.role is Role.IF else ()
    return [*[place.source(x) for x in chosen], *dict.fromkeys(results)]


def _attributes(made: Any, node: Node) -> None:
    shapes = made.attr["_output_shapes"].list
    shapes.SetInParent()
    for x in node.outputs:
        _put_shape(shapes.shape.add(), x.spec)
    if node.outputs:
        types = board("tensorboard.compat.proto.types_pb2").DataType
        made.attr["dtype"].type = types.Value(enum_name(node.outputs[0].dtype))
    made.attr["_line"].s = str(node.line).encode()
    for key, value in node.op.attributes().items():
        if not isinstance(value, Graph) and not hasattr(value, "graph"):
            _put(made.attr[key], value)


def _put_shape(proto: Any, spec: TensorSpec) -> None:
    if spec.shape is None:
        proto.unknown_rank = True
        return
    for size in spec.shape:
        proto.dim.add(size=-1 if size is None else size)


def _put(proto: Any, value: Any) -> None:
    """Write an attribute as it is, or for reading where messages have no form for it."""
    if isinstance(value, (bool, np.bool_)):
        proto.b = bool(value)
    elif isinstance(value, (int, np.integer)) and abs(int(value)) < 2**63:
        proto.i = int(value)
    elif isinstance(value, (float, np.floating)):
        proto.f = float(value)
    elif isinstance(value, TensorSpec):
        _put_shape(proto.shape, value)
    else:
        proto.s = _text(value)[:LONGEST].encode(errors="replace")


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        with np.printoptions(threshold=20, edgeitems=2):
            return str(value)
    return str(value)
