"""Tasks whose workers are held up when a test says so, on this process's devices."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import tensorlite as tl
from tensorlite.core.errors import DeadlineExceededError
from tensorlite.core.waiting import Cancel, Done
from tensorlite.distributed.strategies.tasks import outcome
from tensorlite.function.function import Function
from tests.distributed.strategies.training import CPUS

Work = Callable[[], object]


class _Begun(NamedTuple):
    name: str
    ready: Callable[[], bool]
    work: Work


class Holding:
    """Runs what was begun, in order, while somebody waits; what `held` names stays for later.

    The chief's step of backup workers, which would wait for these, begins when it need not.
    """

    def __init__(self, workers: int) -> None:
        self.workers = tuple([tl.DeviceName.parse(name) for name in CPUS[:workers]])
        self.servers = tuple([tl.DeviceName.parse(name) for name in CPUS[2:]])
        self.held: set[str] = set()
        self.broken: dict[str, BaseException] = {}
        """Errors that calls end with, by the end of what they call."""
        self._begun: deque[_Begun] = deque()

    def begin(
        self, program: Function[..., Any], arguments: tuple[Any, ...], done: Done
    ) -> Cancel | None:
        """Put a call to those that are to be run."""
        work = partial(self._run, program, arguments, done)
        ready = partial(self._is_ready, program, arguments)
        entry = _Begun(program.name, ready, work)
        self._begun.append(entry)
        return partial(self._withdraw, entry)

    def wait(self, until: Callable[[], bool], what: str) -> None:
        """Run what was begun until something is so."""
        while not until():
            if not self.go_on():
                raise DeadlineExceededError(
                    f"{what}: nothing is left that could go on"
                )

    def go_on(self) -> bool:
        """Run the first call that is not held; return whether there was one."""
        for entry in self._begun:
            if (
                not any(entry.name.endswith(name) for name in self.held)
                and entry.ready()
            ):
                self._begun.remove(entry)
                entry.work()
                return True
        return False

    def names(self) -> list[str]:
        """Return what was begun and has not run."""
        return [entry.name for entry in self._begun]

    def _is_ready(
        self, program: Function[..., Any], arguments: tuple[Any, ...]
    ) -> bool:
        if program.name != "chief" or "chief" in self.broken:
            return True
        owner: Any = program.python_function
        ledger = owner.__self__.ledger
        return int(ledger.num_accumulated()) >= int(arguments[0])

    def _run(
        self, program: Function[..., Any], arguments: tuple[Any, ...], done: Done
    ) -> None:
        errors = [
            error
            for name, error in self.broken.items()
            if program.name.endswith(name)
        ]
        done(errors[0] if errors else outcome(program, arguments))

    def _withdraw(self, entry: _Begun) -> None:
        if entry in self._begun:
            self._begun.remove(entry)
