"""Random programs give the same bits on the tasks of a cluster as in one process, in any order.

The programs are those of test_devices.py, less calls of Python, which only one process can make.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import tensorlite as tl
from tensorlite.distributed import registered
from tensorlite.distributed.cluster import Cluster
from tensorlite.distributed.engines.inprocess import InprocessEngine
from tensorlite.distributed.registered import LIGHT
from tensorlite.function.placed import Placed
from tests.distributed.thread_engine import ThreadEngine
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


SPEC = {"worker": 2, "ps": 1}


@pytest.fixture(scope="module")
def threads() -> Iterator[Cluster]:
    """A cluster whose tasks talk over sockets, within this process."""
    jobs = {f"{job}s": n for job, n in SPEC.items()}
    with tl.distribute.connect(jobs, engine=ThreadEngine(), name="threads") as made:
        yield made


def check(
    program: Statement, seed: int, graded: bool, names: Sequence[str] = NAMES
) -> None:
    """Compare one placement over the tasks of a cluster with one process."""
    rng = np.random.default_rng(seed)
    start = rng.uniform(-1, 1, 3).astype(np.float32)
    fed = [rng.uniform(-1, 1, 3).astype(np.float32) for _ in range(WIDTH)]
    own = tl.Variable(start)
    concrete = traced(program, own, graded, asks=())
    captured = [x.array for x in concrete.captured]
    expected = (*concrete.callee.run([*fed, *captured]), own.numpy())
    with tl.device(names[int(rng.integers(4))]):
        w = tl.Variable(start)
    concrete = traced(program, w, graded, asks=names)
    arrays = [*fed, *[x.array for x in concrete.captured]]
    policy = Anywhere(seed, int(rng.integers(2, 5)))
    placed = Placed(concrete.callee.optimised, None, policy=policy)
    found = (*placed.run(arrays, values=True), w.numpy())
    for x, y in zip(found, expected, strict=True):
        assert x.dtype == y.dtype
        assert x.tobytes() == y.tobytes()


@settings(max_examples=60)
@given(*CASES)
def test_a_program_gives_the_same_bits_on_a_cluster(
    program: Statement, seed: int, graded: bool
) -> None:
    with tl.distribute.connect(SPEC, engine=InprocessEngine(seed)):
        check(program, seed, graded)


@pytest.mark.parametrize("most", [-1, LIGHT], ids=["aside", "at once"])
@settings(
    max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(*CASES)
def test_a_program_gives_the_same_bits_on_many_threads(
    threads: Cluster, most: int, program: Statement, seed: int, graded: bool
) -> None:
    names = [name.replace("/task", "s/task") for name in NAMES]
    with patch.object(registered, "LIGHT", most):
        check(program, seed, graded, names)


@pytest.mark.slow
@settings(max_examples=1000)
@given(*CASES)
def test_many_programs_give_the_same_bits_on_a_cluster(
    program: Statement, seed: int, graded: bool
) -> None:
    with tl.distribute.connect(SPEC, engine=InprocessEngine(seed)):
        check(program, seed, graded)
