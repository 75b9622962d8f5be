"""Regions: a graph, or one inside of another, on its way to arrays and stacks.

What becomes of a list's operators is in arraying.py, what stands for lists in array_values.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from tensorlite.core.constant import Const
from tensorlite.core.dtypes import variant
from tensorlite.core.op import Effect, Op, Role
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.writers.array_values import (
    Bundled,
    Held,
    Layout,
    NoArrayError,
    Packed,
    Place,
    Rows,
    Store,
    Turns,
    Value,
    built,
    flat,
    held,
    is_saving,
)
from tensorlite.ops.control.bundles import Bundle
from tensorlite.ops.control.regions import is_carried

Handler: TypeAlias = Callable[["Region", Node, Sequence[Value]], list[Value]]
Handlers: TypeAlias = dict[str, Handler]


def plain(value: Value) -> SymbolicTensor:
    """Return a value that is a tensor; NoArrayError for what is none."""
    if isinstance(value, SymbolicTensor):
        return value
    raise NoArrayError(f"{value} is used as a tensor")


def _apart(name: str) -> Graph:
    """Return a graph in which every node is one of its own, as in those that programs make."""
    made = Graph(name)
    made.shares = False
    return made


class Region:
    """A graph, or one inside of another, on its way."""

    def __init__(
        self,
        graph: Graph,
        place: Place,
        values: dict[int, Value],
        handlers: Handlers,
    ) -> None:
        self.graph = graph
        self.place = place
        self.values = values
        self.handlers = handlers
        self._after: dict[Node, tuple[Node, ...]] = {}
        self._back: list[tuple[Node, int, SymbolicTensor]] = []

    def put(self, is_whole: bool = False) -> None:
        """Put in all nodes; inputs of inner graphs have values already."""
        for node in self.graph.nodes:
            if all(id(x) in self.values for x in node.outputs) and node.outputs:
                continue
            self.place.like = node
            before = len(self.place.graph.nodes)
            self._put(node, is_whole)
            self._after.setdefault(node, tuple(self.place.graph.nodes[before:]))
        for merge, i, x in self._back:
            merge.set_input(i, plain(self.value(x)))
        self._leave_out_unused()
        effects = [x for node in self.graph.effects for x in self._after[node]]
        self.place.graph.effects = [
            x for x in effects if x.op.effect is not Effect.NONE
        ]

    def _leave_out_unused(self) -> None:
        """Leave out constants that told what lists are like, of which nothing is left."""
        told = {
            x.node
            for node in self.graph.nodes
            if node.op.name in self.handlers
            for x in node.inputs
            if isinstance(x.node.op, Const) and id(x) in self.values
        }
        made = {plain(self.value(x)).node for node in told for x in node.outputs}
        ends = [self.values.get(id(x)) for x in self.graph.outputs]
        used = {x.node for node in self.place.graph.nodes for x in node.inputs}
        used |= {x.node for x in ends if isinstance(x, SymbolicTensor)}
        nodes = self.place.graph.nodes
        nodes[:] = [x for x in nodes if x not in made or x in used]

    def value(self, x: SymbolicTensor) -> Value:
        """Return what stands for a tensor."""
        return self.values[id(x)]

    def _merge(self, node: Node) -> None:
        """Put in the head of a loop of primitives, whose back edge comes later."""
        first = next(x for x in node.inputs if id(x) in self.values)
        inputs = [
            plain(self.values.get(id(x), self.value(first))) for x in node.inputs
        ]
        made = self.node(node.op, inputs, node.name)
        for i, x in enumerate(node.inputs):
            if id(x) not in self.values:
                self._back.append((made, i, x))
        for x, y in zip(node.outputs, made.outputs, strict=True):
            y.respecify(x.spec)
            self.values[id(x)] = y

    def _put(self, node: Node, is_whole: bool) -> None:
        if node.op.role is Role.MERGE:
            self._merge(node)
            return
        given = [self.value(x) for x in node.inputs]
        if node.op.role is Role.WHILE:
            found = _loop(self, node, given)
        elif node.op.role is Role.IF:
            found = _conditional(self, node, given)
        elif node.op.name in self.handlers and self._is_known(node, given):
            found = self.handlers[node.op.name](self, node, given)
        else:
            inputs = [plain(value) for value in given]
            found = list(self.node(node.op, inputs, node.name, is_whole).outputs)
        for x, value in zip(node.outputs, found, strict=True):
            self.values[id(x)] = value

    def _is_known(self, node: Node, given: Sequence[Value]) -> bool:
        """Return whether an operator is on values that are known here, or makes such."""
        if node.op.name == "Bundle":
            return True
        of_lists = [
            value
            for x, value in zip(node.inputs, given, strict=True)
            if x.dtype is variant
        ]
        if any(isinstance(value, SymbolicTensor) for value in of_lists):
            return False
        return bool(of_lists) or any(x.dtype is variant for x in node.outputs)

    def node(
        self, op: Op, inputs: Sequence[SymbolicTensor], name: str, exact: bool = True
    ) -> Node:
        """Return the node in the place of the present one."""
        like = self.place.like
        assert like is not None
        waits = [x for one in like.control for x in self._after.get(one, ())]
        control = tuple(dict.fromkeys(waits))
        graph = self.place.graph
        if exact and name == like.name and isinstance(graph, ManualGraph):
            made = graph.append(op, inputs, name, control)
        else:
            made = graph.add(op, inputs, name=name, control=control)
        made.device, made.group, made.line = like.device, like.group, like.line
        if op.role is Role.INPUT:
            for x in made.outputs:
                x.respecify(like.outputs[x.index].spec)
        return made

    def named(self, op: Op, inputs: Sequence[SymbolicTensor]) -> Node:
        """Return the node that does what a list's operator did, under the name that fits it."""
        like = self.place.like
        assert like is not None
        name = re.sub(rf"{like.op.name}(_\d+)?$", rf"{op.name}\1", like.name)
        made = self.node(op, inputs, name)
        for x, old in zip(made.outputs, like.outputs, strict=False):
            if x.dtype is old.dtype:
                x.respecify(old.spec.without_value())
        return made


