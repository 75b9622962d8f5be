"""Effects in branches and loops: run when they should, as often and in the order they should."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.op import Effect, Role
from tensorlite.graph.graph import Graph, Node
from tensorlite.graph.trace import trace
from tensorlite.ops.control.branches import cond
from tensorlite.ops.control.loops import while_loop
from tensorlite.ops.control.regions import call_function
from tensorlite.passes.pipeline import COMPILE, OPTIMISE, run_passes
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.step import run_plan
from tests.interpreter import Interpreted

WAYS = {"structured": (), "optimised": OPTIMISE, "lowered": COMPILE}


def run(way: str, traced: Any, *arrays: Any) -> tuple[Any, ...]:
    graph: Graph = run_passes(traced.graph, WAYS[way], verified=True)
    captured = [x.array for x in traced.captured]
    return run_plan(compile_plan(graph), [*arrays, *captured])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("flag", "expected"), [(True, 11), (False, -5)])
def test_only_the_taken_branch_writes(way: str, flag: bool, expected: float) -> None:
    v = tl.Variable(1.0)

    def step(flag: tl.Tensor) -> list[tl.Tensor]:
        def then() -> tl.Tensor:
            v.assign_add(10.0)
            return tl.asarray(0)

        def other() -> tl.Tensor:
            v.assign(-5.0)
            return tl.asarray(1)

        return [cond(flag, then, other), v.value()]

    traced = trace(step, [tl.TensorSpec((), tl.bool)])
    which, after = run(way, traced, np.asarray(flag))
    assert which == (0 if flag else 1)
    assert after == expected
    assert v.numpy() == expected


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_writes_in_a_loop_follow_one_another(way: str, n: int) -> None:
    v = tl.Variable(1.0)

    def step(n: tl.Tensor) -> list[tl.Tensor]:
        def turn(i: tl.Tensor, seen: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
            v.assign(v * 2.0)
            seen = seen + v.value()
            v.assign_add(1.0)
            return i + 1, seen

        _, seen = while_loop(
            lambda i, _: i < n, turn, (tl.asarray(0), tl.asarray(0.0))
        )
        return [seen, v.value()]

    value, total = 1.0, 0.0
    for _ in range(n):
        value *= 2
        total += value
        value += 1
    seen, after = run(
        way, trace(step, [tl.TensorSpec((), tl.int32)]), np.asarray(n, np.int32)
    )
    assert (seen, after) == (total, value)


@pytest.mark.parametrize("way", WAYS)
def test_a_loop_over_a_variable_alone(way: str) -> None:
    v = tl.Variable(1.0)

    def step() -> list[tl.Tensor]:
        def turn(i: tl.Tensor) -> tuple[tl.Tensor]:
            v.assign_add(v)
            return (i,)

        while_loop(lambda _: v < 100.0, turn, (tl.asarray(0),))
        return [v.value()]

    (after,) = run(way, trace(step, []))
    assert after == 128


@pytest.mark.parametrize("way", WAYS)
def test_a_write_whose_branch_nobody_reads_is_done(way: str) -> None:
    v = tl.Variable(0.0)

    def step(n: tl.Tensor) -> list[tl.Tensor]:
        def turn(i: tl.Tensor) -> tuple[tl.Tensor]:
            def add() -> tl.Tensor:
                v.assign_add(1.0)
                return tl.asarray(0)

            cond(tl.equal(i % 2, 0), add, lambda: tl.asarray(0))
            return (i + 1,)

        while_loop(lambda i: i < n, turn, (tl.asarray(0),))
        return [n]

    run(way, trace(step, [tl.TensorSpec((), tl.int32)]), np.asarray(7, np.int32))
    assert v.numpy() == 4


@pytest.mark.parametrize("way", WAYS)
def test_a_write_after_a_loop_waits_for_its_end_even_if_its_last_variable_is_old(
    way: str,
) -> None:
    v = tl.Variable(0.0)

    def step() -> list[tl.Tensor]:
        def count(i: tl.Tensor, n: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
            return i + 1, n + 2

        def write(i: tl.Tensor) -> tuple[tl.Tensor]:
            v.assign_add(tl.astype(n, tl.float32))
            return (i + 1,)

        _, n = while_loop(lambda i, _: i < 3, count, (tl.asarray(0), tl.asarray(0)))
        while_loop(lambda i: i < n, write, (tl.asarray(0),))
        v.assign(v * 2.0)
        return [v.value()]

    assert run(way, trace(step, [])) == (72,)


def test_what_the_condition_does_is_done_before_the_turn() -> None:
    v = tl.Variable(0.0)

    def step(n: tl.Tensor) -> list[tl.Tensor]:
        def goes_on(i: tl.Tensor, total: tl.Tensor) -> tl.Tensor:
            v.assign_add(1.0)
            return i < n

        def turn(i: tl.Tensor, total: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
            return i + 1, total + v.value()

        return list(while_loop(goes_on, turn, (tl.asarray(0), tl.asarray(0.0))))

    traced = trace(step, [tl.TensorSpec((), tl.int32)])
    for way in WAYS:
        v.assign(0.0)
        assert run(way, traced, np.asarray(3, np.int32)) == (3, 6)
        assert v.numpy() == 4
    (go_on,) = [
        node
        for node in run_passes(traced.graph, COMPILE).nodes
        if node.op.role is Role.LOOP_COND
    ]
    assert "AssignAddVariableOp" in [node.op.name for node in go_on.control]


def test_writes_of_calls_wait_for_those_before_them() -> None:
    v = tl.Variable(1.0)

    def twice() -> list[tl.Tensor]:
        v.assign_add(1.0)
        v.assign_add(2.0)
        return []

    def step() -> list[tl.Tensor]:
        for _ in range(2):
            made = trace(twice, [])
            call_function(Interpreted(made.graph), tuple(made.captured))
        v.assign(v * 2.0)
        return [v.value()]

    graph = run_passes(trace(step, []).graph, OPTIMISE, verified=True)
    effects = [
        node for node in graph.nodes if node.op.effect in (Effect.WRITE, Effect.READ)
    ]
    assert len(effects) == 7
    for before, after in pairwise(effects):
        assert before in above(after), (before, after)


def above(node: Node) -> set[Node]:
    """Return all nodes that a node waits for."""
    found: set[Node] = set()
    waiting = [node]
    while waiting:
        one = waiting.pop()
        for source in [*[x.node for x in one.inputs], *one.control]:
            if source not in found:
                found.add(source)
                waiting.append(source)
    return found
