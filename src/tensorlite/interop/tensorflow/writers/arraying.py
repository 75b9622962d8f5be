"""as_arrays: a graph in which lists are TensorFlow 1's arrays, and what loops save is on stacks.

TensorFlow 1 takes no gradients of lists. What stands for lists on the way is in array_values.py,
loops and conditionals are in array_regions.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeGuard

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.dtypes import variant
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.writers.array_regions import (
    Handlers,
    Region,
    plain,
)
from tensorlite.interop.tensorflow.writers.array_values import (
    Bundled,
    Entry,
    Held,
    NoArrayError,
    Packed,
    Place,
    Rows,
    Turns,
    Unwritten,
    Value,
    add_up,
    array_of,
    gradients_of,
    held,
    numbers_of,
    popped,
    pushed,
    summed,
)
from tensorlite.ops.control.bundles import Unbundle
from tensorlite.ops.control.lists import asked_shape
from tensorlite.ops.control.step_arrays import (
    TensorArrayConcatV3,
    TensorArrayGatherV3,
    TensorArrayReadV3,
    TensorArrayScatterV3,
    TensorArraySizeV3,
    TensorArraySplitV3,
    TensorArrayV3,
    TensorArrayWriteV3,
)


class Lone(ManualGraph):
    """A graph in which every node is one of its own."""

    shares = False


def as_arrays(graph: ManualGraph) -> ManualGraph:
    """Return a graph whose lists are arrays; itself where one is used as no array may be.

    What it does not change keeps its name.

    >>> graph = tl.Graph()
    >>> with graph.as_default():
    ...     array = tl.TensorArray(tl.float32, 2).write(0, 1.0).write(1, 2.0)
    ...     y = array.stack()
    >>> sorted({x.op.name for x in as_arrays(graph).nodes if "Array" in x.op.name})
    ['TensorArrayGatherV3', 'TensorArraySizeV3', 'TensorArrayV3', 'TensorArrayWriteV3']
    """
    if graph.captured or not has_lists(graph):
        return graph
    try:
        return _Whole(graph).made
    except NoArrayError:
        return graph


def has_lists(graph: Graph) -> bool:
    """Return whether anything in a graph, or in a graph inside, is a list or a bundle."""
    return any(
        any(x.dtype is variant for x in node.outputs)
        or any(map(has_lists, node.op.regions()))
        for node in graph.nodes
    )


class _Whole:
    """The making of a whole graph."""

    def __init__(self, graph: ManualGraph) -> None:
        self.made = Lone(graph.name)
        self.made.reserve([node.name for node in graph.nodes])
        place = Place(self.made, as_called=graph.as_called)
        values: dict[int, Value] = {}
        Region(graph, place, values, _LISTS).put(is_whole=True)
        self.made.inputs = [plain(values[id(x)]) for x in graph.inputs]
        self.made.outputs = [plain(values[id(x)]) for x in graph.outputs]
        self.made.nodes[:] = _needed(graph, self.made)
        self.made.open = False


def _needed(old: Graph, made: Graph) -> list[Node]:
    """Return the nodes but for arrays, and constants that told of lists, that nothing uses."""
    used = {id(x.node) for node in made.nodes for x in node.inputs}
    used |= {id(x.node) for x in made.outputs}
    arrays = {x for x in made.nodes if isinstance(x.op, TensorArrayV3)}
    of_lists = {
        x.node.name
        for node in old.nodes
        if node.op.name in _LISTS
        for x in node.inputs
        if isinstance(x.node.op, Const)
    }
    return [
        x
        for x in made.nodes
        if id(x) in used or not (x in arrays or x.name in of_lists)
    ]


# --- operators on lists -----------------------------------------------------------------------


def _element(node: Node, shape: int) -> TensorSpec:
    dtype = node.op.attributes()["element_dtype"]
    return TensorSpec(asked_shape(node.inputs[shape].spec), dtype)


def _empty(_: Region, node: Node, __: Sequence[Value]) -> list[Value]:
    return [Unwritten(_element(node, 0))]


def _reserve(here: Region, node: Node, given: Sequence[Value]) -> list[Value]:
    return [_begun(here, node, Unwritten(_element(node, 0), plain(given[1])))]


def _resize(here: Region, node: Node, given: Sequence[Value]) -> list[Value]:
    base, size = given
    if isinstance(base, Unwritten):
        longer = Unwritten(base.element, plain(size), grows=True)
        return [_begun(here, node, longer)]
    return [base]


def _begun(here: Region, node: Node, value: Unwritten) -> Unwritten:
    """Return a list with an array of its own, where a program made that by TensorFlow's name."""
    title = node.name.rpartition("/")[2]
    own = re.compile(rf"{node.op.name}(_\d+)?")
    if here.place.as_called and not own.fullmatch(title):
        assert value.size is not None
        op = array_of(value.element, value.grows)
        handle, flow = here.node(op, (value.size,), node.name).outputs
        value.own[here.place] = Held(handle, flow)
    return value


