"""Synchronous training on imagined clusters: what the OSDI'16 paper found, and closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph
from tensorlite.passes.cluster import Cluster, Stragglers, cluster, train
from tensorlite.passes.cost import Costs, Fixed, Link

STEADY = Stragglers(spread=0.0, share=0.0)
INSTANT = Link(latency=0.0)


def training(layers: int = 3, units: int = 64, batch: int = 256) -> Graph:
    """Return the graph of a step that trains a small network."""
    weights = [tl.Variable(tl.ones((units, units))) for _ in range(layers)]

    @tl.function
    def step(x: tl.Tensor) -> tl.Tensor:
        with tl.GradientTape() as tape:
            h = x
            for weight in weights:
                h = tl.nn.relu(h @ weight)
            loss = tl.mean(h**2)
        tl.optimizers.SGD(0.1).minimize(loss, weights, tape)
        return loss

    graph: Graph = step.get_concrete_function(TensorSpec((batch, units))).graph
    return graph


GRAPH = training()
NO_OVERHEAD = Fixed(node=0.0, transfer=0.0)


def seconds(machines: Cluster, steps: int = 1) -> float:
    return train(GRAPH, machines, Costs(fixed=NO_OVERHEAD), steps).seconds


def test_without_stragglers_and_networks_more_workers_take_as_long() -> None:
    one = seconds(cluster(1, network=INSTANT, stragglers=STEADY))
    many = seconds(cluster(20, network=INSTANT, stragglers=STEADY))
    assert one <= many < 1.5 * one  # the server adds the gradients up


def test_a_network_that_is_the_bottleneck_carries_every_workers_variables() -> None:
    """One server hands 3 variables of 16 KiB to each worker, and takes as many gradients."""
    slow = Link(latency=0.0, bandwidth=1e6)
    found = {
        n: seconds(cluster(n, network=slow, stragglers=STEADY)) for n in (4, 8, 16)
    }
    sent = 3 * 64 * 64 * 4 / 1e6
    assert found[16] - found[8] == pytest.approx(8 * 2 * sent, rel=0.05)
    assert found[8] - found[4] == pytest.approx(4 * 2 * sent, rel=0.05)


def test_more_servers_share_the_load() -> None:
    slow = Link(latency=0.0, bandwidth=1e6)
    times = [
        seconds(cluster(12, ps=ps, network=slow, stragglers=STEADY))
        for ps in (1, 2, 3, 6)
    ]
    assert times[0] > times[1] > times[2]
    assert times[2] == pytest.approx(times[3])  # there are three variables


def test_a_step_waits_for_its_slowest_worker_unless_there_is_a_backup() -> None:
    class OneSlow(Stragglers):
        """The first worker is ten times slower."""

        def draw(self, workers: int, step: int) -> Any:
            slow = np.ones(workers)
            slow[0] = 10.0
            return slow

    usual = seconds(cluster(8, network=INSTANT, stragglers=STEADY))
    late = seconds(cluster(8, network=INSTANT, stragglers=OneSlow()))
    saved = seconds(cluster(8, backup=1, network=INSTANT, stragglers=OneSlow()))
    assert late > 5 * usual
    assert saved == pytest.approx(usual, rel=0.2)


def test_a_small_number_of_backup_workers_pays_best() -> None:
    """Figure 8 of the OSDI'16 paper: speed for the machines used, over the number of backups."""
    graph = training(units=256, batch=512)
    times = [
        train(graph, cluster(50, ps=3, backup=b), Costs(), steps=31).seconds
        for b in range(11)
    ]
    gain = [times[0] / t * 50 / (50 + b) for b, t in enumerate(times)]
    best = max(range(11), key=gain.__getitem__)
    assert 1 <= best <= 5
    assert gain[best] > 1.05
    assert gain[10] < gain[best]


def test_the_same_seed_gives_the_same_steps_and_another_does_not() -> None:
    def steps(seed: int) -> tuple[float, ...]:
        machines = cluster(10, stragglers=Stragglers(seed=seed))
        return train(GRAPH, machines, Costs(), steps=5).steps

    assert steps(1) == steps(1)
    assert steps(1) != steps(2)
    assert len(set(steps(1))) == 5


def test_stragglers_are_drawn_as_they_say() -> None:
    drawn = Stragglers(spread=0.2, share=0.25, factor=3.0).draw(200_000, 0)
    late = np.log(drawn) > math.log(3.0) / 2
    assert late.mean() == pytest.approx(0.25, abs=0.01)
    assert np.log(drawn[~late]).std() == pytest.approx(0.2, rel=0.02)


def test_thousands_of_workers_can_be_simulated() -> None:
    machines = cluster(2000, ps=100)
    found = train(GRAPH, machines, Costs())
    assert len(found.busy) == 2100
    assert all(0 <= share <= 1.001 for share in found.busy.values())
    assert found.critical_path[-1].end == found.seconds
    assert found.critical_path[0].device.job in ("ps", "worker")


def test_what_follows_an_update_runs_once() -> None:
    variable, count = tl.Variable(tl.ones(1000)), tl.Variable(0.0)

    @tl.function
    def step(x: tl.Tensor) -> tl.Tensor:
        variable.assign_sub(x)
        count.assign_add(1.0)
        return tl.exp(variable.read_value()) + count

    graph = step.get_concrete_function(TensorSpec((1000,))).graph
    found = train(graph, cluster(5, stragglers=STEADY), Costs())
    names = [span.name for span in found.timeline]
    assert names.count("AssignSubVariableOp") == 1
    assert names.count("Exp") == 1


def test_a_graph_that_updates_nothing_does_not_train() -> None:
    graph = tl.function(lambda x: x + x).get_concrete_function(tl.ones(2)).graph
    with pytest.raises(InvalidArgumentError, match="updates no variable"):
        train(graph, cluster(2), Costs())


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: cluster(0), "workers=0"),
        (lambda: cluster(2, ps=0), "ps=0"),
        (lambda: cluster(2, backup=-1), "backup=-1"),
        (lambda: cluster(2.0), "workers=2.0"),  # type: ignore[arg-type]
        (lambda: cluster(2, kind="TPU"), "kind='TPU'"),
        (lambda: cluster(2, speed=0.0), "speed=0.0"),
        (lambda: Stragglers(share=2.0), "share from 0 to 1"),
        (lambda: Stragglers(spread=math.nan), "spread is 0 or more"),
    ],
)
def test_clusters_that_are_none(make: Callable[[], object], why: str) -> None:
    with pytest.raises(InvalidArgumentError, match=why):
        make()
