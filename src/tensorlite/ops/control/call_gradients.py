"""Gradients of calls of traced functions, in traces and from eager tapes, of any order.

A callee is extended: F1 also returns a bundle of what the gradient of F needs, F2 also that of
what the gradient of F1 needs, and so on. In a trace a call is extended when its gradient is asked
for. An eager call has run by then, so it runs extended once for every tape that watches it; where
that was not enough, the extended function is called again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tensorlite.core.dispatch import Tensors, calls, current, execute
from tensorlite.core.errors import GradientError
from tensorlite.core.op import Call, Effect, Grads, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.graph.backprop import RegionCall
from tensorlite.graph.copying import Copy
from tensorlite.graph.graph import Graph, SymbolicTensor
from tensorlite.graph.tape import GradientTape
from tensorlite.ops.control.bundles import given_or_zeros
from tensorlite.ops.control.dependencies import bits_of, dependencies, union
from tensorlite.ops.control.filling import filled, needed_of
from tensorlite.ops.control.list_values import BUNDLE
from tensorlite.ops.control.region_gradients import (
    GradientTracer,
    as_region,
    differentiate,
    extend_node,
    gradient_spec,
)


@dataclass(frozen=True)
class Extension:
    """A call made to save what its gradient needs, and the call that is the gradient."""

    base: Op
    extended: Op
    backward: Op
    flowing: list[int]
    """The outputs whose gradients the backward call takes."""
    wanted: list[int]
    """The inputs whose gradients it returns."""
    outer: list[Tensor]
    """Tensors from outside that it takes, besides the base's inputs."""
    reach: list[int]
    """For each output of the base the inputs, as bits, that gradients flow to from it."""

    @property
    def place(self) -> int:
        """Which output of the extended call is the bundle."""
        return len(_graph(self.base).outputs)


def call_watched(op: Op, inputs: Tensors) -> Tensors:
    """Return the outputs of a call; eager tapes that watch it get what they will need."""
    top = current.get()
    if top is None:
        return execute(op, inputs)
    if top.tracer is not None:
        return top.apply(op, inputs)
    watched, depth = _watched(op, inputs)
    number = len(_graph(op).outputs)
    for _ in range(depth):
        wider = _extension(op, [j for j, on in enumerate(watched) if on])
        op = op if wider is None else wider.extended
    return top.apply(op, inputs)[:number]


def _watched(op: Op, inputs: Tensors) -> tuple[list[bool], int]:
    """Return which inputs the tapes at work watch, and of what order gradients may be."""
    union, depth = [False] * len(inputs), 0
    interpreter = current.get()
    while interpreter is not None:
        if isinstance(interpreter, GradientTape):
            mine = interpreter.watching(op, inputs)
            if any(mine):
                union = [a or b for a, b in zip(union, mine, strict=True)]
                depth += 2 if interpreter.persistent else 1
        interpreter = interpreter.below
    return union, depth


def call_gradient(call: Call, dys: Sequence[Tensor | None]) -> Grads:
    """Return the gradients of a call's inputs."""
    call = as_region(call)
    none: Grads = (None,) * len(call.inputs)
    last = max((i for i, dy in enumerate(dys) if dy is not None), default=-1)
    if last < 0:
        return none
    flowing = [i for i, dy in enumerate(dys) if dy is not None]
    needed = [j for j, on in enumerate(needed_of(call)) if on]
    extension = _saved(call.op, last, needed, flowing)
    if extension is None:
        extension = _extension(call.op, needed, flowing)
        if extension is None:
            return _with_zeros(call, none)
        bundle = _bundle_now(call, extension)
    else:
        bundle = call.outputs[extension.place]
    flows = [given_or_zeros(dys[i], call.outputs[i]) for i in extension.flowing]
    again = call.inputs[: len(_graph(extension.base).inputs)]
    found = call_watched(
        extension.backward, (*flows, *again, *extension.outer, bundle)
    )
    placed = dict(zip(extension.wanted, found, strict=True))
    grads = tuple([placed.get(j) for j in range(len(call.inputs))])
    return _with_zeros(call, grads)


