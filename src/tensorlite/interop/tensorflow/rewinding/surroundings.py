"""Surroundings: which branch or loop of primitives each node of a graph is in."""

from __future__ import annotations

from dataclasses import dataclass, field

from tensorlite.core.op import Role
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.stored.contexts import ContextInfo, LoopInfo
from tensorlite.interop.tensorflow.writers.nesting import contexts_of
from tensorlite.interop.tensorflow.writing import to_graphdef


class NotRewoundError(Exception):
    """Gradients that are not taken anew: they are written as they were computed."""


@dataclass(eq=False)
class Around:
    """A branch or a loop of primitives."""

    outer: Around | None
    is_loop: bool
    pred: str = ""
    """The tensor that a branch hangs on."""
    branch: int = 0
    exits: list[str] = field(default_factory=list)
    """The nodes that leave a loop, in their order."""


class Surroundings:
    """The branches and loops of a graph, by the names of nodes in them."""

    def __init__(self, graph: ManualGraph) -> None:
        self._found: dict[str, Around] = {}
        contexts = contexts_of(to_graphdef(graph))
        for listed in contexts.values():
            for one in listed:
                self._note(one, None)
        roles = {node.op.role for node in graph.nodes}
        if not contexts and roles & {Role.SWITCH, Role.ENTER}:
            raise NotRewoundError("branches and loops are not one inside of another")

    def _note(self, info: ContextInfo, outer: Around | None) -> None:
        is_loop = isinstance(info, LoopInfo)
        here = Around(outer, is_loop)
        if isinstance(info, LoopInfo):
            here.exits = [x.rpartition(":")[0] for x in info.loop_exit_names]
            if info.nested or outer is not None:
                raise NotRewoundError("a loop is inside another, or has branches")
        else:
            here.pred, here.branch = info.pred_name, info.branch
        for value in info.values:
            name = value.rpartition(":")[0]
            if not is_loop and value == info.values[0]:
                continue  # the predicate, which is outside
            self._found[name] = here
        for inner in info.nested:
            self._note(inner, here)

    def of(self, node: Node) -> Around | None:
        """Return the innermost branch or loop that a node is in."""
        return self._found.get(node.name)

    def loop(self, node: Node) -> Around | None:
        """Return the loop that a node is in, Exits among them."""
        here = self.of(node)
        while here is not None and not here.is_loop:
            here = here.outer
        return here

    def merged(self, node: Node) -> Around | None:
        """Return the branch or loop of what a Merge joins."""
        return self.of(node.inputs[0].node)

    @staticmethod
    def consumers(graph: ManualGraph) -> dict[SymbolicTensor, list[Node]]:
        """Return the nodes that take each tensor."""
        found: dict[SymbolicTensor, list[Node]] = {}
        for node in graph.nodes:
            for x in node.inputs:
                found.setdefault(x, []).append(node)
        return found
