"""tf.errors: the classes that tensorlite raises, by TensorFlow's names, and their numbers."""

from __future__ import annotations

from tensorlite.compat.shared import errors
from tensorlite.compat.shared.errors import *  # noqa: F403  the same names

__all__ = errors.__all__
