"""Loss: true and predicted values of one dtype, and how the losses of a batch become one number.

The functions are in functions.py, their classes in classes.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.v2.keras.dtype_policies import compute_dtype_of
from tensorlite.compat.v2.keras.src.layers import masks, naming
from tensorlite.compat.v2.keras.src.losses import ranks, shares
from tensorlite.compat.v2.keras.src.models.in_graphs import everywhere
from tensorlite.compat.v2.keras.src.saving import older_configs
from tensorlite.core import nest
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.quotients import divide_no_nan
from tensorlite.ops.ragged.base import RaggedParts


class Reduction:
    """How the losses of a batch's examples become one."""

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Return all ways there are."""
        return cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE

    @classmethod
    def validate(cls, key: Any) -> None:
        """Raise InvalidArgumentError for what is no way of reducing."""
        if key is not None and key not in _ALLOWED:
            raise InvalidArgumentError(
                "Invalid value for argument `reduction`. Expected one of "
                f"{', '.join(_ALLOWED)} or None. Received: reduction={key}"
            )


_WEIGHED = "mean_with_sample_weight"
_ALLOWED = (*Reduction.all(), "mean", _WEIGHED)
_OF_WHAT_IS_LEFT = (Reduction.AUTO, Reduction.SUM_OVER_BATCH_SIZE, "mean")


class Loss:
    """A function of true and predicted values, whose results become one number."""

    def __init__(
        self,
        reduction: Any = Reduction.AUTO,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        Reduction.validate(reduction)
        if reduction == Reduction.AUTO and naming.is_keras_3():
            reduction = Reduction.SUM_OVER_BATCH_SIZE
        self.reduction, self.name = reduction, name
        self._dtype = compute_dtype_of(dtype)

    @property
    def dtype(self) -> str:
        """The dtype that true and predicted values come in."""
        return self._dtype.name

    def call(self, y_true: Any, y_pred: Any) -> Any:
        raise NotImplementedError("a Loss has a method call(y_true, y_pred)")

    @everywhere
    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        kind = self._dtype
        mask = masks.of(y_pred)
        losses = self.call(_in_dtype(y_true, kind), _in_dtype(y_pred, kind))
        if isinstance(losses, RaggedParts):
            if self.reduction in (Reduction.NONE, None) and sample_weight is None:
                return losses
            (losses,), sample_weight = ranks.flat([losses], sample_weight)
        left = masks.of(losses)
        if left is not None:
            mask = left if mask is None else mask & left
        return reduced(
            astype(converted(losses), kind), sample_weight, self.reduction, mask
        )

    def get_config(self) -> dict[str, Any]:
        return {"reduction": self.reduction, "name": self.name}

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
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reduction, name or getattr(fn, "__name__", "loss"), dtype)
        self.fn, self.options = fn, kwargs

    def call(self, y_true: Any, y_pred: Any) -> Any:
        true, predicted = as_tensors(y_true, y_pred)
        return self.fn(true, predicted, **self.options)

    def get_config(self) -> dict[str, Any]:
        whole = {**super().get_config(), **self.options}
        return older_configs.of_loss(type(self).__name__, whole)


def reduced(losses: Any, sample_weight: Any, reduction: Any, mask: Any = None) -> Any:
    """Return losses times weights, as one number unless each is wanted."""
    Reduction.validate(reduction)
    x = converted(losses)
    weights = None
    if sample_weight is not None:
        weights = astype(converted(sample_weight, x.dtype), x.dtype)
    if mask is not None:
        weights = _masked(mask, weights, x.dtype, reduction)
    if weights is not None:
        known = ranks.of(weights, x)
        weights = _of_rank(weights, known[1]) if known else ranks.like(weights, x)
        x = x * weights
    if reduction in (Reduction.NONE, None) or x.spec.shape in ((), (0,)):
        return x
    if reduction == Reduction.SUM:
        return tl.sum(x)
    if reduction == _WEIGHED and weights is not None:
        return shares.scaled(divide_no_nan(tl.sum(x), tl.sum(weights)))
    return shares.mean(x)


def _masked(mask: Any, weights: Any, dtype: Any, reduction: Any) -> Any:
    """Return weights that leave out what a mask does; a mean is of what is left."""
    share = astype(mask, dtype)
    if reduction in _OF_WHAT_IS_LEFT:
        share = share * divide_no_nan(tl.mean(tl.ones_like(share)), tl.mean(share))
    if weights is None:
        return share
    rank = max(len(weights.shape), len(share.shape))
    return _expanded(weights, rank) * _expanded(share, rank)


def _of_rank(weights: Any, rank: int) -> Any:
    """Return weights with axes of size 1 taken off or put on at the end.

    A number is for all of its mask, whose share of what is left makes no difference then.
    """
    while len(weights.shape) > rank and rank:
        weights = tl.squeeze(weights, axis=-1)
    return _expanded(weights, rank)


def _expanded(weights: Any, rank: int) -> Any:
    while len(weights.shape) < rank:
        weights = weights[..., None]
    return weights


def _in_dtype(values: Any, dtype: DType) -> Any:
    """Return values as tensors, numbers in a dtype and with the masks that they have."""

    def one(x: Any) -> Any:
        if isinstance(x, RaggedParts):
            return x.with_flat_values(one(x.flat_values))
        if not isinstance(x, (Operand, np.ndarray, np.generic, int, float)):
            return x
        tensor = converted(x)
        if tensor.dtype is dtype or tensor.dtype.name == "string":
            return tensor
        made = astype(tensor, dtype)
        masks.remember(made, masks.of(x))
        return made

    if isinstance(values, list) and not any(isinstance(x, Operand) for x in values):
        return one(np.asarray(values))
    if isinstance(values, RaggedParts):
        return one(values)
    return nest.map_structure(one, values)


_VALUES = (Operand, np.ndarray, np.generic, int, float, list, tuple)


def as_tensors(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Return both as tensors, the last axis of size 1 taken off or put on where only one has it.

    What is predicted as a value of a program's own kind, as a distribution, stays so, ragged rows
    too.
    """
    if not isinstance(y_pred, _VALUES) or isinstance(y_pred, RaggedParts):
        return y_true, y_pred
    predicted = converted(y_pred)
    true = converted(y_true)
    known = ranks.of(true, predicted)
    if known is None:
        return ranks.matched(true, predicted)
    ours, theirs = known
    if ours == theirs - 1 and predicted.shape[-1] == 1:
        if ours == 1:
            return true[..., None], predicted
        return true, tl.squeeze(predicted, axis=-1)
    if ours == theirs + 1 and true.shape[-1] == 1:
        if theirs == 1:
            return true, predicted[..., None]
        return tl.squeeze(true, axis=-1), predicted
    return true, predicted