# --- loops ------------------------------------------------------------------------------------


class _Variables:
    """The variables of a loop: what changes, or is carried, and behind that what does not."""

    def __init__(self, here: Region, node: Node, given: Sequence[Value]) -> None:
        _, body = node.op.regions()
        pairs = zip(body.inputs, body.outputs, strict=True)
        place = here.place
        carries = place.as_called
        self.changes = [x is not y or (carries and is_carried(x)) for x, y in pairs]
        self.values = [
            _begun(place, value) if changes else _read(place, value)
            for value, changes in zip(given, self.changes, strict=True)
        ]
        self.fixed: list[SymbolicTensor] = []
        """What the loop takes as it is in every turn."""
        self.layouts: list[Layout | None] = []
        for value, changes in zip(self.values, self.changes, strict=True):
            if changes:
                self.fixed += [value.handle] if isinstance(value, Held) else []
                self.layouts.append(None)
            else:
                tensors, layout = flat(value)
                self.fixed += tensors
                self.layouts.append(layout)

    @property
    def first(self) -> list[SymbolicTensor]:
        """What changes, as it is before the first turn."""
        pairs = zip(self.values, self.changes, strict=True)
        return [_changing(value) for value, changes in pairs if changes]

    def inside(
        self, place: Place, region: Graph
    ) -> tuple[dict[int, Value], list[SymbolicTensor]]:
        """Return what stands for the inputs of a region, and the inputs that do not change."""
        graph = place.graph
        changed = [
            graph.add_input(_spec_of(x.spec, value), x.node.name)
            for x, value, changes in zip(
                region.inputs, self.values, self.changes, strict=True
            )
            if changes
        ]
        fixed = [graph.add_input(x.spec.without_value(), "fixed") for x in self.fixed]
        found: dict[int, Value] = {}
        moving, resting = iter(changed), iter(fixed)
        for x, value, layout in zip(
            region.inputs, self.values, self.layouts, strict=True
        ):
            if layout is not None:
                parts = [next(resting) for _ in layout.specs]
                found[id(x)] = layout.build(place, parts)
                continue
            now = next(moving)
            match value:
                case Held(_, _, adds):
                    found[id(x)] = Held(next(resting), now, adds)
                case Turns(store):
                    found[id(x)] = Turns(Store(place, store), now)
                case _:
                    found[id(x)] = now
        return found, fixed


def _spec_of(spec: TensorSpec, value: Value) -> TensorSpec:
    plain = isinstance(value, SymbolicTensor)
    return spec if plain else _changing(value).spec.without_value()


def _changing(value: Value) -> SymbolicTensor:
    match value:
        case Held(_, flow):
            return flow
        case Turns(_, count):
            return count
    return plain(value)


def _begun(place: Place, value: Value) -> Value:
    if is_saving(value):
        return Turns(Store(place), place.number(0, "f_count"))
    if isinstance(value, (SymbolicTensor, Turns)):
        return value
    return held(place, value)


def _read(place: Place, value: Value) -> Value:
    return held(place, value, written=False) if isinstance(value, Rows) else value


def _loop(here: Region, node: Node, given: Sequence[Value]) -> list[Value]:
    cond, body = node.op.regions()
    variables = _Variables(here, node, given)
    first = variables.first
    inner = here.place.beside(_apart(body.name), is_inside=True)
    values, fixed = variables.inside(inner, body)
    region = Region(body, inner, values, here.handlers)
    region.put()
    outputs = [
        _next(inner, region.value(y), region.value(x))
        for x, y, changes in zip(
            body.inputs, body.outputs, variables.changes, strict=True
        )
        if changes
    ]
    extra = [x for x, _ in inner.extra]
    inner.graph.outputs = [*outputs, *fixed, *[x for _, x in inner.extra]]
    inner.graph.inputs = [
        *inner.graph.inputs[: len(outputs) + len(fixed)],
        *[x for _, x in inner.extra],
    ]
    test = _condition(here, cond, variables, extra)
    here.place.like = node
    op = node.op.with_regions((test, inner.graph))
    made = here.node(op, [*first, *variables.fixed, *extra], node.name)
    after = iter(made.outputs)
    return [
        _left(value, next(after)) if changes else value
        for value, changes in zip(variables.values, variables.changes, strict=True)
    ]


