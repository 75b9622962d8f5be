"""Inner plans: calls, recursion, and plans for another device."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.core.device import DeviceName
from tensorlite.core.op import Role
from tensorlite.graph.trace import Tracer, close, trace
from tensorlite.ops.control.branches import cond
from tensorlite.ops.control.regions import PartitionedCall, call_function
from tensorlite.passes.pipeline import COMPILE, OPTIMISE, run_passes
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.step import run_plan
from tests.interpreter import Interpreted
from tests.programs import FLOAT, INT, assert_all_agree, collatz, graph_of, nested


def called(function: Any, *args: tl.Tensor) -> tl.Tensor:
    """Return what a traced function gives, as a call in the trace at hand."""
    made = trace(
        lambda *xs: [function(*xs)], [x.spec for x in args], function.__name__
    )
    return call_function(Interpreted(made.graph), (*args, *made.captured))[0]


def square(x: tl.Tensor) -> tl.Tensor:
    return x * x


def fourth(x: tl.Tensor) -> tl.Tensor:
    return called(square, called(square, x))


def test_calls_are_inlined_and_run_alike() -> None:
    graph = graph_of(lambda x: called(fourth, x) + called(square, x), [FLOAT])
    assert [node.op.role for node in graph.nodes].count(Role.CALL) == 2
    (found,) = assert_all_agree(graph, (np.asarray(2, np.float32),))
    assert found == 20
    optimised = run_passes(graph, OPTIMISE)
    assert not [node for node in optimised.nodes if node.op.role is Role.CALL]


def test_calls_in_branches_and_loops() -> None:
    def program(n: tl.Tensor, x: tl.Tensor) -> tl.Tensor:
        chosen = cond(x < 3.0, lambda: called(fourth, x), lambda: called(square, x))
        return chosen + tl.astype(called(collatz, n), tl.float32)

    graph = graph_of(program, [INT, FLOAT])
    for x in (2, 5):
        assert_all_agree(graph, (np.asarray(6, np.int32), np.asarray(x, np.float32)))


def test_effects_of_calls_keep_their_order() -> None:
    v = tl.Variable(1.0)

    def double() -> list[tl.Tensor]:
        v.assign(v * 2.0)
        return []

    def add_three() -> list[tl.Tensor]:
        v.assign_add(3.0)
        return []

    def call(function: Any) -> None:
        made = trace(function, [], function.__name__)
        call_function(Interpreted(made.graph), tuple(made.captured))

    def program() -> list[tl.Tensor]:
        call(double)
        call(add_three)
        call(double)
        return [v.value()]

    traced = trace(program, [])
    handles = [x.array for x in traced.captured]
    found = []
    for passes in ((), OPTIMISE, COMPILE):
        v.assign(1.0)
        plan = compile_plan(run_passes(traced.graph, passes, verified=True))
        found.append(float(run_plan(plan, handles)[0]))
    assert found == [10, 10, 10]


def factorial() -> Any:
    """Return the graph of a function that calls itself."""
    tracer = Tracer("factorial")
    callee = Interpreted(tracer.graph)
    tracer.graph.outputs = []
    with tracer:
        n = tracer.graph.add_input(INT)
        # The outputs are known before the body is traced, as those of a declared function are.
        tracer.graph.outputs = [n]
        (result,) = [
            cond(n < 2, lambda: tl.ones_like(n), lambda: n * again(callee, n - 1)),
        ]
        outputs = [tracer.own(result)]
    return close(tracer, outputs, result).graph


def again(callee: Interpreted, n: tl.Tensor) -> tl.Tensor:
    return call_function(callee, (n,))[0]


def test_recursion_runs_on_every_runner() -> None:
    graph = factorial()
    for passes in ((), OPTIMISE, COMPILE):
        plan = compile_plan(run_passes(graph, passes))
        assert run_plan(plan, [np.asarray(6, np.int32)]) == (720,)


def test_a_recursive_call_stays_a_call() -> None:
    lowered = run_passes(factorial(), COMPILE)
    assert [node.op for node in lowered.nodes if isinstance(node.op, PartitionedCall)]


def test_a_plan_for_another_device_gives_the_same() -> None:
    elsewhere = DeviceName(job="worker", kind="CPU", index=0)
    for graph in (graph_of(nested, [INT, FLOAT]),):
        for passes in ((), COMPILE):
            plan = compile_plan(run_passes(graph, passes))
            arrays = [np.asarray(4, np.int32), np.asarray(1, np.float32)]
            assert run_plan(plan, arrays, None, elsewhere) == run_plan(plan, arrays)
            assert plan.on(elsewhere) is plan.on(elsewhere)
