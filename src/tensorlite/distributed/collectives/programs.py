"""Programs: tasks that meet outside of a cluster's steps, as each runs the same program by itself.

Who meets whom is told by the order: all programs ask for the same collectives one after the other.
In a step of a cluster, the master's number says it, which is context.py's.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from threading import Lock
from typing import NamedTuple
from zlib import crc32

from tensorlite.core.dispatch import tracer
from tensorlite.distributed.transport.carrier import Carrier

_MOST = 30
"""Bits of the number of a turn."""


class Turn(NamedTuple):
    """One meeting, which a collective takes for a step."""

    carrier: Carrier
    step: int
    task: str

    def end(self) -> None:
        """Forget what was sent for it."""
        self.carrier.forget(self.step)


class Program:
    """This process as one of the tasks whose programs meet."""

    def __init__(self, carrier: Carrier) -> None:
        self.carrier = carrier
        self.task = carrier.task
        self._traced = count()
        self._turns: defaultdict[str, int] = defaultdict(int)
        self._lock = Lock()

    def key(self) -> str:
        """Return how a new collective is called: in traces by its number, eagerly all alike."""
        return "eager" if tracer() is None else f"traced {next(self._traced)}"

    def turn(self, key: str) -> Turn:
        """Return the next meeting of all that have a key."""
        with self._lock:
            number = self._turns[key]
            self._turns[key] = (number + 1) % (1 << _MOST)
        # Steps of clients have numbers below: first_number.
        step = 1 << 62 | crc32(key.encode()) << _MOST | number
        return Turn(self.carrier, step, self.task)


_here: dict[str, Program] = {}


def enter(program: Program) -> None:
    """Let collectives of a task run here."""
    _here[program.task] = program


def leave(program: Program) -> None:
    """Let no collective of a task run here any more."""
    if _here.get(program.task) is program:
        del _here[program.task]


def program_of(task: str) -> Program | None:
    """Return the program of this process that is a task, if one is."""
    return _here.get(task)
