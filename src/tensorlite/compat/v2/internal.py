"""`tf.__internal__`: what libraries over TensorFlow derive their own kinds of values from."""

from types import SimpleNamespace

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import decorators
from tensorlite.compat.shared.specs.composite_values import (
    CompositeTensor as CompositeTensor,
)

decorator = decorators
tf2 = SimpleNamespace(enabled=lambda: True)
"""Whether version 2's ways are on, which in this namespace they are."""


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
