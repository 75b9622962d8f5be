"""How often to save: the interval that loses least time, of the cost of saving and of failures.

Saving too often costs the time of saving, too seldom the work since the last save that a failure
undoes. Young (1974) and Daly (2006) found the best interval between. Who saves is trainer.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from statistics import median
from typing import Any

from tensorlite.core.errors import InvalidArgumentError

ASSUMED = 5 * 3600.0
"""Seconds between failures that are assumed until failures are seen."""
_RECENT = 5
"""Of how many saves, and restores, the typical cost is taken."""


def young(cost: float, between_failures: float) -> float:
    """Return the best interval between saves to first order, in seconds; Young 1974.

    >>> from tensorlite.distributed.training.interval import young
    >>> round(young(cost=2.0, between_failures=10000.0))
    200
    """
    return math.sqrt(2 * cost * between_failures)


def daly(cost: float, between_failures: float) -> float:
    """Return the best interval between the end of one save and the next one's beginning.

    Daly 2006, equation 37: of higher order, it holds also where saving takes a good part of the
    time between failures.

    >>> from tensorlite.distributed.training.interval import daly
    >>> round(daly(cost=2.0, between_failures=10000.0), 1), daly(9.0, 4.0)
    (198.7, 4.0)
    """
    if cost >= 2 * between_failures:
        return between_failures
    part = math.sqrt(cost / (2 * between_failures))
    return young(cost, between_failures) * (1 + part / 3 + part * part / 9) - cost


def lost_share(
    interval: float, cost: float, between_failures: float, restart: float = 0.0
) -> float:
    """Return which part of all time is lost to saving and to failures, for an interval.

    Failures come at any time, as often as they do on average (a Poisson process); each costs the
    restart and the work since the last save. Daly 2006, equation 20.

    >>> from tensorlite.distributed.training.interval import lost_share
    >>> round(lost_share(200.0, cost=2.0, between_failures=10000.0), 3)
    0.02
    """
    if interval <= 0:
        return 1.0
    grown = math.expm1((interval + cost) / between_failures)
    whole = between_failures * math.exp(restart / between_failures) * grown
    return 1 - interval / whole


@dataclass
class AutoInterval:
    """The interval between saves, as what is measured makes it; `reason` says why.

    The time between failures is what has been seen, with one failure in `assumed` seconds as if it
    had been seen before.

    >>> from tensorlite.distributed.training.interval import AutoInterval
    >>> auto = AutoInterval()
    >>> auto.saved(1.2)
    >>> auto.reason
    'every 207 s: saving takes 1.2 s, a failure every 5 h is assumed until one is seen'
    """

    assumed: float = ASSUMED
    costs: list[float] = field(default_factory=list)
    failures: int = 0
    trained: float = 0.0
    """Seconds under way so far, in which those failures came."""

    def __post_init__(self) -> None:
        if not (isinstance(self.assumed, Real) and self.assumed > 0):
            raise InvalidArgumentError(
                f"assumed={self.assumed!r}: seconds between failures are more than 0"
            )

    def saved(self, seconds: float) -> None:
        """Note how long a save took."""
        self.costs = [*self.costs, seconds][-_RECENT:]

    def failed(self) -> None:
        """Note a failure."""
        self.failures += 1

    def state(self) -> dict[str, Any]:
        """Return what was measured, as JSON can hold it."""
        measured = {"failures": self.failures, "trained": self.trained}
        return {"costs": self.costs, **measured}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Take over what `state` returned in an earlier run."""
        self.costs = list(state.get("costs", self.costs))
        self.failures += state.get("failures", 0)
        self.trained += state.get("trained", 0.0)

    @property
    def cost(self) -> float:
        """What a save costs, in seconds: typically, of the last ones."""
        return median(self.costs) if self.costs else 0.0

    @property
    def between_failures(self) -> float:
        """Seconds between failures, as far as is known."""
        return (self.assumed + self.trained) / (1 + self.failures)

    @property
    def seconds(self) -> float:
        """The best interval, in seconds."""
        return daly(self.cost, self.between_failures)

    @property
    def reason(self) -> str:
        """The interval and why it is this long, in words."""
        often = f"a failure every {in_words(self.between_failures)} is"
        seen = f"{often} assumed until one is seen"
        if self.failures:
            times = "once" if self.failures == 1 else f"{self.failures} times"
            seen = (
                f"{often} expected: {times} in {in_words(self.trained)}, and "
                f"{in_words(self.assumed)} between them were assumed before"
            )
        return f"every {in_words(self.seconds)}: saving takes {in_words(self.cost)}, {seen}"


@dataclass(frozen=True)
class FixedInterval:
    """An interval between saves that was asked for, in seconds or in steps."""

    steps: int | None = None
    seconds: float = math.inf

    @property
    def reason(self) -> str:
        """The interval, in words."""
        if self.steps is not None:
            return f"every {self.steps} steps: as asked for"
        return f"every {in_words(self.seconds)}: as asked for"


Interval = AutoInterval | FixedInterval


def interval_of(given: object) -> Interval:
    """Return the interval that is given: "auto", a whole number of steps, or seconds as a float.

    >>> from tensorlite.distributed.training.interval import interval_of
    >>> interval_of(100).reason, interval_of(90.0).reason
    ('every 100 steps: as asked for', 'every 90 s: as asked for')
    """
    if given == "auto":
        return AutoInterval()
    if isinstance(given, (AutoInterval, FixedInterval)):
        return given
    if type(given) is int and given > 0:
        return FixedInterval(steps=given)
    if type(given) is float and given > 0:
        return FixedInterval(seconds=given)
    raise InvalidArgumentError(
        f'interval={given!r}; allowed are "auto", a number of steps as an int, and seconds as a '
        "float, both more than 0"
    )


def in_words(seconds: float) -> str:
    """Return a time for people, to three figures.

    >>> from tensorlite.distributed.training.interval import in_words
    >>> in_words(0.0312), in_words(95), in_words(5400)
    ('31.2 ms', '95 s', '1.5 h')
    """
    for unit, name, end in (
        (0.001, "ms", 1.0),
        (1.0, "s", 600.0),
        (60.0, "min", 3600),
    ):
        if seconds < end:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 3600:.3g} h"
