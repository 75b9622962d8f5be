"""Learning rates that change with the step, as functions of TensorFlow 1's tf.train.

Their formulas are in train/decays.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from inspect import signature
from typing import Any

from tensorlite.compat.calling import converted, named
from tensorlite.compat.v1.behaviour import executing_eagerly
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.bounds import minimum
from tensorlite.ops.shape import astype
from tensorlite.train import decays


def _renewed(decay: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decay whose rate is made anew, by a function, where no graph is built.

    Steps are numbers there, and a rate that was computed once would never change.
    """

    @wraps(decay)
    def scheduled(*args: Any, **kwargs: Any) -> Any:
        if not executing_eagerly():
            return decay(*args, **kwargs)
        if "global_step" in signature(decay).parameters:
            _check_step(signature(decay).bind(*args, **kwargs).arguments)
        return partial(decay, *args, **kwargs)

    return scheduled


def _check_step(given: Mapping[str, Any]) -> None:
    if given.get("global_step") is None:
        raise InvalidArgumentError(
            "global_step is required for a learning rate that decays."
        )


def _rate(learning_rate: Any, global_step: Any) -> tuple[Any, Any]:
    """Return the rate, and the step in its dtype."""
    if global_step is None:
        raise InvalidArgumentError(
            "global_step is required for a learning rate that decays."
        )
    rate = converted(learning_rate)
    return rate, astype(converted(global_step), rate.dtype)


def _as(rate: Any, x: Any) -> Any:
    return astype(converted(x), rate.dtype)


@_renewed
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
    turned = decays.turns(step, _as(rate, decay_steps), staircase)
    return decays.exponential(rate, _as(rate, decay_rate), turned)


@_renewed
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
    turned = decays.turns(step, _as(rate, decay_steps), staircase)
    return decays.natural(rate, _as(rate, decay_rate), turned)


@_renewed
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
    turned = decays.turns(step, _as(rate, decay_steps), staircase)
    return decays.inverse_time(rate, _as(rate, decay_rate), turned)


@_renewed
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
    end, steps, left = (_as(rate, x) for x in (end_learning_rate, decay_steps, power))
    return decays.polynomial(rate, end, step, steps, left, cycle)


@_renewed
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
            raise InvalidArgumentError(
                f"Boundaries ({bound.dtype.name}) must have the same dtype as x "
                f"({step.dtype.name})."
            )
    return decays.piecewise(step, bounds, [converted(v) for v in values])


piecewise_constant_decay = piecewise_constant


@_renewed
@named("CosineDecay")
def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    rate, step = _rate(learning_rate, global_step)
    steps = _as(rate, decay_steps)
    return decays.cosine(rate, minimum(step, steps) / steps, alpha)


@_renewed
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
    turned = decays.turns(step, _as(rate, first_decay_steps))
    done, height = decays.restarted(turned, t_mul, m_mul)
    return decays.cosine(rate, done, alpha, height)


@_renewed
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
    steps = _as(rate, decay_steps)
    return decays.linear_cosine(rate, step, steps, num_periods, alpha, beta)
