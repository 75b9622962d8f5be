"""TensorFlow 1's optimizers. What they are made on is in optimizer.py and by_rule.py."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from tensorlite.compat.shared.arrays import identity, ones
from tensorlite.compat.shared.elementwise import cast, maximum, sqrt
from tensorlite.compat.shared.variable_parts import scatter_add
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.training.by_rule import ByRule
from tensorlite.compat.v1.training.optimizer import dense
from tensorlite.compat.views import in_graph, plain, shown
from tensorlite.core.dtypes import int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.resource_variables import ResourceVariable
from tensorlite.ops.fetchable import effect
from tensorlite.ops.nn import training
from tensorlite.ops.nn.applying import Apply
from tensorlite.ops.sparse.state import ResourceScatterAdd, ResourceScatterSub


class GradientDescentOptimizer(ByRule):
    """Takes steps of learning_rate times the gradient.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     v = tf.Variable(1.0)
    ...     step = tf.train.GradientDescentOptimizer(0.25).minimize(v * v)
    ...     session.run(v.initializer), session.run(step), float(session.run(v))
    (None, None, 0.5)
    """

    _rule = training.ResourceApplyGradientDescent()
    _hyper_names = ("learning_rate",)

    def __init__(
        self,
        learning_rate: Any,
        use_locking: bool = False,
        name: str = "GradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        rows = shown(plain(grad))
        if getattr(var, "is_reference", True):
            step = rows.values * cast(self._hyper[0], var.dtype)
            op: Op = ResourceScatterSub()
        else:
            step, op = -rows.values * self._learning_rate, ResourceScatterAdd()
        inputs = [var.handle, plain(rows.indices), plain(step)]
        kind = op.name if isinstance(op, ResourceScatterAdd) else "ScatterSub"
        return in_graph(lambda: effect(op, *inputs), kind)


class MomentumOptimizer(ByRule):
    """Takes steps along a sum of gradients that fades by momentum; use_nesterov looks ahead."""

    _slot_names = ("momentum",)
    _hyper_names = ("learning_rate", "momentum")

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum = learning_rate, momentum
        self._use_nesterov = use_nesterov
        self._rule = training.ResourceApplyMomentum(use_nesterov)

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            self._zeros_slot(v, "momentum", self._name)


class AdagradOptimizer(ByRule):
    """Takes steps over the root of a sum of squared gradients (Duchi et al. 2011)."""

    _rule = training.ResourceApplyAdagrad()
    _slot_names = ("accumulator",)
    _hyper_names = ("learning_rate",)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise InvalidArgumentError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            value = self._initial_accumulator_value
            first = partial(_filled, v, value)
            self._get_or_make_slot(v, first, "accumulator", self._name)


def _filled(v: Any, value: float) -> Any:
    """Return what a slot begins with that has one value everywhere."""
    return framework.constant(value, v.dtype, v.get_shape())


class AdagradDAOptimizer(ByRule):
    """Adagrad by dual averaging, which keeps weights sparse (Duchi et al. 2011)."""

    _rule = training.ResourceApplyAdagradDA()
    _slot_names = ("gradient_accumulator", "gradient_squared_accumulator")
    _hyper_names = ("learning_rate",)

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise InvalidArgumentError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate, self._global_step = learning_rate, global_step
        self._initial = initial_gradient_squared_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength

    def _prepare(self) -> None:
        super()._prepare()
        self._steps = identity(self._global_step) + 1

    def _hyper_of(self, var: Any) -> list[Any]:
        rates, steps = super()._hyper_of(var), identity(self._steps)
        strengths = (
            self._l1_regularization_strength,
            self._l2_regularization_strength,
        )
        given = [cast(x, var.dtype) for x in strengths]
        return [*rates, *plain([*given, cast(steps, int64)])]

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            values = [_filled(v, x) for x in (0.0, self._initial)]
            for value, slot in zip(values, self._slot_names, strict=True):
                self._get_or_make_slot(v, value, slot, self._name)


class AdadeltaOptimizer(ByRule):
    """Takes steps in the proportion of averaged steps and gradients (Zeiler 2012)."""

    _rule = training.ResourceApplyAdadelta()
    _slot_names = ("accum", "accum_update")
    _hyper_names = ("lr", "rho", "epsilon")
    _as_tensor = "_t"

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            self._zeros_slot(v, "accum", self._name)
            self._zeros_slot(v, "accum_update", self._name)


class RMSPropOptimizer(ByRule):
    """Takes steps over the root of an average of squared gradients (Tieleman and Hinton 2012).

    centered takes the gradients' average out of that.
    """

    _hyper_names = ("learning_rate", "decay", "momentum", "epsilon")

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._decay = learning_rate, decay
        self._momentum, self._epsilon = momentum, epsilon
        self._centered = centered
        if centered:
            self._rule = training.ResourceApplyCenteredRMSProp()
            self._slot_names = ("mg", "rms", "momentum")
        else:
            self._rule = training.ResourceApplyRMSProp()
            self._slot_names = ("rms", "momentum")

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            first = partial(ones, v.get_shape(), v.dtype)
            self._get_or_make_slot(v, first, "rms", self._name)
            if self._centered:
                self._zeros_slot(v, "mg", self._name)
            self._zeros_slot(v, "momentum", self._name)


class FtrlOptimizer(ByRule):
    """Follows the regularized leader, which keeps weights sparse (McMahan et al. 2013)."""

    _slot_names = ("accum", "linear")
    _hyper_names = (
        "learning_rate",
        "l1_regularization_strength",
        "l2_regularization_strength",
        "l2_shrinkage_regularization_strength",
        "learning_rate_power",
    )
    _learning_rate_tensor: Any
    _l2_regularization_strength_tensor: Any

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._beta = beta or 0.0
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._l2_shrinkage_regularization_strength = (
            l2_shrinkage_regularization_strength
        )
        self._accum_name, self._linear_name = accum_name, linear_name
        self._check()
        self._shrinks = l2_shrinkage_regularization_strength > 0.0
        second = training.ResourceApplyFtrlV2()
        self._rule = second if self._shrinks else training.ResourceApplyFtrl()

    def _prepare(self) -> None:
        """Make tensors of numbers; beta is told to operators as a part of the l2 strength."""
        super()._prepare()
        if self._beta:
            rate = maximum(self._learning_rate_tensor, 1e-36)
            self._l2_regularization_strength_tensor += self._beta / (2.0 * rate)

    def _hyper_of(self, var: Any) -> list[Any]:
        *rates, shrinkage, power = super()._hyper_of(var)
        return [*rates, shrinkage, power] if self._shrinks else [*rates, power]

    def _check(self) -> None:
        for name in ("initial_accumulator_value", *self._hyper_names[1:4]):
            value = getattr(self, f"_{name}")
            if value < 0.0:
                raise InvalidArgumentError(
                    f"{name} {value:f} needs to be positive or zero"
                )
        if self._learning_rate_power > 0.0:
            raise InvalidArgumentError(
                f"learning_rate_power {self._learning_rate_power:f} needs to be negative or zero"
            )

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            value = _filled(v, self._initial_accumulator_value)
            self._get_or_make_slot(v, value, "accum", self._accum_name or self._name)
            self._zeros_slot(v, "linear", self._linear_name or self._name)


class ProximalGradientDescentOptimizer(ByRule):
    """Takes steps of the gradient, then shrinks weights by l1 and l2 (Duchi and Singer 2009)."""

    _rule = training.ResourceApplyProximalGradientDescent()
    _hyper_names = (
        "learning_rate",
        "l1_regularization_strength",
        "l2_regularization_strength",
    )

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength


class ProximalAdagradOptimizer(ByRule):
    """Takes steps of Adagrad, then shrinks weights by l1 and l2 (Duchi and Singer 2009)."""

    _rule = training.ResourceApplyProximalAdagrad()
    _slot_names = ("accumulator",)
    _hyper_names = (
        "learning_rate",
        "l1_regularization_strength",
        "l2_regularization_strength",
    )

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise InvalidArgumentError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            value = _filled(v, self._initial_accumulator_value)
            self._get_or_make_slot(v, value, "accumulator", self._name)


def _faded(slot: Any, beta: Any, grad: Any, given: Any) -> Any:
    """Return a moving average, all of it faded, with what is given added to rows of it."""
    whole = scopes.assign(slot, slot * beta)
    with framework.control_dependencies([whole]):
        if not isinstance(slot, ResourceVariable):
            return scatter_add(slot, grad.indices, given)
        inputs = plain([slot.handle, grad.indices, given])
        added = in_graph(lambda: effect(ResourceScatterAdd(), *inputs), _ADDING)
    with framework.control_dependencies([added]):
        return slot.value()


_ADDING = "ResourceScatterAdd"


class AdamOptimizer(ByRule):
    """Takes steps of averaged gradients over the root of averaged squares (Kingma and Ba 2014).

    Both averages are corrected for their beginning at 0; epsilon is added to the root.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     v = tf.Variable(1.0)
    ...     step = tf.train.AdamOptimizer(0.5).minimize(v * v)
    ...     session.run(tf.global_variables_initializer()), session.run(step)
    ...     round(float(session.run(v)), 4)
    (None, None)
    0.5
    """

    _rule: Apply = training.AdamByPowers()
    _slot_names = ("m", "v")
    _hyper_names = ("lr", "beta1", "beta2", "epsilon")
    _as_tensor = "_t"

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr, self._epsilon = learning_rate, epsilon
        self._beta1, self._beta2 = beta1, beta2

    def _title(self, name: str) -> str:
        return "learning_rate" if name == "lr" else name

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        names = ("beta1_power", "beta2_power")
        first, second = [self._get_non_slot_variable(name) for name in names]
        return first, second

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        first = min(var_list, key=lambda v: str(v.name))
        for name in ("beta1", "beta2"):
            value = self._call_if_callable(getattr(self, f"_{name}"))
            self._create_non_slot_variable(value, f"{name}_power", first)
        for v in var_list:
            self._zeros_slot(v, "m", self._name)
            self._zeros_slot(v, "v", self._name)

    def _hyper_of(self, var: Any) -> list[Any]:
        """Return the powers that the rate is corrected by, and rate, betas and epsilon."""
        return [*plain(self._powers_for(var)), *super()._hyper_of(var)]

    def _powers_for(self, var: Any) -> list[Any]:
        """Return the powers in a variable's dtype."""
        powers = self._get_beta_accumulators()
        return [x if x.dtype is var.dtype else cast(x, var.dtype) for x in powers]

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        if active_graph() is None:  # rows that are not named decay, too
            return self._apply_dense(dense(grad), var)
        return super()._apply_sparse_duplicate_indices(grad, var)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        """Return the update that dense gradients would give, as TensorFlow composes it."""
        powers = self._powers_for(var)
        rate, beta1, beta2, epsilon = [cast(x, var.dtype) for x in self._hyper]
        step = rate * sqrt(1 - powers[1]) / (1 - powers[0])
        moments, squares = [self.get_slot(var, name) for name in self._slot_names]
        by_mean = _faded(moments, beta1, grad, grad.values * (1 - beta1))
        by_square = _faded(
            squares, beta2, grad, grad.values * grad.values * (1 - beta2)
        )
        root = sqrt(by_square)
        changed = scopes.assign_sub(var, step * by_mean / (root + epsilon))
        return framework.group(changed, by_mean, by_square)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        powers = self._get_beta_accumulators()
        with framework.control_dependencies(update_ops):
            betas = [self._hyper[1], self._hyper[2]]
            after = [
                power.assign(power.value() * beta)
                for power, beta in zip(powers, betas, strict=True)
            ]
        return framework.group(*update_ops, *after, name=name_scope or None)
