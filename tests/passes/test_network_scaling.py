"""What exchanges take on imagined clusters, beside closed forms and the OSDI'16 paper's figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.passes.cluster import Cluster, Stragglers, cluster
from tensorlite.passes.cost import Link
from tensorlite.passes.scaling import COMMAND, Exchange, Messages, exchanged

STEADY = Stragglers(spread=0.0, share=0.0)
BOTH: Any = "both"
INSTANT = Link(latency=0.0)
FREE = Messages(each=0.0, bandwidth=math.inf)
EACH = 1e-3


def machines(workers: int, ps: int = 1, backup: int = 0, **network: Any) -> Cluster:
    return cluster(
        workers,
        ps,
        backup,
        network=Link(**{"latency": 0.0, **network}),
        stragglers=STEADY,
    )


def seconds(exchange: Exchange, table: Cluster, steps: int = 1) -> float:
    return exchanged(exchange, table, steps).seconds


def test_one_worker_waits_for_every_message_on_the_way() -> None:
    """The server is told before the worker, which so has its command when the parameters come.

    To the server, back, on to the worker, to the server and to the client: four messages. The
    client sends two commands, of which the server's is the second.
    """
    alone = Exchange(messages=Messages(each=EACH, bandwidth=math.inf))
    found = seconds(alone, machines(1, latency=0.5e-3))
    assert found == pytest.approx((1 + 4 * 2) * EACH + 4 * 0.5e-3)


def test_computing_stands_between_parameters_and_updates() -> None:
    idle, busy = [Exchange(seconds=s, messages=FREE) for s in (0.0, 0.25)]
    table = machines(3, 2, latency=1e-3)
    assert seconds(busy, table) == pytest.approx(0.25 + seconds(idle, table))


def test_a_servers_port_carries_what_every_worker_reads_and_sends() -> None:
    whole = Exchange(parameters=1_000_000, messages=FREE)
    found = {
        n: seconds(whole, machines(n, ps=2, bandwidth=1e8)) for n in (10, 20, 40)
    }
    each = 500_000 / 1e8
    assert found[40] - found[20] == pytest.approx(20 * each, rel=0.02)
    assert found[20] - found[10] == pytest.approx(10 * each, rel=0.02)


def test_more_servers_share_the_parameters() -> None:
    whole = Exchange(parameters=10_000_000, messages=FREE)
    few, many = [seconds(whole, machines(128, ps=ps, bandwidth=1e8)) for ps in (2, 8)]
    assert 3 < few / many < 5


@pytest.mark.parametrize("parameters", [1_000_000, 16_000_000_000])
def test_rows_that_are_read_take_as_long_whatever_they_are_read_of(
    parameters: int,
) -> None:
    sparse = Exchange(parameters, rows=32, row=4_000)
    alike = Exchange(1_000, rows=32, row=4_000)
    table = machines(8, ps=16, bandwidth=1e9)
    assert seconds(sparse, table) == seconds(alike, table)


def test_a_worker_that_reads_few_rows_asks_few_servers() -> None:
    assert Exchange(rows=3, row=10).share(16) == (3, 10)
    assert Exchange(rows=32, row=10).share(16) == (16, 20)
    assert Exchange(rows=0).share(16) == (1, 0)


def test_a_backup_worker_leaves_the_slowest_out() -> None:
    steps = Exchange(seconds=1.0, messages=FREE)
    drawn = Stragglers(spread=0.0, share=0.1, factor=10.0, seed=1)
    slow, quick = [
        exchanged(steps, cluster(4, backup=k, network=INSTANT, stragglers=drawn), 40)
        for k in (0, 1)
    ]
    late = [(drawn.draw(4, n) > 1).any() for n in range(40)]
    assert [second > 5 for second in slow.steps] == late
    late_even_so = [(drawn.draw(5, n) > 1).sum() > 1 for n in range(40)]
    assert [second > 5 for second in quick.steps] == late_even_so
    assert sum(late_even_so) < sum(late)


def test_tasks_of_one_machine_share_its_cores() -> None:
    """Where one machine has to do all, a step takes its work divided by its cores."""
    workers, ps = 8, 2
    messages = 2 * (workers + ps) + 2 * workers * ps
    for cores in (1, 2):
        cost = Messages(each=EACH, bandwidth=math.inf, cores=cores)
        found = seconds(Exchange(messages=cost), machines(workers, ps))
        least = 2 * messages * EACH / cores
        assert least <= found + 1e-12
        assert found < 1.25 * least


def test_by_themselves_workers_step_as_fast_as_the_servers_can_serve() -> None:
    """A server takes a command and an update, and sends parameters and that it is done."""
    apart = Exchange(mode="async", messages=Messages(each=EACH, bandwidth=math.inf))
    few, many = [exchanged(apart, machines(n), 1) for n in (1, 50)]
    assert len(many.steps) == 50
    assert few.seconds == pytest.approx(8 * EACH)
    assert many.seconds / 50 == pytest.approx(4 * EACH, rel=0.1)


@pytest.mark.parametrize("count", [2, 3, 8, 1000])
def test_a_ring_takes_two_rounds_of_chunks(count: int) -> None:
    cost, table = Messages(each=EACH, bandwidth=1e9), machines(count, bandwidth=1e8)
    found = seconds(Exchange(1_000_000, mode="ring", messages=cost), table)
    hop = 2 * cost.seconds(1_000_000 / count) + 1_000_000 / count / 1e8
    assert found == pytest.approx(2 * (count - 1) * hop)


@pytest.mark.parametrize(("count", "levels"), [(1, 0), (2, 1), (8, 3), (1024, 10)])
def test_a_tree_takes_its_height_twice(count: int, levels: int) -> None:
    cost, table = Messages(each=EACH, bandwidth=1e9), machines(count, bandwidth=1e8)
    found = seconds(Exchange(1_000_000, mode="tree", messages=cost), table)
    hop = 2 * cost.seconds(1_000_000) + 1_000_000 / 1e8
    assert found == pytest.approx(2 * levels * hop)


@pytest.mark.parametrize("mode", ["ring", "tree"])
def test_all_wait_for_the_one_that_computes_longest(mode: Any) -> None:
    drawn = Stragglers(spread=0.0, share=0.3, factor=4.0, seed=3)
    table = cluster(6, network=INSTANT, stragglers=drawn)
    found = exchanged(Exchange(4, 1.0, mode=mode, messages=FREE), table, 10)
    assert list(found.steps) == [drawn.draw(6, n).max() for n in range(10)]


def test_tasks_of_one_machine_take_turns_at_sending_in_a_ring() -> None:
    def on(cores: int | None) -> float:
        cost = Messages(each=EACH, cores=cores)
        return seconds(Exchange(4, mode="ring", messages=cost), machines(8))

    assert on(16) == pytest.approx(on(None))
    assert on(2) == pytest.approx(4 * on(None), rel=0.01)


PAPER = {
    "scalar": (64, 1.8e-3, 8.8e-3),
    "100 MB": (100_000_000, 0.147, 0.613),
    "1 GB": (1_000_000_000, 1.01, 7.16),
}
"""Bytes on 16 servers, and the median seconds that OSDI'16 gives for 1 and for 100 workers."""


