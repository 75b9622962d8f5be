"""created: one node of a graph, of an operator that is called by TensorFlow's name of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tensorlite.core.dtypes import resource
from tensorlite.core.errors import MissingOperatorError
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.attributes import proto_of_value
from tensorlite.interop.tensorflow.messages import message
from tensorlite.interop.tensorflow.reading import Functions, Reader, check_operators
from tensorlite.interop.tensorflow.records import records_of
from tensorlite.interop.tensorflow.references import Reference
from tensorlite.interop.tensorflow.signatures import signature_of
from tensorlite.interop.tensorflow.writing import solved
from tensorlite.ops.state.resource import ReadVariableOp


def created(
    graph: ManualGraph,
    op: str,
    inputs: Sequence[SymbolicTensor],
    name: str,
    attributes: Mapping[str, Any],
) -> Node:
    """Return a new node of a graph, of an operator of TensorFlow's.

    Attributes are messages or values; those that say dtypes and numbers of inputs may be left out.
    Raises MissingOperatorError for an operator that is not there.

    >>> graph = tl.Graph()
    >>> with graph.as_default():
    ...     x = tl.placeholder(tl.float32, (2, 3))
    >>> created(graph, "MatMul", [x, x], "product", {"transpose_b": True})
    product = MatMul(...)(Placeholder:0, Placeholder:0) -> float32[2, 2]
    """
    signature = signature_of(op)
    if signature is None:
        raise MissingOperatorError(
            f"Op type not registered: {op!r}, which {name} is to be of"
        )
    known = {f"{name}/input_{i}": x for i, x in enumerate(inputs)}
    made = message("NodeDef")(name=name, op=op, input=list(known))
    places = reference_places(op)
    dtypes = [
        _held(x).dtype if i in places else x.dtype for i, x in enumerate(inputs)
    ]
    found = {**solved(signature.inputs, dtypes), **attributes}
    for key, value in found.items():
        is_message = hasattr(value, "WhichOneof")
        made.attr[key].CopyFrom(value if is_message else proto_of_value(value))
    check_operators([made])
    reader = Reader(graph, Functions([]), "", "create_op")
    for i, (key, x) in enumerate(known.items()):
        is_reference = i in places and x.dtype is resource
        reader.replace({key: _reference(graph, x) if is_reference else x})
    reader.add(records_of([made], known))
    return reader.node(name)


def reference_places(op: str) -> set[int]:
    """Return which inputs are variables themselves and not their values, if that is certain."""
    signature = signature_of(op)
    if signature is None or any(one.number for one in signature.inputs):
        return set()
    return {i for i, one in enumerate(signature.inputs) if one.is_reference}


def _reference(graph: ManualGraph, x: SymbolicTensor) -> Reference:
    """Return a variable, given its handle, as what changes it takes it."""
    handle = x.node.outputs[x.index]
    reads = (y for y in graph.nodes if isinstance(y.op, ReadVariableOp))
    idle = (y for y in reads if y.inputs[0] is handle and not y.control)
    read = next(idle, None) or graph.add(ReadVariableOp(), (handle,))
    return Reference(handle.node.name, handle, read.outputs[0])


def _held(x: SymbolicTensor) -> TensorSpec:
    """Return what a variable holds, given its handle; of other tensors what they are."""
    return x.spec.inner[0] if x.dtype is resource and x.spec.inner else x.spec
