"""Gradients of While: a While, fed by what the forward one is made to save; and what If's share.

The backward graph of a region is traced by running the reverse sweep over its nodes. Tensors of
the forward graph that it captures are saved: constants are made again, the region's inputs passed
again, and all others returned in one bundle by an extended copy of the forward graph. A loop pushes
the bundle of each turn on a list, which the backward loop pops until it is empty. Gradients
of If are in branch_gradients.py, those of calls in call_gradients.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from tensorlite.core import dtypes, operand
from tensorlite.core.constant import Const
from tensorlite.core.dispatch import Tensors, calls, current
from tensorlite.core.op import Call, Effect, Gradient, Grads, Op
from tensorlite.core.provenance import UNKNOWN, Line
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.graph.backprop import RegionCall, gradients
from tensorlite.graph.copying import Copy, move_to_front, substitute
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.trace import Tracer, close, trace
from tensorlite.ops.control.bundles import Bundle, Unbundle, given_or_zeros, zeros_of
from tensorlite.ops.control.dependencies import bits_of, dependencies
from tensorlite.ops.control.filling import (
    forward_node,
    is_as_called,
    needed_of,
    with_zeros_in_turns,
)
from tensorlite.ops.control.list_values import BUNDLE
from tensorlite.ops.control.lists import (
    EmptySwappedList,
    EmptyTensorList,
    TensorListLength,
    TensorListPopBack,
    TensorListPushBack,
    length,
)
from tensorlite.ops.control.row_totals import (
    Form,
    first_rows,
    specs_of_totals,
    with_more_rows,
)
from tensorlite.ops.math.arithmetic import AddN

_SIZES = ("Shape", "Size", "Rank", "TensorListLength")
"""Operators that gradients apply to forward tensors; saving their results saves memory."""


ORIGINALS = "originals"
"""Under what a graph keeps the operators of its nodes that were extended, as they were before, and
how many inputs and outputs these had."""


class GradientTracer(Tracer):
    """Traces the gradient of a finished graph, whose tensors it may capture."""

    def __init__(self, forward: Graph) -> None:
        super().__init__(f"{forward.name}_gradient", forward)
        self.forward = forward
        self._origin: dict[int, SymbolicTensor] = {}

    def apply(self, op: Op, inputs: Tensors) -> Tensors:
        """Return the outputs of a node; sizes of forward tensors are computed forward."""
        if op.name in _SIZES and (x := self._forward_tensor(inputs[0])) is not None:
            node = self.forward.add(op, (x,), device=x.node.device, line=x.node.line)
            return (self.own(node.outputs[0]),)
        return super().apply(op, inputs)

    def own(self, x: Tensor) -> SymbolicTensor:
        """Return `x` as a tensor of this graph, remembering those of the forward graph."""
        mine = super().own(x)
        if isinstance(x, SymbolicTensor) and x.node.graph is self.forward:
            self._origin[id(mine)] = x
        return mine

    def _forward_tensor(self, x: Tensor) -> SymbolicTensor | None:
        if isinstance(x, SymbolicTensor) and x.node.graph is self.forward:
            return x
        return self._origin.get(id(x))


@dataclass
class Backward:
    """The traced gradient of a graph, its inputs sorted by where they come from."""

    graph: Graph
    flows: list[SymbolicTensor]
    """The inputs for the gradients that arrive at the outputs."""
    results: list[SymbolicTensor | None]
    """The gradients asked for; None where there are none and no zeros were wanted."""
    arguments: dict[int, SymbolicTensor]
    """Inputs of the forward graph that are needed again, by place."""
    saved: list[tuple[SymbolicTensor, SymbolicTensor]]
    """Other tensors of the forward graph, and the inputs that stand for them."""
    outer: dict[int, tuple[Tensor, SymbolicTensor]]
    """Tensors from outside both graphs, by id, and the inputs that stand for them."""

    def bundle(self, forward: Graph, line: Line = UNKNOWN) -> SymbolicTensor:
        """Return the bundle of what is saved, made by a node added to the forward graph."""
        members = [x for x, _ in self.saved]
        return forward.add(Bundle(), members, line=line).outputs[0]

    def unpack(
        self,
        bundle: SymbolicTensor,
        line: Line = UNKNOWN,
        before: Sequence[Node] = (),
    ) -> None:
        """Take what was saved from `bundle`, after the nodes `before` that lead to it."""
        graph = self.graph
        nodes = [*before]
        if self.saved:
            specs = tuple([inner.spec for _, inner in self.saved])
            node = graph.add(Unbundle(specs), (bundle,), line=line)
            nodes.append(node)
            inner_ids = [id(inner) for _, inner in self.saved]
            substitute(graph, dict(zip(inner_ids, node.outputs, strict=True)))
            gone = {id(inner.node) for _, inner in self.saved}
            graph.nodes[:] = [node for node in graph.nodes if id(node) not in gone]
        move_to_front(graph, nodes)


class Swept(NamedTuple):
    """What the sweep over a finished graph found, whose trace is open for more."""

    tracer: GradientTracer
    flows: list[SymbolicTensor]
    found: list[Gradient]

    def closed(self, results: list[SymbolicTensor | None]) -> Backward:
        """Return the traced gradient, of which these are the results."""
        outputs = [dx for dx in results if dx is not None]
        graph = close(self.tracer, outputs, None).graph
        backward = Backward(graph, self.flows, results, {}, [], {})
        forward = self.tracer.forward
        places = {id(x): j for j, x in enumerate(forward.inputs)}
        for outside, inner in self.tracer.captures.values():
            if id(outside) in places:
                backward.arguments[places[id(outside)]] = inner
            elif (
                isinstance(outside, SymbolicTensor) and outside.node.graph is forward
            ):
                backward.saved.append((outside, inner))
            else:
                backward.outer[id(outside)] = outside, inner
        return backward


def swept(
    forward: Graph,
    flowing: Sequence[int],
    wanted: Sequence[int],
    flow: Callable[[GradientTracer, int], tuple[list[SymbolicTensor], Gradient]],
    tracer: GradientTracer | None = None,
) -> Swept:
    """Return what flows from some outputs of a graph to some inputs.

    `flow` gives what flows into an output, and the inputs of the traced graph that it is made of.
    """
    tracer = tracer or GradientTracer(forward)
    with tracer:
        given = [flow(tracer, i) for i in flowing]
        found = gradients(
            tuple(forward.nodes),
            [forward.outputs[i] for i in flowing],
            [forward.inputs[j] for j in wanted],
            [dy for _, dy in given],
        )
    return Swept(tracer, [x for parts, _ in given for x in parts], list(found))


def differentiate(
    forward: Graph,
    flowing: Sequence[int],
    wanted: Sequence[int],
    filled: Callable[[int], bool] = lambda _: True,
    tracer: GradientTracer | None = None,
) -> Backward:
    """Return the gradient of a graph, from some outputs to some inputs, of dense tensors.

    `filled` tells of which inputs a gradient that is not there is zeros rather than None.
    """
    sweep = swept(forward, flowing, wanted, partial(_dense_flow, forward), tracer)
    results: list[SymbolicTensor | None] = []
    with sweep.tracer:
        for j, dx in zip(wanted, sweep.found, strict=True):
            if isinstance(dx, IndexedSlices):
                dx = operand.operators.densify(dx)  # noqa: PLW2901
            if dx is None and filled(j):
                dx = zeros_of(forward.inputs[j])  # noqa: PLW2901
            results.append(None if dx is None else sweep.tracer.own(dx))
    return sweep.closed(results)


def _dense_flow(
    forward: Graph, tracer: GradientTracer, i: int
) -> tuple[list[SymbolicTensor], Gradient]:
    x = tracer.graph.add_input(gradient_spec(forward.outputs[i].spec), "flow")
    return [x], x


def gradient_spec(spec: TensorSpec) -> TensorSpec:
    """Return the spec of a tensor's gradient: for a handle, that of its value."""
    return (spec.inner[0] if spec.dtype is dtypes.resource else spec).without_value()


