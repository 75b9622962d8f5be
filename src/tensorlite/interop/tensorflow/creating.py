"""created: one node of a graph, of an operator that is called by TensorFlow's name of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tensorlite.core.errors import MissingOperatorError
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.attributes import proto_of_value
from tensorlite.interop.tensorflow.messages import message
from tensorlite.interop.tensorflow.reading import Functions, Reader, check_operators
from tensorlite.interop.tensorflow.records import records_of
from tensorlite.interop.tensorflow.signatures import signature_of
from tensorlite.interop.tensorflow.writing import solved


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
    found = {**solved(signature.inputs, [x.dtype for x in inputs]), **attributes}
    for key, value in found.items():
        is_message = hasattr(value, "WhichOneof")
        made.attr[key].CopyFrom(value if is_message else proto_of_value(value))
    check_operators([made])
    reader = Reader(graph, Functions([]), "", "create_op")
    reader.replace(known)
    reader.add(records_of([made], known))
    return reader.node(name)
