"""The version of TensorFlow whose names these are: `tf.version`."""

from __future__ import annotations

from tensorlite.compat.missing import listing

VERSION = "1.15.5"
GIT_VERSION = "v1.15.5"
COMPILER_VERSION = ""
GRAPH_DEF_VERSION = 134
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0


__dir__ = listing(__name__, globals())
