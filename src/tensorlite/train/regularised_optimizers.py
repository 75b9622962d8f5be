"""Optimizers that shrink weights by l1 and l2 as they update them: FTRL and proximal steps."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.nn import training as rules
from tensorlite.ops.nn.applying import Apply
from tensorlite.train.optimizers import Optimizer, Rate


class AdagradDA(Optimizer):
    """Adagrad's dual averaging with l1 and l2 (Duchi, Hazan and Singer 2011).

    >>> w = tl.Variable(1.0)
    >>> tl.optimizers.AdagradDA(0.1, l1=0.01).apply_gradients([(tl.asarray(2.0), w)])
    """

    slots = ("gradient_sum", "square_sum")

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        initial_accumulator: float = 0.1,
        l1: float = 0.0,
        l2: float = 0.0,
    ) -> None:
        super().__init__(learning_rate)
        self.initial_accumulator, self.l1, self.l2 = initial_accumulator, l1, l2

    def initial(self, slot: str) -> float:
        """Return the initial sum of squares, and 0 for the sum of gradients."""
        return self.initial_accumulator if slot == "square_sum" else 0.0

    def rule(self) -> Apply:
        """Return dual averaging."""
        return rules.ResourceApplyAdagradDA()

    def hyper(self, step: Tensor) -> Sequence[TensorLike]:
        """Return l1, l2 and the step."""
        return self.l1, self.l2, step


class Ftrl(Optimizer):
    """Follow the regularised leader, which drives weights to zero (McMahan et al. 2013).

    >>> w = tl.Variable(1.0)
    >>> tl.optimizers.Ftrl(0.1, l1=0.01).apply_gradients([(tl.asarray(2.0), w)])
    """

    slots = ("square_sum", "linear")

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        power: float = -0.5,
        initial_accumulator: float = 0.1,
        l1: float = 0.0,
        l2: float = 0.0,
        shrinkage: float = 0.0,
    ) -> None:
        super().__init__(learning_rate)
        self.power, self.initial_accumulator = power, initial_accumulator
        self.l1, self.l2, self.shrinkage = l1, l2, shrinkage

    def initial(self, slot: str) -> float:
        """Return the initial sum of squares, and 0 for the linear term."""
        return self.initial_accumulator if slot == "square_sum" else 0.0

    def rule(self) -> Apply:
        """Return the rule of FTRL."""
        return rules.ResourceApplyFtrlV2()

    def hyper(self, step: Tensor) -> Sequence[TensorLike]:
        """Return l1, l2, shrinkage and power."""
        return self.l1, self.l2, self.shrinkage, self.power


class ProximalSGD(Optimizer):
    """Gradient descent with a proximal step for l1 and l2 (Duchi and Singer 2009).

    >>> w = tl.Variable(1.0)
    >>> tl.optimizers.ProximalSGD(0.1, l1=0.01).apply_gradients([(tl.asarray(2.0), w)])
    """

    def __init__(
        self, learning_rate: Rate = 0.01, l1: float = 0.0, l2: float = 0.0
    ) -> None:
        super().__init__(learning_rate)
        self.l1, self.l2 = l1, l2

    def rule(self) -> Apply:
        """Return the proximal rule."""
        return rules.ResourceApplyProximalGradientDescent()

    def hyper(self, step: Tensor) -> Sequence[TensorLike]:
        """Return l1 and l2."""
        return self.l1, self.l2


class ProximalAdagrad(ProximalSGD):
    """Adagrad with a proximal step for l1 and l2 (Duchi and Singer 2009).

    >>> w = tl.Variable(1.0)
    >>> tl.optimizers.ProximalAdagrad(0.1, l1=0.01).apply_gradients([(tl.asarray(2.0), w)])
    """

    slots = ("accumulator",)

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        initial_accumulator: float = 0.1,
        l1: float = 0.0,
        l2: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, l1, l2)
        self.initial_accumulator = initial_accumulator

    def initial(self, slot: str) -> float:
        """Return the accumulator's initial value."""
        return self.initial_accumulator

    def rule(self) -> Apply:
        """Return the proximal rule over Adagrad's."""
        return rules.ResourceApplyProximalAdagrad()
