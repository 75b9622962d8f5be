"""Graph, Node, SymbolicTensor: a program as data. How one is made from Python is in trace.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from tensorlite.core import operand, texts
from tensorlite.core.device import ANYWHERE, DeviceName
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import GraphError, LeakedTensorError, SymbolicTensorError
from tensorlite.core.op import Call, Effect, Gradient, Op, Role
from tensorlite.core.provenance import UNKNOWN, Line
from tensorlite.core.shapes import shape_asked
from tensorlite.core.spec import TensorSpec, merge, shape_text
from tensorlite.core.tensor import Shape, Tensor
from tensorlite.graph.settled import MEMO, settled_specs


class Placeholder(Op):
    """A value that is given when the graph runs."""

    role = Role.INPUT
    spec: TensorSpec

    def infer(self) -> TensorSpec:
        """Return the spec of the values that may be given."""
        return self.spec


class NodesSeen:
    """As what programs see nodes: where results are TensorFlow's, as its operations."""

    kind: Callable[[Any], Any] = staticmethod(lambda node: node)


class SymbolicTensor(Tensor):
    """An output of a node: a tensor without a value, in a trace.

    >>> double = tl.function(lambda x: x + x).get_concrete_function(tl.ones(2))
    >>> double.graph.outputs[0]
    SymbolicTensor(shape=(2,), dtype=float32, name=AddV2:0, made at ...)
    """

    __slots__ = ("_spec", "index", "node")
    __match_args__ = ("node", "index")

    def __init__(self, node: Node, index: int, spec: TensorSpec) -> None:
        self.node = node
        self.index = index
        self._spec = spec

    @property
    def spec(self) -> TensorSpec:
        """What is known of this tensor without a value."""
        return self._spec

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._spec.dtype

    @property
    def shape(self) -> Shape:
        """The sizes, None for each that this trace does not know."""
        return shape_asked(self._spec)

    def set_shape(self, shape: Any) -> None:
        """Put down what is known of the sizes beside what this trace knows."""
        had = self._spec
        known = TensorSpec(shape, had.dtype).shape
        merged = merge(had.shape, known)
        self.respecify(
            TensorSpec(
                merged, had.dtype, had.name, had.inner, had.trainable, had.known
            )
        )

    @property
    def op(self) -> Any:
        """The node that this is an output of, as programs see it."""
        return NodesSeen.kind(self.node)

    @property
    def graph(self) -> Graph:
        """The graph that this is in."""
        return self.node.graph

    @property
    def device(self) -> DeviceName:
        """The device asked for; placement decides the rest."""
        return self.node.device

    @property
    def name(self) -> str:
        """The name of the node, and which of its outputs this is."""
        return f"{self.node.name}:{self.index}"

    @property
    def array(self) -> Any:
        """There is none: raises LeakedTensorError after the trace, SymbolicTensorError in it."""
        graph = self.node.graph
        made = f"{self.name} ({self._spec}) made at {self.node.line} while tracing {graph.name}"
        if graph.open:
            raise SymbolicTensorError(f"{made} has no value yet: {graph.no_value}")
        raise LeakedTensorError(
            f"{made} is used after its trace. Return it from the traced function, or keep it in "
            "a tl.Variable"
        )

    def respecify(self, spec: TensorSpec) -> None:
        """Take over what inference says now."""
        self._spec = spec

    def become(self, other: Tensor) -> None:
        """Stand for another node's output from now on."""
        assert isinstance(other, SymbolicTensor)
        self.node, self.index, self._spec = other.node, other.index, other.spec

    def __copy__(self) -> SymbolicTensor:
        return SymbolicTensor(self.node, self.index, self._spec)

    def __bool__(self) -> bool:
        raise SymbolicTensorError(
            f"{self.name}, made at {self.node.line}, has no truth value while "
            f"{self.node.graph.name} is traced. In a traced function with source, if and while "
            "are captured; elsewhere use tl.cond, tl.where or tl.while_loop"
        )

    def __len__(self) -> int:
        if self.spec.shape and self.spec.shape[0] is None:
            raise SymbolicTensorError(
                f"len({self.name}) is unknown while tracing; use tl.shape(x)[0]"
            )
        return super().__len__()

    def __repr__(self) -> str:
        if texts.wanted():
            return texts.symbolic_repr(self.name, self._spec)
        head = f"shape={self._spec.shape}, dtype={self.dtype.name}"
        return f"SymbolicTensor({head}, name={self.name}, made at {self.node.line})"

    def __str__(self) -> str:
        return (
            texts.symbolic_text(self.name, self._spec)
            if texts.wanted()
            else repr(self)
        )

    def __format__(self, spec: str) -> str:
        return str(self)


