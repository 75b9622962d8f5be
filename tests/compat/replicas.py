"""What tests of strategies share: four logical CPUs, replicas on them, and what each has."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite.compat.v2 as module

tf: Any = module


def mirrored(count: int = 2) -> Any:
    """Return a strategy of so many replicas."""
    return tf.distribute.MirroredStrategy([f"/cpu:{i}" for i in range(count)])


def number() -> Any:
    """Return the number of the replica that this is called for, from 1."""
    here = tf.distribute.get_replica_context()
    return tf.cast(here.replica_id_in_sync_group, tf.float32) + 1.0


def listed(value: Any) -> list[Any]:
    """Return what each replica has, as lists."""
    return [np.asarray(x).tolist() for x in value.values]
