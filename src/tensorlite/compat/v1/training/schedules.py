"""Learning rates that change with the step, as functions of TensorFlow 1's tf.train.

Their formulas are in train/decays.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from inspect import signature
from math import pi
from typing import Any

from tensorlite.compat.calling import given_constant, named
from tensorlite.compat.shared.choices import case
from tensorlite.compat.shared.elementwise import (
    add,
    cast,
    ceil,
    cos,
    equal,
    exp,
    floor,
    log,
    minimum,
    multiply,
    negative,
    pow,
    sqrt,
)
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.graphs.behaviour import executing_eagerly
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.random import random_normal
from tensorlite.compat.views import shown
from tensorlite.core.dtypes import int32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph, name_scope
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


def _rate(learning_rate: Any, global_step: Any, *others: Any) -> tuple[Any, ...]:
    """Return the rate, what else there is and the step in its dtype, in that order.

    They are what programs hold of tensors: what formulas make of them has TensorFlow's names.
    """
    if global_step is None:
        raise InvalidArgumentError(
            "global_step is required for a learning rate that decays."
        )
    rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
    return rate, *[cast(x, rate.dtype) for x in (*others, global_step)]


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
    """Return learning_rate * decay_rate ** (global_step / decay_steps), a scalar.

    The exponent is rounded down if staircase. Where programs run at once, it is a function.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     float(session.run(tf.train.exponential_decay(1.0, 20, 10, 0.5)))
    0.25
    """
    rate, steps, base, step = _rate(
        learning_rate, global_step, decay_steps, decay_rate
    )
    turned = decays.turns(step, steps, staircase)
    return decays.exponential(rate, base, turned)


@_renewed
def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Return learning_rate * exp(-decay_rate * global_step / decay_steps), a scalar.

    The share of steps is rounded down if staircase. Where programs run at once, it is a function.
    """
    base = exp(negative(decay_rate))
    return exponential_decay(
        learning_rate, global_step, decay_steps, base, staircase, name
    )


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
    """Return learning_rate / (1 + decay_rate * global_step / decay_steps), a scalar.

    The share of steps is rounded down if staircase. Where programs run at once, it is a function.
    """
    rate, steps, decay, step = _rate(
        learning_rate, global_step, decay_steps, decay_rate
    )
    turned = decays.turns(step, steps, staircase)
    one = cast(constant(1), rate.dtype)
    return rate / add(one, multiply(decay, turned))


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
    """Return a rate that falls to end_learning_rate in decay_steps, as (1 - share) ** power.

    With cycle it begins again, each time over more steps. Where programs run at once, it is a
    function.
    """
    rate, end, left, step = _rate(
        learning_rate, global_step, end_learning_rate, power
    )
    steps = cast(decay_steps, rate.dtype)
    last = steps if isinstance(decay_steps, Operand) else decay_steps
    if cycle:
        times = cond(equal(step, 0), lambda: 1.0, lambda: ceil(step / last))
        gone = step / multiply(steps, times)
        return add(multiply(rate - end, pow(1 - gone, left)), end)
    gone = minimum(step, last) / steps
    return add(multiply(rate - end, pow(1 - gone, left)), end)


@_renewed
def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> Any:
    """Return values[i] where x is above boundaries[i - 1] and at most boundaries[i].

    There is one value more than boundaries, else InvalidArgumentError is raised. Where programs run
    at once, it is a function.
    """
    if len(boundaries) != len(values) - 1:
        raise InvalidArgumentError(
            "The length of boundaries should be 1 less than the length of values"
        )
    bounds = [given_constant(b) for b in boundaries]
    made = [given_constant(v) for v in values]
    step = given_constant(x)
    bounds = [_of_steps(bound, step) for bound in bounds]
    for value in made:
        if value.dtype is not made[0].dtype:
            raise InvalidArgumentError(
                "Values must have elements all with the same dtype "
                f"({made[0].dtype!r} vs {value.dtype!r})."
            )
    if active_graph() is None:
        return decays.piecewise(step, bounds, made)
    with name_scope(name, "PiecewiseConstant"):
        return case(_pieces(*map(shown, (step, bounds, made))), lambda: made[0], True)


