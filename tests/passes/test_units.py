"""Units list every node of a graph and its inner graphs once, in order, with edges and turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.graph.graph import Graph, Node, Placeholder
from tensorlite.graph.trace import trace
from tensorlite.ops.control.branches import cond
from tensorlite.ops.control.loops import while_loop
from tensorlite.passes.lower import lower
from tensorlite.passes.turns import GUESS, turns
from tensorlite.passes.units import NOWHERE, Units
from tests.programs import (
    FLOAT,
    INT,
    collatz,
    graph_of,
    loop_in_branch,
    nested,
    swapping,
)

PROGRAMS: list[tuple[Any, list[tl.TensorSpec]]] = [
    (collatz, [INT]),
    (nested, [INT, FLOAT]),
    (swapping, [INT, FLOAT, FLOAT]),
    (loop_in_branch, [tl.TensorSpec((), tl.bool), FLOAT]),
]


def count(graph: Graph) -> int:
    """Return how many nodes a graph and its inner graphs have."""
    inner = [region for node in graph.nodes for region in node.op.regions()]
    return len(graph.nodes) + sum(map(count, inner))


@pytest.mark.parametrize(("program", "specs"), PROGRAMS)
@pytest.mark.parametrize("form", [lambda graph: graph, lower])
def test_all_nodes_are_there_and_edges_go_forwards(
    program: Any, specs: list[tl.TensorSpec], form: Callable[[Graph], Graph]
) -> None:
    graph = form(graph_of(program, specs))
    units = Units(graph)
    assert len(units) == count(graph)
    pairs = [edge[:2] for edge in units.edges] + units.control
    assert all(source < target for source, target in pairs)
    assert {units.nodes[edge.target].op.name for edge in units.back} <= {
        "Merge",
        "Placeholder",
    }
    assert all(
        parent > unit for unit, parent in enumerate(units.parent) if parent >= 0
    )


def test_the_primitives_of_a_loop_run_as_often_as_a_loop_is_guessed_to() -> None:
    units = Units(lower(graph_of(collatz, [INT])))
    often = {
        node.op.name: times
        for node, times in zip(units.nodes, units.repeats, strict=True)
    }
    assert often["Exit"] == 1
    assert often["NextIteration"] == often["FloorDiv"] == GUESS
    assert len(units.back) == 2


def test_edges_go_in_and_out_of_a_branch() -> None:
    def program(flag: tl.Tensor, x: tl.Tensor) -> tl.Tensor:
        return cond(flag, lambda: tl.exp(x), lambda: tl.sin(x)) + 1.0

    units = Units(graph_of(program, [tl.TensorSpec((), tl.bool), FLOAT]))
    named = {node.op.name: i for i, node in enumerate(units.nodes)}
    edges = {edge[:2] for edge in units.edges}
    chosen = named["If"]
    assert {(named["Exp"], chosen), (named["Sin"], chosen)} <= edges
    assert (chosen, named["AddV2"]) in edges
    flag, x = units.outer[units.graph.nodes[0]], units.outer[units.graph.nodes[1]]
    inside = [unit for unit, parent in enumerate(units.parent) if parent == chosen]
    given = [unit for unit in inside if isinstance(units.nodes[unit].op, Placeholder)]
    assert {(x, unit) for unit in given} <= edges
    assert {(flag, unit) for unit in given} <= set(units.control)
    assert units.parent[chosen] == NOWHERE


def test_a_graph_that_two_operators_hold_gives_units_for_each() -> None:
    graph = graph_of(loop_in_branch, [tl.TensorSpec((), tl.bool), FLOAT])
    node = next(node for node in graph.nodes if node.op.name == "If")
    (then, _) = node.op.regions()
    again = graph.add(node.op.with_regions((then, then)), node.inputs)
    units = Units(graph)
    assert len(units) == count(graph)
    first, second = units.inner[units.outer[again]]
    assert not set(first.values()) & set(second.values())


def test_constants_cost_no_edges() -> None:
    units = Units(graph_of(lambda x: x * 2.0 + 1.0, [FLOAT]))
    constants = [i for i, node in enumerate(units.nodes) if node.op.name == "Const"]
    assert [i for i in range(len(units)) if units.free[i]] == constants
    assert not [edge for edge in units.edges if edge.source in constants]
    assert sorted(source for source, _ in units.uses) == constants


def test_a_handle_is_followed_into_loops_and_branches() -> None:
    w = tl.Variable(1.0)

    def program(x: tl.Tensor) -> list[tl.Tensor]:
        def turn(y: tl.Tensor) -> tuple[tl.Tensor]:
            return (cond(y > 0.0, lambda: y * w, lambda: y),)

        return [while_loop(lambda y: y < 10.0, turn, (x,))[0]]

    traced = trace(program, [FLOAT])
    units = Units(traced.graph)
    together = {units.outer[traced.graph.inputs[1].node]}
    for _ in units.nodes:
        together |= {taker for giver, taker in units.handles if giver in together}
    names = {units.nodes[unit].op.name for unit in together}
    assert names == {"Placeholder", "ReadVariableOp"}
    handles = [
        i
        for i, node in enumerate(units.nodes)
        if "R" in [x.dtype.kind for x in (*node.inputs, *node.outputs)]
    ]
    assert {i for i in handles if units.nodes[i].op.name not in ("If", "While")} == (
        together
    )


def loop(
    keep: Callable[[tl.Tensor], tl.Tensor],
    step: Callable[[tl.Tensor], tl.Tensor],
    start: float = 0,
    **options: Any,
) -> Node:
    """Return the While of a loop over one counter."""
    graph = graph_of(
        lambda x: while_loop(
            keep, lambda i: (step(i),), (tl.asarray(start),), **options
        ),
        [FLOAT],
    )
    return next(node for node in graph.nodes if node.op.name == "While")


@pytest.mark.parametrize(
    ("keep", "step", "start"),
    [
        (lambda i: i < 7, lambda i: i + 1, 0),
        (lambda i: i < 7, lambda i: i + 2, 0),
        (lambda i: i <= 7, lambda i: i + 7, 0),
        (lambda i: i > 1, lambda i: i - 2, 6),
        (lambda i: i >= 1, lambda i: i - 2, 5),
        (lambda i: i < 7, lambda i: i + 1, 9),
        (lambda i: i < 1.0, lambda i: i + 0.25, 0.0),
    ],
)
def test_the_turns_of_a_counter_are_counted(
    keep: Any, step: Any, start: float
) -> None:
    value, taken = start, 0
    while keep(value):
        value, taken = step(value), taken + 1
    assert turns(loop(keep, step, start)) == taken


def test_the_most_turns_bound_a_loop_that_tells_nothing_else() -> None:
    doubled = loop(lambda i: i < 1000, lambda i: i * 2, 1, maximum_iterations=25)
    assert turns(doubled) == 25
    assert turns(loop(lambda i: i < 1000, lambda i: i * 2, 1)) == GUESS
    assert turns(loop(lambda i: i < 4, lambda i: i - 1, 0)) == GUESS  # without end


def test_loops_in_loops_multiply() -> None:
    def program(x: tl.Tensor) -> tl.Tensor:
        def inner(y: tl.Tensor) -> tl.Tensor:
            return while_loop(
                lambda j, _: j < 3, lambda j, z: (j + 1, tl.exp(z)), (0, y)
            )[1]

        return while_loop(lambda i, _: i < 4, lambda i, y: (i + 1, inner(y)), (0, x))[
            1
        ]

    units = Units(graph_of(program, [FLOAT]))
    assert units.repeats[[node.op.name for node in units.nodes].index("Exp")] == 12
