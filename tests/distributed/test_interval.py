"""The interval between saves, against a search of the best one and a simulation of failures."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.distributed.training.interval import (
    AutoInterval,
    FixedInterval,
    daly,
    in_words,
    interval_of,
    lost_share,
    young,
)

PAIRS = [(1.0, 1e3), (1.2, 18e3), (30.0, 3600.0), (60.0, 600.0), (0.01, 1e5)]


def simulated_loss(interval: float, cost: float, mean: float, seed: int) -> float:
    """Return the share of time lost when failures come at random, counted event by event."""
    random, done, spent = Random(seed), 0.0, 0.0  # noqa: S311
    failure = random.expovariate(1 / mean)
    while done < 2000 * mean:
        turn = interval + cost
        if failure >= turn:
            failure -= turn
            spent += turn
            done += interval
        else:
            spent += failure
            failure = random.expovariate(1 / mean)
    return 1 - done / spent


@pytest.mark.parametrize(("cost", "mean"), PAIRS)
def test_dalys_interval_loses_as_little_as_the_best_that_a_search_finds(
    cost: float, mean: float
) -> None:
    tried = np.geomspace(young(cost, mean) / 10, young(cost, mean) * 10, 4001)
    least = min(lost_share(interval, cost, mean) for interval in tried)
    assert lost_share(daly(cost, mean), cost, mean) <= least * 1.005


@pytest.mark.parametrize(("cost", "mean"), [(1.0, 1e3), (60.0, 600.0)])
def test_the_loss_is_that_of_a_simulation(cost: float, mean: float) -> None:
    for interval in (daly(cost, mean), 3 * daly(cost, mean)):
        counted = simulated_loss(interval, cost, mean, seed=1)
        assert math.isclose(counted, lost_share(interval, cost, mean), rel_tol=0.1)


def test_young_and_daly_agree_where_saving_is_cheap() -> None:
    assert math.isclose(young(0.1, 1e6), daly(0.1, 1e6), rel_tol=1e-3)
    assert daly(5.0, 2.0) == 2.0


def test_failures_that_are_seen_shorten_the_interval_and_quiet_lengthens_it() -> None:
    auto = AutoInterval()
    auto.saved(2.0)
    at_first = auto.seconds
    auto.trained += 600.0
    auto.failed()
    after_one = auto.seconds
    auto.failed()
    assert auto.seconds < after_one < at_first
    auto.trained += 1e6
    assert auto.seconds > after_one


def test_the_rate_that_is_seen_counts_more_the_longer_training_takes() -> None:
    auto = AutoInterval(assumed=3600.0)
    auto.trained, auto.failures = 1e7, 1000
    assert math.isclose(auto.between_failures, 1e4, rel_tol=0.01)


def test_the_cost_is_what_saving_typically_takes() -> None:
    auto = AutoInterval()
    for seconds in (50.0, 1.0, 1.0, 90.0, 1.0, 2.0):
        auto.saved(seconds)
    assert auto.cost == 1.0


def test_the_reason_tells_what_was_seen() -> None:
    auto = AutoInterval()
    auto.saved(0.5)
    auto.trained = 7200.0
    auto.failed()
    auto.failed()
    assert auto.reason == (
        "every 91.3 s: saving takes 500 ms, a failure every 2.33 h is expected: 2 times in 2 h, "
        "and 5 h between them were assumed before"
    )


def test_before_anything_was_saved_saving_costs_nothing() -> None:
    assert AutoInterval().seconds == 0.0


@pytest.mark.parametrize("wrong", ["often", 0, -1.0, True, None, float("nan")])
def test_what_is_no_interval_is_refused(wrong: object) -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match="allowed are"):
        interval_of(wrong)


def test_intervals_are_steps_or_seconds_or_chosen() -> None:
    assert interval_of(10) == FixedInterval(steps=10)
    assert interval_of(10.0) == FixedInterval(seconds=10.0)
    assert isinstance(interval_of("auto"), AutoInterval)
    chosen = AutoInterval(assumed=60.0)
    assert interval_of(chosen) is chosen
    with pytest.raises(tl.errors.InvalidArgumentError, match="more than 0"):
        AutoInterval(assumed=0.0)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0.0, "0 ms"),
        (0.00042, "0.42 ms"),
        (1.24, "1.24 s"),
        (12.34, "12.3 s"),
        (207.8, "208 s"),
        (900.0, "15 min"),
        (5400.0, "1.5 h"),
    ],
)
def test_times_in_words(seconds: float, told: str) -> None:
    assert in_words(seconds) == told