def _of_steps(bound: Any, step: Any) -> Any:
    """Return where a piece ends in the dtype of steps: as it is, or counted to more."""
    if bound.dtype is int32 and step.dtype is int64:
        return cast(bound, int64)
    if bound.dtype is not step.dtype:
        raise InvalidArgumentError(
            f"Boundaries ({bound.dtype.name}) must have the same dtype as x "
            f"({step.dtype.name})."
        )
    return bound


def _pieces(
    step: Any, bounds: Sequence[Any], values: Sequence[Any]
) -> list[tuple[Any, Callable[[], Any]]]:
    """Return what holds in each piece, the last one second, and what gives its value."""
    first = step <= bounds[0], lambda: values[0]
    last = step > bounds[-1], lambda: values[-1]
    inner = [
        ((step > low) & (step <= high), partial(_itself, value))
        for low, high, value in zip(
            bounds[:-1], bounds[1:], values[1:-1], strict=True
        )
    ]
    return [first, last, *inner]


def _itself(x: Any) -> Any:
    return x


piecewise_constant_decay = piecewise_constant


@_renewed
@named("CosineDecay", "Mul_3")
def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """Return a rate that falls along half a wave, to alpha * learning_rate in decay_steps.

    Where programs run at once, it is a function. Loshchilov and Hutter 2016.
    """
    rate, steps, step = _rate(learning_rate, global_step, decay_steps)
    done = minimum(step, steps) / steps
    wave = 0.5 * (1.0 + cos(constant(pi, rate.dtype) * done))
    return multiply(rate, (1 - alpha) * wave + alpha)


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
    """Return a rate that falls along half waves, one after another.

    Each is t_mul times longer and m_mul times as high as the one before. Where programs run at
    once, it is a function. Loshchilov and Hutter 2016.
    """
    rate, *parts = _rate(
        learning_rate, global_step, first_decay_steps, alpha, t_mul, m_mul
    )
    steps, low, longer, higher, step = parts
    turned = step / steps
    # How long turns are may be a tensor, whose value is known when it runs.
    count, done = cond(
        equal(longer, 1.0),
        lambda: _turn(turned),
        lambda: _longer_turn(turned, longer),
    )
    height = higher**count
    wave = 0.5 * height * (1.0 + cos(constant(pi, rate.dtype) * done))
    return multiply(rate, (1 - low) * wave + low)


def _turn(turned: Any) -> tuple[Any, Any]:
    """Return which turn of one length it is, and how much of it is done."""
    count = floor(turned)
    return count, turned - count


def _longer_turn(turned: Any, longer: Any) -> tuple[Any, Any]:
    """Return which turn it is, each so many times as long, and how much of it is done."""
    count = floor(log(1.0 - turned * (1.0 - longer)) / log(longer))
    begun = (1.0 - longer**count) / (1.0 - longer)
    return count, (turned - begun) / longer**count


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
    """Return a rate that falls along a line times num_periods waves, plus alpha and beta.

    Where programs run at once, it is a function. Bello et al. 2017.
    """
    rate, *parts = _rate(
        learning_rate, global_step, decay_steps, num_periods, alpha, beta
    )
    steps, periods, low, least, step = parts
    step = minimum(step, steps)
    line = (steps - step) / steps
    return _under_waves(rate, line, step / steps, (periods, low, least))


def _under_waves(rate: Any, line: Any, done: Any, wave: tuple[Any, Any, Any]) -> Any:
    """Return a rate that falls along a line times so many waves, plus alpha and beta."""
    periods, alpha, beta = wave
    fraction = 2.0 * periods * done
    waves = 0.5 * (1.0 + cos(constant(pi, rate.dtype) * fraction))
    return multiply(rate, (alpha + line) * waves + beta)


@_renewed
@named("NoisyLinearCosineDecay")
def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: float = 1.0,
    variance_decay: float = 0.55,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> Any:
    """Return what linear_cosine_decay gives, with normal noise that gets smaller.

    The noise's variance is initial_variance / (1 + step) ** variance_decay.
    """
    noise = initial_variance, variance_decay
    waves = num_periods, alpha, beta
    rate, *parts = _rate(learning_rate, global_step, decay_steps, *noise, *waves)
    steps, variance, decay, *wave, step = parts
    step = minimum(step, steps)
    line = (steps - step) / steps
    spread = sqrt(variance / pow(1.0 + step, decay))
    line += random_normal([], stddev=spread, dtype=rate.dtype)
    return _under_waves(rate, line, step / steps, tuple(wave))
