"""Distributions of vectors: Dirichlet's, and normal ones with a diagonal covariance."""

from __future__ import annotations

import math
from typing import Any

from tensorlite.compat.shared import arrays, elementwise, nn as shared_nn
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.shared.linear.linear_operators import LinearOperatorDiag
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import (
    Distribution,
    RegisterKL,
    as_parameter,
    sizes_behind,
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


class Dirichlet(Distribution):
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
        given = {"concentration": concentration}
        super().__init__(
            self._concentration.dtype, prefix, validate_args, allow_nan_stats, given
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

    def _draw(self, count: Any, seed: int | None) -> Any:
        drawn = random.gamma([count], self._concentration, None, self.dtype, seed)
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
def _dirichlets(a: Dirichlet, b: Dirichlet) -> Any:
    digamma, lbeta = elementwise.digamma, elementwise.lbeta
    with name_scope("kl_dirichlet_dirichlet"):
        whole = digamma(numbers.reduce_sum(a.concentration, -1, keepdims=True))
        expected = digamma(a.concentration) - whole
        apart = (a.concentration - b.concentration) * expected
        total = numbers.reduce_sum(apart, -1)
        return total - lbeta(a.concentration) + lbeta(b.concentration)


def diagonal_scale(sizes: Any) -> Any:
    """Return the operator that makes each element of vectors larger by a factor of its own."""
    return LinearOperatorDiag(sizes, is_non_singular=True, is_self_adjoint=True)


AFFINE = "affine_linear_operator/forward/add"
"""What TensorFlow calls draws that it has its bijector move, turn and stretch."""


class MultivariateNormalDiag(Distribution):
    """The normal distribution of vectors whose elements are independent."""

    drawn_as = AFFINE
    event_rank = 1

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        self._loc: Any = None if loc is None else as_parameter(loc, "loc")
        shape_of = self._loc
        if scale_diag is not None:
            shape_of = scale = as_parameter(scale_diag, "scale_diag")
        else:
            scale = v1_arrays.ones_like(self._loc)
        if scale_identity_multiplier is not None:
            by = as_parameter(scale_identity_multiplier, "multiplier", scale.dtype)
            factor = v1_arrays.expand_dims(by, -1)
            scale = scale + factor if scale_diag is not None else scale * factor
        if self._loc is None:
            self._loc = v1_arrays.zeros_like(shape_of)
        self._scale = scale
        given = {
            "loc": loc,
            "scale_diag": scale_diag,
            "scale_identity_multiplier": scale_identity_multiplier,
        }
        super().__init__(self._loc.dtype, name, validate_args, allow_nan_stats, given)

    @property
    def loc(self) -> Any:
        """Means of the vectors."""
        return self._loc

    @property
    def scale_diag(self) -> Any:
        """Standard deviations of the vectors' elements."""
        return self._scale

    @property
    def scale(self) -> Any:
        """The matrix that independent vectors are multiplied by, a linear operator."""
        return diagonal_scale(self._scale)

    def _like(self) -> Any:
        return self._loc + self._scale

    def _draw(self, count: Any, seed: int | None) -> Any:
        shape = sizes_behind(count, self._sizes())
        return (
            random.normal(shape, dtype=self.dtype, seed=seed) * self._scale
            + self._loc
        )

    def _log_prob(self, x: Any) -> Any:
        each = -0.5 * square((x - self._loc) / self._scale) - _HALF_LOG_2PI
        size = numbers.reduce_sum(log(elementwise.abs(self._scale)), -1)
        return numbers.reduce_sum(each, -1) + elementwise.negative(size)

    def _entropy(self) -> Any:
        scale = elementwise.abs(self._scale) * v1_arrays.ones_like(self._loc)
        count = elementwise.cast(v1_arrays.shape(scale)[-1], self.dtype)
        size = elementwise.negative(numbers.reduce_sum(log(scale), -1))
        return (0.5 + _HALF_LOG_2PI) * count - size

    def _mean(self) -> Any:
        sizes = [x.get_shape() for x in (self._loc, self._scale)]
        if sizes[0].is_fully_defined() and sizes[0] == sizes[1]:
            return arrays.identity(self._loc)
        return self._loc + v1_arrays.zeros_like(self._scale)

    _mode = _mean

    def _stddev(self) -> Any:
        return elementwise.abs(self._scale) + v1_arrays.zeros_like(self._loc)

    def _variance(self) -> Any:
        return square(self._stddev())

    def _covariance(self) -> Any:
        variance = v1_arrays.expand_dims(self._variance(), -1)
        count = self._loc.get_shape().as_list()[-1]
        return variance * arrays.eye(count, dtype=self.dtype)


@RegisterKL(MultivariateNormalDiag, MultivariateNormalDiag)
def _diagonals(a: MultivariateNormalDiag, b: MultivariateNormalDiag) -> Any:
    ratio = square(a.scale_diag / b.scale_diag)
    apart = square((a.loc - b.loc) / b.scale_diag)
    return 0.5 * numbers.reduce_sum(apart + ratio - 1.0 - log(ratio), -1)


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """The same, with standard deviations that are softplus(scale_diag)."""

    def __init__(self, loc: Any, scale_diag: Any, **kwargs: Any) -> None:
        softened = shared_nn.softplus(as_parameter(scale_diag, "scale_diag"))
        super().__init__(loc, softened, **kwargs)
