"""Backup workers: the first gradients count, late ones are dropped and counted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InjectedError
from tensorlite.distributed.engines.events import Faults
from tensorlite.distributed.engines.inprocess import InprocessEngine
from tests.distributed.strategies.holding import Holding
from tests.distributed.strategies.training import local_tasks, noise, trained

LATE = "replica_3"


class Slope:
    """One weight, whose gradient is the mean of what each replica is given."""

    def __init__(self, strategy: tl.distribute.Strategy) -> None:
        with strategy.scope():
            self.weight = tl.Variable(0.0)
            self.optimizer = tl.optimizers.SGD(1.0)
        self.strategy = strategy

    def step(self, x: tl.Tensor) -> tl.Tensor:
        self.optimizer.apply_gradients([(tl.mean(x), self.weight)])
        return tl.mean(x)

    def run(self, *numbers: float) -> float:
        return float(self.strategy.run(self.step, np.asarray(numbers, np.float32)))


def slope(backup: int = 1) -> tuple[Slope, Holding]:
    tasks = Holding(4)
    return Slope(tl.distribute.ParameterServer(tasks, backup=backup)), tasks


def dropped_by_ledger(strategy: Any) -> int:
    """Return what the accumulators themselves counted."""
    return sum(
        int(one.ledger.num_dropped()) for one in strategy._apart._exchanged.values()
    )


def test_without_stragglers_all_gradients_count() -> None:
    batches = noise(20, 32)
    alone, *_ = trained(None, batches)
    strategy = tl.distribute.ParameterServer(local_tasks(4), backup=1)
    losses, *_ = trained(strategy, batches)
    np.testing.assert_allclose(losses, alone, rtol=0, atol=1e-5)
    assert strategy.dropped == 0


@pytest.mark.parametrize("rows", [5, 7, 31])
def test_shares_that_differ_by_a_row(rows: int) -> None:
    batches = noise(20, rows)
    alone, *_ = trained(None, batches)
    losses, *_ = trained(
        tl.distribute.ParameterServer(local_tasks(4), backup=1), batches
    )
    np.testing.assert_allclose(losses, alone, rtol=1e-5, atol=1e-5)


@contextmanager
def cluster(**faults: Any) -> Iterator[tuple[Slope, InprocessEngine]]:
    """Yield a slope on servers and 4 workers in this process, in virtual time."""
    engine = InprocessEngine(seed=3, faults=Faults(**faults))
    with tl.distribute.connect({"ps": 2, "worker": 4}, engine=engine) as tasks:
        yield Slope(tl.distribute.ParameterServer(tasks, backup=1)), engine


SLOW = {"/job:worker/task:3": 300.0}


def test_a_step_ends_without_the_straggler_and_drops_what_it_brings() -> None:
    with cluster(stragglers=SLOW) as (line, _):
        assert line.run(1, 2, 3, 100) == 2.0
        assert float(line.weight) == -2.0
        assert float(line.optimizer.iterations) == 1
        strategy: Any = line.strategy
        strategy.join()
        assert float(line.weight) == -2.0
        assert strategy.dropped == dropped_by_ledger(strategy) == 1


def test_a_straggler_does_not_slow_the_others_down() -> None:
    """In virtual time; what it is in real time the benchmarks of clusters tell."""

    def median(**faults: Any) -> float:
        with cluster(**faults) as (line, engine):
            times = []
            for _ in range(40):
                before = engine.network.events.now
                line.run(1, 2, 3, 4)
                times.append(engine.network.events.now - before)
            line.strategy.join()
        return float(np.median(times))

    assert median(stragglers={"/job:worker/task:3": 10.0}) < 1.15 * median()


def test_no_update_is_lost_or_made_twice() -> None:
    with cluster(work=(0.0, 0.02)) as (line, _):
        for _ in range(40):
            line.run(1, 1, 1, 1)
        strategy: Any = line.strategy
        strategy.join()
        assert float(line.weight) == -40.0
        assert int(line.optimizer.iterations) == 40
        assert strategy.dropped == dropped_by_ledger(strategy) > 0


def test_a_straggler_is_given_nothing_until_it_is_through() -> None:
    line, tasks = slope()
    tasks.held = {LATE}
    for step in range(3):
        assert line.run(1, 2, 3, 100) == 2.0
        assert tasks.names() == [f"step/{LATE}"]
        assert float(line.weight) == -2.0 * (step + 1)


def test_a_straggler_that_has_no_token_yet_makes_nobody_late() -> None:
    """It takes a new one then, and what it computes is as fresh as the others'."""
    line, tasks = slope()
    tasks.held = {LATE}
    line.run(1, 2, 3, 100)
    line.run(1, 2, 3, 100)
    tasks.held = set()
    line.strategy.join()
    before = float(line.weight)
    line.run(2, 2, 2, 2)
    strategy: Any = line.strategy
    strategy.join()
    assert before - float(line.weight) == (100 + 2 + 2 + 2) / 4
    assert strategy.dropped == dropped_by_ledger(strategy) == 1


