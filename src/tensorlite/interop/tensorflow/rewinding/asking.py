"""gradients_of_primitives: gradients in a graph that has its branches and loops as primitives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tensorlite.core.dispatch import constant
from tensorlite.core.errors import SecondGradientError
from tensorlite.core.op import Gradient, Role
from tensorlite.core.operand import Operand
from tensorlite.core.scope import scope
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.tape import source_of
from tensorlite.graph_mode.graph import active_graph, inner_graph
from tensorlite.interop.tensorflow.rewinding.surroundings import NotRewoundError
from tensorlite.interop.tensorflow.rewinding.sweeping import Rewinding
from tensorlite.ops.control.raising import passes_primitives
from tensorlite.ops.control.step_stacks import StackPopV2
from tensorlite.ops.ragged.base import RaggedParts


def gradients_of_primitives(
    targets: Sequence[Any],
    flows: Sequence[Gradient] | None,
    sources: Sequence[Any],
    stops: Sequence[Any],
) -> list[Gradient] | None:
    """Return the gradients of targets by sources, as nodes of TensorFlow 1 in the graph at hand.

    None where its branches and loops are regions, or are not one inside of another.
    """
    graph = active_graph()
    if graph is None or flows is None or inner_graph(graph) is not graph:
        return None
    ends, starts, fixed = [_own(xs) for xs in (targets, sources, stops)]
    given = [x for x in flows if isinstance(x, Operand)]
    if None in (*ends, *starts, *fixed, *_own(given)):
        return None
    if not passes_primitives([x for x in ends if x is not None]) or any(
        node.op.role in (Role.IF, Role.WHILE) for node in graph.nodes
    ):
        return None
    if _goes_back(x for x in ends if x is not None):
        raise SecondGradientError(
            "Second-order gradient for while loops not supported where these are primitives, as "
            "graphs that were imported have them; build the loop with tf.while_loop"
        )
    try:
        with graph.undoing():
            rewinding = Rewinding(graph, scope.get().name)
            return rewinding.gradients(
                [x for x in ends if x is not None],
                [_flow(*pair) for pair in zip(flows, ends, strict=True)],
                [x for x in starts if x is not None],
                [x for x in fixed if x is not None],
            )
    except NotRewoundError:
        return None


def _flow(x: Any, end: SymbolicTensor | None) -> SymbolicTensor | None:
    """Return what flows into a target; numbers are of its dtype."""
    if x is None or end is None:
        return None
    return _own([x if isinstance(x, Operand) else constant(x, end.dtype)])[0]


def _own(xs: Sequence[Any]) -> list[SymbolicTensor | None]:
    """Return tensors as their nodes have them, None for what is of no graph, or is several."""
    held = [None if isinstance(x, RaggedParts) else source_of(x) for x in xs]
    return [
        x.node.outputs[x.index] if isinstance(x, SymbolicTensor) else None
        for x in held
    ]


def _goes_back(ends: Iterable[SymbolicTensor]) -> bool:
    """Return whether tensors hang on what a loop's turns had put aside for going back."""
    seen: set[Node] = set()
    waiting = [x.node for x in ends]
    while waiting:
        node = waiting.pop()
        if isinstance(node.op, StackPopV2):
            return True
        if node not in seen:
            seen.add(node)
            waiting.extend([x.node for x in node.inputs])
    return False
