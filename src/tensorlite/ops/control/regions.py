"""If, While, PartitionedCall: operators with graphs inside.

Tracing makes them through ops/control/loops.py; passes/lower.py turns the first two into Switch,
Merge and their kin. Their gradients are in region_gradients.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol, Self

from tensorlite.core.dispatch import Tensors
from tensorlite.core.dtypes import resource
from tensorlite.core.errors import BranchError, LoopError
from tensorlite.core.op import Call, Effect, Gradient, Grads, Op, Role
from tensorlite.core.spec import TensorSpec, join
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.graph.graph import Graph, SymbolicTensor
from tensorlite.graph.refined import refined_specs
from tensorlite.ops.control.branch_gradients import if_gradient
from tensorlite.ops.control.call_gradients import call_gradient, call_watched
from tensorlite.ops.control.region_gradients import while_gradient


class Callee(Protocol):
    """A function that a PartitionedCall calls: a graph, and the means to run it."""

    @property
    def graph(self) -> Graph:
        """The graph; its inputs are the arguments, its outputs the results."""

    def run(self, arrays: Sequence[Array]) -> tuple[Array, ...]:
        """Return the outputs for one array per input of the graph."""

    def with_graph(self, graph: Graph) -> Self:
        """Return a callee that runs another graph in the same way."""


class Region(Op, abstract=True):
    """An operator that runs inner graphs; its effect is the strongest of theirs."""

    @cached_property
    def effect(self) -> Effect:  # type: ignore[override]
        """What the inner graphs do beside computing outputs."""
        return strongest(
            node.op.effect
            for graph in graphs_within(self)
            for node in graph.nodes
            if not node.op.regions()
        )


def graphs_within(op: Op) -> list[Graph]:
    """Return an operator's inner graphs and theirs, each once, also where functions recurse."""
    found: dict[int, Graph] = {}
    waiting: list[Graph] = [*op.regions()]
    while waiting:
        graph = waiting.pop()
        if id(graph) not in found:
            found[id(graph)] = graph
            waiting.extend(
                inner for node in graph.nodes for inner in node.op.regions()
            )
    return list(found.values())


def strongest(effects: Iterable[Effect]) -> Effect:
    """Return the effect that orders a node at least as strictly as each of `effects`."""
    return max(effects, key=lambda effect: effect.value, default=Effect.NONE)


class If(Region):
    """Runs one of two graphs, as the first input says; both take the other inputs."""

    by_dtype = True
    role = Role.IF
    takes_sparse = True
    host = (0,)
    then_branch: Graph
    else_branch: Graph

    def infer(self, pred: TensorSpec, *args: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return specs that cover both branches' outputs; BranchError when they differ."""
        then, other = self.then_branch.output_specs, self.else_branch.output_specs
        if len(then) != len(other):
            raise BranchError(
                f"the branches return {len(then)} and {len(other)} tensors"
            )
        return tuple(
            [
                _covering(i, a, b)
                for i, (a, b) in enumerate(zip(then, other, strict=True))
            ]
        )

    def grad(self, call: Call, *dys: Gradient) -> Grads:
        """Return the gradients that a conditional on the same predicate computes."""
        return if_gradient(call, dys)

    def regions(self) -> tuple[Graph, ...]:
        """Return the graphs of the branches."""
        return self.then_branch, self.else_branch

    def with_regions(self, regions: tuple[Graph, ...]) -> If:
        """Return this conditional with other branches."""
        return If(*regions)


def _covering(place: int, a: TensorSpec, b: TensorSpec) -> TensorSpec:
    if a.dtype is not b.dtype:
        raise BranchError(f"output {place} is {a} in one branch and {b} in the other")
    return join(a, b)


VARIABLE = "variable"
"""What inputs of loops' graphs are called, a number behind it, that are no captured tensors."""


def is_carried(x: SymbolicTensor) -> bool:
    """Return whether an input of a loop's body is a variable of the program's."""
    first, _, number = x.node.name.partition("_")
    is_named = first == VARIABLE and (not number or number.isdecimal())
    return is_named and x.dtype is not resource


class While(Region):
    """Runs `body` on the loop variables as long as `cond` says of them.

    Inputs and outputs are the loop variables. An invariant is a variable whose output in `body` is
    the body's own input tensor; what the loop captures from outside becomes one.
    """

    by_dtype = True
    role = Role.WHILE
    cond: Graph
    body: Graph
    parallel_iterations: int = 10
    swap_memory: bool = False
    back_prop: bool = True
    """Whether gradients flow through it."""

    def infer(self, *variables: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the variables' specs in the body; LoopError when a first value does not fit."""
        inside, after = self.body.inputs, self.body.outputs
        if not len(variables) == len(inside) == len(after) == len(self.cond.inputs):
            raise LoopError(
                f"a loop over {len(variables)} variables, whose body takes {len(inside)} and "
                f"returns {len(after)} and whose condition takes {len(self.cond.inputs)}"
            )
        for i, (given, taken) in enumerate(zip(variables, inside, strict=True)):
            if not _compatible(taken.spec, given):
                raise LoopError(
                    f"loop variable {i} starts as {given}; the body takes {taken.spec}"
                )
        return tuple(
            [
                given.without_value() if x is y else x.spec
                for given, x, y in zip(variables, inside, after, strict=True)
            ]
        )

    def grad(self, call: Call, *dys: Tensor | None) -> Grads:
        """Return the gradients that a loop over the turns, last first, computes."""
        if not self.back_prop:
            return (None,) * len(call.inputs)
        return while_gradient(call, dys, is_carried)

    def regions(self) -> tuple[Graph, ...]:
        """Return the graphs of the condition and of the body."""
        return self.cond, self.body

    def with_regions(self, regions: tuple[Graph, ...]) -> While:
        """Return this loop with another condition and body."""
        cond, body = regions
        return replace(self, cond=cond, body=body)


def _compatible(a: TensorSpec, b: TensorSpec) -> bool:
    """Return whether some tensor may be of both specs; sizes unknown in a trace may agree."""
    return a.dtype is b.dtype and _may_agree(a, b)


def _may_agree(a: TensorSpec, b: TensorSpec) -> bool:
    if a.shape is None or b.shape is None:
        return True
    pairs = zip(a.shape, b.shape, strict=False)
    return len(a.shape) == len(b.shape) and all(
        x == y or None in (x, y) for x, y in pairs
    )


class PartitionedCall(Region):
    """Calls a traced function."""

    by_dtype = True
    role = Role.CALL
    f: Callee

    def infer(self, *args: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs of the function's outputs for arguments like these."""
        return refined_specs(self.f.graph, args)

    def kernel(self, xp: Xp, *arrays: Array) -> tuple[Array, ...]:
        """Return what the function returns."""
        return self.f.run(arrays)

    def grad(self, call: Call, *dys: Tensor | None) -> Grads:
        """Return the gradients that a call of the function's gradient computes."""
        return call_gradient(call, dys)

    def regions(self) -> tuple[Graph, ...]:
        """Return the function's graph."""
        return (self.f.graph,)

    def with_regions(self, regions: tuple[Any, ...]) -> PartitionedCall:
        """Return a call of the same function with another graph."""
        return PartitionedCall(self.f.with_graph(regions[0]))


def call_function(callee: Callee, args: Tensors) -> Tensors:
    """Return the outputs of a traced function, called now or made a node of the trace at hand.

    Tapes may differentiate the call, to any order; see call_gradients.py.
    """
    kept = callee.graph.kept
    op: PartitionedCall | None = kept.get("call")
    if op is None or op.f is not callee:
        op = kept["call"] = PartitionedCall(callee)
    return call_watched(op, args)
