"""What stands for lists and bundles while they become TensorFlow 1's arrays and stacks.

A list is a value here; TensorFlow 1 has an array, which is written to once at each number. So a
list becomes an array where it is written or read, and until then it is what it is made of. What
a loop saves in each turn for its gradient becomes stacks, one for each tensor. arraying.py has
the way through a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TypeAlias

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.dtypes import int32, resource, variant
from tensorlite.core.errors import TensorliteError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.ops.arrays.identity import PlaceholderWithDefault
from tensorlite.ops.arrays.shape import Shape
from tensorlite.ops.arrays.slicing import StridedSlice
from tensorlite.ops.control.step_arrays import (
    TensorArrayGatherV3,
    TensorArrayGradV3,
    TensorArrayScatterV3,
    TensorArraySizeV3,
    TensorArraySplitV3,
    TensorArrayV3,
    TensorArrayWriteV3,
)
from tensorlite.ops.control.step_stacks import StackPopV2, StackPushV2, StackV2
from tensorlite.ops.math.arithmetic import AddV2, Range


class NoArrayError(TensorliteError):
    """A list that is used as no array may be."""


@dataclass(eq=False)
class Place:
    """A graph in the making, and what it takes from that around it beside its own inputs."""

    graph: Graph
    outer: Place | None = None
    extra: list[tuple[SymbolicTensor, SymbolicTensor]] = field(default_factory=list)
    like: Node | None = None
    """The node whose place is taken: names, line and device are as it has them."""
    sources: count[int] = field(default_factory=count)
    """Numbers for the sweeps whose gradients are added up apart."""
    as_called: bool = False
    """Whether the whole graph is of what a program called, by TensorFlow's names."""

    def add(
        self,
        op: Op,
        inputs: Iterable[SymbolicTensor] = (),
        name: str = "",
        control: Sequence[Node] = (),
    ) -> Node:
        """Return a new node beside the one whose place is taken."""
        assert self.like is not None
        scope, slash, _ = self.like.name.rpartition("/")
        name = (name or op.name).lstrip("/")
        return self.graph.add(
            op,
            inputs,
            device=self.like.device,
            group=self.like.group,
            control=tuple(control),
            name=f"{scope}{slash}{name}",
            line=self.like.line,
        )

    def beside(self, graph: Graph, is_inside: bool = False) -> Place:
        """Return the place of another graph, which takes tensors from here if it is inside."""
        return Place(
            graph,
            self if is_inside else None,
            sources=self.sources,
            as_called=self.as_called,
        )

    def number(self, value: int | list[int], name: str) -> SymbolicTensor:
        """Return a constant of int32."""
        return self.add(Const(np.asarray(value, np.int32)), (), name).outputs[0]

    def invite(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return what stands here for a tensor from around."""
        if self.outer is None:
            raise NoArrayError(f"{x.name} is of no graph around {self.graph.name}")
        inner = self.graph.add_input(x.spec, x.node.name)
        self.extra.append((x, inner))
        return inner


@dataclass(frozen=True)
class Unwritten:
    """A list nothing is written to yet."""

    element: TensorSpec
    size: SymbolicTensor | None = None
    """How many elements it has; None: none yet, and any number may come."""
    grows: bool = False
    own: dict[Place, Held] = field(default_factory=dict, compare=False)
    """The array that was made for it where it begins, until someone writes to it there."""


@dataclass(frozen=True, eq=False)
class Rows:
    """A list of a tensor's rows, or of runs of them, with the arrays they are put in."""

    element: TensorSpec
    x: SymbolicTensor
    lengths: SymbolicTensor | None = None
    read: dict[Place, Held] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """A list of zeros but for one element."""

    base: Unwritten
    index: SymbolicTensor
    value: SymbolicTensor


@dataclass(frozen=True)
class Held:
    """An array, and the flow behind what was done to it."""

    handle: SymbolicTensor
    flow: SymbolicTensor
    adds: bool = False
    """Whether what is written to a number a second time is added."""


@dataclass(eq=False)
class Store:
    """The stacks on which a loop puts what it saves."""

    place: Place
    outer: Store | None = None
    handles: list[SymbolicTensor] | None = None
    layout: Layout | None = None

    def root(self) -> Store:
        """Return the stacks as they are where they were made."""
        return self if self.outer is None else self.outer.root()

    def stacks(self, specs: Sequence[TensorSpec] | None) -> list[SymbolicTensor]:
        """Return the handles of the stacks here, made where the loop begins if they are new."""
        if self.handles is None and self.outer is not None:
            found = self.outer.stacks(specs)
            self.handles = [self.place.invite(x) for x in found]
        if self.handles is None:
            if specs is None:
                raise NoArrayError("nothing was saved, and something is taken back")
            any_number = self.place.number(-1, "Const")
            self.handles = [
                self.place.add(StackV2(x), (any_number,), "f_acc").outputs[0]
                for x in specs
            ]
        return self.handles


@dataclass(frozen=True)
class Turns:
    """What a loop saved in its turns."""

    store: Store
    count: SymbolicTensor


@dataclass(frozen=True)
class Bundled:
    """Several values as one."""

    members: tuple[Value, ...]


@dataclass(frozen=True)
class Packed:
    """A bundle that branches return: a tensor, and how each of them made it."""

    x: SymbolicTensor
    layouts: tuple[Layout, ...]


Value: TypeAlias = (
    SymbolicTensor | Unwritten | Rows | Entry | Held | Turns | Bundled | Packed
)


@dataclass(frozen=True)
class Layout:
    """How a value is made of tensors."""

    specs: tuple[TensorSpec, ...]
    build: Callable[[Place, Sequence[SymbolicTensor]], Value]


def flat(value: Value) -> tuple[list[SymbolicTensor], Layout]:
    """Return the tensors that a value is made of, and how."""
    tensors, build = _taken_apart(value)
    return tensors, Layout(tuple([x.spec.without_value() for x in tensors]), build)


def _taken_apart(
    value: Value,
) -> tuple[list[SymbolicTensor], Callable[[Place, Sequence[SymbolicTensor]], Value]]:
    match value:
        case SymbolicTensor():
            return [value], lambda _, found: found[0]
        case Unwritten(_, None):
            return [], lambda *_: value
        case Unwritten(element, size, grows):
            assert size is not None
            return [size], lambda _, found: Unwritten(element, found[0], grows)
        case Rows(element, x, None):
            return [x], lambda _, found: Rows(element, found[0])
        case Rows(element, x, lengths):
            assert lengths is not None
            return [x, lengths], lambda _, found: Rows(element, *found)
        case Held(handle, flow, adds):
            return [handle, flow], lambda _, found: Held(found[0], found[1], adds)
        case Packed(x, layouts):
            return [x], lambda _, found: Packed(found[0], layouts)
        case Entry():
            return _all_apart([value.base, value.index, value.value], _entry)
        case Bundled(members):
            return _all_apart(members, lambda parts: Bundled(tuple(parts)))
    return _turns_apart(value)


def _entry(parts: Sequence[Value]) -> Value:
    base, index, value = parts
    assert isinstance(base, Unwritten)
    assert isinstance(index, SymbolicTensor)
    assert isinstance(value, SymbolicTensor)
    return Entry(base, index, value)


def _turns_apart(
    value: Turns,
) -> tuple[list[SymbolicTensor], Callable[[Place, Sequence[SymbolicTensor]], Value]]:
    handles = value.store.stacks(None)
    layout = value.store.root().layout

    def build(place: Place, found: Sequence[SymbolicTensor]) -> Value:
        return Turns(Store(place, None, list(found[:-1]), layout), found[-1])

    return [*handles, value.count], build


def _all_apart(
    values: Sequence[Value], joined: Callable[[Sequence[Value]], Value]
) -> tuple[list[SymbolicTensor], Callable[[Place, Sequence[SymbolicTensor]], Value]]:
    parts = [_taken_apart(one) for one in values]

    def build(place: Place, found: Sequence[SymbolicTensor]) -> Value:
        made, at = [], 0
        for tensors, one in parts:
            made.append(one(place, found[at : at + len(tensors)]))
            at += len(tensors)
        return joined(made)

    return [x for tensors, _ in parts for x in tensors], build


def built(place: Place, layout: Layout) -> tuple[list[SymbolicTensor], Value]:
    """Return new inputs of a graph, and the value that is made of them."""
    inner = [place.graph.add_input(spec, "input") for spec in layout.specs]
    return inner, layout.build(place, inner)


# --- arrays -----------------------------------------------------------------------------------


def held(place: Place, value: Value, written: bool = True) -> Held:
    """Return a list as an array: to write to, one of its own."""
    match value:
        case Held():
            return value
        case Unwritten() if place in value.own:
            return value.own.pop(place)
        case Unwritten(element, size, grows):
            number = place.number(0, "TensorArray/size") if size is None else size
            return new_array(place, element, number, grows or size is None)
        case Entry(base, index, x):
            return add_up(place, _adding(place, base), index, x)
        case Rows():
            if not written and place in value.read:
                return value.read[place]
            made = _with_rows(place, value, written)
            if not written:
                value.read[place] = made
            return made
    raise NoArrayError(f"{value} is no list")


def array_of(element: TensorSpec, grows: bool = False) -> TensorArrayV3:
    """Return what makes an empty array; it keeps what is read.

    Elements that are not written are zeros in the shape of the others, where all have one.
    """
    alike = not grows and element.shape is not None
    spec = TensorSpec(element.shape, element.dtype)
    return TensorArrayV3(element.dtype, spec, grows, False, alike)


def new_array(
    place: Place, element: TensorSpec, size: SymbolicTensor, grows: bool = False
) -> Held:
    """Return an empty array."""
    op = array_of(element, grows)
    handle, flow = place.add(op, (size,), "TensorArray").outputs
    return Held(handle, flow)


def gradients_of(place: Place, array: Held) -> Held:
    """Return an array in which the gradients of another's elements are added up."""
    source = f"gradients/{next(place.sources)}"
    op = TensorArrayGradV3(source)
    name = "TensorArrayGrad/TensorArrayGradV3"
    handle, flow = place.add(op, (array.handle, array.flow), name).outputs
    return Held(handle, flow, True)


def _adding(place: Place, base: Unwritten) -> Held:
    return gradients_of(place, held(place, base))


def _with_rows(place: Place, rows: Rows, written: bool) -> Held:
    scope = "TensorArraySplit" if rows.lengths is not None else "TensorArrayUnstack"
    measured = rows.x if rows.lengths is None else rows.lengths
    size = _rows_of(place, measured, scope)
    array = new_array(place, rows.element, size)
    if written:
        array = gradients_of(place, array)
    if rows.lengths is not None:
        op: Op = TensorArraySplitV3()
        inputs = (array.handle, rows.x, rows.lengths, array.flow)
    else:
        op = TensorArrayScatterV3()
        inputs = (array.handle, _upto(place, size, scope), rows.x, array.flow)
        scope += "/TensorArrayScatter"
    flow = place.add(op, inputs, f"{scope}/{op.name}").outputs[0]
    return Held(array.handle, flow, array.adds)


def _rows_of(place: Place, x: SymbolicTensor, scope: str) -> SymbolicTensor:
    """Return how many rows a tensor has."""
    if x.spec.shape and x.spec.shape[0] is not None:
        return place.number(x.spec.shape[0], f"{scope}/Const")
    shape = place.add(Shape(int32), (x,), f"{scope}/Shape").outputs[0]
    bounds = [
        place.number([i], f"{scope}/strided_slice/stack_{k}")
        for k, i in enumerate((0, 1, 1))
    ]
    first = StridedSlice(0, 0, 0, 0, 1)
    return place.add(first, (shape, *bounds), f"{scope}/strided_slice").outputs[0]


def _upto(place: Place, size: SymbolicTensor, scope: str) -> SymbolicTensor:
    """Return the numbers from 0 to below a size."""
    begin = place.number(0, f"{scope}/range/start")
    step = place.number(1, f"{scope}/range/delta")
    return place.add(Range(), (begin, size, step), f"{scope}/range").outputs[0]


def numbers_of(
    place: Place, array: Held, scope: str = "TensorArrayStack"
) -> SymbolicTensor:
    """Return the numbers of all elements of an array."""
    size = place.add(
        TensorArraySizeV3(),
        (array.handle, array.flow),
        f"{scope}/TensorArraySizeV3",
    ).outputs[0]
    return _upto(place, size, scope)


def add_up(
    place: Place, array: Held, index: SymbolicTensor, x: SymbolicTensor
) -> Held:
    """Return an array behind the writing of a tensor."""
    inputs = (array.handle, index, x, array.flow)
    name = "TensorArrayWrite/TensorArrayWriteV3"
    flow = place.add(TensorArrayWriteV3(), inputs, name).outputs[0]
    return Held(array.handle, flow, array.adds)


def summed(place: Place, values: Sequence[Value]) -> Held:
    """Return the sum of lists, element by element, added up in one of them."""
    first = next((x for x in values if isinstance(x, Held) and x.adds), None)
    base = _base_of(place, values[0]) if first is None else first
    for value in values:
        match value:
            case Held() if value is first:
                pass
            case Unwritten():
                pass
            case Entry():
                base = add_up(place, base, value.index, value.value)
            case Rows(_, x, None):
                scope = "TensorArrayUnstack"
                numbers = _upto(place, _rows_of(place, x, scope), scope)
                base = _scattered(place, base, numbers, x)
            case _:
                base = _with_all_of(place, base, held(place, value, written=False))
    return base


def _base_of(place: Place, value: Value) -> Held:
    """Return an array in which a list and others are added up."""
    if isinstance(value, Entry):
        return _adding(place, value.base)
    return gradients_of(place, held(place, value, written=False))


def _with_all_of(place: Place, array: Held, other: Held) -> Held:
    numbers = numbers_of(place, other)
    inputs = (other.handle, numbers, other.flow)
    x = place.add(TensorArrayGatherV3(), inputs, "TensorArrayGatherV3").outputs[0]
    return _scattered(place, array, numbers, x)


def _scattered(
    place: Place, array: Held, numbers: SymbolicTensor, x: SymbolicTensor
) -> Held:
    op = TensorArrayScatterV3()
    inputs = (array.handle, numbers, x, array.flow)
    flow = place.add(op, inputs, f"TensorArrayScatter/{op.name}").outputs[0]
    return Held(array.handle, flow, array.adds)


# --- what loops save --------------------------------------------------------------------------


def is_saving(value: Value) -> bool:
    """Return whether a value is an empty list for what a loop saves."""
    return isinstance(value, Unwritten) and value.element.dtype is variant


def pushed(place: Place, turns: Value, saved: Value) -> Turns:
    """Return what a loop saved, with what it saves in one more turn."""
    if not isinstance(turns, Turns) or not isinstance(saved, Bundled):
        raise NoArrayError(f"{saved} is saved, which is no bundle")
    tensors, layout = flat(saved)
    root = turns.store.root()
    if root.layout is None:
        root.layout = layout
    elif root.layout.specs != layout.specs:
        raise NoArrayError("turns of a loop save different things")
    handles = turns.store.stacks(layout.specs)
    waits = [
        place.add(StackPushV2(), (handle, _unseen(place, x)), "StackPushV2")
        for handle, x in zip(handles, tensors, strict=True)
    ]
    one = place.number(1, "Add/y")
    after = place.add(AddV2(), (turns.count, one), "Add", waits)
    return Turns(turns.store, after.outputs[0])


def _unseen(place: Place, x: SymbolicTensor) -> SymbolicTensor:
    """Return what is pushed: of a handle, what TensorFlow's Grappler does not look behind.

    A stack whose handle only goes on others it takes for one that is never popped, and drops those.
    """
    if x.dtype is not resource:
        return x
    any_shape = TensorSpec(None, x.dtype, None, x.spec.inner)
    op = PlaceholderWithDefault(any_shape)
    return place.add(op, (x,), "handle").outputs[0]


def popped(place: Place, turns: Value) -> tuple[Turns, Value]:
    """Return what a loop saved without the last turn, and what it saved in that."""
    if not isinstance(turns, Turns):
        raise NoArrayError(f"{turns} is no saved turns")
    layout = turns.store.root().layout
    if layout is None:
        raise NoArrayError("nothing was saved, and something is taken back")
    nodes = [
        place.add(StackPopV2(), (x,), "StackPopV2")
        for x in turns.store.stacks(layout.specs)
    ]
    for node, spec in zip(nodes, layout.specs, strict=True):
        node.outputs[0].respecify(spec)
    less = place.number(-1, "b_count/y")
    rest = place.add(AddV2(), (turns.count, less), "b_count", nodes).outputs[0]
    return Turns(turns.store, rest), layout.build(
        place, [node.outputs[0] for node in nodes]
    )
