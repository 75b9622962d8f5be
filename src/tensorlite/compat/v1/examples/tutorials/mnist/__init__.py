"""tf.examples.tutorials.mnist: the data, and the model of the first tutorials."""

from __future__ import annotations

from tensorlite.compat.v1.examples.tutorials.mnist import input_data, mnist

__all__ = ["input_data", "mnist"]
