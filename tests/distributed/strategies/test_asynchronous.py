"""Asynchronous training: who is given a batch, what is waited for, and what it learns."""

from __future__ import annotations

from itertools import repeat
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InjectedError
from tests.distributed.strategies.holding import Holding
from tests.distributed.strategies.training import local_tasks, noise, trained


class Sum:
    """One weight to which each step adds what it is given."""

    def __init__(self, workers: int = 3, staleness: int | None = None) -> None:
        self.tasks = Holding(workers)
        self.strategy = tl.distribute.ParameterServer(
            self.tasks, mode="async", staleness=staleness
        )
        with self.strategy.scope():
            self.weight = tl.Variable(0.0)
            self.optimizer = tl.optimizers.SGD(1.0)

    def step(self, x: tl.Tensor) -> tl.Tensor:
        self.optimizer.apply_gradients([(-tl.sum(x), self.weight)])
        return tl.sum(x)

    def run(self, number: float) -> Any:
        return self.strategy.run(self.step, np.asarray([number], np.float32))

    def clocks(self) -> list[int]:
        inside: Any = self.strategy
        return list(inside._apart.clocks)


def test_one_worker_trains_as_one_machine() -> None:
    batches = noise(20, 32)
    alone, *_ = trained(None, batches)
    strategy = tl.distribute.ParameterServer(local_tasks(1), mode="async")
    losses, *_ = trained(strategy, batches)
    np.testing.assert_allclose(losses, alone, rtol=0, atol=1e-6)


def test_run_returns_at_once_and_the_result_is_waited_for() -> None:
    total = Sum()
    found = [total.run(1), total.run(2)]
    assert [one.is_over() for one in found] == [False, False]
    assert float(found[1]) == 2.0
    assert found[0].is_over()
    assert float(total.weight) == 3.0
    assert float(np.mean([float(one) for one in found])) == 1.5
    assert repr(found[0]) == "<step of worker 0, over>"


def test_every_gradient_is_applied_once() -> None:
    total, draw = Sum(), np.random.default_rng(0)
    numbers = draw.integers(0, 9, 40).astype(float)
    for number in numbers:
        total.tasks.held = {f"replica_{draw.integers(3)}"}
        total.run(number)
    total.tasks.held = set()
    total.strategy.join()
    assert float(total.weight) == sum(numbers)
    assert int(total.optimizer.iterations) == sum(total.clocks()) == 40


def test_without_a_bound_the_others_go_on_as_long_as_they_like() -> None:
    total = Sum()
    total.tasks.held = {"replica_0"}
    for _ in range(21):
        total.run(1)
    assert total.clocks()[0] == 0
    assert sum(total.clocks()) >= 18


@pytest.mark.parametrize("staleness", [0, 1, 3])
def test_no_worker_is_further_ahead_than_the_bound(staleness: int) -> None:
    total = Sum(staleness=staleness)
    total.tasks.held = {"replica_0"}
    numbers = repeat(1.0, 21)
    with pytest.raises(tl.errors.DeadlineExceededError, match="worker that is free"):
        list(map(total.run, numbers))
    assert total.clocks() == [0, staleness + 1, staleness + 1]
    total.tasks.held = set()
    total.run(1)
    total.strategy.join()
    assert max(total.clocks()) - min(total.clocks()) <= staleness + 1


def test_an_error_is_raised_where_the_result_is_read_and_by_join() -> None:
    total = Sum()
    total.tasks.broken = {"replica_0": InjectedError("disk on fire")}
    found = total.run(1)
    with pytest.raises(InjectedError) as caught:
        found.result()
    assert f"worker 0, {total.tasks.workers[0]}" in "".join(caught.value.__notes__)
    total.strategy.join()  # it has been told
    total.run(1)
    total.tasks.broken = {"replica_1": InjectedError("disk on fire")}
    total.run(1)
    with pytest.raises(InjectedError):
        total.strategy.join()
    total.tasks.broken = {}
    total.run(5)
    total.strategy.join()


def test_shares_of_a_source_per_worker_go_to_that_worker() -> None:
    total = Sum(2)

    def source(index: int, count: int) -> Any:
        assert count == 2
        return [np.full(1, 10.0**index, np.float32)] * (3 - index)

    for batch in total.strategy.distribute(source):
        total.strategy.run(total.step, batch)
    total.strategy.join()
    assert float(total.weight) == 3 * 1 + 2 * 10
    assert total.clocks() == [3, 2]


def test_a_dataset_gives_each_worker_whole_batches() -> None:
    total = Sum(2)
    data = tl.data.Dataset.from_tensor_slices(np.arange(7, dtype=np.float32))
    sizes = [batch.shape for batch in total.strategy.distribute(data, batch_size=3)]
    assert sizes == [(3,), (3,), (1,)]


def test_a_handle_stands_for_its_tensor() -> None:
    total = Sum()
    assert (total.run(2) + 1).numpy() == 3.0
    found = total.strategy.run(
        lambda x: (total.step(x), None), np.ones(1, np.float32)
    )
    assert found.result()[1] is None
    with pytest.raises(
        tl.errors.InvalidArgumentError, match=r"a tuple of 2.*\.result"
    ):
        float(found)
