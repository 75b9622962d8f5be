"""Graphs become GraphDefs that TensorFlow loads: names, control edges and devices as they are.

What an operator here needs beside its own node, where TensorFlow's has other inputs or outputs, is
in writers/spelling.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.core.check import one_of
from tensorlite.core.constant import Const
from tensorlite.core.dtypes import DType, resource
from tensorlite.core.errors import GraphDefError, MissingOperatorError
from tensorlite.core.op import Effect, Op, Role
from tensorlite.function.compile import Compiled
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.attributes import (
    Called,
    Shape,
    implied,
    proto_of_value,
)
from tensorlite.interop.tensorflow.messages import message
from tensorlite.interop.tensorflow.signatures import (
    Signature,
    signature_of,
)
from tensorlite.interop.tensorflow.tensors import OF_DTYPE, shape_proto
from tensorlite.interop.tensorflow.writers.counting import counted
from tensorlite.interop.tensorflow.writers.parts import Spelled
from tensorlite.interop.tensorflow.writers.referring import (
    as_taken,
    kind_of,
    references,
    spelled_by_reference,
    taken_by,
)
from tensorlite.interop.tensorflow.writers.spelling import spelled
from tensorlite.ops.random.stateful_draws import generators
from tensorlite.ops.state.resource import VarHandleOp

PRODUCER = 1087
"""The version of TensorFlow's GraphDefs that is written: attributes have the meaning of that."""


def to_graphdef(graph: Graph, library: Library | None = None) -> Any:
    """Return a graph as a GraphDef message, which TensorFlow loads and runs.

    Branches, bodies of loops and functions become functions of its library; variables from outside
    become handles, by the variables' names. Raises MissingOperatorError when TensorFlow does not
    have operators of the graph, with their number and nodes. `library` has functions already.

    >>> graph = tl.Graph()
    >>> with graph.as_default():
    ...     x = tl.placeholder(tl.float32, (2,))
    ...     y = tl.exp(x)
    >>> [node.op for node in tl.interop.tensorflow.to_graphdef(graph).node]
    ['Placeholder', 'Exp']
    """
    one_of(graph, Graph, "to_graphdef: graph", "a tl.Graph, such as a trace's .graph")
    writer = Library() if library is None else library
    writer.check(graph)
    writer.proto.versions.producer = PRODUCER
    _Body(writer, graph, writer.proto.node).write()
    return writer.proto


def save(graph: Graph, path: str | Path) -> None:
    """Write a graph to a file as a GraphDef: bytes, or text where the name ends in .pbtxt.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.pbtxt")
    >>> tl.interop.tensorflow.save(tl.Graph(), path)
    >>> tl.interop.tensorflow.load(path)
    <Graph graph: 0 nodes>
    """
    proto = to_graphdef(graph)
    is_text = Path(path).suffix in {".pbtxt", ".txt"}
    data = str(proto).encode() if is_text else proto.SerializeToString()
    Path(path).write_bytes(data)


def node_def(node: Node) -> Any:
    """Return a node as a NodeDef, without those that are due beside it.

    Raises MissingOperatorError where TensorFlow does not have its operator.

    >>> graph = tl.Graph()
    >>> with graph.as_default():
    ...     y = tl.exp(tl.placeholder(tl.float32, (2,)))
    >>> made = node_def(y.node)
    >>> made.op, list(made.input), made.attr["T"].type
    ('Exp', ['Placeholder'], 1)
    """
    if spelled(node) is None:
        raise MissingOperatorError(
            f"TensorFlow has no operator for {node.name}, which is of {node.op.name}"
        )
    library = Library()
    _Body(library, node.graph, library.proto.node, alone=node).add(node)
    return library.proto.node[-1]


def inner_graphs(op: Op) -> list[Graph]:
    """Return the graphs that an operator runs: regions, and functions that it calls itself."""
    called = [x.graph for x in op.attributes().values() if isinstance(x, Compiled)]
    return [*op.regions(), *called]


