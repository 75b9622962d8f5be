"""Metrics of keras that are means of losses."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.losses import functions as losses, ranks
from tensorlite.compat.v2.keras.src.losses.base import as_tensors
from tensorlite.compat.v2.keras.src.metrics.base import Mean, MeanMetricWrapper, shown
from tensorlite.compat.v2.keras.src.models.in_graphs import anywhere
from tensorlite.ops.math.differences import squared_difference
from tensorlite.ops.math.quotients import divide_no_nan


class MeanSquaredError(MeanMetricWrapper):
    """The mean of squared differences."""

    def __init__(
        self,
        name: str | None = "mean_squared_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(losses.mean_squared_error, name, dtype)


class MeanAbsoluteError(MeanMetricWrapper):
    """The mean of absolute differences."""

    def __init__(
        self,
        name: str | None = "mean_absolute_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(losses.mean_absolute_error, name, dtype)


class MeanAbsolutePercentageError(MeanMetricWrapper):
    """The mean of differences in hundredths of what is true."""

    def __init__(
        self,
        name: str | None = "mean_absolute_percentage_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(losses.mean_absolute_percentage_error, name, dtype)


class MeanSquaredLogarithmicError(MeanMetricWrapper):
    """The mean of squared differences of log(1 + x)."""

    def __init__(
        self,
        name: str | None = "mean_squared_logarithmic_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(losses.mean_squared_logarithmic_error, name, dtype)


class Hinge(MeanMetricWrapper):
    """The mean of max(1 - true * predicted, 0), for true values -1 and 1."""

    def __init__(
        self,
        name: str | None = "hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(losses.hinge, name, dtype)


class SquaredHinge(MeanMetricWrapper):
    """The mean of squares of max(1 - true * predicted, 0), for true values -1 and 1."""

    def __init__(
        self,
        name: str | None = "squared_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(losses.squared_hinge, name, dtype)


class CategoricalHinge(MeanMetricWrapper):
    """By how much the greatest wrong score, plus 1, is above the right one's, or 0."""

    def __init__(
        self,
        name: str | None = "categorical_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(losses.categorical_hinge, name, dtype)


class LogCoshError(MeanMetricWrapper):
    """The mean of log(cosh(predicted - true))."""

    def __init__(
        self,
        name: str | None = "logcosh",
        dtype: Any = None,
    ) -> None:
        super().__init__(losses.log_cosh, name, dtype)


class Poisson(MeanMetricWrapper):
    """The mean of predicted - true * log(predicted)."""

    def __init__(
        self,
        name: str | None = "poisson",
        dtype: Any = None,
    ) -> None:
        super().__init__(losses.poisson, name, dtype)


class KLDivergence(MeanMetricWrapper):
    """The mean of the sums of true * log(true / predicted)."""

    def __init__(
        self,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        title = (
            "kl_divergence" if naming.is_keras_3() else "kullback_leibler_divergence"
        )
        super().__init__(losses.kl_divergence, name or title, dtype)


class BinaryCrossentropy(MeanMetricWrapper):
    """The mean of the entropies of yes and no."""

    def __init__(
        self,
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        super().__init__(
            losses.binary_crossentropy,
            name,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
        )


class CategoricalCrossentropy(MeanMetricWrapper):
    """The mean of the entropies of predicted classes, for true shares."""

    def __init__(
        self,
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
        axis: int = -1,
    ) -> None:
        super().__init__(
            losses.categorical_crossentropy,
            name,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """The mean of the entropies of predicted classes, for their numbers."""

    def __init__(
        self,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        ignore_class: int | None = None,
        axis: int = -1,
    ) -> None:
        super().__init__(
            losses.sparse_categorical_crossentropy,
            name,
            dtype,
            from_logits=from_logits,
            ignore_class=ignore_class,
            axis=axis,
        )

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        """Add the losses of a batch."""
        return Mean.update_state(
            self,
            self._fn(y_true, y_pred, **self._options),
            shown(y_pred, sample_weight),
        )


class CosineSimilarity(MeanMetricWrapper):
    """The mean of the cosines of the angles between true and predicted rows."""

    def __init__(
        self,
        name: str | None = "cosine_similarity",
        dtype: Any = None,
        axis: int = -1,
    ) -> None:
        super().__init__(cosine, name, dtype, axis=axis)


@anywhere
def cosine(y_true: Any, y_pred: Any, axis: int) -> Any:
    """Return how much rows have the same direction, from -1 to 1."""
    return -losses.cosine_similarity(y_true, y_pred, axis)


class RootMeanSquaredError(Mean):
    """The root of the mean of squared differences."""

    def __init__(
        self, name: str | None = "root_mean_squared_error", dtype: Any = None
    ) -> None:
        super().__init__(name, dtype)

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        """Add the squared differences of a batch."""
        (y_true, y_pred), sample_weight = ranks.flat([y_true, y_pred], sample_weight)
        true, predicted = losses.pair(*as_tensors(y_true, y_pred))
        return super().update_state(
            squared_difference(predicted, true), sample_weight
        )

    def result(self) -> Any:
        """Return the root of the mean of squares."""
        return tl.sqrt(super().result())


class MeanRelativeError(Mean):
    """The mean of differences divided by the normalizer."""

    def __init__(
        self, normalizer: Any, name: str | None = None, dtype: Any = None
    ) -> None:
        super().__init__(name or "mean_relative_error", dtype)
        self.normalizer = converted(normalizer)

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        """Add the differences of a batch, divided by the normalizer."""
        true, predicted = losses.pair(y_true, y_pred)
        off = divide_no_nan(tl.abs(true - predicted), self.number(self.normalizer))
        return super().update_state(off, sample_weight)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments to make it anew, the normalizer as an array."""
        return {**super().get_config(), "normalizer": np.asarray(self.normalizer)}
