"""tf.keras.losses of version 1: likeness of directions counts as such, Huber's loss by elements."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.missing import listing
from tensorlite.compat.v1.keras import losses_written
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v2.keras import losses
from tensorlite.compat.v2.keras.src.losses import functions as loss_functions
from tensorlite.compat.v2.keras.src.losses.base import LossFunctionWrapper, Reduction
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.compat.v2.keras.src.models.in_graphs import anywhere


@anywhere
def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Return 1 where directions are the same, unlike version 2, which returns -1 there."""
    return -loss_functions.cosine_similarity(y_true, y_pred, axis)


@anywhere
def huber_loss(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Return the loss of each element, not their means."""
    true, predicted = loss_functions.pair(y_true, y_pred)
    off = tl.abs(predicted - true)
    return tl.where(off <= delta, 0.5 * off * off, delta * off - 0.5 * delta * delta)


class CosineSimilarity(LossFunctionWrapper):
    """How much directions are the same."""

    def __init__(
        self,
        axis: int = -1,
        reduction: Any = Reduction.AUTO,
        name: str | None = "cosine_similarity",
    ) -> None:
        super().__init__(cosine_similarity, reduction, name, axis=axis)


class Huber(LossFunctionWrapper):
    """Squares of small differences, and lines of large ones, of each element."""

    def __init__(
        self,
        delta: float = 1.0,
        reduction: Any = Reduction.AUTO,
        name: str | None = "huber_loss",
    ) -> None:
        super().__init__(huber_loss, reduction, name, delta=delta)


class BinaryCrossentropy(losses.BinaryCrossentropy):
    """How much shares tell beyond those that are right, each by itself."""

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: Any = 0,
        reduction: Any = Reduction.AUTO,
        name: str | None = "binary_crossentropy",
    ) -> None:
        super().__init__(from_logits, label_smoothing, -1, reduction, name)


class CategoricalCrossentropy(losses.CategoricalCrossentropy):
    """How much shares of classes tell beyond those that are right."""

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: Any = 0,
        reduction: Any = Reduction.AUTO,
        name: str | None = "categorical_crossentropy",
    ) -> None:
        super().__init__(from_logits, label_smoothing, -1, reduction, name)


class SparseCategoricalCrossentropy(losses.SparseCategoricalCrossentropy):
    """How little the shares of the right classes, which are numbers, tell."""

    def __init__(
        self,
        from_logits: bool = False,
        reduction: Any = Reduction.AUTO,
        name: str | None = "sparse_categorical_crossentropy",
    ) -> None:
        super().__init__(from_logits, None, reduction, -1, name)


class KLDivergence(losses.KLDivergence):
    """How much one distribution tells beyond another."""

    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "kullback_leibler_divergence",
    ) -> None:
        super().__init__(reduction, name)


class LogCosh(losses.LogCosh):
    """Logarithms of the hyperbolic cosines of differences."""

    def __init__(
        self, reduction: Any = Reduction.AUTO, name: str | None = "logcosh"
    ) -> None:
        super().__init__(reduction, name)


in_graphs.writes(cosine_similarity)(losses_written.cosine)
in_graphs.writes(huber_loss)(losses_written.huber)
cosine = cosine_proximity = cosine_similarity
DIFFERENT = {
    **dict.fromkeys(("cosine_proximity", "cosine"), cosine_similarity),
    "kullback_leibler_divergence": losses.kl_divergence,
    **{
        x.__name__: x
        for x in (
            *(cosine_similarity, huber_loss, CosineSimilarity, Huber),
            *(KLDivergence, LogCosh, BinaryCrossentropy, CategoricalCrossentropy),
            SparseCategoricalCrossentropy,
        )
    },
}
"""What is found by its name in programs of version 1."""

__dir__ = listing(__name__, globals(), vars(losses))
__getattr__ = rest_of(losses, __name__, globals())
