"""tf.keras.metrics of version 1: names that version 2 has not."""

from __future__ import annotations

from tensorlite.compat.missing import listing
from tensorlite.compat.v1.keras import (
    counts_written as counts_written,
    metrics_written as metrics_written,
)
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v1.keras.losses import cosine_similarity
from tensorlite.compat.v2.keras import losses, metrics

cosine = cosine_proximity = cosine_similarity
kullback_leibler_divergence = losses.kullback_leibler_divergence
__dir__ = listing(__name__, globals(), vars(metrics))
__getattr__ = rest_of(metrics, __name__, globals())
