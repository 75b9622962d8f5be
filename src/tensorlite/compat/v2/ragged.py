"""tf.ragged: tensors whose rows differ in length."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.ragged_and_sparse.ragged import *

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
