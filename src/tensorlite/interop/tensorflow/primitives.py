"""as_primitives: a graph whose branches and loops are TensorFlow 1's: Switch, Merge, Enter, Exit.

The gradients that TensorFlow 1 takes ask for more than that it runs: a Switch is of one branch, and
that of a loop's variable is used once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from tensorlite.core.dtypes import resource
from tensorlite.core.op import Effect, Op, Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.arraying import Lone, as_arrays
from tensorlite.ops.identity import Identity, IdentityN
from tensorlite.passes.lower import Tensors, put_lowered
from tensorlite.passes.rewrite import Copy


def as_primitives(graph: ManualGraph) -> ManualGraph:
    """Return a graph in which nothing branches or loops by inner graphs; functions stay.

    What it does not change keeps its name. A graph that takes tensors from outside stays as it is.

    >>> graph = tl.Graph()
    >>> with graph.as_default():
    ...     x = tl.placeholder(tl.float32, ())
    ...     y = tl.cond(x > 0.0, lambda: x, lambda: -x)
    >>> sorted({node.op.name for node in as_primitives(graph).nodes} & {"If", "Switch", "Merge"})
    ['Merge', 'Switch']
    """
    graph = as_arrays(graph)
    if not any(node.op.role in (Role.IF, Role.WHILE) for node in graph.nodes):
        return graph
    if graph.captured:
        return graph
    made = Lone(graph.name)
    copy = Copy(made)
    for node in graph.nodes:
        if node.op.role is Role.INPUT:
            copy.node(node)
    put_lowered(graph, copy)
    kept = _kept_names(graph, copy)
    copy.finish(graph)
    _pass_names(made, kept)
    _drop(made, set(kept))
    _part_switches(made)
    _give_names(graph, made, kept)
    _ask_directly(made)
    return made


def _kept_names(graph: Graph, copy: Copy) -> dict[Node, str]:
    """Return the copies that have the names of their originals, with these."""
    kept: dict[Node, str] = {}
    for node in graph.nodes:
        made = copy.nodes[node]
        if len(made) == 1 and made[0].op is node.op:
            kept[made[0]] = node.name
        elif node.op.role in (Role.IF, Role.WHILE) and node.outputs:
            result = _results(node, copy)
            if result is not None:
                kept[result] = node.name
    return kept


def _pass_names(graph: Graph, kept: dict[Node, str]) -> None:
    """Let what ends a branch or loop have the name of what only passed its result on."""
    instead: dict[Node, Node] = {}
    for node in list(kept):
        if not isinstance(node.op, Identity):
            continue
        ends = node.inputs[0].node
        is_unnamed = ends not in kept or _OWN.fullmatch(kept[ends]) is not None
        is_end = ends.op.role in (Role.MERGE, Role.EXIT) and is_unnamed
        if is_end and not node.control and _END.fullmatch(node.name):
            kept[ends] = kept.pop(node)
            instead[node] = ends
    graph.nodes[:] = [node for node in graph.nodes if node not in instead]
    for node in graph.nodes:
        node.inputs = tuple(
            [x.node.inputs[0] if x.node in instead else x for x in node.inputs]
        )
        node.control = tuple([instead.get(one, one) for one in node.control])
    graph.outputs = [
        x.node.inputs[0] if x.node in instead else x for x in graph.outputs
    ]
    graph.effects = [instead.get(one, one) for one in graph.effects]


_END = re.compile(r"(.*/)?(Exit|Merge)(_\d+)?")
_OWN = re.compile(r"(.*/)?(While|If)(_\d+)?")
"""The names that branches and loops have by themselves, which TensorFlow 1 knows nothing of."""


def _ask_directly(graph: Graph) -> None:
    """Let what says which branch is taken ask the condition itself, as TensorFlow 1's does."""
    for node in graph.nodes:
        asked = node.inputs[0].node if node.inputs else node
        if _is_gate(node) and asked.op.role is not Role.LOOP_COND:
            node.inputs = (asked.inputs[0], asked.inputs[0])


def _give_names(graph: Graph, made: Graph, kept: dict[Node, str]) -> None:
    """Let nodes be called as TensorFlow 1 calls what is in its branches and loops."""
    taken = {node.name for node in graph.nodes if not _OWN.fullmatch(node.name)}
    titles = _titles(made)
    brought = [node for node in made.nodes if node not in kept and _brings(node)]
    late = set(brought)
    for node in made.nodes:
        if node in kept:
            node.name = kept[node]
        elif node not in late:
            node.name = _free(_outside(node, titles.get(node, node.op.name)), taken)
    for user in made.nodes:
        for x in user.inputs:
            if x.node in late:
                late.discard(x.node)
                is_end = user.op.role in (Role.MERGE, Role.NEXT)
                title = x.node.op.name
                below = f"{user.name}/{title}"
                wanted = _outside(x.node, title) if is_end else below
                x.node.name = _free(wanted, taken)


