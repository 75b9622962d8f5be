"""The version of TensorFlow whose names these are: `tf.version`."""

from __future__ import annotations

from tensorlite.compat.missing import listing

VERSION = "2.21.0"
GIT_VERSION = "v2.21.0"
COMPILER_VERSION = ""
GRAPH_DEF_VERSION = 2400
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0


__dir__ = listing(__name__, globals())
