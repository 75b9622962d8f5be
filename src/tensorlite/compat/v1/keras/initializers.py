"""tf.keras.initializers of version 1: names that version 2 has not."""

from __future__ import annotations

from tensorlite.compat.missing import listing
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v2.keras import initializers

normal = initializers.RandomNormal
uniform = initializers.RandomUniform
__dir__ = listing(__name__, globals(), vars(initializers))
__getattr__ = rest_of(initializers, __name__, globals())
