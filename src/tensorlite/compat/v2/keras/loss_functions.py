"""The functions of tf.keras.losses, and how losses are reduced; classes are in loss_classes.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.v2.keras import masks
from tensorlite.compat.v2.keras.in_graphs import anywhere
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.shape import astype

_SMALL = 1e-7


def pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Return true and predicted values as tensors of one dtype, and of shapes that fit."""
    predicted = converted(y_pred)
    if not predicted.dtype.is_floating:
        predicted = astype(predicted, float32)
    true = converted(y_true, predicted.dtype)
    return astype(true, predicted.dtype), predicted


@anywhere
def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    true, predicted = pair(y_true, y_pred)
    return tl.mean(tl.square(predicted - true), axis=-1)


@anywhere
def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    true, predicted = pair(y_true, y_pred)
    return tl.mean(tl.abs(predicted - true), axis=-1)


@anywhere
def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    true, predicted = pair(y_true, y_pred)
    off = tl.abs((true - predicted) / tl.maximum(tl.abs(true), _SMALL))
    return 100.0 * tl.mean(off, axis=-1)


@anywhere
def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
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
    true, predicted = pair(y_true, y_pred)
    return tl.mean(tl.maximum(1.0 - _signed(true) * predicted, 0.0), axis=-1)


@anywhere
def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    true, predicted = pair(y_true, y_pred)
    return tl.mean(
        tl.square(tl.maximum(1.0 - _signed(true) * predicted, 0.0)), axis=-1
    )


@anywhere
def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    true, predicted = pair(y_true, y_pred)
    right = tl.sum(true * predicted, axis=-1)
    wrong = tl.max((1.0 - true) * predicted, axis=-1)
    return tl.maximum(wrong - right + 1.0, 0.0)


@anywhere
def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    true, predicted = pair(y_true, y_pred)
    off = tl.abs(predicted - true)
    low, high = 0.5 * tl.square(off), delta * off - 0.5 * delta * delta
    return tl.mean(tl.where(off <= delta, low, high), axis=-1)


@anywhere
def log_cosh(y_true: Any, y_pred: Any) -> Any:
    true, predicted = pair(y_true, y_pred)
    x = predicted - true
    return tl.mean(x + tl.nn.softplus(-2.0 * x) - 0.6931471805599453, axis=-1)


@anywhere
def poisson(y_true: Any, y_pred: Any) -> Any:
    true, predicted = pair(y_true, y_pred)
    return tl.mean(predicted - true * tl.log(predicted + _SMALL), axis=-1)


@anywhere
def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    true, predicted = pair(y_true, y_pred)
    true, predicted = tl.clip(true, _SMALL, 1.0), tl.clip(predicted, _SMALL, 1.0)
    return tl.sum(true * tl.log(true / predicted), axis=-1)


@anywhere
def cosine_similarity(y_true: Any, y_pred: Any, axis: Any = -1) -> Any:
    true, predicted = pair(y_true, y_pred)
    true = tl.nn.l2_normalize(true, axis)
    return -tl.sum(true * tl.nn.l2_normalize(predicted, axis), axis=axis)


@anywhere
def binary_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    true, predicted = pair(y_true, y_pred)
    if label_smoothing:
        true = true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    if from_logits:
        each = tl.nn.sigmoid_cross_entropy(true, predicted)
    else:
        p = tl.clip(predicted, _SMALL, 1.0 - _SMALL)
        each = -(true * tl.log(p + _SMALL) + (1.0 - true) * tl.log(1.0 - p + _SMALL))
    return tl.mean(each, axis=axis)


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
def categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    true, predicted = pair(y_true, y_pred)
    if label_smoothing:
        classes = predicted.shape[-1]
        true = true * (1.0 - label_smoothing) + label_smoothing / classes
    if from_logits:
        return tl.nn.softmax_cross_entropy(true, predicted, axis)
    p = predicted / tl.sum(predicted, axis=axis, keepdims=True)
    return -tl.sum(true * tl.log(tl.clip(p, _SMALL, 1.0 - _SMALL)), axis=axis)


