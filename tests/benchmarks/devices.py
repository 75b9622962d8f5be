"""Loops over two devices of the CPU: turns a second, and turns that overlap.

With other work on the machine, or one core, two devices gain nothing by overlapping: beside
the ratio stands what two threads gain that multiply the same matrices, which is the most there is.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from unittest.mock import patch

import numpy as np

import tensorlite as tl
from tensorlite.runtime import program
from tests.benchmarks import workload
from tests.benchmarks.timing import Case, least

LAYERS, UNITS, BATCH, STEPS = 8, 256, 64, 30


def loop(n: tl.Tensor, x: tl.Tensor) -> tl.Tensor:
    """Return `x` after `n` turns, counted on one device and computed on another."""
    y = tl.asarray(workload.operands()[1])
    with tl.device("CPU:0"):
        i = tl.asarray(0)
    while i < n:
        with tl.device("CPU:1"):
            x = x * y + y
        i = i + 1
    return x


def on_one_device(n: tl.Tensor, x: tl.Tensor) -> tl.Tensor:
    """Return the same, computed where it is counted."""
    y = tl.asarray(workload.operands()[1])
    i = tl.asarray(0)
    while i < n:
        x = x * y + y
        i = i + 1
    return x


def loop_cases() -> list[Case]:
    """Return the loop over two devices, and over one on the machine that runs any graph."""
    tl.config.set_logical_devices("CPU", 2)
    count, x = tl.asarray(workload.TURNS), tl.asarray(workload.operands()[0])
    apart = tl.function(loop)
    by_machine = tl.function(runner="frames")(on_one_device)
    with patch.object(program, "recognised", lambda *_: None):
        by_machine(count, x)
    return [
        Case("turn, two devices", partial(apart, count, x), per=workload.TURNS),
        Case("turn, machine", partial(by_machine, count, x), per=workload.TURNS),
    ]


def cell(w: tl.Variable, x: tl.Tensor, h: tl.Tensor, c: tl.Tensor) -> list[tl.Tensor]:
    """Return output and state of an LSTM's layer."""
    gates = tl.concat([x, h], axis=1) @ w
    enter, forget, candidate, leave = tl.split(gates, 4, axis=1)
    c = tl.nn.sigmoid(forget + 1.0) * c + tl.nn.sigmoid(enter) * tl.tanh(candidate)
    return [tl.nn.sigmoid(leave) * tl.tanh(c), c]


def lstm_cases(
    units: int = UNITS, batch: int = BATCH, steps: int = STEPS
) -> list[Case]:
    """Return the control-flow paper's LSTM of eight layers: on one device, and on two.

    On two, one turn or eight may be under way. Even with one a device begins the next turn when
    the other has taken what it sent, and not only when that is done with it.
    """
    tl.config.set_logical_devices("CPU", 2)
    weights = [
        tl.Variable(tl.random.normal((2 * units, 4 * units)) / units**0.5)
        for _ in range(LAYERS)
    ]
    inputs = tl.random.normal((steps, batch, units))

    def run(inputs: tl.Tensor, parallel: int, devices: int) -> tl.Tensor:
        def turn(t: tl.Tensor, *state: tl.Tensor) -> tuple[tl.Tensor, ...]:
            after = [inputs[t], inputs[t]]
            for i, w in enumerate(weights):
                with tl.device(f"CPU:{devices * i // LAYERS}"):
                    after += cell(w, after[-2], *state[2 * i : 2 * i + 2])
            return t + 1, *after[2:]

        start = (tl.asarray(0), *[tl.zeros((batch, units))] * 2 * LAYERS)
        return tl.while_loop(
            lambda t, *_: t < steps, turn, start, parallel_iterations=parallel
        )[-2]

    ways = {"lstm, alone": (1, 1), "lstm, one": (1, 2), "lstm, many": (8, 2)}
    return [
        Case(
            name,
            partial(tl.function(partial(run, parallel=n, devices=count)), inputs),
        )
        for name, (n, count) in ways.items()
    ]


def thread_cases() -> list[Case]:
    """Return products of matrices as large as the LSTM's, by one thread and by two at once."""
    a = np.ones((BATCH, 2 * UNITS), np.float32)
    b = np.ones((2 * UNITS, 4 * UNITS), np.float32)
    pool = ThreadPoolExecutor(2)

    def products(count: int) -> None:
        for _ in range(count):
            np.matmul(a, b)

    return [
        Case("one thread", partial(products, 40)),
        Case("two threads", lambda: [*pool.map(products, [20, 20])]),
    ]


def report() -> list[str]:
    """Return lines that say how much overlapping gains."""
    found = least([*lstm_cases(), *thread_cases()], rounds=8)
    alone, one, many = [
        found[f"lstm, {way}"] / 1e3 for way in ("alone", "one", "many")
    ]
    most = found["one thread"] / found["two threads"]
    return [
        f"8-layer LSTM, {STEPS} steps: {alone:.0f} ms on one device; over two",
        f"  {one:.0f} ms with parallel_iterations=1: {alone / one:.2f} times as fast",
        f"  {many:.0f} ms with 8: {one / many:.2f} times as fast again",
        f"  two threads multiply matrices {most:.2f} times as fast as one here",
    ]
