"""The functions of tf.keras.losses; what a loss is stands in base.py."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.v2.keras.src.layers import masks, naming
from tensorlite.compat.v2.keras.src.losses import logits, ranks
from tensorlite.compat.v2.keras.src.losses.base import as_tensors
from tensorlite.compat.v2.keras.src.losses.by_rows import by_rows
from tensorlite.compat.v2.keras.src.models.in_graphs import anywhere
from tensorlite.core.dtypes import float32, int32
from tensorlite.core.errors import ShapeError
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.nn.activations import Sigmoid, Softmax

_SMALL = 1e-7


def pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Return true and predicted values as tensors of one dtype, and of shapes that fit."""
    predicted = converted(y_pred)
    if not predicted.dtype.is_floating:
        predicted = astype(predicted, float32)
    true = converted(y_true, predicted.dtype)
    return as_tensors(astype(true, predicted.dtype), predicted)


@anywhere
@by_rows
def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of squared differences over the last axis.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.losses.mean_squared_error([[0.0, 2.0]], [[1.0, 5.0]]).numpy().tolist()
    [5.0]
    """
    true, predicted = pair(y_true, y_pred)
    return tl.mean(tl.square(predicted - true), axis=-1)


@anywhere
@by_rows
def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of absolute differences over the last axis."""
    true, predicted = pair(y_true, y_pred)
    return tl.mean(tl.abs(predicted - true), axis=-1)


@anywhere
@by_rows
def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of differences over the last axis, in hundredths of what is true."""
    true, predicted = pair(y_true, y_pred)
    off = tl.abs((true - predicted) / tl.maximum(tl.abs(true), _SMALL))
    return 100.0 * tl.mean(off, axis=-1)


@anywhere
@by_rows
def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of squared differences of log(1 + x) over the last axis."""
    true, predicted = pair(y_true, y_pred)
    first = tl.log1p(tl.maximum(predicted, _SMALL))
    second = tl.log1p(tl.maximum(true, _SMALL))
    return tl.mean(tl.square(first - second), axis=-1)


def _signed(true: Any) -> Any:
    """Return labels 0 and 1 as -1 and 1."""
    binary = tl.all((true == 0) | (true == 1))
    return tl.where(binary, 2.0 * true - 1.0, true)


