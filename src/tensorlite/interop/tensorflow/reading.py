"""GraphDefs become graphs: names, control edges and devices as they are, loops with back edges.

Nothing is run. Operators that are not there are told before anything is made; what each of the
others becomes is in operators.py.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tensorlite.core.check import one_of
from tensorlite.core.collecting import uncollected
from tensorlite.core.device import ANYWHERE, DeviceName
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import (
    DeviceError,
    GradientError,
    GraphDefError,
    GraphError,
    MissingOperatorError,
    NameClashError,
    TensorliteError,
    TooLargeError,
    note,
)
from tensorlite.core.op import Effect, Role
from tensorlite.core.provenance import Line
from tensorlite.core.scope import Scope, scope
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.adapters.calling import by_name
from tensorlite.interop.tensorflow.adapters.given import (
    Given,
    OwnGradient,
    Values,
    learn,
)
from tensorlite.interop.tensorflow.attributes import Called
from tensorlite.interop.tensorflow.looping import FAILURES, BackEdges
from tensorlite.interop.tensorflow.messages import parsed
from tensorlite.interop.tensorflow.operators import adapter_of
from tensorlite.interop.tensorflow.records import (
    Record,
    Source,
    groups_of,
    records_of,
)
from tensorlite.interop.tensorflow.references import Reference, Value, Writes
from tensorlite.interop.tensorflow.tensors import Budget, budget, dtype_of
from tensorlite.interop.tensorflow.versions import check_version, nodes_as_meant
from tensorlite.ops.control.raising import raise_control_flow

DEPTH = 50
"""How deep functions may call one another."""
MADE = 100_000
"""How many nodes the functions of a GraphDef may become, or twenty for each that it has."""
RUN = 10_000_000
"""How many nodes may run when all calls are followed once."""
WRITES = {Effect.WRITE, Effect.IO}


def from_graphdef(
    given: Any,
    graph: ManualGraph | None = None,
    name: str = "",
    input_map: Mapping[str, SymbolicTensor | Node] | None = None,
    source: str = "GraphDef",
) -> ManualGraph:
    """Return a graph that does what a GraphDef says: a message, its bytes, or its text.

    Nodes keep their names, below `name` where one is given, and are added to `graph`, or else to a
    new one. `input_map` says which tensors of that graph to use in the place of some in the
    GraphDef, and by "^name" which nodes to wait for. Scopes around say nothing. Raises
    MissingOperatorError when operators are not there, with their number and nodes, and kinds of
    GraphDefError for what is damaged or not supported. Source: `tf.import_graph_def`.

    >>> graph = tl.interop.tensorflow.from_graphdef('''
    ...     node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    ...     node { name: "y" op: "Square" input: "x" }''')
    >>> print(tl.Session(graph).run("y:0", {"x:0": 3.0}))
    9.0
    """
    proto = parsed(given)
    one_of(graph, (ManualGraph, type(None)), "from_graphdef: graph", "a tl.Graph")
    one_of(name, str, "from_graphdef: name", "a text")
    one_of(input_map, (Mapping, type(None)), "from_graphdef: input_map", "a dict")
    target = ManualGraph() if graph is None else graph
    check_version(proto)
    library = proto.library
    functions = Functions(library.function, library.gradient, len(proto.node))
    check_operators([*proto.node, *functions.nodes()], functions.results)
    nodes = nodes_as_meant(proto)
    reader = Reader(target, functions, name, source)
    tokens = scope.set(Scope()), budget.set(Budget())
    try:
        reader.replace(input_map or {})
        with uncollected():
            reader.read(nodes)
    finally:
        scope.reset(tokens[0])
        budget.reset(tokens[1])
    return target


def load(path: str | Path, name: str = "") -> ManualGraph:
    """Return the graph in a file that holds a GraphDef, as bytes (.pb) or as text (.pbtxt).

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.pbtxt")
    >>> path.write_text('node { name: "x" op: "NoOp" }')
    29
    >>> tl.interop.tensorflow.load(path)
    <Graph graph: 1 nodes>
    """
    return from_graphdef(contents(path), name=name, source=str(path))


def contents(path: str | Path) -> Any:
    """Return the GraphDef in a file; GraphDefError, with its name, for what is none."""
    if Path(path).is_dir():
        raise GraphDefError(
            f"{path} is a folder; give a file with a GraphDef. A folder that holds a SavedModel "
            "is read by tl.interop.tensorflow.load_saved_model"
        )
    data = Path(path).read_bytes()
    is_text = Path(path).suffix in {".pbtxt", ".txt"}
    try:
        return parsed(data.decode() if is_text else data)
    except UnicodeDecodeError as error:
        raise GraphDefError(f"{path} is no text: {error}") from None
    except GraphDefError as error:
        raise GraphDefError(f"{path}: {error}") from None


def missing(
    nodes: Iterable[Any], functions: Iterable[str] = ()
) -> dict[str, list[str]]:
    """Return the operators of nodes that are not there, each with the names of its nodes."""
    found: dict[str, list[str]] = defaultdict(list)
    called = set(functions)
    for node in nodes:
        if node.op not in called and adapter_of(node.op) is None:
            found[node.op].append(node.name)
    return found


def check_operators(nodes: Sequence[Any], functions: Iterable[str] = ()) -> None:
    """Raise MissingOperatorError when nodes are of operators that are not there."""
    found = missing(nodes, functions)
    if not found:
        return
    count = sum(len(names) for names in found.values())
    listed = []
    for op, names in sorted(found.items(), key=lambda one: -len(one[1])):
        some = ", ".join(names[:3]) + ", ..." * (len(names) > 3)
        listed.append(f"{op or 'no name'} ({len(names)}: {some})")
    raise MissingOperatorError(
        f"{count} of {len(nodes)} nodes are of {len(found)} operators that are not there: "
        + "; ".join(listed)
    )


class Functions:
    """The functions of a GraphDef, made graphs when they are called."""

    def __init__(
        self, protos: Sequence[Any], gradients: Iterable[Any] = (), others: int = 0
    ) -> None:
        self._protos = {one.signature.name: one for one in protos}
        self.gradients = {x.function_name: x.gradient_func for x in gradients}
        """Which function takes the gradient of another, where that is said."""
        self.own_gradients: Mapping[str, OwnGradient] = {}
        """The gradients that a program gave for nodes, by what these nodes call them."""
        self.results = {
            name: [one.name for one in proto.signature.output_arg]
            for name, proto in self._protos.items()
        }
        """What the results of each function are called."""
        self._records: dict[str, list[Record]] = {}
        self._made: dict[Any, Graph] = {}
        self._run: dict[int, int] = {}
        """How many nodes run when a graph does, by its id."""
        self._open: list[str] = []
        self._left = max(MADE, 20 * (len(self.nodes()) + others))
        twice = Counter(one.signature.name for one in protos).most_common(1)
        if twice and twice[0][1] > 1:
            raise NameClashError(f"{twice[0][1]} functions are named {twice[0][0]!r}")

    def nodes(self) -> list[Any]:
        """Return the nodes of all functions."""
        return [node for proto in self._protos.values() for node in proto.node_def]

    def graph(self, called: Called, specs: Sequence[TensorSpec]) -> Graph:
        """Return the graph of a function, for arguments of some specs."""
        proto = self._proto(called)
        if called.name in self._open or len(self._open) >= DEPTH:
            raise TooLargeError(
                f"the function {called.name!r} calls itself, or functions call one another more "
                f"than {DEPTH} deep: {' -> '.join(self._open[-3:])}"
            )
        key = (called.name, *[(x, x.known) for x in specs])
        if key not in self._made:
            self._left -= len(proto.node_def) + len(specs) + 1
            if self._left < 0:
                raise TooLargeError(
                    "functions are called with so many kinds of arguments that they would become "
                    f"more than {MADE:,} nodes, and twenty for each that there is"
                )
            self._open.append(called.name)
            try:
                self._made[key] = self._read(proto, specs)
            finally:
                self._open.pop()
        return self._made[key]

    def arguments(self, called: Called) -> list[DType]:
        """Return the dtypes of what a function takes."""
        given = self._proto(called).signature.input_arg
        return [dtype_of(one.type) for one in given]

    def _proto(self, called: Called) -> Any:
        proto = self._protos.get(called.name)
        if proto is None:
            raise GraphDefError(f"the library has no function {called.name!r}")
        return proto

    def _read(self, proto: Any, specs: Sequence[TensorSpec]) -> Graph:
        signature = proto.signature
        arguments = [one.name for one in signature.input_arg]
        if len(arguments) != len(specs):
            raise GraphDefError(
                f"the function {signature.name!r} takes {len(arguments)} arguments, and is given "
                f"{len(specs)}"
            )
        graph = ManualGraph(signature.name)
        reader = Reader(graph, self, "", signature.name)
        for one, spec in zip(signature.input_arg, specs, strict=True):
            if one.type and dtype_of(one.type) is not spec.dtype:
                raise GraphDefError(
                    f"the function {signature.name!r}: {one.name} is given {spec}"
                )
            reader.argument(one.name, spec)
        if signature.name not in self._records:
            self._records[signature.name] = records_of(proto.node_def, arguments)
        reader.add(self._records[signature.name])
        ends = [
            reader.result(proto.ret.get(one.name, "")) for one in signature.output_arg
        ]
        graph.outputs = ends
        # What is stateful runs, whether or not a control output names it, as TensorFlow has it.
        gone = raise_control_flow(graph)
        stateful = [node for node in graph.nodes if node.op.effect in WRITES]
        graph.effects = [node for node in stateful if node not in gone]
        graph.open = False
        self._count(graph)
        return graph

    def _count(self, graph: Graph) -> None:
        """Note how much runs with a graph; TooLargeError for calls that multiply without end."""
        inner = [self._run.get(id(x), 0) for y in graph.nodes for x in y.op.regions()]
        self._run[id(graph)] = len(graph.nodes) + sum(inner)
        if self._run[id(graph)] > RUN:
            raise TooLargeError(
                f"{graph.name} and what it calls are more than {RUN:,} nodes"
            )


class Reader:
    """Adds nodes to a graph."""

    def __init__(
        self, graph: ManualGraph, functions: Functions, name: str, source: str
    ) -> None:
        self.graph = graph
        self.functions = functions
        self._prefix = f"{name}/" if name else ""
        self._source = source
        self._values: dict[str, Values] = {}
        self._replaced: dict[str, Value] = {}
        self._waited: dict[str, Node] = {}
        self._records: dict[str, Record] = {}
        self._nodes: dict[str, Node] = {}
        self._writes = Writes()
        self._back = BackEdges(graph)
        self._open: list[tuple[int, Source]] = []
        """Inputs of the node being made that come from the turn before."""
        self._groups: dict[str, str] = {}

    def replace(self, input_map: Mapping[str, Value | Node]) -> None:
        """Let tensors stand for some of those that nodes use, and nodes for what they wait for."""
        for key, x in input_map.items():
            own = x.handle if isinstance(x, Reference) else x
            node = own if isinstance(own, Node) else getattr(own, "node", None)
            if node is None or node.graph is not self.graph:
                raise GraphDefError(
                    f"input_map: {key!r} is to be {x!r}, which is nothing of {self.graph.name}"
                )
            if key.startswith("^"):
                self._waited[key[1:]] = node
            elif isinstance(x, Value):
                self._replaced[key if ":" in key else f"{key}:0"] = x
            else:
                raise GraphDefError(
                    f"input_map: {key!r} is to be the node {x!r}; give a tensor of it, or say "
                    f"{'^' + key!r}"
                )

    def argument(self, name: str, spec: TensorSpec) -> None:
        """Add an argument of a function."""
        x = self.graph.add_input(spec, name)
        self._values[name] = (x,)
        self._nodes[name] = x.node

    def node(self, name: str) -> Node:
        """Return what became of a node."""
        return self._nodes[name]

    def read(self, protos: Iterable[Any]) -> None:
        """Add nodes, as they are in a GraphDef."""
        records = records_of(protos)
        self._check_replaced(records)
        self.add(records)

    def _check_replaced(self, records: Sequence[Record]) -> None:
        known = {one.name for one in records}
        for key in (*self._replaced, *self._waited):
            if key.rpartition(":")[0] not in known and key not in known:
                raise GraphDefError(
                    f"input_map: {self._source} has nothing called {key!r}"
                )

    def add(self, records: Sequence[Record]) -> None:
        """Add nodes, and close the loops."""
        self._records = {one.name: one for one in records}
        self._groups = groups_of(records)
        try:
            self.graph.reserve(self._prefix + one.name for one in records)
        except GraphError as error:
            raise NameClashError(
                f"{self._source}: {error}; read it under a name of its own"
            ) from None
        for record in records:
            self._add(record)
        self._back.close(self._tensor)

    def result(self, text: str) -> SymbolicTensor:
        """Return what a function returns, by the name that it has in there."""
        node, _, rest = text.partition(":")
        name, _, number = rest.partition(":")
        if node not in self._values or (number and not number.isdecimal()):
            raise GraphDefError(
                f"{self._source}: it returns {text!r}, which is not there"
            )
        return self._tensor(Source(node, int(number or 0), name))

    def _find(self, function: str, name: str) -> SymbolicTensor:
        """Return a tensor of this function; GradientError for one of another's."""
        if function != self._source:
            raise GradientError(
                f"{self._source}: a gradient of the program's own takes {name} of {function}, "
                "which is out of reach in there; let the function return it"
            )
        node, _, number = name.rpartition(":")
        if node not in self._values or not number.isdecimal():
            raise GraphDefError(f"{self._source}: there is nothing called {name!r}")
        return self._tensor(Source(node, int(number), ""))

    def _add(self, record: Record) -> None:
        count = len(self.graph.nodes)
        given, outputs = self._read(record)
        for node in self.graph.nodes[count:]:
            learn(node)
        self._values[record.name] = outputs
        made = self._nodes[record.name] = self._named(given, count)
        for place, source in self._open:
            self._back.add(made, place, source)

    def _read(self, record: Record) -> tuple[Given, Values]:
        given = self._given(record)
        adapter = adapter_of(record.op) or by_name
        try:
            return given, adapter(given)
        except (TensorliteError, *FAILURES) as error:
            if self._back.loosen():
                return self._read(record)
            if isinstance(error, GraphDefError):
                raise
            if isinstance(error, TensorliteError):
                note(error, f"in {record} of {self._source}")
                raise
            raise GraphDefError(f"{record} cannot be read: {error}") from error

    def _named(self, given: Given, count: int) -> Node:
        for node in reversed(self.graph.nodes[count:]):
            if node.name == given.name:
                return node
        raise GraphDefError(f"{given.record} became no node")

    def _given(self, record: Record) -> Given:
        self._open.clear()
        inputs = [self._value(x, record, i) for i, x in enumerate(record.inputs)]
        waited = [self._waited.get(x) or self._nodes[x] for x in record.control]
        # What is given is there before anything runs.
        control = tuple([x for x in waited if x.op.role is not Role.INPUT])
        given = Given(
            record,
            self._prefix + record.name,
            self.graph,
            inputs,
            control,
            self._writes,
            self.functions,
        )
        used = [x.node for x in record.inputs if x.node in self._values]
        names = [x for x in (*used, *record.control) if x in self._nodes]
        given.before = self._writes.before(*names)
        given.sources = [(self._nodes[x], self._writes.before(x)) for x in names]
        self._writes.note(record.name, given.before)
        given.device = _device(record)
        given.prefix = self._prefix
        group = self._groups.get(record.name, "")
        given.group = group and self._prefix + group
        given.line = Line(self._source, record.place + 1, record.name)
        given.find = self._find
        return given

    def _value(self, source: Source, record: Record, place: int) -> Value:
        replaced = self._replaced.get(str(source))
        if replaced is not None:
            return replaced
        if source.node in self._values:
            return self._output(source, record)
        # The back edge of a loop: until its end is there, the Merge is given its first input twice.
        first = next((x for x in record.inputs if x.node in self._values), None)
        if first is None:
            raise GraphDefError(f"{record} has no input from outside of its loop")
        self._open.append((place, source))
        return self._output(first, record)

    def _output(self, source: Source, record: Record | None = None) -> Value:
        outputs = self._values[source.node]
        number = source.output + self._offset(source)
        if number >= len(outputs):
            by = f"{record} uses" if record else "there is no"
            raise GraphDefError(
                f"{by} {source}, and {source.node} has {len(outputs)} outputs"
            )
        return outputs[number]

    def _offset(self, source: Source) -> int:
        """Return the number of the first output that is called as a source says."""
        record = self._records.get(source.node)
        if not source.name or record is None:
            return 0
        results = self.functions.results.get(record.op, [])
        if source.name in results:
            return results.index(source.name)
        if record.signature is None:
            return 0
        first = 0
        for one in record.signature.outputs:
            if one.name == source.name:
                return first
            size = record.attributes.get(
                one.kind if one.number == "*" else one.number, 1
            )
            first += (
                len(size) if isinstance(size, tuple) else size if one.number else 1
            )
        raise GraphDefError(f"{record} has no output called {source.name!r}")

    def _tensor(self, source: Source) -> SymbolicTensor:
        value = self._output(source)
        return value.value if isinstance(value, Reference) else value


def _device(record: Record) -> DeviceName:
    if not record.device:
        return ANYWHERE
    try:
        return DeviceName.parse(record.device)
    except DeviceError as error:
        raise GraphDefError(f"{record}: {error}") from None
