"""Copies of graphs, to be extended without touching the original. Inner graphs stay shared."""

from __future__ import annotations

from tensorlite.core.op import Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor


class Copy:
    """A copy of a graph, and which tensor of it stands for which of the original."""

    def __init__(self, original: Graph) -> None:
        self.graph = Graph(original.name)
        self.tensors: dict[int, SymbolicTensor] = {}
        self._nodes: dict[int, Node] = {}
        for node in original.nodes:
            self._add(node)
        for node in original.nodes:
            made = self._nodes[id(node)]
            made.control = tuple([self._nodes[id(before)] for before in node.control])
        graph = self.graph
        graph.inputs = [self.of(x) for x in original.inputs]
        graph.outputs = [self.of(y) for y in original.outputs]
        graph.effects = [self._nodes[id(node)] for node in original.effects]
        graph.open = False
        graph.copied = {
            key: (old, self.tensors.get(id(new), new))
            for key, (old, new) in original.copied.items()
        }
        for node in original.nodes:
            graph.copied.update(
                {id(y): (y, self.tensors[id(y)]) for y in node.outputs}
            )

    def _add(self, node: Node) -> None:
        inputs = tuple([self.of(x) for x in node.inputs])
        made = Node(self.graph, node.op, inputs, [y.spec for y in node.outputs])
        made.device, made.group, made.line = node.device, node.group, node.line
        made.name = self.graph.free_name(node.name)
        self.graph.nodes.append(made)
        self._nodes[id(node)] = made
        for old, new in zip(node.outputs, made.outputs, strict=True):
            self.tensors[id(old)] = new

    def of(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return the tensor that stands for `x` of the original."""
        return self.tensors[id(x)]


def substitute(graph: Graph, by: dict[int, SymbolicTensor]) -> None:
    """Make nodes and outputs that use a tensor whose id is in `by` use that instead."""
    for node in graph.nodes:
        if any(id(x) in by for x in node.inputs):
            node.inputs = tuple([by.get(id(x), x) for x in node.inputs])
    graph.outputs = [by.get(id(y), y) for y in graph.outputs]


def move_to_front(graph: Graph, nodes: list[Node]) -> None:
    """Let `nodes`, which use nothing but each other and inputs, come first, after all inputs."""
    first = {id(node) for node in nodes}
    rest = [node for node in graph.nodes if id(node) not in first]
    inputs = [node for node in rest if node.op.role is Role.INPUT]
    others = [node for node in rest if node.op.role is not Role.INPUT]
    graph.nodes[:] = [*inputs, *nodes, *others]
