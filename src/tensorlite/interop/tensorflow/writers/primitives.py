"""as_primitives: a graph whose branches and loops are TensorFlow 1's: Switch, Merge, Enter, Exit.

The gradients that TensorFlow 1 takes ask for more than that it runs: a Switch is of one branch, and
that of a loop's variable is used once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.dtypes import resource, variant
from tensorlite.core.op import Effect, Op, Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.graph_mode.graph import Graph as BuiltGraph
from tensorlite.interop.tensorflow.rewinding.rebuilding import has_flow, rebuilt
from tensorlite.interop.tensorflow.rewinding.surroundings import (
    CLOSED,
    NotRewoundError,
)
from tensorlite.interop.tensorflow.writers.arraying import Lone, as_arrays
from tensorlite.interop.tensorflow.writers.asserting import is_guarded, put_guards
from tensorlite.interop.tensorflow.writers.guarded_firsts import guard_firsts
from tensorlite.interop.tensorflow.writers.inner_constants import (
    keep_in_turns,
    moved,
)
from tensorlite.interop.tensorflow.writers.naming_primitives import (
    OWN,
    give_names,
    is_gate,
    is_side,
)
from tensorlite.interop.tensorflow.writers.outer_reads import (
    read_outside,
    reads_again,
)
from tensorlite.ops.arrays.identity import Identity, IdentityN
from tensorlite.ops.control.dataflow import Reached
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
    if isinstance(graph, BuiltGraph) and has_flow(graph):
        with suppress(NotRewoundError):
            return rebuilt(graph, _primitives)
    return _primitives(graph)


def _primitives(graph: ManualGraph) -> ManualGraph:
    is_called = graph.as_called
    graph = as_arrays(graph)
    if not any(_is_changed(node, is_called) for node in graph.nodes):
        return graph
    if graph.captured:
        return graph
    made = Lone(graph.name)
    copy = Copy(made)
    for node in graph.nodes:
        if node.op.role is Role.INPUT:
            copy.node(node)
    made.kept[CLOSED] = put_lowered(graph, copy, all_enter=is_called)
    kept = _kept_names(graph, copy, is_called)
    copy.finish(graph)
    _pass_names(made, kept)
    _reach(made)
    asked = [node for node in made.nodes if is_called and _is_asked(node)]
    _drop(made, {*kept, *asked})
    _part_switches(made)
    _wait_for_variables(made)
    _bring_directly(made)
    read_outside(made)
    give_names(graph, made, kept)
    keep_in_turns(made)
    _ask_within(made)
    _ask_directly([node for node in made.nodes if node not in kept])
    if is_called:
        guard_firsts(made)
        put_guards(made)
    return made


def _is_asked(node: Node) -> bool:
    """Return whether a node stands for one that a program called, for nothing though it be."""
    if node.op.role is Role.MERGE:
        return not any(
            _passes_side(x.node) or x.dtype is variant for x in node.inputs
        )
    is_made = isinstance(node.op, Identity) and (
        node.control or node.inputs[0].node.op.role is not Role.PLAIN
    )
    return node.op.role is Role.PLAIN and not is_made and not _passes_side(node)


def _passes_side(node: Node) -> bool:
    """Return whether a node says that one side of a branch is taken, or that it has run."""
    before = node.inputs[0].node if isinstance(node.op, Identity) else node
    return is_side(node) or is_side(before)


def _is_changed(node: Node, is_called: bool) -> bool:
    """Return whether a node is another one among primitives, or none."""
    is_flow = node.op.role in (Role.IF, Role.WHILE)
    return is_flow or (is_called and (is_guarded(node) or reads_again(node)))


def _kept_names(graph: Graph, copy: Copy, is_called: bool) -> dict[Node, str]:
    """Return the copies that have the names of their originals, with these.

    Results of branches and loops have TensorFlow's own in graphs of what programs called, but for
    those that nothing takes: by their names programs may ask for them.
    """
    kept: dict[Node, str] = {}
    taken = {x.node for node in graph.nodes for x in node.inputs}
    for node in graph.nodes:
        made = copy.nodes[node]
        if len(made) == 1 and made[0].op is node.op:
            kept[made[0]] = node.name
        elif node.outputs and _is_named(node, is_called and node in taken):
            result = _results(node, copy)
            if result is not None:
                kept[result] = node.name
    return kept


def _is_named(node: Node, is_inner: bool) -> bool:
    """Return whether a branch or loop has a name by which programs know its results."""
    is_region = node.op.role in (Role.IF, Role.WHILE)
    return is_region and not (is_inner and OWN.fullmatch(node.name))


def _pass_names(graph: Graph, kept: dict[Node, str]) -> None:
    """Let what ends a branch or loop have the name of what only passed its result on."""
    instead: dict[Node, Node] = {}
    for node in list(kept):
        if not isinstance(node.op, Identity):
            continue
        ends = node.inputs[0].node
        is_end = ends.op.role in (Role.MERGE, Role.EXIT) and ends not in kept
        if is_end and not node.control and _END.fullmatch(node.name):
            kept[ends] = kept.pop(node)
            instead[node] = ends
    _stand_for(graph, instead)


def _stand_for(graph: Graph, instead: Mapping[Node, Node]) -> None:
    """Leave out nodes that pass on what others give, which stand for them."""
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


def _reach(graph: Graph) -> None:
    """Let what says that a branch is taken be what its nodes wait for; else it is a constant."""
    instead: dict[Node, SymbolicTensor] = {}
    for node in graph.nodes:
        if isinstance(node.op, Reached):
            sides = [x for x in node.control if is_side(x)]
            if sides:
                instead[node] = sides[0].outputs[0]
            else:
                node.op = Const(np.asarray(node.op.holds))
    graph.nodes[:] = [node for node in graph.nodes if node not in instead]
    for node in graph.nodes:
        node.inputs = tuple([instead.get(x.node, x) for x in node.inputs])


_END = re.compile(r"(.*/)?(Exit|Merge)(_\d+)?")


def _ask_within(graph: Graph) -> None:
    """Let constants that are results of a branch or of a turn wait for it themselves."""
    users = defaultdict[Node, list[Node]](list)
    for node in graph.nodes:
        for x in node.inputs:
            users[x.node].append(node)
    passing = {
        node
        for node in graph.nodes
        if isinstance(node.op, Identity)
        and _is_fixed(node.inputs[0].node)
        and len(users[node.inputs[0].node]) == 1
        and any(is_side(x) or _is_taken(x) for x in node.control)
        and node.name.startswith(f"{node.inputs[0].node.name}/Identity")
    }
    beside = {node.inputs[0].node: node for node in passing}
    graph.nodes[:] = moved(graph.nodes, beside)
    for node in passing:
        node.inputs[0].node.control = node.control
    _stand_for(graph, {node: node.inputs[0].node for node in passing})


def _bring_directly(graph: Graph) -> None:
    """Let the next turn, which waits for this one, take what a turn ends with of outside."""
    passing: dict[Node, Node] = {}
    for node in graph.nodes:
        before = node.inputs[0].node if node.op.role is Role.NEXT else node
        if _CAPTURED.fullmatch(before.name) and before.control:
            node.inputs, node.control = before.inputs, before.control
            passing[before] = before
    used = {x.node for node in graph.nodes for x in node.inputs}
    graph.nodes[:] = [x for x in graph.nodes if x in used or x not in passing]


_CAPTURED = re.compile(r"(capture|fixed)(_\d+)?/Identity(_\d+)?")
"""What passes a tensor of outside on as a result."""


def _is_fixed(node: Node) -> bool:
    """Return whether a node is of a constant, which may wait for a turn already."""
    is_free = node.op.role is Role.PLAIN and node.op.effect is Effect.NONE
    return is_free and not node.inputs and all(map(_is_taken, node.control))


def _is_taken(node: Node) -> bool:
    """Return whether a node is a variable of a loop as a turn takes it."""
    switch = node.inputs[0].node if isinstance(node.op, Identity) else node
    is_switch = switch.op.role is Role.SWITCH
    return is_switch and switch.inputs[1].node.op.role is Role.LOOP_COND


def _ask_directly(nodes: Sequence[Node]) -> None:
    """Let what says which branch is taken ask the condition itself, as TensorFlow 1's does."""
    for node in nodes:
        asked = node.inputs[0].node if node.inputs else node
        if is_gate(node) and asked.op.role is not Role.LOOP_COND:
            node.inputs = (asked.inputs[0], asked.inputs[0])


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
    return any(map(is_gate, switches))