class Node:
    """One application of an operator in a graph."""

    __slots__ = (
        "control",
        "device",
        "graph",
        "group",
        "inputs",
        "line",
        "name",
        "op",
        "origin",
        "outputs",
        "owner",
    )
    __match_args__ = ("op", "inputs")

    def __init__(
        self,
        graph: Graph,
        op: Op,
        inputs: tuple[SymbolicTensor, ...],
        specs: Sequence[TensorSpec],
    ) -> None:
        self.graph = graph
        self.op = op
        self.inputs = inputs
        self.control: tuple[Node, ...] = ()
        self.device = ANYWHERE
        self.group = ""
        """Nodes of one group are placed together; "" is no group."""
        self.name = ""
        self.line: Line = UNKNOWN
        self.origin: Node | None = None
        """The node for whose sake this one was made, as a gradient's: None if for its own."""
        self.owner: Callable[[], Any] | None = None
        """Returns the variable whose handle this makes, as a weak reference does."""
        self.outputs = tuple(
            [SymbolicTensor(self, i, spec) for i, spec in enumerate(specs)]
        )

    def set_input(self, position: int, tensor: SymbolicTensor) -> None:
        """Make `tensor` the input at `position`; how a hand-made loop is closed.

        A loop's Merge is made before the NextIteration that it takes its second input from, so it
        is made with the Enter twice, and given the NextIteration later. Specs that this changes
        are inferred again, here and in all that follows.
        """
        if tensor.node.graph is not self.graph:
            raise GraphError(
                f"{tensor.name} is no tensor of the graph of {self.name}"
            )
        own = tensor.node.outputs[tensor.index]
        self.inputs = (*self.inputs[:position], own, *self.inputs[position + 1 :])
        self.graph.infer_again(self)

    def infer_again(self) -> set[int]:
        """Take over what inference says of the outputs now; return the ids of those that change."""
        inferred = self.op.infer(*settled_specs(self.op, self.inputs))
        specs = inferred if isinstance(inferred, tuple) else (inferred,)
        changed = set()
        for x, spec in zip(self.outputs, specs, strict=True):
            if x.spec != spec or x.spec.known != spec.known:
                x.respecify(spec)
                changed.add(id(x))
        return changed

    def __repr__(self) -> str:
        given = ", ".join(x.name for x in self.inputs)
        made = ", ".join(
            f"{x.dtype.name}{shape_text(x.spec.shape)}" for x in self.outputs
        )
        return f"{self.name} = {self.op!r}({given}) -> {made}"