def extend_node(
    call: Call, op: Op, spec: TensorSpec, inputs: tuple[SymbolicTensor, ...] = ()
) -> SymbolicTensor:
    """Give a call's node the operator `op`, which has one output more, and return that output."""
    node = forward_node(call)
    originals = node.graph.kept.setdefault(ORIGINALS, {})
    originals.setdefault(node, (node.op, len(node.inputs), len(node.outputs)))
    extra = SymbolicTensor(node, len(node.outputs), spec)
    node.op, node.inputs, node.outputs = (
        op,
        (*node.inputs, *inputs),
        (*node.outputs, extra),
    )
    top = current.get()
    if top is not None:
        top.extend(call.outputs[0], (extra,))
    return extra


class _Rows(NamedTuple):
    """Of which tensors rows are made that a loop gathers."""

    form: Form
    specs: list[TensorSpec]


@dataclass(frozen=True)
class Recipe:
    """How a gradient is computed from an extended node: to be used again by the next who asks."""

    op: Op
    arguments: list[int]
    """Places of the forward inputs that it takes again."""
    outer: list[Tensor]
    saved: int
    """Which output of the forward node is the bundle, or the list of bundles."""
    unmoved: tuple[int, ...] = ()
    """Places of a loop's invariants of which no turn gives a gradient."""
    rows: dict[int, _Rows] = field(default_factory=dict)
    """What gradients of a loop's invariants are made of that are rows, by place."""

    def inputs(
        self, call: Call, flows: Sequence[Tensor], offset: int = 0
    ) -> list[Tensor]:
        """Return all inputs but the bundle: flows, forward inputs, tensors from outside."""
        again = [call.inputs[place + offset] for place in self.arguments]
        return [*flows, *again, *self.outer]


