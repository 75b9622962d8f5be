"""What optimizers take as a learning rate: a number, a variable, a schedule or a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras import schedules
from tensorlite.compat.v2.keras.src.layers.weights import Weight
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.ops.state.variable import Variable as AnyVariable


def as_rate(given: Any) -> Any:
    """Return a learning rate as what can be assigned to, or as a function of the step."""
    if isinstance(given, schedules.LearningRateSchedule):
        return given
    if callable(given) and not isinstance(given, AnyVariable):
        return Called(given)
    if isinstance(given, AnyVariable):
        return given
    if isinstance(given, SymbolicTensor):
        return Called(given.__tensor__)
    value = np.asarray(float(given), np.float32)
    return Weight(value, trainable=False, name="learning_rate")


def settable(rate: Any) -> Any:
    """Return the variable that a rate is, or falls from; None for a schedule."""
    if isinstance(rate, Decaying):
        return rate.initial_learning_rate
    return rate if isinstance(rate, AnyVariable) else None


class Decaying(schedules.InverseTimeDecay):
    """A rate that falls by the argument `decay` of optimizers, and can be set all the while."""

    def __init__(self, rate: Any, share: float) -> None:
        super().__init__(as_rate(rate), 1, share)
        self.share = share


class Called(schedules.LearningRateSchedule):
    """A learning rate that a function without arguments returns."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function

    def __call__(self, step: Any) -> Any:
        return tl.astype(self.function(), tl.float32)
