"""Gradients of If: an If on the same predicate, of which the forward one saves what it needs.

Rows of a tensor (IndexedSlices) stay rows on their way through; where one branch gives rows and
the other a whole tensor, or nothing, that is all its rows. How graphs are differentiated, and what
they save, is in region_gradients.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from tensorlite.core import operand
from tensorlite.core.dispatch import calls
from tensorlite.core.dtypes import int64
from tensorlite.core.op import Call, Gradient, Grads
from tensorlite.core.spec import TensorSpec, all_known
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.graph.backprop import RegionCall
from tensorlite.graph.copying import Copy
from tensorlite.graph.graph import Graph, SymbolicTensor
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.arrays.slicing import SliceKey
from tensorlite.ops.control.bundles import zeros_of
from tensorlite.ops.control.dependencies import dependencies, union
from tensorlite.ops.control.filling import (
    forward_node,
    is_as_called,
    needed_of,
    with_zeros,
)
from tensorlite.ops.control.list_values import BUNDLE
from tensorlite.ops.control.region_gradients import (
    Backward,
    GradientTracer,
    Recipe,
    Swept,
    as_region,
    extend_node,
    gradient_spec,
    is_lasting,
    swept,
)
from tensorlite.ops.control.row_totals import Form


def if_gradient(call: Call, dys: Sequence[Gradient]) -> Grads:
    """Return the gradients of a conditional's inputs, by a conditional on the same predicate."""
    call = as_region(call)
    branches: tuple[Graph, ...] = call.op.regions()
    flows = {i: dy for i, dy in enumerate(dys) if dy is not None}
    deps = [dependencies(graph) for graph in branches]
    connected = union(bits[i] for bits in deps for i in flows)
    through_any = union(bit for bits in deps for bit in bits) << 1
    wanted = [
        j for j, on in enumerate(needed_of(call)[1:]) if on and connected >> j & 1
    ]
    if not wanted:
        return with_zeros(call, (None,) * len(call.inputs), through_any)
    as_called = is_as_called(call)
    forms = {i: Form.of(dy, as_called) for i, dy in flows.items()}
    parts = {i: forms[i].parts(dy) for i, dy in flows.items()}
    specs = {
        i: [x.spec.without_value() for x in parts[i]]
        for i, form in forms.items()
        if form.is_rows
    }
    key = f"if {list(flows)} {wanted} {[(i, forms[i], specs[i]) for i in specs]}"
    made: tuple[Recipe, list[Form | None]] | None = branches[0].kept.get(key)
    if made is None:
        made = _extend_if(call, _Arriving(forms, specs), wanted, key)
    recipe, given = made
    pred, bundle = call.inputs[0], forward_node(call).outputs[recipe.saved]
    flat = [x for one in parts.values() for x in one]
    found = iter(calls(recipe.op, pred, *recipe.inputs(call, flat, 1), bundle))
    placed = {
        j: form.packed(found)
        for j, form in zip(wanted, given, strict=True)
        if form is not None
    }
    grads = (None, *[placed.get(j) for j in range(len(call.inputs) - 1)])
    return with_zeros(call, grads, through_any)


@dataclass(frozen=True)
class _Arriving:
    """What flows into a conditional's outputs, by place."""

    forms: dict[int, Form]
    specs: dict[int, list[TensorSpec]]
    """Specs of the tensors of those that are rows."""


def _extend_if(
    call: RegionCall, arriving: _Arriving, wanted: list[int], key: str
) -> tuple[Recipe, list[Form | None]]:
    branches: tuple[Graph, ...] = call.op.regions()
    line = forward_node(call).line
    forwards = [Copy(graph).graph for graph in branches]
    sweeps = [_swept(graph, arriving, wanted) for graph in forwards]
    forms = _settled(sweeps, wanted, is_as_called(call))
    backwards = [_closed(one, forms) for one in sweeps]
    arguments = sorted({j for backward in backwards for j in backward.arguments})
    outer = {
        key: x for backward in backwards for key, (x, _) in backward.outer.items()
    }
    for forward, backward in zip(forwards, backwards, strict=True):
        forward.outputs.append(backward.bundle(forward, line))
        specs = [forward.inputs[j].spec for j in arguments]
        bundle = _take_branch_inputs(backward, specs, arguments, outer)
        backward.unpack(bundle, line)
    recipe = Recipe(
        call.op.with_regions(tuple([backward.graph for backward in backwards])),
        arguments,
        list(outer.values()),
        len(call.outputs),
    )
    extend_node(call, call.op.with_regions(tuple(forwards)), BUNDLE)
    forwards[0].kept = dict(branches[0].kept)
    if not outer and is_lasting(recipe.op):
        forwards[0].kept[key] = recipe, forms
    return recipe, forms


