"""Training on a cluster gives the losses of one machine: the digits' network, 1 to 4 workers.

It must show 1: over 100 steps to 1e-5, and 0.96 of the digits right when asynchronous.
"""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.distributed.cluster import Cluster
from tests.distributed.digits import alone, train

KINDS = ("parameter server", "all-reduce")


def strategy_of(kind: str, cluster: Cluster) -> tl.distribute.Strategy:
    if kind == "all-reduce":
        return tl.distribute.AllReduce(cluster)
    return tl.distribute.ParameterServer(cluster)


def spec_of(kind: str, workers: int) -> dict[str, int]:
    servers = {} if kind == "all-reduce" else {"ps": 2}
    return {**servers, "worker": workers}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_few_steps_are_those_of_one_machine(kind: str, workers: int) -> None:
    with tl.distribute.connect(spec_of(kind, workers), engine="inprocess") as cluster:
        found = train(strategy_of(kind, cluster), 6)
    np.testing.assert_allclose(found.losses, alone(6).losses, rtol=0, atol=1e-5)


@pytest.mark.cluster
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_synchronous_training_has_the_losses_of_one_machine(
    kind: str, workers: int
) -> None:
    with tl.distribute.connect(spec_of(kind, workers)) as cluster:
        found = train(strategy_of(kind, cluster), 100)
    np.testing.assert_allclose(found.losses, alone(100).losses, rtol=0, atol=1e-5)


@pytest.mark.cluster
def test_asynchronous_training_gets_there() -> None:
    with tl.distribute.connect({"ps": 2, "worker": 3}) as cluster:
        strategy = tl.distribute.ParameterServer(cluster, mode="async")
        assert train(strategy, 1000).accuracy >= 0.96