class Library:
    """The whole GraphDef in the making, and the functions of its library."""

    def __init__(self) -> None:
        self.proto = message("GraphDef")()
        self.own: dict[int, tuple[Spelled, ...]] = {}
        """What is written for nodes with gradients of their own, by the ids of operators, which
        loops that are written share with those that were traced."""
        self._names: dict[int, str] = {}
        self._bodies: dict[int, _Body] = {}

    def check(self, graph: Graph) -> None:
        """Raise MissingOperatorError for operators that TensorFlow does not have."""
        found: dict[str, list[str]] = defaultdict(list)
        seen: set[int] = set()
        waiting = [graph]
        while waiting:
            one = waiting.pop()
            seen.add(id(one))
            for node in one.nodes:
                if spelled(node) is None:
                    found[node.op.name].append(node.name)
                waiting += [x for x in inner_graphs(node.op) if id(x) not in seen]
        if found:
            listed = [
                f"{op} ({len(x)}: {', '.join(x[:3])})" for op, x in found.items()
            ]
            raise MissingOperatorError(
                f"TensorFlow has no operator for {sum(map(len, found.values()))} nodes: "
                + "; ".join(listed)
            )

    def function(self, graph: Graph, wanted: str = "") -> Called:
        """Return the name of a graph as a function of the library, written if it is new."""
        name = self._names.get(id(graph))
        if name is None:
            taken = set(self._names.values())
            asked = wanted or graph.name
            base = "".join([x if x.isalnum() else "_" for x in asked]) or "function"
            count = 0
            name = base
            while name in taken or signature_of(name) is not None:
                count += 1
                name = f"{base}_{count}"
            self._names[id(graph)] = name
            self._write(graph, name)
        return Called(name)

    def outside(self, x: SymbolicTensor) -> tuple[str, str]:
        """Return the function that has a tensor, and what this is called outside of it."""
        for graph, body in self._bodies.items():
            copied = body.graph.copied.get(id(x), (x, x))[1]
            if copied.node.graph is body.graph:
                return self._names[graph], body.flat(copied)
        raise GraphDefError(f"{x.name} of {x.node.graph.name} is not written")

    def _write(self, graph: Graph, name: str) -> None:
        made = message("FunctionDef")()
        made.signature.name = name
        body = _Body(self, graph, made.node_def, is_function=True)
        self._bodies[id(graph)] = body
        for i, x in enumerate(graph.inputs):
            argument = made.signature.input_arg.add(
                name=f"arg_{i}", type=OF_DTYPE[x.dtype]
            )
            if x.dtype is resource and x.spec.inner:
                value = x.spec.inner[0]
                argument.handle_data.add(dtype=OF_DTYPE[value.dtype]).shape.CopyFrom(
                    shape_proto(value.shape)
                )
            body.names[x.node] = f"arg_{i}"
            if x.dtype is not resource:
                own = x.spec.name or x.node.name.rpartition("/")[2]
                made.arg_attr[i].attr["_user_specified_name"].s = own.encode()
        shapes = [None if x.dtype is resource else x.spec.shape for x in graph.inputs]
        listed = proto_of_value(tuple([Shape(x) for x in shapes]))
        made.attr["_input_shapes"].CopyFrom(listed)
        body.write()
        for i, x in enumerate(graph.outputs):
            made.signature.output_arg.add(name=f"out_{i}", type=OF_DTYPE[x.dtype])
            made.ret[f"out_{i}"] = body.source(x)
        for node in graph.effects:
            made.signature.control_output.append(node.name)
            made.control_ret[node.name] = node.name
        made.signature.is_stateful = bool(graph.effects)
        self.proto.library.function.add().CopyFrom(made)


