"""Optimizers: which rule of ops/nn/training.py, with which slots and hyperparameters.

Those that shrink weights by l1 and l2 are in regularised_optimizers.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core.dispatch import call, to_tensor
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.tensor import IndexedSlices, Tensor, TensorLike
from tensorlite.graph.manual import building
from tensorlite.graph.tape import GradientTape
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.control.differentiate import gradients
from tensorlite.ops.fetchable import Fetchable, effect, group
from tensorlite.ops.nn import training as rules
from tensorlite.ops.nn.applying import Apply, by_rows
from tensorlite.ops.sparse.slices import densify
from tensorlite.ops.state.resource import AssignAddVariableOp
from tensorlite.ops.state.variable import Variable
from tensorlite.train.replica import replica
from tensorlite.train.rows import RowPart
from tensorlite.train.schedules import Schedule

Rate: TypeAlias = "float | Tensor | Variable | Schedule"
Pair: TypeAlias = "tuple[Tensor | IndexedSlices | None, Variable]"


class Optimizer(ABC):
    """Base of the optimizers: applies gradients to variables.

    A subclass names its slots with their initial values and says, in `rule` and `hyper`, which
    operator updates a variable and with which numbers. `learning_rate` is a number, a tensor, a
    variable, or a schedule: a function of the step.

    >>> w, halving = tl.Variable(1.0), tl.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5)
    >>> optimizer = tl.optimizers.SGD(halving)
    >>> for _ in range(2):
    ...     optimizer.apply_gradients([(tl.asarray(1.0), w)])
    >>> print(w.value())
    0.85
    """

    slots: tuple[str, ...] = ()
    rows_alone = True  # rows that a sparse gradient does not name stay as they are

    def __init__(self, learning_rate: Rate) -> None:
        if isinstance(learning_rate, (int, float)) and not learning_rate >= 0:
            raise InvalidArgumentError(
                f"learning_rate={learning_rate}: it must not be negative"
            )
        self.learning_rate = learning_rate
        self.iterations = Variable(
            np.asarray(0, np.int64), trainable=False, name="iterations"
        )
        self._slots: dict[int, tuple[Variable, dict[str, Variable]]] = {}

    @abstractmethod
    def rule(self) -> Apply:
        """Return the operator that updates a variable."""

    def hyper(self, step: Tensor) -> Sequence[TensorLike]:
        """Return the numbers that the rule takes behind the learning rate."""
        return ()

    def initial(self, slot: str) -> float:
        """Return what a slot holds at first."""
        return 0.0

    def build(self, variables: Iterable[Variable]) -> None:
        """Make the slots of `variables` now rather than at the first step."""
        for variable in variables:
            self._slots_of(variable)

    def apply_gradients(self, pairs: Iterable[Pair]) -> Fetchable:
        """Update each variable by its gradient; pairs whose gradient is None are left out.

        A sparse gradient (IndexedSlices) updates only its rows. In a `tl.Graph` the node comes back
        that a session fetches to do all this. Raises InvalidArgumentError when every gradient is
        None. In the step of a strategy of `tl.distribute` the gradients of all replicas are used.
        """
        here = replica.get()
        if here is not None:
            return here.apply_gradients(self, list(pairs))
        return self.update(pairs)

    def update(self, pairs: Iterable[Pair]) -> Fetchable:
        """Do what `apply_gradients` does, with these gradients alone."""
        wanted = [(g, variable) for g, variable in pairs if g is not None]
        if not wanted:
            raise InvalidArgumentError(
                "no gradient to apply: every one is None. tape.why_none(loss, variable) says why"
            )
        for _, variable in wanted:
            if not isinstance(variable, Variable):
                kind = type(variable).__name__
                raise DTypeError(f"{kind} is no variable: give (gradient, variable)")
            variable.check_update()
            self._slots_of(variable)
        one = np.asarray(1, np.int64)
        step = call(AssignAddVariableOp(), self.iterations.handle, one)
        rate = self._rate(step)
        return group(
            step,
            *[
                self._update(variable, g, rate, astype(step, variable.dtype))
                for g, variable in wanted
            ],
        )

    def minimize(
        self,
        loss: Any,
        variables: Sequence[Variable],
        tape: GradientTape | None = None,
    ) -> Fetchable:
        """Apply to `variables` the gradients of `loss`, which `tape` remembers.

        In a `tl.Graph` no tape is needed, and the node comes back that a session fetches to do
        a step.
        """
        if tape is None and building() is not None:
            found = gradients(loss, list(variables))
        elif isinstance(tape, GradientTape):
            found = tape.gradient(loss, list(variables))
        else:
            raise DTypeError(
                f"minimize: tape={tape!r}; give the GradientTape that saw the loss"
            )
        return self.apply_gradients(zip(found, variables, strict=True))

    def _rate(self, step: Tensor) -> Tensor:
        rate = self.learning_rate
        return rate(step - 1) if callable(rate) else to_tensor(rate)

    def _update(
        self,
        variable: Variable,
        g: Tensor | IndexedSlices,
        rate: Tensor,
        step: Tensor,
    ) -> Fetchable:
        held = [slot.handle for slot in self._slots_of(variable).values()]
        numbers = [
            astype(to_tensor(x), variable.dtype) for x in (rate, *self.hyper(step))
        ]
        states, rule = (variable.handle, *held), self.rule()
        sparse = by_rows(rule, self.rows_alone)
        if isinstance(g, IndexedSlices) and sparse is not None:
            return effect(sparse, *rule.ordered(states, numbers, g.values, g.indices))
        dense = astype(densify(g), variable.dtype)
        return effect(rule, *rule.ordered(states, numbers, dense))

    def _slots_of(self, variable: Variable) -> dict[str, Variable]:
        known = self._slots.get(id(variable))
        if known is None:
            known = (
                variable,
                {name: self._slot(name, variable) for name in self.slots},
            )
            self._slots[id(variable)] = known
        return known[1]

    def _slot(self, name: str, variable: Variable) -> Variable:
        value = np.full(variable.shape, self.initial(name), variable.dtype.numpy)
        return variable.beside(value, f"{variable.name}/{name}")

    def get_slot(self, variable: Variable, name: str) -> Variable:
        """Return a slot of a variable, made if it is not there yet."""
        slots = self._slots_of(variable)
        if name not in slots:
            raise InvalidArgumentError(
                f"no slot {name!r}; there are: {', '.join(slots) or 'none'}"
            )
        return slots[name]

    def slots_beside(self) -> list[tuple[Variable, dict[str, Variable]]]:
        """Return each variable with its slots by their names."""
        return list(self._slots.values())

    def replace_slot(self, variable: Variable, slot: Variable, by: Variable) -> None:
        """Keep another variable in the place of a slot."""
        kept = self._slots_of(variable)
        kept.update({name: by for name, held in kept.items() if held is slot})

    def named_variables(self) -> dict[str, Variable]:
        """Return the step count and the slots by path, for checkpoints."""
        found = {"iterations": self.iterations}
        numbers: dict[object, int] = {}
        for variable, slots in self._slots.values():
            whole: object = id(variable)
            part = ""
            if isinstance(variable, RowPart):
                whole, part = variable.whole, f".{variable.place}"
            index = numbers.setdefault(whole, len(numbers))
            found.update({f"{index}.{name}{part}": x for name, x in slots.items()})
        return found

    @property
    def variables(self) -> list[Variable]:
        """The step count and all slots."""
        return list(self.named_variables().values())


class SGD(Optimizer):
    """Gradient descent, with momentum (Polyak 1964) or Nesterov's (Sutskever et al. 2013).

    >>> w = tl.Variable(1.0)
    >>> tl.optimizers.SGD(0.1).apply_gradients([(tl.asarray(2.0), w)])
    >>> print(w.value())
    0.8
    """

    def __init__(
        self,
        learning_rate: Rate = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate)
        self.momentum, self.nesterov = momentum, nesterov
        self.slots = ("momentum",) if momentum else ()

    def rule(self) -> Apply:
        """Return plain descent, or descent with momentum."""
        if self.slots:
            return rules.ResourceApplyMomentum(self.nesterov)
        return rules.ResourceApplyGradientDescent()

    def hyper(self, step: Tensor) -> Sequence[TensorLike]:
        """Return the momentum, if there is one."""
        return (self.momentum,) if self.slots else ()


class Adagrad(Optimizer):
    """Steps divided by the root of the summed squares (Duchi, Hazan and Singer 2011).

    >>> w = tl.Variable(1.0)
    >>> tl.optimizers.Adagrad(0.1).apply_gradients([(tl.asarray(2.0), w)])
    """

    slots = ("accumulator",)

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        initial_accumulator: float = 0.1,
        epsilon: float = 1e-7,
    ) -> None:
        super().__init__(learning_rate)
        self.initial_accumulator, self.epsilon = initial_accumulator, epsilon

    def initial(self, slot: str) -> float:
        """Return the accumulator's initial value."""
        return self.initial_accumulator

    def rule(self) -> Apply:
        """Return Adagrad's rule."""
        return rules.ResourceApplyAdagradV2()

    def hyper(self, step: Tensor) -> Sequence[TensorLike]:
        """Return epsilon."""
        return (self.epsilon,)


