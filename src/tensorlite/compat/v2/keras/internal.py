"""`keras.__internal__`: a place of names that libraries over Keras 2 import whole."""

from types import SimpleNamespace

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.keras import backend as backend


def _register_symbolic_tensor_type(cls: type) -> None:
    """Do nothing: what has no value yet says so itself, of whatever class it is."""


utils = SimpleNamespace(register_symbolic_tensor_type=_register_symbolic_tensor_type)
"""What Keras 2 asks of those that define tensors of other kinds."""

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
