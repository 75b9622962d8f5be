"""References: what TensorFlow 1's variables are in a graph, and when their value is read.

A reference variable is one tensor to those who write to it and to those who read it, and whoever
reads it after a write sees what was written, even through an Identity. Here it is the handle of a
resource, and every node that comes after a write reads anew.
"""

from __future__ import annotations

from dataclasses import dataclass

from tensorlite.graph.graph import Node, SymbolicTensor


@dataclass(frozen=True)
class Reference:
    """An output that stands for a variable."""

    variable: str
    """The name of the node that made the variable."""
    handle: SymbolicTensor
    value: SymbolicTensor
    """What it is to those who come after no write but those seen."""
    seen: int = 0
    """The writes that the value comes after, one bit each."""


Value = SymbolicTensor | Reference


class Writes:
    """Which writes to variables each node of a graph comes after."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._of: dict[str, int] = {}
        self._before: dict[str, int] = {}

    def before(self, *names: str) -> int:
        """Return the writes that come before any of these nodes, or are one of them."""
        found = 0
        for name in names:
            found |= self._before.get(name, 0)
        return found

    def note(self, name: str, before: int) -> None:
        """Take up a node, and the writes before it."""
        if before:
            self._before[name] = before

    def add(self, name: str, variable: str, node: Node) -> int:
        """Take up a write, and return its bit."""
        bit = 1 << len(self._nodes)
        self._nodes.append(node)
        self._of[variable] = self._of.get(variable, 0) | bit
        self._before[name] = self._before.get(name, 0) | bit
        return bit

    def unseen(self, x: Reference, before: int) -> tuple[Node, ...]:
        """Return the writes to a variable among some, of which its value does not know."""
        return self.to(x, before & ~x.seen)

    def to(self, x: Reference, before: int) -> tuple[Node, ...]:
        """Return the writes to a variable among some."""
        bits = before & self._of.get(x.variable, 0)
        found = []
        while bits:
            lowest = bits & -bits
            found.append(self._nodes[lowest.bit_length() - 1])
            bits ^= lowest
        return tuple(found)
