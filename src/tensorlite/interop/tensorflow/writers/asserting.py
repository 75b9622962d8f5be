"""put_guards: checks that programs asked for look at what they tell only where they fail.

TensorFlow 1 makes a branch of each. Here it is one node, which bears the name of that branch's end.
"""

from __future__ import annotations

from collections.abc import Iterable

from tensorlite.core.op import Op
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.ops.arrays.identity import Identity
from tensorlite.ops.control.assertions import Assert
from tensorlite.ops.control.dataflow import Merge, NoOp, Switch

_END = "AssertGuard/Merge"


def is_guarded(node: Node) -> bool:
    """Return whether a node is a check that TensorFlow 1 makes a branch of."""
    is_check = isinstance(node.op, Assert) and node.name.endswith(_END)
    return is_check and node.inputs[0].spec.rank == 0


def put_guards(graph: Graph) -> None:
    """Put branches in the places of checks that bear the names of these."""
    guards = {node: _Guard(node) for node in graph.nodes if is_guarded(node)}
    within = {x for guard in guards.values() for x in guard.told}
    ordered: list[Node] = []
    for node in list(graph.nodes):
        if node in guards:
            start = len(graph.nodes)
            guards[node].put()
            ordered += graph.nodes[start:]
        elif node not in within:
            ordered.append(node)
    ends = {node: guard.end for node, guard in guards.items()}
    graph.nodes[:] = [node for node in ordered if node not in ends]
    for node in graph.nodes:
        node.control = tuple([ends.get(one, one) for one in node.control])
    graph.effects = [ends.get(one, one) for one in graph.effects]


class _Guard:
    """The branch of one check."""

    def __init__(self, check: Node) -> None:
        self.check, self.end = check, check
        self._base = check.name.removesuffix("/Merge")
        own = f"{self._base}/Assert/"
        self.told = [x.node for x in check.inputs[1:] if x.node.name.startswith(own)]
        """Constants that only the check tells."""

    def put(self) -> None:
        """Add the nodes."""
        condition = self.check.inputs[0]
        fails, holds = self._node(
            Switch(), (condition, condition), "Switch", self.check.control
        ).outputs
        yes = self._node(Identity(), (holds,), "switch_t")
        no = self._node(Identity(), (fails,), "switch_f")
        (asked,) = self._node(Identity(), (condition,), "pred_id").outputs
        nothing = self._node(NoOp(), (), "NoOp", [yes])
        passed = self._node(Identity(), yes.outputs, "control_dependency", [nothing])
        shown = self._shown(no, asked)
        failed = self._node(self.check.op, shown, "Assert")
        told = self._node(Identity(), no.outputs, "control_dependency_1", [failed])
        ends = told.outputs[0], passed.outputs[0]
        self.end = self._node(Merge(), ends, "Merge")

    def _shown(self, no: Node, asked: SymbolicTensor) -> list[SymbolicTensor]:
        """Return what the check takes where the condition does not hold."""
        shown: list[SymbolicTensor] = []
        count = 0
        for x in self.check.inputs:
            if x.node in self.told:
                x.node.control = (no,)
                no.graph.nodes.append(x.node)
                shown.append(x)
                continue
            name = f"Assert/Switch_{count}" if count else "Assert/Switch"
            shown.append(self._node(Switch(), (x, asked), name).outputs[0])
            count += 1
        return shown

    def _node(
        self,
        op: Op,
        inputs: Iterable[SymbolicTensor],
        name: str,
        control: Iterable[Node] = (),
    ) -> Node:
        made = self.check.graph.add(
            op,
            inputs,
            device=self.check.device,
            control=tuple(control),
            line=self.check.line,
        )
        made.name = f"{self._base}/{name}"
        return made
