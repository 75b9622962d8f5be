"""Gradients of the primitives of control flow, each of which is another primitive."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tensorlite.core.op import Gradient
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.interop.tensorflow.rewinding import rows
from tensorlite.interop.tensorflow.rewinding.gathering import gathered
from tensorlite.interop.tensorflow.rewinding.making import Maker
from tensorlite.interop.tensorflow.rewinding.surroundings import (
    Branch,
    Loop,
    NotRewoundError,
)
from tensorlite.interop.tensorflow.rewinding.turns import Turns
from tensorlite.ops.control.dataflow import (
    Enter,
    Exit,
    Merge,
    NextIteration,
    Switch,
)
from tensorlite.ops.math.compare import Equal


def _given(dys: Sequence[Gradient]) -> list[SymbolicTensor]:
    return [dy for dy in dys if isinstance(dy, SymbolicTensor)]


def _refuse_rows(node: Node, dys: Sequence[Gradient]) -> None:
    if any(isinstance(dy, IndexedSlices) for dy in dys):
        raise NotRewoundError(f"rows of a gradient flow into {node.name}")


def _switch(
    maker: Maker, node: Node, dys: list[Gradient], turns: Turns | None
) -> list[Gradient]:
    if isinstance(maker.contexts.of.get(node), Branch):
        if any(isinstance(dy, IndexedSlices) for dy in dys):
            return [rows.joined(maker, dys), None]
        return [maker.node(Merge(), _given(dys), "cond_grad").outputs[0], None]
    if turns is None:
        return [_chosen(maker, node, dys), None]
    return [_loop_switch(maker, node, dys, turns), None]


def _chosen(maker: Maker, node: Node, dys: list[Gradient]) -> Gradient:
    """Return the gradient of a Switch of no branch: that of the output that was alive."""
    if any(not isinstance(dy, SymbolicTensor) for dy in dys):
        raise NotRewoundError(f"rows of a gradient flow into {node.name}")
    sides = [
        maker.node(Switch(), (dy, node.inputs[1])).outputs[side]
        for side, dy in enumerate(_given(dys))
    ]
    return maker.node(Merge(), sides).outputs[0]


def _loop_switch(
    maker: Maker, node: Node, dys: list[Gradient], turns: Turns
) -> Gradient:
    """Return the gradient of a loop's variable, which is asked for twice.

    What flows out of the loop comes first, what flows into the turn before second.
    """
    _refuse_rows(node, dys)
    known, (out, again) = turns.switches.get(node), dys
    if known is not None:
        if isinstance(again, SymbolicTensor):
            after = maker.node(NextIteration(), (again,))
            known.set_input(1, after.outputs[0])
        return None
    if not isinstance(out, SymbolicTensor):
        return None
    made = maker.node(Merge(), (out, out), "b_switch")
    made.outputs[0].respecify(node.inputs[0].spec.without_value())
    turns.switches[node] = made
    return made.outputs[0]


def _merge(
    maker: Maker, node: Node, dys: list[Gradient], turns: Turns | None
) -> Sequence[Gradient]:
    around = maker.contexts.of_output(node.inputs[0])
    dy = _given(dys[:1])
    if isinstance(around, Branch):
        pred = around.pred if turns is None else turns.condition(around.pred)
        if isinstance(dys[0], IndexedSlices):
            return rows.parted(maker, dys[0], pred)
        return maker.node(Switch(), (*dy, pred), "cond_grad").outputs
    _refuse_rows(node, dys)
    if around is None and turns is None and len(dy) == 1:
        return _as_came(maker, node, dy[0])
    if not isinstance(around, Loop) or turns is None or turns.back.going_on is None:
        raise NotRewoundError(f"{node.name} joins no branches that are known")
    return maker.node(Switch(), (*dy, turns.back.going_on)).outputs


def _as_came(maker: Maker, node: Node, dy: SymbolicTensor) -> list[Gradient]:
    """Return the gradients of a Merge of no branch: each flows if it was that input that came."""
    came = [_is_number(maker, node.outputs[1], i) for i in range(len(node.inputs))]
    return [maker.node(Switch(), (dy, one)).outputs[1] for one in came]


def _is_number(maker: Maker, x: SymbolicTensor, number: int) -> SymbolicTensor:
    title = maker.numbered("Equal")
    other = maker.constant(number, f"{title}/y")
    return maker.node(Equal(), (x, other), title).outputs[0]


def _exit(
    maker: Maker, node: Node, dys: list[Gradient], turns: Turns | None
) -> list[Gradient]:
    if turns is None:
        raise NotRewoundError(f"{node.name} ends no loop that is known")
    if not turns.loop.back_prop:
        return [None]
    dy = _given(dys)
    turns.back.own.update(dy)
    return [maker.node(turns.back.entering(), dy, "b_exit").outputs[0]]


def _following(
    _: Maker, __: Node, dys: list[Gradient], ___: Turns | None
) -> list[Gradient]:
    return [dys[0]]


def _enter(
    maker: Maker, node: Node, dys: list[Gradient], turns: Turns | None
) -> list[Gradient]:
    (dy,) = dys
    if turns is None or dy is None:
        return [dy]
    assert isinstance(node.op, Enter)
    if isinstance(dy, IndexedSlices) and node.op.is_constant:
        return [gathered(turns, node, dy)]
    _refuse_rows(node, dys)
    assert isinstance(dy, SymbolicTensor)
    if node.op.is_constant:
        return [turns.added_up(node, dy)]
    return [maker.node(Exit(), (dy,)).outputs[0]]


OF_PRIMITIVES: dict[
    str, Callable[[Maker, Node, list[Gradient], Turns | None], Sequence[Gradient]]
] = {
    "Enter": _enter,
    "Exit": _exit,
    "Merge": _merge,
    "NextIteration": _following,
    "Switch": _switch,
}
