"""BackEdges: what Merges take from the turn before, which is made after them.

Until it is there, a Merge is given its first input twice, so that shapes are those of the first
turn. Where nodes behind it do not take those, nothing is said of its shape. reading.py has the
order in which nodes are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tensorlite.core.errors import GraphDefError, TensorliteError, TooLargeError
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.interop.tensorflow.records import Source

WAVES = 100
"""How often the shapes of what loops hand on may change while they are read."""
FAILURES = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError),
    *(MemoryError, RecursionError, TypeError, ValueError),
)
"""What inference says of inputs and attributes that nobody thought of."""


@dataclass
class BackEdges:
    """The back edges of a graph that is being read."""

    graph: Graph
    _waiting: list[tuple[Node, int, Source]] = field(default_factory=list)
    _is_loose: set[Node] = field(default_factory=set)

    def add(self, merge: Node, place: int, source: Source) -> None:
        """Note that an input of a Merge is still to come."""
        self._waiting.append((merge, place, source))

    def loosen(self) -> bool:
        """Forget the shapes that Merges have of their first turns; False if there are none."""
        merges = {x for x, _, _ in self._waiting} - self._is_loose
        self._is_loose |= merges
        values = [merge.outputs[0] for merge in merges]
        for x in values:
            spec = x.spec
            x.respecify(TensorSpec(None, spec.dtype, spec.name, spec.inner))
        self._settle({id(x) for x in values}, self._is_loose)
        return bool(merges)

    def close(self, found: Callable[[Source], SymbolicTensor]) -> None:
        """Give Merges what comes from the turn before, and infer what that changes."""
        for merge, place, source in self._waiting:
            inputs = list(merge.inputs)
            inputs[place] = found(source)
            merge.inputs = tuple(inputs)
        merges = [merge for merge, _, _ in self._waiting]
        self._settle({key for merge in merges for key in _inferred(merge)})

    def _settle(self, changed: set[int], but: Iterable[Node] = ()) -> None:
        """Infer anew the nodes that use tensors of some ids, those that use theirs, and so on."""
        nodes = [node for node in self.graph.nodes if node not in set(but)]
        for _ in range(WAVES):
            seen, changed = changed, set()
            if not seen:
                return
            for node in nodes:
                if any(id(x) in seen or id(x) in changed for x in node.inputs):
                    changed.update(_inferred(node))
        raise TooLargeError("the shapes of what loops hand on never settle")


def _inferred(node: Node) -> set[int]:
    try:
        return node.infer_again()
    except (TensorliteError, *FAILURES) as error:
        raise GraphDefError(
            f"{node.name} does not take what comes from the turn before: {error}"
        ) from error
