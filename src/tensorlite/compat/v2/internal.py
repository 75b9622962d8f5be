"""`tf.__internal__`: what libraries over TensorFlow derive their own kinds of values from."""

from types import SimpleNamespace

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import decorators
from tensorlite.compat.shared.specs.composite_values import (
    CompositeTensor as CompositeTensor,
)
from tensorlite.compat.shared.specs.structure_messages import (
    decode_proto,
    encode_structure,
)

decorator = decorators
tf2 = SimpleNamespace(enabled=lambda: True)
"""Whether version 2's ways are on, which in this namespace they are."""

saved_model = SimpleNamespace(
    encode_structure=encode_structure, decode_proto=decode_proto
)
"""Structures of specs as the messages that SavedModels hold."""

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
