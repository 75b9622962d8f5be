"""Names of arguments: nodes that a call makes of its arguments bear the names of these.

TensorFlow gives them those of its operators' inputs, which interop/tensorflow/signatures.py knows.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.graph.graph import Graph, Node
from tensorlite.graph_mode.graph import NAMED
from tensorlite.interop.tensorflow.signatures import signature_of
from tensorlite.ops.random.stateful_draws import StatefulDraw

_OTHERS = {"StridedSlice": ("input", "stack", "stack_1", "stack_2")}
"""What inputs are called, of operators whose functions in Python give their constants names."""


_MEMBERS = {"components": "component"}
"""What one of a list of inputs is called, where that is not the name of the list."""


_READ = "ReadVariableOp"
_MADE = ("Const", "Pack", _READ)
"""What arguments become that are no tensors: constants, lists with tensors in them, variables."""


def keep_name(node: Node) -> None:
    """Let a node have the name that it was given."""
    if node.op.name in _MADE:
        node.graph.kept.setdefault(NAMED, set()).add(node)


def is_named(node: Node) -> bool:
    """Return whether what is of an argument was given the name that it bears."""
    return node in node.graph.kept.get(NAMED, ())


def name_arguments(graph: Graph, count: int, prefix: str) -> None:
    """Name what stands for arguments directly below a name, in the nodes behind `count` of a call.

    What was given a name keeps it.
    """
    for node in graph.nodes[: count - len(graph.nodes) - 1 : -1]:
        for place, x in enumerate(node.inputs):
            if _is_unnamed(x.node, prefix) and not is_named(x.node):
                argument = _argument(node, place, prefix)
                if argument:
                    rename(x.node, f"{node.name}/{argument}")


def _is_unnamed(node: Node, prefix: str) -> bool:
    """Return whether an argument has the name of its kind below another, and maybe a number."""
    kind, plain = node.op.name, f"{prefix}/{node.op.name}"
    if kind not in _MADE or not node.name.startswith(plain):
        return False
    rest = node.name[len(plain) :]
    return not rest or (rest[0] == "_" and rest[1:].isdecimal())


def _argument(node: Node, place: int, prefix: str) -> str:
    """Return what TensorFlow calls an input of a node, "" where that is not known.

    Variables are read where they are taken.
    """
    if node.inputs[place].node.op.name == _READ:
        return "" if node.name == prefix else _READ
    # The generator of a draw is inside of TensorFlow's.
    own = int(isinstance(node.op, StatefulDraw))
    names = _OTHERS.get(node.op.name) or operand_names(
        node.op.name, len(node.inputs) - own
    )
    return names[place - own] if own <= place < len(names) + own else ""


def operand_names(operator: str, number: int) -> Sequence[str]:
    """Return the names of the inputs of an operator that has so many."""
    signature = signature_of(operator)
    if signature is None:
        return ()
    lists = sum(1 for one in signature.inputs if one.number)
    single = len(signature.inputs) - lists
    each, rest = divmod(number - single, lists) if lists else (0, number - single)
    if rest or (
        lists > 1 and len({one.number for one in signature.inputs} - {""}) > 1
    ):
        return ()
    names: list[str] = []
    for one in signature.inputs:
        listed = [f"{_MEMBERS.get(one.name, one.name)}_{i}" for i in range(each)]
        names += listed if one.number else [one.name]
    return names


def rename(node: Node, wanted: str) -> None:
    """Give a node a name that no other has, and those of its inputs that stand below it."""
    graph, old = node.graph, node.name
    name = wanted if old.lower() == wanted.lower() else graph.free_name(wanted)
    graph.rename(node, name)
    for x in node.inputs:
        if x.node.name.startswith(f"{old}/"):
            rename(x.node, name + x.node.name[len(old) :])
