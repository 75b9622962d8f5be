"""Random programs give the same bits on the tasks of a cluster as in one process, in any order.

The programs are those of test_devices.py, less calls of Python, which only one process can make.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorlite as tl
from tensorlite.distributed.inprocess import InprocessEngine
from tensorlite.function.placed import Placed
from tests.properties.test_devices import (
    WIDTH,
    Anywhere,
    Statement,
    assignment,
    exchange,
    programs,
    scanned,
    traced,
    update,
)

NAMES = (
    "/job:worker/task:0/device:CPU:0",
    "/job:worker/task:1",
    "/job:ps/task:0",
    "/device:CPU:0",
)
CASES = (
    programs(assignment(), update(), exchange(), scanned()),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)


def check(program: Statement, seed: int, graded: bool) -> None:
    """Compare one placement over the tasks of a cluster with one process."""
    rng = np.random.default_rng(seed)
    start = rng.uniform(-1, 1, 3).astype(np.float32)
    fed = [rng.uniform(-1, 1, 3).astype(np.float32) for _ in range(WIDTH)]
    own = tl.Variable(start)
    concrete = traced(program, own, graded, asks=())
    captured = [x.array for x in concrete.captured]
    expected = (*concrete.callee.run([*fed, *captured]), own.numpy())
    spec = {"worker": 2, "ps": 1}
    with tl.distribute.connect(spec, engine=InprocessEngine(seed)):
        with tl.device(NAMES[int(rng.integers(4))]):
            w = tl.Variable(start)
        concrete = traced(program, w, graded, asks=NAMES)
        arrays = [*fed, *[x.array for x in concrete.captured]]
        policy = Anywhere(seed, int(rng.integers(2, 5)))
        placed = Placed(concrete.callee.optimised, None, policy=policy)
        found = placed.run(arrays, values=True)
        found = (*found, w.numpy())
    for x, y in zip(found, expected, strict=True):
        assert x.dtype == y.dtype
        assert x.tobytes() == y.tobytes()


@settings(max_examples=60)
@given(*CASES)
def test_a_program_gives_the_same_bits_on_a_cluster(
    program: Statement, seed: int, graded: bool
) -> None:
    check(program, seed, graded)


@pytest.mark.slow
@settings(max_examples=1000)
@given(*CASES)
def test_many_programs_give_the_same_bits_on_a_cluster(
    program: Statement, seed: int, graded: bool
) -> None:
    check(program, seed, graded)
