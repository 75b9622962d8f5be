"""The benchmarks run. How long they take is for `make bench`."""

from __future__ import annotations

from timeit import Timer

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v2 as tf
from tensorlite.graph.trace import trace
from tensorlite.graph_mode.graph import mode
from tests.benchmarks import budgets, devices, ours, programs, workload
from tests.benchmarks.timing import Case

MAKERS = (
    ours.eager_cases,
    ours.plan_cases,
    ours.call_cases,
    ours.first_call_cases,
    ours.loop_cases,
    ours.step_cases,
)
CASES = [case for make in MAKERS for case in make()]
APART = ("turn, machine", "turn, two devices")
TIMES = {
    name: float(i) for i, name in enumerate([*[c.name for c in CASES], *APART], 1)
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_runs(case: Case) -> None:
    assert Timer(case.run, globals=case.names).timeit(1) > 0


def test_the_loop_computes_the_same_on_every_runner() -> None:
    turns = [case for case in CASES if case.name.startswith("turn")]
    assert len(turns) == len(ours.RUNNERS)
    first, *others = [np.asarray(case.run()) for case in turns if callable(case.run)]
    for other in others:
        np.testing.assert_array_equal(other, first)


@pytest.mark.usefixtures("one_cpu")
def test_the_loop_computes_the_same_on_two_devices() -> None:
    turns = [case for case in CASES if case.name.startswith("turn")]
    cases = [*turns, *devices.loop_cases()]
    assert [case.name for case in cases[len(turns) :]] == list(APART[::-1])
    first, *others = [np.asarray(case.run()) for case in cases if callable(case.run)]
    for other in others:
        np.testing.assert_array_equal(other, first)


@pytest.mark.usefixtures("one_cpu")
def test_the_lstm_computes_the_same_however_many_turns_overlap() -> None:
    cases = devices.lstm_cases(units=4, batch=2, steps=5)
    alone, one, many = [
        np.asarray(case.run()) for case in cases if callable(case.run)
    ]
    np.testing.assert_array_equal(one, many)
    np.testing.assert_array_equal(one, alone)
    assert {case.name for case in devices.thread_cases()} == {
        "one thread",
        "two threads",
    }


def test_the_training_step_learns() -> None:
    step = tl.function(ours.training_step())
    losses = [float(step()) for _ in range(20)]
    assert losses[0] == pytest.approx(np.log(10), abs=0.2)
    assert losses[-1] < losses[0]


def test_a_budget_is_marked_when_it_is_over() -> None:
    assert budgets.Budget("x", 2.0, 1.0).row.endswith("ok")
    assert budgets.Budget("x", 2.0, 3.0, "ms").row.endswith("ms  OVER")
    assert len(budgets.budgets(TIMES, 50.0)) == 8


def test_the_table_has_a_column_for_each_library() -> None:
    head, *rows = budgets.comparison(TIMES, {"torch": {"version": "2", "add": 6.0}})
    assert head.split()[-2:] == ["torch", "2"]
    assert len(rows) == len(budgets.ROWS)
    assert "6.00 (6.0x)" in rows[0]


def test_the_chain_is_ten_operators() -> None:
    x, y = workload.operands()
    graph = trace(
        lambda a, b: [workload.chain(a, b)],
        [tl.TensorSpec(x.shape), tl.TensorSpec(y.shape)],
    ).graph
    assert len(graph.nodes) == 2 + workload.CHAIN


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_programs_of_tensorflows_fit(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mode, "eager", True)  # whatever programs of version 1 left
    epoch, steps = programs.fitting(tf, programs.PROGRAMS[name])
    assert steps >= 4
    assert 0 < epoch().history["loss"][0] < 10
