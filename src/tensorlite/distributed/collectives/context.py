"""Context: the step that an operator works for, if it talks to other tasks itself.

What a task's part of a step is, is exchange.py's and running.py's.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

from tensorlite.core.waiting import Done
from tensorlite.distributed.transport.carrier import Carrier
from tensorlite.runtime.rendezvous import Party, Tag


class StepContext(Protocol):
    """What an operator has to know of the step of a cluster."""

    @property
    def carrier(self) -> Carrier:
        """What its task sends and receives by."""

    @property
    def step(self) -> int:
        """The number of the step, on all tasks."""

    @property
    def task(self) -> str:
        """The task that works for it here."""


@runtime_checkable
class _OfStep(Protocol):
    """What a step's team is told the answer by."""

    team: object
    party: Party


class Turn(NamedTuple):
    """Which of the calls of an operator one is."""

    step: object
    """What all calls of one step in this process have in common; None outside of steps."""
    tag: Tag
    """The number of the iteration in each loop around, outermost first."""


def turn_of(done: Done) -> Turn:
    """Return which call will be answered by `done`."""
    if isinstance(done, _OfStep):
        return Turn(done.team, done.party.iteration.tag[1:])
    return Turn(None, ())
