"""search: which device each atom gets, by simulated time: heuristics, and a search from there.

What an atom is, and how long a step takes, is atoms.py's matter. Everything here is deterministic
but for a limit of seconds, which may cut a search short and is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import product
from time import perf_counter

import numpy as np

from tensorlite.passes.atoms import Assignment, Problem
from tensorlite.passes.unroll import JOIN, NO_MESSAGE

Draw = np.random.Generator
CUTS = 24
"""How many places a row of atoms is tried to be cut at."""
WORK = 200_000
"""How many tasks the first choice plays at most, beside its starts: about half a second's."""
GAIN = 1e-9
"""By which share a placement must be better to be taken."""


@dataclass
class Search:
    """A search under way: the best that was found, and how it got better."""

    problem: Problem
    iterations: int
    """How many placements are tried at most."""
    seconds: float = math.inf
    """How long it may take; what is then not yet tried is left."""
    chosen: Assignment = ()
    best: float = math.inf
    """The seconds of a step for what was chosen."""
    history: list[tuple[int, float]] = field(default_factory=list)
    """After how many placements a better one was found, and its seconds."""
    cut: bool = False
    """Whether the limit of seconds ended it."""
    began: float = field(default_factory=perf_counter)

    @property
    def is_over(self) -> bool:
        """Whether a limit is reached."""
        if len(self.problem.tried) >= min(self.iterations, self.problem.count):
            return True
        self.cut |= perf_counter() - self.began > self.seconds
        return self.cut

    def offer(self, chosen: Assignment) -> float:
        """Try a placement, and keep it if it is the best; return its seconds."""
        seconds = self.problem.time(chosen)
        if seconds < self.best * (1 - GAIN):
            self.best, self.chosen = seconds, chosen
            self.history.append((len(self.problem.tried), seconds))
        return seconds

    def __str__(self) -> str:
        tried = (
            f"{len(self.problem.tried)} placements of {len(self.problem.atoms)} atoms"
        )
        ended = ", cut short by the limit of seconds" if self.cut else ""
        return f"{1e3 * self.best:.3f} ms a step, simulated; {tried} tried{ended}"


def starts(problem: Problem) -> Iterator[Assignment]:
    """Yield placements that are good in some graphs: those that all searches begin with.

    All on one device; each task on the device where it ends first; the row of atoms cut into one
    part for each device; the largest atoms dealt out first.
    """
    count, size = len(problem.workload.net), len(problem.atoms)
    for device in range(count):
        yield problem.fitting([device] * size)
    if count > 1 and size > 1:
        yield earliest_finish(problem)
        yield from cuts(problem)
        yield dealt_out(problem)


