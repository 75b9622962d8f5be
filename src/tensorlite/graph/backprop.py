"""The one reverse sweep: gradients over a record of calls, be it a tape's or a graph's nodes."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any, NamedTuple, TypeAlias

from tensorlite.core import operand
from tensorlite.core.device import ANYWHERE
from tensorlite.core.errors import GradientError, TensorliteError, note
from tensorlite.core.op import Call, Gradient, Op, Role
from tensorlite.core.provenance import Line, at_line
from tensorlite.core.scope import scope, scoped
from tensorlite.core.tensor import EagerTensor, IndexedSlices, Tensor
from tensorlite.graph.graph import Node, SymbolicTensor

DIFFERENTIABLE = "fcRV"
"""Kinds of dtypes that gradients flow through; what DType.is_differentiable says, at hand."""
PLAIN = Role.PLAIN
_WITH_REGIONS = (Role.IF, Role.WHILE, Role.CALL)
_numbers = count(1)
sweep: ContextVar[int] = ContextVar("sweep", default=0)
"""The number of the sweep under way, 0 outside of any; those within one bear its number."""


Flowing: TypeAlias = dict[int, list[Tensor | IndexedSlices]]
"""The gradients that have flowed into a tensor so far, by its id."""


class RegionCall(NamedTuple):
    """A call as it is when its gradient is asked for, and which inputs' gradients are needed."""

    op: Op
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    needed: tuple[bool, ...] = ()
    """Which inputs' gradients lead to a source."""


_new = tuple.__new__  # makes a RegionCall in half the time that its class takes


def gradients(
    calls: Sequence[Call],
    targets: Sequence[Tensor],
    sources: Sequence[Tensor],
    output_gradients: Sequence[Gradient],
    stops: Collection[int] = (),
) -> list[Gradient]:
    """Return the gradient of the sum of `targets` for each source; None where there is no path.

    `output_gradients` holds the gradient that flows into each target (None: nothing does). What
    flows into tensors with ids in `stops` goes no further.
    """
    token = sweep.set(sweep.get() or next(_numbers))
    try:
        return _swept(calls, targets, sources, output_gradients, stops)
    finally:
        sweep.reset(token)


def _swept(
    calls: Sequence[Call],
    targets: Sequence[Tensor],
    sources: Sequence[Tensor],
    output_gradients: Sequence[Gradient],
    stops: Collection[int],
) -> list[Gradient]:
    path, reached = _path(calls, sources, _are_as_called(targets))
    flowing: Flowing = {}
    for target, dy in zip(targets, output_gradients, strict=True):
        if dy is not None:
            flowing.setdefault(id(target), []).append(dy)
    wanted = {id(source) for source in sources}
    for call in _in_order(path, targets):
        dys = _arriving(flowing, call, wanted)
        if stops:
            pairs = zip(dys, call.outputs, strict=True)
            dys = [None if id(y) in stops else dy for dy, y in pairs]
        if dys.count(None) < len(dys) and _is_pulled(call):
            found = pulled(call, dys, reached)
            for x, dx in zip(call.inputs, found, strict=True):
                if dx is not None and id(x) in reached:
                    flowing.setdefault(id(x), []).append(dx)
    return [total_of(source, flowing.get(id(source))) for source in sources]


def _is_pulled(call: Call) -> bool:
    """Return whether gradients go through a call: by its operator, or by a program's own way."""
    if call.op.differentiable:
        return True
    owner = getattr(call.outputs[0], "node", None) if call.outputs else None
    return owner is not None and owner.graph.pulls(owner)


def _are_as_called(targets: Iterable[Tensor]) -> bool:
    """Return whether what is differentiated is of a graph that holds what was called."""
    graphs = [y.node.graph for y in targets if isinstance(y, SymbolicTensor)]
    return bool(graphs) and graphs[0].as_called


def _path(
    calls: Iterable[Call], sources: Iterable[Tensor], to_ends: bool = False
) -> tuple[list[Call], set[int]]:
    """Return the calls that gradients of `sources` may go through, and what they may reach.

    `to_ends` takes calls that let none through, too: TensorFlow's gradients come to there.
    """
    reached = {id(source) for source in sources}
    path = []
    for each in calls:
        call = each if each.op.role is PLAIN else _as_it_is(each)
        if to_ends or call.op.differentiable:
            for x in call.inputs:
                if id(x) in reached:
                    path.append(call)
                    for y in call.outputs:
                        if y.dtype.kind in DIFFERENTIABLE:
                            reached.add(id(y))
                    break
    return path, reached


def _in_order(path: Sequence[Call], targets: Sequence[Tensor]) -> Iterable[Call]:
    """Return the calls of a path, each behind those that use what it gives.

    In graphs that hold what was called they come breadth first, as soon as they may, which is
    TensorFlow's order: gradients are numbered, and added up, by it.
    """
    if not _are_as_called(targets):
        return reversed(path)
    makers = {id(y): call for call in path for y in call.outputs}
    uses = _uses(path, targets, makers)
    first = [makers[id(y)] for y in targets if id(y) in makers]
    ready = deque({id(call): call for call in first if not uses[id(call)]}.values())
    found = []
    while ready:
        call = ready.popleft()
        found.append(call)
        for x in call.inputs:
            maker = makers.get(id(x))
            if maker is not None:
                uses[id(maker)] -= 1
                if not uses[id(maker)]:
                    ready.append(maker)
    return found


