"""Watches the actors of a cluster: a call that never returns ends when its actor does.

Each incarnation that anybody has heard of is told to be lost once, and before a later one of the
same task is known.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import Any, NamedTuple

from tensorlite.distributed.engines.engine import Lost
from tensorlite.distributed.transport.threads import report

_TURN = 0.2
"""Seconds after which those are asked that were not there."""


class _Call(NamedTuple):
    """A call under way, and what was known to run when it was made: if it fails, that is gone."""

    task: str
    incarnation: int


class Watch(Thread):
    """Tells `told` of each actor that dies; they are asked until they are there again."""

    def __init__(
        self, ray: Any, actors: Mapping[str, Any], told: Sequence[Lost]
    ) -> None:
        super().__init__(name="ray-watch", daemon=True)
        self._ray = ray
        self._actors = actors
        self._told = told
        self._lock = Lock()
        self._found: dict[str, int] = defaultdict(int)
        """The last incarnation of each task that is known."""
        self._gone: dict[str, int] = defaultdict(int)
        """The last of which it was told that it is lost."""
        self._calls: dict[Any, _Call] = {}
        self._absent: list[str] = []
        self._stopped = Event()

    def run(self) -> None:
        """Watch until `stop`, or until Ray is gone."""
        self._absent = list(self._actors)
        with suppress(self._ray.exceptions.RayError):
            while not self._stopped.is_set():
                self._turn()

    def stop(self) -> None:
        """Tell of no more."""
        self._stopped.set()
        if self.is_alive() and threading.current_thread() is not self:
            self.join()

    def found(self, task: str, incarnation: int) -> None:
        """Note what a task says of itself; an earlier incarnation is gone then."""
        with self._lock:
            before = self._found[task]
            self._found[task] = max(before, incarnation)
        if before < incarnation:
            self._lost(task, before)

    def _lost(self, task: str, incarnation: int) -> None:
        """Tell that an incarnation is gone, unless that has been told."""
        with self._lock:
            known = incarnation <= self._gone[task] or self._stopped.is_set()
            self._gone[task] = max(incarnation, self._gone[task])
        for lost in () if known else tuple(self._told):
            try:
                lost(task, "its process or its node is gone")
            except Exception as error:  # noqa: BLE001  the others are told all the same
                report(error)

    def _turn(self) -> None:
        """Ask those that were not there, and look at what has become of the calls."""
        for task in self._absent:
            call = _Call(task, self._found[task])
            self._calls[self._actors[task].describe.remote()] = call
        self._absent = []
        until = time.monotonic() + _TURN
        while (left := until - time.monotonic()) > 0 and not self._stopped.is_set():
            if not self._calls:
                self._stopped.wait(left)
                return
            for over in self._ray.wait(list(self._calls), timeout=left)[0]:
                self._over(over, self._calls.pop(over))

    def _over(self, over: Any, call: _Call) -> None:
        try:
            found = self._ray.get(over)
        except self._ray.exceptions.RayActorError:
            self._absent.append(call.task)
            self._lost(call.task, call.incarnation)
            return
        # What does not start has no incarnation, and nobody has heard of it.
        incarnation = found.registration.incarnation if found.registration else 0
        self.found(call.task, incarnation)
        stay = _Call(call.task, incarnation)
        self._calls[self._actors[call.task].stay.remote()] = stay
