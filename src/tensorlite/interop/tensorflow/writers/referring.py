"""Variables as TensorFlow 1 has them: a reference, which reads and writes take as it is.

A handle that asks for it (`is_reference`) is written as one, with all that takes it; unless
something takes it that cannot take references, such as a function. How references are read is in
tensorflow/references.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import numpy as np

from tensorlite.core.dtypes import DType, int32, resource
from tensorlite.core.op import Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.interop.tensorflow.signatures import signature_of
from tensorlite.interop.tensorflow.writers.parts import Spelled
from tensorlite.interop.tensorflow.writers.spelling import spelled
from tensorlite.ops.state.resource import AssignVariableOp, VarHandleOp

_NAMES = {
    "AssignAddVariableOp": "AssignAdd",
    "AssignSubVariableOp": "AssignSub",
    "AssignVariableOp": "Assign",
    "Enter": "RefEnter",
    "ReadVariableOp": "Identity",
    "Switch": "RefSwitch",
    "VarIsInitializedOp": "IsVariableInitialized",
}
"""What takes a reference where its name does not tell; others lose their "Resource"."""
_PASSING = {Role.SWITCH, Role.ENTER}
_SAVING = {"SaveTensors"}


def references(graph: Graph) -> set[Node]:
    """Return the nodes whose outputs are references: variables, and what passes these on."""
    found = {
        node
        for node in graph.nodes
        if is_reference(node)
        or (node.op.role in _PASSING and node.inputs[0].dtype is resource)
    }
    is_less = bool(found)
    while is_less:
        unfit = {node for node in found if not _begins(node, found)}
        for node in graph.nodes:
            held = [x.node for x in node.inputs if x.node in found]
            if held and not _takes(node, found):
                unfit.update(held)
        unfit |= {x.node for x in graph.outputs}
        is_less = not found.isdisjoint(unfit)
        found -= unfit
    return found


def references_of(node: Node) -> set[Node]:
    """Return those of a node and of what it takes that make references."""
    made = [node, *[x.node for x in node.inputs]]
    takes = reference_type(node) is not None
    return {x for x in made if takes and is_reference(x)}


def is_reference(node: Node) -> bool:
    """Return whether a node makes a variable that TensorFlow 1 has a reference of."""
    return isinstance(node.op, VarHandleOp) and node.op.is_reference


def _begins(node: Node, found: set[Node]) -> bool:
    return is_reference(node) or node.inputs[0].node in found


def _takes(node: Node, found: set[Node]) -> bool:
    """Return whether a node can be written as one that takes references, and nothing else."""
    handles = [x.node for x in node.inputs if x.dtype is resource]
    if node.op.role in _PASSING:
        return node in found
    return all(x in found for x in handles) and reference_type(node) is not None


def reference_type(node: Node) -> str | None:
    """Return the operator that a node has where its variables are references, None for none."""
    if is_reference(node):
        return "VariableV2"
    if node.op.name in _NAMES:
        return _NAMES[node.op.name]
    if node.op.name == "ResourceGather":
        return "GatherV2"
    written = spelled(node)
    if written is None:
        return None
    name = _taking(written.parts).op
    known = signature_of(name.replace("Resource", "", 1))
    return known.name if known is not None and known.takes_references else None


def _taking(parts: tuple[Spelled, ...]) -> Spelled:
    """Return the part that takes variables: the last, or that before which reads what it wrote."""
    reads_behind = len(parts) > 1 and parts[-1].op == "ReadVariableOp"
    return parts[0] if reads_behind else parts[-1]


def as_taken(
    node: Node, found: Collection[Node]
) -> Iterator[tuple[int, SymbolicTensor]]:
    """Yield place and tensor of what a node takes: savers take references, and read them."""
    for place, x in enumerate(node.inputs):
        handle = _read_by(x.node) if node.op.name in _SAVING else None
        yield place, x if handle is None or handle.node not in found else handle


def taken_by(node: Node) -> set[Node]:
    """Return the references that a node is of, or takes."""
    inputs = node.inputs if node.op.name in _SAVING else ()
    handles = [_read_by(x.node) for x in inputs]
    saved = {handle.node for handle in handles if handle is not None}
    return references_of(node) | saved


def _read_by(node: Node) -> SymbolicTensor | None:
    """Return the variable that TensorFlow 1 reads by a node: the one that comes with it."""
    if node.op.name != "ReadVariableOp":
        return None
    (handle,) = node.inputs
    is_own = is_reference(handle.node) and node.name == f"{handle.node.name}/read"
    return handle if is_own else None


def type_of(node: Node) -> str:
    """Return what TensorFlow 1 calls the operator of a node: its own name where it has none."""
    if references_of(node):
        return reference_type(node) or node.op.name
    written = spelled(node)
    return node.op.name if written is None else written.parts[-1].op


def spelled_by_reference(node: Node) -> tuple[Spelled, ...]:
    """Return what is written for a node that makes or takes references."""
    name = reference_type(node)
    assert name is not None
    if isinstance(node.op, VarHandleOp):
        return (Spelled(name, _described(node, node.op)),)
    if name == "GatherV2":
        axis = {"value": np.array(0, np.int32), "dtype": int32}
        axis_part = Spelled("Const", axis, (), "axis")
        return axis_part, Spelled(name, {"Taxis": int32}, (0, 1, "axis"))
    if node.op.name in _NAMES:
        given = node.op.attributes()
        if isinstance(node.op, AssignVariableOp):
            validates = is_known(node.inputs[0]) and not node.op.any_shape
            given = {"validate_shape": validates}
        return (Spelled(name, given),)
    written = spelled(node)
    assert written is not None
    last = _taking(written.parts)
    if last is not written.parts[-1]:
        return (Spelled(name, last.attributes, last.inputs),)
    before = written.parts[:-1]
    return *before, Spelled(name, last.attributes, last.inputs, last.name, last.after)


def _described(node: Node, op: VarHandleOp) -> dict[str, object]:
    own = op.shared_name or op.debug_name
    return {
        "dtype": op.spec.dtype,
        "shape": Shape(op.spec.shape),
        "container": op.container,
        "shared_name": "" if own == node.name else own,
    }


def is_known(handle: SymbolicTensor) -> bool:
    """Return whether the shape of a variable's values is known."""
    shape = handle.spec.inner[0].shape
    return shape is not None and None not in shape


def kind_of(x: SymbolicTensor, found: Iterable[Node]) -> DType:
    """Return the dtype that a tensor has: a reference has that of its values."""
    return x.spec.inner[0].dtype if x.node in found else x.dtype
