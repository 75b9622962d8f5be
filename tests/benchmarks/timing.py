"""How things are timed here: cases in turn, many short samples, the least of each counts.

Noise only ever adds time, so the least sample is the one nearest to what the code takes; taking
turns lets a busy second hit all cases alike. Needs nothing but the standard library, because
other.py, which uses it, also runs on Pythons without tensorlite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from timeit import Timer
from typing import Any

SAMPLE = 0.002
"""Seconds that one sample aims to take."""


@dataclass(frozen=True)
class Case:
    """A statement (or a function) to time, under a name, with the names that it uses."""

    name: str
    run: str | Callable[[], object]
    names: dict[str, Any] = field(default_factory=dict)
    per: float = 1.0
    """How many of what is counted one run holds: turns, nodes, operators."""


def fitting(timer: Timer) -> int:
    """Return how often to run within one sample."""
    timer.timeit(1)
    times = 1
    while times < 1_000_000 and timer.timeit(times) < SAMPLE / 2:
        times *= 2
    return times


def least(cases: Sequence[Case], rounds: int = 60) -> dict[str, float]:
    """Return the least microseconds of each case, by name."""
    timers = [Timer(case.run, globals=case.names) for case in cases]
    times = [fitting(timer) for timer in timers]
    best = [float("inf")] * len(cases)
    for _ in range(rounds):
        for i, timer in enumerate(timers):
            best[i] = min(best[i], timer.timeit(times[i]) / times[i])
    return {
        case.name: 1e6 * t / case.per for case, t in zip(cases, best, strict=True)
    }
