"""Keras' losses in graphs: nodes and names are those of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import expand_dims, reshape, size, squeeze
from tensorlite.compat.shared.elementwise import (
    abs as absolute,
    add,
    cast,
    clip_by_value,
    div_no_nan,
    equal,
    log,
    logical_or,
    maximum,
    minimum,
    multiply,
    square,
    squared_difference,
    subtract,
)
from tensorlite.compat.shared.nn import softplus
from tensorlite.compat.shared.reductions import reduce_all
from tensorlite.compat.v1.functions.arrays import shape
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.functions.nn_functions import l2_normalize
from tensorlite.compat.v1.functions.nn_losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from tensorlite.compat.v1.functions.numbers import reduce_max, reduce_mean, reduce_sum
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.metric_kinds.weights import broadcast_weights
from tensorlite.compat.v2.keras.defaults import epsilon
from tensorlite.compat.v2.keras.src.layers import masks
from tensorlite.compat.v2.keras.src.losses import base, functions, ranks
from tensorlite.compat.v2.keras.src.losses.base import Loss, LossFunctionWrapper
from tensorlite.compat.v2.keras.src.models.in_graphs import anywhere, writes
from tensorlite.compat.v2.keras.src.saving import describing
from tensorlite.compat.views import plain, shown
from tensorlite.core.dtypes import float32, int64
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import name_scope


def _pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Return true and predicted values, of one dtype."""
    predicted = convert_to_tensor(y_pred)
    return cast(y_true, predicted.dtype), predicted


def _tiny(like: Any) -> Any:
    return constant(epsilon(), like.dtype)


def _inner(y: Any, kind: str) -> Any:
    """Return what an activation was computed of, None where it is another one's."""
    x = y.op
    if x.type == "Identity":
        x = x.inputs[0].op
    return x.inputs[0] if x.type == kind else None


@writes(functions.mean_squared_error)
def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    true, predicted = _pair(y_true, y_pred)
    return reduce_mean(squared_difference(predicted, true), -1)


@writes(functions.mean_absolute_error)
def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    true, predicted = _pair(y_true, y_pred)
    return reduce_mean(absolute(predicted - true), -1)


@writes(functions.mean_absolute_percentage_error)
def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    true, predicted = _pair(y_true, y_pred)
    size = _above(absolute(true), float("inf"))
    return 100.0 * reduce_mean(absolute((true - predicted) / size), -1)


def _above(x: Any, most: float) -> Any:
    """Return elements that are not below what counts as nothing, nor above a limit."""
    return clip_by_value(x, _tiny(x), constant(most, x.dtype))


@writes(functions.mean_squared_logarithmic_error)
def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    true, predicted = _pair(y_true, y_pred)
    most = float("inf")
    first = log(_above(predicted, most) + 1.0)
    second = log(_above(true, most) + 1.0)
    return reduce_mean(squared_difference(first, second), -1)


def _signed(true: Any) -> Any:
    """Return labels of 0 and 1 as -1 and 1, others as they are."""
    are_binary = reduce_all(logical_or(equal(true, 0), equal(true, 1)))
    return cond(are_binary, lambda: 2.0 * true - 1.0, lambda: true)


@writes(functions.hinge)
def hinge(y_true: Any, y_pred: Any) -> Any:
    true, predicted = _pair(y_true, y_pred)
    return reduce_mean(maximum(1.0 - _signed(true) * predicted, 0.0), -1)


@writes(functions.squared_hinge)
def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    true, predicted = _pair(y_true, y_pred)
    return reduce_mean(square(maximum(1.0 - _signed(true) * predicted, 0.0)), -1)


@writes(functions.categorical_hinge)
def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    true, predicted = _pair(y_true, y_pred)
    right = reduce_sum(true * predicted, -1)
    wrong = reduce_max((1.0 - true) * predicted, -1)
    return maximum(0.0, wrong - right + 1.0)


@writes(functions.log_cosh)
def log_cosh(y_true: Any, y_pred: Any) -> Any:
    true, predicted = _pair(y_true, y_pred)
    x = predicted - true
    return reduce_mean(x + softplus(-2.0 * x) - log(2.0), -1)


@writes(functions.poisson)
def poisson(y_true: Any, y_pred: Any) -> Any:
    true, predicted = _pair(y_true, y_pred)
    return reduce_mean(predicted - true * log(predicted + epsilon()), -1)


@writes(functions.kl_divergence)
def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    true, predicted = _pair(y_true, y_pred)
    true, predicted = _above(true, 1.0), _above(predicted, 1.0)
    return reduce_sum(true * log(true / predicted), -1)


def cosine(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Return how much directions are the same."""
    true, predicted = l2_normalize(y_true, axis), l2_normalize(y_pred, axis)
    return reduce_sum(true * predicted, axis)


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Return the loss of each element."""
    predicted, true = cast(y_pred, float32), cast(y_true, float32)
    off = absolute(subtract(predicted, true))
    near = minimum(off, delta)
    far = subtract(off, near)
    half = convert_to_tensor(0.5, near.dtype)
    return add(multiply(half, multiply(near, near)), multiply(delta, far))


def _smoothed(true: Any, share: float, each: Callable[[Any], Any]) -> Any:
    """Return labels of which a share says nothing; `each` makes of it what all classes get."""
    known = constant(share, float32)
    return true * (1.0 - known) + each(known) if share else true


@writes(functions.binary_crossentropy)
def binary_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: Any = 0.0,
    axis: Any = -1,
) -> Any:
    if isinstance(label_smoothing, Operand) or not isinstance(axis, int):
        return NotImplemented
    true, predicted = _pair(y_true, y_pred)
    true = _smoothed(true, label_smoothing, lambda share: 0.5 * share)
    return reduce_mean(of_two_classes(true, predicted, from_logits), axis)