def is_lasting(op: Op) -> bool:
    """Return whether every sweep may use one gradient: not if it writes, which each does apart."""
    return op.effect in (Effect.NONE, Effect.DRAW, Effect.READ)


def as_region(call: Call) -> RegionCall:
    """Return a call in the form that the sweep gives to calls with inner graphs."""
    if isinstance(call, RegionCall):
        return call
    return RegionCall(call.op, call.inputs, call.outputs)


# --- While ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Flow:
    """Between which of a loop's variables gradients flow."""

    variables: list[int]
    """Variables that change, whose gradient changes from turn to turn."""
    shared: list[int]
    """Invariants, whose gradient is the sum over the turns."""


def while_gradient(
    call: Call,
    dys: Sequence[Tensor | None],
    is_carried: Callable[[SymbolicTensor], bool],
) -> Grads:
    """Return the gradients of a loop's first values, by a loop that runs the turns backwards.

    In a graph of what was called a tensor from around the loop has none if no turn gives one.
    """
    call = as_region(call)
    flow = _flow(call, dys)
    if not flow.variables and not flow.shared:
        none = (None,) * len(call.inputs)
        return with_zeros_in_turns(call, dys, none, is_carried)
    _, body = call.op.regions()
    around: list[int] = []
    if is_as_called(call):
        around = [j for j in flow.shared if not is_carried(body.inputs[j])]
    gathered = [j for j in around if dys[j] is None]
    key = f"while {flow.variables} {flow.shared} {gathered}"
    recipe: Recipe | None = body.kept.get(key)
    if recipe is None:
        recipe = _extend_while(call, flow, gathered, key)
    turns = forward_node(call).outputs[recipe.saved]
    flows = [given_or_zeros(dys[i], call.outputs[i]) for i in flow.variables]
    for j in flow.shared:
        if j in recipe.rows:
            flows += first_rows(call.inputs[j], recipe.rows[j].specs)
        else:
            flows.append(given_or_zeros(dys[j], call.inputs[j]))
    found = iter(calls(recipe.op, turns, *recipe.inputs(call, flows))[1:])
    placed: dict[int, Gradient] = {}
    for j in [*flow.variables, *flow.shared]:
        rows = recipe.rows.get(j)
        placed[j] = next(found) if rows is None else rows.form.packed(found)
    for j in set(around).intersection(recipe.unmoved):
        del placed[j]
    grads = tuple([placed.get(j) for j in range(len(call.inputs))])
    return with_zeros_in_turns(call, dys, grads, is_carried)


