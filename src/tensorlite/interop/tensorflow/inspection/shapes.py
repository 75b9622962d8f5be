"""shapes_told: the shapes of what a node gives in TensorFlow, which may be more than here."""

from __future__ import annotations

from typing import Any

from tensorlite.graph.graph import Node
from tensorlite.interop.tensorflow.definitions import op_def
from tensorlite.ops.state.resource import VarHandleOp

_PLAIN = {"Merge": ((),)}
"""Shapes of the last outputs that operators have only in TensorFlow."""
Shape = tuple[int | None, ...] | None


def shapes_told(node: Node, kind: str) -> list[Shape]:
    """Return the shape of each output that a node has as TensorFlow's operator of a kind.

    Variables that are references have their values' shape, and so has what changes one.
    """
    if isinstance(node.op, VarHandleOp) and node.op.is_reference:
        return [node.op.spec.shape]
    found: list[Shape] = [x.spec.shape for x in node.outputs]
    missing = _outputs(kind) - len(found)
    if missing <= 0:
        return found
    if kind in _PLAIN:
        return [*found, *_PLAIN[kind]]
    changed = _changed(node)
    return found if changed is None else [changed] * missing


def _outputs(kind: str) -> int:
    """Return how many outputs an operator has at least."""
    defined: Any = op_def(kind)
    if defined is None:
        return 0
    return sum(not (x.number_attr or x.type_list_attr) for x in defined.output_arg)


def _changed(node: Node) -> Shape:
    """Return the shape of the variable that a node changes, None for one that changes none."""
    for x in node.inputs[:1]:
        if isinstance(x.node.op, VarHandleOp):
            return x.node.op.spec.shape
    return None
