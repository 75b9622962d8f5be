"""One seed's campaign: steps on a cluster whose tasks and links fail, and a count of what must be.

Several steps are under way at once. Each has a worker compute, and then adds one to a variable on
every parameter server; so, of the steps that were begun since a variable got its value, it holds
those that were acknowledged at the least, and at the most those that were tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.core.errors import UnavailableError
from tensorlite.distributed.cluster import Cluster
from tensorlite.distributed.connecting import connect
from tensorlite.distributed.events import Faults
from tensorlite.distributed.inprocess import InprocessEngine

PS = 2
WORKERS = 3
AT_ONCE = 4
SIZES = (1, 5, 20_000)
"""Elements of what is fed: in the command, or beside it."""
LIMIT = 300
"""Attempts after which a campaign has gone wrong."""
LONG = 30.0
Life = tuple[int, int]
"""A parameter server, and how often its state was lost."""


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


def stepping(worker: int, variables: list[Any]) -> Any:
    """Return a step of a worker."""

    @tl.function
    def step(x: Any) -> Any:
        with tl.device(f"/job:worker/task:{worker}"):
            total = tl.sum(x * 2 + 1)
        for variable in variables:
            variable.assign_add(total - total + 1)
        return total

    return step.get_concrete_function(tl.TensorSpec((None,), tl.int64))


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
        self._functions: list[Any] = []
        self._lives = [0] * PS
        self._valued: dict[int, int] = {}
        """The life in which each variable got its value."""
        self._tried: Counter[Life] = Counter()
        self._acknowledged: Counter[Life] = Counter()
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
            if self.cluster.lost or self.random.random() < 0.1:
                self._check()
        self._check()
        return self.outcomes

    def _fewer_than(self, many: int) -> bool:
        return len(self._under) < many

    def _read(self, i: int) -> int:
        return int(self._variables[i].read_value().numpy())

    def _wait(self, until: Callable[[], bool], timeout: float | None = None) -> None:
        self.cluster.master.carrier.wait(until, timeout)

    def _make(self) -> None:
        made = []
        for i in range(PS):
            with tl.device(f"/job:ps/task:{i}"):
                made.append(tl.Variable(np.int64(0)))
        self._valued = dict(enumerate(self._lives))
        self._variables = made
        self._functions = [stepping(i, made) for i in range(WORKERS)]

    def _begin(self, number: int) -> None:
        lives = list(enumerate(self._lives))
        self._tried.update(lives)
        self._under.add(number)
        fed = np.full(self.random.choice(SIZES), number)
        function = self.random.choice(self._functions)
        begin(
            function,
            fed,
            partial(self._over, number, int(np.sum(fed * 2 + 1)), lives),
        )

    def _over(
        self, number: int, expected: int, lives: list[Life], found: Any
    ) -> None:
        self._under.discard(number)
        if isinstance(found, BaseException):
            if not isinstance(found, UnavailableError):
                raise found
            self.outcomes["UnavailableError"] += 1
            return
        assert int(found[0].read()) == expected
        self.outcomes["done"] += 1
        self._acknowledged.update(lives)

    def _check(self) -> None:
        """Once nothing is under way, compare each variable with what was counted."""
        self._wait(lambda: not self._under)
        self._insist(self._restore)
        for i in range(PS):
            found = self._insist(partial(self._read, i))
            life = i, self._lives[i]
            least, most = self._acknowledged[life], self._tried[life]
            assert least <= found <= most, f"{life}: {found} not in {least}..{most}"

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
            if task.startswith("/job:ps"):
                self._lives[int(task[-1])] += 1
        for i, variable in enumerate(self._variables):
            if self._valued[i] != self._lives[i]:
                variable.assign(np.int64(0))
                self._valued[i] = self._lives[i]
