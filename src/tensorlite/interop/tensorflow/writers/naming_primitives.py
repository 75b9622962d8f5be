"""give_names: names of TensorFlow 1 for the primitives that branches and loops are written as.

What brings a tensor in from outside is named by who asks for it first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from tensorlite.core.op import Role
from tensorlite.graph.graph import Graph, Node
from tensorlite.ops.arrays.identity import Identity

OWN = re.compile(r"(.*/)?(While|If)(_\d+)?")
"""The names that branches and loops have by themselves, which TensorFlow 1 knows nothing of."""


def give_names(graph: Graph, made: Graph, kept: dict[Node, str]) -> None:
    """Let nodes be called as TensorFlow 1 calls what is in its branches and loops."""
    taken = {node.name for node in graph.nodes if not OWN.fullmatch(node.name)}
    taken |= set(kept.values())
    titles = _titles(made)
    late = {node for node in made.nodes if node not in kept and _brings(node)}
    begun = _begun_by(made)
    chains = list(_brought_for(made, late.copy()))
    first = {x: user for user, chain in reversed(chains) for x in chain}
    for node in made.nodes:
        for x in begun.get(node, ()):
            own = [y for y in _chain(x, late) if first[y].op.role is Role.ENTER]
            _name_brought(own, node, late, taken)
        if node in kept:
            node.name = kept[node]
        elif node not in late:
            node.name = _free(_outside(node, titles.get(node, node.op.name)), taken)
    gates = {node.inputs[0].node: node for node in made.nodes if is_gate(node)}
    for user, chain in chains:
        asking = gates.get(user, user)
        _name_brought([x for x in chain if x in late], asking, late, taken)


def _name_brought(
    nodes: Sequence[Node], user: Node, late: set[Node], taken: set[str]
) -> None:
    """Name what brings something in one after the other: below its user, where it has a name."""
    is_end = user.op.role is Role.MERGE
    for node in nodes:
        late.discard(node)
        title, wanted = node.op.name, f"{user.name}/{node.op.name}"
        if user.op.role is Role.ENTER:
            wanted = _outside(user, title)
        elif is_end:
            wanted = _outside(nodes[-1], title)
        node.name = _free(wanted, taken)


def _begun_by(graph: Graph) -> dict[Node, list[Node]]:
    """Return what the variables of each loop begin with, by the first of their Enters."""
    found: dict[Node, list[Node]] = {}
    first: dict[object, Node] = {}
    for node in graph.nodes:
        if node.op.role is Role.ENTER and not _brings(node):
            frame = node.op.attributes()["frame_name"]
            found.setdefault(first.setdefault(frame, node), []).append(
                node.inputs[0].node
            )
    return found


def _brought_for(
    graph: Graph, brought: set[Node]
) -> Iterator[tuple[Node, list[Node]]]:
    """Yield who asks for what is brought in, and the nodes that do it, as TensorFlow 1 makes them.

    What comes from further outside is brought in first; results of the side that is taken if the
    condition holds come before the nodes of the other.
    """
    ends = defaultdict[str, list[Node]](list)
    for node in graph.nodes:
        ends[_branch_ended(node)].append(node)
    for node in graph.nodes:
        if node in brought:
            continue
        asking = [(node, x) for x in node.inputs]
        if _begins_other(node):
            asking += [
                (end, end.inputs[1]) for end in ends[node.name.rpartition("/")[0]]
            ]
        for user, x in asking:
            if x.node in brought:
                yield user, _chain(x.node, brought)


def _begins_other(node: Node) -> bool:
    """Return whether a node says that a condition does not hold; the nodes of that side follow."""
    return is_side(node) and node.inputs[0].index == 0


def _branch_ended(node: Node) -> str:
    """Return the name of the branch whose result a Merge gives, "" for any other node."""
    is_loops = node.op.role is Role.MERGE and node.inputs[1].node.op.role is Role.NEXT
    is_end = node.op.role is Role.MERGE and not is_loops
    return node.name.rpartition("/")[0] if is_end else ""


def _chain(node: Node, brought: set[Node]) -> list[Node]:
    """Return the nodes that bring something in one after the other, the outermost first."""
    found: list[Node] = []
    while node in brought:
        found.insert(0, node)
        node = node.inputs[0].node
    return found


def _free(wanted: str, taken: set[str]) -> str:
    """Return a name with a number behind it that none has, which is taken from now on."""
    name, numbered = wanted, _NUMBERED.fullmatch(wanted)
    whole, count = (
        (wanted, 0) if numbered is None else (numbered[1], int(numbered[2]))
    )
    while name in taken:
        count += 1
        name = f"{whole}_{count}"
    taken.add(name)
    return name


_NUMBERED = re.compile(r"(.+)_(\d{1,9})")


def _brings(node: Node) -> bool:
    """Return whether a node brings into a branch or loop what stands outside: its user names it."""
    if node.op.role is Role.ENTER:
        return bool(node.op.attributes()["is_constant"])
    is_loops = (
        node.op.role is Role.SWITCH and node.inputs[1].node.op.role is Role.LOOP_COND
    )
    return node.op.role is Role.SWITCH and not is_gate(node) and not is_loops


_LOWERED = re.compile(r"(.*/)?(While|If|Exit|Merge)(_\d+)?/\w+")


def _outside(node: Node, title: str) -> str:
    """Return the name of a primitive in the scope that its branch or loop is in."""
    found = _LOWERED.fullmatch(node.name)
    is_new = found is not None and node.op.name in _PRIMITIVES
    return f"{found[1] or ''}{title}" if found and is_new else node.name


_PRIMITIVES = {"Identity", "Switch", "Merge", "LoopCond", "Enter", "Exit"} | {
    "NextIteration"
}


def _titles(graph: Graph) -> dict[Node, str]:
    """Return what TensorFlow 1 calls a predicate, and what is there if a side is taken."""
    found: dict[Node, str] = {}
    for node in graph.nodes:
        gate = node.inputs[0].node if node.inputs else node
        if is_gate(node):
            found[node] = "Switch"
            found.setdefault(gate, "pred_id")
        elif is_gate(gate) and isinstance(node.op, Identity):
            found[node] = "switch_t" if node.inputs[0].index else "switch_f"
    return found


def is_gate(node: Node) -> bool:
    """Return whether a Switch says which side is taken."""
    return node.op.role is Role.SWITCH and node.inputs[0] is node.inputs[1]


def is_side(node: Node) -> bool:
    """Return whether a node says that one side of a branch is taken."""
    return isinstance(node.op, Identity) and is_gate(node.inputs[0].node)
