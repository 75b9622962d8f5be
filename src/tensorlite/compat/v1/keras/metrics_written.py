"""Keras' functions of metrics in graphs: nodes and names are those of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import squeeze
from tensorlite.compat.shared.elementwise import cast, equal, greater
from tensorlite.compat.v1.functions.numbers import argmax, reduce_mean
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v2.keras.defaults import floatx
from tensorlite.compat.v2.keras.src.metrics import accuracy
from tensorlite.compat.v2.keras.src.models.in_graphs import writes


@writes(accuracy.binary_accuracy)
def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    predicted = convert_to_tensor(y_pred)
    least = cast(threshold, predicted.dtype)
    chosen = cast(greater(predicted, least), predicted.dtype)
    right = equal(cast(y_true, predicted.dtype), chosen)
    return reduce_mean(cast(right, floatx()), -1)


@writes(accuracy.categorical_accuracy)
def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    return cast(equal(argmax(y_true, axis=-1), argmax(y_pred, axis=-1)), floatx())


@writes(accuracy.sparse_categorical_accuracy)
def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    true, predicted = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    ranks = true.get_shape().ndims, predicted.get_shape().ndims
    if None not in ranks and ranks[0] == ranks[1]:
        true = squeeze(true, [-1])
    chosen = cast(argmax(predicted, axis=-1), true.dtype)
    return cast(equal(true, chosen), floatx())
