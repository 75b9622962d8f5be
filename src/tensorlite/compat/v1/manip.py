"""The older place of some functions: `tf.manip`."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.arrays import (
    reshape,
)
from tensorlite.compat.shared.blocks import (
    space_to_batch as space_to_batch_nd,
)
from tensorlite.compat.shared.cutting import reverse, roll, tile
from tensorlite.compat.shared.picking import (
    scatter_nd,
)
from tensorlite.compat.v1.functions.arrays import (
    batch_to_space_nd,
)
from tensorlite.compat.v1.functions.gathering import gather_nd

__all__ = [
    "batch_to_space_nd",
    "gather_nd",
    "reshape",
    "reverse",
    "roll",
    "scatter_nd",
    "space_to_batch_nd",
    "tile",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
