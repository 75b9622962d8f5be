"""Placements over two CPU devices: the automatic one beside the best, and simulated times measured.

`python -m tests.benchmarks.placements` prints the table by itself. It needs an idle core for each
device, but for the naps, whose kernels sleep: they show how the order of things is foretold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np

import tensorlite as tl
from tensorlite.core.device import DeviceName
from tensorlite.passes import search
from tensorlite.passes.atoms import Assignment, Problem
from tensorlite.passes.cost import Costs
from tensorlite.passes.place import Choice
from tensorlite.passes.units import Units
from tests import networks

PLACEMENTS = 10
ROUNDS = 15
"""How often each placement is run, all taking turns; the least counts."""
POOL = 150
"""Random placements that those to measure are taken from."""
NETWORKS: dict[str, Callable[[], networks.Network]] = {
    "MLP": partial(networks.mlp, batch=128, units=384, layers=3),
    "CNN": partial(networks.cnn, batch=16, size=24, channels=16, depth=3),
    "LSTM, a loop": partial(
        networks.lstm, 64, 384, layers=4, turns=10, unrolled=False
    ),
    "LSTM, unrolled": partial(
        networks.lstm, 64, 384, layers=4, turns=4, unrolled=True
    ),
    "20 naps": partial(networks.naps, 20, seed=0),
    "30 naps": partial(networks.naps, 30, seed=1),
}
"""Made when they are measured: they hold tens of megabytes."""


class Noted:
    """A choice that puts everything on one device, and notes what it was asked."""

    problem: Problem

    def __init__(self, costs: Costs) -> None:
        self.costs = costs

    def __call__(
        self,
        units: Units,
        groups: Sequence[Sequence[int]],
        allowed: Sequence[Sequence[DeviceName]],
    ) -> list[DeviceName]:
        """Return the first device for each group."""
        self.problem = Problem(units, groups, allowed, self.costs)
        return [may[0] for may in allowed]


class Given:
    """A choice that was made before."""

    def __init__(self, answer: list[DeviceName]) -> None:
        self.answer = answer

    def __call__(
        self,
        units: Units,
        groups: Sequence[Sequence[int]],
        allowed: Sequence[Sequence[DeviceName]],
    ) -> list[DeviceName]:
        """Return it."""
        return self.answer


@dataclass(frozen=True)
class Row:
    """What was found for one network; seconds."""

    name: str
    atoms: int
    alone: float
    """Simulated, on one device."""
    chosen: float
    """Simulated, as EarliestFinish places it."""
    best: float
    """Simulated, as the best of all placements, or of a long search."""
    every: bool
    """Whether all placements were tried."""
    simulated: tuple[float, ...]
    measured: tuple[float, ...]

    @property
    def correlation(self) -> float:
        """Spearman's: the correlation of the ranks."""
        return spearman(self.simulated, self.measured)

    def __str__(self) -> str:
        how = "of all" if self.every else "long search"
        return (
            f"{self.name:<16}{1e3 * self.alone:9.2f}{1e3 * self.chosen:9.2f}"
            f"{1e3 * self.best:9.2f} {how:<12}{self.chosen / self.best:6.3f}x"
            f"{1e3 * min(self.measured):10.2f}{1e3 * max(self.measured):9.2f}"
            f"{self.correlation:9.2f}"
        )


HEAD = (
    f"{'ms a step':<16}{'alone':>9}{'chosen':>9}{'best':>9} {'':<12}{'ratio':>7}"
    f"{'measured':>10}{'to':>9}{'Spearman':>9}"
)


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Return the correlation of the ranks of two rows of numbers without ties."""
    ranks = [np.argsort(np.argsort(np.asarray(row))) for row in (xs, ys)]
    apart = [rank - rank.mean() for rank in ranks]
    lengths = [math.sqrt(float(one @ one)) for one in apart]
    return float(apart[0] @ apart[1]) / (lengths[0] * lengths[1])


def problem_of(
    program: networks.Program, x: list[tl.Tensor], costs: Costs
) -> Problem:
    """Return a program as what its placement is sought for."""
    noted = Noted(costs)
    traced = tl.function(program, placement=noted).get_concrete_function(*x)
    assert traced.partitions
    noted.problem.tried.clear()
    return noted.problem


def some(problem: Problem) -> list[Assignment]:
    """Return placements from the quickest to the slowest, of the usual and many random ones."""
    draw = np.random.default_rng(0)
    pool = {*search.starts(problem)}
    for _ in range(POOL):
        pool.add(tuple([int(draw.choice(may)) for may in problem.options]))
    ordered = sorted(pool, key=problem.time)
    places = np.linspace(0, len(ordered) - 1, min(PLACEMENTS, len(ordered)))
    return [ordered[int(i)] for i in places]


def timed(steps: list[Callable[[], object]], rounds: int) -> list[float]:
    """Return the least seconds of each, taken in turns."""
    best = [math.inf] * len(steps)
    for _ in range(rounds):
        for i, step in enumerate(steps):
            begin = perf_counter()
            step()
            best[i] = min(best[i], perf_counter() - begin)
    return best


def row(name: str, costs: Costs, rounds: int = ROUNDS, effort: int = 20_000) -> Row:
    """Return what is found for one network."""
    program, specs = NETWORKS[name]()
    draw = np.random.default_rng(0)
    x = [tl.asarray(draw.random(spec.shape, np.float32)) for spec in specs]  # type: ignore[arg-type]
    problem = problem_of(program, x, costs)
    alone = problem.time(problem.fitting([0] * len(problem.atoms)))
    chosen = search.first_choice(problem, 300).best
    every = problem.count <= effort
    best = (
        search.exhaustive(problem)
        if every
        else search.long_search(problem, effort, math.inf, seed=1)
    )
    tried = some(problem)
    steps = [_step(program, Given(problem.answer(one)), x) for one in tried]
    measured = timed(steps, rounds)
    simulated = [problem.time(one) for one in tried]
    atoms = len(problem.atoms)
    return Row(
        name,
        atoms,
        alone,
        chosen,
        best.best,
        every,
        tuple(simulated),
        tuple(measured),
    )


def _step(
    program: networks.Program, choice: Choice, x: list[tl.Tensor]
) -> Callable[[], object]:
    """Return a placed program as a call of no arguments, which has run once."""
    traced = tl.function(program, placement=choice)
    traced(*x)
    return lambda: traced(*x)


def rows(costs: Costs, rounds: int = ROUNDS, effort: int = 20_000) -> list[Row]:
    """Return what is found for every network, over two CPU devices."""
    tl.config.set_logical_devices("CPU", 2)
    try:
        return [row(name, costs, rounds, effort) for name in NETWORKS]
    finally:
        tl.config.set_logical_devices("CPU", 1)


def report() -> list[str]:
    """Return the lines of the table: simulated times, and ten placements measured beside them."""
    found = rows(tl.placement.measured_costs())
    return ["", "placements over two CPU devices", HEAD, *map(str, found)]


def main() -> None:
    """Print the table."""
    print("\n".join(report()))


if __name__ == "__main__":
    main()
