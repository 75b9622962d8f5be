"""Muon, and Adam without schedules: optimizers that Keras 3 has got lately."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras.src.optimizers.base import Optimizer
from tensorlite.compat.v2.keras.src.optimizers.decaying import WeightDecay
from tensorlite.compat.v2.keras.src.optimizers.own_updates import Replaced
from tensorlite.compat.v2.keras.src.optimizers.rows import Gradient


class _Averaged(Replaced):
    """Adam's steps of points between which and their mean the weights lie (Defazio et al. 2024)."""

    slots = ("momentum", "velocity")

    def __init__(self, rate: Any, given: ScheduleFreeAdamW) -> None:
        super().__init__(rate)
        self.given = given

    def _slot(self, name: str, variable: Any) -> Any:
        if name != "momentum":
            return super()._slot(name, variable)
        return variable.beside(np.array(variable.numpy()), f"{variable.name}/{name}")

    def step(
        self, variable: Any, g: Gradient, rate: Any, step: Any, slots: dict[str, Any]
    ) -> None:
        given, point, square = self.given, slots["momentum"], slots["velocity"]
        if given.warmup_steps > 0:
            rate = rate * tl.minimum(step / float(given.warmup_steps), 1.0)
        before = point.value()
        beta2 = tl.asarray(given.beta_2, dtype=g.dtype)
        mean = square.value() + (g.square() - square.value()) * (1.0 - beta2)
        square.assign(mean)
        spread = tl.sqrt(mean / (1.0 - tl.pow(beta2, step))) + given.epsilon
        after = before - rate * g.whole / spread
        point.assign(after)
        share, weight = given.beta_1, 1.0 / step
        # Keras reads the point here where it is by now, not where it was.
        average = (variable.value() - (1.0 - share) * after) / share
        average = (1.0 - weight) * average + weight * after
        variable.assign((1.0 - share) * after + share * average)


