"""tf.app: `run`, and `flags` beside it, as programs of TensorFlow 1 have them."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.flags import run
from tensorlite.compat.v1 import flags

__all__ = ["flags", "run"]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