class Adadelta(Optimizer):
    """Zeiler 2012: steps in the units of the weights.

    >>> w = tl.Variable(1.0)
    >>> tl.optimizers.Adadelta(1.0).apply_gradients([(tl.asarray(2.0), w)])
    """

    slots = ("square_mean", "step_mean")

    def __init__(
        self, learning_rate: Rate = 0.001, rho: float = 0.95, epsilon: float = 1e-7
    ) -> None:
        super().__init__(learning_rate)
        self.rho, self.epsilon = rho, epsilon

    def rule(self) -> Apply:
        """Return Adadelta's rule."""
        return rules.ResourceApplyAdadelta()

    def hyper(self, step: Tensor) -> Sequence[TensorLike]:
        """Return rho and epsilon."""
        return self.rho, self.epsilon


class RMSProp(Optimizer):
    """Hinton's RMSProp, with momentum, centered (Graves 2013) if asked.

    >>> w = tl.Variable(1.0)
    >>> tl.optimizers.RMSProp(0.1).apply_gradients([(tl.asarray(2.0), w)])
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
    ) -> None:
        super().__init__(learning_rate)
        self.rho, self.momentum, self.epsilon, self.centered = (
            rho,
            momentum,
            epsilon,
            centered,
        )
        mean = ("mean",) if centered else ()
        self.slots = (*mean, "square_mean", "momentum")

    def rule(self) -> Apply:
        """Return RMSProp's rule, centered or not."""
        if self.centered:
            return rules.ResourceApplyCenteredRMSProp()
        return rules.ResourceApplyRMSProp()

    def hyper(self, step: Tensor) -> Sequence[TensorLike]:
        """Return rho, momentum and epsilon."""
        return self.rho, self.momentum, self.epsilon


