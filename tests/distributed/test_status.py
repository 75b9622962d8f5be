"""What a cluster says of its tasks, and of what they wait for."""

from __future__ import annotations

import inspect
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.distributed.cluster import Cluster
from tensorlite.distributed.engines.events import Faults
from tensorlite.distributed.engines.inprocess import InprocessEngine
from tests.threads import until

PS, FIRST, SECOND = "/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"
SPEC = {"ps": 1, "worker": 2}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with tl.distribute.connect(SPEC, engine="inprocess") as made:
        yield made


@pytest.fixture
def step_timeout() -> Iterator[None]:
    tl.config.set_step_timeout(5.0)
    yield
    tl.config.set_step_timeout(None)


def never_filled() -> tuple[Any, int]:
    """Return a function whose part in one task waits for another, and the line where it does."""
    with tl.device(PS):
        queue = tl.queue.FIFOQueue(3, tl.float32, shapes=(), name="batches")

    @tl.function
    def step() -> Any:
        with tl.device(PS):
            x = queue.dequeue()
        with tl.device(FIRST):
            return x * 2.0

    line = inspect.getsourcelines(never_filled)[1] + 8
    return step, line


def begun(step: Any) -> list[Any]:
    """Begin a step, and return where its outputs will be."""
    concrete = step.get_concrete_function()
    found: list[Any] = []
    placed = concrete.callee.placed().step
    placed.begin([x.array for x in concrete.captured], found.append)
    return found


def test_what_each_task_is_at(cluster: Cluster) -> None:
    with tl.device(PS):
        w = tl.Variable(tl.zeros((100, 100)))
    cluster.status()
    with tl.device(FIRST):
        x = [w + 1.0 for _ in range(5)][-1]
    status = cluster.status()
    assert [each.task for each in status] == list(cluster.tasks)
    assert {each.state for each in status} == {"running"}
    ps, first = status[PS], status[FIRST]
    assert ps.held == 40_000
    assert first.held is not None
    assert first.held >= x.numpy().nbytes
    assert ps.pid == os.getpid()
    assert ps.memory is not None
    assert ps.memory > 1 << 20
    assert first.steps == 5
    assert first.rate is not None
    assert first.rate > 0
    assert status[SECOND].rate == 0
    assert first.bytes_in is not None
    assert ps.bytes_out is not None
    assert ps.bytes_out >= 5 * 40_000
    assert status.waits == ()
    assert status[1:].tasks == status.tasks[1:]
    with pytest.raises(KeyError):
        status["/job:ps/task:1"]


def test_the_table_has_a_row_for_each_task(cluster: Cluster) -> None:
    head, *rows = str(cluster.status()).splitlines()
    assert head.split()[:3] == ["task", "state", "waits"]
    assert [row.split()[:2] for row in rows] == [
        [task, "running"] for task in cluster.tasks
    ]


def test_who_waits_for_whom_is_told(cluster: Cluster) -> None:
    step, line = never_filled()
    begun(step)
    cluster.master.carrier.wait(lambda: False, 3.0)
    waits = cluster.status().waits
    ps, first = sorted(waits, key=lambda wait: wait.task)
    assert (ps.task, ps.source) == (PS, "")
    assert "an element of FIFOQueue 'batches' (0 of 3 elements)" in ps.what
    assert f"test_status.py:{line} in step()" in ps.what
    assert (first.task, first.source) == (FIRST, PS)
    assert f"which {PS} has not sent" in first.what
    assert f"test_status.py:{line} in step()" in first.what
    assert first.seconds >= 2.9
    assert first.heard is None
    assert f"{PS} was never heard" in str(cluster.status())


def test_when_another_was_last_heard_is_told(cluster: Cluster) -> None:
    @tl.function
    def crosses(x: tl.Tensor) -> tl.Tensor:
        with tl.device(PS):
            x = x + 1.0
        with tl.device(FIRST):
            return x * 2.0

    assert crosses(tl.ones(2)).tolist() == [4, 4]
    step, _ = never_filled()
    begun(step)
    cluster.master.carrier.wait(lambda: False, 12.0)
    (first,) = [wait for wait in cluster.status().waits if wait.source]
    assert first.heard is not None
    assert 12.0 <= first.heard < 13.0
    assert f"{PS} was last heard 12.0 s ago" in str(first)


