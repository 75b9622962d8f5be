"""What raising needs for loops and conditionals alike: the part of a graph between some borders.

A part is what some ends depend on, down to tensors that come from outside of it. It is copied into
a graph of its own, in which an input stands for each of those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tensorlite.core.device import ANYWHERE
from tensorlite.core.op import Effect, Op, Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.ordering import sources
from tensorlite.ops.arrays.identity import Identity

Key: TypeAlias = tuple[Node, int]
"""A tensor: its node, and which output of it."""
_QUIET = (Effect.NONE, Effect.DRAW)
_LASTING = (Effect.WRITE, Effect.IO)


class IllFormedError(Exception):
    """Something is no loop or conditional that a region could be made of; it stays as it is."""


def key_of(x: SymbolicTensor) -> Key:
    """Return what tells a tensor from others."""
    return x.node, x.index


def is_free(node: Node) -> bool:
    """Return whether a node is a constant, which is the same everywhere."""
    is_plain = node.op.role is Role.PLAIN and node.op.effect is Effect.NONE
    return is_plain and not node.inputs and not node.control


def plain(x: SymbolicTensor) -> SymbolicTensor:
    """Return what a tensor is under another name."""
    while type(x.node.op) is Identity and not x.node.control:
        x = x.node.inputs[0]
    return x


def deciding(x: SymbolicTensor) -> SymbolicTensor:
    """Return what a condition is under another name, whatever that one waits for."""
    while type(x.node.op) is Identity:
        x = x.node.inputs[0]
    return x


@dataclass
class Part:
    """The nodes of a part, each after what it uses, and what it has from outside."""

    nodes: list[Node] = field(default_factory=list)
    outside: dict[Key, SymbolicTensor] = field(default_factory=dict)
    """Tensors that it uses and that no border names."""
    waits: list[Node] = field(default_factory=list)
    """Nodes outside that it comes after."""


@dataclass
class Finder:
    """Finds parts."""

    is_border: Callable[[SymbolicTensor], bool]
    is_inside: Callable[[Node], bool]
    is_passed: Callable[[Node], bool]
    """Which control edges say nothing in there."""

    def part(self, ends: Iterable[Node | SymbolicTensor]) -> Part:
        """Return what ends depend on; IllFormedError when there are primitives within."""
        found = Part()
        seen: set[Node] = set()
        waiting: list[tuple[Node, bool]] = []
        for end in reversed([*ends]):
            node = (
                self._waited(end, found)
                if isinstance(end, Node)
                else self._used(end, found)
            )
            if node is not None:
                waiting.append((node, False))
        while waiting:
            node, is_done = waiting.pop()
            if is_done:
                found.nodes.append(node)
            elif node not in seen:
                if node.op.role not in _WHOLE:
                    raise IllFormedError(f"{node.name} is within")
                seen.add(node)
                waiting.append((node, True))
                waiting += [(x, False) for x in self._before(node, found)]
        return found

    def _before(self, node: Node, found: Part) -> list[Node]:
        """Return the nodes of the part that a node depends on."""
        sources = [self._used(x, found) for x in reversed(node.inputs)]
        sources += [self._waited(x, found) for x in node.control]
        return [x for x in sources if x is not None]

    def _used(self, x: SymbolicTensor, found: Part) -> Node | None:
        if self.is_border(x):
            return None
        if self.is_inside(x.node) or is_free(x.node):
            return x.node
        found.outside[key_of(x)] = x
        return None

    def _waited(self, node: Node, found: Part) -> Node | None:
        if self.is_passed(node):
            return None
        if self.is_inside(node):
            return node
        if not is_free(node):
            found.waits.append(node)
        return None


_WHOLE = (Role.PLAIN, Role.IF, Role.WHILE, Role.CALL)


class Inner:
    """A graph in the making that does what a part does."""

    def __init__(self, name: str) -> None:
        self.graph = Graph(name)
        self._tensors: dict[Key, SymbolicTensor] = {}
        self._nodes: dict[Node, Node] = {}
        self._loud: set[Node] = set()
        """Nodes in there that others must still wait for."""

    def input(self, x: SymbolicTensor, *others: Key) -> SymbolicTensor:
        """Add an input that stands for a tensor, and for others that are the same in there."""
        made = self.graph.add_input(x.spec.without_value(), "arg")
        made.node.line = x.node.line
        for key in (key_of(x), *others):
            self._tensors[key] = made
        return made

    def bind(self, key: Key, op: Op) -> None:
        """Let a constant stand for a tensor."""
        self._tensors[key] = self.graph.add(op, ()).outputs[0]

    def put(self, part: Part) -> None:
        """Copy the nodes of a part."""
        for node in part.nodes:
            self._copy(node)

    def _copy(self, node: Node) -> None:
        inputs = [self.tensor(x) for x in node.inputs]
        control = tuple(
            dict.fromkeys(
                self._nodes[x]
                for x in node.control
                if self._nodes.get(x) in self._loud
            )
        )
        if type(node.op) is Identity and not control and node.device is ANYWHERE:
            self._tensors[node, 0] = inputs[0]
            return
        made = self.graph.add(
            node.op,
            inputs,
            device=node.device,
            group=node.group,
            control=control,
            name=node.name,
            line=node.line,
        )
        self._nodes[node] = made
        is_loud = node.op.effect not in _QUIET or bool(control)
        if is_loud or any(x.node in self._loud for x in inputs):
            self._loud.add(made)
        for i, x in enumerate(made.outputs):
            self._tensors[node, i] = x

    def tensor(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return what stands for a tensor in there."""
        found = self._tensors.get(key_of(x))
        if found is None:
            raise IllFormedError(f"{x.name} is not there")
        return found

    def finish(self, outputs: Sequence[SymbolicTensor]) -> Graph:
        """Return the graph with its outputs."""
        graph = self.graph
        graph.outputs = list(outputs)
        graph.effects = [x for x in graph.nodes if x.op.effect in _LASTING]
        graph.open = False
        return graph


def depends(starts: Iterable[Node], on: Iterable[Node]) -> bool:
    """Return whether some nodes depend on others, back edges apart."""
    targets = set(on)
    seen: set[Node] = set()
    waiting = list(starts)
    while waiting:
        node = waiting.pop()
        if node in targets:
            return True
        if node not in seen:
            seen.add(node)
            waiting.extend(sources(node))
    return False
