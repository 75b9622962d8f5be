"""Losses of ragged tensors: what a function of dense tensors makes of each row."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras.src.losses import ranks
from tensorlite.ops.ragged.base import RaggedParts


def by_rows(loss: Callable[..., Any]) -> Callable[..., Any]:
    """Let a loss along the last axis take ragged tensors of the same rows, and keep their rows."""

    @wraps(loss)
    def made(y_true: Any, y_pred: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(y_pred, RaggedParts):
            return loss(y_true, y_pred, *args, **kwargs)

        def of_dense(true: Any, predicted: Any) -> Any:
            return loss(true, predicted, *args, **kwargs)

        (true, predicted), _ = ranks.flat([y_true, y_pred])
        if len(predicted.shape) > 1:
            return y_pred.with_flat_values(of_dense(true, predicted))
        return _along_rows(of_dense, y_true, y_pred)

    return made


def _along_rows(loss: Callable[..., Any], y_true: Any, y_pred: Any) -> Any:
    """Return losses along a last axis that is ragged itself."""
    true, predicted = y_true.values, y_pred.values
    if isinstance(predicted, RaggedParts):
        return y_pred.with_values(_along_rows(loss, true, predicted))
    bounds = y_pred.row_splits

    def of_row(ends: Any) -> Any:
        return loss(true[ends[0] : ends[1]], predicted[ends[0] : ends[1]])

    return tl.map_fn(of_row, (bounds[:-1], bounds[1:]))