@pytest.mark.usefixtures("step_timeout")
def test_a_step_that_waits_too_long_tells_what_for(cluster: Cluster) -> None:
    step, line = never_filled()
    with pytest.raises(tl.errors.DeadlineExceededError) as raised:
        step()
    told = str(raised.value)
    assert "longer than 5.0 s" in told
    assert "tl.config.set_step_timeout" in told
    assert f"{PS} waits for an element of FIFOQueue 'batches'" in told
    assert f"{FIRST} waits for " in told
    assert f"test_status.py:{line}" in told
    assert cluster.status().waits == ()  # it was given up


@pytest.mark.usefixtures("step_timeout")
def test_what_the_client_itself_waits_for_is_told(cluster: Cluster) -> None:
    with tl.device(PS):
        queue = tl.queue.FIFOQueue(3, tl.float32, shapes=(), name="batches")

    @tl.function
    def step() -> Any:
        with tl.device(PS):
            x = queue.dequeue()
        with tl.device("/device:CPU:0"):
            return x * 2.0

    with pytest.raises(tl.errors.DeadlineExceededError, match="in step") as raised:
        step()
    assert f"which {PS} has not sent, for" in str(raised.value)


@pytest.mark.usefixtures("step_timeout")
def test_other_steps_are_not_told_of(cluster: Cluster) -> None:
    step, _ = never_filled()
    begun(step)
    with tl.device(SECOND):
        queue = tl.queue.FIFOQueue(3, tl.float32, shapes=(), name="others")
    with pytest.raises(tl.errors.DeadlineExceededError, match="others") as raised:
        queue.dequeue()
    assert "batches" not in str(raised.value)
    assert len(cluster.status().waits) == 2


def test_a_lost_task_says_why_and_one_that_runs_again_too() -> None:
    engine = InprocessEngine(faults=Faults(notice=(0.5, 0.5), restart=(3.0, 3.0)))
    with tl.distribute.connect(SPEC, engine=engine) as cluster:
        engine.kill(PS)
        cluster.master.carrier.wait(lambda: PS in cluster.lost)
        before = cluster.status()[PS]
        assert before.state == "lost"
        assert "killed" in before.reason
        assert before.memory is None
        assert f"{PS} was lost: task {PS}" in str(cluster.status())
        cluster.master.carrier.wait(lambda: False, 10.0)
        after = cluster.status()[PS]
        assert after.state == "started anew"
        assert after.incarnation > before.incarnation
        cluster.recover()
        assert cluster.status()[PS].state == "running"
        assert cluster.status()[PS].reason == ""


def test_a_task_that_does_not_answer_in_time_is_silent() -> None:
    engine = InprocessEngine(faults=Faults(stragglers={SECOND: 100_000.0}))
    with tl.distribute.connect(SPEC, engine=engine) as cluster:
        status = cluster.status()
        states = {each.task: each.state for each in status}
        assert states == {PS: "running", FIRST: "running", SECOND: "silent"}
        assert status[SECOND].steps is None
        assert not cluster.master._requests


def test_a_closed_cluster_has_no_status(cluster: Cluster) -> None:
    cluster.close()
    with pytest.raises(tl.errors.FailedPreconditionError, match="closed"):
        cluster.status()


@pytest.mark.cluster
def test_a_process_that_is_stopped_is_silent_and_goes_on() -> None:
    with tl.distribute.connect(SPEC) as cluster:
        with tl.device(FIRST):
            x = tl.ones((300, 300)) + 1.0
        status = cluster.status()
        assert len({each.pid for each in status} | {os.getpid()}) == 4
        held = status[FIRST].held
        assert held is not None
        assert held >= 360_000
        pid = status[SECOND].pid
        os.kill(pid, signal.SIGSTOP)
        try:
            stat = Path(f"/proc/{pid}/stat")
            until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")
            status = cluster.status(timeout=1.0)
        finally:
            os.kill(pid, signal.SIGCONT)
        states = {each.task: each.state for each in status}
        assert states == {PS: "running", FIRST: "running", SECOND: "silent"}
        with tl.device(SECOND):
            assert np.array_equal((x + 1.0).numpy(), np.full((300, 300), 3.0))
        assert cluster.status()[SECOND].state == "running"


@pytest.mark.cluster
def test_what_processes_wait_for_is_told_when_it_is_too_long() -> None:
    with tl.distribute.connect(SPEC):
        step, line = never_filled()
        tl.config.set_step_timeout(1.0)
        try:
            with pytest.raises(tl.errors.DeadlineExceededError) as raised:
                step()
        finally:
            tl.config.set_step_timeout(None)
        told = str(raised.value)
        assert (
            f"{PS} waits for an element of FIFOQueue 'batches' (0 of 3 elements)"
            in told
        )
        assert f"which {PS} has not sent" in told
        assert f"test_status.py:{line} in step()" in told
