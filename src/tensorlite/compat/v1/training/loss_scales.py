"""Scales of losses for half precision, and optimizers that use them, of TensorFlow 1.15."""

from __future__ import annotations

from typing import Any, Self

from tensorlite.compat.later import of_version_2
from tensorlite.compat.shared.arrays import identity
from tensorlite.compat.shared.elementwise import (
    cast,
    is_finite,
    logical_and,
    maximum,
)
from tensorlite.compat.v1.functions.arrays import where_v2
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.functions.numbers import reduce_all
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.graphs.variables import Variable
from tensorlite.compat.v1.training.optimizer import Optimizer, Pair
from tensorlite.core import nest
from tensorlite.core.dtypes import float32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph_mode.graph import active_graph

_INITIAL = 2**15
_PERIOD = 2000


class LossScale:
    """What a loss is multiplied with: calling it gives the number now, `update` the next one."""

    def __call__(self) -> Any:
        raise NotImplementedError("a scale says itself what it is")

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Return what makes the next scale, and whether gradients are to be applied."""
        raise NotImplementedError("a scale says itself how it goes on")

    def get_config(self) -> dict[str, Any]:
        raise NotImplementedError("a scale says itself what it is made of")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        return cls(**config)

    def saved_members(self) -> dict[str, Any]:
        """Return what checkpoints of objects hold of it."""
        return {}


class FixedLossScale(LossScale):
    """A scale that stays as it is."""

    def __init__(self, loss_scale_value: Any) -> None:
        if not isinstance(loss_scale_value, (int, float)):
            raise InvalidArgumentError(
                "loss_scale_value must be a Python int or float."
            )
        if loss_scale_value < 1:
            raise InvalidArgumentError("loss_scale_value must be at least 1.")
        self._value = float(loss_scale_value)

    def __call__(self) -> Any:
        return framework.convert_to_tensor(self._value)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Return (an operator that does nothing, True): the step is always taken."""
        return framework.no_op(), True

    def __repr__(self) -> str:
        return f"FixedLossScale({self._value})"

    def get_config(self) -> dict[str, Any]:
        return {"loss_scale_value": self._value}


