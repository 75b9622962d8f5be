"""RemoteValue: what a function will return that a worker of a cluster does."""

from __future__ import annotations

from typing import Any

from tensorlite.core import nest
from tensorlite.core.xp import CPU
from tensorlite.distributed.strategies.scheduling import Scheduled
from tensorlite.ops.arrays.identity import to_device


class RemoteValue:
    """What a function returns that a worker does some time."""

    def __init__(self, scheduled: Scheduled) -> None:
        self._scheduled = scheduled

    def fetch(self) -> Any:
        """Return the result as arrays, waiting for it; the error that ended it is raised."""
        return nest.map_structure(_array, self._scheduled.result())

    def get(self) -> Any:
        """Return the result as tensors of this process, waiting for it; errors are raised."""
        return nest.map_structure(_here, self._scheduled.result())

    def __repr__(self) -> str:
        state = "over" if self._scheduled.is_over else "under way"
        return f"<RemoteValue, {state}>"


def _array(leaf: Any) -> Any:
    return leaf.numpy() if hasattr(leaf, "numpy") else leaf


def _here(leaf: Any) -> Any:
    return to_device(leaf, CPU) if hasattr(leaf, "numpy") else leaf
