"""Effects in branches and loops: run when they should, as often and in the order they should."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.graph.graph import Graph
from tensorlite.graph.trace import trace
from tensorlite.ops.branches import cond
from tensorlite.ops.control import while_loop
from tensorlite.passes.pipeline import COMPILE, OPTIMISE, run_passes
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.step import run_plan

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

        _, seen = while_loop(lambda i, _: i < n, turn, (tl.asarray(0), tl.asarray(0.0)))
        return [seen, v.value()]

    value, total = 1.0, 0.0
    for _ in range(n):
        value *= 2
        total += value
        value += 1
    seen, after = run(way, trace(step, [tl.TensorSpec((), tl.int32)]), np.asarray(n, np.int32))
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
def test_a_write_after_a_loop_waits_for_its_end_even_if_its_last_variable_is_old(way: str) -> None:
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
