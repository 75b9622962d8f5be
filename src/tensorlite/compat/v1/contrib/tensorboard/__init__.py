"""tf.contrib.tensorboard: what TensorBoard's plugins are told by files beside the events."""

from __future__ import annotations

from tensorlite.compat.v1.contrib.tensorboard import plugins

__all__ = ["plugins"]
