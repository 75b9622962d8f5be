"""Distributions of shares that add up to 1: Dirichlet's."""

from __future__ import annotations

import math
from typing import Any

from tensorlite.compat.shared import elementwise
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.contrib.distribution_kinds.divergences import RegisterKL
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import (
    ShapedDistribution,
    as_parameter,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    adding_up_to_one,
    positive,
    several,
    validated,
)
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    matrices as v1_matrices,
    numbers,
)
from tensorlite.graph_mode.graph import name_scope

_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)

log, square = elementwise.log, elementwise.square


class Dirichlet(ShapedDistribution):
    """Dirichlet's distribution over probabilities of classes, by positive weights of these."""

    event_rank = 1

    def __init__(
        self,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:
        with name_scope(name) as prefix:
            self._concentration = validated(
                validate_args,
                as_parameter(concentration, "concentration"),
                positive("Concentration parameter must be positive."),
                several,
            )
            self._total = numbers.reduce_sum(self._concentration, -1)
        super().__init__(
            self._concentration.dtype, prefix, validate_args, allow_nan_stats
        )

    @property
    def concentration(self) -> Any:
        """Weights of the classes, all positive, along the last axis."""
        return self._concentration

    @property
    def total_concentration(self) -> Any:
        """Sums of the classes' weights."""
        return self._total

    def _like(self) -> Any:
        return self._concentration

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn = random.gamma([n], self._concentration, None, self.dtype, seed)
        return drawn / numbers.reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, x: Any) -> Any:
        each = elementwise.xlogy(self._concentration - 1.0, x)
        return numbers.reduce_sum(each, -1) - elementwise.lbeta(self._concentration)

    def _entropy(self) -> Any:
        digamma, a = elementwise.digamma, self._concentration
        count = elementwise.cast(self.event_shape_tensor()[0], self.dtype)
        total, norm = self.total_concentration, elementwise.lbeta(a)
        found = norm + (total - count) * digamma(total)
        return found - numbers.reduce_sum((a - 1.0) * digamma(a), -1)

    def _whole(self) -> Any:
        return self._total[..., None]

    def _mean(self) -> Any:
        return self._concentration / self._whole()

    def _variance(self) -> Any:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self._whole())

    def _mode(self) -> Any:
        count = float(self._concentration.get_shape().as_list()[-1])
        found = (self._concentration - 1.0) / (self._whole() - count)
        message = "Mode undefined when any concentration <= 1"

        def are_above() -> Any:
            return numbers.reduce_all(self._concentration > 1.0, -1, keepdims=True)

        return self._where_defined(are_above, found, message, self._concentration)

    def _covariance(self) -> Any:
        mean = self._mean()
        apart = mean / (1.0 + self._whole())
        across = v1_arrays.expand_dims(mean, -2)
        products = matrices.matmul(v1_arrays.expand_dims(apart, -1), across)
        return v1_matrices.matrix_set_diag(-products, self._variance())

    def _valid_sample(self, x: Any) -> Any:
        adding_up = adding_up_to_one("sample last-dimension must sum to `1`")
        return validated(True, x, positive("samples must be positive"), adding_up)


@RegisterKL(Dirichlet, Dirichlet)
def _dirichlets(a: Dirichlet, b: Dirichlet, name: str | None = None) -> Any:
    digamma, lbeta = elementwise.digamma, elementwise.lbeta
    with name_scope(name, "kl_dirichlet_dirichlet"):
        whole = digamma(numbers.reduce_sum(a.concentration, -1, keepdims=True))
        expected = digamma(a.concentration) - whole
        apart = (a.concentration - b.concentration) * expected
        total = numbers.reduce_sum(apart, -1)
        return total - lbeta(a.concentration) + lbeta(b.concentration)
