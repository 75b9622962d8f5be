"""`keras.__internal__`: a place of names that libraries over Keras 2 import whole."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.keras import backend as backend

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
