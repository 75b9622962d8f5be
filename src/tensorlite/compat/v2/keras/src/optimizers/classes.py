"""The optimizers of Keras: which of tl.optimizers each is, with its names and defaults."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras import checking
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.weights import Weight
from tensorlite.compat.v2.keras.src.optimizers import rows
from tensorlite.compat.v2.keras.src.optimizers.base import Optimizer
from tensorlite.compat.v2.keras.src.optimizers.own_updates import Replaced, written
from tensorlite.compat.v2.keras.src.optimizers.rows import Gradient
from tensorlite.ops.nn import training


class _Velocity(tl.optimizers.SGD):
    """Descent whose momentum has the learning rates in it that it came about by."""

    def rule(self) -> Any:
        if self.slots:
            return training.ResourceApplyKerasMomentum(self.nesterov)
        return super().rule()


class SGD(Optimizer):
    """Subtracts the rate times the gradient, with momentum, Nesterov's too, if it is asked for."""

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.momentum, self.nesterov = momentum, nesterov
        self.by_rows = not momentum
        checking.share(momentum=momentum)
        super().__init__(learning_rate, name=name, **kwargs)

    def core(self, rate: Any) -> Any:
        return _Velocity(rate, self.momentum, self.nesterov)

    def numbers(self) -> dict[str, Any]:
        return {"momentum": self.momentum, "nesterov": self.nesterov}


class RMSprop(Optimizer):
    """Divides gradients by the root of the mean of their squares (Hinton, 2012)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.rho, self.momentum = rho, momentum
        self.epsilon, self.centered = epsilon, centered
        super().__init__(learning_rate, name=name, **kwargs)

    def core(self, rate: Any) -> Any:
        return tl.optimizers.RMSProp(
            rate, self.rho, self.momentum, self.epsilon, self.centered
        )

    def numbers(self) -> dict[str, Any]:
        return {
            "rho": self.rho,
            "momentum": self.momentum,
            "epsilon": self.epsilon,
            "centered": self.centered,
        }


class Adagrad(Optimizer):
    """Divides gradients by the root of the sum of their squares (Duchi et al., 2011)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon
        super().__init__(learning_rate, name=name, **kwargs)

    def core(self, rate: Any) -> Any:
        return tl.optimizers.Adagrad(
            rate, self.initial_accumulator_value, self.epsilon
        )

    def numbers(self) -> dict[str, Any]:
        return {
            "initial_accumulator_value": self.initial_accumulator_value,
            "epsilon": self.epsilon,
        }


class Adadelta(Optimizer):
    """Makes steps as large as those before by the gradients' sizes (Zeiler, 2012)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.95,
        epsilon: float = 1e-7,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.rho, self.epsilon = rho, epsilon
        super().__init__(learning_rate, name=name, **kwargs)

    def core(self, rate: Any) -> Any:
        return tl.optimizers.Adadelta(rate, self.rho, self.epsilon)

    def numbers(self) -> dict[str, Any]:
        return {"rho": self.rho, "epsilon": self.epsilon}


class Adam(Optimizer):
    """Divides means of gradients by roots of means of squares (Kingma and Ba, 2014).

    >>> from tensorlite.compat import v2 as tf
    >>> weight = tf.Variable([1.0])
    >>> _ = tf.keras.optimizers.Adam(0.1).apply_gradients([(tf.constant([4.0]), weight)])
    >>> weight.numpy().round(4).tolist()
    [0.9]
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.beta_1, self.beta_2 = beta_1, beta_2
        self.epsilon, self.amsgrad = epsilon, amsgrad
        super().__init__(learning_rate, name=name, **kwargs)

    def core(self, rate: Any) -> Any:
        return tl.optimizers.Adam(
            rate, self.beta_1, self.beta_2, self.epsilon, self.amsgrad
        )

    def numbers(self) -> dict[str, Any]:
        return {
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
            "amsgrad": self.amsgrad,
        }


