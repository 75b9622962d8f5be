"""Learning rates that change with the step, as functions of TensorFlow 1's tf.train."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any

from tensorlite.compat.calling import converted, named
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.ops.bounds import minimum
from tensorlite.ops.compare import equal, where
from tensorlite.ops.elementwise import exp, log, pow as power
from tensorlite.ops.rounding import ceil, floor
from tensorlite.ops.shape import astype
from tensorlite.ops.trigonometric import cos


def _rate(learning_rate: Any, global_step: Any) -> tuple[Any, Any]:
    """Return the rate, and the step in its dtype."""
    if global_step is None:
        raise InvalidArgumentError(
            "global_step is required for a learning rate that decays."
        )
    rate = converted(learning_rate)
    return rate, astype(converted(global_step), rate.dtype)


def _turns(step: Any, decay_steps: Any, dtype: Any, staircase: bool) -> Any:
    turns = step / astype(converted(decay_steps), dtype)
    return floor(turns) if staircase else turns


@named("ExponentialDecay")
def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    rate, step = _rate(learning_rate, global_step)
    turns = _turns(step, decay_steps, rate.dtype, staircase)
    return rate * power(astype(converted(decay_rate), rate.dtype), turns)


@named("ExponentialDecay")
def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    rate, step = _rate(learning_rate, global_step)
    turns = _turns(step, decay_steps, rate.dtype, staircase)
    return rate * exp(-astype(converted(decay_rate), rate.dtype) * turns)


@named("InverseTimeDecay")
def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    rate, step = _rate(learning_rate, global_step)
    turns = _turns(step, decay_steps, rate.dtype, staircase)
    return rate / (1 + astype(converted(decay_rate), rate.dtype) * turns)


@named("PolynomialDecay")
def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    rate, step = _rate(learning_rate, global_step)
    steps = astype(converted(decay_steps), rate.dtype)
    end = astype(converted(end_learning_rate), rate.dtype)
    if cycle:
        begun = ceil(step / steps)
        steps = steps * where(
            equal(step, 0), astype(to_tensor(1.0), rate.dtype), begun
        )
    else:
        step = minimum(step, steps)
    left = 1 - step / steps
    return (rate - end) * left ** astype(converted(power), rate.dtype) + end


@named("PiecewiseConstant")
def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> Any:
    if len(boundaries) != len(values) - 1:
        raise InvalidArgumentError(
            "The length of boundaries should be 1 less than the length of values"
        )
    step = converted(x)
    bounds = [converted(b, step.dtype) for b in boundaries]
    for bound in bounds:
        if bound.dtype is not step.dtype:
            raise DTypeError(
                f"Boundaries ({bound.dtype.name}) must have the same dtype as x "
                f"({step.dtype.name})."
            )
    rates = [converted(v) for v in values]
    found = rates[-1]
    for bound, rate in zip(reversed(bounds), reversed(rates[:-1]), strict=True):
        found = where(step <= bound, rate, found)
    return found


piecewise_constant_decay = piecewise_constant


@named("CosineDecay")
def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    rate, step = _rate(learning_rate, global_step)
    steps = astype(converted(decay_steps), rate.dtype)
    done = minimum(step, steps) / steps
    return rate * ((1 - alpha) * 0.5 * (1 + cos(pi * done)) + alpha)


@named("SGDRDecay")
def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: float = 2.0,
    m_mul: float = 1.0,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    rate, step = _rate(learning_rate, global_step)
    done = step / astype(converted(first_decay_steps), rate.dtype)
    if t_mul == 1.0:
        restarts = floor(done)
        done = done - restarts
    else:
        base = 1.0 - done * (1.0 - t_mul)
        restarts = floor(log(base) / log(converted(float(t_mul), rate.dtype)))
        begun = (1.0 - converted(float(t_mul), rate.dtype) ** restarts) / (
            1.0 - t_mul
        )
        done = (done - begun) / converted(float(t_mul), rate.dtype) ** restarts
    scale = converted(float(m_mul), rate.dtype) ** restarts
    return rate * ((1 - alpha) * 0.5 * scale * (1 + cos(pi * done)) + alpha)


@named("LinearCosineDecay")
def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> Any:
    rate, step = _rate(learning_rate, global_step)
    steps = astype(converted(decay_steps), rate.dtype)
    step = minimum(step, steps)
    waves = 0.5 * (1 + cos(2 * pi * num_periods * step / steps))
    return rate * ((alpha + (steps - step) / steps) * waves + beta)
