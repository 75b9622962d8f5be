"""Optimizers of tf.contrib.opt around others, and those that measure what they move by layers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tensorlite.compat.calling import converted
from tensorlite.compat.shared.elementwise import cast, equal, greater, sqrt
from tensorlite.compat.shared.linear.norms import norm
from tensorlite.compat.v1.functions.arrays import where
from tensorlite.compat.v1.functions.clipping import clip_by_global_norm, clip_by_norm
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.functions.numbers import count_nonzero
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.training.averages import ExponentialMovingAverage
from tensorlite.compat.v1.training.optimizer import Optimizer, Pair, dense
from tensorlite.compat.v1.training.optimizer_classes import (
    AdagradOptimizer,
    MomentumOptimizer,
)
from tensorlite.compat.v1.training.saver import Saver
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.errors import FailedPreconditionError, InvalidArgumentError
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph_mode.partitioned import PartitionedVariable
from tensorlite.ops.fetchable import effect


class _Around(Optimizer):
    """An optimizer that another one computes and applies gradients for."""

    def __init__(self, opt: Any, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._optimizer = opt

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[Pair]:
        found: list[Pair] = self._optimizer.compute_gradients(*args, **kwargs)
        return found

    def get_slot(self, var: Any, name: str) -> Any:
        return self._optimizer.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        names: list[str] = self._optimizer.get_slot_names()
        return names

    def variables(self) -> list[Any]:
        found: list[Any] = self._optimizer.variables()
        return found


def _by_name(variables: Any) -> dict[str, Any]:
    """Return variables by their names in checkpoints, the parts of one together."""
    found: dict[str, Any] = {}
    for v in variables:
        part = getattr(v, "save_slice", None)
        name = v.op.name if part is None else part.full_name
        found.setdefault(name, []).append(v)
    return found


def _members(given: Any) -> list[Any]:
    return (
        list(given)
        if isinstance(given, (list, tuple, PartitionedVariable))
        else [given]
    )


class MovingAverageOptimizer(_Around):
    """Keeps averages of what another optimizer moves; its saver writes these instead."""

    def __init__(
        self,
        opt: Any,
        average_decay: Any = 0.9999,
        num_updates: Any = None,
        sequential_update: bool = True,
    ) -> None:
        super().__init__(opt, False, "MovingAverageOptimizer")
        self._averages = ExponentialMovingAverage(average_decay, num_updates)
        self._swapped: dict[str, Any] | None = None
        self._in_turn = sequential_update

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Return an operator that takes the optimizer's step and moves the averages."""
        pairs = list(grads_and_vars)
        moved = [variable for _, variable in pairs]
        update = self._optimizer.apply_gradients(pairs, global_step, name=name)
        with framework.control_dependencies([update] if self._in_turn else []):
            averaged = self._averages.apply(moved)
        self._swapped = {}
        for variable in moved:
            average = self._averages.average(variable)
            self._swapped[variable.op.name] = average
            self._swapped[average.op.name] = variable
        return framework.group(update, averaged, name="train_with_avg")

    def swapping_saver(
        self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any
    ) -> Saver:
        """Return a Saver that writes averages by the names of their variables, and the reverse.

        FailedPreconditionError is raised before apply_gradients or minimize, InvalidArgumentError
        where var_list has one of a pair alone.
        """
        if self._swapped is None:
            raise FailedPreconditionError(
                "Must call apply_gradients or minimize before creating the swapping_saver"
            )
        given = scopes.global_variables() if var_list is None else var_list
        own = dict(given) if isinstance(given, Mapping) else _by_name(given)
        found = {v.op.name for x in own.values() for v in _members(x)}
        partners = {
            self._swapped[name].op.name for name in found & set(self._swapped)
        }
        missing = sorted(partners - found)
        if missing:
            raise InvalidArgumentError(
                f"Variable to swap {missing[0]} is not part of variables to save. This breaks "
                "MovingAverageOptimizer."
            )
        written = {
            key: [self._swapped.get(v.op.name, v) for v in _members(x)]
            for key, x in own.items()
        }
        return Saver(written, name=name, **kwargs)


class VariableClippingOptimizer(_Around):
    """Shortens rows of variables that have grown longer than allowed, after another's steps."""

    def __init__(
        self,
        opt: Any,
        vars_to_clip_dims: Mapping[Any, Sequence[int]],
        max_norm: Any,
        use_locking: bool = False,
        colocate_clip_ops_with_vars: bool = False,
        name: str = "VariableClipping",
    ) -> None:
        super().__init__(opt, use_locking, name)
        self._axes = [(v, list(axes)) for v, axes in vars_to_clip_dims.items()]
        for variable, axes in self._axes:
            if max(axes) >= variable.get_shape().rank:
                raise InvalidArgumentError(
                    f"Dimensions to clip ({axes}) do not match rank of {variable.name}"
                )
        self._max_norm = max_norm

    def _axes_of(self, variable: Any) -> list[int] | None:
        return next((axes for v, axes in self._axes if v is variable), None)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Return an operator that takes the optimizer's step and shortens what grew too long."""
        with framework.name_scope(name or self._name):
            pairs = list(grads_and_vars)
            update = self._optimizer.apply_gradients(pairs, global_step)
            with framework.control_dependencies([update]):
                clips = [
                    self._clipped(gradient, variable, axes)
                    for gradient, variable in pairs
                    if gradient is not None
                    and (axes := self._axes_of(variable)) is not None
                ]
        return framework.group(update, *clips)

    def _clipped(self, gradient: Any, variable: Any, axes: list[int]) -> Any:
        in_rows = isinstance(gradient, IndexedSlices) and 0 not in axes
        if not in_rows:
            return variable.assign(
                clip_by_norm(variable.read_value(), self._max_norm, axes)
            )
        rows = variable.sparse_read(gradient.indices)
        found = IndexedSlices(
            clip_by_norm(rows, self._max_norm, axes), gradient.indices
        )
        return variable.scatter_update(found)


