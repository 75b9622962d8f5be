"""tf.examples: what of TensorFlow 1 its tutorials import."""

from __future__ import annotations

from tensorlite.compat.v1.examples import tutorials

__all__ = ["tutorials"]
