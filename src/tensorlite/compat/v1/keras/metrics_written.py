"""Keras' metrics in graphs: nodes and names are those of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import identity, size, squeeze
from tensorlite.compat.shared.elementwise import (
    cast,
    div_no_nan,
    equal,
    greater,
    multiply,
    sqrt,
)
from tensorlite.compat.shared.ragged_and_sparse.conversions import is_ragged
from tensorlite.compat.v1.functions.numbers import argmax, reduce_mean, reduce_sum
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.compat.v1.graphs.scopes import assign_add
from tensorlite.compat.v1.keras import losses_written
from tensorlite.compat.v1.metric_kinds.weights import broadcast_weights
from tensorlite.compat.v2.keras.defaults import floatx
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.metrics import accuracy, base, losses
from tensorlite.compat.v2.keras.src.models.in_graphs import writes
from tensorlite.core.dtypes import as_dtype


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


@writes(base.Mean.update_state)
def gather(self: base.Mean, values: Any, sample_weight: Any = None) -> Any:
    if naming.is_keras_3() or is_ragged(values) or is_ragged(sample_weight):
        return NotImplemented
    kind = as_dtype(self.dtype)
    given, weights = cast(values, kind), None
    if sample_weight is not None:
        weights = losses_written.fitted(cast(sample_weight, kind), given)
        if None in (given.get_shape().ndims, weights.get_shape().ndims):
            return NotImplemented
        given, weights = _weighed(given, weights)
    total = reduce_sum(given)
    with control_dependencies([total]):
        first = assign_add(self.total, total)
    count = cast(size(given), kind) if weights is None else reduce_sum(weights)
    with control_dependencies([first]):
        return assign_add(self.count, count).op


def _weighed(values: Any, weights: Any) -> tuple[Any, Any]:
    """Return values times their weights, and the weights, one for each value."""
    ranks = values.get_shape().ndims, weights.get_shape().ndims
    if 0 < ranks[1] < ranks[0]:
        values = reduce_mean(values, list(range(ranks[1], ranks[0])))
    else:
        weights = broadcast_weights(weights, values)
    return multiply(values, weights), weights


@writes(base.Mean.result)
def mean(self: base.Mean) -> Any:
    if naming.is_keras_3():
        return NotImplemented
    found = div_no_nan(self.total, self.count)
    if isinstance(self, losses.RootMeanSquaredError):
        found = sqrt(found)
    return identity(found)


writes(losses.RootMeanSquaredError.result)(mean)
writes(losses.cosine)(losses_written.cosine)
