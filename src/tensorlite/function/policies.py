"""Policies: choices of placement by simulated time, with this machine's costs at hand.

How a choice is found is passes/search.py's matter; these are what programs name.
"""

from __future__ import annotations

import logging
import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tensorlite.core.check import one_of
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import CostsWarning, InvalidArgumentError
from tensorlite.passes import cost_table, search
from tensorlite.passes.atoms import Problem
from tensorlite.passes.cost import Costs
from tensorlite.passes.machines import Machines
from tensorlite.passes.units import Units
from tensorlite.runtime import measure

_log = logging.getLogger("tensorlite")


def measured_costs(path: str | Path | None = None) -> Costs:
    """Return costs that are measured on this machine, each when it is first asked for.

    Those in the file `path` are not measured again. Without it, that is this machine's file in the
    user's cache folder, which policies keep up to date, and the same costs are returned each time.
    A file that is torn or of another machine is left out with a CostsWarning.

    >>> costs = tl.placement.measured_costs("costs.json")
    >>> costs.told()
    '0 kernels measured in 0 ms'
    """
    return _shared() if path is None else _read(Path(path))


@cache
def _shared() -> Costs:
    return _read(cost_table.default_path())


def _read(path: Path) -> Costs:
    costs = Costs(measure.kernel_seconds, measure.link)
    cost_table.read(costs, path)
    return costs


@contextmanager
def known_costs(costs: Costs | None) -> Iterator[Costs]:
    """Give the costs named, or those shared, whose file then has what is measured meanwhile."""
    if costs is not None:
        yield costs
        return
    shared = _shared()
    before = shared.measured
    yield shared
    if shared.measured == before:
        return
    try:
        cost_table.write(shared, cost_table.default_path())
    except InvalidArgumentError as error:
        warnings.warn(f"{error}; they are measured anew", CostsWarning, stacklevel=3)


class Automatic(ABC):
    """A choice of devices by the simulated time of a step."""

    def __init__(
        self, costs: Costs | None = None, machines: Machines | None = None
    ) -> None:
        if costs is not None:
            one_of(costs, Costs, "costs", "tl.placement.Costs(), or None")
        if machines is not None:
            one_of(machines, Machines, "machines", "tl.placement.Machines, or None")
        self.costs = costs
        """What kernels and transfers cost; None: this machine's, measured as needed."""
        self.machines = machines
        """The devices and links that are simulated; None: this machine's."""
        self.outcome = ""
        """How the last search went, in words."""

    def __call__(
        self,
        units: Units,
        groups: Sequence[Sequence[int]],
        allowed: Sequence[Sequence[DeviceName]],
    ) -> Sequence[DeviceName]:
        """Return one device for each group, of those that it is allowed."""
        with known_costs(self.costs) as costs:
            problem = Problem(units, groups, allowed, costs, self.machines)
            found = self.find(problem)
            self.outcome = f"{units.graph.name}: {found}"
            _log.info("%s; %s", self.outcome, costs.told())
        return problem.answer(found.chosen)

    @abstractmethod
    def find(self, problem: Problem) -> search.Search:
        """Return what was found."""


class EarliestFinish(Automatic):
    """The placement whose simulated step ends first, of some good ones and their neighbours.

    Among them are each task on the device where it ends first (HEFT), all on one device, and the
    program cut in two. It takes a moment, once for each graph: `Search` takes longer, and may find
    better. Devices that a program asks for, colocation and state stay as they are.

    >>> policy = tl.placement.EarliestFinish(tl.placement.Costs())
    >>> step = tl.function(lambda x: tl.exp(x) @ x, placement=policy)
    >>> step(tl.ones((2, 2))).shape
    (2, 2)
    >>> policy.outcome
    '<lambda>: 0.004 ms a step, simulated; 1 placements of 3 atoms tried'
    """

    def __init__(
        self,
        costs: Costs | None = None,
        machines: Machines | None = None,
        *,
        iterations: int = 300,
    ) -> None:
        super().__init__(costs, machines)
        self.iterations = _checked("EarliestFinish", "iterations", iterations)
        """How many placements are tried at most."""

    def find(self, problem: Problem) -> search.Search:
        """Return the best of the usual placements and their neighbours."""
        return search.first_choice(problem, self.iterations)


class Search(Automatic):
    """The best placement that a search from many starts finds in simulation.

    It ends after `iterations` placements, or `seconds`. The same seed gives the same placement as
    long as costs are the same and the seconds do not cut it short, which `outcome` tells.
    `tl.placement.freeze` keeps what was found.

    >>> policy = tl.placement.Search(seconds=1.0, seed=1, costs=tl.placement.Costs())
    >>> step = tl.function(lambda x: tl.exp(x) @ x, placement=policy)
    >>> step(tl.ones((2, 2))).shape
    (2, 2)
    """

    def __init__(
        self,
        seconds: float = 10.0,
        seed: int = 0,
        *,
        iterations: int = 10_000,
        costs: Costs | None = None,
        machines: Machines | None = None,
    ) -> None:
        super().__init__(costs, machines)
        given: object = seconds
        number = isinstance(given, (int, float)) and not isinstance(given, bool)
        if not number or not seconds >= 0:
            raise InvalidArgumentError(
                f"Search: seconds={seconds!r}; allowed are 0 and more, and math.inf"
            )
        self.seconds = seconds
        self.seed = _checked("Search", "seed", seed, 0)
        self.iterations = _checked("Search", "iterations", iterations)

    def find(self, problem: Problem) -> search.Search:
        """Return the best that was found."""
        seconds = min(self.seconds, math.inf)
        return search.long_search(problem, self.iterations, seconds, self.seed)


def _checked(what: str, name: str, value: int, least: int = 1) -> int:
    if type(value) is not int or value < least:
        raise InvalidArgumentError(
            f"{what}: {name}={value!r}; allowed are whole numbers from {least} on"
        )
    return value