class ScheduleFreeAdamW(Optimizer):
    """Adam with averages in the place of schedules of the rate (Defazio et al., 2024).

    >>> from tensorlite.compat import v2 as tf
    >>> weight = tf.Variable([1.0])
    >>> optimizer = tf.keras.optimizers.ScheduleFreeAdamW(0.1)
    >>> _ = optimizer.apply_gradients([(tf.constant([4.0]), weight)])
    >>> weight.numpy().round(4).tolist()
    [0.9]
    """

    def __init__(
        self,
        learning_rate: Any = 0.0025,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        warmup_steps: int = 0,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        self.warmup_steps = warmup_steps
        super().__init__(learning_rate, name=name, **kwargs)

    def core(self, rate: Any) -> Any:
        return _Averaged(rate, self)

    def numbers(self) -> dict[str, Any]:
        return {
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
            "warmup_steps": self.warmup_steps,
        }


class _Orthogonal(Replaced):
    """Steps of matrices without their sizes in any direction, and Adam's for all else."""

    def __init__(self, rate: Any, given: Muon) -> None:
        super().__init__(rate)
        self.given = given

    def _slots_of(self, variable: Any) -> dict[str, Any]:
        known = self._slots.get(id(variable))
        if known is None:
            is_adams = self.given.is_for_adam(variable)
            names = ("momentum", "velocity") if is_adams else ("momentum",)
            known = variable, {name: self._slot(name, variable) for name in names}
            self._slots[id(variable)] = known
        return known[1]

    def step(
        self, variable: Any, g: Gradient, rate: Any, step: Any, slots: dict[str, Any]
    ) -> None:
        if "velocity" in slots:
            self._as_adam(variable, g, rate * self.given.adam_lr_ratio, step, slots)
            return
        given, held = self.given, slots["momentum"]
        moved = held.value() * given.momentum + g.whole
        held.assign(moved)
        made = g.whole + given.momentum * moved if given.nesterov else moved
        made = rate * given.orthogonal(made)
        if given.rms_rate is not None:
            made = made * (max(made.shape) ** 0.5 * given.rms_rate)
        variable.assign_sub(made)

    def _as_adam(
        self, variable: Any, g: Gradient, rate: Any, step: Any, slots: dict[str, Any]
    ) -> None:
        given, first, second = self.given, slots["momentum"], slots["velocity"]
        betas = [
            tl.asarray(x, dtype=g.dtype)
            for x in (given.adam_beta_1, given.adam_beta_2)
        ]
        mean = first.value() + (g.whole - first.value()) * (1.0 - betas[0])
        square = second.value() + (g.square() - second.value()) * (1.0 - betas[1])
        first.assign(mean)
        second.assign(square)
        powers = [tl.pow(beta, step) for beta in betas]
        length = rate * tl.sqrt(1.0 - powers[1]) / (1.0 - powers[0])
        variable.assign_sub(mean * length / (tl.sqrt(square) + given.epsilon))


class _TwoShares(WeightDecay):
    """What matrices lose, and what all else does."""

    def __init__(self, share: float | None, owner: Muon) -> None:
        super().__init__(share)
        self.owner = owner

    def share_of(self, variable: Any) -> float | None:
        """Return what a variable loses, as a share of the rate."""
        if self.owner.is_for_adam(variable):
            return self.owner.adam_weight_decay
        return self.share


class Muon(Optimizer):
    """Momentum of matrices, made orthogonal by Newton's and Schulz' steps; Adam for all else.

    Adam is for weights that are no matrices, for embeddings, and for those in whose paths one of
    the patterns in exclude_layers is found (Jordan et al., 2024).
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        adam_beta_1: float = 0.9,
        adam_beta_2: float = 0.999,
        adam_weight_decay: float | None = 0.004,
        epsilon: float = 1e-7,
        weight_decay: float | None = 0.004,
        name: str | None = None,
        exclude_layers: Any = None,
        exclude_embeddings: bool = True,
        muon_a: float = 3.4445,
        muon_b: float = -4.7750,
        muon_c: float = 2.0315,
        adam_lr_ratio: float = 1,
        momentum: float = 0.95,
        ns_steps: int = 5,
        nesterov: bool = True,
        rms_rate: float | None = 0.2,
        **kwargs: Any,
    ) -> None:
        self.adam_beta_1, self.adam_beta_2 = adam_beta_1, adam_beta_2
        self.adam_weight_decay, self.epsilon = adam_weight_decay, epsilon
        self.exclude_layers = list(exclude_layers or ())
        self.exclude_embeddings = exclude_embeddings
        self.muon_a, self.muon_b, self.muon_c = muon_a, muon_b, muon_c
        self.adam_lr_ratio, self.momentum = adam_lr_ratio, momentum
        self.ns_steps, self.nesterov, self.rms_rate = ns_steps, nesterov, rms_rate
        super().__init__(
            learning_rate, name=name, weight_decay=weight_decay, **kwargs
        )
        self._decay = _TwoShares(weight_decay, self)

    def core(self, rate: Any) -> Any:
        return _Orthogonal(rate, self)

    def is_for_adam(self, variable: Any) -> bool:
        """Return whether a variable gets Adam's steps."""
        path = str(getattr(variable, "path", variable.name))
        if len(variable.shape) != 2:
            return True
        if self.exclude_embeddings and "embedding" in path.lower():
            return True
        return any(re.search(pattern, path) for pattern in self.exclude_layers)

    def orthogonal(self, x: Any) -> Any:
        """Return nearly the orthogonal matrix that is nearest to one, by a few steps."""
        is_high = x.shape[0] > x.shape[1]
        made = tl.matrix_transpose(x) if is_high else x
        made = made / (tl.sqrt(tl.sum(tl.square(made))) + 1e-7)
        for _ in range(self.ns_steps):
            square = tl.matmul(made, tl.matrix_transpose(made))
            share = self.muon_b * square + self.muon_c * tl.matmul(square, square)
            made = self.muon_a * made + tl.matmul(share, made)
        return tl.matrix_transpose(made) if is_high else made

    def numbers(self) -> dict[str, Any]:
        names = (
            *("adam_beta_1", "adam_beta_2", "epsilon", "exclude_layers", "muon_a"),
            *(
                "muon_b",
                "muon_c",
                "adam_lr_ratio",
                "momentum",
                "ns_steps",
                "nesterov",
            ),
            *("exclude_embeddings", "adam_weight_decay", "rms_rate"),
        )
        return {name: getattr(self, name) for name in names}
