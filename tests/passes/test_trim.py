"""Conditionals and loops carry what is used, and no more."""

from __future__ import annotations

import numpy as np

import tensorlite as tl
from tensorlite.core.op import Role
from tensorlite.graph.graph import Graph, Node
from tensorlite.ops.control.branches import cond
from tensorlite.ops.control.loops import while_loop
from tensorlite.passes.trim import trim
from tensorlite.passes.verify import verify
from tests.programs import FLOAT, INT, assert_all_agree, graph_of

THREE = (
    np.asarray(3, np.int32),
    np.asarray(2, np.float32),
    np.asarray(5, np.float32),
)


def only(graph: Graph, role: Role) -> Node:
    (node,) = [node for node in graph.nodes if node.op.role is role]
    return node


def test_variables_that_nothing_reads_are_dropped() -> None:
    def program(n: tl.Tensor, x: tl.Tensor, y: tl.Tensor) -> tl.Tensor:
        def turn(i: tl.Tensor, *rest: tl.Tensor) -> tuple[tl.Tensor, ...]:
            x, y, z = rest
            return i + 1, x * 2.0, y + x, z + y

        return while_loop(lambda i, *_: i < n, turn, (tl.asarray(0), x, y, y))[2]

    graph = graph_of(program, [INT, FLOAT, FLOAT])
    loop = only(verify(trim(graph)), Role.WHILE)
    assert len(only(graph, Role.WHILE).outputs) == 5
    assert len(loop.outputs) == 4
    assert_all_agree(graph, THREE)


def test_unused_results_and_arguments_of_branches_are_dropped() -> None:
    def program(n: tl.Tensor, x: tl.Tensor, y: tl.Tensor) -> tl.Tensor:
        return cond(n > 2, lambda: (x, y * 2.0), lambda: (x * 3.0, y))[0]

    graph = graph_of(program, [INT, FLOAT, FLOAT])
    branch = only(verify(trim(graph)), Role.IF)
    assert (len(branch.inputs), len(branch.outputs)) == (2, 1)
    assert_all_agree(graph, THREE)


def test_variables_that_only_change_places_are_dropped() -> None:
    def program(n: tl.Tensor, x: tl.Tensor, y: tl.Tensor) -> tl.Tensor:
        def turn(i: tl.Tensor, x: tl.Tensor, y: tl.Tensor) -> tuple[tl.Tensor, ...]:
            return i + 1, y, x

        return while_loop(lambda i, *_: i < n, turn, (tl.asarray(0), x, y))[0]

    graph = graph_of(program, [INT, FLOAT, FLOAT])
    assert len(only(verify(trim(graph)), Role.WHILE).outputs) == 2
    assert_all_agree(graph, THREE)


def test_a_graph_without_control_flow_comes_back_as_it_is() -> None:
    graph = graph_of(lambda x: x + 1.0, [FLOAT])
    assert trim(graph) is graph
