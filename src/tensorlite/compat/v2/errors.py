"""tf.errors: the classes that tensorlite raises, by TensorFlow's names, and their numbers."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.errors import *
from tensorlite.core.errors import SymbolicTensorError

OperatorNotAllowedInGraphError = SymbolicTensorError


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
