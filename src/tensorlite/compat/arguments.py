"""Names of constants: those that a call makes of its arguments bear the names of these.

TensorFlow gives them those of its operators' inputs, which interop/tensorflow/signatures.py knows.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.core.constant import Const
from tensorlite.graph.graph import Graph, Node
from tensorlite.graph_mode.graph import Graph as NamingGraph
from tensorlite.interop.tensorflow.signatures import signature_of

_OTHERS = {"StridedSlice": ("input", "stack", "stack_1", "stack_2")}
"""What inputs are called, of operators whose functions in Python give their constants names."""


def name_constants(graph: Graph, count: int, prefix: str) -> None:
    """Name the constants directly below a name that a call made, as its nodes behind `count`.

    A constant that was given a name keeps it.
    """
    plain = f"{prefix}/Const"
    for node in list(graph.nodes[count:]):
        for place, x in enumerate(node.inputs):
            own = x.node.name
            if own.startswith(plain) and isinstance(x.node.op, Const):
                rest = own[len(plain) :]
                argument = _argument(node, place) if _is_number(rest) else ""
                if argument:
                    _rename(graph, x.node, f"{node.name}/{argument}")


def _is_number(rest: str) -> bool:
    return not rest or (rest[0] == "_" and rest[1:].isdecimal())


def _argument(node: Node, place: int) -> str:
    """Return what TensorFlow calls an input of a node, "" where that is not known."""
    names = _OTHERS.get(node.op.name) or _names(node.op.name, len(node.inputs))
    return names[place] if place < len(names) else ""


def _names(operator: str, number: int) -> Sequence[str]:
    """Return the names of the inputs of an operator that has so many, of lists each with a number."""
    signature = signature_of(operator)
    if signature is None:
        return ()
    lists = sum(1 for one in signature.inputs if one.number)
    single = len(signature.inputs) - lists
    if lists > 1 or (not lists and number != single):
        return ()
    names: list[str] = []
    for one in signature.inputs:
        listed = [f"{one.name}_{i}" for i in range(number - single)]
        names += listed if one.number else [one.name]
    return names


def _rename(graph: Graph, node: Node, name: str) -> None:
    whole = graph.unique_name(name)
    if isinstance(graph, NamingGraph):
        graph.rename(node, whole)
    else:
        node.name = whole
