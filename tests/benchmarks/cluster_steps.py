"""The null training step of the OSDI'16 paper, section 6.2, as every side of a comparison runs it.

A worker fetches the parameters from the servers, computes something trivial and sends updates.
Here every update adds 1 to each parameter, so that the parameters count the updates: a side that
loses one is found out. A side is a process that starts one cluster, as the first line of its
standard input says, reads cases as lines of JSON and answers with one line each. Runs on any
Python; nothing but the standard library is imported.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from statistics import median
from threading import Thread
from time import perf_counter
from typing import Any, TypeAlias

PS = 2
"""Servers in every case."""
SCALAR, MEGABYTES_5 = 1, 1_250_000


@dataclass(frozen=True)
class Case:
    """A null step: how much of the parameters each server has, and how many workers there are."""

    floats: int = SCALAR
    """Float32 numbers at each server; one is a scalar."""
    workers: int = 1
    mode: str = "sync"
    """'sync': a step takes the mean of all workers' updates; 'async': each worker steps alone."""
    way: str = ""
    """How tasks talk: '' as is best on this machine, 'tcp', or 'tls'."""

    @property
    def name(self) -> str:
        """What people call it."""
        size = "scalar" if self.floats == 1 else f"{4e-6 * self.floats:.0f} MB"
        return (
            f"{PS} x {size}, {self.workers} workers, {self.mode} {self.way}".strip()
        )


@dataclass(frozen=True)
class Found:
    """What running a case told."""

    rate: float
    """Steps a second, of all workers together."""
    steps: int
    """How many were run since the parameters were 0, by whoever steps."""
    updates: float
    """What the parameters say."""


Step: TypeAlias = Callable[[], object]


@dataclass
class Program:
    """A case, ready to run."""

    steps: Sequence[Step]
    """One for all workers in 'sync', one for each of them in 'async'."""
    value: Callable[[], float]
    """Returns the first of the parameters."""
    run: int = 0

    def measure(self, seconds: float) -> Found:
        """Step for a while."""
        times = [list[float]() for _ in self.steps]
        if len(self.steps) == 1:
            paced(self.steps[0], seconds, times[0])
        else:
            together(self.steps, seconds, times)
        self.run += sum(map(len, times))
        rate = sum(1 / median(each) for each in times)
        return Found(rate, self.run, self.value())


def paced(step: Step, seconds: float, times: list[float]) -> None:
    """Run a step again and again, and note how long each took."""
    now = perf_counter()
    end = now + seconds
    while now < end or len(times) < 3:
        step()
        before, now = now, perf_counter()
        times.append(now - before)


def together(steps: Sequence[Step], seconds: float, times: list[list[float]]) -> None:
    """Run each of some steps by a thread of its own."""
    threads = [
        Thread(target=paced, args=(step, seconds, own))
        for step, own in zip(steps, times, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


Start: TypeAlias = Callable[
    [int, str], AbstractContextManager[Callable[[Case], Program]]
]
"""Starts a cluster of so many workers that talk in a way; it makes programs of cases."""


def answer(start: Start) -> None:
    """Measure the cases that standard input tells, after the cluster for them."""
    told = json.loads(sys.stdin.readline())
    programs: dict[Case, Program] = {}
    with start(told["workers"], told["way"]) as make:
        print(json.dumps(told), flush=True)
        for line in sys.stdin:
            asked: dict[str, Any] = json.loads(line)
            seconds = asked.pop("seconds")
            case = Case(**asked)
            if case not in programs:
                programs[case] = make(case)
                programs[case].measure(seconds / 4)
            print(json.dumps(asdict(programs[case].measure(seconds))), flush=True)