class Adam(Optimizer):
    """Adam (Kingma and Ba 2015); `nesterov` makes it NAdam-like, `amsgrad` Reddi et al. 2018.

    >>> w = tl.Variable(1.0)
    >>> tl.optimizers.Adam(0.1).apply_gradients([(tl.asarray(2.0), w)])
    >>> print(w.value())
    0.9
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate)
        if amsgrad and nesterov:
            raise InvalidArgumentError("amsgrad and nesterov exclude each other")
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.amsgrad, self.nesterov = amsgrad, nesterov
        largest = ("largest_square_mean",) if amsgrad else ()
        self.slots = ("mean", "square_mean", *largest)

    def rule(self) -> Apply:
        """Return Adam's rule."""
        if self.amsgrad:
            return rules.ResourceApplyAdamWithAmsgrad()
        return rules.ResourceApplyAdam(self.nesterov)

    def hyper(self, step: Tensor) -> Sequence[TensorLike]:
        """Return both betas, epsilon and the step."""
        return self.beta1, self.beta2, self.epsilon, step


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019).

    >>> w = tl.Variable(1.0)
    >>> tl.optimizers.AdamW(0.1, weight_decay=0.1).apply_gradients([(tl.asarray(2.0), w)])
    >>> print(w.value())
    0.89
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        weight_decay: float = 0.004,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-7,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon)
        self.weight_decay = weight_decay

    def rule(self) -> Apply:
        """Return AdamW's rule."""
        return rules.ResourceApplyAdamW()

    def hyper(self, step: Tensor) -> Sequence[TensorLike]:
        """Return both betas, epsilon, the step and the decay."""
        return *super().hyper(step), self.weight_decay
