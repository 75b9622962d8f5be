"""trim: make conditionals and loops take, carry and return no more than is used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tensorlite.core.op import Op, Role
from tensorlite.graph.graph import Graph, Node
from tensorlite.passes.rewrite import Copy, reached, with_inner


def trim(graph: Graph) -> Graph:
    """Return `graph` with unused outputs and arguments of If, and variables of While, left out."""
    needed = reached(graph)
    if not any(node.op.role in (Role.IF, Role.WHILE) for node in needed):
        return graph
    used = {id(x) for node in needed for x in node.inputs} | {
        id(x) for x in graph.outputs
    }
    copy = Copy(Graph(graph.name))
    copy.inputs(graph)
    for node in graph.nodes:
        if node not in needed or node in copy.nodes:
            continue
        op = with_inner(node.op, trim)
        wanted = [i for i, y in enumerate(node.outputs) if id(y) in used]
        if op.role is Role.IF:
            _replace(node, copy, *_narrow_if(op, wanted), wanted)
        elif op.role is Role.WHILE:
            op, kept = _narrow_while(op, wanted)
            _replace(node, copy, op, kept, kept)
        else:
            copy.node(node, op)
    return copy.finish(graph)


def _replace(
    node: Node, copy: Copy, op: Op, inputs: Sequence[int], outputs: Sequence[int]
) -> None:
    """Put in a node that takes and gives only some of what `node` does."""
    made = copy.target.add(
        op,
        [copy.tensors[id(node.inputs[i])] for i in inputs],
        device=node.device,
        group=node.group,
        control=tuple(dict.fromkeys(copy.before(node))),
        name=node.name,
        line=node.line,
    )
    copy.nodes[node] = (made,)
    for new, old in zip(made.outputs, outputs, strict=True):
        copy.bind(node.outputs[old], new)


def _narrow_if(op: Op, wanted: Sequence[int]) -> tuple[Op, list[int]]:
    """Return an If with the wanted outputs only, and which inputs that takes."""
    regions = op.regions()
    used = {i for region in regions for i in _used_inputs(region, wanted)}
    kept = sorted(used)
    narrow = tuple([_narrow(region, kept, wanted) for region in regions])
    return op.with_regions(narrow), [0, *[i + 1 for i in kept]]


def _narrow_while(op: Op, wanted: Sequence[int]) -> tuple[Op, list[int]]:
    """Return a While without the variables that neither the result nor a turn depends on."""
    cond, body = op.regions()
    # A loop goes round by its variables, so that one is left at least.
    kept = {*(wanted or [0]), *_used_inputs(cond, [0]), *_used_inputs(body, ())}
    while not kept >= (used := _used_inputs(body, kept)):
        kept |= used
    places = sorted(kept)
    return op.with_regions(
        (_narrow(cond, places, [0]), _narrow(body, places, places))
    ), places


def _used_inputs(region: Graph, outputs: Iterable[int]) -> set[int]:
    """Return the positions of the inputs that some outputs, and the effects, depend on."""
    nodes = reached(region, [region.outputs[i] for i in outputs])
    return {i for i, x in enumerate(region.inputs) if x.node in nodes}


def _narrow(region: Graph, inputs: Sequence[int], outputs: Sequence[int]) -> Graph:
    """Return an inner graph with some of its inputs and outputs."""
    copy = Copy(Graph(region.name))
    copy.inputs(region, inputs)
    ends = [region.outputs[i] for i in outputs]
    needed = reached(region, ends)
    for node in region.nodes:
        if node in needed and node not in copy.nodes:
            copy.node(node)
    return copy.finish(region, ends)
