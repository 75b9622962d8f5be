"""tf.app: `run`, and `flags` beside it, as programs of TensorFlow 1 have them."""

from __future__ import annotations

from tensorlite.compat.shared.flags import run
from tensorlite.compat.v1 import flags

__all__ = ["flags", "run"]
