"""The classes of tf.keras.losses, each a function of losses.py with a reduction."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.keras import loss_functions as losses
from tensorlite.compat.v2.keras.base_loss import LossFunctionWrapper, Reduction
from tensorlite.core.errors import InvalidArgumentError


class MeanSquaredError(LossFunctionWrapper):
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
    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "dice",
        axis: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(losses.dice, reduction, name, dtype, axis=axis)


class Tversky(LossFunctionWrapper):
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
    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "ctc",
        dtype: Any = None,
    ) -> None:
        super().__init__(losses.ctc, reduction, name, dtype)


class Circle(LossFunctionWrapper):
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
