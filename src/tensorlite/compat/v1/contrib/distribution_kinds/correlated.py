"""Normal distributions of vectors whose elements hang together."""

from __future__ import annotations

import math
from typing import Any

from tensorlite.compat.shared import elementwise
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.shared.linear.linear_operator import (
    LinearOperatorLowerTriangular,
)
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import (
    Distribution,
    RegisterKL,
    as_parameter,
    sizes_behind,
)
from tensorlite.compat.v1.contrib.distribution_kinds.multivariate import (
    AFFINE,
    MultivariateNormalDiag,
)
from tensorlite.compat.v1.functions import arrays, matrices as v1_matrices, numbers
from tensorlite.graph_mode.graph import name_scope

_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


class MultivariateNormalTriL(Distribution):
    """Normal vectors: independent ones times a lower triangular matrix, moved."""

    drawn_as = AFFINE
    event_rank = 1

    def __init__(
        self,
        loc: Any = None,
        scale_tril: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalTriL",
    ) -> None:
        if scale_tril is None and loc is None:
            raise ValueError("Must specify one or both of `loc`, `scale_tril`.")
        own = None if loc is None else as_parameter(loc, "loc")
        if scale_tril is None:
            self._factor = v1_matrices.matrix_diag(arrays.ones_like(own))
        else:
            factor = as_parameter(scale_tril, "scale_tril")
            self._factor = matrices.band_part(factor, -1, 0)
        self._zeros = arrays.zeros_like(self._factor)[..., 0]
        self._loc = self._zeros if own is None else own
        given = {"loc": loc, "scale_tril": scale_tril}
        super().__init__(
            self._factor.dtype, name, validate_args, allow_nan_stats, given
        )

    @property
    def loc(self) -> Any:
        """Means of the vectors."""
        return self._loc

    @property
    def scale_tril(self) -> Any:
        """The lower triangular matrix."""
        return self._factor

    @property
    def scale(self) -> Any:
        """The matrix that independent vectors are multiplied by, a linear operator."""
        return LinearOperatorLowerTriangular(self._factor, is_non_singular=True)

    def _like(self) -> Any:
        return self._loc + self._zeros

    def _draw(self, count: Any, seed: int | None) -> Any:
        shape = sizes_behind(count, self._sizes())
        drawn = random.normal(shape, dtype=self.dtype, seed=seed)
        return self._loc + _times(self._factor, drawn)

    def _log_prob(self, x: Any) -> Any:
        with name_scope("affine_linear_operator/inverse"):
            apart = _solved(self._factor, x - self._loc)
        each = -0.5 * elementwise.square(apart) - _HALF_LOG_2PI
        size = numbers.reduce_sum(each, -1)
        with name_scope("affine_linear_operator_1/inverse_log_det_jacobian"):
            volume = -self.log_det()
        return size + volume

    def log_det(self) -> Any:
        """Return the logarithm of by how much the matrix makes volumes larger."""
        diagonal = v1_matrices.matrix_diag_part(self._factor)
        return numbers.reduce_sum(elementwise.log(elementwise.abs(diagonal)), -1)

    def _entropy(self) -> Any:
        each = arrays.zeros_like(self._like()) + 0.5 + _HALF_LOG_2PI
        return numbers.reduce_sum(each, -1) + self.log_det()

    def _mean(self) -> Any:
        return self._like()

    _mode = _mean

    def _covariance(self) -> Any:
        return matrices.matmul(self._factor, self._factor, transpose_b=True)

    def _variance(self) -> Any:
        return v1_matrices.matrix_diag_part(self._covariance()) + 0.0 * self._like()

    def _stddev(self) -> Any:
        return elementwise.sqrt(self._variance())


class MultivariateNormalFullCovariance(MultivariateNormalTriL):
    """Normal vectors of a given covariance."""

    def __init__(
        self,
        loc: Any = None,
        covariance_matrix: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalFullCovariance",
    ) -> None:
        factor = None
        if covariance_matrix is not None:
            whole = as_parameter(covariance_matrix, "covariance_matrix")
            factor = matrices.cholesky(whole)
        super().__init__(loc, factor, validate_args, allow_nan_stats, name)
        self.parameters = {"loc": loc, "covariance_matrix": covariance_matrix}


def _times(matrix: Any, x: Any) -> Any:
    """Return a matrix times each of several vectors."""
    return numbers.reduce_sum(matrix * arrays.expand_dims(x, -2), -1)


def _solved(factor: Any, x: Any) -> Any:
    """Return what a lower triangular matrix makes vectors of."""
    columns = arrays.expand_dims(x, -1)
    whole = factor + arrays.zeros_like(columns)
    return matrices.triangular_solve(whole, columns + whole[..., :1] * 0.0)[..., 0]


def _with_matrix(x: MultivariateNormalDiag | MultivariateNormalTriL) -> Any:
    if isinstance(x, MultivariateNormalTriL):
        return x
    return MultivariateNormalTriL(x.loc, v1_matrices.matrix_diag(x.scale_diag))


@RegisterKL(MultivariateNormalDiag, MultivariateNormalTriL)
@RegisterKL(MultivariateNormalTriL, MultivariateNormalDiag)
def _one_correlated(
    a: MultivariateNormalDiag | MultivariateNormalTriL,
    b: MultivariateNormalDiag | MultivariateNormalTriL,
) -> Any:
    return _correlated(_with_matrix(a), _with_matrix(b))


@RegisterKL(MultivariateNormalTriL, MultivariateNormalTriL)
def _correlated(a: MultivariateNormalTriL, b: MultivariateNormalTriL) -> Any:
    factor = a.scale_tril + arrays.zeros_like(b.scale_tril)
    own = b.scale_tril + arrays.zeros_like(a.scale_tril)
    ratio = elementwise.square(matrices.triangular_solve(own, factor))
    apart = elementwise.square(_solved(b.scale_tril, b.loc - a.loc))
    count = numbers.reduce_sum(arrays.ones_like(apart), -1)
    traces = numbers.reduce_sum(ratio, [-2, -1]) + numbers.reduce_sum(apart, -1)
    return b.log_det() - a.log_det() + 0.5 * (traces - count)
