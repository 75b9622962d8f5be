"""Tracer: the interpreter that adds nodes to a graph; `trace` runs Python under one.

Tensors of enclosing traces, eager tensors and handles that the traced code touches are captured:
they become inputs, by reference. Effects are ordered here by control edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from typing import Any, Self

from tensorlite.core.device import ANYWHERE
from tensorlite.core.dispatch import (
    Interpreter,
    Tensors,
    bear_witness,
    current,
    to_tensor,
)
from tensorlite.core.errors import DTypeError, LeakedTensorError
from tensorlite.core.op import Effect, Op
from tensorlite.core.operand import Operand
from tensorlite.core.provenance import user_line
from tensorlite.core.scope import Asked, DeviceRule, decided, device, scope
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import CPU
from tensorlite.graph.graph import Graph, Node, SymbolicTensor

standing: ContextVar[Callable[[SymbolicTensor], Tensor | None] | None] = ContextVar(
    "standing", default=None
)
"""Finds what stands in a trace for a tensor of another graph, where something is known to."""


class Tracer(Interpreter):
    """Builds a graph from the operators called while it is on top."""

    def __init__(self, name: str = "graph", of: Graph | None = None) -> None:
        self.graph = Graph(name)
        self.of = of
        """A finished graph whose tensors may be captured: the forward one of a gradient."""
        self.tracer = self
        self.captures: dict[int, tuple[Tensor, SymbolicTensor]] = {}
        self.effects: list[Node] = []
        """Nodes that must run though nothing uses their outputs."""
        self.last: Node | None = None
        """The node that the last operator called became."""
        self.awaited: dict[Node, None] = {}
        """Nodes of graphs around this one that something here is to wait for."""
        self.is_function = False
        """Whether this traces a whole function, whose effects run by themselves when it does."""
        self._writes: dict[int, Node] = {}
        self._reads: dict[int, list[Node]] = {}
        self._last_io: Node | None = None
        self._labels: dict[str, Node] = {}
        """Labels of groups, in all graphs that are traced inside this one."""
        bear_witness(self)

    def __enter__(self) -> Self:
        """Put this on top; a graph of a branch or loop takes up nodes as that around it does."""
        super().__enter__()
        around = None if self.below is None else self.below.tracer
        if isinstance(around, Tracer) and not self.is_function:
            self.graph.shares = around.graph.shares
            self.graph.as_called = around.graph.as_called
            self.graph.titles = around.graph.titles
            self.graph.around = around.graph
        return self

    def apply(self, op: Op, inputs: Tensors) -> Tensors:
        """Return the outputs of a node that applies `op`."""
        own = tuple([self.own(x) for x in inputs])
        here = scope.get()
        control = self._control(op, own) if op.effect is not Effect.NONE else ()
        if here.control:
            control = (*control, *self._asked(here.control))
        title = self.graph.titles.get(op.name, op.name)
        name = f"{here.name}/{title}" if here.name else title
        place = here.device
        if isinstance(place, DeviceRule):
            place = decided(place, Asked(name, op, own, ANYWHERE))
        before = len(self.graph.nodes)
        node = self.graph.add(
            op,
            own,
            device=place,
            group=here.group,
            control=control,
            name=name,
            line=user_line(),
        )
        self.last = node
        if len(self.graph.nodes) == before:
            # Found again: a tensor of its own, which may be assigned to without the other changing.
            return tuple([copy(x) for x in node.outputs])
        node.origin = here.origin
        if op.effect is not Effect.NONE:
            self._note_effect(node)
        return node.outputs

    def anew(self, op: Op, *inputs: Tensor) -> Tensors:
        """Return the outputs of a node that is made now, though an equal one may be there."""
        shares, self.graph.shares = self.graph.shares, False
        try:
            return self.apply(op, inputs)
        finally:
            self.graph.shares = shares

    def around(self) -> Tracer | None:
        """Return the tracer in whose trace this one is, None for the outermost."""
        below = self.below
        while below is not None and not isinstance(below, Tracer):
            below = below.below
        return below

    def own(self, x: Tensor) -> SymbolicTensor:
        """Return `x` as a tensor of this graph: its node's, or the input that captures it."""
        if isinstance(x, SymbolicTensor) and x.node.graph is self.graph:
            return x.node.outputs[x.index]
        captured = self.captures.get(id(x))
        if captured is not None:
            return captured[1]
        if isinstance(x, SymbolicTensor) and _is_repeated(x) and not self._watched(x):
            return self.graph.add(x.node.op, (), line=x.node.line).outputs[0]
        if isinstance(x, SymbolicTensor) and not self._encloses(x.node.graph):
            copied: Tensor | None = self._copied(x)
            found = standing.get()
            if copied is None and found is not None:
                copied = found(x)
            if copied is not None:
                return self.own(copied)
            raise LeakedTensorError(
                f"{x.name}, made at {x.node.line} while tracing {x.node.graph.name}, is used while "
                f"tracing {self.graph.name}, which is not inside that trace. "
                f"{x.node.graph.not_own}"
            )
        known = isinstance(x, SymbolicTensor) and x.node.op.name == "Const"
        spec = x.spec if known else x.spec.without_value()
        inner = self.graph.add_input(spec, name=_name_for(x))
        inner.node.line = user_line()
        if isinstance(x, EagerTensor) and x.dtype.kind == "R" and x.device != CPU:
            # What works on a resource is placed beside it.
            inner.node.device = x.device
        self.captures[id(x)] = (x, inner)
        return inner

    def label(self, node: Node) -> str:
        """Return the label of a node's group, which it has from now on if it had none.

        It is the node's name, with a number where an inner graph has a node of that name.
        """
        if node.graph is not self.graph and not self._encloses(node.graph):
            raise LeakedTensorError(
                f"{node.name}, made at {node.line} in {node.graph.name}, is no node of "
                f"{self.graph.name} or of what that is traced in: nothing here is beside it"
            )
        labels = self._labels
        interpreter = self.below
        while interpreter is not None:
            if isinstance(interpreter, Tracer):
                labels = interpreter._labels  # noqa: SLF001  the outermost one's
            interpreter = interpreter.below
        count, label = 0, node.name
        while not node.group:
            if labels.setdefault(label, node) is node:
                node.group = label
            count += 1
            label = f"{node.name}_{count}"
        return node.group

    def replace(self, old: Tensor, by: Tensor) -> None:
        """Let `by` stand wherever this graph used `old`."""
        captured = self.captures.pop(id(old), None)
        if captured is not None:
            self.captures[id(by)] = (by, captured[1])
        if isinstance(old, SymbolicTensor) and old.node.graph is self.graph:
            assert isinstance(by, SymbolicTensor)
            if old.node.outputs[old.index] is old:
                outputs = old.node.outputs
                old.node.outputs = tuple([by if x is old else x for x in outputs])
                self.graph.inputs = [by if x is old else x for x in self.graph.inputs]
                self.graph.replace_uses(old, by)

    def _copied(self, x: SymbolicTensor) -> SymbolicTensor | None:
        """Return what stands for `x`, which a gradient function kept, in a copy at hand."""
        interpreter: Interpreter | None = self
        while interpreter is not None:
            if isinstance(interpreter, Tracer) and interpreter.of is not None:
                known = interpreter.of.copied.get(id(x))
                if known is not None:
                    return known[1]
            interpreter = interpreter.below
        return None

    def _watched(self, x: Tensor) -> bool:
        """Return whether a tape around this trace watches a tensor."""
        interpreter = self.below
        while interpreter is not None and not interpreter.watched(x):
            interpreter = interpreter.below
        return interpreter is not None

    def _encloses(self, graph: Graph) -> bool:
        if graph is self.of:
            return True
        interpreter = self.below
        while interpreter is not None:
            if isinstance(interpreter, Tracer) and graph in (
                interpreter.graph,
                interpreter.of,
            ):
                return True
            interpreter = interpreter.below
        return False

    def _asked(self, control: tuple[Any, ...]) -> list[Node]:
        """Return the nodes of this graph among those that `tl.control_dependencies` was given."""
        nodes = [x.node if isinstance(x, SymbolicTensor) else x for x in control]
        known = [node for node in nodes if isinstance(node, Node)]
        self.awaited.update(
            {node: None for node in known if node.graph is not self.graph}
        )
        return [node for node in known if node.graph is self.graph]

    def _control(
        self, op: Op, inputs: tuple[SymbolicTensor, ...]
    ) -> tuple[Node, ...]:
        """Return the nodes that must run before a node with effects on its handles."""
        before: list[Node] = []
        for key in self._handles(inputs):
            if key in self._writes:
                before.append(self._writes[key])
            if op.effect is not Effect.READ:
                before.extend(self._reads.get(key, ()))
        if op.effect is Effect.IO and self._last_io is not None:
            before.append(self._last_io)
        return tuple(dict.fromkeys(before))

    def _note_effect(self, node: Node) -> None:
        effect = node.op.effect
        for key in self._handles(node.inputs):
            if effect is Effect.READ:
                self._reads.setdefault(key, []).append(node)
            elif effect is not Effect.DRAW:
                self._writes[key] = node
                self._reads.pop(key, None)
        if effect is Effect.IO:
            self._last_io = node
        if effect in (Effect.WRITE, Effect.IO):
            self.effects.append(node)

    @staticmethod
    def _handles(inputs: tuple[SymbolicTensor, ...]) -> list[int]:
        return [id(x) for x in inputs if x.dtype.kind == "R"]


