"""Graphs as bytes and back. Attributes of operators are in attributes.py; pictures in text.py.

The bytes are a header, JSON, and the elements of the arrays, little-endian, one after the other.
Nothing is pickled. Reading runs no operator; running what was read does what its operators do,
files and all, so run only graphs of those whom you would let run a program.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any

from tensorlite.core.errors import GraphError
from tensorlite.core.op import Role
from tensorlite.core.provenance import UNKNOWN, Line
from tensorlite.core.xp import Array
from tensorlite.graph.attributes import (
    LARGEST,
    Decoder,
    Encoder,
    checked,
    device_of,
    device_text,
    number,
    read_array,
    record,
    sequence,
    text,
)
from tensorlite.graph.graph import Graph, Node, SymbolicTensor

MAGIC = b"\x93TLGRAPH"
VERSION = 1
HEADER = struct.Struct("<8sIQ")
"""What it is, the version of the form, how many bytes of JSON follow."""
DEPTH = 200
"""How deep branches and loops may stand in one another."""


class Called:
    """A function read from bytes: a graph that calls of it refer to, to be compiled with them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def run(self, arrays: Sequence[Array]) -> tuple[Array, ...]:
        """Raise GraphError: alone, this function has no means to run."""
        raise GraphError(
            f"the function {self.graph.name} was read from bytes and is part of a graph: compile "
            "the graph that calls it, or read it with from_bytes(data, callee=...)"
        )

    def with_graph(self, graph: Graph) -> Called:
        """Return another function of this kind."""
        return self if graph is self.graph else Called(graph)

    def __repr__(self) -> str:
        return self.graph.name


def to_bytes(graph: Graph) -> bytes:
    """Return a graph, with all graphs inside it and all it calls, as bytes.

    The same graph gives the same bytes. What a graph built by hand took from outside, such as
    variables, is an input like the others. Raises GraphError, naming node and line, for what
    exists in this process only, such as the Python function of `tl.py_function`.

    >>> graph = tl.Graph("line")
    >>> with graph.as_default():
    ...     graph.outputs = [graph.add_input(tl.TensorSpec(())) * 2.0]
    >>> tl.graphs.from_bytes(tl.graphs.to_bytes(graph))
    <Graph line: 3 nodes>
    """
    writer = _Writer()
    writer.encoder.graphs.place(graph)
    graphs = [writer.graph(one) for one in _growing(writer.encoder.graphs.items)]
    arrays = [writer.encoder.array(array) for array in writer.encoder.arrays.items]
    listed = [description for description, _ in arrays]
    content = {"lines": writer.lines, "arrays": listed, "graphs": graphs}
    structure = json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
    header = HEADER.pack(MAGIC, VERSION, len(structure))
    return b"".join([header, structure, *[elements for _, elements in arrays]])


def _growing(items: list[Any]) -> Any:
    """Yield the members of a list that gets longer meanwhile."""
    done = 0
    while done < len(items):
        yield items[done]
        done += 1