@anywhere
def hinge(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of max(1 - true * predicted, 0) over the last axis.

    True values are -1 or 1; where they are 0 or 1, 0 is taken for -1.
    """
    true, predicted = pair(y_true, y_pred)
    return tl.mean(tl.maximum(1.0 - _signed(true) * predicted, 0.0), axis=-1)


@anywhere
def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of squares of max(1 - true * predicted, 0) over the last axis.

    True values are -1 or 1; where they are 0 or 1, 0 is taken for -1.
    """
    true, predicted = pair(y_true, y_pred)
    return tl.mean(
        tl.square(tl.maximum(1.0 - _signed(true) * predicted, 0.0)), axis=-1
    )


@anywhere
def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """Return by how much the greatest wrong score, plus 1, is above the right one's, or 0."""
    true, predicted = pair(y_true, y_pred)
    right = tl.sum(true * predicted, axis=-1)
    wrong = tl.max((1.0 - true) * predicted, axis=-1)
    return tl.maximum(wrong - right + 1.0, 0.0)


@anywhere
def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Return the mean over the last axis of half the squares, or of lines beyond delta."""
    true, predicted = pair(y_true, y_pred)
    off = tl.abs(predicted - true)
    low, high = 0.5 * tl.square(off), delta * off - 0.5 * delta * delta
    return tl.mean(tl.where(off <= delta, low, high), axis=-1)


@anywhere
def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of log(cosh(predicted - true)) over the last axis."""
    true, predicted = pair(y_true, y_pred)
    x = predicted - true
    return tl.mean(x + tl.nn.softplus(-2.0 * x) - 0.6931471805599453, axis=-1)


@anywhere
def poisson(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of predicted - true * log(predicted) over the last axis."""
    true, predicted = pair(y_true, y_pred)
    return tl.mean(predicted - true * tl.log(predicted + _SMALL), axis=-1)


@anywhere
def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """Return the sum of true * log(true / predicted) over the last axis."""
    true, predicted = pair(y_true, y_pred)
    true, predicted = tl.clip(true, _SMALL, 1.0), tl.clip(predicted, _SMALL, 1.0)
    return tl.sum(true * tl.log(true / predicted), axis=-1)


@anywhere
def cosine_similarity(y_true: Any, y_pred: Any, axis: Any = -1) -> Any:
    """Return minus the cosine of the angle between two rows, -1 where they point the same way."""
    true, predicted = pair(y_true, y_pred)
    true = tl.nn.l2_normalize(true, axis)
    return -tl.sum(true * tl.nn.l2_normalize(predicted, axis), axis=axis)


@anywhere
@by_rows
def binary_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Return the mean over an axis of the entropies of yes and no.

    Predictions are shares, or logits if from_logits; label_smoothing draws true values to 1/2. Of
    what a sigmoid returned, the logits are used.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.losses.binary_crossentropy([[1.0]], [[0.5]]).numpy().round(4).tolist()
    [0.6931]
    """
    true, predicted = pair(y_true, y_pred)
    _of_one_shape(true, predicted)
    if label_smoothing:
        true = true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    known = predicted if from_logits else logits.of(predicted, Sigmoid)
    if known is not None:
        each = tl.nn.sigmoid_cross_entropy(true, known)
    else:
        p = tl.clip(predicted, _SMALL, 1.0 - _SMALL)
        more = (
            0.0 if naming.is_keras_3() else _SMALL
        )  # Keras 2 keeps away from 0 twice
        each = -(true * tl.log(p + more) + (1.0 - true) * tl.log(1.0 - p + more))
    return tl.mean(each, axis=axis)


def _of_one_shape(true: Any, predicted: Any) -> None:
    if ranks.of(true, predicted) is None:
        return
    sizes = list(true.shape), list(predicted.shape)
    known = zip(*sizes, strict=False)
    differ = any(x != y and None not in (x, y) for x, y in known)
    if differ or len(sizes[0]) != len(sizes[1]):
        raise ShapeError(
            "Arguments `target` and `output` must have the same shape. Received: "
            f"target.shape={true.shape}, output.shape={predicted.shape}"
        )


@anywhere
def binary_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Return binary cross-entropies that weigh what is predicted well by less.

    gamma says by how much; alpha weighs the two classes if apply_class_balancing (Lin et al.,
    2017).
    """
    true, predicted = pair(y_true, y_pred)
    if label_smoothing:
        true = true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    p = tl.nn.sigmoid(predicted) if from_logits else predicted
    each = binary_crossentropy(true[..., None], p[..., None])
    fitting = true * p + (1.0 - true) * (1.0 - p)
    each = (1.0 - fitting) ** gamma * each
    if apply_class_balancing:
        each = each * (true * alpha + (1.0 - true) * (1.0 - alpha))
    return tl.mean(each, axis=axis)


@anywhere
@by_rows
def categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Return the entropy of predicted shares of classes, for true shares.

    Predictions are divided by their sum, or are logits if from_logits; label_smoothing draws true
    values to equal shares. Of what a softmax returned, the logits are used.

    >>> from tensorlite.compat import v2 as tf
    >>> loss = tf.keras.losses.categorical_crossentropy([[0.0, 1.0]], [[0.5, 0.5]])
    >>> loss.numpy().round(4).tolist()
    [0.6931]
    """
    true, predicted = pair(y_true, y_pred)
    if label_smoothing:
        classes = predicted.shape[-1]
        true = true * (1.0 - label_smoothing) + label_smoothing / classes
    _of_one_shape(true, predicted)
    known = predicted if from_logits else logits.of(predicted, Softmax)
    if known is not None:
        return tl.nn.softmax_cross_entropy(true, known, axis)
    p = predicted / tl.sum(predicted, axis=axis, keepdims=True)
    return -tl.sum(true * tl.log(tl.clip(p, _SMALL, 1.0 - _SMALL)), axis=axis)


@anywhere
@by_rows
def sparse_categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    ignore_class: int | None = None,
    axis: int = -1,
) -> Any:
    """Return the entropy of predicted shares of classes, for numbers of classes.

    Predictions are logits if from_logits; labels that are ignore_class cost nothing. Of what a
    softmax returned, the logits are used.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.losses.sparse_categorical_crossentropy([1], [[0.5, 0.5]]).numpy().round(4).tolist()
    [0.6931]
    """
    predicted, true = converted(y_pred), converted(y_true)
    known = predicted if from_logits else logits.of(predicted, Softmax)
    if known is not None:
        predicted = known
    ends = ranks.of(true, predicted)
    if axis != -1 and (ends is None or axis != ends[1] - 1):
        predicted = tl.moveaxis(predicted, axis, -1)
    if ends is None:
        true = ranks.like(true, tl.sum(predicted, axis=-1))
    elif ends[0] == ends[1]:
        true = tl.squeeze(true, axis=-1)
    labels = astype(true, tl.int64)
    rows = (
        tl.log(tl.clip(predicted, _SMALL, 1.0 - _SMALL))
        if known is None
        else predicted
    )
    if ignore_class is None:
        return tl.nn.sparse_softmax_cross_entropy(labels, rows)
    counts = labels != ignore_class
    safe = tl.where(counts, labels, tl.zeros_like(labels))
    each = tl.nn.sparse_softmax_cross_entropy(safe, rows)
    made = tl.where(counts, each, tl.zeros_like(each))
    masks.remember(made, counts)
    return made


@anywhere
def categorical_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Return cross-entropies of classes that weigh what is predicted well by less.

    gamma says by how much, alpha weighs all (Lin et al., 2017).
    """
    true, predicted = pair(y_true, y_pred)
    if label_smoothing:
        classes = predicted.shape[-1]
        true = true * (1.0 - label_smoothing) + label_smoothing / classes
    if from_logits:
        predicted = tl.nn.softmax(predicted, axis)
    p = predicted / tl.sum(predicted, axis=axis, keepdims=True)
    p = tl.clip(p, _SMALL, 1.0 - _SMALL)
    each = -true * tl.log(p) * alpha * tl.pow(1.0 - p, gamma)
    return tl.sum(each, axis=axis)


@anywhere
def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Any:
    """Return one minus twice what both share over what both have."""
    true, predicted = pair(y_true, y_pred)
    both = tl.sum(true * predicted, axis=axis)
    whole = tl.sum(true, axis=axis) + tl.sum(predicted, axis=axis)
    return 1.0 - (2.0 * both) / (whole + _SMALL)


@anywhere
def tversky(
    y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5, axis: Any = None
) -> Any:
    """Return one minus what both share over that and the shares of what only one has."""
    true, predicted = pair(y_true, y_pred)
    both = tl.sum(true * predicted, axis=axis)
    missed = tl.sum(true * (1.0 - predicted), axis=axis)
    wrong = tl.sum((1.0 - true) * predicted, axis=axis)
    # Keras weighs what is missed by alpha, whatever its documentation says.
    return 1.0 - both / (both + missed * alpha + wrong * beta + _SMALL)


@anywhere
def ctc(y_true: Any, y_pred: Any) -> Any:
    """Return the losses of logits by labels whose zeros are no classes but padding and blanks."""
    labels, logits = converted(y_true), converted(y_pred)
    if (len(labels.shape), len(logits.shape)) != (2, 3):
        raise ShapeError(
            f"ctc: labels of shape {labels.shape} and logits of shape {logits.shape}; they are "
            "(batch, length) and (batch, steps, classes)"
        )
    labels = astype(labels, int32)
    rows, steps = tl.shape(logits)[0], tl.shape(logits)[1]
    return tl.nn.dense_ctc_loss(
        labels,
        logits,
        tl.sum(astype(labels != 0, int32), axis=-1),
        astype(tl.fill(rows, steps), int32),
        time_major=False,
        blank_index=0,
    )


@anywhere
def circle(
    y_true: Any,
    y_pred: Any,
    ref_labels: Any = None,
    ref_embeddings: Any = None,
    remove_diagonal: bool = True,
    gamma: float = 80.0,
    margin: float = 0.4,
) -> Any:
    """Return how far embeddings of one class are apart, and those of others near, each weighed."""
    vectors, labels = converted(y_pred), astype(converted(y_true), int32)
    others = vectors if ref_embeddings is None else converted(ref_embeddings)
    theirs = labels if ref_labels is None else astype(converted(ref_labels), int32)
    apart = tl.maximum(1.0 - tl.matmul(vectors, others, transpose_b=True), 0.0)
    same = tl.reshape(labels, (-1, 1)) == tl.reshape(theirs, (1, -1))
    different = ~same
    if remove_diagonal:
        at = tl.expand_dims(tl.arange(tl.shape(same)[0]), 1)
        same = same & (at != tl.expand_dims(tl.arange(tl.shape(same)[1]), 0))
    pull = -gamma * tl.maximum(margin + apart, 0.0) * (margin - apart)
    push = gamma * tl.maximum(1.0 + margin - apart, 0.0) * (1.0 - margin - apart)
    least = tl.full_like(apart, tl.finfo(apart.dtype).min / 4)
    cost = tl.nn.softplus(
        tl.logsumexp(tl.where(same, pull, least), axis=1)
        + tl.logsumexp(tl.where(different, push, least), axis=1)
    )
    masks.remember(cost, cost > 0)
    return cost


@anywhere
def categorical_generalized_cross_entropy(y_true: Any, y_pred: Any, q: float) -> Any:
    """Return (1 - p**q) / q, where p is what is predicted of the true class."""
    predicted = converted(y_pred)
    classes = tl.one_hot(
        astype(converted(y_true), int32), predicted.shape[-1], dtype=predicted.dtype
    )
    return (1.0 - tl.pow(tl.sum(predicted * classes, axis=-1), q)) / q
