"""Learning-rate schedules: functions of the step. Optimizers call them at every step.

Their formulas are in decays.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tensorlite.core import dtypes
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.bounds import maximum, minimum
from tensorlite.ops.math.compare import where
from tensorlite.train import decays

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
        turned = decays.turns(_float(step), self.steps, self.staircase)
        return decays.exponential(self.initial, self.rate, turned)


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
        turned = decays.turns(_float(step), self.steps, self.staircase)
        return decays.inverse_time(self.initial, self.rate, turned)


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
        way = (_float(step), float(self.steps), self.power, self.cycle)
        return decays.polynomial(self.initial, self.end, *way)


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
        done = minimum(maximum(at - self.warmup, 0.0) / self.steps, 1.0)
        rate = decays.cosine(self.initial, done, self.alpha)
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
        limits = [float(x) for x in self.boundaries]
        return decays.piecewise(_float(step), limits, [float(x) for x in self.values])
