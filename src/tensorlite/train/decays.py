"""The formulas of learning rates that change with the step, each in this one place.

Rates, steps and what else they take are numbers or tensors, these of one dtype. What is a schedule,
an object that is called with the step, is in schedules.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import TypeAlias

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.bounds import maximum, minimum
from tensorlite.ops.math.compare import where
from tensorlite.ops.math.elementwise import exp, log, pow, sqrt
from tensorlite.ops.math.rounding import ceil, floor
from tensorlite.ops.math.trigonometric import cos

Number: TypeAlias = float | Tensor


def turns(step: Tensor, steps: Number, staircase: bool = False) -> Tensor:
    """Return how often `steps` went by, in whole numbers if `staircase`."""
    passed = step / steps
    return floor(passed) if staircase else passed


def exponential(rate: Number, decay: Number, turned: Tensor) -> Tensor:
    """Return `rate * decay ** turned`."""
    return rate * pow(decay, turned)


def natural(rate: Number, decay: Number, turned: Tensor) -> Tensor:
    """Return `rate * e ** (-decay * turned)`."""
    return rate * exp(-decay * turned)


def inverse_time(rate: Number, decay: Number, turned: Tensor) -> Tensor:
    """Return `rate / (1 + decay * turned)`."""
    return rate / (1.0 + decay * turned)


def polynomial(
    rate: Number,
    end: Number,
    step: Tensor,
    steps: Number,
    power: Number = 1.0,
    cycle: bool = False,
) -> Tensor:
    """Return where a power of the way from `rate` to `end` is; the way is longer if `cycle`.

    >>> from tensorlite.train.decays import polynomial
    >>> print(polynomial(1.0, 0.0, tl.constant(5.0), 10.0))
    0.5
    """
    length: Number = steps
    if cycle:
        length = steps * maximum(ceil(step / steps), 1.0)
    else:
        step = minimum(step, steps)
    return (rate - end) * pow(1.0 - step / length, power) + end


def cosine(
    rate: Number, done: Tensor, alpha: float = 0.0, height: Number = 1.0
) -> Tensor:
    """Return where half a cosine is from `rate` to `alpha * rate`, of which so much is `done`."""
    wave = 0.5 * height * (1.0 + cos(pi * done))
    return rate * ((1.0 - alpha) * wave + alpha)


def restarted(turned: Tensor, longer: float, higher: float) -> tuple[Tensor, Tensor]:
    """Return how much of its turn is done, and how high that begins, at so many first turns.

    Each turn is so many times as long as the one before it, and begins so many times as high.
    """
    grows, scale = (astype(to_tensor(x), turned.dtype) for x in (longer, higher))
    if longer == 1.0:
        count = floor(turned)
        return turned - count, pow(scale, count)
    count = floor(log(1.0 - turned * (1.0 - longer)) / log(grows))
    length = pow(grows, count)
    begun = (1.0 - length) / (1.0 - longer)
    return (turned - begun) / length, pow(scale, count)


def linear_cosine(
    rate: Number,
    step: Tensor,
    steps: Number,
    periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    noise: Number | None = None,
) -> Tensor:
    """Return a line down to zero times a wave of so many periods (Bello et al. 2017).

    Noise is added to the line.
    """
    step = minimum(step, steps)
    wave = 0.5 * (1.0 + cos(2.0 * pi * periods * step / steps))
    line = (steps - step) / steps
    line = line if noise is None else line + noise
    return rate * ((alpha + line) * wave + beta)


def fading(step: Tensor, variance: float, decay: float) -> Tensor:
    """Return the deviation of draws whose variance falls by a power of the step."""
    return sqrt(variance / pow(1.0 + step, decay))


def piecewise(
    step: Tensor, boundaries: Sequence[Number], values: Sequence[Number]
) -> Tensor:
    """Return `values[i]` up to and including `boundaries[i]`, the last value from there on."""
    found = to_tensor(values[-1])
    pairs = list(zip(boundaries, values[:-1], strict=True))
    for boundary, value in reversed(pairs):
        found = where(step <= boundary, value, found)
    return found
