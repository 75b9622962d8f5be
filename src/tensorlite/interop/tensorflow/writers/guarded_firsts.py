"""guard_firsts: first values that rest on branches need no other variable to have one.

As TensorFlow 1 writes them: what is on the way from another variable is made once more, of this
one's first value while it has no other. What stands outside of branches is guarded when it is made,
in graph_mode/guards.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.core.op import Op, Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.interop.tensorflow.writers.referring import is_reference
from tensorlite.ops.arrays.identity import Identity
from tensorlite.ops.control.dataflow import Merge, Switch
from tensorlite.ops.state.resource import (
    AssignVariableOp,
    ReadVariableOp,
    VarIsInitializedOp,
)


def guard_firsts(graph: Graph) -> None:
    """Let variables of a graph of primitives begin with values that are guarded."""
    named = {node.name: node for node in graph.nodes}
    for node in [x for x in graph.nodes if _begins(x)]:
        handle, value = node.inputs
        name = handle.node.name
        if value.node.name.endswith(f"_{name}") or not _is_branched(value.node):
            continue
        guard = _Guard(graph, named, name)
        node.inputs = handle, guard.value(value)
        _put_before(graph, node, guard.made)


def _begins(node: Node) -> bool:
    """Return whether a node gives a variable its first value."""
    if not isinstance(node.op, AssignVariableOp) or not is_reference(
        node.inputs[0].node
    ):
        return False
    return node.name == f"{node.inputs[0].node.name}/Assign"


def _is_branched(node: Node) -> bool:
    """Return whether there are branches on the way to a node, and no loops."""
    seen, left = set[Node](), [node]
    while left:
        one = left.pop()
        if one not in seen:
            seen.add(one)
            left += [x.node for x in one.inputs]
    roles = {one.op.role for one in seen}
    return Role.MERGE in roles and Role.NEXT not in roles


def _put_before(graph: Graph, node: Node, made: Sequence[Node]) -> None:
    new = set(made)
    rest = [x for x in graph.nodes if x not in new]
    place = rest.index(node)
    graph.nodes[:] = [*rest[:place], *made, *rest[place:]]


class _Guard:
    """Makes once more what one variable begins with."""

    def __init__(self, graph: Graph, named: dict[str, Node], name: str) -> None:
        self._graph, self._named, self._name = graph, named, name
        self._instead: dict[Node, Node] = {}
        self.made: list[Node] = []

    def value(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return what stands for a tensor; itself where it needs no variable."""
        if x.node not in self._instead:
            self._instead[x.node] = self._for(x.node)
        return self._instead[x.node].outputs[x.index]

    def _for(self, node: Node) -> Node:
        if isinstance(node.op, VarIsInitializedOp):
            return node
        if is_reference(node):
            first = self._named.get(f"{node.name}/Assign")
            return node if first is None else self._begun(node, first.inputs[1])
        inputs = tuple([self.value(x) for x in node.inputs])
        if all(x is y for x, y in zip(inputs, node.inputs, strict=True)):
            return node
        op = Identity() if isinstance(node.op, ReadVariableOp) else node.op
        return self._add(op, inputs, f"{node.name}_{self._name}", node)

    def _begun(self, variable: Node, first: SymbolicTensor) -> Node:
        """Return a variable's value if it has one, else its first one."""
        here, handle = self._name, variable.outputs[0]
        asked = self._add(
            VarIsInitializedOp(), (handle,), f"{here}/IsVariableInitialized", variable
        )
        branch = self._free(f"{here}/cond", is_scope=True)
        there = asked.outputs[0]
        pred = self._add(Identity(), (there,), f"{branch}/pred_id", variable)
        gate = self._add(Switch(), (there, there), f"{branch}/Switch", variable)
        for side, name in enumerate(("switch_f", "switch_t")):
            self._add(Identity(), (gate.outputs[side],), f"{branch}/{name}", variable)
        chosen = pred.outputs[0]
        taken = self._add(
            Switch(), (handle, chosen), f"{branch}/read/Switch", variable
        )
        read = self._add(
            ReadVariableOp(), (taken.outputs[1],), f"{branch}/read", variable
        )
        other = self._add(Switch(), (first, chosen), f"{branch}/Switch_1", variable)
        found = other.outputs[0], read.outputs[0]
        return self._add(Merge(), found, f"{branch}/Merge", variable)

    def _add(
        self, op: Op, inputs: tuple[SymbolicTensor, ...], name: str, like: Node
    ) -> Node:
        made = self._graph.add(op, inputs, device=like.device, line=like.line)
        made.name = self._free(name)
        self._named[made.name] = made
        self.made.append(made)
        return made

    def _free(self, name: str, is_scope: bool = False) -> str:
        """Return a name that no node has; of a scope, that none is in either."""
        taken, count, free = self._named, 0, name
        while free in taken or (
            is_scope and any(x.startswith(f"{free}/") for x in taken)
        ):
            count += 1
            free = f"{name}_{count}"
        return free
