"""Training a loop four times longer than fits the memory limit, beside one that fits.

The loop is a recurrent layer: a product and a tanh a turn, whose gradient needs what tanh gave.
Both run in turn, under one limit, which is little more than the short loop takes at most.
"""

from __future__ import annotations

import gc
from functools import partial
from typing import Any

import numpy as np

import tensorlite as tl
from tests.benchmarks.timing import Case, least

BATCH, UNITS, TURNS, TIMES = 256, 512, 100, 4
"""Rows and columns of the state; turns of the loop that fits; how much longer the other is."""
ALLOWED = 1.3


@tl.function
def step(w: tl.Tensor, h: tl.Tensor, turns: tl.Tensor, swap: bool) -> list[Any]:
    """Return the loss and its gradient, after a loop."""
    with tl.GradientTape() as tape:
        tape.watch(w)
        _, y = tl.while_loop(
            lambda i, _: i < turns,
            lambda i, y: (i + 1, tl.tanh(y @ w)),
            (0, h),
            swap_memory=swap,
        )
        loss = tl.sum(y * y)
    return [loss, tape.gradient(loss, w)]


def cases(batch: int = BATCH, units: int = UNITS, turns: int = TURNS) -> list[Case]:
    """Return the loop that fits and the long one, and let what the first takes be the limit."""
    random = np.random.default_rng(0)
    w = random.normal(size=(units, units)) / np.sqrt(units)
    h = random.normal(size=(batch, units))
    operands = tl.asarray(w.astype(np.float32)), tl.asarray(h.astype(np.float32))
    fitting = partial(step, *operands, tl.asarray(turns), swap=False)
    long = partial(step, *operands, tl.asarray(turns * TIMES), swap=True)
    fitting()
    gc.collect()
    tl.config.count_memory(True)
    tl.config.reset_memory_peak()
    fitting()
    tl.config.set_memory_limit("CPU:0", tl.config.memory_info().peak + 2 * w.nbytes)
    return [
        Case("fits", fitting, per=turns),
        Case("swapped", long, per=turns * TIMES),
    ]


def report() -> list[str]:
    """Return what a turn takes in either loop, as lines to print."""
    try:
        found = least(cases(), rounds=5)
    finally:
        tl.config.count_memory(False)
    ratio = found["swapped"] / found["fits"]
    mark = "ok" if ratio <= ALLOWED else "OVER"
    longer = f"a turn of a loop {TIMES} times too long for memory, swapped"
    return [
        f"{longer}: {found['swapped']:,.0f} us",
        f"beside one that fits: {ratio:.2f} times as long (at most {ALLOWED}) {mark}",
    ]
