"""tf.tpu: the optimizer that programs wrap theirs in, which changes nothing on one device."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.estimators.accelerated import CrossShardOptimizer

__all__ = ["CrossShardOptimizer"]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