@anywhere
def sparse_categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    ignore_class: int | None = None,
    axis: int = -1,
) -> Any:
    predicted, true = converted(y_pred), converted(y_true)
    rank = len(predicted.shape)
    if axis not in (-1, rank - 1):
        predicted = tl.moveaxis(predicted, axis, -1)
    if len(true.shape) == rank:
        true = tl.squeeze(true, axis=-1)
    labels = astype(true, tl.int64)
    logits = (
        predicted if from_logits else tl.log(tl.clip(predicted, _SMALL, 1.0 - _SMALL))
    )
    if ignore_class is None:
        return tl.nn.sparse_softmax_cross_entropy(labels, logits)
    counts = labels != ignore_class
    safe = tl.where(counts, labels, tl.zeros_like(labels))
    each = tl.nn.sparse_softmax_cross_entropy(safe, logits)
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
    wrong = tl.sum((1.0 - true) * predicted, axis=axis)
    missed = tl.sum(true * (1.0 - predicted), axis=axis)
    return 1.0 - both / (both + wrong * alpha + missed * beta + _SMALL)


class Reduction:
    """How the losses of a batch's examples become one."""

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        return cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE


def _masked(mask: Any, weights: Any, dtype: Any, reduction: Any) -> Any:
    """Return weights that leave out what a mask does; a mean is of what is left."""
    share = astype(mask, dtype)
    if reduction not in (Reduction.NONE, Reduction.SUM, None):
        share = share * (tl.mean(tl.ones_like(share)) / (tl.mean(share) + _SMALL))
    if weights is None:
        return share
    given = astype(converted(weights, dtype), dtype)
    while len(given.shape) < len(share.shape):
        given = given[..., None]
    while len(share.shape) < len(given.shape):
        share = share[..., None]
    return given * share


def reduced(losses: Any, sample_weight: Any, reduction: Any, mask: Any = None) -> Any:
    """Return losses times weights, as one number unless each is wanted."""
    x = converted(losses)
    if mask is not None:
        sample_weight = _masked(mask, sample_weight, x.dtype, reduction)
    if sample_weight is not None:
        weights = astype(converted(sample_weight, x.dtype), x.dtype)
        while len(weights.shape) > len(x.shape):
            weights = tl.squeeze(weights, axis=-1)
        while len(weights.shape) < len(x.shape):
            weights = weights[..., None]
        x = x * weights
    if reduction in (Reduction.NONE, None):
        return x
    if reduction == Reduction.SUM:
        return tl.sum(x)
    if reduction in (
        Reduction.AUTO,
        Reduction.SUM_OVER_BATCH_SIZE,
        "mean",
        "mean_with_sample_weight",
    ):
        return tl.mean(x)
    raise InvalidArgumentError(
        f"reduction={reduction!r}; allowed are {', '.join(Reduction.all())}"
    )


class Loss:
    """A function of true and predicted values, whose results become one number."""

    def __init__(
        self, reduction: Any = Reduction.AUTO, name: str | None = None, **kwargs: Any
    ) -> None:
        self.reduction, self.name = reduction, name

    def call(self, y_true: Any, y_pred: Any) -> Any:
        raise NotImplementedError("a Loss has a method call(y_true, y_pred)")

    @anywhere
    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        mask = masks.of(y_pred)
        losses = self.call(y_true, y_pred)
        left = masks.of(losses)
        if left is not None:
            mask = left if mask is None else mask & left
        return reduced(losses, sample_weight, self.reduction, mask)

    def get_config(self) -> dict[str, Any]:
        automatic = self.reduction == Reduction.AUTO
        kind = Reduction.SUM_OVER_BATCH_SIZE if automatic else self.reduction
        return {"reduction": kind, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)


class LossFunctionWrapper(Loss):
    """A loss that calls a function."""

    def __init__(
        self,
        fn: Callable[..., Any],
        reduction: Any = Reduction.AUTO,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reduction, name or getattr(fn, "__name__", "loss"))
        self.fn, self.options = fn, kwargs

    def call(self, y_true: Any, y_pred: Any) -> Any:
        true, predicted = as_tensors(y_true, y_pred)
        return self.fn(true, predicted, **self.options)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **self.options}


def as_tensors(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Return both as tensors, the last axis of size 1 taken off or put on where only one has it."""
    predicted = converted(y_pred)
    true = converted(y_true)
    ranks = len(true.shape), len(predicted.shape)
    if ranks[0] == ranks[1] - 1 and predicted.shape[-1] == 1:
        true = true[..., None]
    elif ranks[0] == ranks[1] + 1 and true.shape[-1] == 1:
        true = tl.squeeze(true, axis=-1)
    return true, predicted
