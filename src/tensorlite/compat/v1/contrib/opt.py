"""tf.contrib.opt: optimizers beside those of tf.train."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import elementwise, variable_parts
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.v1.contrib.external_optimizers import (
    ExternalOptimizerInterface,
    ScipyOptimizerInterface,
)
from tensorlite.compat.v1.contrib.optimizers_around import (
    LARSOptimizer,
    MovingAverageOptimizer,
    MultitaskOptimizerWrapper,
    RegAdagradOptimizer,
    VariableClippingOptimizer,
    clip_gradients_by_global_norm,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.training.by_rule import ByRule
from tensorlite.compat.v1.training.optimizer import Optimizer
from tensorlite.compat.v1.training.optimizer_classes import (
    AdamOptimizer,
    MomentumOptimizer,
)
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.resource_variables import ResourceVariable
from tensorlite.ops.nn import training

__all__ = [
    "AdaMaxOptimizer",
    "AdamWOptimizer",
    "AddSignOptimizer",
    "DecoupledWeightDecayExtension",
    "ExternalOptimizerInterface",
    "LARSOptimizer",
    "LazyAdamOptimizer",
    "MomentumWOptimizer",
    "MovingAverageOptimizer",
    "MultitaskOptimizerWrapper",
    "NadamOptimizer",
    "PowerSignOptimizer",
    "RegAdagradOptimizer",
    "ScipyOptimizerInterface",
    "VariableClippingOptimizer",
    "clip_gradients_by_global_norm",
    "extend_with_decoupled_weight_decay",
]


class NadamOptimizer(AdamOptimizer):
    """Adam with Nesterov's momentum."""

    _rule = training.AdamByPowers(use_nesterov=True)

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        """Decay all moments, and change the rows that have gradients."""
        rows = self._without_twins(grad)
        rate, beta1, beta2, epsilon = _at_this_step(
            self._hyper, self._powers_for(var), var
        )
        scaled = rows.values * (1 - beta1)
        slot = self.get_slot(var, "m")
        with framework.control_dependencies([slot.assign(slot.value() * beta1)]):
            mean = _added_to(slot, _slices(scaled, rows))
            ahead = scaled + beta1 * v1_arrays.gather(mean, rows.indices)
        squares = (rows.values * rows.values) * (1 - beta2)
        slot = self.get_slot(var, "v")
        with framework.control_dependencies([slot.assign(slot.value() * beta2)]):
            spread = _added_to(slot, _slices(squares, rows))
        size = elementwise.sqrt(v1_arrays.gather(spread, rows.indices))
        step = -rate * ahead / (size + epsilon)
        changed = _added_to(var, _slices(step, rows))
        return framework.group(changed, ahead, spread)


def _at_this_step(hyper: Sequence[Any], powers: Sequence[Any], var: Any) -> list[Any]:
    """Return Adam's rate, its bias taken away, and its other numbers, of a variable's dtype."""
    rate, *others = [elementwise.cast(x, var.dtype) for x in hyper]
    return [rate * elementwise.sqrt(1 - powers[1]) / (1 - powers[0]), *others]


def _added_to(variable: Any, rows: IndexedSlices) -> Any:
    """Return a variable as it is once rows are added to it."""
    added = variable.scatter_add(rows)
    if active_graph() is None:
        return variable.value()
    return framework.convert_to_tensor(added)


class LazyAdamOptimizer(AdamOptimizer):
    """Adam that changes the moments of those rows alone that have gradients."""

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        rows = self._without_twins(grad)
        rate, beta1, beta2, epsilon = _at_this_step(
            self._hyper, self._powers_for(var), var
        )
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        mean = beta1 * _rows(m, rows) + (1 - beta1) * rows.values
        means = variable_parts.scatter_update(m, rows.indices, mean)
        squares = beta2 * _rows(v, rows) + (1 - beta2) * elementwise.square(
            rows.values
        )
        spreads = variable_parts.scatter_update(v, rows.indices, squares)
        if not isinstance(m, ResourceVariable) and active_graph() is not None:
            mean, squares = [_rows(x, rows) for x in (means, spreads)]
        step = rate * mean / (elementwise.sqrt(squares) + epsilon)
        changed = variable_parts.scatter_sub(var, rows.indices, step)
        return framework.group(changed, means, spreads)


def _rows(variable: Any, rows: Any) -> Any:
    return v1_arrays.gather(variable, rows.indices)


def _slices(values: Any, rows: Any) -> IndexedSlices:
    return IndexedSlices(values, rows.indices, rows.dense_shape)


class AdaMaxOptimizer(AdamOptimizer):
    """Adam by the largest gradient instead of the mean square."""

    _rule = training.ResourceApplyAdaMax()

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        first = min(var_list, key=lambda v: str(v.name))
        beta1 = self._call_if_callable(self._beta1)
        self._create_non_slot_variable(beta1, "beta1_power", first)
        for v in var_list:
            self._zeros_slot(v, "m", self._name)
            self._zeros_slot(v, "v", self._name)

    def _get_beta_accumulators(self) -> Any:
        return self._get_non_slot_variable("beta1_power")

    def _powers_for(self, var: Any) -> list[Any]:
        power = self._get_beta_accumulators()
        return [power if power.dtype is var.dtype else cast(power, var.dtype)]

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        """Change the rows that have gradients, and their moments, alone."""
        rows = self._without_twins(grad)
        (power,) = self._powers_for(var)
        rate, beta1, beta2, epsilon = [cast(x, var.dtype) for x in self._hyper]
        mean = _rows(self.get_slot(var, "m"), rows) * beta1
        mean = mean + rows.values * (1 - beta1)
        means = self._renewed(var, "m", rows, mean)
        greatest = _rows(self.get_slot(var, "v"), rows) * beta2
        greatest = elementwise.maximum(greatest, elementwise.abs(rows.values))
        bounds = self._renewed(var, "v", rows, greatest)
        step = -rate / (1 - power) * (mean / (greatest + epsilon))
        with framework.control_dependencies([step]):
            changed = variable_parts.scatter_add(var, rows.indices, step)
        return framework.group(changed, means, bounds)

    def _renewed(self, var: Any, name: str, rows: Any, values: Any) -> Any:
        """Return a slot behind the change of its rows."""
        slot = self.get_slot(var, name)
        with framework.control_dependencies([values]):
            return variable_parts.scatter_update(slot, rows.indices, values)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        power = self._get_beta_accumulators()
        with framework.control_dependencies(update_ops):
            after = power.assign(power.value() * self._hyper[1])
        return framework.group(*update_ops, after, name=name_scope or None)


