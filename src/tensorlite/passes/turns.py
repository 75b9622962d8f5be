"""How many turns a loop takes, where its graph tells; a guess elsewhere. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil, floor
from typing import TypeAlias

from tensorlite.core.constant import Const
from tensorlite.core.op import Op
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.ops.math.arithmetic import AddV2, Sub
from tensorlite.ops.math.bits import BitwiseAnd
from tensorlite.ops.math.compare import (
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    LogicalAnd,
)

Count: TypeAlias = Callable[[float, float, float], float]
"""Takes start, limit and step of a counter; returns the turns that one comparison allows."""

GUESS = 10.0
"""What a loop is taken for that does not tell how often it runs."""


def turns(node: Node) -> float:
    """Return how many turns a While takes: exact for counters, else a guess or a bound.

    A counter starts at a constant, goes up or down by a constant, and is compared with one. A
    condition that asks for more than that, as `maximum_iterations` makes them, ends the loop at
    the first counter's limit at the latest.
    """
    cond, body = node.op.regions()
    found = [
        count
        for test in _conjuncts(cond.outputs[0])
        if (count := _counted(node, cond, body, test.node)) is not None
    ]
    return min(found, default=GUESS)


def _conjuncts(x: SymbolicTensor) -> Iterator[SymbolicTensor]:
    """Yield the conditions that must all hold for `x` to hold."""
    if isinstance(x.node.op, (BitwiseAnd, LogicalAnd)):
        for one in x.node.inputs:
            yield from _conjuncts(one)
    else:
        yield x


def _counted(node: Node, cond: Graph, body: Graph, test: Node) -> float | None:
    """Return the turns that a comparison of a counter with a limit allows, if it is one."""
    count = _COUNTS.get(type(test.op))
    if count is None:
        return None
    position = _position(cond, test.inputs[0])
    limit = _value(node, cond, test.inputs[1])
    if position is None or limit is None:
        return None
    start = _constant(node.inputs[position])
    step = _step(node, body, position)
    if start is None or not step:
        return None
    return max(0.0, count(start, limit, step))


def _constant(x: SymbolicTensor) -> float | None:
    """Return the value of a scalar constant."""
    op = x.node.op
    if isinstance(op, Const) and not op.value.shape and op.value.dtype.kind in "iuf":
        return float(op.value)
    return None


def _position(region: Graph, x: SymbolicTensor) -> int | None:
    """Return which of a region's inputs `x` is."""
    return next((i for i, y in enumerate(region.inputs) if y is x), None)


def _value(node: Node, region: Graph, x: SymbolicTensor) -> float | None:
    """Return the value of a tensor of a region that is constant over all turns."""
    position = _position(region, x)
    if position is None:
        return _constant(x)
    body = node.op.regions()[1]
    kept = body.outputs[position] is body.inputs[position]
    return _constant(node.inputs[position]) if kept else None


def _step(node: Node, body: Graph, position: int) -> float | None:
    """Return what a turn adds to a variable, if that is a constant."""
    after, before = body.outputs[position].node, body.inputs[position]
    if not isinstance(after.op, (AddV2, Sub)) or after.inputs[0] is not before:
        return None
    step = _value(node, body, after.inputs[1])
    return -step if step is not None and isinstance(after.op, Sub) else step


def _below(start: float, limit: float, step: float) -> float:
    return ceil((limit - start) / step) if step > 0 or start >= limit else GUESS


def _up_to(start: float, limit: float, step: float) -> float:
    return floor((limit - start) / step) + 1 if step > 0 or start > limit else GUESS


_COUNTS: dict[type[Op], Count] = {
    Less: _below,
    LessEqual: _up_to,
    Greater: lambda start, limit, step: _below(-start, -limit, -step),
    GreaterEqual: lambda start, limit, step: _up_to(-start, -limit, -step),
}
