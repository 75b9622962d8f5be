"""Gradients of a program's own in SavedModels: functions, traced when a model is written.

TensorFlow 2 has them so. A node IdentityN passes results on, beside what they were computed from,
and names its gradient; the library says which function that is, and the objects say which tensors
of the node's function it takes beside the gradients of results. How they are read is traces.py's.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import GradientError, LostGradientWarning
from tensorlite.core.op import Op, Role
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.trace import Traced, standing, trace
from tensorlite.interop.tensorflow.stored.structures import proto_of
from tensorlite.interop.tensorflow.writers.parts import Spelled
from tensorlite.interop.tensorflow.writing import Library, inner_graphs
from tensorlite.ops.control.differentiate import CustomGradient
from tensorlite.ops.sparse.slices import densify


@dataclass(frozen=True)
class _Place:
    """A graph, and where it is run: `captured` are tensors outside of all graphs."""

    graph: Graph
    captured: Sequence[Tensor] = ()
    caller: Node | None = None
    around: _Place | None = None

    def given(self, place: int) -> Tensor | None:
        """Return what an input is, outside, whenever the graph runs; None if that differs."""
        if self.caller is None:
            known = place - len(self.graph.inputs) + len(self.captured)
            return self.captured[known] if known >= 0 else None
        if self.caller.op.role is Role.WHILE:
            body = self.caller.op.regions()[1]
            if _key(body.outputs[place]) != _key(body.inputs[place]):
                return None
        skipped = len(self.caller.inputs) - len(self.graph.inputs)
        return self.caller.inputs[skipped + place]

    def inside(self, x: SymbolicTensor) -> SymbolicTensor | None:
        """Return what stands here for a tensor of a graph around, if anything does."""
        if x.node.graph is self.graph:
            return x.node.outputs[x.index]
        outside = None if self.around is None else self.around.inside(x)
        for place, own in enumerate(self.graph.inputs):
            found = self.given(place)
            if not isinstance(found, SymbolicTensor) or outside is None:
                continue
            if _key(found) == _key(outside):
                return own
        return None

    def held(self, x: Tensor) -> Tensor:
        """Return the handle outside of all graphs that a handle here is; of others themselves."""
        if not isinstance(x, SymbolicTensor) or x.dtype.kind != "R":
            return x
        keys = [_key(y) for y in self.graph.inputs]
        found = self.given(keys.index(_key(x))) if _key(x) in keys else None
        if found is None:
            return x
        return found if self.around is None else self.around.held(found)


def _key(x: SymbolicTensor) -> tuple[Node, int]:
    return x.node, x.index


class _Own(NamedTuple):
    """A node's gradient, traced."""

    kind: str
    place: _Place
    takes: tuple[TensorSpec, ...]
    returns: tuple[bool, ...]
    """Of which inputs of the node that is written it returns gradients."""
    traced: Traced


class OwnGradients:
    """The gradients of a program's own in the functions of a library that is written."""

    def __init__(self, library: Library, objects: Any) -> None:
        self._library = library
        self._objects = objects
        self._seen: dict[int, Op] = {}
        self._waiting: list[_Own] = []
        self._kinds = count()

    def prepare(self, graph: Graph, captured: Sequence[Tensor]) -> None:
        """Trace the gradients in a function, which is yet to be written, and in what it runs.

        Where that cannot be done, a LostGradientWarning says so.
        """
        for place, node in _with_own_gradients(_Place(graph, captured)):
            if id(node.op) not in self._seen:
                self._seen[id(node.op)] = node.op
                self._trace(place, node)

    def _trace(self, place: _Place, node: Node) -> None:
        kind = f"CustomGradient-{next(self._kinds)}"
        try:
            own = _traced(kind, place, node)
            self._library.check(own.traced.graph)
        except Exception as error:  # noqa: BLE001  what a program's function may raise
            _tell_of_lost(node, f": {type(error).__name__}: {error}")
            return
        if not _are_written(own.traced.captured, place):
            _tell_of_lost(node, "; it uses tensors of graphs around")
            return
        self._library.own[id(node.op)] = _spelled(kind, node)
        self._waiting.append(own)

    def write(self, bound: Callable[[Tensor, str], int]) -> None:
        """Add the gradients' functions; `bound` returns the number of an object that they use."""
        while self._waiting:
            own = self._waiting.pop(0)
            graph = own.traced.graph
            self.prepare(graph, own.traced.captured)
            name = self._library.function(graph, "__inference_internal_grad_fn").name
            about = self._objects.concrete_functions[name]
            for x in own.traced.captured:
                about.bound_inputs.append(self._bound(own.place.held(x), name, bound))
            takes = [
                TensorSpec(x.shape, x.dtype, f"result_grads_{i}")
                for i, x in enumerate(own.takes)
            ]
            about.canonicalized_input_signature.CopyFrom(
                proto_of(((None, *takes), {}))
            )
            found = iter(graph.output_specs)
            returned = [next(found) if is_given else None for is_given in own.returns]
            about.output_signature.CopyFrom(proto_of(returned))
            self._library.proto.library.registered_gradients.add(
                gradient_func=name, registered_op_type=own.kind
            )

    def _bound(
        self, x: Tensor, name: str, bound: Callable[[Tensor, str], int]
    ) -> int:
        if not isinstance(x, SymbolicTensor):
            return bound(x, name)
        function, called = self._library.outside(x)
        node = self._objects.nodes.add()
        node.captured_tensor.name = called
        node.captured_tensor.concrete_function = function
        return len(self._objects.nodes) - 1


