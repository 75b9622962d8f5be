"""One seed's campaign: steps on a cluster whose tasks and links fail, and a count of what must be.

Several steps of several kinds are under way at once, and what comes of each is known. One adds one
to a variable on every parameter server; so, of the steps that were begun since a variable got its
value, it holds those that were acknowledged at the least, and at the most those that were tried.
So it is with what is added under a lock, and with gradients that are accumulated. Another puts a
number into a queue and takes one: none comes twice, and the queue holds no more than what failed
steps have left. There are loops over three tasks, and values that stay where they were computed.
Some steps are given up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.core.errors import (
    FailedPreconditionError,
    NotFoundError,
    UnavailableError,
)
from tensorlite.distributed.cluster import Cluster
from tensorlite.distributed.connecting import connect
from tensorlite.distributed.engines.events import Faults
from tensorlite.distributed.engines.inprocess import InprocessEngine

PS = 2
WORKERS = 3
TURNS = 3
AT_ONCE = 4
SIZES = (1, 5, 20_000)
"""Elements of what is fed: in the command, or beside it."""
LIMIT = 300
"""Attempts after which a campaign has gone wrong."""
LONG = 30.0
LOCKED = "/job:ps/task:1"
NUMBERS = tl.TensorSpec((None,), tl.int64)
Lives = tuple[int, ...]
"""How often the state of each parameter server was lost."""


def faults_of(random: Random) -> Faults:
    """Return what goes wrong in a campaign."""
    slow = {"/job:worker/task:1": 10.0} if random.random() < 0.3 else {}
    return Faults(
        reorder=random.random() < 0.8,
        drops=random.choice([0.0, 0.02]),
        cuts=random.choice([0.0, 0.001, 0.004]),
        kills=random.choice([0.0, 0.001, 0.003]),
        outage=(0.0, 0.3),
        notice=(0.001, 0.2),
        restart=(0.05, 0.5),
        stragglers=slow,
    )


def begin(
    function: Any, value: Any, done: Callable[[Any], object] | None = None
) -> Any:
    """Begin a step of a traced function, and return it: several may be under way."""
    x = tl.constant(value)
    placed = function.callee.placed(function._home([x]))
    return placed.step.begin(
        [x.array, *[each.array for each in function.captured]], done
    )


def total_on(worker: int, x: Any) -> Any:
    """Return a number that a worker has computed."""
    with tl.device(f"/job:worker/task:{worker}"):
        return tl.sum(x * 2 + 1)


def adding(worker: int, variables: list[Any]) -> Any:
    """Return a step that adds one to each variable."""

    @tl.function
    def add(x: Any) -> Any:
        total = total_on(worker, x)
        for variable in variables:
            variable.assign_add(total - total + 1)
        return total

    return add.get_concrete_function(NUMBERS)


def queueing(worker: int, queue: Any) -> Any:
    """Return a step that puts a number into a queue, and takes one."""

    @tl.function
    def exchange(x: Any) -> Any:
        queue.enqueue(total_on(worker, x))
        return queue.dequeue()

    return exchange.get_concrete_function(NUMBERS)


def locking(worker: int, section: Any, variable: Any) -> Any:
    """Return a step that reads a variable and writes it, under a lock."""

    @tl.function
    def lock(x: Any) -> Any:
        total = total_on(worker, x)
        section.execute(lambda: variable.assign(variable.value() + 1 + total - total))
        return total

    return lock.get_concrete_function(NUMBERS)


def accumulating(worker: int, accumulator: Any) -> Any:
    """Return a step that gives a gradient."""

    @tl.function
    def accumulate(x: Any) -> Any:
        total = total_on(worker, x)
        accumulator.apply_grad(tl.astype(total, tl.float64), local_step=0)
        return total

    return accumulate.get_concrete_function(NUMBERS)


def keeping(worker: int) -> Any:
    """Return a step whose value stays with the worker, if it is large."""

    @tl.function
    def keep(x: Any) -> Any:
        with tl.device(f"/job:worker/task:{worker}"):
            return x * 2 + 1

    return keep.get_concrete_function(NUMBERS)


def looping(worker: int) -> Any:
    """Return a step with a loop over three tasks."""

    @tl.function
    def loop(x: Any) -> Any:
        def goes_on(i: Any, total: Any) -> Any:
            with tl.device("/job:ps/task:1"):
                return i < TURNS

        def turn(i: Any, total: Any) -> Any:
            with tl.device("/job:ps/task:0"):
                more = total + i
            with tl.device(f"/job:worker/task:{worker}"):
                return i + 1, more * 2

        start = tl.constant(np.int64(0)), total_on(worker, x)
        return tl.while_loop(goes_on, turn, start)[1]

    return loop.get_concrete_function(NUMBERS)


def looped(total: int) -> int:
    """Return what such a loop must give."""
    for i in range(TURNS):
        total = (total + i) * 2
    return total


class Campaign:
    """Runs steps, restores what is lost, and compares."""

    def __init__(self, seed: int, steps: int) -> None:
        self.random = Random(seed)  # noqa: S311
        self.faults = faults_of(self.random)
        self.engine = InprocessEngine(seed, self.faults)
        self.cluster: Cluster = connect(
            {"ps": PS, "worker": WORKERS}, engine=self.engine
        )
        self.outcomes: Counter[str] = Counter()
        self._steps = steps
        self._variables: list[Any] = []
        self._queue: Any = None
        self._accumulator: Any = None
        self._kept: list[tuple[Any, int]] = []
        """Arrays of other tasks, and what all their elements are."""
        self._functions: dict[str, list[Any]] = {}
        self._lives: Lives = (0,) * PS
        self._valued: dict[int, int] = {}
        """The life in which each variable got its value."""
        self._counts: Counter[tuple[str, int, int]] = Counter()
        """How often steps of a kind were begun or done in a life of a parameter server."""
        self._taken: Counter[tuple[int, int]] = Counter()
        """How often each number was taken from the queue in its life."""
        self._under: set[int] = set()

    def run(self) -> Counter[str]:
        """Return how often steps ended in which way."""
        self._insist(self._make)
        left = self._steps
        while left:
            while left and len(self._under) < AT_ONCE and not self.cluster.lost:
                self._begin(left)
                left -= 1
            self._wait(partial(self._fewer_than, max(len(self._under), 1)))
            if self.cluster.lost and self.random.random() < 0.5:
                self._insist(self._restore)
            elif self.cluster.lost or self.random.random() < 0.1:
                self._check()
        self._check()
        return self.outcomes

    def _fewer_than(self, many: int) -> bool:
        return len(self._under) < many

    def _wait(self, until: Callable[[], bool], timeout: float | None = None) -> None:
        self.cluster.master.carrier.wait(until, timeout)

    def _make(self) -> None:
        made = []
        for place in ("/job:ps/task:0", "/job:ps/task:1", LOCKED):
            with tl.device(place):
                made.append(tl.Variable(np.int64(0)))
        with tl.device("/job:ps/task:0"):
            self._queue = tl.queue.FIFOQueue(1000, [tl.int64], shapes=[()])
        with tl.device("/job:ps/task:1"):
            self._accumulator = tl.queue.ConditionalAccumulator(tl.float64, ())
        with tl.device(LOCKED):
            section = tl.CriticalSection()
        *added, locked = made
        self._valued = {i: self._lives[min(i, PS - 1)] for i in range(len(made))}
        self._variables = made
        self._functions = {
            "lock": [locking(i, section, locked) for i in range(WORKERS)],
            "accumulate": [
                accumulating(i, self._accumulator) for i in range(WORKERS)
            ],
            "keep": [keeping(i) for i in range(WORKERS)],
            "add": [adding(i, added) for i in range(WORKERS)],
            "exchange": [queueing(i, self._queue) for i in range(WORKERS)],
            "loop": [looping(i) for i in range(WORKERS)],
        }

    def _begin(self, number: int) -> None:
        kind = self.random.choice(("add", *self._functions))
        self._count(f"{kind} begun", self._lives)
        self._under.add(number)
        fed = np.full(self.random.choice(SIZES), number)
        expected = int(np.sum(fed * 2 + 1))
        function = self.random.choice(self._functions[kind])
        over = partial(self._over, kind, number, expected, self._lives)
        under = begin(function, fed, over)
        if self.random.random() < 0.03:
            under.cancel()

    def _count(self, what: str, lives: Lives) -> None:
        self._counts.update((what, i, life) for i, life in enumerate(lives))

    def _over(
        self, kind: str, number: int, expected: int, lives: Lives, found: Any
    ) -> None:
        """Take what came of a step."""
        self._under.discard(number)
        if isinstance(found, BaseException):
            if not isinstance(found, UnavailableError):
                raise found
            self.outcomes["UnavailableError"] += 1
            return
        self.outcomes["done"] += 1
        self._count(f"{kind} done", lives)
        if kind == "keep":
            self._kept.append((found[0], 2 * number + 1))
            return
        result = int(found[0].read())
        if kind == "exchange":
            self._taken[lives[0], result] += 1
            assert self._taken[lives[0], result] <= self._tried(result)
        else:
            assert result == (looped(expected) if kind == "loop" else expected)

    def _tried(self, total: int) -> int:
        """Return how many steps may have put a total into the queue."""
        return sum(
            any(n * (2 * number + 1) == total for n in SIZES)
            for number in range(1, self._steps + 1)
        )

    def _check(self) -> None:
        """Once nothing is under way, compare each variable with what was counted."""
        self._wait(lambda: not self._under)
        self._insist(self._restore)
        for kind, ps, variable in zip(
            ("add", "add", "lock"), (0, 1, 1), self._variables, strict=True
        ):
            self._compare(kind, ps, variable.read_value)
        self._compare("accumulate", 1, self._accumulator.num_accumulated)
        self._look_at_kept()
        left = self._insist(lambda: int(self._queue.size()))
        least, most = self._bounds("exchange", 0)
        assert 0 <= left <= most - least, f"{left} left of {least}..{most}"

    def _compare(self, kind: str, ps: int, read: Callable[[], Any]) -> None:
        found = self._insist(lambda: int(read()))
        least, most = self._bounds(kind, ps)
        assert least <= found <= most, f"{kind}: {found} not in {least}..{most}"

    def _look_at_kept(self) -> None:
        """Read what tasks keep; what was lost with its task says so."""
        kept, self._kept = self._kept, []
        for array, expected in kept:
            try:
                assert (array.read() == expected).all()
            except (UnavailableError, FailedPreconditionError, NotFoundError):
                self.outcomes["kept in vain"] += 1

    def _bounds(self, kind: str, i: int) -> tuple[int, int]:
        """Return how many steps of a kind were done in this life, and how many begun."""
        life = self._lives[i]
        return self._counts[f"{kind} done", i, life], self._counts[
            f"{kind} begun", i, life
        ]

    def _insist(self, attempt: Callable[[], Any]) -> Any:
        """Return what an attempt gives in the end."""
        for _ in range(LIMIT):
            try:
                return attempt()
            except UnavailableError:
                self._wait(lambda: False, 0.05)
                if attempt != self._restore:
                    self._insist(self._restore)
        raise AssertionError("it never succeeds")

    def _restore(self) -> None:
        """Have all tasks back, and give a value to each variable that has lost its own."""
        for task in self.cluster.recover(LONG):
            self.outcomes["started anew"] += 1
            lost = [task == f"/job:ps/task:{i}" for i in range(PS)]
            self._lives = tuple(map(int.__add__, self._lives, lost))
        for i, variable in enumerate(self._variables):
            life = self._lives[min(i, PS - 1)]
            if self._valued[i] != life:
                variable.assign(np.int64(0))
                self._valued[i] = life