class DecoupledWeightDecayExtension(Optimizer):
    """Makes weights smaller before an optimizer moves them. Comes first among base classes."""

    def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
        self._decayed: set[Any] | None = None
        self._weight_decay, self._in_rows = weight_decay, False
        super().__init__(*args, **kwargs)

    def minimize(self, *args: Any, decay_var_list: Any = None, **kwargs: Any) -> Any:
        """Return an operator that decays decay_var_list, or all variables, and takes a step."""
        self._decayed = set(decay_var_list) if decay_var_list else None
        return super().minimize(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Any = None,
        name: str | None = None,
        decay_var_list: Any = None,
    ) -> Any:
        """Return an operator that decays decay_var_list, or all variables, and moves them."""
        if decay_var_list:
            self._decayed = set(decay_var_list)
        return super().apply_gradients(
            grads_and_vars, global_step=global_step, name=name
        )

    def _prepare(self) -> None:
        framework.convert_to_tensor(self._rate(), name="weight_decay")
        super()._prepare()

    def _rate(self) -> Any:
        given = self._weight_decay
        return given() if callable(given) else given

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        if self._in_rows or not self._decays(var):
            return super()._apply_dense(grad, var)
        decay = var.assign_sub(self._rate() * var.value())
        with framework.control_dependencies([decay]):
            return super()._apply_dense(grad, var)

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        parent = super()._apply_sparse_duplicate_indices
        if not self._decays(var):
            return parent(grad, var)
        rows = self._without_twins(grad)
        decay = var.scatter_sub(_slices(self._rate() * _rows(var, rows), rows))
        # The optimizer may go on with dense gradients, which must not decay all rows.
        self._in_rows = True
        try:
            with framework.control_dependencies([decay]):
                return parent(grad, var)
        finally:
            self._in_rows = False

    def _decays(self, var: Any) -> bool:
        return self._decayed is None or var in self._decayed


def extend_with_decoupled_weight_decay(base_optimizer: type) -> type:
    """Return a class of optimizers that is made with a weight decay before other arguments."""
    return type(
        "OptimizerWithDecoupledWeightDecay",
        (DecoupledWeightDecayExtension, base_optimizer),
        {},
    )


class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """Momentum with decay of weights apart from gradients (Loshchilov and Hutter 2017)."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(
            weight_decay, learning_rate, momentum, use_locking, name, use_nesterov
        )


class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """Adam with decay of weights apart from gradients (Loshchilov and Hutter 2017)."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(
            weight_decay, learning_rate, beta1, beta2, epsilon, use_locking, name
        )


class _SignOptimizer(ByRule):
    """Steps that are longer where gradient and its mean have one sign."""

    _slot_names = ("m",)

    def __init__(
        self,
        learning_rate: Any,
        beta: float,
        sign_decay_fn: Any,
        use_locking: bool,
        name: str,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._beta = learning_rate, beta
        self._decay_fn, self._sign_decay_tensor = sign_decay_fn, None

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            self._zeros_slot(v, "m", self._name)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        if self._decay_fn is not None:
            self._sign_decay_tensor = framework.convert_to_tensor(
                self._decay_fn(global_step), name="sign_decay"
            )
        return super().apply_gradients(
            grads_and_vars, global_step=global_step, name=name
        )

    def _prepare(self) -> None:
        super()._prepare()
        if self._decay_fn is None:
            made = framework.convert_to_tensor(1.0, name="sign_decay")
            self._sign_decay_tensor = made

    @property
    def _hyper(self) -> list[Any]:
        rate, beta, number = super()._hyper
        return [rate, number, self._sign_decay_tensor, beta]

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        return self._apply_dense(framework.convert_to_tensor(grad), var)


class AddSignOptimizer(_SignOptimizer):
    """Steps alpha + sign(gradient) * sign(its average) times the gradient (Bello et al. 2017)."""

    _rule = training.ResourceApplyAddSign()
    _hyper_names = ("learning_rate", "beta", "alpha")

    def __init__(
        self,
        learning_rate: Any = 0.1,
        alpha: float = 1.0,
        beta: float = 0.9,
        sign_decay_fn: Any = None,
        use_locking: bool = False,
        name: str = "AddSignOptimizer",
    ) -> None:
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._alpha = alpha


class PowerSignOptimizer(_SignOptimizer):
    """Steps base ** (sign(gradient) * sign(its average)) times the gradient (Bello et al. 2017)."""

    _rule = training.ResourceApplyPowerSign()
    _hyper_names = ("learning_rate", "beta", "logbase")

    def __init__(
        self,
        learning_rate: Any = 0.1,
        base: float = 2.718281828459045,
        beta: float = 0.9,
        sign_decay_fn: Any = None,
        use_locking: bool = False,
        name: str = "PowerSignOptimizer",
    ) -> None:
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._logbase = log(base)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
