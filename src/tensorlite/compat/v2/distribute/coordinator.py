"""tf.distribute.coordinator: its names."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.distribute.coordinating import (
    ClusterCoordinator as ClusterCoordinator,
    PerWorkerValues as PerWorkerValues,
    experimental_get_current_worker_index as experimental_get_current_worker_index,
)
from tensorlite.compat.v2.distribute.remote_values import RemoteValue as RemoteValue

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
