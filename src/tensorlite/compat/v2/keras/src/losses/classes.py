"""The classes of tf.keras.losses, each a function of keras/losses.py with a reduction."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.keras.src.losses import functions as losses
from tensorlite.compat.v2.keras.src.losses.base import LossFunctionWrapper, Reduction
from tensorlite.core.errors import InvalidArgumentError


class MeanSquaredError(LossFunctionWrapper):
    """The mean of squared differences."""

    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "mean_squared_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.mean_squared_error,
            reduction,
            name,
            dtype,
        )


class MeanAbsoluteError(LossFunctionWrapper):
    """The mean of absolute differences."""

    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "mean_absolute_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.mean_absolute_error,
            reduction,
            name,
            dtype,
        )


class MeanAbsolutePercentageError(LossFunctionWrapper):
    """The mean of differences in hundredths of what is true."""

    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "mean_absolute_percentage_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.mean_absolute_percentage_error,
            reduction,
            name,
            dtype,
        )


class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """The mean of squared differences of log(1 + x)."""

    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "mean_squared_logarithmic_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.mean_squared_logarithmic_error,
            reduction,
            name,
            dtype,
        )


class Hinge(LossFunctionWrapper):
    """The mean of max(1 - true * predicted, 0), for true values -1 and 1."""

    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.hinge,
            reduction,
            name,
            dtype,
        )


class SquaredHinge(LossFunctionWrapper):
    """The mean of squares of max(1 - true * predicted, 0), for true values -1 and 1."""

    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "squared_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.squared_hinge,
            reduction,
            name,
            dtype,
        )


class CategoricalHinge(LossFunctionWrapper):
    """By how much the greatest wrong score, plus 1, is above the right one's, or 0."""

    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "categorical_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.categorical_hinge,
            reduction,
            name,
            dtype,
        )


class LogCosh(LossFunctionWrapper):
    """The mean of log(cosh(predicted - true))."""

    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "log_cosh",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.log_cosh,
            reduction,
            name,
            dtype,
        )


class Poisson(LossFunctionWrapper):
    """The mean of predicted - true * log(predicted)."""

    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "poisson",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.poisson,
            reduction,
            name,
            dtype,
        )


class KLDivergence(LossFunctionWrapper):
    """The sum of true * log(true / predicted)."""

    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "kl_divergence",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.kl_divergence,
            reduction,
            name,
            dtype,
        )


class Huber(LossFunctionWrapper):
    """Half the squares of differences, or lines beyond delta."""

    def __init__(
        self,
        delta: float = 1.0,
        reduction: Any = Reduction.AUTO,
        name: str | None = "huber_loss",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.huber,
            reduction,
            name,
            dtype,
            delta=delta,
        )


class CosineSimilarity(LossFunctionWrapper):
    """Minus the cosine of the angle between true and predicted rows."""

    def __init__(
        self,
        axis: int = -1,
        reduction: Any = Reduction.AUTO,
        name: str | None = "cosine_similarity",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.cosine_similarity,
            reduction,
            name,
            dtype,
            axis=axis,
        )


class BinaryCrossentropy(LossFunctionWrapper):
    """The entropies of yes and no, of shares or of logits."""

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: Any = Reduction.AUTO,
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.binary_crossentropy,
            reduction,
            name,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class BinaryFocalCrossentropy(LossFunctionWrapper):
    """Binary cross-entropies that weigh what is predicted well by less."""

    def __init__(
        self,
        apply_class_balancing: bool = False,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: Any = Reduction.AUTO,
        name: str | None = "binary_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.binary_focal_crossentropy,
            reduction,
            name,
            dtype,
            apply_class_balancing=apply_class_balancing,
            alpha=alpha,
            gamma=gamma,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class CategoricalCrossentropy(LossFunctionWrapper):
    """The entropy of predicted shares, or logits, of classes, for true shares."""

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: Any = Reduction.AUTO,
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.categorical_crossentropy,
            reduction,
            name,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class SparseCategoricalCrossentropy(LossFunctionWrapper):
    """The entropy of predicted shares, or logits, for numbers of classes.

    >>> from tensorlite.compat import v2 as tf
    >>> loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    >>> round(float(loss([0, 1], [[0.0, 0.0], [0.0, 0.0]])), 4)
    0.6931
    """

    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: int | None = None,
        reduction: Any = Reduction.AUTO,
        axis: int = -1,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.sparse_categorical_crossentropy,
            reduction,
            name,
            dtype,
            from_logits=from_logits,
            ignore_class=ignore_class,
            axis=axis,
        )


class CategoricalFocalCrossentropy(LossFunctionWrapper):
    """Cross-entropies of classes that weigh what is predicted well by less."""

    def __init__(
        self,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: Any = Reduction.AUTO,
        name: str | None = "categorical_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.categorical_focal_crossentropy,
            reduction,
            name,
            dtype,
            alpha=alpha,
            gamma=gamma,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class Dice(LossFunctionWrapper):
    """One less twice the overlap, divided by both areas' sum."""

    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "dice",
        axis: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(losses.dice, reduction, name, dtype, axis=axis)


class Tversky(LossFunctionWrapper):
    """One less the overlap, with wrong and missed places weighed by alpha and beta."""

    def __init__(
        self,
        alpha: float = 0.5,
        beta: float = 0.5,
        reduction: Any = Reduction.AUTO,
        name: str | None = "tversky",
        axis: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.tversky, reduction, name, dtype, alpha=alpha, beta=beta, axis=axis
        )


class CTC(LossFunctionWrapper):
    """The cost of labels of sequences whose places are not known (Graves et al., 2006)."""

    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "ctc",
        dtype: Any = None,
    ) -> None:
        super().__init__(losses.ctc, reduction, name, dtype)


class Circle(LossFunctionWrapper):
    """Brings rows of one class together and those of others apart (Sun et al., 2020)."""

    def __init__(
        self,
        gamma: float = 80.0,
        margin: float = 0.4,
        remove_diagonal: bool = True,
        reduction: Any = Reduction.AUTO,
        name: str | None = "circle",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            losses.circle,
            reduction,
            name,
            dtype,
            gamma=gamma,
            margin=margin,
            remove_diagonal=remove_diagonal,
        )


class CategoricalGeneralizedCrossEntropy(LossFunctionWrapper):
    """(1 - p ** q) / q of the true class's share p (Zhang and Sabuncu, 2018)."""

    def __init__(
        self,
        q: float = 0.5,
        reduction: Any = Reduction.AUTO,
        name: str | None = "categorical_generalized_cross_entropy",
        dtype: Any = None,
    ) -> None:
        if not 0 < q < 1:
            raise InvalidArgumentError(f"q={q} must be in the interval (0, 1)")
        super().__init__(
            losses.categorical_generalized_cross_entropy,
            reduction,
            name,
            dtype,
            q=q,
        )