def _tell_of_lost(node: Node, why: str) -> None:
    """Warn of a gradient of the program's own which is not in a SavedModel."""
    warnings.warn(
        f"{node.graph.name} has a gradient of its own, made at {node.line}, which is not saved"
        f"{why}; who loads the model takes the gradient of what the function computes",
        LostGradientWarning,
        stacklevel=2,
    )


def _with_own_gradients(place: _Place) -> Iterator[tuple[_Place, Node]]:
    for node in place.graph.nodes:
        if isinstance(node.op, CustomGradient):
            yield place, node
        for inner in inner_graphs(node.op):
            yield from _with_own_gradients(_Place(inner, (), node, place))


def _read_specs(node: Node) -> tuple[TensorSpec, ...]:
    """Return the specs of what the node takes that is written: variables are read for it."""
    op = node.op
    assert isinstance(op, CustomGradient)
    first = len(node.inputs) - op.variables
    plain = [x.spec.without_value() for x in node.inputs[:first]]
    return (*plain, *[x.spec.inner[0] for x in node.inputs[first:]])


def _spelled(kind: str, node: Node) -> tuple[Spelled, ...]:
    op = node.op
    assert isinstance(op, CustomGradient)
    first = len(node.inputs) - op.variables
    kinds = tuple([x.dtype for x in _read_specs(node)])
    reads = [
        Spelled("ReadVariableOp", {"dtype": kinds[i]}, (i,), f"read_{i}")
        for i in range(first, len(node.inputs))
    ]
    inputs = (*range(first), *[x.name for x in reads])
    given = {"T": kinds, "_gradient_op_type": kind}
    return (*reads, Spelled("IdentityN", given, inputs))


def _traced(kind: str, place: _Place, node: Node) -> _Own:
    op = node.op
    assert isinstance(op, CustomGradient)
    takes = _read_specs(node)
    wanted = len(node.inputs) - op.number
    returns: list[bool] = [False] * op.number

    def pull(*dys: Tensor) -> list[Tensor]:
        found = list(op.function(list(dys[: op.number])))
        if len(found) != wanted:
            raise GradientError(
                f"it returned {len(found)} gradients for {wanted} tensors and variables"
            )
        returns.extend([dx is not None for dx in found])
        return [
            densify(dx) if isinstance(dx, IndexedSlices) else to_tensor(dx)
            for dx in found
            if dx is not None
        ]

    token = standing.set(place.inside)
    try:
        traced = trace(pull, takes, "internal_grad_fn", place.graph)
    finally:
        standing.reset(token)
    return _Own(kind, place, takes, tuple(returns), traced)


def _are_written(captured: Sequence[Tensor], place: _Place) -> bool:
    """Return whether those tensors that are of a graph are of nodes that it has."""
    held = [place.held(x) for x in captured]
    nodes = set(place.graph.nodes)
    return all(x.node in nodes for x in held if isinstance(x, SymbolicTensor))