def test_with_more_stragglers_than_backups_the_step_waits_for_some() -> None:
    line, tasks = slope()
    tasks.held = {LATE, "replica_2"}
    with pytest.raises(tl.errors.DeadlineExceededError, match="3 workers"):
        line.run(1, 2, 3, 4)
    assert float(line.weight) == 0.0
    tasks.held = set()
    assert line.run(1, 2, 3, 6) == 3.0
    assert float(line.weight) == -3.0


@pytest.mark.parametrize("who", ["replica_1", LATE, "chief"])
def test_an_error_ends_the_step_and_leaves_the_strategy_usable(who: str) -> None:
    line, tasks = slope()
    assert line.run(1, 2, 3, 6) == 3.0
    tasks.broken = {who: InjectedError("disk on fire")}
    with pytest.raises(InjectedError, match="disk on fire"):
        line.run(1, 2, 3, 4)
    before, tasks.broken = float(line.weight), {}
    assert line.run(1, 2, 3, 6) == 3.0
    assert float(line.weight) == before - 3.0


def test_an_error_of_a_straggler_is_told_at_the_next_step() -> None:
    line, tasks = slope()
    tasks.held = {LATE}
    line.run(1, 2, 3, 4)
    tasks.held, tasks.broken = set(), {LATE: InjectedError("disk on fire")}
    with pytest.raises(InjectedError) as caught:
        line.strategy.join()
    assert f"worker 3, {tasks.workers[3]}" in "".join(caught.value.__notes__)
    tasks.broken = {}
    assert line.run(1, 2, 3, 6) == 3.0


def test_fewer_shares_than_workers() -> None:
    line, _ = slope()
    assert line.run(5, 7) == 6.0
    assert float(line.weight) == -6.0


def test_sparse_gradients_are_means_over_all() -> None:
    strategy = tl.distribute.ParameterServer(local_tasks(2), backup=1)
    with strategy.scope():
        table = tl.Variable(np.zeros((4, 1), np.float32))
        optimizer = tl.optimizers.SGD(1.0)

    def step(rows: tl.Tensor) -> tl.Tensor:
        with tl.GradientTape() as tape:
            loss = tl.sum(table.sparse_read(rows))
        optimizer.minimize(loss, [table], tape)
        return loss

    strategy.run(step, np.asarray([0, 1, 1, 3]))
    np.testing.assert_allclose(table.numpy()[:, 0], [-0.5, -1.0, 0.0, -0.5])


def test_two_functions_take_turns() -> None:
    strategy = tl.distribute.ParameterServer(local_tasks(2), backup=1)
    one, two = Slope(strategy), Slope(strategy)
    assert [one.run(1, 3), two.run(2, 4), one.run(3, 5)] == [2, 3, 4]
    assert float(one.weight) == -6.0
    assert float(two.weight) == -3.0