def _name_for(x: Tensor) -> str:
    """Return what to call the input that captures a tensor: for a variable's handle, its name."""
    if isinstance(x, EagerTensor) and x.dtype.kind == "R":
        return str(getattr(x.array, "name", "")) or "capture"
    return "capture"


class Traced:
    """A finished trace: its graph, what it captured, and the Python structure it returned."""

    def __init__(self, graph: Graph, captured: list[Tensor], result: Any) -> None:
        self.graph = graph
        self.captured = captured
        self.result = result


def trace(
    function: Callable[..., Sequence[Tensor]],
    specs: Sequence[TensorSpec],
    name: str = "graph",
    of: Graph | None = None,
) -> Traced:
    """Return the graph of `function`, called with one symbolic tensor per spec.

    `function` returns a flat sequence of tensors, the graph's outputs. The graph's inputs are
    those of `specs` followed by what was captured. Tensors of the finished graph `of`, if one is
    given, may be captured too.
    """
    tracer = Tracer(name, of)
    with tracer:
        arguments = [tracer.graph.add_input(spec) for spec in specs]
        result = function(*arguments)
        outputs = [tracer.own(to_tensor(x)) for x in result]
    return close(tracer, outputs, result)


def close(tracer: Tracer, outputs: list[SymbolicTensor], result: Any) -> Traced:
    """Return a finished trace; its symbolic tensors have no use afterwards."""
    graph = tracer.graph
    graph.outputs = outputs
    graph.effects = list(tracer.effects)
    graph.open, graph.around = False, None
    return Traced(graph, [outer for outer, _ in tracer.captures.values()], result)


