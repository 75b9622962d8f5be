"""Updates of optimizers that are written with functions of tensors: Lion, LAMB, Adafactor."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras.src.optimizers.base import Optimizer
from tensorlite.compat.v2.keras.src.optimizers.own_updates import Replaced
from tensorlite.compat.v2.keras.src.optimizers.rows import Gradient
from tensorlite.core.errors import InvalidArgumentError


class _Signs(Replaced):
    """Steps of one length, whose signs momentum decides (Chen et al. 2023)."""

    slots = ("momentum",)

    def __init__(self, rate: Any, beta1: float, beta2: float) -> None:
        super().__init__(rate)
        self.beta1, self.beta2 = beta1, beta2

    def step(
        self,
        variable: Any,
        g: Gradient,
        rate: Any,
        step: Any,
        slots: dict[str, Any],
    ) -> None:
        held = slots["momentum"]
        before = held.value()
        variable.assign_sub(
            rate * tl.sign(before * self.beta1 + g.whole * (1.0 - self.beta1))
        )
        held.assign(before * self.beta2 + g.whole * (1.0 - self.beta2))


class Lion(Optimizer):
    """Steps by signs of means of gradients (Chen et al., 2023)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.99,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if not 0.0 < beta_1 <= 1.0:
            raise InvalidArgumentError(
                "Argument `beta_1` must be in the [0, 1] range. Otherwise, the optimizer "
                f"degenerates to SignSGD. Received: beta_1={beta_1}."
            )
        self.beta_1, self.beta_2 = beta_1, beta_2
        super().__init__(learning_rate, name=name, **kwargs)

    def core(self, rate: Any) -> Any:
        return _Signs(rate, self.beta_1, self.beta_2)

    def numbers(self) -> dict[str, Any]:
        return {"beta_1": self.beta_1, "beta_2": self.beta_2}


class _Layerwise(Replaced):
    """Adam's steps, as long as each variable is large (You et al. 2020)."""

    slots = ("mean", "square_mean")

    def __init__(self, rate: Any, beta1: float, beta2: float, epsilon: float) -> None:
        super().__init__(rate)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon

    def step(
        self,
        variable: Any,
        g: Gradient,
        rate: Any,
        step: Any,
        slots: dict[str, Any],
    ) -> None:
        mean, square = slots["mean"], slots["square_mean"]
        first = mean.value() + (g.whole - mean.value()) * (1.0 - self.beta1)
        second = square.value() + (g.square() - square.value()) * (1.0 - self.beta2)
        mean.assign(first)
        square.assign(second)
        powers = [
            tl.pow(tl.asarray(beta, dtype=g.dtype), step)
            for beta in (self.beta1, self.beta2)
        ]
        spread = tl.sqrt(second / (1.0 - powers[1])) + self.epsilon
        update = first / (1.0 - powers[0]) / spread
        size, length = (
            tl.sqrt(tl.sum(tl.square(x))) for x in (variable.value(), update)
        )
        some = tl.logical_and(size > 0, length > 0)
        share = tl.where(
            some, tl.math.divide_no_nan(size, length), tl.ones_like(size)
        )
        variable.assign_sub(share * rate * update)


class Lamb(Optimizer):
    """Adam whose steps are as large as each weight's norm says (You et al., 2019)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        super().__init__(learning_rate, name=name, **kwargs)

    def core(self, rate: Any) -> Any:
        return _Layerwise(rate, self.beta_1, self.beta_2, self.epsilon)

    def numbers(self) -> dict[str, Any]:
        return {
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
        }


class _Factored(Replaced):
    """Adagrad's sums kept of rows and columns only (Shazeer and Stern 2018)."""

    slots = ("rows", "columns", "velocity")

    def __init__(self, rate: Any, given: Adafactor) -> None:
        super().__init__(rate)
        self.given = given

    def _slot(self, name: str, variable: Any) -> Any:
        sizes = tuple(variable.shape)
        if name != "velocity":
            kept = sizes[:-1] if name == "rows" else (*sizes[:-2], *sizes[-1:])
            sizes = kept if len(sizes) > 1 else ()
        value = np.zeros(sizes, variable.dtype.numpy)
        return variable.beside(value, f"{variable.name}/{name}")

    def step(
        self,
        variable: Any,
        g: Gradient,
        rate: Any,
        step: Any,
        slots: dict[str, Any],
    ) -> None:
        given, velocity = self.given, slots["velocity"]
        slowest = tl.rsqrt(step)
        size = tl.maximum(_root_mean(variable.value()), given.epsilon_2)
        length = size * tl.minimum(rate, slowest)
        squares = g.square() + given.epsilon_1
        share = 1.0 - tl.pow(step, tl.asarray(given.beta_2_decay, dtype=g.dtype))

        def moved(slot: Any, value: Any) -> Any:
            made = share * slot.value() + (1.0 - share) * value
            slot.assign(made)
            return made

        if len(variable.shape) > 1:
            rows = moved(slots["rows"], tl.mean(squares, axis=-1))
            columns = moved(slots["columns"], tl.mean(squares, axis=-2))
            part = rows / tl.mean(rows, axis=-1, keepdims=True)
            spread = part[..., None] * columns[..., None, :]
            velocity.assign(spread)
        else:
            spread = moved(velocity, squares)
        update = g.times(tl.rsqrt(spread))
        typical = tl.sqrt(tl.mean(update.square()))
        limit = tl.maximum(typical / given.clip_threshold, 1.0)
        variable.assign_sub(length * update.whole / limit)


def _root_mean(x: Any) -> Any:
    return tl.sqrt(tl.mean(tl.square(x)))


class Adafactor(Optimizer):
    """Adam with squares kept by rows and columns (Shazeer and Stern, 2018)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_2_decay: float = -0.8,
        epsilon_1: float = 1e-30,
        epsilon_2: float = 1e-3,
        clip_threshold: float = 1.0,
        relative_step: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.beta_2_decay, self.clip_threshold = beta_2_decay, clip_threshold
        self.epsilon_1, self.epsilon_2 = epsilon_1, epsilon_2
        self.relative_step = relative_step
        super().__init__(learning_rate, name=name, **kwargs)

    def core(self, rate: Any) -> Any:
        return _Factored(rate, self)

    def numbers(self) -> dict[str, Any]:
        return {
            "beta_2_decay": self.beta_2_decay,
            "epsilon_1": self.epsilon_1,
            "epsilon_2": self.epsilon_2,
            "clip_threshold": self.clip_threshold,
            "relative_step": self.relative_step,
        }
