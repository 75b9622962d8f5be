"""The benchmark of placements runs. What it finds is for `make bench`."""

from __future__ import annotations

from functools import partial

import pytest

import tensorlite as tl
from tests import networks
from tests.benchmarks import placements


@pytest.mark.usefixtures("one_cpu")
def test_every_network_has_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    small = {
        "MLP": partial(networks.mlp, batch=128, units=64, layers=1),
        "LSTM": partial(networks.lstm, 64, 64, layers=2, turns=3, unrolled=False),
    }
    monkeypatch.setattr(placements, "NETWORKS", small)
    costs = tl.placement.Costs()
    slow = costs.rates["CPU"]._replace(flops=1e6)  # so that it pays to be apart
    costs.rates["CPU"] = slow
    found = placements.rows(costs, rounds=1, effort=50)
    assert [one.name for one in found] == list(small)
    for one in found:
        assert one.best <= one.chosen < 0.7 * one.alone
        assert len(one.simulated) == len(one.measured) > 1
        assert list(one.simulated) == sorted(one.simulated)
        assert -1 <= one.correlation <= 1
        assert len(str(one)) == len(placements.HEAD)
    assert len(tl.config.list_logical_devices("CPU")) == 1


def test_the_correlation_is_that_of_the_ranks() -> None:
    assert placements.spearman([1, 2, 3], [10, 20, 21]) == pytest.approx(1)
    assert placements.spearman([1, 2, 3], [9, 5, 1]) == pytest.approx(-1)
    # By the formula 1 - 6 * sum of squared differences / (n^3 - n), which are 1, 1, 1, 1 here.
    assert placements.spearman([1, 2, 3, 4], [2, 1, 4, 3]) == pytest.approx(0.6)
