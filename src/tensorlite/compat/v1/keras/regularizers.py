"""tf.keras.regularizers of version 1: each is an L1L2, as which files describe it."""

from __future__ import annotations

from tensorlite.compat.missing import listing
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v2.keras import regularizers
from tensorlite.compat.v2.keras.regularizers import L1L2 as L1L2


def l1(l: float = 0.01) -> L1L2:  # noqa: E741  as TensorFlow calls it
    """Return the penalty l * sum |w|."""
    return L1L2(l1=l)


def l2(l: float = 0.01) -> L1L2:  # noqa: E741  as TensorFlow calls it
    """Return the penalty l * sum w * w."""
    return L1L2(l2=l)


__dir__ = listing(__name__, globals(), vars(regularizers))
__getattr__ = rest_of(regularizers, __name__, globals())
