"""tf.distribute.coordinator: its names."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.distribute.coordinating import (
    ClusterCoordinator as ClusterCoordinator,
    PerWorkerValues as PerWorkerValues,
    RemoteValue as RemoteValue,
    experimental_get_current_worker_index as experimental_get_current_worker_index,
)

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