def _rows(_: Region, node: Node, given: Sequence[Value]) -> list[Value]:
    (element,) = node.outputs[0].spec.inner
    return [Rows(element, plain(given[0]))]


def _runs(_: Region, node: Node, given: Sequence[Value]) -> list[Value]:
    (element,) = node.outputs[0].spec.inner
    return [Rows(element, plain(given[0]), plain(given[2]))]


def _get(here: Region, __: Node, given: Sequence[Value]) -> list[Value]:
    array = held(here.place, given[0], written=False)
    inputs = (array.handle, plain(given[1]), array.flow)
    return list(here.named(TensorArrayReadV3(), inputs).outputs)


def _set(here: Region, node: Node, given: Sequence[Value]) -> list[Value]:
    base, index, x = given[0], plain(given[1]), plain(given[2])
    if _is_of_zeros(base, here.place):
        return [Entry(base, index, x)]
    array = held(here.place, base)
    if array.adds:
        return [_overwritten(node, array, x)]
    if here.place.as_called:
        inputs = (array.handle, index, x, array.flow)
        (flow,) = here.named(TensorArrayWriteV3(), inputs).outputs
        return [Held(array.handle, flow)]
    return [add_up(here.place, array, index, x)]


def _is_of_zeros(base: Value, place: Place) -> TypeGuard[Unwritten]:
    """Return whether a list is what gradients begin with, and no array that a program made."""
    if not isinstance(base, Unwritten) or place in base.own:
        return False
    return base.grows and base.size is not None


def _overwritten(node: Node, array: Held, x: SymbolicTensor) -> Held:
    """Return gradients of which zeros take the place of some that are not read any more."""
    if not _is_zero(x):
        raise NoArrayError(f"{node.name} writes what was written")
    return array


def _scatter(here: Region, node: Node, given: Sequence[Value]) -> list[Value]:
    x, indices = plain(given[1]), plain(given[2])
    op = TensorArrayScatterV3()
    return _rows_put(here, node, given[0], x, op, (indices, x))


def _split(here: Region, node: Node, given: Sequence[Value]) -> list[Value]:
    x, lengths = plain(given[1]), plain(given[2])
    op = TensorArraySplitV3()
    return _rows_put(here, node, given[0], x, op, (x, lengths))


def _rows_put(
    here: Region,
    node: Node,
    base: Value,
    x: SymbolicTensor,
    op: Op,
    inputs: Sequence[SymbolicTensor],
) -> list[Value]:
    """Return a list behind an operator that puts rows of a tensor into its array."""
    if _is_of_zeros(base, here.place):
        base = gradients_of(here.place, held(here.place, base))
    elif isinstance(base, Held) and base.adds:
        return [_overwritten(node, base, x)]
    array = held(here.place, base)
    (flow,) = here.named(op, (array.handle, *inputs, array.flow)).outputs
    return [Held(array.handle, flow, array.adds)]


