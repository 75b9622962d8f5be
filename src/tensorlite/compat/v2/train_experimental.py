"""tf.train.experimental: what else checkpoints hold."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.checkpoint_trees import PythonState

__all__ = ["PythonState"]


__dir__ = listing("tensorlite.compat.v2.train.experimental", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error("tensorlite.compat.v2.train.experimental", name, __all__)
