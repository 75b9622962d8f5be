"""tf.keras.optimizers.schedules: learning rates as functions of the step."""

from __future__ import annotations

import math
from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.v2.keras import lookup
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.shape import astype


class LearningRateSchedule:
    """A function of the step."""

    def __call__(self, step: Any) -> Any:
        raise NotImplementedError("a LearningRateSchedule has __call__(step)")

    def get_config(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)


def _step(step: Any) -> Any:
    return astype(converted(step), float32)


class ExponentialDecay(LearningRateSchedule):
    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: bool = False,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate, self.decay_steps = (
            initial_learning_rate,
            decay_steps,
        )
        self.decay_rate, self.staircase, self.name = decay_rate, staircase, name

    def __call__(self, step: Any) -> Any:
        turns = _step(step) / float(self.decay_steps)
        turns = tl.floor(turns) if self.staircase else turns
        return self.initial_learning_rate * tl.pow(
            converted(float(self.decay_rate)), turns
        )


class InverseTimeDecay(ExponentialDecay):
    def __call__(self, step: Any) -> Any:
        turns = _step(step) / float(self.decay_steps)
        turns = tl.floor(turns) if self.staircase else turns
        return self.initial_learning_rate / (1.0 + self.decay_rate * turns)


class PiecewiseConstantDecay(LearningRateSchedule):
    def __init__(self, boundaries: Any, values: Any, name: str | None = None) -> None:
        if len(boundaries) != len(values) - 1:
            raise InvalidArgumentError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of "
                f"length {len(values)}."
            )
        self.boundaries, self.values, self.name = boundaries, values, name

    def __call__(self, step: Any) -> Any:
        now = _step(step)
        rate = converted(float(self.values[-1]))
        pairs = list(zip(self.boundaries, self.values, strict=False))
        for limit, value in reversed(pairs):
            rate = tl.where(now <= float(limit), float(value), rate)
        return rate


class PolynomialDecay(LearningRateSchedule):
    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        end_learning_rate: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate, self.decay_steps = (
            initial_learning_rate,
            decay_steps,
        )
        self.end_learning_rate, self.power = end_learning_rate, power
        self.cycle, self.name = cycle, name

    def __call__(self, step: Any) -> Any:
        now, steps = _step(step), converted(float(self.decay_steps))
        if self.cycle:
            steps = steps * tl.maximum(tl.ceil(now / steps), 1.0)
        else:
            now = tl.minimum(now, steps)
        left = tl.pow(1.0 - now / steps, float(self.power))
        over = self.initial_learning_rate - self.end_learning_rate
        return over * left + self.end_learning_rate


class CosineDecay(LearningRateSchedule):
    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        alpha: float = 0.0,
        name: str | None = None,
        warmup_target: float | None = None,
        warmup_steps: int = 0,
    ) -> None:
        self.initial_learning_rate, self.decay_steps = (
            initial_learning_rate,
            decay_steps,
        )
        self.alpha, self.name = alpha, name
        self.warmup_target, self.warmup_steps = warmup_target, warmup_steps

    def __call__(self, step: Any) -> Any:
        now, first = _step(step), self.initial_learning_rate
        if self.warmup_target is None:
            return self._decayed(now, first)
        warm = float(self.warmup_steps)
        rising = first + (self.warmup_target - first) * now / warm
        falling = self._decayed(tl.maximum(now - warm, 0.0), self.warmup_target)
        return tl.where(now < warm, rising, falling)

    def _decayed(self, now: Any, first: Any) -> Any:
        turns = tl.minimum(now, float(self.decay_steps)) / float(self.decay_steps)
        cosine = 0.5 * (1.0 + tl.cos(math.pi * turns))
        return first * ((1.0 - self.alpha) * cosine + self.alpha)


class CosineDecayRestarts(LearningRateSchedule):
    def __init__(
        self,
        initial_learning_rate: Any,
        first_decay_steps: Any,
        t_mul: float = 2.0,
        m_mul: float = 1.0,
        alpha: float = 0.0,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.first_decay_steps, self.t_mul, self.m_mul = (
            first_decay_steps,
            t_mul,
            m_mul,
        )
        self.alpha, self.name = alpha, name

    def __call__(self, step: Any) -> Any:
        turns = _step(step) / float(self.first_decay_steps)
        if self.t_mul == 1.0:
            again = tl.floor(turns)
            turns = turns - again
        else:
            grown = tl.log(1.0 - turns * (1.0 - self.t_mul)) / math.log(self.t_mul)
            again = tl.floor(grown)
            before = (1.0 - self.t_mul**again) / (1.0 - self.t_mul)
            turns = (turns - before) / self.t_mul**again
        height = converted(float(self.m_mul)) ** again
        cosine = 0.5 * height * (1.0 + tl.cos(math.pi * turns))
        return self.initial_learning_rate * ((1.0 - self.alpha) * cosine + self.alpha)


CLASSES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        *(ExponentialDecay, InverseTimeDecay, PiecewiseConstantDecay),
        *(PolynomialDecay, CosineDecay, CosineDecayRestarts),
    )
}


def serialize(learning_rate_schedule: Any) -> Any:
    return lookup.serialized(learning_rate_schedule)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    return lookup.found("schedule", config, CLASSES)
