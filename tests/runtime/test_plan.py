"""Plans: what is fed, fetched, kept in memory, and written over."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphError, InvalidArgumentError, ShapeError
from tensorlite.graph.trace import trace
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.step import execute, run_plan
from tests.programs import FLOAT, INT, collatz, graph_of, nested

BIG = tl.TensorSpec((64, 64))


def ones() -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.ones((64, 64), np.float32)


def test_a_chain_works_in_one_piece_of_memory() -> None:
    plan = compile_plan(graph_of(lambda x: ((x + 1.0) * 2.0 - 3.0) * x, [BIG]))
    assert [task.reuse for task in plan.tasks] == [None, 0, 0, 0]
    assert plan.peak_bytes == 64 * 64 * 4
    (found,) = run_plan(plan, [ones()])
    np.testing.assert_array_equal(found, ones())


def test_the_report_tells_memory_and_lines() -> None:
    plan = compile_plan(graph_of(lambda x: (x + 1.0) * 2.0, [BIG]))
    assert "2 tasks, at most 16384 bytes at once" in plan.report()
    assert "in the memory of" in plan.report()
    assert "test_plan.py" in plan.report()


def test_inputs_constants_and_results_are_never_written_over() -> None:
    constant = tl.asarray(np.full((64, 64), 5, np.float32))

    def step(x: tl.Tensor) -> list[tl.Tensor]:
        y = x + constant
        return [y, y * 2.0, constant * 3.0, (constant + 1.0) * 2.0]

    given = ones()
    traced = trace(step, [BIG])
    plan = compile_plan(traced.graph)
    arrays = [given, *[x.array for x in traced.captured]]
    for _ in range(2):
        found = run_plan(plan, arrays)
        assert [float(x[0, 0]) for x in found] == [6, 12, 15, 12]
    np.testing.assert_array_equal(given, ones())
    np.testing.assert_array_equal(constant.numpy(), np.full((64, 64), 5))


def test_a_view_that_lives_keeps_its_memory() -> None:
    def step(x: tl.Tensor) -> list[tl.Tensor]:
        y = x + 1.0
        view = tl.reshape(y, (-1,))
        return [y * 10.0, view]

    plan = compile_plan(graph_of(step, [BIG]))
    assert all(task.reuse is None for task in plan.tasks)
    scaled, view = run_plan(plan, [ones()])
    assert (scaled[0, 0], view[0]) == (20, 2)


def test_what_a_variable_was_given_is_not_written_over() -> None:
    v = tl.Variable(tl.zeros((64, 64)))

    def step(x: tl.Tensor) -> list[tl.Tensor]:
        y = x + 1.0
        v.assign(y)
        return [y * 10.0]

    traced = trace(step, [BIG])
    (scaled,) = run_plan(
        compile_plan(traced.graph), [ones(), *[x.array for x in traced.captured]]
    )
    assert scaled[0, 0] == 20
    assert v.numpy()[0, 0] == 2


def test_a_value_read_before_a_write_stays_as_it_was() -> None:
    v = tl.Variable(tl.ones((64, 64)))

    def step() -> list[tl.Tensor]:
        before = v.value()
        v.assign_add(before)
        return [before + 0.5, v.value()]

    traced = trace(step, [])
    before, after = run_plan(
        compile_plan(traced.graph), [x.array for x in traced.captured]
    )
    assert (before[0, 0], after[0, 0]) == (1.5, 2)


def test_both_operands_may_be_the_same() -> None:
    plan = compile_plan(graph_of(lambda x: (x + 1.0) * (x + 1.0), [BIG]))
    (found,) = run_plan(plan, [ones()])
    assert found[5, 5] == 4


def test_two_threads_may_run_one_plan() -> None:
    plan = compile_plan(graph_of(lambda x: ((x + 1.0) * 2.0 - 1.0) / x, [BIG]))
    given = [np.full((64, 64), n + 1, np.float32) for n in range(20)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda x: run_plan(plan, [x])[0], given))
    for x, y in zip(given, found, strict=True):
        np.testing.assert_allclose(y, ((x + 1) * 2 - 1) / x, rtol=1e-6)


def test_any_tensor_may_be_fed_and_fetched() -> None:
    graph = graph_of(lambda x: (x + 1.0) * 2.0, [FLOAT])
    middle = graph.nodes[-1].inputs[0]
    assert execute(graph, {middle: np.asarray(10, np.float32)}, graph.outputs) == (
        20,
    )
    assert execute(
        graph, {graph.inputs[0]: np.asarray(10, np.float32)}, [middle]
    ) == (11,)


def test_what_is_not_fed_is_named() -> None:
    graph = graph_of(lambda x: x + 1.0, [FLOAT])
    with pytest.raises(
        GraphError, match=r"input 'arg' \(float32\[\]\), made at .* not fed"
    ):
        execute(graph, {}, graph.outputs)
    with pytest.raises(
        InvalidArgumentError, match=r"is float32\[\] and is fed int64\[2\]"
    ):
        execute(graph, {graph.inputs[0]: np.ones(2, np.int64)}, graph.outputs)
    with pytest.raises(GraphError, match="fed twice"):
        compile_plan(graph, [graph.inputs[0]] * 2, graph.outputs)
    with pytest.raises(InvalidArgumentError, match="takes 1 arrays, not 0"):
        run_plan(compile_plan(graph), [])


def test_a_runner_that_does_not_fit_says_so() -> None:
    plan = compile_plan(graph_of(collatz, [INT]))
    with pytest.raises(InvalidArgumentError, match="take 'structured'"):
        run_plan(plan, [np.asarray(6, np.int32)], "straight")
    with pytest.raises(
        InvalidArgumentError, match="allowed are straight, structured, frames"
    ):
        run_plan(plan, [np.asarray(6, np.int32)], "quick")
    assert run_plan(plan, [np.asarray(6, np.int32)], "frames") == (8,)


def test_a_straight_plan_runs_on_every_runner() -> None:
    plan = compile_plan(graph_of(lambda x: (x + 1.0) * x, [BIG]))
    for runner in ("straight", "structured", "frames"):
        (found,) = run_plan(plan, [ones()], runner)
        assert found[0, 0] == 2


def test_errors_in_inner_graphs_name_both_nodes() -> None:
    def program(n: tl.Tensor, x: tl.Tensor) -> tuple[tl.Tensor, ...]:
        return nested(n, tl.sum(tl.reshape(x, (2, 3))) + 0.0)

    graph = graph_of(program, [INT, tl.TensorSpec((None,))])
    plan = compile_plan(graph)
    with pytest.raises(ShapeError) as caught:
        run_plan(plan, [np.asarray(1, np.int32), np.ones(5, np.float32)])
    assert any("in node 'Reshape'" in text for text in caught.value.__notes__)
