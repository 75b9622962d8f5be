"""tf.graph_util of TensorFlow 2."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.graphs.graphdefs import import_graph_def

__all__ = ["import_graph_def"]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