def of_two_classes(true: Any, predicted: Any, from_logits: bool = False) -> Any:
    """Return the loss of each element, of logits where these are known."""
    logits = predicted if from_logits else _inner(predicted, "Sigmoid")
    if logits is not None:
        return sigmoid_cross_entropy_with_logits(labels=true, logits=logits)
    tiny = _tiny(predicted)
    odds = clip_by_value(predicted, tiny, 1.0 - tiny)
    loss = true * log(odds + epsilon())
    return -(loss + (1 - true) * log(1 - odds + epsilon()))


@writes(functions.categorical_crossentropy)
def categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: Any = 0.0,
    axis: Any = -1,
) -> Any:
    if isinstance(label_smoothing, Operand) or axis != -1:
        return NotImplemented
    true, predicted = _pair(y_true, y_pred)

    def each(share: Any) -> Any:
        return share / cast(shape(true)[1], predicted.dtype)

    true = _smoothed(true, label_smoothing, each)
    return of_classes(true, predicted, from_logits)


def of_classes(true: Any, predicted: Any, from_logits: bool = False) -> Any:
    """Return the loss of each row, of logits where these are known."""
    logits = predicted if from_logits else _inner(predicted, "Softmax")
    if logits is not None:
        return softmax_cross_entropy_with_logits_v2(labels=true, logits=logits)
    odds = predicted / reduce_sum(predicted, -1, True)
    tiny = _tiny(odds)
    return -reduce_sum(true * log(clip_by_value(odds, tiny, 1.0 - tiny)), -1)


@writes(functions.sparse_categorical_crossentropy)
def sparse_categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    ignore_class: Any = None,
    axis: Any = -1,
) -> Any:
    rank = convert_to_tensor(y_pred).get_shape().ndims
    if ignore_class is not None or rank is None or axis not in (-1, rank - 1):
        return NotImplemented
    predicted = convert_to_tensor(y_pred)
    logits = predicted if from_logits else _inner(predicted, "Softmax")
    if logits is None:
        tiny = _tiny(predicted)
        logits = log(clip_by_value(predicted, tiny, 1 - tiny))
    sizes = shape(logits)
    true = cast(y_true, int64)
    flat = true.get_shape().ndims not in (None, rank - 1)
    if flat:
        true = reshape(true, [-1])
        logits = reshape(logits, [-1, sizes[-1]])
    found = sparse_softmax_cross_entropy_with_logits(labels=true, logits=logits)
    return reshape(found, sizes[:-1]) if flat and rank >= 3 else found


fitted = anywhere(ranks.like)
_WAYS = (*base.Reduction.all(), None)


@writes(Loss.__call__)
def _whole(self: Any, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
    """Return the losses of a batch, weighted, as one number unless each is wanted."""
    if self.reduction not in _WAYS or masks.of(plain(y_pred)) is not None:
        return NotImplemented
    with name_scope(self.name or type(self).__name__):
        predicted, true = _in_graph(y_pred), _in_graph(y_true)
        losses = shown(self.call(true, predicted))
        with name_scope(None, "weighted_loss"):
            return _weighted(losses, sample_weight, self.reduction)


def _in_graph(values: Any) -> Any:
    """Return arrays and numbers as constants of the graph."""
    is_plain = isinstance(values, (np.ndarray, np.generic, int, float))
    return convert_to_tensor(values) if is_plain else values


def of_batch(loss: Any, y_true: Any, y_pred: Any, sample_weight: Any) -> Any:
    """Return what a batch costs in a compiled model."""
    if type(loss).__call__ is not Loss.__call__:
        return loss(y_true, y_pred, sample_weight=sample_weight)
    if isinstance(loss, LossFunctionWrapper) and not describing.is_ours(loss.fn):
        losses = loss.fn(y_true, y_pred, **loss.options)
    else:
        losses = shown(loss.call(y_true, y_pred))
    with name_scope(None, "weighted_loss"):
        each = _weighted(losses, sample_weight, None)
    how = base.Reduction.SUM_OVER_BATCH_SIZE
    return _reduced(each, how if loss.reduction == "auto" else loss.reduction)


def _weighted(losses: Any, sample_weight: Any, reduction: Any) -> Any:
    given = convert_to_tensor(losses)
    x = cast(given, float32)
    weights = cast(1.0 if sample_weight is None else sample_weight, float32)
    known = x.get_shape().ndims, weights.get_shape().ndims
    if None in known:
        weights = fitted(weights, x)
    elif known[1] - known[0] == 1:
        weights = squeeze(weights, [-1])
    elif known[1] and known[1] - known[0] == -1:
        weights = expand_dims(weights, -1)
    loss = multiply(x, weights if None in known else broadcast_weights(weights, x))
    return cast(_reduced(loss, reduction), given.dtype)


def _reduced(each: Any, reduction: Any) -> Any:
    """Return the sum or the mean of losses, or each of them."""
    if reduction in (base.Reduction.NONE, None):
        return each
    loss = reduce_sum(each)
    if reduction == base.Reduction.SUM:
        return loss
    with name_scope(None, "num_elements") as prefix:
        count = cast(size(each, name=prefix), each.dtype)
    return div_no_nan(reduce_sum(loss), count, name="value")