class _Writer:
    """What the graphs of one writing share: the tables of lines, graphs and arrays."""

    def __init__(self) -> None:
        self.encoder = Encoder()
        self.lines: list[Line] = []
        self._places: dict[Line, int] = {}

    def graph(self, graph: Graph) -> dict[str, Any]:
        """Return a graph as JSON: tensors are numbered through, as the nodes give them."""
        names = {node: i for i, node in enumerate(graph.nodes)}
        first: dict[Node, int] = {}
        total = 0
        for node in graph.nodes:
            first[node] = total
            total += len(node.outputs)

        def tensor(x: SymbolicTensor) -> int:
            if x.node not in first:
                raise GraphError(
                    f"{graph.name} uses {x.name}, which is of {x.node.graph.name}"
                )
            return first[x.node] + x.index

        def place(node: Node) -> int:
            if node not in names:
                raise GraphError(
                    f"{graph.name} waits for {node.name} of {node.graph.name}"
                )
            return names[node]

        return {
            "name": graph.name,
            "nodes": [self._node(node, tensor, place) for node in graph.nodes],
            "inputs": [tensor(x) for x in graph.inputs],
            "outputs": [tensor(x) for x in graph.outputs],
            "effects": [place(node) for node in graph.effects],
        }

    def _node(
        self,
        node: Node,
        tensor: Callable[[SymbolicTensor], int],
        place: Callable[[Node], int],
    ) -> dict[str, Any]:
        try:
            made = self.encoder.op(node.op)
            device = device_text(node.device)
        except GraphError as error:
            raise GraphError(
                f"{node.name} ({node.op.name}), made at {node.line}, cannot be written as bytes: "
                f"{error}"
            ) from None
        made["name"] = node.name
        made["outputs"] = [self.encoder.spec(x.spec) for x in node.outputs]
        if node.inputs:
            made["inputs"] = [tensor(x) for x in node.inputs]
        if node.control:
            made["control"] = [place(before) for before in node.control]
        if device:
            made["device"] = device
        if node.group:
            made["group"] = node.group
        if node.line != UNKNOWN:
            made["line"] = self._line(node.line)
        return made

    def _line(self, line: Line) -> int:
        found = self._places.setdefault(line, len(self.lines))
        if found == len(self.lines):
            self.lines.append(line)
        return found


def from_bytes(
    data: bytes | bytearray | memoryview, callee: Callable[[Graph], Any] = Called
) -> Graph:
    """Return the graph that `to_bytes` wrote.

    `callee` makes, of each function's graph, what PartitionedCall calls; without it the functions
    can be compiled as part of the graph, and not be called by themselves. Raises GraphError for
    bytes that are damaged, of another version, or use operators that do not exist here. Whether
    specs are what inference says is for passes/verify.py to check.

    >>> tl.graphs.from_bytes(b"something else, long enough")
    Traceback (most recent call last):
    ...
    tensorlite.core.errors.GraphError: these bytes are no graph: they begin with ...
    """
    view = memoryview(data).cast("B")
    checked(len(view) >= HEADER.size, f"{len(view)} bytes are too few for a graph")
    magic, version, size = HEADER.unpack_from(view)
    checked(magic == MAGIC, f"these bytes are no graph: they begin with {magic!r}")
    checked(
        version == VERSION,
        f"the graph has version {version}; this library reads {VERSION}",
    )
    rest = view[HEADER.size :]
    checked(
        size <= len(rest),
        f"the graph is cut off: {size} bytes of structure, {len(rest)} left",
    )
    content = record(_parsed(rest[:size]), "the whole", ["lines", "arrays", "graphs"])
    return _Reader(content, rest[size:], callee).graphs[0]


