"""tf.keras.mixed_precision of version 1, whose names are all in `experimental`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.training.loss_scales import DynamicLossScale, loss_scale_of
from tensorlite.compat.v2.keras import dtype_policies
from tensorlite.compat.v2.keras.src.optimizers import loss_scaling, rows
from tensorlite.compat.v2.keras.src.saving import describing
from tensorlite.ops.arrays.shape import astype


def set_policy(policy: Any) -> None:
    """Let layers for which none is given have a policy; None is that of fractions."""
    dtype_policies.set_dtype_policy(policy)


class LossScaleOptimizer(loss_scaling.LossScaleOptimizer):
    """Applies gradients of a loss times a number that stays, or one that goes with gradients.

    `loss_scale` is that number, "dynamic", or a scale of tf.train.experimental.
    """

    def __init__(self, opt: Any, loss_scale: Any) -> None:
        known = loss_scale_of(loss_scale)
        if isinstance(known, DynamicLossScale):
            told = known.initial_loss_scale, known.increment_period
            self.multiplier = known.multiplier
        else:
            told = float(known.get_config()["loss_scale_value"]), 1
            self.multiplier = 1.0
        super().__init__(opt, *told)
        self._known = known

    @property
    def loss_scale(self) -> Any:
        """The function that says what losses are multiplied with now."""
        return self.dynamic_scale.value

    def get_scaled_loss(self, loss: Any) -> Any:
        """Return a loss, or the function of one, times the scale."""
        if callable(loss):
            return lambda: self.scale_loss(loss())
        return self.scale_loss(loss)

    def get_unscaled_gradients(self, grads: Any) -> list[Any]:
        """Return gradients divided by the scale; None stays."""
        scale = self.dynamic_scale.value()
        return [
            None if g is None else rows.each(lambda x: x / astype(scale, x.dtype), g)
            for g in grads
        ]

    def get_config(self) -> dict[str, Any]:
        return {
            "opt": describing.described(self.inner_optimizer),
            "loss_scale": self._known,
        }


experimental = SimpleNamespace(
    LossScaleOptimizer=LossScaleOptimizer,
    Policy=dtype_policies.DTypePolicy,
    global_policy=dtype_policies.dtype_policy,
    set_policy=set_policy,
)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, globals())