def _flow(call: RegionCall, dys: Sequence[Tensor | None]) -> _Flow:
    """Return the variables on a path from a needed input to an output with a gradient."""
    _, body = call.op.regions()
    reaching = dependencies(body)
    from_outputs = bits_of(i for i, dy in enumerate(dys) if dy is not None)
    from_inputs = bits_of(j for j, on in enumerate(needed_of(call)) if on)
    for _ in reaching:
        for i, bits in enumerate(reaching):
            if from_outputs >> i & 1:
                from_outputs |= bits
            if bits & from_inputs:
                from_inputs |= 1 << i
    both = [i for i in range(len(reaching)) if (from_outputs & from_inputs) >> i & 1]
    both = [i for i in both if body.inputs[i].dtype.is_differentiable]
    changing = [body.inputs[i] is not body.outputs[i] for i in range(len(reaching))]
    return _Flow(
        [i for i in both if changing[i]], [i for i in both if not changing[i]]
    )


def _extend_while(
    call: RegionCall, flow: _Flow, gathered: Sequence[int], key: str
) -> Recipe:
    cond, body = call.op.regions()
    node = forward_node(call)
    forward = Copy(body).graph
    rows: dict[int, _Rows] = {}
    backward = _of_turn(forward, flow, gathered, rows)
    fixed = [j for j in backward.arguments if forward.inputs[j] is forward.outputs[j]]
    for j in [j for j in backward.arguments if j not in fixed]:
        backward.saved.append((forward.inputs[j], backward.arguments.pop(j)))
    turns = _push_turns(forward, backward, node.line)
    condition = Copy(cond).graph
    condition.add_input(turns, "turns")
    forward.kept = dict(body.kept)
    parts = _parts_of(backward, flow, rows)
    graph = _backward_body(backward, parts, forward, flow, fixed, node.line)
    outer = [x for x, _ in backward.outer.values()]
    test = trace(_any_left, graph.input_specs, "turns_left").graph
    op = call.op.with_regions((test, graph))
    unmoved = tuple([j for j in flow.shared if parts[j] == [None]])
    recipe = Recipe(op, fixed, outer, len(call.outputs), unmoved, rows)
    if not outer and is_lasting(recipe.op):
        forward.kept[key] = recipe
    extended = call.op.with_regions((condition, forward))
    swapped = bool(call.op.attributes().get("swap_memory"))
    empty = _empty_list(node, swapped)
    extend_node(call, extended, turns, (empty,))
    return recipe


def _of_turn(
    forward: Graph, flow: _Flow, gathered: Sequence[int], rows: dict[int, _Rows]
) -> Backward:
    """Return the gradient of a turn; `rows` gets what those of `gathered` are that are rows."""
    sweep = swept(
        forward,
        flow.variables,
        [*flow.variables, *flow.shared],
        partial(_dense_flow, forward),
    )
    results: list[SymbolicTensor | None] = []
    with sweep.tracer:
        for j, dx in zip([*flow.variables, *flow.shared], sweep.found, strict=True):
            if isinstance(dx, IndexedSlices) and j in gathered:
                form = Form.of(dx, True)
                parts = [sweep.tracer.own(x) for x in form.parts(dx)]
                rows[j] = _Rows(form, specs_of_totals(parts))
                results += parts
                continue
            if isinstance(dx, IndexedSlices):
                dx = operand.operators.densify(dx)  # noqa: PLW2901
            if dx is None and j in flow.variables:
                dx = zeros_of(forward.inputs[j])  # noqa: PLW2901
            results.append(None if dx is None else sweep.tracer.own(dx))
    return sweep.closed(results)


