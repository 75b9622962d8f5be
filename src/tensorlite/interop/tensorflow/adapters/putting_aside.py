"""Staging areas in GraphDefs: each node names its area there, here all have a handle of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.writers.parts import Spelled
from tensorlite.ops.queues.staging import (
    Stage,
    StageClear,
    StageHandleOp,
    StagePeek,
    StageSize,
    Unstage,
)


def _area(given: Given) -> SymbolicTensor:
    """Return the handle of the area that a node names."""
    handle = StageHandleOp(
        tuple([TensorSpec(None, kind) for kind in given.dtypes("dtypes")]),
        given.typed("capacity", int),
        given.typed("memory_limit", int),
        debug_name=given.name,
        container=given.typed("container", str),
        shared_name=given.typed("shared_name", str) or given.name,
    )
    given.check_attributes()
    return given.helper(handle).outputs[0]


def _worked(kind: Callable[[], Op], given: Given) -> Values:
    area = _area(given)
    return given.node(kind(), area, *given.tensors).outputs


def _written(op: Op, node: Node) -> tuple[Spelled, ...] | None:
    """Return what works on an area; None where it is not known which that is."""
    made = node.inputs[0].node.op
    if not isinstance(made, StageHandleOp):
        return None
    area = made.attributes()
    own = {
        "capacity": made.capacity,
        "memory_limit": made.memory_limit,
        "dtypes": tuple([spec.dtype for spec in made.components]),
        "container": area["container"],
        "shared_name": area["shared_name"] or node.inputs[0].node.name,
    }
    return (Spelled(op.name, own, tuple(range(1, len(node.inputs)))),)


STAGING: dict[str, Adapter] = {
    "Stage": partial(_worked, Stage),
    "StageClear": partial(_worked, StageClear),
    "StagePeek": partial(_worked, StagePeek),
    "StageSize": partial(_worked, StageSize),
    "Unstage": partial(_worked, Unstage),
}
"""How staging areas are read."""

STAGED: dict[str, Callable[[Op, Node], tuple[Spelled, ...] | None]] = {
    **dict.fromkeys(STAGING, _written),
    # Areas have no nodes of their own there.
    "StageHandleOp": lambda _, __: (Spelled("NoOp", {}, ()),),
}
"""How they are written."""