def _part_switches(graph: Graph) -> None:
    """Let each branch have Switches of its own, and bodies of loops take variables but once."""
    users = defaultdict[int, list[Node]](list)
    for node in graph.nodes:
        for x in node.inputs:
            users[id(x)].append(node)
    ordered: list[Node] = []
    for node in list(graph.nodes):
        ordered.append(node)
        if node.op.role is not Role.SWITCH or is_gate(node):
            continue
        no, yes = node.outputs
        if node.inputs[1].node.op.role is Role.LOOP_COND:
            ordered.append(_beside(node, Identity(), (yes,)))
            _use(users[id(yes)], yes, ordered[-1].outputs[0])
        elif users[id(no)] and users[id(yes)]:
            ordered.append(_beside(node, node.op, node.inputs, node.control))
            _use(users[id(no)], no, ordered[-1].outputs[0])
    graph.nodes[:] = ordered


def _wait_for_variables(graph: Graph) -> None:
    """Let what waits for a turn of a loop wait for its first variable, as in TensorFlow 1."""
    first: dict[Node, Node] = {}
    dropped: dict[Node, Node] = {}
    for node in graph.nodes:
        switch = node.inputs[0].node if isinstance(node.op, Identity) else node
        if switch.op.role is not Role.SWITCH or switch is node:
            continue
        going_on = switch.inputs[1].node
        if going_on.op.role is not Role.LOOP_COND:
            continue
        if is_gate(switch):
            dropped |= {node: going_on, switch: going_on}
        else:
            first.setdefault(going_on, node)
    graph.nodes[:] = [node for node in graph.nodes if node not in dropped]
    for node in graph.nodes:
        waits = [first[dropped[x]] if x in dropped else x for x in node.control]
        node.control = tuple(dict.fromkeys(waits))


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
