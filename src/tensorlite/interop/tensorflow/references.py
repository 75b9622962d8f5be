"""References: what TensorFlow 1's variables are in a graph, and when their value is read.

A reference variable is one tensor to those who write to it and to those who read it, and whoever
reads it after a write sees what was written, even through an Identity. Here it is the handle of a
resource, and every node that comes after a write reads anew.
"""

from __future__ import annotations

from collections.abc import Sequence
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
Sources = Sequence[tuple[Node, int]]
"""What a node uses or waits for, each with the writes that it comes after."""


class Writes:
    """Which writes to variables each node of a graph comes after."""

    def __init__(self) -> None:
        self._count = 0
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

    def add(self, name: str, variable: str) -> int:
        """Take up a write, and return its bit."""
        bit = 1 << self._count
        self._count += 1
        self._of[variable] = self._of.get(variable, 0) | bit
        self._before[name] = self._before.get(name, 0) | bit
        return bit

    def unseen(self, x: Reference, sources: Sources) -> tuple[Node, ...]:
        """Return those of the sources that come after a write which a variable's value lacks."""
        return self.behind(x, [(node, before & ~x.seen) for node, before in sources])

    def behind(self, x: Reference, sources: Sources) -> tuple[Node, ...]:
        """Return those of the sources that come after a write to a variable.

        To wait for them is to wait for the write, and for it only where it is done: it may be on a
        side of a conditional that is not taken, or in a loop.
        """
        own = self._of.get(x.variable, 0)
        return tuple(
            dict.fromkeys([node for node, before in sources if before & own])
        )