class _Body:
    """The nodes of one graph in the making."""

    def __init__(
        self,
        library: Library,
        graph: Graph,
        protos: Any,
        is_function: bool = False,
        alone: Node | None = None,
    ) -> None:
        self.library = library
        self.graph = graph
        self.names: dict[Node, str] = {}
        """What arguments of a function are called."""
        self._protos = protos
        self._is_function = is_function
        self._sources: dict[tuple[str, int], str] = {}
        self._numbers: dict[tuple[str, int], int] = {}
        self._inside = inside_loops(graph) if alone is None else set()
        if alone is None:
            self._references = set() if is_function else references(graph)
        else:
            self._references = taken_by(alone)
        captured = graph.captured if isinstance(graph, ManualGraph) else {}
        self._captured = {x.node: outer for x, outer in captured.items()}

    @cached_property
    def _constants(self) -> dict[str, Any]:
        ops = [(node.name, node.op) for node in self.graph.nodes]
        return {name: op.value for name, op in ops if isinstance(op, Const)}

    @cached_property
    def _taken(self) -> set[str]:
        return {node.name for node in self.graph.nodes}

    def write(self) -> None:
        """Add all nodes."""
        hidden = generators(self.graph)
        for node in self.graph.nodes:
            if node not in self.names and node not in hidden:
                self.add(node)

    def source(self, x: SymbolicTensor) -> str:
        """Return how a tensor is named as an input."""
        if x.node in self.names:
            return self.names[x.node]
        known = self._sources.get((x.node.name, x.index))
        if known is None:
            # What the back edge of a loop comes from is written later.
            known = f"{x.node.name}:{x.index}" if x.index else x.node.name
        return known

    def flat(self, x: SymbolicTensor) -> str:
        """Return how a tensor of a function is called where functions become graphs."""
        if x.node in self.names:
            return f"{self.names[x.node]}:0"
        return f"{x.node.name}:{self._numbers[x.node.name, x.index]}"

    def add(self, node: Node) -> None:
        """Add a node, and those that are due beside it."""
        op = _handle_of(self._captured[node]) if node in self._captured else None
        parts = [
            one
            for one in self._parts(node, op)
            if one.op != "Const" or not self._is_there(node, one)
        ]
        inputs = [self._pinned(node, *x) for x in as_taken(node, self._references)]
        control = [f"^{x.name}" for x in node.control if x.op.role is not Role.INPUT]
        for number, one in enumerate(parts):
            name = self._part_name(node, one.name)
            given, kinds = self._given(node, one, inputs)
            made = self._protos.add(name=name, op=one.op, device=str(node.device))
            made.input.extend(given)
            after = [f"^{self._part_name(node, x)}" for x in one.after]
            made.input.extend([*control, *after])
            is_last = number == len(parts) - 1
            outputs = [kind_of(x, self._references) for x in node.outputs if is_last]
            self._attributes(made, one, kinds, outputs, node.group)
            self._outputs(node, one, made)

    def _given(
        self, node: Node, one: Spelled, inputs: Sequence[str]
    ) -> tuple[list[str], list[DType | None]]:
        """Return the names of what a part takes, and the dtypes where these are known.

        Integers of two sizes, where TensorFlow wants one, become those of the first.
        """
        wanted = range(len(inputs)) if one.inputs is None else one.inputs
        given = [
            inputs[i] if isinstance(i, int) else self._part(node, i) for i in wanted
        ]
        kinds = [
            kind_of(node.inputs[i], self._references) if isinstance(i, int) else None
            for i in wanted
        ]
        signature = signature_of(one.op)
        assert signature is not None
        if any(x.number for x in signature.inputs):
            return given, kinds
        known = {x: y for x, y in one.attributes.items() if isinstance(y, DType)}
        for place, (x, kind) in enumerate(zip(signature.inputs, kinds, strict=False)):
            due = x.dtype(known)
            if kind is not None and due is None:
                known[x.kind] = kind
            elif kind is None or due is None or due is kind:
                continue
            elif due.is_integer and kind.is_integer:
                cast = self._cast(node, f"{x.name}_cast", given[place], kind, due)
                given[place], kinds[place] = cast, due
        return given, kinds

    def _cast(
        self, node: Node, part: str, given: str, before: DType, after: DType
    ) -> str:
        """Add a node that makes integers those of another size; return its name."""
        name = self._part_name(node, part)
        made = self._protos.add(name=name, op="Cast", device=str(node.device))
        made.input.append(given)
        one = Spelled("Cast", {"SrcT": before, "DstT": after})
        self._attributes(made, one, [before], [after], "")
        self._outputs(node, one, made)
        return self._sources[name, 0]

    def _parts(self, node: Node, op: Op | None) -> tuple[Spelled, ...]:
        """Return what is written for a node; loops of functions have what gradients ask for."""
        own = counted(node) if self._is_function else None
        own = self.library.own.get(id(node.op), own)
        if own is not None:
            return own
        if not self._references.isdisjoint([node, *[x.node for x in node.inputs]]):
            return spelled_by_reference(node)
        writing = spelled(node, op)
        assert writing is not None
        return writing.parts

    def _pinned(self, node: Node, place: int, x: SymbolicTensor) -> str:
        """Return the name of an input; of a constant in a loop, that of a copy within.

        Constants here are of every frame; TensorFlow's are of that which they wait for.
        """
        sources = (*[y.node for y in node.inputs], *node.control)
        beside = [y for y in sources if y in self._inside]
        if node not in self._inside or not beside or not is_constant(x.node):
            return self.source(x)
        name = self._part_name(node, f"const_{place}")
        writing = spelled(x.node)
        assert writing is not None
        made = self._protos.add(
            name=name, op=writing.parts[-1].op, device=str(x.node.device)
        )
        made.input.append(f"^{before_switches(beside[0]).name}")
        kinds = [y.dtype for y in x.node.outputs]
        self._attributes(made, writing.parts[-1], [], kinds, "")
        return name

    def _part_name(self, node: Node, part: str) -> str:
        """Return what a part of a node is called, which no other node is."""
        if not part:
            return node.name
        name = f"{node.name}/{part}"
        while name in self._taken:
            name += "_"
        return name

    def _part(self, node: Node, part: str) -> str:
        name, _, output = part.partition(":")
        own = self._sources.get((self._part_name(node, name), int(output or 0)))
        return self._sources[f"{node.name}/{name}", 0] if own is None else own

    def _is_there(self, node: Node, one: Spelled) -> bool:
        """Return whether a part is a constant that the graph has by the same name."""
        known = self._constants.get(f"{node.name}/{one.name}") if one.name else None
        if known is None:
            return False
        value = np.asarray(one.attributes["value"])
        return bool(known.dtype == value.dtype and np.array_equal(known, value))

    def _attributes(
        self,
        made: Any,
        one: Spelled,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        group: str,
    ) -> None:
        signature = signature_of(one.op)
        assert signature is not None
        found = {
            **solved(signature.inputs, inputs),
            **solved(signature.outputs, outputs),
            **one.attributes,
        }
        for key, value in found.items():
            known = signature.attributes.get(key)
            if key.startswith("_") or (
                known is not None
                and not (known.is_optional and implied(key, value, known.default))
            ):
                listed = self._resolved(value)
                made.attr[key].CopyFrom(proto_of_value(listed))
        if not self._is_function and group != made.name and group in self._taken:
            made.attr["_class"].list.s.append(f"loc:@{group}".encode())
        lacking = [
            key
            for key, kind in signature.attributes.items()
            if key not in made.attr and not kind.is_optional
        ]
        if lacking:
            raise GraphDefError(
                f"{made.name} ({made.op}): nothing says its {lacking}"
            )

    def _resolved(self, value: Any) -> Any:
        graph = value.graph if isinstance(value, Compiled) else value
        return self.library.function(graph) if isinstance(graph, Graph) else value

    def _outputs(self, node: Node, one: Spelled, made: Any) -> None:
        signature = signature_of(one.op)
        assert signature is not None
        number = 0
        for argument in signature.outputs:
            count = _count(argument, made, signature)
            for i in range(count):
                plain = f"{made.name}:{number}" if number else made.name
                self._numbers[made.name, number - one.skips] = number
                self._sources[made.name, number - one.skips] = (
                    f"{made.name}:{argument.name}:{i}" if self._is_function else plain
                )
                number += 1