def _swept(graph: Graph, arriving: _Arriving, wanted: list[int]) -> Swept:
    """Return what the sweep over a branch finds."""

    def flow(tracer: GradientTracer, i: int) -> tuple[list[SymbolicTensor], Gradient]:
        specs = arriving.specs.get(i) or [gradient_spec(graph.outputs[i].spec)]
        parts = [tracer.graph.add_input(spec, "flow") for spec in specs]
        return parts, arriving.forms[i].packed(iter(parts))

    return swept(graph, list(arriving.forms), wanted, flow)


def _settled(
    sweeps: Sequence[Swept], wanted: list[int], as_called: bool
) -> list[Form | None]:
    """Return the forms of what the branches give, once they give all alike; None for nothing.

    In a graph of what was called a branch takes its own part of each input, and what comes of
    these is added up: the sum is a whole tensor where one branch gives one.
    """
    forms: list[Form | None] = []
    for k, j in enumerate(wanted):
        given = [one.found[k] for one in sweeps]
        if as_called and all(dx is None for dx in given):
            forms.append(None)
            continue
        for one in sweeps:
            if one.found[k] is None:
                with one.tracer:
                    one.found[k] = zeros_of(one.tracer.forward.inputs[j])
        is_whole = any(isinstance(dx, Tensor) for dx in given)
        has_rows = any(isinstance(dx, IndexedSlices) for dx in given)
        if has_rows and not (is_whole and as_called):
            forms.append(_as_rows(sweeps, k, as_called))
        else:
            _make_whole(sweeps, k)
            forms.append(Form())
    return forms


def _make_whole(sweeps: Sequence[Swept], k: int) -> None:
    for one in sweeps:
        dx = one.found[k]
        if isinstance(dx, IndexedSlices):
            with one.tracer:
                one.found[k] = operand.operators.densify(dx)


def _as_rows(sweeps: Sequence[Swept], k: int, as_called: bool) -> Form:
    """Let all branches give rows, with indices of one dtype, and return their form."""
    for one in sweeps:
        dx = one.found[k]
        if isinstance(dx, Tensor):
            with one.tracer:
                one.found[k] = _all_rows(dx)
    rows = [dx for one in sweeps if isinstance(dx := one.found[k], IndexedSlices)]
    if len({dx.indices.dtype for dx in rows}) > 1:
        for one, dx in zip(sweeps, rows, strict=True):
            with one.tracer:
                indices = astype(dx.indices, int64)
                one.found[k] = IndexedSlices(dx.values, indices, dx.dense_shape)
    return reduce(Form.met, [Form.of(dx, as_called) for dx in rows])


def _all_rows(x: Tensor) -> IndexedSlices:
    """Return a tensor as its rows."""
    known = x.spec.shape
    if all_known(known):
        return IndexedSlices(x, arange(known[0]), known)
    sizes = shape_of(x)
    first = SliceKey()
    first.add_index(0)
    return IndexedSlices(x, arange(first.select(sizes)), sizes)


def _closed(sweep: Swept, forms: Sequence[Form | None]) -> Backward:
    """Return the gradient of a branch, of which the tensors of forms are the results."""
    results: list[SymbolicTensor | None] = []
    with sweep.tracer:
        for form, dx in zip(forms, sweep.found, strict=True):
            parts = [] if dx is None or form is None else form.parts(dx)
            results.extend([sweep.tracer.own(x) for x in parts])
    return sweep.closed(results)


def _take_branch_inputs(
    backward: Backward,
    specs: list[TensorSpec],
    arguments: list[int],
    outer: dict[int, Tensor],
) -> SymbolicTensor:
    """Give a backward branch what both take: flows, arguments, outer, and the returned bundle."""
    graph = backward.graph
    bundle = graph.add_input(BUNDLE, "bundle")
    again = [
        backward.arguments[j] if j in backward.arguments else graph.add_input(spec)
        for j, spec in zip(arguments, specs, strict=True)
    ]
    outside = [
        backward.outer[key][1]
        if key in backward.outer
        else graph.add_input(gone.spec)
        for key, gone in outer.items()
    ]
    graph.inputs = [*backward.flows, *again, *outside, bundle]
    return bundle