class LARSOptimizer(MomentumOptimizer):
    """Momentum with a rate for each layer, by the lengths of its weights and of their gradients."""

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any = 0.9,
        weight_decay: float = 0.0001,
        eeta: float = 0.001,
        epsilon: float = 0.0,
        name: str = "LARSOptimizer",
        skip_list: Sequence[str] | None = None,
        use_nesterov: bool = False,
    ) -> None:
        if isinstance(momentum, float) and momentum < 0.0:
            raise InvalidArgumentError(
                f"momentum should be positive: {momentum}; give a number from 0 on"
            )
        super().__init__(learning_rate, momentum, False, name, use_nesterov)
        self._weight_decay, self._eeta, self._epsilon = weight_decay, eeta, epsilon
        self._skipped = list(skip_list or ())

    def compute_lr(self, grad: Any, var: Any) -> tuple[Any, Any]:
        """Return the rate of a layer, and its gradient with that of the decay of its weights."""
        rate = self._call_if_callable(self._learning_rate)
        if any(name in var.name for name in self._skipped):
            return rate, grad
        weight, slope = norm(var, ord=2), norm(grad, ord=2)
        has_weight, has_slope = greater(weight, 0), greater(slope, 0)
        above = self._eeta * weight
        whole = slope + self._weight_decay * weight + self._epsilon
        trusted = where(has_slope, above / whole, 1.0)
        scaled = rate * where(has_weight, trusted, 1.0)
        return scaled, grad + self._weight_decay * var

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        """Sum up steps, and not gradients: rates change from step to step."""
        rate, whole = self.compute_lr(grad, var)
        one = plain(cast(1.0, var.dtype))
        step = plain(whole * rate)
        states = [var.handle, self.get_slot(var, "momentum").handle]

        def made() -> Any:
            by = converted(self._call_if_callable(self._momentum), var.dtype)
            return effect(self._rule, *self._rule.ordered(states, [one, by], step))

        kind = "" if getattr(var, "is_reference", True) else "Resource"
        return in_graph(made, f"{kind}ApplyMomentum")


class RegAdagradOptimizer(AdagradOptimizer):
    """Adagrad that can leave its sums as they are, for losses that should not slow it down."""

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "RegAdagrad",
    ) -> None:
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._summing = True

    @contextmanager
    def avoid_updating_slots(self) -> Iterator[None]:
        """Leave the sums of squares as they are inside the block."""
        before, self._summing = self._summing, False
        try:
            yield
        finally:
            self._summing = before

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        if self._summing:
            return super()._apply_dense(grad, var)
        sums = self.get_slot(var, "accumulator")
        rate = cast(self._call_if_callable(self._learning_rate), var.dtype)
        return var.assign_sub(rate * grad / sqrt(sums.value()))

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        if self._summing:
            return super()._apply_sparse_duplicate_indices(grad, var)
        return self._apply_dense(dense(grad), var)


class MultitaskOptimizerWrapper:
    """Leaves out gradients that are all zero: what stands for losses that are not there."""

    def __init__(self, opt: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise InvalidArgumentError(
                f"Supplied optimizer must be an instance of tf.train.Optimizer, not {opt!r}"
            )
        self._opt = opt
        for name in ("_apply_dense", "_apply_sparse_duplicate_indices"):
            setattr(opt, name, self._unless_zero(getattr(opt, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opt, name)

    @staticmethod
    def _unless_zero(apply: Any) -> Any:
        def applied(grad: Any, var: Any) -> Any:
            values = grad.values if isinstance(grad, IndexedSlices) else grad
            nothing = equal(count_nonzero(values), 0)

            def called() -> Any:
                with framework.control_dependencies([apply(grad, var)]):
                    return framework.no_op()

            return cond(nothing, framework.no_op, called)

        return applied


def clip_gradients_by_global_norm(
    gradients_variables: Any, clip_norm: float = 20.0
) -> tuple[list[Pair], Any]:
    """Return gradients no longer together than a norm, with their variables, and their norm."""
    gradients, variables = zip(*gradients_variables, strict=True)
    clipped, length = clip_by_global_norm(list(gradients), clip_norm)
    return list(zip(clipped, variables, strict=True)), length