class AdamW(Adam):
    """Adam whose weights lose a share of the rate at each step (Loshchilov and Hutter, 2017)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        weight_decay: float = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            learning_rate,
            beta_1,
            beta_2,
            epsilon,
            amsgrad,
            name,
            weight_decay=weight_decay,
            **kwargs,
        )


class _Largest(Replaced):
    """Adam with the largest gradient so far in the place of the root of the squares."""

    slots = ("mean", "largest")

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
        mean, largest = slots["mean"], slots["largest"]
        beta1, beta2 = (rows.number(x, g.dtype) for x in (self.beta1, self.beta2))
        now = mean.value() + (g.whole - mean.value()) * (1.0 - beta1)
        most = tl.maximum(beta2 * largest.value(), g.size())
        mean.assign(now)
        largest.assign(most)
        unbiased = now / (1.0 - tl.pow(tl.asarray(beta1, dtype=g.dtype), step))
        variable.assign_sub(rate * unbiased / (most + self.epsilon))


class Adamax(Optimizer):
    """Adam by the greatest gradients in place of their squares (Kingma and Ba, 2014)."""

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
        return _Largest(rate, self.beta_1, self.beta_2, self.epsilon)

    def numbers(self) -> dict[str, Any]:
        return {
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
        }


class Ahead(Replaced):
    """Adam with Nesterov's momentum, which grows from step to step (Dozat 2016)."""

    slots = ("mean", "square_mean")

    def __init__(
        self,
        rate: Any,
        beta1: float,
        beta2: float,
        epsilon: float,
        pace: float = 1.0,
    ) -> None:
        super().__init__(rate)
        self.pace = pace
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        one = np.asarray(1.0, np.float32)
        self.shared = (Weight(one, trainable=False, name=naming.of_weight()),)

    @property
    def product(self) -> Any:
        """The product of the momentums so far."""
        return self.shared[0]

    def update(self, pairs: Any) -> Any:
        """Update variables; how far momentum has come is the same for all of them."""
        step = tl.astype(self.iterations.value() + 1, tl.float32)
        self._so_far = self.product.value() * self._momentum(step)
        with tl.control_dependencies([self._so_far]):  # before steps are counted
            applied = super().update(pairs)
            kept = written(lambda: self.product.assign(self._so_far))
            return tl.group(applied, *kept)

    def _momentum(self, at: Any) -> Any:
        power = tl.pow(tl.asarray(0.96, dtype=at.dtype), at * self.pace)
        return rows.number(self.beta1, at.dtype) * (1.0 - 0.5 * power)

    def step(
        self,
        variable: Any,
        g: Gradient,
        rate: Any,
        step: Any,
        slots: dict[str, Any],
    ) -> None:
        """Update a variable and its two means."""
        here, ahead = self._momentum(step), self._momentum(step + 1.0)
        mean, square = (slots[name] for name in self.slots)
        beta1, beta2 = (rows.number(x, g.dtype) for x in (self.beta1, self.beta2))
        so_far = tl.astype(self._so_far, g.dtype)
        first = mean.value() + (g.whole - mean.value()) * (1.0 - beta1)
        second = square.value() + (g.square() - square.value()) * (1.0 - beta2)
        mean.assign(first)
        square.assign(second)
        guess = ahead * first / (1.0 - so_far * ahead) + (1.0 - here) * g.whole / (
            1.0 - so_far
        )
        spread = second / (1.0 - tl.pow(tl.asarray(beta2, dtype=g.dtype), step))
        variable.assign_sub(rate * guess / (tl.sqrt(spread) + self.epsilon))


class Nadam(Optimizer):
    """Adam with Nesterov's momentum (Dozat, 2016)."""

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
        return Ahead(rate, self.beta_1, self.beta_2, self.epsilon)

    def numbers(self) -> dict[str, Any]:
        return {
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
        }


class _Leader(tl.optimizers.Ftrl):
    """The regularised leader, held back by a share of the rate that is the same at each step."""

    def __init__(self, beta: float, rate: Any, *regularizing: float) -> None:
        super().__init__(rate, *regularizing)
        self.beta = beta

    def hyper(self, step: Any) -> Any:
        l1, l2, *rest = super().hyper(step)
        if self.beta:
            l2 = l2 + self.beta / (2.0 * self._rate(step))
        return (l1, l2, *rest)


class Ftrl(Optimizer):
    """Follows the regularized leader, which makes many weights 0 (McMahan et al., 2013)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.beta = beta
        checking.not_positive(learning_rate_power=learning_rate_power)
        checking.not_negative(
            initial_accumulator_value=initial_accumulator_value,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
            l2_shrinkage_regularization_strength=l2_shrinkage_regularization_strength,
        )
        self._regularizing = (
            learning_rate_power,
            initial_accumulator_value,
            l1_regularization_strength,
            l2_regularization_strength,
            l2_shrinkage_regularization_strength,
        )
        super().__init__(learning_rate, name=name, **kwargs)

    def core(self, rate: Any) -> Any:
        return _Leader(self.beta, rate, *self._regularizing)

    def numbers(self) -> dict[str, Any]:
        power, initial, l1, l2, shrinkage = self._regularizing
        return {
            "learning_rate_power": power,
            "initial_accumulator_value": initial,
            "l1_regularization_strength": l1,
            "l2_regularization_strength": l2,
            "l2_shrinkage_regularization_strength": shrinkage,
            "beta": self.beta,
        }