def _free(wanted: str, taken: set[str]) -> str:
    """Return a name with a number behind it that none has, which is taken from now on."""
    name, count = wanted, 0
    while name in taken:
        count += 1
        name = f"{wanted}_{count}"
    taken.add(name)
    return name


def _brings(node: Node) -> bool:
    """Return whether a node brings into a branch or loop what stands outside: its user names it."""
    if node.op.role is Role.ENTER:
        return bool(node.op.attributes()["is_constant"])
    is_loops = (
        node.op.role is Role.SWITCH and node.inputs[1].node.op.role is Role.LOOP_COND
    )
    return node.op.role is Role.SWITCH and not _is_gate(node) and not is_loops


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
        if _is_gate(node):
            is_loop = node.inputs[1].node.op.role is Role.LOOP_COND
            found[node] = "pivot/Switch" if is_loop else "Switch"
            found.setdefault(gate, "LoopCond" if is_loop else "pred_id")
        elif _is_gate(gate) and isinstance(node.op, Identity):
            side = "switch_t" if node.inputs[0].index else "switch_f"
            found[node] = "pivot/Identity" if "pivot" in found[gate] else side
    return found


def _is_gate(node: Node) -> bool:
    """Return whether a Switch says which side is taken."""
    return node.op.role is Role.SWITCH and node.inputs[0] is node.inputs[1]


def _results(node: Node, copy: Copy) -> Node | None:
    """Return what has the outputs of a branch or loop, and so can have its name.

    What holds tensors for a step is not among the results of a program.
    """
    results = [copy.tensors[id(x)] for x in node.outputs]
    if len(results) == 1 and results[0].node.op.role in (Role.MERGE, Role.EXIT):
        return results[0].node
    if any(x.dtype is resource for x in results):
        return None
    op = Identity() if len(results) == 1 else IdentityN()
    return copy.target.add(op, results, device=node.device, line=node.line)


def _drop(graph: Graph, kept: set[Node]) -> None:
    """Leave out what is for nothing of what is new, but for what says that a branch is taken."""
    used = set(graph.effects) | {x.node for x in graph.outputs}
    left: list[Node] = []
    for node in reversed(graph.nodes):
        is_free = node.op.effect is Effect.NONE and node.op.role in _DROPPED
        if node in kept or node in used or not is_free or _is_pivot(node):
            left.append(node)
            used.update([x.node for x in node.inputs], node.control)
    graph.nodes[:] = left[::-1]


_DROPPED = {Role.PLAIN, Role.MERGE}


def _is_pivot(node: Node) -> bool:
    sources = [x.node for x in node.inputs]
    switches = [x for x in sources if x.op.role is Role.SWITCH]
    return any(map(_is_gate, switches))


def _part_switches(graph: Graph) -> None:
    """Let each branch have Switches of its own, and bodies of loops take variables but once."""
    users = defaultdict[int, list[Node]](list)
    for node in graph.nodes:
        for x in node.inputs:
            users[id(x)].append(node)
    ordered: list[Node] = []
    for node in list(graph.nodes):
        ordered.append(node)
        if node.op.role is not Role.SWITCH or _is_gate(node):
            continue
        no, yes = node.outputs
        if node.inputs[1].node.op.role is Role.LOOP_COND:
            ordered.append(_beside(node, Identity(), (yes,)))
            _use(users[id(yes)], yes, ordered[-1].outputs[0])
        elif users[id(no)] and users[id(yes)]:
            ordered.append(_beside(node, node.op, node.inputs, node.control))
            _use(users[id(no)], no, ordered[-1].outputs[0])
    graph.nodes[:] = ordered


def _beside(
    node: Node, op: Op, inputs: Tensors, control: tuple[Node, ...] = ()
) -> Node:
    """Return a node that stands where another does."""
    return node.graph.add(
        op,
        inputs,
        device=node.device,
        group=node.group,
        control=control,
        name=node.name,
        line=node.line,
    )


def _use(users: Sequence[Node], old: SymbolicTensor, new: SymbolicTensor) -> None:
    for user in users:
        user.inputs = tuple([new if x is old else x for x in user.inputs])
