"""tf.keras.regularizers of version 1: each is an L1L2, as which files describe it."""

from __future__ import annotations

from tensorlite.compat.missing import listing
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v2.keras import defaults, regularizers
from tensorlite.compat.v2.keras.src.saving import lookup


class L1L2(regularizers.L1L2):
    """A penalty l1 * sum |w| + l2 * sum w * w, both numbers in the width of weights."""

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        wide = defaults.width().numpy.type
        super().__init__(float(wide(l1)), float(wide(l2)))


def l1(l: float = 0.01) -> L1L2:  # noqa: E741  as TensorFlow calls it
    """Return the penalty l * sum |w|."""
    return L1L2(l1=l)


def l2(l: float = 0.01) -> L1L2:  # noqa: E741  as TensorFlow calls it
    """Return the penalty l * sum w * w."""
    return L1L2(l2=l)


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """Return the penalty l1 * sum |w| + l2 * sum w * w."""
    return L1L2(l1, l2)


DIFFERENT = {"L1L2": L1L2, "l1": l1, "l2": l2, "l1_l2": l1_l2}
"""What is found by its name in programs of version 1."""
lookup.makers.update((l1, l2, l1_l2))
__dir__ = listing(__name__, globals(), vars(regularizers))
__getattr__ = rest_of(regularizers, __name__, globals())
