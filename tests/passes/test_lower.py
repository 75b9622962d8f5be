"""Lowering gives primitives only, and what they compute is what the regions did."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.op import Role
from tensorlite.ops.control.branches import cond
from tensorlite.ops.control.loops import while_loop
from tensorlite.passes.pipeline import COMPILE, run_passes
from tests.programs import (
    FLOAT,
    INT,
    assert_all_agree,
    collatz,
    graph_of,
    loop_in_branch,
    nested,
    swapping,
)

REGIONS = {Role.IF, Role.WHILE, Role.CALL}


@pytest.mark.parametrize(("start", "turns"), [(1, 0), (2, 1), (6, 8), (27, 111)])
def test_a_conditional_in_a_loop(start: int, turns: int) -> None:
    graph = graph_of(collatz, [INT])
    (found,) = assert_all_agree(graph, (np.asarray(start, np.int32),))
    assert found == turns


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_loops_in_loops(n: int) -> None:
    arrays = np.asarray(n, np.int32), np.asarray(1, np.float32)
    i, _ = assert_all_agree(graph_of(nested, [INT, FLOAT]), arrays)
    assert i == n


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_variables_that_change_places_and_one_that_stays(n: int) -> None:
    arrays = (
        np.asarray(n, np.int32),
        np.asarray(1, np.float32),
        np.asarray(2, np.float32),
    )
    first, second, kept = assert_all_agree(
        graph_of(swapping, [INT, FLOAT, FLOAT]), arrays
    )
    assert [float(first), float(second)] == ([1, 2] if n % 2 == 0 else [2, 1])
    assert kept == 3


@pytest.mark.parametrize(("flag", "expected"), [(True, 192), (False, -1)])
def test_a_loop_in_a_branch_that_may_be_dead(flag: bool, expected: float) -> None:
    graph = graph_of(loop_in_branch, [tl.TensorSpec((), tl.bool), FLOAT])
    (found,) = assert_all_agree(graph, (np.asarray(flag), np.asarray(3, np.float32)))
    assert found == expected


@pytest.mark.parametrize("program", [collatz, nested, swapping, loop_in_branch])
def test_nothing_with_inner_graphs_is_left(program: object) -> None:
    specs = {
        collatz: [INT],
        nested: [INT, FLOAT],
        swapping: [INT, FLOAT, FLOAT],
        loop_in_branch: [tl.TensorSpec((), tl.bool), FLOAT],
    }[program]  # type: ignore[index]
    graph = run_passes(graph_of(program, specs), COMPILE, verified=True)  # type: ignore[arg-type]
    assert not [node for node in graph.nodes if node.op.role in REGIONS]
    assert len(graph.inputs) == len(specs)


def test_the_given_graph_is_left_as_it_was() -> None:
    graph = graph_of(nested, [INT, FLOAT])
    before = [(node.name, node.op, node.inputs, node.control) for node in graph.nodes]
    run_passes(graph, COMPILE)
    assert [
        (node.name, node.op, node.inputs, node.control) for node in graph.nodes
    ] == before


@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_variable_that_grows(n: int) -> None:
    def program(n: tl.Tensor, x: tl.Tensor) -> tl.Tensor:
        def turn(i: tl.Tensor, x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
            return i + 1, tl.concat([x, x[:1] + 1.0])

        return while_loop(lambda i, _: i < n, turn, (tl.asarray(0), x))[1]

    graph = graph_of(program, [INT, tl.TensorSpec((2,))])
    (found,) = assert_all_agree(
        graph, (np.asarray(n, np.int32), np.zeros(2, np.float32))
    )
    assert found.tolist() == [0, 0] + [1] * n


def test_a_variable_that_is_empty_at_first() -> None:
    def program(n: tl.Tensor) -> tl.Tensor:
        def turn(i: tl.Tensor, x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
            first = cond(i > 0, lambda: x[0], lambda: tl.asarray(7.0))
            return i + 1, tl.concat([x, tl.reshape(first, (1,))])

        first = (tl.asarray(0), tl.zeros((0,)))
        return while_loop(lambda i, _: i < n, turn, first, ((), (None,)))[1]

    graph = graph_of(program, [INT])
    (found,) = assert_all_agree(graph, (np.asarray(3, np.int32),))
    assert found.tolist() == [7, 7, 7]
