"""Clusters in one process whose tasks and links fail: nothing hangs, nothing is lost unseen.

Each seed draws what goes wrong and what is run. `campaign.py` counts what each variable must hold.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    DeadlineExceededError,
    DeadlockError,
    UnavailableError,
)
from tensorlite.distributed.connecting import connect
from tensorlite.distributed.engines.events import Faults
from tensorlite.distributed.engines.inprocess import InprocessEngine
from tensorlite.distributed.worker import Worker
from tests.distributed.campaign import Campaign, adding, begin
from tests.threads import Background

SEEDS = 100
STEPS = 100


def campaigns(seeds: range) -> Counter[str]:
    """Return what came of the steps of all seeds."""
    total: Counter[str] = Counter()
    for seed in seeds:
        campaign = Campaign(seed, STEPS)
        try:
            total += campaign.run()
        except BaseException as error:
            said = "; ".join(map(str, campaign.engine.log[-20:]))
            error.add_note(f"campaign of seed {seed}, {campaign.faults}: {said}")
            raise
        finally:
            campaign.cluster.close()
    return total


def test_no_update_is_lost_that_was_acknowledged() -> None:
    found = campaigns(range(5))
    assert found["done"] > 300
    assert found["UnavailableError"] > 10


@pytest.mark.slow
@pytest.mark.cluster
def test_ten_thousand_steps_of_a_hundred_seeds() -> None:
    found = campaigns(range(SEEDS))
    assert found["done"] + found["UnavailableError"] == SEEDS * STEPS
    assert found["done"] > 8000
    assert found["started anew"] > 50


def test_a_campaign_is_seen_again() -> None:
    told: list[list[Any]] = []
    for _ in range(2):
        campaign = Campaign(3, 30)
        told.append([])
        campaign.engine.network.events.listener = lambda *what: told[-1].append(what)
        campaign.run()
        campaign.cluster.close()
    assert len(told[0]) > 300
    assert told[0] == told[1]


def relay() -> Any:
    """Return a function in which one task sends a value to another."""

    @tl.function
    def relayed(x: Any) -> Any:
        with tl.device("/job:ps/task:0"):
            y = x + 1.0
        with tl.device("/job:ps/task:1"):
            return y * 2.0

    return relayed.get_concrete_function(tl.TensorSpec((), tl.float32))


def test_a_value_that_was_lost_before_it_was_asked_for_is_not_waited_for() -> None:
    """A link ends and is made again before the second task even knows of the step."""
    faults = Faults(
        notice=(0.01, 0.01), outage=(0, 0), stragglers={"/job:ps/task:1": 1000.0}
    )
    engine = InprocessEngine(5, faults)
    with connect({"ps": 2}, engine=engine) as cluster:
        function = relay()
        function(tl.constant(1.0))
        under = begin(function, np.float32(1))
        carrier = cluster.master.carrier
        carrier.wait(lambda: "/job:ps/task:0" not in under.awaited())
        engine.network.cut("/job:ps/task:0", "/job:ps/task:1")
        carrier.wait(lambda: False, 0.02)
        [ps] = [
            x for x in engine.network.listening.values() if x.task == "/job:ps/task:0"
        ]
        ps.connect("/job:ps/task:1")
        carrier.wait(under.is_over)
        with pytest.raises(UnavailableError, match=r"says: .* the link was cut at"):
            under.result()
        assert not cluster.lost
        assert function(tl.constant(1.0)).numpy() == 4


def test_a_hang_is_told_with_who_waits_for_what() -> None:
    with connect({"ps": 1, "worker": 1}, engine=InprocessEngine(9)) as cluster:
        with tl.device("/job:ps/task:0"):
            queue = tl.queue.FIFOQueue(3, [tl.float32], shapes=[()])

        @tl.function
        def take() -> Any:
            with tl.device("/job:worker/task:0"):
                return queue.dequeue() * 2.0

        with pytest.raises(DeadlockError) as caught:
            take()
        text = str(caught.value)
        assert "of seed 9" in text
        assert "/job:ps/task:0 waits for an element of " in text
        assert "/job:worker/task:0 waits for " in text
        assert "which /job:ps/task:0 has not sent, for" in text
        assert "the client waits for" in caught.value.__notes__[-1]
        queue.enqueue(tl.constant(2.0))
        assert take().numpy() == 4
        assert not cluster.lost


class Deaf(Worker):
    """A worker that does not hear one of the commands to run."""

    def _run(self, task: str, numbers: Any, payload: Any) -> None:
        if self.settings.task != "/job:ps/task:0":
            super()._run(task, numbers, payload)


def test_a_task_that_does_not_do_what_it_is_asked_is_to_blame() -> None:
    engine = InprocessEngine(21, make=Deaf)
    with connect({"ps": 2}, engine=engine):
        with pytest.raises(DeadlockError) as caught:
            relay()(tl.constant(1.0))
        text = str(caught.value)
        assert "/job:ps/task:1 waits for " in text
        assert "; /job:ps/task:0 is waited for and waits for nothing itself" in text
        assert (
            "the client waits for /job:ps/task:0, /job:ps/task:1 to answer relayed"
            in caught.value.__notes__
        )


def test_a_step_that_takes_too_long_is_given_up() -> None:
    """The seconds are the cluster's own; nobody has waited for them here."""
    faults = Faults(stragglers={"/job:ps/task:1": 1e7})
    with connect({"ps": 2}, engine=InprocessEngine(4, faults)) as cluster:
        tl.config.set_step_timeout(100)
        try:
            with pytest.raises(
                DeadlineExceededError,
                match=r"longer than 100\.0 s.* it waits for /job:ps/task:1 to answer",
            ):
                relay()(tl.constant(1.0))
        finally:
            tl.config.set_step_timeout(None)
        with tl.device("/job:ps/task:0"):
            assert (tl.constant(1.0) + 1.0).numpy() == 2
        assert not cluster.lost


def test_several_threads_may_run_steps() -> None:
    with connect({"ps": 1, "worker": 4}, engine=InprocessEngine(6)):
        with tl.device("/job:ps/task:0"):
            variable = tl.Variable(np.int64(0))

        def go(worker: int) -> int:
            add = adding(worker, [variable])
            return sum(int(add(tl.constant(np.full(3, i)))) for i in range(20))

        threads = [Background(go, worker) for worker in range(4)]
        expected = sum(3 * (2 * i + 1) for i in range(20))
        assert [each.result() for each in threads] == [expected] * 4
        assert int(variable.read_value()) == 80


def test_a_function_under_a_lock_runs_in_the_task_of_the_lock() -> None:
    """What it uses names the task, which is that task itself and connected to none."""
    with connect({"ps": 1, "worker": 1}, engine=InprocessEngine(8)):
        with tl.device("/job:ps/task:0"):
            section, variable = tl.CriticalSection(), tl.Variable(np.float32(0))

        def more(x: Any) -> Any:
            for _ in tl.range(2):
                variable.assign(variable.value() + x)
            return tl.cond(x > 3.0, variable.value, lambda: x)

        @tl.function
        def add(x: Any) -> Any:
            with tl.device("/job:worker/task:0"):
                y = x * 2.0
            return section.execute(lambda: more(y))

        assert [float(add(tl.constant(x))) for x in (1.0, 2.0)] == [2, 12]
