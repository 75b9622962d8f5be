"""The classes of tf.keras.losses, each a function of losses.py with a reduction."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.keras import loss_functions as losses
from tensorlite.compat.v2.keras.loss_functions import LossFunctionWrapper, Reduction


class MeanSquaredError(LossFunctionWrapper):
    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "mean_squared_error",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.mean_squared_error,
            reduction,
            name,
        )


class MeanAbsoluteError(LossFunctionWrapper):
    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "mean_absolute_error",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.mean_absolute_error,
            reduction,
            name,
        )


class MeanAbsolutePercentageError(LossFunctionWrapper):
    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "mean_absolute_percentage_error",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.mean_absolute_percentage_error,
            reduction,
            name,
        )


class MeanSquaredLogarithmicError(LossFunctionWrapper):
    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "mean_squared_logarithmic_error",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.mean_squared_logarithmic_error,
            reduction,
            name,
        )


class Hinge(LossFunctionWrapper):
    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "hinge",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.hinge,
            reduction,
            name,
        )


class SquaredHinge(LossFunctionWrapper):
    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "squared_hinge",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.squared_hinge,
            reduction,
            name,
        )


class CategoricalHinge(LossFunctionWrapper):
    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "categorical_hinge",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.categorical_hinge,
            reduction,
            name,
        )


class LogCosh(LossFunctionWrapper):
    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "log_cosh",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.log_cosh,
            reduction,
            name,
        )


class Poisson(LossFunctionWrapper):
    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "poisson",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.poisson,
            reduction,
            name,
        )


class KLDivergence(LossFunctionWrapper):
    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = "kl_divergence",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.kl_divergence,
            reduction,
            name,
        )


class Huber(LossFunctionWrapper):
    def __init__(
        self,
        delta: float = 1.0,
        reduction: Any = Reduction.AUTO,
        name: str | None = "huber_loss",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.huber,
            reduction,
            name,
            delta=delta,
        )


class CosineSimilarity(LossFunctionWrapper):
    def __init__(
        self,
        axis: int = -1,
        reduction: Any = Reduction.AUTO,
        name: str | None = "cosine_similarity",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.cosine_similarity,
            reduction,
            name,
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
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.binary_crossentropy,
            reduction,
            name,
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
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.binary_focal_crossentropy,
            reduction,
            name,
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
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.categorical_crossentropy,
            reduction,
            name,
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
        name: str | None = "sparse_categorical_crossentropy",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.sparse_categorical_crossentropy,
            reduction,
            name,
            from_logits=from_logits,
            ignore_class=ignore_class,
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
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.categorical_focal_crossentropy,
            reduction,
            name,
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
        **kwargs: Any,
    ) -> None:
        super().__init__(losses.dice, reduction, name, axis=axis)


class Tversky(LossFunctionWrapper):
    def __init__(
        self,
        alpha: float = 0.5,
        beta: float = 0.5,
        reduction: Any = Reduction.AUTO,
        name: str | None = "tversky",
        axis: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            losses.tversky, reduction, name, alpha=alpha, beta=beta, axis=axis
        )
