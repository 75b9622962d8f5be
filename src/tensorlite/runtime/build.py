"""compile_plan: from a graph to the plan that runs it. What a plan is stands in plan.py."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tensorlite.core.errors import GraphError
from tensorlite.core.op import Effect, Role
from tensorlite.core.xp import Array
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.runtime import memory
from tensorlite.runtime.plan import Plan, Task, settled
from tensorlite.runtime.structured import composite, inner_peak

Plans = dict[int, Plan]


def compile_plan(
    graph: Graph,
    feeds: Sequence[SymbolicTensor] | None = None,
    fetches: Sequence[SymbolicTensor | Node] | None = None,
) -> Plan:
    """Return the plan that computes `fetches` from values for `feeds`.

    Without feeds and fetches these are the graph's inputs and outputs, and its effects run too.
    Any tensor may be fed; a node as a fetch is run, and gives no value. Raises GraphError when a
    fetch needs an input that is not fed.
    """
    return _compile(graph, feeds, fetches, {})


def _compile(
    graph: Graph,
    feeds: Sequence[SymbolicTensor] | None,
    fetches: Sequence[SymbolicTensor | Node] | None,
    called: Plans,
) -> Plan:
    fed = [own(x) for x in (graph.inputs if feeds is None else feeds)]
    wanted = [x if isinstance(x, Node) else own(x) for x in fetches or ()]
    if fetches is None:
        wanted = [*graph.outputs, *graph.effects]
    nodes = _needed(graph, fed, wanted)
    constants = [node for node in nodes if is_constant(node)]
    slots = _slots(fed, constants, nodes)
    working = [node for node in nodes if not is_constant(node)]
    position = {node: i for i, node in enumerate(working)}
    specs = [spec for _, spec in slots.values()]
    slot = {key: number for key, (number, _) in slots.items()}
    fetched = tuple([slot[id(x)] for x in wanted if isinstance(x, SymbolicTensor)])
    tasks, peak = memory.planned(
        [_task(node, slot, position, called) for node in working],
        specs,
        fetched,
        lambda task: inner_peak(task.kernel),
    )
    return Plan(
        graph.name,
        tasks,
        len(fed),
        tuple(map(_value, constants)),
        fetched,
        tuple(specs),
        peak,
    )


def own(x: SymbolicTensor) -> SymbolicTensor:
    """Return the tensor that the node itself holds; equal calls give copies of it."""
    return x.node.outputs[x.index]


def is_constant(node: Node) -> bool:
    """Return whether a node gives the same value in every run, whenever it is asked."""
    op = node.op
    plain = op.role is Role.PLAIN and op.effect is Effect.NONE
    return plain and not node.inputs and not node.control and len(node.outputs) == 1


def _value(node: Node) -> Array:
    return settled(np, node.op.kernel(np))


def _needed(
    graph: Graph,
    fed: Iterable[SymbolicTensor],
    wanted: Iterable[SymbolicTensor | Node],
) -> list[Node]:
    """Return the nodes that must run, in the graph's order."""
    given = {id(x) for x in fed}
    stack = [_node(x) for x in wanted if id(x) not in given]
    found: set[Node] = set()
    while stack:
        node = stack.pop()
        if node in found:
            continue
        found.add(node)
        if node.op.role is Role.INPUT:
            raise GraphError(
                f"input {node.name!r} ({node.outputs[0].spec}), made at {node.line}, is needed and "
                f"not fed; give a value for it"
            )
        # An input that is given is there from the beginning: nothing has to wait for it.
        stack.extend([x for x in node.control if not _is_given(x, given)])
        stack.extend([x.node for x in node.inputs if id(x) not in given])
    return [node for node in graph.nodes if node in found]


def _is_given(node: Node, given: Container[int]) -> bool:
    return node.op.role is Role.INPUT and id(node.outputs[0]) in given


def _node(x: SymbolicTensor | Node) -> Node:
    return x.node if isinstance(x, SymbolicTensor) else x


def _slots(
    fed: list[SymbolicTensor], constants: list[Node], nodes: list[Node]
) -> dict[int, tuple[int, Any]]:
    """Return the slot and the spec of each tensor, by its id: fed ones, constants, the rest."""
    slots: dict[int, tuple[int, Any]] = {}
    for x in fed:
        slots[id(x)] = len(slots), x.spec
    if len(slots) != len(fed):
        raise GraphError("a tensor is fed twice; give one value for each")
    for node in (*constants, *nodes):
        for x in node.outputs:
            if id(x) not in slots:
                slots[id(x)] = len(slots), x.spec
    return slots


def _task(
    node: Node, slot: dict[int, int], position: dict[Node, int], called: Plans
) -> Task:
    outputs = [slot[id(x)] for x in node.outputs]
    regions = [partial(_inner, region, called) for region in node.op.regions()]
    kernel: Any = composite(node.op.role, regions) if regions else node.op.kernel
    return Task(
        node.op,
        kernel,
        tuple([slot[id(x)] for x in node.inputs]),
        tuple(outputs),
        tuple([position[before] for before in node.control if before in position]),
        node.name,
        node.line,
        node.device,
    )


def _inner(graph: Graph, called: Plans) -> Plan:
    """Return the plan of an inner graph, made once however often the graph is used."""
    plan = called.get(id(graph))
    if plan is None:
        plan = called[id(graph)] = _compile(graph, None, None, called)
    return plan
