"""Unwanted: what tasks keep for this program and nobody here has a use for any more.

It is told to a task with the next command that goes there. What keeps it is worker.py's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from tensorlite.distributed.transport.parcels import Parcel


class Unwanted:
    """Numbers of values, plans and steps that a task may forget.

    They are noted when something here is collected, which may be at any time, in any thread,
    under any lock: so that takes none.
    """

    def __init__(self) -> None:
        self._values: dict[str, deque[int]] = {}
        self._plans: dict[str, deque[int]] = {}
        self._steps: dict[str, deque[int]] = {}

    def value(self, task: str, number: int) -> None:
        """Note that a value is not wanted."""
        self._values.setdefault(task, deque()).append(number)

    def plan(self, tasks: tuple[str, ...], number: int) -> None:
        """Note that a plan is not wanted."""
        for task in tasks:
            self._plans.setdefault(task, deque()).append(number)

    def step(self, task: str, number: int) -> None:
        """Note that a step is over that a task was lost in: others may send it values yet."""
        self._steps.setdefault(task, deque()).append(number)

    def lost(self, task: str) -> None:
        """Forget what a task kept that is gone."""
        for noted in (self._values, self._plans):
            _taken(noted.get(task))

    def is_any(self, task: str) -> bool:
        """Return whether a task is to be told anything."""
        return bool(
            self._values.get(task) or self._plans.get(task) or self._steps.get(task)
        )

    def told(self, task: str, known: set[int]) -> Iterator[Parcel]:
        """Yield the commands that tell a task; `known` are the plans that it knows."""
        values = _taken(self._values.get(task))
        if values:
            yield _listing("release", values)
        plans = [
            number for number in _taken(self._plans.get(task)) if number in known
        ]
        if plans:
            known.difference_update(plans)
            yield _listing("unregister", plans)
        steps = _taken(self._steps.get(task))
        if steps:
            yield _listing("forget", steps)


def _taken(noted: deque[int] | None) -> list[int]:
    """Return what was noted, which then is not any more; other threads may note and take."""
    found: list[int] = []
    while noted:
        with suppress(IndexError):
            found.append(noted.popleft())
    return found


def _listing(name: str, numbers: list[int]) -> Parcel:
    return Parcel((name, ()), np.asarray(numbers, np.int64).view(np.uint8))
