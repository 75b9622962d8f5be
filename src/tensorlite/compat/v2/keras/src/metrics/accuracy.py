"""Metrics of keras that count how often predictions are right."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.losses import ranks
from tensorlite.compat.v2.keras.src.metrics.base import Mean, MeanMetricWrapper, shown
from tensorlite.compat.v2.keras.src.models.in_graphs import anywhere
from tensorlite.core.dtypes import float32
from tensorlite.ops.arrays.shape import astype


@anywhere
def accuracy(y_true: Any, y_pred: Any) -> Any:
    """Return 1 where predictions equal true values, else 0."""
    true, predicted = converted(y_true), converted(y_pred)
    return astype(astype(true, predicted.dtype) == predicted, float32)


@anywhere
def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """Return whether predictions above a threshold are true, as 1 or 0.

    In Keras 2 it is the mean over the last axis.
    """
    predicted = converted(y_pred)
    chosen = astype(predicted > threshold, predicted.dtype)
    right = astype(converted(y_true), predicted.dtype) == chosen
    each = astype(right, float32)
    return each if naming.is_keras_3() else tl.mean(each, axis=-1)


@anywhere
def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Return whether the greatest of true and of predicted shares are the same class."""
    right = tl.argmax(converted(y_true), axis=-1) == tl.argmax(
        converted(y_pred), axis=-1
    )
    return astype(right, float32)


def _labels(y_true: Any, predicted: Any) -> Any:
    true = converted(y_true)
    known = ranks.of(true, predicted)
    if known is None:
        true = ranks.matched(true, tl.argmax(predicted, axis=-1))[0]
    elif known[0] == known[1] and true.shape[-1] == 1:
        true = tl.squeeze(true, axis=-1)
    return astype(true, tl.int64)


@anywhere
def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Return whether the class with the greatest share is the true one, as 1 or 0."""
    predicted = converted(y_pred)
    chosen = astype(tl.argmax(predicted, axis=-1), tl.int64)
    return astype(_labels(y_true, predicted) == chosen, float32)


@anywhere
def sparse_top_k_categorical_accuracy(
    y_true: Any, y_pred: Any, k: int = 5, from_sorted_ids: bool = False
) -> Any:
    """Return 1 where fewer than k classes are thought more likely than the true one.

    from_sorted_ids says that y_pred has numbers of classes, the likeliest first.
    """
    predicted = converted(y_pred)
    labels = _labels(y_true, predicted)
    if from_sorted_ids:
        same = astype(predicted[..., :k], tl.int64) == labels[..., None]
        return astype(tl.any(same, axis=-1), float32)
    classes = tl.arange(tl.shape(predicted)[-1], dtype=tl.int64)
    is_own = astype(labels[..., None] == classes, predicted.dtype)
    own = tl.sum(is_own * predicted, axis=-1, keepdims=True)
    above = tl.sum(astype(predicted > own, float32), axis=-1)
    return astype(above < float(k), float32)


@anywhere
def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Return whether the true class is among the k with the greatest shares."""
    labels = tl.argmax(converted(y_true), axis=-1)
    return sparse_top_k_categorical_accuracy(labels, y_pred, k)


class Accuracy(MeanMetricWrapper):
    """The share of predictions that equal true values."""

    def __init__(self, name: str | None = "accuracy", dtype: Any = None) -> None:
        super().__init__(accuracy, name, dtype)


class BinaryAccuracy(MeanMetricWrapper):
    """The share of predictions on the right side of a threshold."""

    def __init__(
        self,
        name: str | None = "binary_accuracy",
        dtype: Any = None,
        threshold: float = 0.5,
    ) -> None:
        super().__init__(binary_accuracy, name, dtype, threshold=threshold)


class CategoricalAccuracy(MeanMetricWrapper):
    """The share of right classes, where true ones are rows of shares."""

    def __init__(
        self, name: str | None = "categorical_accuracy", dtype: Any = None
    ) -> None:
        super().__init__(categorical_accuracy, name, dtype)


class _Sparse(MeanMetricWrapper):
    """A metric of labels, which keep their shape."""

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        (y_true, y_pred), sample_weight = ranks.flat([y_true, y_pred], sample_weight)
        return Mean.update_state(
            self,
            self._fn(y_true, y_pred, **self._options),
            shown(y_pred, sample_weight),
        )


class SparseCategoricalAccuracy(_Sparse):
    """The share of right classes, where true ones are numbers."""

    def __init__(
        self, name: str | None = "sparse_categorical_accuracy", dtype: Any = None
    ) -> None:
        super().__init__(sparse_categorical_accuracy, name, dtype)


class TopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the true class, a row of shares, is among the k predicted most."""

    def __init__(
        self,
        k: int = 5,
        name: str | None = "top_k_categorical_accuracy",
        dtype: Any = None,
    ) -> None:
        super().__init__(top_k_categorical_accuracy, name, dtype, k=k)
        self.k = k


class SparseTopKCategoricalAccuracy(_Sparse):
    """How often the true class, a number, is among the k predicted most."""

    def __init__(
        self,
        k: int = 5,
        name: str | None = "sparse_top_k_categorical_accuracy",
        dtype: Any = None,
        from_sorted_ids: bool = False,
    ) -> None:
        told = {"from_sorted_ids": from_sorted_ids} if naming.is_keras_3() else {}
        super().__init__(sparse_top_k_categorical_accuracy, name, dtype, k=k, **told)
        self.k, self.from_sorted_ids = k, from_sorted_ids
