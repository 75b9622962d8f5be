"""Sets in the last axis: `tf.sets`."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import sets
from tensorlite.compat.shared.sets import *

set_difference = sets.difference
set_intersection = sets.intersection
set_size = sets.size
set_union = sets.union


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
