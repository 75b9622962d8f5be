"""Which replica of a training step runs here, if any; what strategies are is in distributed/.

A strategy runs the user's step once for each replica. What the step does to shared state, such as
applying gradients, asks here first.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

from tensorlite.core.device import DeviceName
from tensorlite.ops.fetchable import Fetchable

if TYPE_CHECKING:
    from tensorlite.train.optimizers import Optimizer, Pair

__all__ = ["Replica", "replica", "replica_count", "replica_index"]


class Replica(Protocol):
    """One of several that take the same step, each on its share of a batch."""

    @property
    def index(self) -> int:
        """Which one it is, counted from 0."""

    @property
    def count(self) -> int:
        """How many there are."""

    @property
    def device(self) -> DeviceName:
        """Where it computes."""

    def apply_gradients(
        self, optimizer: Optimizer, pairs: Sequence[Pair]
    ) -> Fetchable:
        """Do with this replica's gradients what is to be done with them, with the others'."""


replica: ContextVar[Replica | None] = ContextVar("replica", default=None)


def replica_index() -> int:
    """Return which replica of the step runs here, 0 where there is one only.

    Ask in the step itself: a traced function that it calls is traced once for replicas of one
    device, such as the micro-batches of a pipeline.

    >>> tl.distribute.replica_index()
    0
    """
    here = replica.get()
    return 0 if here is None else here.index


def replica_count() -> int:
    """Return how many replicas take this step, 1 outside of a strategy.

    >>> tl.distribute.replica_count()
    1
    """
    here = replica.get()
    return 1 if here is None else here.count
