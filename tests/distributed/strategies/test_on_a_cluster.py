"""Strategies over the tasks of a cluster, all in this process; tests/distributed has real ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.distributed.cluster import Cluster
from tensorlite.distributed.engines.inprocess import InprocessEngine
from tests.distributed.strategies.training import noise, trained

D = tl.distribute
Make = Callable[[Cluster], tl.distribute.Strategy]
by_rows = D.ByRows(least=10)
SYNCHRONOUS: dict[str, Make] = {
    "servers": D.ParameterServer,
    "by rows": lambda cluster: D.ParameterServer(cluster, policy=by_rows),
    "all-reduce": D.AllReduce,
    "in small buckets": lambda cluster: D.AllReduce(cluster, bucket_bytes=64),
    "in order": lambda cluster: D.AllReduce(cluster, deterministic=True),
    "in a ring": lambda cluster: D.AllReduce(cluster, algorithm="ring"),
    "micro-batches": lambda cluster: D.Pipeline(cluster, microbatches=3),
}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with tl.distribute.connect({"ps": 2, "worker": 3}, engine="inprocess") as tasks:
        yield tasks


@pytest.mark.parametrize("name", SYNCHRONOUS)
@pytest.mark.parametrize("rows", [2, 16])
def test_synchronous_losses_are_those_of_one_machine(
    name: str, rows: int, cluster: Cluster
) -> None:
    """With 2 rows one of the workers has none."""
    batches = noise(10, rows)
    alone, *_ = trained(None, batches)
    losses, *_ = trained(SYNCHRONOUS[name](cluster), batches)
    np.testing.assert_allclose(losses, alone, rtol=1e-5, atol=1e-5)


class Embedded(tl.layers.Layer):
    def __init__(self) -> None:
        self.table = tl.layers.Embedding(50, 4)
        self.end = tl.layers.Dense(1, inputs=4)

    def __call__(self, x: tl.TensorLike, training: bool = False) -> tl.Tensor:
        return self.end(tl.sum(self.table(x), axis=1))


@pytest.mark.parametrize("name", SYNCHRONOUS)
def test_sparse_gradients(name: str, cluster: Cluster) -> None:
    draw = np.random.default_rng(0)
    batches = [
        (
            draw.integers(0, 20, (rows, 3)),
            draw.standard_normal((rows, 1)).astype(np.float32),
        )
        for rows in (8, 8, 2)
    ]
    alone, *_ = trained(None, batches, Embedded)
    losses, *_ = trained(SYNCHRONOUS[name](cluster), batches, Embedded)
    np.testing.assert_allclose(losses, alone, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("algorithm", ["ring", "tree", "direct", "exchange"])
def test_copies_stay_equal_to_the_last_bit(algorithm: str, cluster: Cluster) -> None:
    strategy = D.AllReduce(cluster, algorithm=algorithm)
    _, model, _ = trained(strategy, noise(10, 17))
    copied: list[Any] = model.variables
    for variable in copied:
        first, *others = [copy.numpy() for copy in variable.copies]
        for other in others:
            np.testing.assert_array_equal(first, other)


@pytest.mark.parametrize("staleness", [None, 0, 2])
def test_asynchronous_training_learns(
    staleness: int | None, cluster: Cluster
) -> None:
    x, y = noise(1, 32)[0]
    strategy = D.ParameterServer(cluster, mode="async", staleness=staleness)
    losses, _, optimizer = trained(strategy, [(x, y)] * 60)
    assert losses[-1] < losses[0] / 2
    assert int(optimizer.iterations) == 60
    inside: Any = strategy
    assert sum(inside._apart.clocks) == 60


def test_each_worker_and_server_has_its_share(cluster: Cluster) -> None:
    strategy = D.ParameterServer(cluster, policy=D.RoundRobin())
    _, model, _ = trained(strategy, noise(1, 16))
    assert {str(x.device) for x in model.variables} == {
        f"/job:ps/task:{i}/device:CPU:0" for i in range(2)
    }
    assert [str(place) for place in strategy.workers] == [
        f"/job:worker/task:{i}/device:CPU:0" for i in range(3)
    ]


def test_a_lost_worker_ends_the_step_and_training_goes_on_when_it_is_back() -> None:
    engine = InprocessEngine(seed=1)
    with tl.distribute.connect({"ps": 1, "worker": 2}, engine=engine) as cluster:
        for name in ("sync", "async", "backup"):
            mode, backup = (
                ("async", 0) if name == "async" else ("sync", int(name == "backup"))
            )
            strategy = D.ParameterServer(cluster, mode=mode, backup=backup)
            with strategy.scope():
                weight, optimizer = tl.Variable(0.0), tl.optimizers.SGD(1.0)

            def step(
                x: tl.Tensor, weight: Any = weight, optimizer: Any = optimizer
            ) -> tl.Tensor:
                optimizer.apply_gradients([(tl.mean(x), weight)])
                return tl.mean(x)

            ones = np.ones(4, np.float32)

            def taken(_: int, strategy: Any = strategy, step: Any = step) -> None:
                strategy.run(step, np.ones(4, np.float32))
                strategy.join()

            strategy.run(step, ones)
            strategy.join()
            engine.kill("/job:worker/task:1")
            with pytest.raises(
                tl.errors.UnavailableError, match="/job:worker/task:1"
            ):
                list(map(taken, range(50)))
            cluster.recover()
            strategy.reset()
            before = float(weight)
            strategy.run(step, ones)
            strategy.join()
            assert float(weight) == before - 1.0


def test_a_cluster_without_the_job_that_is_needed(cluster: Cluster) -> None:
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="no job 'server'; it has 'ps', 'work"
    ):
        D.ParameterServer(cluster, servers="server")
