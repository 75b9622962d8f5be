"""Learning rates along lines that waves bend, of version 1. Formulas are in train/decays.py."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.v2.keras.schedules import LearningRateSchedule
from tensorlite.train import decays


class LinearCosineDecay(LearningRateSchedule):
    """A line down to zero times a wave (Bello et al. 2017)."""

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        num_periods: float = 0.5,
        alpha: float = 0.0,
        beta: float = 0.001,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps, self.num_periods = decay_steps, num_periods
        self.alpha, self.beta, self.name = alpha, beta, name

    def __call__(self, step: Any) -> Any:
        now = tl.astype(converted(step), tl.float32)
        return decays.linear_cosine(
            self.initial_learning_rate,
            now,
            float(self.decay_steps),
            self.num_periods,
            self.alpha,
            self.beta,
            self.noise(now),
        )

    def noise(self, step: Any) -> Any:
        """Return what is drawn around the line, if anything is."""
        return None


class NoisyLinearCosineDecay(LinearCosineDecay):
    """The same around which numbers are drawn, less and less of them."""

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        initial_variance: float = 1.0,
        variance_decay: float = 0.55,
        num_periods: float = 0.5,
        alpha: float = 0.0,
        beta: float = 0.001,
        name: str | None = None,
    ) -> None:
        wave = num_periods, alpha, beta
        super().__init__(initial_learning_rate, decay_steps, *wave, name)
        self.initial_variance = initial_variance
        self.variance_decay = variance_decay

    def noise(self, step: Any) -> Any:
        """Return a normal number whose variance falls with the step."""
        done = tl.minimum(step, float(self.decay_steps))
        spread = decays.fading(done, self.initial_variance, self.variance_decay)
        return spread * tl.random.normal(())