def _parsed(data: memoryview) -> Any:
    try:
        return json.loads(str(data, "utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise GraphError(f"the structure of the graph is damaged: {error}") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


class _Reader:
    """Builds the graphs of one reading: all are there, empty, before one is filled."""

    def __init__(
        self,
        content: dict[str, Any],
        payload: memoryview,
        callee: Callable[[Graph], Any],
    ) -> None:
        self._lines = [_line(one) for one in sequence(content["lines"], "the lines")]
        listed = sequence(content["graphs"], "the graphs")
        checked(listed, "there is no graph")
        needed = ["name", "nodes", "inputs", "outputs", "effects"]
        for one in listed:
            record(one, "a graph", needed)
        self.graphs = [
            Graph(text(one["name"], "the name of a graph")) for one in listed
        ]
        self._decoder = Decoder(
            self.graphs, _arrays(content["arrays"], payload), callee
        )
        for graph, one in zip(self.graphs, listed, strict=True):
            self._fill(graph, one)
        _check_nesting(self.graphs)

    def _fill(self, graph: Graph, data: dict[str, Any]) -> None:
        listed = sequence(data["nodes"], f"the nodes of {graph.name}")
        for i, one in enumerate(listed):
            graph.nodes.append(self._node(graph, one, f"node {i} of {graph.name}"))
        tensors = [x for node in graph.nodes for x in node.outputs]
        place = {node: i for i, node in enumerate(graph.nodes)}
        for node, one in zip(graph.nodes, listed, strict=True):
            node.inputs = _chosen(
                tensors, one.get("inputs", []), f"an input of {node.name}"
            )
            what = f"a node that {node.name} waits for"
            node.control = _chosen(graph.nodes, one.get("control", []), what)
            _check_order(node, place)
        graph.inputs = [
            *_chosen(tensors, data["inputs"], f"an input of {graph.name}")
        ]
        graph.outputs = [
            *_chosen(tensors, data["outputs"], f"an output of {graph.name}")
        ]
        graph.effects = [
            *_chosen(graph.nodes, data["effects"], f"an effect of {graph.name}")
        ]
        graph.open = False

    def _node(self, graph: Graph, data: Any, what: str) -> Node:
        record(data, what, ["op", "name", "outputs"], OPTIONAL)
        name = text(data["name"], f"the name of {what}")
        try:
            op = self._decoder.op(
                {key: data[key] for key in ("op", "attributes") if key in data}
            )
            listed = sequence(data["outputs"], "the specs of its outputs")
            node = Node(graph, op, (), [self._decoder.spec(spec) for spec in listed])
            node.device = device_of(data.get("device", ""))
            node.group = text(data.get("group", ""), f"the group of {what}")
        except GraphError as error:
            raise GraphError(f"{what}, {name!r}: {error}") from None
        if "line" in data:
            node.line = self._lines[
                number(data["line"], f"the line of {what}", len(self._lines))
            ]
        node.name = graph.free_name(name)
        checked(node.name == name, f"two nodes of {graph.name} are named {name!r}")
        return node


OPTIONAL = ("attributes", "inputs", "control", "device", "group", "line")


def _arrays(data: Any, payload: memoryview) -> list[Any]:
    arrays = []
    for one in sequence(data, "the arrays"):
        array, taken = read_array(one, payload)
        payload = payload[taken:]
        arrays.append(array)
    checked(not payload, f"{len(payload)} bytes are left behind the last array")
    return arrays


def _line(data: Any) -> Line:
    parts = sequence(data, "a line")
    checked(len(parts) == 3, "a line should have file, number and function")
    file, place, function = parts
    return Line(
        text(file, "a file"),
        number(place, "a line's number", LARGEST),
        text(function, "a function"),
    )


def _chosen(table: Sequence[Any], data: Any, what: str) -> tuple[Any, ...]:
    """Return the members of a table that are listed by number."""
    numbers = sequence(data, what)
    return tuple([table[number(one, what, len(table))] for one in numbers])


def _check_order(node: Node, place: dict[Node, int]) -> None:
    """Check that a node comes after what it uses, but for loops' back edges."""
    own = place[node]
    for source in [*[x.node for x in node.inputs], *node.control]:
        back = node.op.role is Role.MERGE and source.op.role is Role.NEXT
        if place[source] >= own and not back:
            raise GraphError(f"{node.name} comes before {source.name}, which it uses")


def _check_nesting(graphs: Sequence[Graph]) -> None:
    """Check that no graph is a branch or body of itself; calls may go in circles."""
    inside = {
        id(graph): [
            id(region)
            for node in graph.nodes
            if node.op.role is not Role.CALL
            for region in node.op.regions()
        ]
        for graph in graphs
    }
    try:
        order = [*TopologicalSorter(inside).static_order()]
    except CycleError:
        raise GraphError(
            "a graph is a branch, or the body of a loop, in itself"
        ) from None
    depth: dict[int, int] = {}
    for one in order:
        depth[one] = 1 + max([depth[inner] for inner in inside[one]], default=0)
    checked(
        max(depth.values()) <= DEPTH,
        f"graphs stand in one another more than {DEPTH} deep",
    )