def outermost() -> Tracer | None:
    """Return the tracer on top of the context, if code is being traced."""
    top = current.get()
    found = None if top is None else top.tracer
    return found if isinstance(found, Tracer) else None


@contextmanager
def colocate_with(x: Operand | Node) -> Iterator[None]:
    """Place what is made inside beside `x`: a tensor, a variable, or a node of a graph.

    In a trace the nodes made inside join the group of the node that makes `x`, which placement
    keeps together, and device scopes around are forgotten; a device asked for inside that `x`
    cannot be on is a PlacementError then. Eagerly what is inside runs on the device of `x`.
    As TensorFlow's `tf.compat.v1.colocate_with`.

    >>> graph = tl.Graph()
    >>> with graph.as_default():
    ...     x = tl.constant([1.0, 2.0])
    ...     with tl.colocate_with(x):
    ...         y = tl.exp(x)
    >>> y.node.group == x.node.group
    True
    """
    tracing = outermost()
    beside = x if isinstance(x, Node) else _held_by(x)
    if tracing is None:
        with device(_whole(beside).device):
            yield
        return
    if isinstance(beside, EagerTensor):
        beside = tracing.own(beside)
    node = beside.node if isinstance(beside, SymbolicTensor) else beside
    assert isinstance(node, Node)
    here = scope.get()._replace(device=ANYWHERE, group=tracing.label(node))
    token = scope.set(here)
    try:
        yield
    finally:
        scope.reset(token)


def _held_by(x: object) -> Tensor:
    """Return a tensor, or the handle of what has one, such as a variable."""
    found = getattr(x, "handle", x)
    if not isinstance(found, Tensor):
        raise DTypeError(
            f"{x!r} is nothing to be placed beside; allowed are tensors, variables and nodes"
        )
    return found


def _whole(beside: Tensor | Node) -> EagerTensor:
    """Return a tensor that has its value; LeakedTensorError for what belongs to a graph."""
    if isinstance(beside, EagerTensor):
        return beside
    raise LeakedTensorError(
        f"{beside!r} belongs to a graph, and none is traced here: nothing runs beside it"
    )


def _is_repeated(x: SymbolicTensor) -> bool:
    """Return whether a constant is made again in an inner graph, rather than passed in.

    Graphs that share no nodes tell equal constants apart: gradients may be asked for one of them.
    """
    return x.node.op.name == "Const" and x.node.graph.shares
