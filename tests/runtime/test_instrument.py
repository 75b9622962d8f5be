"""Instrumented plans: every kernel is called through the wrap, nothing is computed otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.device import DeviceName
from tensorlite.graph.graph import Graph
from tensorlite.passes.pipeline import COMPILE, OPTIMISE, run_passes
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.instrument import instrumented
from tensorlite.runtime.plan import Kernel, Plan, Task, Wrap
from tensorlite.runtime.step import run_plan
from tests.programs import FLOAT, INT, collatz, graph_of, loop_in_branch, nested
from tests.runtime.test_structured import fourth

SIX, TWO = np.asarray(6, np.int32), np.asarray(2, np.float32)
VECTOR = tl.TensorSpec((2000,), tl.float32)


def counting(calls: Counter[str]) -> Wrap:
    """Return a wrap that counts the calls of each operator."""

    def wrap(task: Task, kernel: Kernel) -> Kernel:
        def counted(xp: Any, *arrays: Any) -> Any:
            calls[task.op.name] += 1
            return kernel(xp, *arrays)

        return counted

    return wrap


def plans(graph: Graph) -> list[Plan]:
    """Return the plan of a graph as it is, optimised, and lowered."""
    return [
        compile_plan(graph),
        compile_plan(run_passes(graph, OPTIMISE)),
        compile_plan(run_passes(graph, COMPILE)),
    ]


@pytest.mark.parametrize(
    ("program", "specs", "arrays"),
    [
        (lambda x: tl.exp(x + x) * x - 1.0, [FLOAT], (TWO,)),
        (
            lambda x: tl.stack(tl.unstack(x + 0.0, num=2000)[:3]),
            [VECTOR],
            (np.ones(2000, "f"),),
        ),
        (collatz, [INT], (SIX,)),
        (nested, [INT, FLOAT], (SIX, TWO)),
        (loop_in_branch, [tl.TensorSpec((), tl.bool)], (np.asarray(True),)),
        (fourth, [FLOAT], (TWO,)),
    ],
)
def test_results_are_the_same_to_the_bit(
    program: Any, specs: Sequence[tl.TensorSpec], arrays: tuple[Any, ...]
) -> None:
    if program is loop_in_branch:
        specs, arrays = [*specs, FLOAT], (*arrays, TWO)
    for plan in plans(graph_of(program, specs)):
        calls: Counter[str] = Counter()
        expected = run_plan(plan, arrays)
        found = run_plan(instrumented(plan, "count", counting(calls)), arrays)
        assert calls
        for x, y in zip(found, expected, strict=True):
            assert (x.dtype, x.shape, x.tobytes()) == (y.dtype, y.shape, y.tobytes())


def test_each_kernel_is_called_once_per_turn() -> None:
    graph = graph_of(
        collatz, [INT]
    )  # 6 3 10 5 16 8 4 2 1: eight turns, two of them odd
    structured, _, lowered = plans(graph)
    calls: Counter[str] = Counter()
    run_plan(instrumented(structured, "count", counting(calls)), (SIX,))
    assert calls["Greater"] == 9
    assert calls["FloorDiv"] == 6
    assert calls["While"] == 1
    assert calls["If"] == 8
    calls.clear()
    run_plan(instrumented(lowered, "count", counting(calls)), (SIX,))
    assert calls["Greater"] == 9
    assert calls["FloorDiv"] == 6
    assert not calls.keys() & {"Switch", "Merge", "Enter", "Exit", "NextIteration"}


def test_the_array_modules_own_functions_are_wrapped_too() -> None:
    """Elsewhere they are called directly, and work in an operand's memory."""
    calls: Counter[str] = Counter()
    plan = compile_plan(graph_of(lambda x: -((x + 1.0) * x), [VECTOR]))
    assert [task.reuse for task in plan.tasks] == [None, 0, 0]
    run_plan(instrumented(plan, "count", counting(calls)), (np.ones(2000, "f"),))
    assert calls == {"AddV2": 1, "Mul": 1, "Neg": 1}


def test_it_is_made_once_and_the_plan_stays_as_it_was() -> None:
    calls: Counter[str] = Counter()
    plan = compile_plan(graph_of(nested, [INT, FLOAT]))
    made = instrumented(plan, "count", counting(calls))
    assert instrumented(plan, "count", counting(Counter())) is made
    run_plan(plan, (SIX, TWO))
    assert not calls


def test_two_wraps_both_reach_inner_plans() -> None:
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    for program in (collatz, fourth):
        for plan in plans(graph_of(program, [INT])):
            once = instrumented(plan, "first", counting(first))
            twice = instrumented(once, "second", counting(second))
            run_plan(twice, (SIX,))
            assert first == second
            assert first["Greater"] in {0, 9}
            first.clear()
            second.clear()


def test_a_call_that_contains_itself() -> None:
    """The called plan is instrumented when it runs, since it may be the calling one."""

    @tl.function
    def factorial(n: tl.Tensor) -> tl.Tensor:
        least = tl.cond(n < 2, lambda: n, lambda: n * factorial(n - 1))
        assert isinstance(least, tl.Tensor)
        return least

    concrete = factorial.get_concrete_function(INT)
    calls: Counter[str] = Counter()
    plan = instrumented(concrete.plan, "count", counting(calls))
    (found,) = run_plan(plan, (np.asarray(5, np.int32),))
    assert found == 120
    assert calls["Mul"] == 4


def test_tasks_know_where_they_run() -> None:
    seen: list[DeviceName] = []

    def wrap(task: Task, kernel: Kernel) -> Kernel:
        seen.append(task.device)
        return kernel

    def program(x: tl.Tensor) -> tl.Tensor:
        with tl.device("/job:worker/cpu:0"):
            y = tl.exp(x)
        return tl.sin(y)

    instrumented(compile_plan(graph_of(program, [FLOAT])), "see", wrap)
    names = {str(device) for device in seen}
    assert names == {"/job:worker/device:CPU:0", "/device:CPU:0"}


def test_an_error_tells_of_its_node() -> None:
    def wrap(task: Task, kernel: Kernel) -> Kernel:
        def failing(xp: Any, *arrays: Any) -> Any:
            if task.op.name == "FloorDiv":
                raise tl.errors.InjectedError("asked for")
            return kernel(xp, *arrays)

        return failing

    for plan in plans(graph_of(collatz, [INT])):
        with pytest.raises(tl.errors.InjectedError) as caught:
            run_plan(instrumented(plan, "fail", wrap), (SIX,))
        assert "FloorDiv" in "".join(caught.value.__notes__)
        (turns,) = run_plan(plan, (SIX,))
        assert turns == 8