def _condition(
    here: Region,
    cond: Graph,
    variables: _Variables,
    extra: Sequence[SymbolicTensor],
) -> Graph:
    place = here.place.beside(_apart(cond.name))
    values, _ = variables.inside(place, cond)
    for x in extra:
        place.graph.add_input(x.spec, "fixed")
    region = Region(cond, place, values, here.handlers)
    region.put()
    place.graph.outputs = [plain(region.value(x)) for x in cond.outputs]
    place.graph.open = False
    return place.graph


def _next(place: Place, value: Value, before: Value) -> SymbolicTensor:
    """Return what changes in a turn, as the next one finds it."""
    if isinstance(before, Held):
        value = held(place, value)
        if value.handle is not before.handle:
            raise NoArrayError("a turn makes an array for the next")
    if isinstance(before, Turns) and not (
        isinstance(value, Turns) and value.store is before.store
    ):
        raise NoArrayError("a turn forgets what others saved")
    return _changing(value)


def _left(value: Value, now: SymbolicTensor) -> Value:
    match value:
        case Held(handle, _, adds):
            return Held(handle, now, adds)
        case Turns(store):
            return Turns(store, now)
    return now


# --- conditionals -----------------------------------------------------------------------------


def _conditional(here: Region, node: Node, given: Sequence[Value]) -> list[Value]:
    pred, *rest = given
    apart = [flat(value) for value in rest]
    inputs = [x for tensors, _ in apart for x in tensors]
    sides = [
        _side(here, region, side, [layout for _, layout in apart])
        for side, region in enumerate(node.op.regions())
    ]
    here.place.like = node
    (first, one), (second, other) = sides
    joined = [_joined(x, y, (first, second)) for x, y in zip(one, other, strict=True)]
    for side, (place, _) in enumerate(sides):
        place.graph.outputs = [pair[side] for pairs, _ in joined for pair in pairs]
        place.graph.open = False
    op = node.op.with_regions((first.graph, second.graph))
    made = here.node(op, [plain(pred), *inputs], node.name)
    after = iter(made.outputs)
    return [build([next(after) for _ in pairs], inputs) for pairs, build in joined]


def _side(
    here: Region, region: Graph, side: int, layouts: Sequence[Layout]
) -> tuple[Place, list[Value]]:
    place = here.place.beside(_apart(region.name))
    values: dict[int, Value] = {}
    for x, layout in zip(region.inputs, layouts, strict=True):
        _, value = built(place, layout)
        if isinstance(value, Packed) and len(value.layouts) > 1:
            value = Packed(value.x, (value.layouts[side],))
        if isinstance(value, SymbolicTensor):
            value.respecify(x.spec)
        values[id(x)] = value
    inner = Region(region, place, values, here.handlers)
    inner.put()
    return place, [inner.value(x) for x in region.outputs]


def _joined(
    one: Value, other: Value, places: tuple[Place, Place]
) -> tuple[
    list[tuple[SymbolicTensor, SymbolicTensor]],
    Callable[[Sequence[SymbolicTensor], Sequence[SymbolicTensor]], Value],
]:
    """Return what two branches return for one value, and how that is made of what comes out."""
    if isinstance(one, SymbolicTensor) and isinstance(other, SymbolicTensor):
        return [(one, other)], lambda found, _: found[0]
    if isinstance(one, (Bundled, Packed)) and isinstance(other, (Bundled, Packed)):
        (x, first), (y, second) = map(_packed, places, (one, other))
        return [(x, y)], lambda found, _: Packed(found[0], (first, second))
    a, b = held(places[0], one), held(places[1], other)
    if a.adds is not b.adds:
        raise NoArrayError("one branch adds to what another writes")
    at = [
        place.graph.inputs.index(x.handle)
        if any(x.handle is y for y in place.graph.inputs)
        else -1
        for place, x in zip(places, (a, b), strict=True)
    ]
    if at[0] == at[1] >= 0:
        return [(a.flow, b.flow)], lambda found, inputs: Held(
            inputs[at[0]], found[0], a.adds
        )
    return [(a.handle, b.handle), (a.flow, b.flow)], lambda found, _: Held(
        found[0], found[1], a.adds
    )


def _packed(place: Place, value: Bundled | Packed) -> tuple[SymbolicTensor, Layout]:
    tensors, layout = flat(value)
    return place.add(Bundle(), tensors).outputs[0], layout
