"""tf.errors: the classes that tensorlite raises, by TensorFlow's names, and their numbers."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared import errors
from tensorlite.compat.shared.errors import *  # noqa: F403  the same names

__all__ = errors.__all__


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
