"""What optimizers gather over steps: gradients that are applied later, averages of the weights."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras.src.layers.weights import Weight
from tensorlite.compat.v2.keras.src.optimizers.slots import name_beside
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype


class Averages:
    """Moving averages of variables, which take their places now and then or in the end."""

    def __init__(self, momentum: float, every: int | None) -> None:
        if not 0 <= momentum <= 1:
            raise InvalidArgumentError(
                f"`ema_momentum` must be in the range [0, 1]. Received: {momentum}"
            )
        self.momentum, self.every = momentum, every
        self._of: dict[int, tuple[Any, Any]] = {}

    def described(self) -> dict[str, Any]:
        """Return the arguments of an optimizer that ask for this."""
        return {
            "use_ema": True,
            "ema_momentum": self.momentum,
            "ema_overwrite_frequency": self.every,
        }

    @property
    def variables(self) -> list[Any]:
        """The averages."""
        return [average for _, average in self._of.values()]

    def build(self, variables: list[Any], owner: str) -> None:
        for variable in variables:
            if id(variable) not in self._of:
                zero = np.zeros(tuple(variable.shape), variable.dtype.numpy)
                average = variable.beside(
                    zero, name_beside(variable, owner, "average")
                )
                self._of[id(variable)] = (variable, average)

    def update(self, step: Any) -> None:
        """Take the variables' values in, at a step of which the first is 1."""
        share = astype(step > 1, float32) * self.momentum
        for variable, average in self._of.values():
            own = astype(share, variable.dtype)
            average.assign(own * average.value() + (1.0 - own) * variable.value())
        if self.every:
            due = tl.equal(tl.remainder(step, self.every), 0)
            for variable, average in self._of.values():
                now = tl.where(due, average.value(), variable.value())
                variable.assign(now)

    def swap(self) -> None:
        """Let variables and averages change places."""
        for variable, average in self._of.values():
            held = variable.numpy()
            variable.assign(average.value())
            average.assign(held)

    def follow(self) -> None:
        """Give averages the values of the variables."""
        for variable, average in self._of.values():
            average.assign(variable.value())

    def finalize(self, variables: list[Any]) -> None:
        """Give variables their averages."""
        for variable in variables:
            if id(variable) in self._of:
                variable.assign(self._of[id(variable)][1].value())


class Gathered:
    """Gradients of several steps, added up."""

    def __init__(self, count: int) -> None:
        if count < 2:
            raise InvalidArgumentError(
                "`gradient_accumulation_steps` must be an integer >= 2. Received: "
                f"gradient_accumulation_steps={count}"
            )
        self.count = count
        with interpreted_by(None):
            self.seen: Any = Weight(np.asarray(0, np.int64), trainable=False)
        self._of: dict[int, tuple[Any, Any]] = {}

    def described(self) -> dict[str, Any]:
        """Return the argument of an optimizer that asks for this."""
        return {"gradient_accumulation_steps": self.count}

    @property
    def variables(self) -> list[Any]:
        """The sums of gradients; the count of steps seen stands in the place of that of steps."""
        return [total for _, total in self._of.values()]

    def build(self, variables: list[Any], owner: str) -> None:
        for variable in variables:
            if id(variable) not in self._of:
                zero = np.zeros(tuple(variable.shape), variable.dtype.numpy)
                total = variable.beside(
                    zero, name_beside(variable, owner, "gradient_accumulator")
                )
                self._of[id(variable)] = (variable, total)

    def added(self, gradients: list[Any], variables: list[Any]) -> list[Any]:
        """Return the sums with these gradients."""
        return [
            self._of[id(v)][1].value() + tl.densify(g)
            for g, v in zip(gradients, variables, strict=True)
        ]

    def keep(self, totals: list[Any], variables: list[Any]) -> None:
        """Take sums in the place of those that are kept."""
        for total, variable in zip(totals, variables, strict=True):
            self._of[id(variable)][1].assign(total)

    def forget(self) -> None:
        """Begin anew with sums of zero."""
        for _, total in self._of.values():
            total.assign(tl.zeros_like(total.value()))
