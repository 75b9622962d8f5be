"""tf.keras.losses of version 1: names that version 2 has not."""

from __future__ import annotations

from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v2.keras import losses

cosine = cosine_proximity = losses.cosine_similarity
__getattr__ = rest_of(losses, __name__, globals())
