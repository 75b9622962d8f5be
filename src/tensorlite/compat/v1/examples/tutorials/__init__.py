"""tf.examples.tutorials."""

from __future__ import annotations

from tensorlite.compat.v1.examples.tutorials import mnist

__all__ = ["mnist"]