def _gather(here: Region, __: Node, given: Sequence[Value]) -> list[Value]:
    array = held(here.place, given[0], written=False)
    inputs = (array.handle, plain(given[1]), array.flow)
    return list(here.named(TensorArrayGatherV3(), inputs).outputs)


def _is_zero(x: SymbolicTensor) -> bool:
    op = x.node.op
    if isinstance(op, Const):
        return not np.any(op.value)
    if op.name in ("Fill", "BroadcastTo"):
        return _is_zero(x.node.inputs[1 if op.name == "Fill" else 0])
    return op.name == "ZerosLike"


def _stack(here: Region, node: Node, given: Sequence[Value]) -> list[Value]:
    array = held(here.place, given[0], written=False)
    scope = node.name.rpartition("/")[0].rpartition("/")[2]
    is_named = scope.startswith("TensorArrayStack")
    numbers = numbers_of(here.place, array, *([""] if is_named else []))
    inputs = (array.handle, numbers, array.flow)
    return list(here.named(TensorArrayGatherV3(), inputs).outputs)


def _concat(here: Region, __: Node, given: Sequence[Value]) -> list[Value]:
    array = held(here.place, given[0], written=False)
    inputs = (array.handle, array.flow)
    return list(here.named(TensorArrayConcatV3(), inputs).outputs)


def _length(here: Region, __: Node, given: Sequence[Value]) -> list[Value]:
    (value,) = given
    match value:
        case Turns(_, count):
            return [count]
        case Unwritten(_, size) if size is not None:
            return [size]
    array = held(here.place, value, written=False)
    inputs = (array.handle, array.flow)
    return list(here.named(TensorArraySizeV3(), inputs).outputs)


def _add(here: Region, __: Node, given: Sequence[Value]) -> list[Value]:
    return [summed(here.place, given)]


def _zeros(here: Region, __: Node, given: Sequence[Value]) -> list[Value]:
    return [gradients_of(here.place, held(here.place, given[0], written=False))]


def _push(here: Region, __: Node, given: Sequence[Value]) -> list[Value]:
    return [pushed(here.place, given[0], given[1])]


def _pop(here: Region, __: Node, given: Sequence[Value]) -> list[Value]:
    return list(popped(here.place, given[0]))


def _bundle(_: Region, __: Node, given: Sequence[Value]) -> list[Value]:
    return [Bundled(tuple(given))]


def _unbundle(here: Region, node: Node, given: Sequence[Value]) -> list[Value]:
    (value,) = given
    if isinstance(value, Packed) and len(value.layouts) == 1:
        (layout,) = value.layouts
        parts = here.node(Unbundle(layout.specs), (value.x,), node.name).outputs
        value = layout.build(here.place, parts)
    if not isinstance(value, Bundled):
        raise NoArrayError(f"{node.name} takes apart what is no bundle")
    return list(value.members)


def _same(_: Region, __: Node, given: Sequence[Value]) -> list[Value]:
    return list(given)


_LISTS: Handlers = {
    "AddN": _add,
    "Bundle": _bundle,
    "EmptySwappedList": _empty,
    "EmptyTensorList": _empty,
    "Identity": _same,
    "IdentityN": _same,
    "StopGradient": _same,
    "TensorListConcatV2": _concat,
    "TensorListFromTensor": _rows,
    "TensorListGather": _gather,
    "TensorListGetItem": _get,
    "TensorListLength": _length,
    "TensorListPopBack": _pop,
    "TensorListPushBack": _push,
    "TensorListReserve": _reserve,
    "TensorListResize": _resize,
    "TensorListScatterIntoExistingList": _scatter,
    "TensorListSetItem": _set,
    "TensorListSplit": _runs,
    "TensorListSplitIntoExistingList": _split,
    "TensorListStack": _stack,
    "Unbundle": _unbundle,
    "VariantZerosLike": _zeros,
}
