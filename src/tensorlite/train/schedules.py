"""Learning-rate schedules: functions of the step. Optimizers call them at every step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi
from typing import TypeAlias

from tensorlite.core import dtypes
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.bounds import maximum, minimum
from tensorlite.ops.compare import where
from tensorlite.ops.elementwise import pow
from tensorlite.ops.rounding import ceil, floor
from tensorlite.ops.shape import astype
from tensorlite.ops.trigonometric import cos

Schedule: TypeAlias = Callable[[Tensor], Tensor]


def _float(step: TensorLike) -> Tensor:
    return astype(to_tensor(step), dtypes.float32)


@dataclass(frozen=True)
class ExponentialDecay:
    """`initial * rate ** (step / steps)`, in stairs of whole powers if `staircase`.

    >>> print(tl.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)(20))
    0.025
    """

    initial: float
    steps: int
    rate: float
    staircase: bool = False

    def __call__(self, step: TensorLike) -> Tensor:
        """Return the learning rate at `step`."""
        turns = _float(step) / self.steps
        return self.initial * pow(
            self.rate, floor(turns) if self.staircase else turns
        )


@dataclass(frozen=True)
class InverseTimeDecay:
    """`initial / (1 + rate * step / steps)`.

    >>> print(tl.optimizers.schedules.InverseTimeDecay(0.1, 10, 1.0)(10))
    0.05
    """

    initial: float
    steps: int
    rate: float
    staircase: bool = False

    def __call__(self, step: TensorLike) -> Tensor:
        """Return the learning rate at `step`."""
        turns = _float(step) / self.steps
        return self.initial / (
            1.0 + self.rate * (floor(turns) if self.staircase else turns)
        )


@dataclass(frozen=True)
class PolynomialDecay:
    """From `initial` to `end` in `steps`, along a power of the way left; anew if `cycle`.

    >>> print(tl.optimizers.schedules.PolynomialDecay(1.0, 10, end=0.0)(5))
    0.5
    """

    initial: float
    steps: int
    end: float = 0.0001
    power: float = 1.0
    cycle: bool = False

    def __call__(self, step: TensorLike) -> Tensor:
        """Return the learning rate at `step`."""
        at = _float(step)
        length: TensorLike = float(self.steps)
        if self.cycle:
            length = self.steps * maximum(ceil(at / self.steps), 1.0)
        else:
            at = minimum(at, float(self.steps))
        return (self.initial - self.end) * pow(
            1.0 - at / length, self.power
        ) + self.end


@dataclass(frozen=True)
class CosineDecay:
    """Half a cosine from `initial` to `alpha * initial` (Loshchilov and Hutter 2017).

    With `warmup` steps the rate first rises linearly from 0.

    >>> print(tl.optimizers.schedules.CosineDecay(1.0, 10)(5))
    0.5
    """

    initial: float
    steps: int
    alpha: float = 0.0
    warmup: int = 0

    def __call__(self, step: TensorLike) -> Tensor:
        """Return the learning rate at `step`."""
        at = _float(step)
        turned = minimum(maximum(at - self.warmup, 0.0) / self.steps, 1.0)
        decayed = 0.5 * (1.0 + cos(pi * turned))
        rate = self.initial * ((1.0 - self.alpha) * decayed + self.alpha)
        if not self.warmup:
            return rate
        return where(at < float(self.warmup), self.initial * at / self.warmup, rate)


@dataclass(frozen=True)
class PiecewiseConstant:
    """`values[i]` up to and including step `boundaries[i]`, the last value from there on.

    >>> rate = tl.optimizers.schedules.PiecewiseConstant([10, 20], [1.0, 0.5, 0.1])
    >>> print(rate(10), rate(11), rate(21))
    1.0 0.5 0.1
    """

    boundaries: Sequence[int]
    values: Sequence[float]

    def __post_init__(self) -> None:
        if len(self.values) != len(self.boundaries) + 1:
            raise InvalidArgumentError(
                f"{len(self.boundaries)} boundaries need {len(self.boundaries) + 1} values, "
                f"not {len(self.values)}"
            )

    def __call__(self, step: TensorLike) -> Tensor:
        """Return the learning rate at `step`."""
        at = _float(step)
        rate = constant(float(self.values[-1]))
        for boundary, value in reversed(
            list(zip(self.boundaries, self.values, strict=False))
        ):
            rate = where(at <= float(boundary), float(value), rate)
        return rate
