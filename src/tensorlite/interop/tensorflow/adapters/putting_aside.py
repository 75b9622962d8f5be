"""Staging areas in GraphDefs: each node names its area there, here all have a handle of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.writers.parts import Spelled
from tensorlite.ops.queues.map_staging import (
    MapClear,
    MapIncompleteSize,
    MapPeek,
    MapSize,
    MapStage,
    MapStageHandleOp,
    MapUnstage,
    MapUnstageNoKey,
)
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


def _area_by_key(given: Given) -> SymbolicTensor:
    """Return the handle of the area of elements by key that a node names."""
    handle = MapStageHandleOp(
        given.typed("capacity", int),
        given.typed("memory_limit", int),
        given.record.op.startswith("Ordered"),
        debug_name=given.name,
        container=given.typed("container", str),
        shared_name=given.typed("shared_name", str) or given.name,
    )
    return given.helper(handle).outputs[0]


def _changed_by_key(kind: Callable[[], Op], given: Given) -> Values:
    given.dtypes("dtypes")
    area = _area_by_key(given)
    given.check_attributes()
    return given.node(kind(), area, *given.tensors).outputs


def _put_by_key(given: Given) -> Values:
    given.dtypes("fake_dtypes")
    area, kinds = _area_by_key(given), given.dtypes("dtypes")
    given.check_attributes()
    return given.node(MapStage(kinds), area, *given.tensors).outputs


def _got_by_key(
    kind: type[MapUnstage | MapPeek | MapUnstageNoKey], given: Given
) -> Values:
    """Get components of an element; where fewer are asked for, the dtypes may be those of all."""
    area, kinds = _area_by_key(given), given.dtypes("dtypes")
    given.check_attributes()
    places = given.tensors[-1].spec.constant()
    if places is not None and len(places) < len(kinds):
        kinds = tuple([kinds[i] for i in places if i < len(kinds)])
    return given.node(kind(kinds), area, *given.tensors).outputs


def _written_by_key(op: Op, node: Node) -> tuple[Spelled, ...] | None:
    """Return what works on an area of elements by key; None where it is not known which it is."""
    made = node.inputs[0].node.op
    if not isinstance(made, MapStageHandleOp):
        return None
    own = _own(made, node) | {"dtypes": ()} | op.attributes()
    if op.name == "MapStage":
        own["fake_dtypes"] = tuple([x.dtype for x in node.inputs[3:]])
    name = f"Ordered{op.name}" if made.ordered else op.name
    return (Spelled(name, own, tuple(range(1, len(node.inputs)))),)


def _written(op: Op, node: Node) -> tuple[Spelled, ...] | None:
    """Return what works on an area; None where it is not known which that is."""
    made = node.inputs[0].node.op
    if not isinstance(made, StageHandleOp):
        return None
    kinds = {"dtypes": tuple([spec.dtype for spec in made.components])}
    inputs = tuple(range(1, len(node.inputs)))
    return (Spelled(op.name, _own(made, node) | kinds, inputs),)


def _own(made: StageHandleOp | MapStageHandleOp, node: Node) -> dict[str, Any]:
    """Return the attributes by which TensorFlow's operators name an area."""
    return {
        "capacity": made.capacity,
        "memory_limit": made.memory_limit,
        "container": made.container,
        "shared_name": made.shared_name or node.inputs[0].node.name,
    }


STAGING: dict[str, Adapter] = {
    "Stage": partial(_worked, Stage),
    "StageClear": partial(_worked, StageClear),
    "StagePeek": partial(_worked, StagePeek),
    "StageSize": partial(_worked, StageSize),
    "Unstage": partial(_worked, Unstage),
}
"""How staging areas are read."""
_BY_KEY: dict[str, Adapter] = {
    "MapClear": partial(_changed_by_key, MapClear),
    "MapIncompleteSize": partial(_changed_by_key, MapIncompleteSize),
    "MapPeek": partial(_got_by_key, MapPeek),
    "MapSize": partial(_changed_by_key, MapSize),
    "MapStage": _put_by_key,
    "MapUnstage": partial(_got_by_key, MapUnstage),
    "MapUnstageNoKey": partial(_got_by_key, MapUnstageNoKey),
}

STAGED: dict[str, Callable[[Op, Node], tuple[Spelled, ...] | None]] = {
    **dict.fromkeys(STAGING, _written),
    **dict.fromkeys(_BY_KEY, _written_by_key),
    # Areas have no nodes of their own there.
    "MapStageHandleOp": lambda _, __: (Spelled("NoOp", {}, ()),),
    "StageHandleOp": lambda _, __: (Spelled("NoOp", {}, ()),),
}
"""How they are written."""

STAGING |= {
    f"{start}{name}": adapter
    for name, adapter in _BY_KEY.items()
    for start in ("", "Ordered")
}
