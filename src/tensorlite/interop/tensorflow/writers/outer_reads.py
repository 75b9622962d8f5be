"""read_outside: what takes variables takes the one reading of each, as in TensorFlow 1.

Here branches and loops read variables themselves, so that they see what they wrote, and so does
what waits for others. Where branches and loops write nothing that is the same, and TensorFlow has
the one reading of a variable in front of them, as it has for what waits.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from tensorlite.core.op import Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.interop.tensorflow.writers.referring import is_reference
from tensorlite.ops.arrays.identity import Identity
from tensorlite.ops.state.resource import ReadVariableOp

_UNASKED = re.compile(r"(.*/)?ReadVariableOp(_\d+)*")
"""The names of readings that no program asked for by `read_value`."""
_BRINGING = (Role.SWITCH, Role.ENTER)


def reads_again(node: Node) -> bool:
    """Return whether a node reads a variable once more, for what waits for others."""
    return _is_unasked(node) and is_reference(node.inputs[0].node)


def read_outside(graph: Graph) -> None:
    """Let what only reads a variable take its one reading, in branches and loops too."""
    users = defaultdict[int, list[Node]](list)
    for node in graph.nodes:
        for x in node.inputs:
            users[id(x)].append(node)
    dropped: set[Node] = set()
    for node in graph.nodes:
        handle = node.inputs[0].node if isinstance(node.op, ReadVariableOp) else node
        if not is_reference(handle) or node.name != f"{handle.name}/read":
            continue
        for user in list(users[id(handle.outputs[0])]):
            if _is_unasked(user):
                dropped.add(user)
                _put(node.outputs[0], user.outputs[0], users[id(user.outputs[0])])
            elif _only_reads(user, handle.outputs[0], users):
                user.inputs = (node.outputs[0], *user.inputs[1:])
                _take(user, node.outputs[0], users, dropped)
    graph.nodes[:] = [node for node in graph.nodes if node not in dropped]
    for node in graph.nodes:
        if not dropped.isdisjoint(node.control):
            node.control = tuple([x for x in node.control if x not in dropped])
    graph.effects = [node for node in graph.effects if node not in dropped]


def _only_reads(
    node: Node, handle: SymbolicTensor, users: dict[int, list[Node]]
) -> bool:
    """Return whether a node brings a handle to where it is read, and to nothing else."""
    waits = [node, *[x.node for x in node.inputs[1:]]]
    if (
        node.op.role not in _BRINGING
        or node.inputs[0] is not handle
        or not all(_is_of_turn(before) for x in waits for before in x.control)
    ):
        return False
    return all(
        _is_unasked(user) or _only_reads(user, x, users)
        for x in node.outputs
        for user in users[id(x)]
    )


def _is_of_turn(node: Node) -> bool:
    """Return whether a node is a loop's variable, which what is inside waits for in every turn."""
    switch = node.inputs[0].node if isinstance(node.op, Identity) else node
    is_switch = switch.op.role is Role.SWITCH
    return is_switch and switch.inputs[1].node.op.role is Role.LOOP_COND


def _is_unasked(node: Node) -> bool:
    is_reading = isinstance(node.op, ReadVariableOp)
    return is_reading and _UNASKED.fullmatch(node.name) is not None


def _take(
    node: Node, read: SymbolicTensor, users: dict[int, list[Node]], dropped: set[Node]
) -> None:
    """Bring in what is read instead of a handle."""
    for x in node.outputs:
        x.respecify(read.spec)
        for user in list(users[id(x)]):
            if _is_unasked(user):
                dropped.add(user)
                _put(x, user.outputs[0], users[id(user.outputs[0])])
                users[id(x)] += users[id(user.outputs[0])]
            else:
                _take(user, read, users, dropped)


def _put(new: SymbolicTensor, old: SymbolicTensor, users: Iterable[Node]) -> None:
    for user in users:
        user.inputs = tuple([new if x is old else x for x in user.inputs])