@pytest.mark.parametrize("case", PAPER)
def test_from_one_worker_the_paper_s_hundred_are_foretold_within_a_factor(
    case: str,
) -> None:
    """Costs are fitted by hand to one worker's scalars and 1 GB; none is from its hundred."""
    size, one, hundred = PAPER[case]
    link, cost = Link(1e-4, 2e9), Messages(each=3.5e-5, bandwidth=8e9)
    found = [
        seconds(Exchange(size, messages=cost), cluster(n, 16, network=link))
        for n in (1, 100)
    ]
    assert found[0] == pytest.approx(one, rel=0.3)
    assert hundred / 2 < found[1] < 2 * hundred


def test_a_thousand_workers_can_be_simulated() -> None:
    found = tl.placement.simulate(Exchange(), machines(1000, 16, latency=1e-4))
    assert found.seconds > 0
    assert len(found.busy) == 1000 + 16 + 1
    assert found.critical_path[-1].name == "take done"


def test_commands_are_small() -> None:
    """The model's figures for scalars do not come from its commands' bytes."""
    assert COMMAND < 100


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (
            lambda: Exchange(mode=BOTH),
            "allowed are 'sync', 'async', 'ring', 'tree'",
        ),
        (lambda: Exchange(-1), "0 or more"),
        (lambda: Exchange(messages=Messages(each=-1)), "each is 0 seconds or more"),
        (lambda: Exchange(messages=Messages(cores=0)), "cores 1 or more"),
    ],
)
def test_exchanges_that_are_none(make: Callable[[], object], why: str) -> None:
    with pytest.raises(InvalidArgumentError, match=why):
        make()


def test_an_exchange_is_played_on_a_cluster() -> None:
    with pytest.raises(
        DTypeError, match=r"tl\.placement\.cluster\(\.\.\.\), for an Exchange"
    ):
        tl.placement.simulate(Exchange())