class Graph:
    """Nodes in creation order, which is an order in which they can run (loops' back edges apart).

    Nodes without effects are hash-consed: an equal operator on equal inputs is made once.
    """

    no_value = (
        "it is being traced. Use tensorlite's functions on it, or tl.py_function to call Python "
        "when the graph runs"
    )
    """Why a tensor of an open graph has no value, and what is to be done."""
    shares = True
    """Whether equal calls without effects are one node."""
    as_called = False
    """Whether nodes are what programs called: composites stay one, gradients bear their names."""
    titles: Mapping[str, str] = MappingProxyType({})
    """What nodes of some operators are called that nobody names; others bear that of theirs."""
    around: Graph | None = None
    """The graph that an open branch or loop is in, which says what gradients are."""
    not_own = "Return it from the function that made it, or pass it as an argument"
    """What is to be done with a tensor of this graph that another one, not inside it, wants."""

    def __init__(self, name: str = "graph") -> None:
        self.name = name
        self.nodes: list[Node] = []
        self.inputs: list[SymbolicTensor] = []
        self.outputs: list[SymbolicTensor] = []
        self.effects: list[Node] = []
        """Nodes that run though nothing uses their outputs."""
        self.open = True
        self.kept: dict[str, Any] = {}
        """What gradients of this graph found out, to be used again; copies start without."""
        self.copied: dict[int, tuple[SymbolicTensor, SymbolicTensor]] = {}
        """In a copy: tensors of the graphs it comes from, by id, and what stands for them."""
        self._known: dict[Any, Node] = {}
        self._counts: dict[str, int] = {}
        self._reserved: set[str] = set()

    def add(
        self,
        op: Op,
        inputs: Iterable[SymbolicTensor],
        *,
        device: DeviceName = ANYWHERE,
        group: str = "",
        control: tuple[Node, ...] = (),
        name: str = "",
        line: Line = UNKNOWN,
        specs: Sequence[TensorSpec] | None = None,
    ) -> Node:
        """Return the node that applies `op`, made now or, if it has no effect, found again.

        Its outputs are of `specs`, where these are known, else of what inference says.
        """
        inputs = tuple(inputs)
        key = None
        plain = op.effect is Effect.NONE and op.role is Role.PLAIN
        if self.shares and plain and not control:
            place = None if device is ANYWHERE else device
            key = (type(op), op, place, group, *map(id, inputs))
            known = self._known.get(key)
            if known is not None:
                return known
        node = self._made(op, inputs, specs)
        node.device, node.group = device, group
        node.control, node.line = control, line
        node.name = self.free_name(name or op.name)
        self.nodes.append(node)
        if key is not None:
            self._known[key] = node
        return node

    def shown(self) -> Graph:
        """Return the graph that is drawn for this one, which may have other nodes of its names."""
        return self

    def rename(self, node: Node, name: str) -> None:
        """Give a node a name that `free_name` has returned; the one that it had is free again."""
        if node.name.lower() != name.lower():
            key = node.name.lower() if self.as_called else node.name
            self._counts.pop(key, None)
        node.name = name

    def is_shared(self, node: Node) -> bool:
        """Return whether equal calls give a node, as they do not where it was appended."""
        return any(one is node for one in self._known.values())

    def append(
        self,
        op: Op,
        inputs: Iterable[SymbolicTensor],
        name: str,
        control: tuple[Node, ...] = (),
    ) -> Node:
        """Return a new node of just this name, never one found again; GraphError if it is taken."""
        if name not in self._reserved:
            self.reserve((name,))
        node = self._made(op, tuple(inputs))
        node.control, node.name = control, name
        self._reserved.discard(name)
        self.nodes.append(node)
        return node

    def reserve(self, names: Iterable[str]) -> None:
        """Keep names for nodes that are appended; GraphError for one that is taken."""
        for name in names:
            if name in self._counts:
                raise GraphError(f"{self.name} has a node {name!r} already")
            self._counts[name] = 1
            self._reserved.add(name)

    def _made(
        self,
        op: Op,
        inputs: tuple[SymbolicTensor, ...],
        specs: Sequence[TensorSpec] | None = None,
    ) -> Node:
        if specs is None:
            made = op.infer(*settled_specs(op, inputs))
            specs = made if isinstance(made, tuple) else (made,)
        return Node(self, op, inputs, specs)

    def add_input(self, spec: TensorSpec, name: str = "") -> SymbolicTensor:
        """Return a new input of the graph."""
        node = self.add(Placeholder(spec), (), name=name or spec.name or "arg")
        self.inputs.append(node.outputs[0])
        return node.outputs[0]

    def free_name(self, name: str) -> str:
        """Return `name`, with a number behind it if it is taken.

        Inside of what programs of TensorFlow 1 call it is so, too, if it differs in capitals only.
        """
        counts, key = self._counts, name.lower() if self.as_called else name
        count = counts.get(key, 0)
        counts[key] = count + 1
        if not count:
            return name
        while f"{key}_{count}" in counts:
            count += 1
        counts[key], counts[f"{key}_{count}"] = count + 1, 1
        return f"{name}_{count}"

    def takes_sparse(self, op: Op) -> bool:
        """Return whether gradients of an operator are made of sparse ones as they are."""
        if self.around is not None:
            return self.around.takes_sparse(op)
        return op.takes_sparse

    def take(self, names: Iterable[str]) -> None:
        """Number what is named from now on as if these names were taken."""
        for name in names:
            self._counts.setdefault(name.lower() if self.as_called else name, 1)

    def infer_again(self, node: Node) -> None:
        """Infer the specs of a node's outputs again, and of all nodes that a change reaches."""
        self.kept.pop(MEMO, None)
        changed = node.infer_again()
        while changed:
            self.kept.pop(MEMO, None)
            seen, changed = changed, set()
            for other in self.nodes:
                if any(id(x) in seen or id(x) in changed for x in other.inputs):
                    changed |= other.infer_again()

    def replace_uses(self, old: SymbolicTensor, by: SymbolicTensor) -> None:
        """Make every node and output that uses `old` use `by`."""
        for node in self.nodes:
            if any(x is old for x in node.inputs):
                node.inputs = tuple([by if x is old else x for x in node.inputs])
        self.outputs = [by if x is old else x for x in self.outputs]
        self._known.clear()

    def pull(
        self, node: Node, call: Call, dys: Sequence[Gradient]
    ) -> Sequence[Gradient]:
        """Return the gradients of a node's inputs, given those of its outputs."""
        if self.around is not None:
            return self.around.pull(node, call, dys)
        return call.op.grad(call, *dys)

    def pulls(self, node: Node) -> bool:
        """Return whether gradients go through a node."""
        return node.op.differentiable

    def total(self, x: SymbolicTensor, parts: list[Any]) -> Gradient:
        """Return the sum of what has flowed into a tensor from several sides."""
        if self.around is not None:
            return self.around.total(x, parts)
        total: Gradient = operand.operators.accumulate(parts)
        return total

    @property
    def input_specs(self) -> list[TensorSpec]:
        """The specs of the inputs."""
        return [x.spec for x in self.inputs]

    @property
    def output_specs(self) -> list[TensorSpec]:
        """The specs of the outputs."""
        return [x.spec for x in self.outputs]

    def __repr__(self) -> str:
        return f"<Graph {self.name}: {len(self.nodes)} nodes>"


def is_const(x: Tensor) -> bool:
    """Return whether a symbolic tensor is a constant of its graph."""
    return isinstance(x, SymbolicTensor) and x.node.op.name == "Const"
