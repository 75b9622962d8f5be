"""LossScaleOptimizer: scales losses up, so that gradients of half width do not vanish."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.v2.keras.src.layers.weights import Weight
from tensorlite.compat.v2.keras.src.optimizers import rows
from tensorlite.compat.v2.keras.src.optimizers.base import Optimizer
from tensorlite.compat.v2.keras.src.optimizers.slots import Variables
from tensorlite.compat.v2.keras.src.saving import describing
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.distributed.strategies.turns import jointly


class LossScaleOptimizer(Optimizer):
    """Applies gradients of a scaled loss; the scale halves when one is infinite, else it grows."""

    multiplier = 2.0
    """By how much the scale grows and falls."""

    def __init__(
        self,
        inner_optimizer: Any,
        initial_scale: float = 2.0**15,
        dynamic_growth_steps: int = 2000,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(inner_optimizer, Optimizer):
            raise InvalidArgumentError(
                f"LossScaleOptimizer: inner_optimizer={inner_optimizer!r} is no optimizer"
            )
        _check_others(kwargs)
        self.inner_optimizer = inner_optimizer
        self.name = name or "loss_scale_optimizer"
        self.initial_scale = float(initial_scale)
        self.dynamic_growth_steps = int(dynamic_growth_steps)
        with interpreted_by(None):
            scale, good = np.float32(self.initial_scale), np.int64(0)
            self.dynamic_scale: Any = Weight(scale, trainable=False)
            self._good: Any = Weight(good, trainable=False)

    @property
    def learning_rate(self) -> Any:
        """The rate of the inner optimizer."""
        return self.inner_optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        """The rate of the inner optimizer."""
        self.inner_optimizer.learning_rate = value

    @property
    def iterations(self) -> Any:
        """The number of steps that the inner optimizer made."""
        return self.inner_optimizer.iterations

    @property
    def variables(self) -> Any:
        """The scale, the count of finite steps, and the inner optimizer's variables."""
        return Variables(
            [self.dynamic_scale, self._good, *self.inner_optimizer.variables]
        )

    def build(self, var_list: Any) -> None:
        self.inner_optimizer.build(var_list)

    def finalize_variable_values(self, var_list: Any) -> None:
        """Give variables their averages, if the inner optimizer keeps such."""
        self.inner_optimizer.finalize_variable_values(var_list)

    def scale_loss(self, loss: Any) -> Any:
        """Return the loss times the scale."""
        given = converted(loss)
        return given * tl.astype(self.dynamic_scale.value(), given.dtype)

    def apply_gradients(
        self,
        grads_and_vars: Any,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Apply gradients divided by the scale, or halve that if one is not finite.

        name and skip_gradients_aggregation have no effect.
        """
        given = [(g, v) for g, v in grads_and_vars if g is not None]
        return jointly(self._apply_pairs, given)

    def _apply_pairs(self, pairs: list[tuple[Any, Any]]) -> Any:
        self.build([v for _, v in pairs])
        finite = tl.all(
            tl.stack([tl.all(tl.isfinite(rows.values(g))) for g, _ in pairs])
        )
        scale = self.dynamic_scale.value()

        def applied() -> Any:
            small = [
                (rows.each(lambda x: x / tl.astype(scale, x.dtype), g), v)
                for g, v in pairs
            ]
            self.inner_optimizer.apply_gradients(small)
            grown = tl.equal(self._good.value() + 1, self.dynamic_growth_steps)
            self._good.assign(tl.where(grown, 0, self._good.value() + 1))
            self.dynamic_scale.assign(tl.where(grown, scale * self.multiplier, scale))
            return tl.asarray(0)

        def skipped() -> Any:
            self._good.assign(np.asarray(0, np.int64))
            self.dynamic_scale.assign(scale / self.multiplier)
            return tl.asarray(0)

        tl.cond(finite, applied, skipped)
        return self.iterations

    def get_config(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "inner_optimizer": describing.described(self.inner_optimizer),
            "initial_scale": self.initial_scale,
            "dynamic_growth_steps": self.dynamic_growth_steps,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        inner = describing.restored(config["inner_optimizer"])
        return cls(**{**config, "inner_optimizer": inner})


_OF_INNER = {
    *("weight_decay", "clipnorm", "clipvalue", "global_clipnorm", "use_ema"),
    *("ema_momentum", "ema_overwrite_frequency", "loss_scale_factor"),
    "gradient_accumulation_steps",
}
_UNASKED = {"use_ema": False, "ema_momentum": 0.99}
"""What configurations of earlier versions have of these though nobody asked for it."""


def _check_others(given: dict[str, Any]) -> None:
    """Raise InvalidArgumentError for what the inner optimizer is to be asked, or nobody knows."""
    if not given.pop("dynamic", True):
        raise InvalidArgumentError(
            "LossScaleOptimizer does not support `dynamic=False`. Instead, set "
            "`loss_scale_factor` on the inner optimizer"
        )
    asked = {key for key, x in given.items() if x != _UNASKED.get(key)}
    if asked & _OF_INNER:
        raise InvalidArgumentError(
            f"LossScaleOptimizer takes no {', '.join(sorted(asked & _OF_INNER))}: set it on the "
            "`inner_optimizer` instead"
        )
    if set(given) - _OF_INNER:
        names = ", ".join(f"`{x}`" for x in given if x not in _OF_INNER)
        raise InvalidArgumentError(
            f"LossScaleOptimizer does not support arguments: {names}; it takes inner_optimizer, "
            "initial_scale, dynamic_growth_steps and name"
        )
