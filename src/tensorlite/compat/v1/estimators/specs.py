"""What functions that build models are told, and what they give back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class ModeKeys:
    """What a model is built for."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


class EstimatorSpec(NamedTuple):
    """What a function that builds a model gives back."""

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metric_ops: Mapping[str, Any] | None = None
    export_outputs: Any = None
    training_chief_hooks: Iterable[Any] | None = None
    training_hooks: Iterable[Any] | None = None
    scaffold: Any = None
    evaluation_hooks: Iterable[Any] | None = None
    prediction_hooks: Iterable[Any] | None = None
