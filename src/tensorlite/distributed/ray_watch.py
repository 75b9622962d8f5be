"""Watches the actors of a cluster: a call that never returns ends when its actor does."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Event, Thread
from typing import Any, NamedTuple

from tensorlite.distributed.engine import Lost
from tensorlite.distributed.threads import report

_TURN = 0.2
"""Seconds after which those are asked that were not there."""


class _Call(NamedTuple):
    """A call under way: whether the actor is there, or that it stays."""

    task: str
    stays: bool


class Watch(Thread):
    """Tells `told` of each actor that dies, once; they are asked until they are there again."""

    def __init__(
        self, ray: Any, actors: Mapping[str, Any], told: Sequence[Lost]
    ) -> None:
        super().__init__(name="ray-watch", daemon=True)
        self._ray = ray
        self._actors = actors
        self._told = told
        self._calls: dict[Any, _Call] = {}
        self._absent = list(actors)
        self._stopped = Event()

    def run(self) -> None:
        """Watch until `stop`, or until Ray is gone."""
        with suppress(self._ray.exceptions.RayError):
            while not self._stopped.is_set():
                self._turn()

    def stop(self) -> None:
        """Tell of no more."""
        self._stopped.set()
        if threading.current_thread() is not self:
            self.join()

    def _turn(self) -> None:
        """Ask those that were not there, and look at what has become of the calls."""
        for task in self._absent:
            self._calls[self._actors[task].describe.remote()] = _Call(
                task, stays=False
            )
        self._absent = []
        until = time.monotonic() + _TURN
        while (left := until - time.monotonic()) > 0 and not self._stopped.is_set():
            if not self._calls:
                self._stopped.wait(left)
                return
            for over in self._ray.wait(list(self._calls), timeout=left)[0]:
                self._over(over, self._calls.pop(over))

    def _over(self, call: Any, about: _Call) -> None:
        task = about.task
        try:
            self._ray.get(call)
        except self._ray.exceptions.RayActorError:
            self._absent.append(task)
            if about.stays and not self._stopped.is_set():
                self._tell(task)
        else:
            self._calls[self._actors[task].stay.remote()] = _Call(task, stays=True)

    def _tell(self, task: str) -> None:
        for lost in tuple(self._told):
            try:
                lost(task, "its process or its node is gone")
            except Exception as error:  # noqa: BLE001  the others are told all the same
                report(error)