class DynamicLossScale(LossScale):
    """A scale that grows after steps that were finite, and shrinks after one that was not."""

    def __init__(
        self,
        initial_loss_scale: float = _INITIAL,
        increment_period: int = _PERIOD,
        multiplier: float = 2.0,
    ) -> None:
        self._initial, self._multiplier = float(initial_loss_scale), float(multiplier)
        self._period = int(increment_period)
        self._current = Variable(
            self._initial, trainable=False, dtype=float32, name="current_loss_scale"
        )
        self._num_good_steps = Variable(
            0, trainable=False, dtype=int64, name="good_steps"
        )

    @property
    def initial_loss_scale(self) -> float:
        """The scale before the first step."""
        return self._initial

    @property
    def increment_period(self) -> int:
        """After how many finite steps the scale grows."""
        return self._period

    @property
    def multiplier(self) -> float:
        """By what the scale grows and shrinks."""
        return self._multiplier

    def saved_members(self) -> dict[str, Any]:
        """Return what checkpoints keep: the scale and the count of finite steps."""
        return {
            "current_loss_scale": self._current,
            "good_steps": self._num_good_steps,
        }

    def __call__(self) -> Any:
        return framework.convert_to_tensor(self._current)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Return (an operator that changes the scale, whether all gradients are finite)."""
        finite = _all_finite(nest.flatten(grads))
        scale, steps = self._current.value(), self._num_good_steps.value()
        grown = scale * self._multiplier
        is_due = steps + 1 >= self._period
        after = where_v2(logical_and(is_due, is_finite(grown)), grown, scale)
        shrunk = maximum(scale / self._multiplier, 1.0)
        following = where_v2(finite, after, shrunk)
        counted = where_v2(logical_and(finite, ~is_due), steps + 1, steps * 0)
        moved = [
            self._current.assign(following),
            self._num_good_steps.assign(cast(counted, int64)),
        ]
        with framework.control_dependencies(moved):
            return identity(finite), finite

    def __repr__(self) -> str:
        own = (
            f"initial_loss_scale={self._initial}, increment_period={self._period}, "
            f"multiplier={self._multiplier})"
        )
        if active_graph() is not None:
            return f"DynamicLossScale({own}"
        now = float(self._current.numpy()), int(self._num_good_steps.numpy())
        return (
            f"DynamicLossScale(current_loss_scale={now[0]}, num_good_steps={now[1]}, "
            f"{own}"
        )

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_loss_scale": self._initial,
            "increment_period": self._period,
            "multiplier": self._multiplier,
        }


def _all_finite(gradients: list[Any]) -> Any:
    """Return whether all gradients are, of those there are."""
    found = framework.constant(True)
    for x in gradients:
        if x is not None:
            values = x.values if isinstance(x, IndexedSlices) else x
            found = logical_and(found, reduce_all(is_finite(values)))
    return found


def loss_scale_of(given: Any) -> LossScale:
    """Return the scale that a number, "dynamic" or a scale asks for."""
    if isinstance(given, LossScale):
        return given
    if given == "dynamic":
        return DynamicLossScale()
    return FixedLossScale(given)


class MixedPrecisionLossScaleOptimizer(Optimizer):
    """Multiplies losses with a scale before another optimizer differentiates them."""

    def __init__(self, opt: Any, loss_scale: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise InvalidArgumentError(
                f'"opt" must be an instance of Optimizer, but got: {type(opt)}'
            )
        self._optimizer = opt
        super().__init__(False, opt.get_name())
        self._loss_scale = loss_scale_of(loss_scale)

    def saved_members(self) -> dict[str, Any]:
        """Return what checkpoints keep: the optimizer and the scale."""
        return {"base_optimizer": self._optimizer, "loss_scale": self._loss_scale}

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> list[Pair]:
        """Return pairs of gradients, of the scaled loss and divided again, and variables."""
        scaled = (
            (lambda: self._scaled(loss())) if callable(loss) else self._scaled(loss)
        )
        pairs = self._optimizer.compute_gradients(scaled, *args, **kwargs)
        return [(self._unscaled(gradient), variable) for gradient, variable in pairs]

    def _scaled(self, loss: Any) -> Any:
        return loss * cast(self._loss_scale(), loss.dtype)

    def _unscaled(self, gradient: Any) -> Any:
        if gradient is None:
            return None
        share = 1 / self._loss_scale()
        if isinstance(gradient, IndexedSlices):
            values = gradient.values * cast(share, gradient.values.dtype)
            return IndexedSlices(values, gradient.indices, gradient.dense_shape)
        return gradient * cast(share, gradient.dtype)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Return an operator that takes a step if all gradients are finite, and moves the scale."""
        pairs = list(grads_and_vars)
        update, finite = self._loss_scale.update([gradient for gradient, _ in pairs])
        self._optimizer.build([v for gradient, v in pairs if gradient is not None])

        def apply() -> Any:
            return self._optimizer.apply_gradients(pairs, global_step, name)

        if finite is True:
            return framework.group(apply(), update)
        if active_graph() is None:
            return apply() if bool(finite) else None
        applied = cond(finite, lambda: framework.group(apply()), framework.no_op)
        return framework.group(applied, update)

    def get_slot(self, var: Any, name: str) -> Any:
        """Return the variable that the inner optimizer keeps for var by a name, or None."""
        return self._optimizer.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """Return the names of the inner optimizer's slots."""
        return self._optimizer.get_slot_names()

    def variables(self) -> list[Any]:
        """Return the variables of the inner optimizer and of the scale."""
        own = self._loss_scale.saved_members().values()
        return [*self._optimizer.variables(), *own]


def enable_mixed_precision_graph_rewrite(
    opt: Any, loss_scale: Any = "dynamic"
) -> Any:
    """Return an optimizer with a scale; half precision is for devices that are faster with it."""
    of_keras = of_version_2("keras.mixed_precision", "LossScaleOptimizer")
    kinds = (MixedPrecisionLossScaleOptimizer, of_keras)
    for kind in kinds:
        if isinstance(opt, kind):
            raise InvalidArgumentError(
                f'"opt" must not already be an instance of a {kind.__name__}.'
            )
    if isinstance(opt, Optimizer):
        return MixedPrecisionLossScaleOptimizer(opt, loss_scale)
    if isinstance(opt, of_version_2("keras.optimizers", "Optimizer")):
        return of_keras(opt)
    raise InvalidArgumentError(
        '"opt" must be an instance of a tf.train.Optimizer or a tf.keras.optimizers.Optimizer, '
        f"but got: {opt!r}"
    )


def disable_mixed_precision_graph_rewrite() -> None:
    """Leave graphs as they are, as they always are here."""


__all__ = [
    "DynamicLossScale",
    "FixedLossScale",
    "LossScale",
    "MixedPrecisionLossScaleOptimizer",
    "disable_mixed_precision_graph_rewrite",
    "enable_mixed_precision_graph_rewrite",
]