def is_constant(node: Node) -> bool:
    """Return whether a node is of a constant, or of something else there from the start."""
    is_free = node.op.role is Role.PLAIN and node.op.effect is Effect.NONE
    return is_free and not node.inputs and not node.control


def before_switches(node: Node) -> Node:
    """Return what a node is, or passes on to one of two branches."""
    while node.op.role is Role.SWITCH:
        node = node.inputs[0].node
    return node


def inside_loops(graph: Graph) -> set[Node]:
    """Return the nodes whose inputs are values of a loop's frame."""
    depth: dict[Node, int] = {}
    for node in graph.nodes:
        sources = [*[x.node for x in node.inputs], *node.control]
        here = [depth[x] + _STEPS.get(x.op.role, 0) for x in sources if x in depth]
        depth[node] = max(here, default=0)
    return {node for node, deep in depth.items() if deep > 0}


_STEPS = {Role.ENTER: 1, Role.EXIT: -1}


def _count(argument: Any, made: Any, signature: Signature) -> int:
    if not argument.number:
        return 1
    if argument.number == "*":
        return len(made.attr[argument.kind].list.type)
    assert argument.number in signature.attributes
    return int(made.attr[argument.number].i)


def solved(arguments: Sequence[Any], dtypes: Sequence[Any]) -> dict[str, Any]:
    """Return the attributes that dtypes of tensors say: theirs, and how many there are."""
    found: dict[str, Any] = {}
    left = list(dtypes)
    single = sum(1 for one in arguments if not one.number)
    lists = sum(1 for one in arguments if one.number)
    many = (len(left) - single) // lists if lists else 0
    for one in arguments:
        here, left = (
            left[: many if one.number else 1],
            left[many if one.number else 1 :],
        )
        if one.number == "*":
            found[one.kind] = tuple(here)
        elif one.number:
            found[one.number] = len(here)
        if one.number != "*" and here and here[0] is not None:
            found.setdefault(one.kind, here[0])
    return found


def _handle_of(outer: Any) -> VarHandleOp | None:
    """Return what makes the variable that a graph has from outside."""
    spec = outer.spec
    if spec.dtype.kind != "R" or not spec.inner:
        return None
    name = str(getattr(getattr(outer, "array", None), "name", "")) or "variable"
    return VarHandleOp(spec.inner[0], spec.trainable, shared_name=name)
