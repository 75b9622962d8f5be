"""Programs on a GPU: tape, traced functions on every runner, control flow, device scopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.xp import to_host
from tensorlite.passes.pipeline import COMPILE, OPTIMISE, run_passes
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.step import run_plan
from tests import programs
from tests.programs import FLOAT, INT, graph_of

BOOL = tl.TensorSpec((), tl.bool)
X = np.asarray([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)
PROGRAMS: list[tuple[Callable[..., Any], list[tl.TensorSpec], list[Any]]] = [
    (programs.collatz, [INT], [np.int32(6)]),
    (programs.nested, [INT, FLOAT], [np.int32(4), np.float32(1)]),
    (
        programs.swapping,
        [INT, FLOAT, FLOAT],
        [np.int32(3), np.float32(1), np.float32(2)],
    ),
    (programs.loop_in_branch, [BOOL, FLOAT], [np.bool_(True), np.float32(1)]),
    (programs.loop_in_branch, [BOOL, FLOAT], [np.bool_(False), np.float32(1)]),
]


def lies(x: Any, device: str) -> bool:
    return str(x.device) == device


@pytest.mark.parametrize(("program", "specs", "values"), PROGRAMS)
@pytest.mark.parametrize("runner", ["structured", "optimised", "frames"])
def test_control_flow_on_every_runner(
    program: Callable[..., Any], specs: Any, values: list[Any], runner: str, gpu: str
) -> None:
    graph = graph_of(program, specs)
    passes = {"structured": (), "optimised": OPTIMISE, "frames": COMPILE}[runner]
    plan = compile_plan(run_passes(graph, passes))
    wanted = run_plan(plan, [np.asarray(x) for x in values])
    found = run_plan(plan, [tl.asarray(x, device=gpu).array for x in values])
    for y, reference in zip(found, wanted, strict=True):
        np.testing.assert_allclose(to_host(y), reference, rtol=1e-6)


@pytest.mark.parametrize("runner", ["structured", "frames"])
def test_gradients_through_loops_and_branches(runner: str, gpu: str) -> None:
    @tl.function(runner=runner)
    def f(x: tl.Tensor, n: tl.Tensor) -> Any:
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tl.range(n):
                if tl.sum(y) > 0.0:  # noqa: SIM108  to be converted
                    y = y * x
                else:
                    y = y + tl.sin(x)
            loss = tl.sum(y)
        return loss, tape.gradient(loss, x)

    n = tl.asarray(3)
    wanted = f(tl.asarray(X), n)
    found = f(tl.asarray(X, device=gpu), n)
    for y, reference in zip(found, wanted, strict=True):
        assert lies(y, gpu)
        np.testing.assert_allclose(y.numpy(), reference.numpy(), rtol=1e-5)


def test_a_straight_function_gives_a_gpu_tensor(gpu: str) -> None:
    f = tl.function(
        lambda x: tl.sum(tl.tanh(x) * 2.0 + 1.0, axis=1), runner="straight"
    )
    found = f(tl.asarray(X, device=gpu))
    assert lies(found, gpu)
    np.testing.assert_allclose(found.numpy(), f(tl.asarray(X)).numpy(), rtol=1e-6)


def test_second_order_by_nested_tapes(gpu: str) -> None:
    x = tl.asarray(X, device=gpu)
    with tl.GradientTape() as outer:
        outer.watch(x)
        with tl.GradientTape() as inner:
            inner.watch(x)
            y = tl.sum(tl.exp(x) * x)
        slope = inner.gradient(y, x)
    curve = outer.gradient(slope, x)
    assert lies(slope, gpu)
    assert lies(curve, gpu)
    np.testing.assert_allclose(curve.numpy(), np.exp(X) * (X + 2), rtol=1e-5)


def test_a_variable_on_a_gpu_draws_the_function_there(gpu: str) -> None:
    w = tl.Variable(tl.asarray(X, device=gpu))

    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        w.assign_add(tl.ones_like(w))
        return x @ w

    y = f(tl.ones((1, 2)))
    assert lies(y, gpu)
    np.testing.assert_allclose(y.numpy(), [[3.5, 4.0, 4.0]])
    np.testing.assert_allclose(w.numpy(), X + 1)


def test_a_function_without_operands_runs_where_its_variable_is(gpu: str) -> None:
    w = tl.Variable(tl.asarray(X, device=gpu))
    y = tl.function(lambda: w * 2.0)()
    assert lies(y, gpu)
    np.testing.assert_array_equal(y.numpy(), X * 2)


def test_operands_of_two_devices_meet_on_the_gpu(gpu: str) -> None:
    here, there = tl.asarray(X), tl.asarray(X, device=gpu)
    for y in (
        here + there,
        there + here,
        2.0 * there,
        there + X,
        tl.concat([here, there]),
    ):
        assert lies(y, gpu)
    np.testing.assert_array_equal((here + there).numpy(), X + X)
    np.testing.assert_array_equal(
        tl.concat([here, there]).numpy(), np.concatenate([X, X])
    )
    assert lies(tl.reshape(here, tl.asarray([3, 2], device=gpu)), "/device:CPU:0")


def test_gradients_reach_operands_on_both_devices(gpu: str) -> None:
    here, there = tl.asarray(X), tl.asarray(X, device=gpu)
    with tl.GradientTape() as tape:
        tape.watch([here, there])
        loss = tl.sum(here * there)
    for g in tape.gradient(loss, [here, there]):
        np.testing.assert_array_equal(g.numpy(), X)


def test_a_device_scope_makes_tensors_there(gpu: str) -> None:
    with tl.device(gpu):
        made = [
            tl.ones((2, 3)),
            tl.zeros(3),
            tl.asarray([1.0, 2.0]),
            tl.constant(3),
            tl.arange(5),
            tl.linspace(0.0, 1.0, 3),
            tl.eye(3),
            tl.full((2,), 7),
            tl.random.normal((2, 2)),
            tl.Variable([1.0, 2.0]).value(),
            tl.Variable(lambda: tl.ones(2)).value(),
            tl.asarray(X) @ tl.ones((3, 2)),
        ]
    for x in made:
        assert lies(x, gpu), x
    np.testing.assert_array_equal(made[4].numpy(), np.arange(5))


def test_a_cpu_scope_brings_operands_back(gpu: str) -> None:
    there = tl.asarray(X, device=gpu)
    w = tl.Variable(there)
    with tl.device("/cpu:0"):
        y = there + 1.0
        w.assign_add(tl.ones((2, 3)))
    assert lies(y, "/device:CPU:0")
    assert lies(w.value(), gpu)
    np.testing.assert_array_equal(w.numpy(), X + 1)


def test_a_variable_stays_where_it_was_made(gpu: str) -> None:
    w = tl.Variable(X)
    w.assign(tl.asarray(X * 2, device=gpu))
    assert lies(w, "/device:CPU:0")
    assert lies(w.value(), "/device:CPU:0")
    np.testing.assert_array_equal(w.numpy(), X * 2)


def test_device_scopes_inside_a_function_are_kept(gpu: str) -> None:
    @tl.function
    def f(x: tl.Tensor, n: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor, tl.Tensor]:
        with tl.device(gpu):
            y = x * 2.0
            for _ in tl.range(n):
                y = y + 1.0
        with tl.device("/cpu:0"):
            z = y + x
        return y, z, z.to_device(gpu)

    for x in (tl.asarray(X), tl.asarray(X, device=gpu)):
        y, z, moved = f(x, tl.asarray(2))
        assert [str(t.device) for t in (y, z, moved)] == [gpu, "/device:CPU:0", gpu]
        np.testing.assert_allclose(z.numpy(), X * 3 + 2)


def test_to_device_goes_there_and_back(gpu: str) -> None:
    x = tl.asarray(X)
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = tl.sum(x.to_device(gpu) * 3.0)
    assert lies(y, gpu)
    g = tape.gradient(y, x)
    assert lies(g, "/device:CPU:0")
    np.testing.assert_array_equal(g.numpy(), np.full_like(X, 3))
    assert lies(x.to_device(gpu).to_device("/cpu:0"), "/device:CPU:0")


@pytest.mark.parametrize("outside", [False, True])
def test_a_device_scope_and_a_tape(outside: bool, gpu: str) -> None:
    x, w, tape = tl.asarray(X), tl.Variable(X), tl.GradientTape()
    first, second = (tl.device(gpu), tape) if outside else (tape, tl.device(gpu))
    with first, second:
        tape.watch(x)
        y = tl.sum(x * x * w)
    assert lies(y, gpu)
    of_x, of_w = tape.gradient(y, [x, w])
    np.testing.assert_allclose(of_x.numpy(), 2 * X * X, rtol=1e-6)
    np.testing.assert_allclose(of_w.numpy(), X * X, rtol=1e-6)


def test_values_are_told_as_those_of_the_cpu(gpu: str) -> None:
    x = tl.asarray([1.0, 2.5], device=gpu)
    assert repr(x) == "Tensor(shape=(2,), dtype=float32, device=GPU:0)\n[1.  2.5]"
    assert (x[1].item(), float(x[0]), x.tolist()) == (2.5, 1.0, [1.0, 2.5])
    assert bool(tl.any(x > 2.0))
    assert 2.5 in x
    assert [float(row) for row in x] == [1.0, 2.5]
    assert f"{x[1]:.2f}" == "2.50"
    assert type(x.numpy()) is np.ndarray
    assert tl.asarray(1, device=gpu).__index__() == 1
    assert repr(tl.Variable(x)).startswith(
        "Variable(name='Variable', shape=(2,), dtype=float32, d"
    )


def test_assignment_to_parts(gpu: str) -> None:
    x, wanted = tl.asarray(X, device=gpu), X.copy()
    alias = x
    x[0, 1] = 10.0
    x[1] = tl.asarray([7.0, 8.0, 9.0])
    x[:, ::2] += 1.0
    x[x > 9.0] = 0.0
    x[tl.asarray([0, 1]), tl.asarray([2, 0], device=gpu)] = -1.0
    wanted[0, 1] = 10
    wanted[1] = [7, 8, 9]
    wanted[:, ::2] += 1
    wanted[wanted > 9] = 0
    wanted[[0, 1], [2, 0]] = -1
    assert alias is x
    assert lies(x, gpu)
    np.testing.assert_array_equal(x.numpy(), wanted)


def test_indexing(gpu: str) -> None:
    x = tl.asarray(X, device=gpu)
    pairs: list[tuple[tl.Tensor, Any]] = [
        (x[0], X[0]),
        (x[..., -1], X[..., -1]),
        (x[:, 1:], X[:, 1:]),
        (x[x > 0.0], X[X > 0]),
        (x[np.asarray([1, 0])], X[[1, 0]]),
        (x[tl.asarray([1, 0], device=gpu), 2], X[[1, 0], 2]),
        (x[tl.asarray(1, device=gpu)], X[1]),
        (x[:, None], X[:, None]),
    ]
    for found, wanted in pairs:
        assert lies(found, gpu)
        np.testing.assert_array_equal(found.numpy(), wanted)


@pytest.mark.parametrize(
    "dtype", [tl.bfloat16, tl.float16, tl.float64, tl.complex64], ids=str
)
def test_rows_taken_twice_get_both_gradients(dtype: tl.DType, gpu: str) -> None:
    x = tl.astype(tl.asarray(X, device=gpu), dtype)
    takes: list[Callable[[tl.Tensor], tl.Tensor]] = [
        lambda x: tl.gather(x, [0, 0, 1]),
        lambda x: tl.repeat(x, [2, 1], axis=0),
    ]
    for take in takes:
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = take(x)
        g = tl.densify(tape.gradient(y, x, output_gradients=tl.ones_like(y)))
        assert lies(g, gpu)
        assert g.dtype is dtype
        np.testing.assert_array_equal(
            tl.astype(g, tl.complex64).numpy(), [[2] * 3, [1] * 3]
        )


@pytest.mark.parametrize("name", ["uniform", "normal", "truncated_normal"])
def test_random_numbers_are_the_cpus(name: str, gpu: str) -> None:
    def drawn() -> tl.Tensor:
        tl.random.set_seed(7)
        return getattr(tl.random, name)((3, 5))  # type: ignore[no-any-return]

    wanted = drawn()
    with tl.device(gpu):
        found = drawn()
        state = tl.random.Generator.from_seed(1).state
    assert lies(found, gpu)
    assert lies(state, "/device:CPU:0")
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-6)


@pytest.mark.parametrize("ends", [("/cpu:0", "gpu"), ("gpu", "/cpu:0")])
def test_elements_of_lists_go_to_where_they_are_read(
    ends: tuple[str, str], gpu: str
) -> None:
    first, second = [gpu if end == "gpu" else end for end in ends]

    @tl.function(autograph=False)
    def f(x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
        with tl.device(first):
            rows = tl.TensorArray(tl.float32, 2).write(0, x * 2.0).write(1, x + 1.0)
        with tl.device(second):
            return rows.stack(), rows.read(1)

    x = np.asarray([1.0, 2.0], np.float32)
    stacked, read = f(tl.asarray(x))
    assert lies(stacked, second if second == gpu else "/device:CPU:0")
    np.testing.assert_array_equal(to_host(stacked.array), [x * 2, x + 1])
    np.testing.assert_array_equal(to_host(read.array), x + 1)


def test_gradients_of_lists_made_on_two_devices_add_up(gpu: str) -> None:
    @tl.function(autograph=False)
    def f(x: tl.Tensor) -> tl.Tensor:
        with tl.GradientTape() as tape:
            tape.watch(x)
            rows = tl.TensorArray(tl.float32, 2).unstack(x)
            with tl.device(gpu):
                here = rows.stack() * 2.0
            with tl.device("/cpu:0"):
                there = rows.stack() * 3.0
                loss = tl.sum(here) + tl.sum(there)
        gradient: tl.Tensor = tape.gradient(loss, x)
        return gradient

    found = f(tl.ones((2, 3)))
    np.testing.assert_array_equal(to_host(found.array), np.full((2, 3), 5.0))
