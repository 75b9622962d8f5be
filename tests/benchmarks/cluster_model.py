"""The model of the network beside what was measured, and beside figure 6 of the OSDI'16 paper.

What a message costs is found from one worker; more workers are then foretold, on the cores of this
machine, where they can be measured too, and on a machine for each task, up to a thousand.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import Literal, TypeAlias, cast

from tensorlite.placement import (
    Exchange,
    Link,
    Messages,
    Stragglers,
    cluster,
    simulate,
)
from tests.benchmarks.cluster_steps import MEGABYTES_5, PS, SCALAR

Curve: TypeAlias = tuple[str, int, str]
"""Whose, how many floats at each server, 'sync' or 'async'."""
Curves: TypeAlias = dict[Curve, dict[int, float]]
"""Steps a second of all workers together, by the number of workers."""
HERE = Link(latency=5e-6)
"""Within one machine bytes are copied by the tasks, which is counted there."""
THERE = Link(latency=5e-5, bandwidth=1.25e9)
"""Ten gigabits a second, and what a switch and two kernels take."""
STEADY = Stragglers(spread=0.0, share=0.0)
MANY = (1, 4, 16, 64, 250, 1000)
FIGURE_6 = {
    "scalar": (64, None, {1: 1 / 1.8e-3, 100: 1 / 8.8e-3}),
    "dense 100 MB": (100_000_000, None, {1: 1 / 0.147, 100: 1 / 0.613}),
    "dense 1 GB": (1_000_000_000, None, {1: 1 / 1.01, 100: 1 / 7.16}),
    "sparse": (1_000_000_000, 32, {1: 1 / 0.005, 100: 1 / 0.020}),
}
"""Bytes on 16 servers, rows read, and steps a second by workers: OSDI'16, figure 6 and section 6.2,
which gives the median times in words; the sparse ones as from 5 to 20 ms."""
PAPER_PS = 16
PAPER = Messages(each=3.5e-5, bandwidth=8e9), Link(latency=1e-4, bandwidth=2e9)
"""Costs fitted by hand to the paper's scalars and 1 GB with one worker."""


@cache
def rate(
    floats: int,
    mode: str,
    workers: int,
    costs: Messages,
    network: Link = HERE,
    ps: int = PS,
) -> float:
    """Return the steps a second that the model foretells, of all workers together."""
    exchange = Exchange(
        4 * floats * ps,
        mode=cast("Literal['sync', 'async']", mode),
        messages=costs,
    )
    table = cluster(workers, ps, network=network, stragglers=STEADY)
    seconds = simulate(exchange, table).seconds
    return (workers if mode == "async" else 1) / seconds


def calibrated(measured: Curves) -> dict[str, Messages]:
    """Return what messages cost, for each side that was measured with one worker.

    The cost of each comes from scalars, that of bytes from the large parameters.
    """
    found = {}
    cores = len(os.sched_getaffinity(0))
    for who in ("ours", "TensorFlow"):
        small = measured.get((who, SCALAR, "sync"), {}).get(1, 0.0)
        large = measured.get((who, MEGABYTES_5, "sync"), {}).get(1, 0.0)
        if small and large:
            each = _solved(
                lambda x: rate(SCALAR, "sync", 1, Messages(x, 1e12, cores)), small
            )
            byte = _solved(
                lambda x, each=each: rate(
                    MEGABYTES_5, "sync", 1, Messages(each, 1 / x, cores)
                ),
                large,
                1e-13,
            )
            found[who] = Messages(each, 1 / byte, cores)
    return found


def _solved(rate_of: object, wanted: float, least: float = 1e-8) -> float:
    """Return the cost at which a rate, which falls with it, is as wanted."""
    assert callable(rate_of)
    low, high = least, 1e6 * least
    for _ in range(50):
        middle = (low * high) ** 0.5
        if rate_of(middle) > wanted:
            low = middle
        else:
            high = middle
    return low


def report(measured: Curves, costs: dict[str, Messages]) -> Iterator[str]:
    """Yield lines: what was measured, the model beside it, its thousand tasks, and the paper."""
    for who, each in costs.items():
        yield (
            f"model of {who}: {1e6 * each.each:.0f} us a message at each end, "
            f"{each.bandwidth / 1e9:.1f} GB/s"
        )
    yield "steps a second on this machine, measured (foretold from one worker)"
    for (who, floats, mode), by_workers in measured.items():
        if who not in costs:
            continue
        cells = [
            f"{n}: {got:,.0f} ({rate(floats, mode, n, costs[who]):,.0f})"
            for n, got in by_workers.items()
        ]
        yield f"  {who:<10} 2 x {_size(floats):<6} {mode:<5} " + "  ".join(cells)
    yield "foretold with a machine for each task, 10 Gbit/s, 16 servers"
    for floats, mode, points in extended(costs):
        cells = [f"{n}: {got:,.0f}" for n, got in points.items()]
        yield f"  ours       16 x {_size(floats):<6} {mode:<5} " + "  ".join(cells)
    yield "figure 6 of OSDI'16: the paper's steps a second (the model's, with its costs)"
    for name, (size, rows, points) in FIGURE_6.items():
        cells = [
            f"{n}: {got:,.1f} ({paper(size, rows, n):,.1f})"
            for n, got in points.items()
        ]
        yield f"  {name:<14} " + "  ".join(cells)


def _size(floats: int) -> str:
    return "scalar" if floats == 1 else f"{4e-6 * floats:g} MB"


def extended(
    costs: dict[str, Messages],
) -> Iterator[tuple[int, str, dict[int, float]]]:
    """Yield the floats at each of 16 servers, the mode, and steps a second up to 1,000 workers."""
    if "ours" not in costs:
        return
    own = costs["ours"]._replace(cores=None)
    for floats in (SCALAR, MEGABYTES_5):
        for mode in ("sync", "async"):
            points = {n: rate(floats, mode, n, own, THERE, PAPER_PS) for n in MANY}
            yield floats, mode, points


def paper(size: int, rows: int | None, workers: int) -> float:
    """Return the steps a second of the paper's figure that the model foretells."""
    costs, network = PAPER
    exchange = Exchange(size, rows=rows, row=4_000, messages=costs)
    table = cluster(workers, PAPER_PS, network=network, stragglers=STEADY)
    return 1 / simulate(exchange, table).seconds
