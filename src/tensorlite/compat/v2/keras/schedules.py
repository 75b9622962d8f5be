"""tf.keras.optimizers.schedules: learning rates as functions of the step.

Their formulas are in train/decays.py.
"""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.missing import listing
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.saving import lookup
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype
from tensorlite.train import decays


class LearningRateSchedule:
    """A function of the step."""

    def __call__(self, step: Any) -> Any:
        raise NotImplementedError("a LearningRateSchedule has __call__(step)")

    def get_config(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)


_SHORTER = {
    "PiecewiseConstantDecay": "PiecewiseConstant",
    "CosineDecayRestarts": "SGDRDecay",
}


def _named(schedule: LearningRateSchedule, name: str | None) -> str | None:
    """Return a schedule's name, which in Keras 3 is its class's where none is given."""
    kind = next(x for x in type(schedule).__mro__ if x.__name__ in CLASSES).__name__
    return _SHORTER.get(kind, kind) if name is None and naming.is_keras_3() else name


def _step(step: Any) -> Any:
    return astype(converted(step), float32)


class ExponentialDecay(LearningRateSchedule):
    """The rate times decay_rate to the power of step / decay_steps, whole if staircase.

    >>> from tensorlite.compat import v2 as tf
    >>> rate = tf.keras.optimizers.schedules.ExponentialDecay(1.0, 10, 0.5)
    >>> float(rate(20))
    0.25
    """

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
        self.decay_rate, self.staircase, self.name = (
            decay_rate,
            staircase,
            _named(self, name),
        )

    def __call__(self, step: Any) -> Any:
        return decays.exponential(
            self.initial_learning_rate, float(self.decay_rate), self._turns(step)
        )

    def _turns(self, step: Any) -> Any:
        return decays.turns(_step(step), float(self.decay_steps), self.staircase)


class InverseTimeDecay(ExponentialDecay):
    """The rate divided by 1 + decay_rate * step / decay_steps, whole if staircase."""

    def __call__(self, step: Any) -> Any:
        return decays.inverse_time(
            self.initial_learning_rate, self.decay_rate, self._turns(step)
        )


class PiecewiseConstantDecay(LearningRateSchedule):
    """One of values, by which of the boundaries the step has not passed.

    InvalidArgumentError is raised unless there is one value more than boundaries.
    """

    def __init__(self, boundaries: Any, values: Any, name: str | None = None) -> None:
        if len(boundaries) != len(values) - 1:
            raise InvalidArgumentError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of "
                f"length {len(values)}."
            )
        self.boundaries, self.values, self.name = (
            boundaries,
            values,
            _named(self, name),
        )

    def __call__(self, step: Any) -> Any:
        limits = [float(x) for x in self.boundaries]
        return decays.piecewise(_step(step), limits, [float(x) for x in self.values])


class PolynomialDecay(LearningRateSchedule):
    """The rate falling to end_learning_rate within decay_steps, by a power.

    With cycle it begins anew, with more steps, in place of staying there.
    """

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
        self.cycle, self.name = cycle, _named(self, name)

    def __call__(self, step: Any) -> Any:
        way = (_step(step), float(self.decay_steps), float(self.power), self.cycle)
        return decays.polynomial(
            self.initial_learning_rate, self.end_learning_rate, *way
        )


class CosineDecay(LearningRateSchedule):
    """The rate falling as a cosine within decay_steps, to the share alpha of it.

    With a warmup_target it rises to that in warmup_steps first (Loshchilov and Hutter, 2016).
    """

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
        self.alpha, self.name = alpha, _named(self, name)
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
        steps = float(self.decay_steps)
        return decays.cosine(first, tl.minimum(now, steps) / steps, self.alpha)


class CosineDecayRestarts(LearningRateSchedule):
    """The rate falling as a cosine, again and again (Loshchilov and Hutter, 2016).

    Each fall has t_mul times the steps, and begins at m_mul times the rate, of the one before.
    """

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
        self.alpha, self.name = alpha, _named(self, name)

    def __call__(self, step: Any) -> Any:
        turned = decays.turns(_step(step), float(self.first_decay_steps))
        done, height = decays.restarted(turned, self.t_mul, self.m_mul)
        return decays.cosine(self.initial_learning_rate, done, self.alpha, height)


CLASSES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        *(ExponentialDecay, InverseTimeDecay, PiecewiseConstantDecay),
        *(PolynomialDecay, CosineDecay, CosineDecayRestarts),
    )
}


def serialize(learning_rate_schedule: Any) -> Any:
    """Return the configuration from which `deserialize` makes the schedule."""
    return lookup.serialized(learning_rate_schedule)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Return the schedule of a configuration; custom_objects are looked up too."""
    with lookup.adding(custom_objects):
        return lookup.found("schedule", config, CLASSES)


__dir__ = listing("tensorlite.compat.v2.keras.optimizers.schedules", globals())
