"""How many turns a loop takes, where its graph tells; a guess elsewhere. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil, floor
from typing import NamedTuple, TypeAlias

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

CONJUNCTIONS = (BitwiseAnd, LogicalAnd)
GUESS = 10.0
"""What a loop is taken for that does not tell how often it runs."""


class Test(NamedTuple):
    """A comparison of a counter with a limit that stays the same in all turns.

    The counter starts at a constant, and a turn adds a constant to it.
    """

    op: type[Op]
    position: int
    """Which variable the counter is."""
    start: float
    step: float
    limit: SymbolicTensor
    """What it is compared with, in the condition."""
    value: float | None
    """The limit's value, if that is a constant."""

    @property
    def turns(self) -> float | None:
        """How many turns it allows, if that is known."""
        count = _COUNTS[self.op]
        if self.value is None:
            return None
        return max(0.0, count(self.start, self.value, self.step))


def turns(node: Node) -> float:
    """Return how many turns a While takes: exact for counters, else a guess or a bound.

    A counter starts at a constant, goes up or down by a constant, and is compared with one. A
    condition that asks for more than that, as `maximum_iterations` makes them, ends the loop at
    the first counter's limit at the latest.
    """
    cond, _ = node.op.regions()
    tests = [tested(node, x) for x in conjuncts(cond.outputs[0])]
    counts = [test.turns for test in tests if test is not None]
    return min([count for count in counts if count is not None], default=GUESS)


def conjuncts(x: SymbolicTensor) -> Iterator[SymbolicTensor]:
    """Yield the conditions that must all hold for `x` to hold."""
    if isinstance(x.node.op, CONJUNCTIONS):
        for one in x.node.inputs:
            yield from conjuncts(one)
    else:
        yield x


def tested(node: Node, condition: SymbolicTensor) -> Test | None:
    """Return what a condition of a While tells, if it compares a counter with what stays."""
    cond, body = node.op.regions()
    test = condition.node
    if type(test.op) not in _COUNTS:
        return None
    counter, limit = test.inputs
    position = _position(cond, counter)
    if position is None or not _stays(limit, cond, body):
        return None
    start = _constant(node.inputs[position])
    step = _step(node, body, position)
    if start is None or not step:
        return None
    return Test(
        type(test.op), position, start, step, limit, _value(node, cond, limit)
    )


def _stays(x: SymbolicTensor, cond: Graph, body: Graph) -> bool:
    """Return whether a tensor of a condition is the same in all turns, as far as that is seen."""
    i = _position(cond, x)
    if i is None:
        return isinstance(x.node.op, Const)
    return body.outputs[i] is body.inputs[i]


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
