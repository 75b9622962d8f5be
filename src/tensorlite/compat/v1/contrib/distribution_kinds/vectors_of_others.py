"""Distributions of vectors: independent Laplace's or exponential ones, normal ones of low rank."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from tensorlite.compat.shared import elementwise
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.shared.linear.low_rank_updates import (
    LinearOperatorLowRankUpdate,
)
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.contrib.distribution_kinds.correlated import (
    MultivariateNormalTriL,
)
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import (
    Distribution,
    as_parameter,
    sizes_behind,
)
from tensorlite.compat.v1.contrib.distribution_kinds.multivariate import (
    MultivariateNormalDiag,
    diagonal_scale,
)
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    matrices as v1_matrices,
    numbers,
)
from tensorlite.core.errors import InvalidArgumentError


class _Diagonal(Distribution):
    """Vectors whose elements are independent, of one kind but for where they are, and how wide."""

    event_rank = 1
    entropy_of_one: ClassVar[float]
    """The entropy of an element of the scale 1."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str | None = None,
    ) -> None:
        like = MultivariateNormalDiag(loc, scale_diag, scale_identity_multiplier)
        self._loc, self._scale = like.loc, like.scale_diag
        title = name or type(self).__name__
        super().__init__(
            self._loc.dtype, title, validate_args, allow_nan_stats, like.parameters
        )

    @property
    def loc(self) -> Any:
        """Where the vectors' elements are."""
        return self._loc

    @property
    def scale_diag(self) -> Any:
        """How wide the vectors' elements are spread."""
        return self._scale

    @property
    def scale(self) -> Any:
        """The matrix that independent vectors are multiplied by, a linear operator."""
        return diagonal_scale(self._scale)

    def _like(self) -> Any:
        return self._loc + self._scale

    def _one(self, shape: Any, seed: int | None) -> Any:
        """Return draws of elements at 0 and of the scale 1."""
        raise NotImplementedError

    def _log_prob_of_one(self, z: Any) -> Any:
        raise NotImplementedError

    def _draw(self, count: Any, seed: int | None) -> Any:
        shape = sizes_behind(count, self._sizes())
        return self._one(shape, seed) * self._scale + self._loc

    def _log_det(self) -> Any:
        wide = elementwise.abs(self._scale) + v1_arrays.zeros_like(self._loc)
        return numbers.reduce_sum(elementwise.log(wide), -1)

    def _log_prob(self, x: Any) -> Any:
        each = self._log_prob_of_one((x - self._loc) / self._scale)
        return numbers.reduce_sum(each, -1) - self._log_det()

    def _entropy(self) -> Any:
        each = v1_arrays.zeros_like(self._like()) + self.entropy_of_one
        return numbers.reduce_sum(each, -1) + self._log_det()

    def _mode(self) -> Any:
        return self._loc + v1_arrays.zeros_like(self._scale)

    def _variance(self) -> Any:
        return elementwise.square(self._stddev())

    def _covariance(self) -> Any:
        return v1_matrices.matrix_diag(self._variance())


class VectorLaplaceDiag(_Diagonal):
    """Vectors of independent elements of Laplace's distribution."""

    entropy_of_one = 1.0 + math.log(2.0)

    def _one(self, shape: Any, seed: int | None) -> Any:
        least = -1.0 + 1e-7
        drawn = random.uniform(shape, least, 1.0, self.dtype, seed=seed)
        return -elementwise.sign(drawn) * elementwise.log1p(-elementwise.abs(drawn))

    def _log_prob_of_one(self, z: Any) -> Any:
        return -elementwise.abs(z) - math.log(2.0)

    def _mean(self) -> Any:
        return self._mode()

    def _stddev(self) -> Any:
        wide = elementwise.abs(self._scale) + v1_arrays.zeros_like(self._loc)
        return math.sqrt(2.0) * wide


class VectorExponentialDiag(_Diagonal):
    """Vectors of independent elements that are exponentially spread from loc on."""

    entropy_of_one = 1.0

    def _one(self, shape: Any, seed: int | None) -> Any:
        drawn = random.uniform(shape, dtype=self.dtype, seed=seed)
        return -elementwise.log1p(-drawn)

    def _log_prob_of_one(self, z: Any) -> Any:
        return -z

    def _mean(self) -> Any:
        return self._loc + self._scale

    def _stddev(self) -> Any:
        return elementwise.abs(self._scale) + v1_arrays.zeros_like(self._loc)


class MultivariateNormalDiagPlusLowRank(MultivariateNormalTriL):
    """Normal vectors: independent ones times a diagonal matrix plus one of low rank, moved.

    The matrix is diag(scale_diag) + scale_identity_multiplier I + U diag(d) U^T, of
    scale_perturb_factor U, [..., size, rank], and scale_perturb_diag d, ones if None.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        scale_perturb_factor: Any = None,
        scale_perturb_diag: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagPlusLowRank",
    ) -> None:
        if loc is None and scale_diag is None:
            raise InvalidArgumentError(
                "Cannot infer `event_shape` unless `loc` or `scale_diag` is specified."
            )
        like = MultivariateNormalDiag(loc, scale_diag, scale_identity_multiplier)
        self._updated = like.scale
        if scale_perturb_factor is not None:
            factor = as_parameter(scale_perturb_factor, "scale_perturb_factor")
            d = scale_perturb_diag
            if d is not None:
                d = as_parameter(d, "scale_perturb_diag")
            self._updated = LinearOperatorLowRankUpdate(
                like.scale, factor, d, is_non_singular=True
            )
        scale = self._updated.to_dense()
        whole = matrices.matmul(scale, scale, transpose_b=True)
        lower = matrices.cholesky(whole)
        super().__init__(loc, lower, validate_args, allow_nan_stats, name)
        self.parameters = {
            "loc": loc,
            "scale_diag": scale_diag,
            "scale_identity_multiplier": scale_identity_multiplier,
            "scale_perturb_factor": scale_perturb_factor,
            "scale_perturb_diag": scale_perturb_diag,
        }

    @property
    def scale(self) -> Any:
        """The diagonal matrix with the one of low rank, a linear operator."""
        return self._updated
