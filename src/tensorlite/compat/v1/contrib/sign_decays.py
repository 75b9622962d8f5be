"""How much the sign counts at a step, for AddSignOptimizer and PowerSignOptimizer."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

from tensorlite.compat.shared import elementwise
from tensorlite.compat.v1.functions import arrays
from tensorlite.core.errors import InvalidArgumentError

__all__ = ["get_cosine_decay_fn", "get_linear_decay_fn", "get_restart_decay_fn"]


def get_linear_decay_fn(decay_steps: Any) -> Callable[[Any], Any]:
    """Return a function of the step: 1 at first, 0 after decay_steps."""

    def decayed(global_step: Any) -> Any:
        return 1.0 - _fraction(global_step, decay_steps)

    return decayed


def get_cosine_decay_fn(
    decay_steps: Any, num_periods: Any = 0.5, zero_after: Any = None
) -> Callable[[Any], Any]:
    """Return a function of the step: a cosine between 1 and 0, of so many periods.

    After zero_after periods it is 0.
    """

    def decayed(global_step: Any) -> Any:
        turns = 2.0 * num_periods * _fraction(global_step, decay_steps)
        end = None if zero_after is None else 2 * zero_after
        return _ended(_half_cosine(turns), turns, end)

    return decayed


def get_restart_decay_fn(
    decay_steps: Any, num_periods: Any = 1, zero_after: Any = None
) -> Callable[[Any], Any]:
    """Return a function of the step: half a cosine from 1 to 0, so many times.

    After zero_after of them it is 0.
    """

    def decayed(global_step: Any) -> Any:
        turns = num_periods * _fraction(global_step, decay_steps)
        return _ended(_half_cosine(turns % 1.0), turns, zero_after)

    return decayed


def _fraction(global_step: Any, decay_steps: Any) -> Any:
    """Return which part of the steps is over."""
    if global_step is None:
        raise InvalidArgumentError(
            "global_step is None: what the sign counts depends on the step; give minimize or "
            "apply_gradients global_step=tf.train.get_or_create_global_step()"
        )
    step = elementwise.cast(global_step, "float32")
    return elementwise.minimum(step, float(decay_steps)) / float(decay_steps)


def _half_cosine(turns: Any) -> Any:
    return 0.5 * (1.0 + elementwise.cos(pi * turns))


def _ended(value: Any, turns: Any, end: Any) -> Any:
    if end is None:
        return value
    return arrays.where(turns >= end, arrays.zeros_like(value), value)