def _with_zeros(call: RegionCall, grads: Grads) -> Grads:
    """Return gradients of a call's inputs, in a trace with zeros where any output depends on one.

    TensorFlow lets zeros flow into outputs of functions that nothing else flows into.
    """
    if not isinstance(call.outputs[0], SymbolicTensor):
        return grads
    return filled(call, grads, union(dependencies(_graph(call.op))))


def _saved(
    op: Op, last: int, needed: list[int], flowing: list[int]
) -> Extension | None:
    """Return the extension that `op` has gone through for such a gradient, if there is one."""
    found = None
    step: Extension | None = _graph(op).kept.get("extension")
    while step is not None and step.place > last:
        found, step = step, _graph(step.base).kept.get("extension")
    if found is None or not set(flowing) <= set(found.flowing):
        return None
    wanted = set(found.wanted)
    for j in needed:
        if j not in wanted and any(found.reach[i] >> j & 1 for i in flowing):
            return None
    return found


def _bundle_now(call: Call, extension: Extension) -> Tensor:
    """Return what an extension saves of a call that ran without it."""
    if not isinstance(call.outputs[0], EagerTensor):
        return extend_node(call, extension.extended, BUNDLE)
    if call.op.effect not in (Effect.NONE, Effect.READ):
        raise GradientError(
            f"a gradient of higher order than there were tapes needs {call.op!r} once more, which "
            "would repeat its effects. Record it under one tape per order"
        )
    return calls(extension.extended, *call.inputs)[extension.place]


def _extension(
    op: Op, wanted: list[int], flowing: list[int] | None = None
) -> Extension | None:
    """Return a call's extension for the gradients of some inputs; None if there are none."""
    graph = _graph(op)
    key = f"call {wanted} {flowing}"
    if key not in graph.kept:
        graph.kept[key] = _extend(op, wanted, flowing, key)
    extension: Extension | None = graph.kept[key]
    return extension


def _extend(
    op: Op, wanted: list[int], flowing: list[int] | None, key: str
) -> Extension | None:
    """Make an extension; a function that calls itself finds it while it is being made."""
    graph = _graph(op)
    deps, mask = dependencies(graph), bits_of(wanted)
    allowed = range(len(deps)) if flowing is None else flowing
    flowing = [i for i in allowed if deps[i] & mask]
    wanted = [j for j in wanted if any(deps[i] >> j & 1 for i in flowing)]
    if not wanted:
        return None
    forward = Copy(graph).graph
    tracer = GradientTracer(forward)
    promise_outputs(
        tracer.graph, [gradient_spec(forward.inputs[j].spec) for j in wanted]
    )
    extended, backward_call = (
        op.with_regions((forward,)),
        op.with_regions((tracer.graph,)),
    )
    extension = Extension(op, extended, backward_call, flowing, wanted, [], deps)
    graph.kept[key] = forward.kept["extension"] = extension
    backward = differentiate(forward, flowing, wanted, tracer=tracer)
    forward.outputs.append(backward.bundle(forward))
    bundle = backward.graph.add_input(BUNDLE, "bundle")
    backward.unpack(bundle)
    again = [
        backward.arguments[j]
        if j in backward.arguments
        else backward.graph.add_input(x.spec)
        for j, x in enumerate(graph.inputs)
    ]
    outer = list(backward.outer.values())
    backward.graph.inputs = [
        *backward.flows,
        *again,
        *[inner for _, inner in outer],
        bundle,
    ]
    if outer and any(node.op is backward_call for node in backward.graph.nodes):
        raise GradientError(
            f"the gradient of {graph.name}, which calls itself, uses tensors from outside it; pass "
            "them to it as arguments"
        )
    extension.outer.extend([x for x, _ in outer])
    return extension


def promise_outputs(graph: Graph, specs: Sequence[TensorSpec]) -> None:
    """Give a graph that is being made the specs of its outputs, for calls of it inside itself."""
    promised = Graph("promised")
    graph.outputs = [promised.add_input(spec) for spec in specs]


def _graph(op: Op) -> Graph:
    graphs: tuple[Any, ...] = op.regions()
    graph = graphs[0]
    assert isinstance(graph, Graph)
    return graph