def cuts(problem: Problem) -> Iterator[Assignment]:
    """Yield the row of atoms in parts: for two devices any, for more of equal work."""
    count, size = len(problem.workload.net), len(problem.atoms)
    if count > 2:
        parts = _equal_parts(problem.seconds, count)
        yield problem.fitting(parts)
        yield problem.fitting([count - 1 - part for part in parts])
        return
    step = max(1, size // CUTS)
    for at in range(step, size, step):
        yield problem.fitting([int(i >= at) for i in range(size)])
        yield problem.fitting([int(i < at) for i in range(size)])


def _equal_parts(seconds: Sequence[float], count: int) -> list[int]:
    """Return a part for each atom, the work of all parts being about equal."""
    whole, before, parts = sum(seconds) or 1.0, 0.0, []
    for one in seconds:
        middle = (before + one / 2) / whole
        parts.append(min(count - 1, int(middle * count)))
        before += one
    return parts


def dealt_out(problem: Problem) -> Assignment:
    """Return the largest atoms first, each on the device that has least to do."""
    slow, load = problem.workload.net.slow, [0.0] * len(problem.workload.net)
    wanted = [0] * len(problem.atoms)
    for atom in sorted(range(len(wanted)), key=lambda i: -problem.seconds[i]):
        ends = {
            device: load[device] + problem.seconds[atom] * slow[device]
            for device in problem.options[atom]
        }
        wanted[atom] = min(ends, key=lambda device: (ends[device], device))
        load[wanted[atom]] = ends[wanted[atom]]
    return tuple(wanted)


def earliest_finish(problem: Problem) -> Assignment:
    """Return each atom on the device where its first task ends first (HEFT, Topcuoglu 2002).

    Tasks are taken by the longest way to the end. What tasks take and when their inputs are there
    is as in simulate.py, but that links and interpreter are free whenever they are asked.
    """
    return _EarliestFinish(problem).chosen


class _EarliestFinish:
    """The state of that: when devices are free, and where and when tasks ended."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.work = problem, problem.workload
        tasks = self.work.tasks
        self.free = [0.0] * len(self.work.net)
        self.where = [JOIN] * len(tasks)
        self.end = [0.0] * len(tasks)
        self.inputs: list[list[tuple[int, int]]] = [[] for _ in range(len(tasks))]
        for task, outs in enumerate(tasks.outs):
            for target, message in outs:
                self.inputs[target].append((task, message))
        wanted = [-1] * len(problem.atoms)
        atom_of = problem.place(tuple(range(len(problem.atoms))))
        for task in self._order():
            unit = tasks.unit[task]
            if unit == JOIN:
                self.end[task] = self._ready(task, JOIN)
                continue
            atom = atom_of[unit]
            if wanted[atom] < 0:
                wanted[atom] = self._first(task, problem.options[atom])
            self._run(task, wanted[atom])
        self.chosen = problem.fitting(wanted)

    def _order(self) -> list[int]:
        """Return the tasks by rank, each after those it waits for."""
        rank, tasks = self.work.rank, self.work.tasks
        needs, order = list(tasks.needs), []
        ready = [task for task, count in enumerate(needs) if not count]
        heap = [(-rank[task], task) for task in ready]
        heapify(heap)
        while heap:
            _, task = heappop(heap)
            order.append(task)
            for target, _ in tasks.outs[task]:
                needs[target] -= 1
                if not needs[target]:
                    heappush(heap, (-rank[target], target))
        return order

    def _ready(self, task: int, device: int) -> float:
        """Return when everything that a task needs is on a device."""
        net, sizes = self.work.net, self.work.tasks.sizes
        latest = 0.0
        for source, message in self.inputs[task]:
            there, at = self.end[source], self.where[source]
            if message != NO_MESSAGE and JOIN not in (device, at) and at != device:
                latency, each = net.link(at, device)
                there += latency + each * sizes[message] + net.costs.fixed.transfer
            latest = max(latest, there)
        return latest

    def _takes(self, task: int, device: int) -> float:
        return (
            self.work.seconds[self.work.kind[device]][task]
            * self.work.net.slow[device]
        )

    def _first(self, task: int, options: Sequence[int]) -> int:
        """Return the device where a task ends first."""
        ends = {
            device: max(self.free[device], self._ready(task, device))
            + self._takes(task, device)
            for device in options
        }
        return min(ends, key=lambda device: (ends[device], device))

    def _run(self, task: int, device: int) -> None:
        begin = max(self.free[device], self._ready(task, device))
        self.end[task] = self.free[device] = begin + self._takes(task, device)
        self.where[task] = device


def exhaustive(problem: Problem) -> Search:
    """Return the best of all placements; they are as many as devices to the power of atoms."""
    found = Search(problem, iterations=2**63)
    for chosen in product(*problem.options):
        found.offer(chosen)
    return found


def descend(search: Search, chosen: Assignment, draw: Draw | None = None) -> None:
    """Take better neighbours of a placement as long as there are any, and limits allow.

    Neighbours differ in one atom, in a row of them, or in two that change places; they are tried in
    the order of the program, or as `draw` shuffles them.
    """
    seconds = search.offer(chosen)
    better = True
    while better and not search.is_over:
        better = False
        moves = list(neighbours(search.problem))
        if draw is not None:
            moves = [moves[i] for i in draw.permutation(len(moves)).tolist()]
        for move in moves:
            other = move(chosen)
            if other == chosen or search.is_over:
                continue
            tried = search.offer(other)
            if tried < seconds * (1 - GAIN):
                chosen, seconds, better = other, tried, True


Move = Callable[[Assignment], Assignment]


def neighbours(problem: Problem) -> Iterator[Move]:
    """Yield the moves of single atoms, of rows of 2, 4, 8, ... of them, and of pairs."""
    size, count = len(problem.atoms), len(problem.workload.net)
    length = 1
    while length <= size:
        for start in range(0, size - length + 1, max(1, length // 2)):
            for device in range(count):
                yield _Row(problem, start, start + length, device)
        length *= 2
    for one in range(size):
        for other in range(one + 1, min(size, one + CUTS)):
            yield _Swap(problem, one, other)


@dataclass(frozen=True)
class _Row:
    """Atoms that follow each other get one device, if they may have it."""

    problem: Problem
    start: int
    stop: int
    device: int

    def __call__(self, chosen: Assignment) -> Assignment:
        middle = [self.device] * (self.stop - self.start)
        moved = [*chosen[: self.start], *middle, *chosen[self.stop :]]
        options = self.problem.options
        rows = zip(moved, chosen, options, strict=True)
        return tuple([one if one in may else old for one, old, may in rows])


@dataclass(frozen=True)
class _Swap:
    """Two atoms change places, if they may."""

    problem: Problem
    one: int
    other: int

    def __call__(self, chosen: Assignment) -> Assignment:
        a, b = chosen[self.one], chosen[self.other]
        options = self.problem.options
        if b not in options[self.one] or a not in options[self.other]:
            return chosen
        swapped = list(chosen)
        swapped[self.one], swapped[self.other] = b, a
        return tuple(swapped)


def first_choice(problem: Problem, iterations: int) -> Search:
    """Return the best of the usual starts, made better as far as `iterations` go.

    They go less far for large graphs: WORK tasks are played, so that it stays a moment.
    """
    limit = min(iterations, WORK // max(1, len(problem.workload.tasks)))
    search = Search(problem, limit)
    for chosen in starts(problem):
        search.offer(chosen)
    descend(search, search.chosen)
    return search


def long_search(
    problem: Problem, iterations: int, seconds: float, seed: int
) -> Search:
    """Return the best that a search from many starts finds: the usual ones, then shaken best ones.

    The same seed gives the same placement, unless the limit of seconds ends the search.
    """
    search, draw = Search(problem, iterations, seconds), np.random.default_rng(seed)
    begins = sorted({*starts(problem)}, key=lambda one: (problem.time(one), one))
    for chosen in begins:
        search.offer(chosen)
    for chosen in begins[:4]:
        descend(search, chosen, draw)
    rounds = 0
    while not search.is_over and rounds < iterations:
        rounds += 1
        descend(search, _shaken(search, draw), draw)
    return search


def _shaken(search: Search, draw: Draw) -> Assignment:
    """Return the best placement with a few rows of atoms put elsewhere."""
    problem, chosen = search.problem, search.chosen
    size = len(problem.atoms)
    for _ in range(int(draw.integers(1, 5))):
        start = int(draw.integers(size))
        stop = min(size, start + int(draw.integers(1, 2 + size // 3)))
        device = int(draw.integers(len(problem.workload.net)))
        chosen = _Row(problem, start, stop, device)(chosen)
    return chosen