def _uses(
    path: Sequence[Call], targets: Sequence[Tensor], makers: dict[int, Call]
) -> Counter[int]:
    """Return how often each call's outputs are used on the way to some targets, by its id."""
    wanted = {id(makers[id(y)]) for y in targets if id(y) in makers}
    uses: Counter[int] = Counter()
    for call in reversed(path):
        if id(call) in wanted:
            on_path = [makers[id(x)] for x in call.inputs if id(x) in makers]
            uses.update(map(id, on_path))
            wanted.update(map(id, on_path))
    return uses


def _as_it_is(call: Call) -> Call:
    """Return a call with the inputs and outputs that gradients have added to its node since."""
    if call.op.role not in _WITH_REGIONS:
        return call
    for y in call.outputs:
        if isinstance(y, SymbolicTensor):
            node = y.node
            added = node.inputs[len(call.inputs) :]
            return RegionCall(node.op, (*call.inputs, *added), node.outputs)
    return RegionCall(call.op, call.inputs, call.outputs)


def reachable(calls: Iterable[Call], sources: Iterable[Tensor]) -> set[int]:
    """Return the ids of all tensors that depend differentiably on `sources`."""
    return _path(calls, sources)[1]


def _arriving(flowing: Flowing, call: Call, wanted: set[int]) -> list[Gradient]:
    """Return the whole gradients of a call's outputs, all their uses having been seen."""
    dys: list[Gradient] = []
    for y in call.outputs:
        key = id(y)
        total = total_of(y, flowing.pop(key, None))
        if total is not None:
            if type(total) is IndexedSlices and not _takes_sparse(call, y):
                total = operand.operators.densify(total)
            if key in wanted:
                flowing[key] = [total]
        dys.append(total)
    return dys


def _takes_sparse(call: Call, y: Tensor) -> bool:
    """Return whether a call's gradient takes a sparse one of what it gives."""
    if isinstance(y, SymbolicTensor):
        return y.node.graph.takes_sparse(call.op)
    return call.op.takes_sparse


def total_of(x: Tensor, parts: list[Tensor | IndexedSlices] | None) -> Gradient:
    """Return the sum of what has flowed into a tensor."""
    if not parts:
        return None
    if len(parts) == 1:
        return parts[0]
    if isinstance(x, SymbolicTensor):
        return x.node.graph.total(x, parts)
    total: Gradient = operand.operators.accumulate(parts)
    return total


def pulled(call: Call, dys: list[Gradient], reached: set[int]) -> Sequence[Gradient]:
    """Return the gradients of a call's inputs, given those of its outputs."""
    op, asked = call.op, call
    if op.selective or type(call) is RegionCall:
        needed = tuple([id(x) in reached for x in call.inputs])
        if False in needed or type(call) is RegionCall:
            asked = _new(RegionCall, (op, call.inputs, call.outputs, needed))
    line = _line(call)
    gradients: Sequence[Gradient]
    try:
        if line is None:
            gradients = op.grad(asked, *dys)
        else:
            with at_line(line), _beside(call) as node:
                gradients = node.graph.pull(node, asked, dys)
    except TensorliteError as error:
        note(
            error,
            f"in the gradient of {op.name}" + (f", made at {line}" if line else ""),
        )
        raise
    if len(gradients) != len(call.inputs):
        raise GradientError(
            f"{op.name}.grad returned {len(gradients)} gradients for {len(call.inputs)} inputs"
        )
    return gradients


@contextmanager
def _beside(call: Call) -> Iterator[Node]:
    """Place what is made inside where the call is: gradients are computed beside their operator.

    In graphs that hold what was called it bears the name of that, too. Yields the node.
    """
    output: Any = call.outputs[
        0
    ]  # symbolic: it is a call in a graph, as its line says
    node: Node = output.node
    is_named = node.graph.as_called
    if node.device is ANYWHERE and not node.group and not is_named:
        yield node
        return
    here = scope.get()
    if is_named:
        name = node.name.removeprefix(f"{here.name}/")
        here = here._replace(name=scoped(f"{name}_grad"), origin=node)
    token = scope.set(here._replace(device=node.device, group=node.group))
    try:
        yield node
    finally:
        scope.reset(token)


def needs(call: Call, index: int) -> bool:
    """Return whether the gradient of an input leads to a source, as far as the call knows."""
    return type(call) is not RegionCall or not call.needed or call.needed[index]


def _line(call: Call) -> Line | None:
    """Return the user's line of a call in a graph; eager calls do not keep theirs."""
    first = call.outputs[0] if call.outputs else None
    if type(first) is EagerTensor or not isinstance(first, SymbolicTensor):
        return None
    return first.node.line
