"""The workload in NumPy and in tensorlite."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.graph.trace import trace
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.step import run_plan
from tests.benchmarks import workload
from tests.benchmarks.timing import Case

NODES = 200
RUNNERS = ("structured", "frames")


def eager_cases() -> list[Case]:
    """Return an addition and the chain of ten operators, with and without a tape."""
    arrays = workload.operands()
    x, y = map(tl.asarray, arrays)
    return [
        Case("numpy add", "np.add(x, y)", {"np": np, "x": arrays[0], "y": arrays[1]}),
        Case("add", "x + y", {"x": x, "y": y}),
        Case("numpy scaled", "x * 2.0", {"x": arrays[0]}),
        Case("scaled", "x * 2.0", {"x": x}),
        Case("numpy sum", "np.sum(x, axis=0)", {"np": np, "x": arrays[0]}),
        Case("sum", "tl.sum(x, axis=0)", {"tl": tl, "x": x}),
        Case("numpy reshape", "np.reshape(x, (2, 4))", {"np": np, "x": arrays[0]}),
        Case("reshape", "tl.reshape(x, (2, 4))", {"tl": tl, "x": x}),
        Case("numpy chain", partial(workload.chain, *arrays)),
        Case("chain", partial(workload.chain, x, y)),
        Case("chain, tape", partial(taped, x, y)),
        Case("chain, gradient", partial(gradient, x, y)),
    ]


def taped(x: tl.Tensor, y: tl.Tensor) -> tuple[tl.GradientTape, tl.Tensor]:
    """Return a tape that saw the chain, and the chain's end."""
    with tl.GradientTape() as tape:
        tape.watch(x)
        end: tl.Tensor = workload.chain(x, y)
    return tape, end


def gradient(x: tl.Tensor, y: tl.Tensor) -> Any:
    """Return the gradient of the chain's end."""
    tape, end = taped(x, y)
    return tape.gradient(end, x)


def plan_cases() -> list[Case]:
    """Return a straight plan, the same kernels called bare, and tracing, by the node."""
    arrays = workload.operands()
    specs = [tl.TensorSpec(array.shape, tl.float32) for array in arrays]

    def program(x: tl.Tensor, y: tl.Tensor) -> list[tl.Tensor]:
        for _ in range(NODES // 2):
            x = x * y + y
        return [x]

    def kernels() -> None:
        x, y = arrays
        for _ in range(NODES // 2):
            x = np.add(np.multiply(x, y), y)

    plan = compile_plan(trace(program, specs).graph)
    return [
        Case("kernels", kernels, per=NODES),
        Case("plan", lambda: run_plan(plan, arrays), per=NODES),
        Case("trace", lambda: trace(program, specs), per=NODES),
    ]


def call_cases() -> list[Case]:
    """Return the call of a traced function, and of the plan within it."""
    arrays = workload.operands()
    x, y = map(tl.asarray, arrays)
    traced = tl.function(lambda x, y: x + y)
    specs = [tl.TensorSpec(array.shape, tl.float32) for array in arrays]
    plan = compile_plan(trace(lambda x, y: [x + y], specs).graph)
    return [
        Case("plan of one node", lambda: run_plan(plan, arrays)),
        Case("call", "f(x, y)", {"f": traced, "x": x, "y": y}),
    ]


def first_call_cases() -> list[Case]:
    """Return everything that happens at a traced function's first call, by the node."""
    x, y = map(tl.asarray, workload.operands())

    def program(x: tl.Tensor, y: tl.Tensor) -> tl.Tensor:
        for _ in range(NODES // 2):
            x = x * y + y
        return x

    return [Case("first call", lambda: tl.function(program)(x, y), per=NODES)]


def loop_cases() -> list[Case]:
    """Return a loop of 1,000 turns of four nodes: NumPy's kernels, and ours on two runners."""
    arrays = workload.operands()
    y = tl.asarray(arrays[1])

    def loop(n: tl.Tensor, x: tl.Tensor) -> tl.Tensor:
        i = tl.asarray(0)
        while i < n:
            x = x * y + y
            i = i + 1
        return x

    def kernels() -> None:
        x, half = arrays
        i, one, n = np.asarray([0, 1, workload.TURNS], np.int32)
        while np.less(i, n):
            x = np.add(np.multiply(x, half), half)
            i = np.add(i, one)

    count, x = tl.asarray(workload.TURNS), tl.asarray(arrays[0])
    found = [Case("numpy turn", kernels, per=workload.TURNS)]
    for runner in RUNNERS:
        traced = tl.function(runner=runner)(loop)
        found.append(
            Case(f"turn, {runner}", partial(traced, count, x), per=workload.TURNS)
        )
    return found


def step_cases() -> list[Case]:
    """Return a training step of a small convolutional network, eager and traced."""
    step = training_step()
    return [Case("step, eager", step), Case("step, traced", tl.function(step))]


def training_step() -> Callable[[], tl.Tensor]:
    """Return a function that takes one step of gradient descent and returns the loss."""
    data = {key: tl.asarray(value) for key, value in workload.digits().items()}
    held = {key: tl.Variable(value) for key, value in workload.weights().items()}

    def layer(h: tl.Tensor, filters: tl.Variable) -> tl.Tensor:
        return tl.nn.max_pool2d(
            tl.nn.relu(tl.nn.conv2d(h, filters, padding="SAME")), 2
        )

    def step() -> tl.Tensor:
        with tl.GradientTape() as tape:
            h = layer(layer(data["images"], held["first"]), held["second"])
            logits = tl.reshape(h, (workload.BATCH, -1)) @ held["dense"]
            loss = tl.mean(tl.nn.sparse_softmax_cross_entropy(data["labels"], logits))
        slopes: list[Any] = tape.gradient(loss, list(held.values()))
        for weight, g in zip(held.values(), slopes, strict=True):
            weight.assign_sub(0.01 * g)
        return loss

    return step
