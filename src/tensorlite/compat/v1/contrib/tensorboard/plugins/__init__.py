"""tf.contrib.tensorboard.plugins: the projector of embeddings is the only one."""

from __future__ import annotations

from tensorlite.compat.v1.contrib.tensorboard.plugins import projector

__all__ = ["projector"]