def _parts_of(
    backward: Backward, flow: _Flow, rows: dict[int, _Rows]
) -> dict[int, list[SymbolicTensor | None]]:
    """Return of which results the gradient of each variable is made."""
    results = iter(backward.results)
    return {
        j: list(islice(results, len(rows[j].specs) if j in rows else 1))
        for j in [*flow.variables, *flow.shared]
    }


def _any_left(turns: Tensor, *_: Tensor) -> list[Tensor]:
    return [operand.operators.greater(length(turns), 0)]


def _push_turns(forward: Graph, backward: Backward, line: Line) -> TensorSpec:
    """Let the body push what it saves on one more loop variable, and return that one's spec."""
    spec = TensorSpec((), dtypes.variant, None, (BUNDLE,))
    turns = forward.add_input(spec, "turns")
    move_to_front(forward, [])
    bundle = backward.bundle(forward, line)
    push = forward.add(TensorListPushBack(dtypes.variant), (turns, bundle), line=line)
    forward.outputs.append(push.outputs[0])
    return spec


def _empty_list(loop: Node, swapped: bool) -> SymbolicTensor:
    """Return an empty list of bundles for what a loop saves, made at the front of its graph.

    Where nodes bear the names of what was called it takes none of those that are still to come.
    """
    graph, kind = loop.graph, EmptySwappedList if swapped else EmptyTensorList
    below = f"{loop.name}/" if graph.as_called else ""
    first, second = [
        graph.add(Const(x), (), name=f"{below}Const")
        for x in (np.zeros(0, np.int32), np.asarray(-1, np.int32))
    ]
    sizes = (first.outputs[0], second.outputs[0])
    name = f"{below}{kind.__name__}"
    empty = graph.add(kind(dtypes.variant), sizes, name=name, line=loop.line)
    move_to_front(graph, [first, second, empty])
    return empty.outputs[0]


def _backward_body(
    backward: Backward,
    parts: dict[int, list[SymbolicTensor | None]],
    forward: Graph,
    flow: _Flow,
    fixed: list[int],
    line: Line,
) -> Graph:
    """Return the body of the backward loop: pop a turn, take its gradients, add up the shared."""
    graph = backward.graph
    turns = graph.add_input(TensorSpec((), dtypes.variant, None, (BUNDLE,)), "turns")
    before: list[SymbolicTensor] = []
    totals: list[SymbolicTensor] = []
    for j in flow.shared:
        found = [x for x in parts[j] if x is not None]
        if len(found) > 1:
            specs = specs_of_totals(found)
            rows = [graph.add_input(spec, "total") for spec in specs]
            before += rows
            totals += with_more_rows(graph, rows, found)
            continue
        total = graph.add_input(gradient_spec(forward.inputs[j].spec), "total")
        before.append(total)
        totals += [graph.add(AddN(), (total, x)).outputs[0] for x in found] or [total]
    changed = [dx for i in flow.variables for dx in parts[i] if dx is not None]
    graph.outputs = [*changed, *totals]
    shape = graph.add(Const(np.zeros(0, np.int32)), ())
    pop = graph.add(
        TensorListPopBack(dtypes.variant), (turns, shape.outputs[0]), line=line
    )
    rest, bundle = pop.outputs
    backward.unpack(bundle, line, [shape, pop])
    again = [backward.arguments[j] for j in fixed]
    outside = [inner for _, inner in backward.outer.values()]
    graph.inputs = [turns, *backward.flows, *before, *again, *outside]
    graph.outputs = [rest, *graph.outputs, *again, *outside]
    return graph


assert TensorListLength.__name__ in _SIZES
