"""Growth: notices a graph that grows from run to run. What runs it is function/session.py."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tensorlite.core.errors import GraphGrowthWarning
from tensorlite.core.provenance import UNKNOWN, Line

if TYPE_CHECKING:
    from tensorlite.graph.graph import Node

TIMES = 3
"""After how many runs a line must have added nodes before there is a warning."""


class Growth:
    """Which lines of a program added nodes to a graph that had run before."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._size = -1
        self._times: Counter[Line] = Counter()
        self._warned = False

    def forgive(self) -> None:
        """Take what was added since the last run for there from the start."""
        self._size = len(self._nodes)

    def note_run(self) -> None:
        """Take note of a run; the third time that a line added nodes since the last one, warn."""
        size = len(self._nodes)
        if size == self._size:
            return
        before, self._size = self._size, size
        if before < 0 or self._warned:
            return
        for line in {node.line for node in self._nodes[before:size]} - {UNKNOWN}:
            self._times[line] += 1
            if self._times[line] == TIMES and not self._warned:
                self._warned = True
                _warn(line, size - before, size)


def _warn(line: Line, added: int, size: int) -> None:
    text = (
        f"the line {line} adds nodes to a graph between one run and the next, {TIMES} times so "
        f"far; {added} were added since the last run, and there are {size}. Build the graph once, "
        "before the loop, and feed what changes: x = tl.placeholder(...), "
        "session.run(y, {x: value}). graph.finalize() makes an error of this"
    )
    warnings.warn_explicit(text, GraphGrowthWarning, line.file, line.number)
