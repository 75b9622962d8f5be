"""Vectors of independent numbers of one kind, times a linear operator, moved: normal ones first.

Those of Laplace's and of exponential numbers are in vectors_of_others.py.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from tensorlite.compat.shared import arrays, checks, elementwise, nn as shared_nn
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.shared.linear.linear_operator import (
    LinearOperator,
    LinearOperatorLowerTriangular,
)
from tensorlite.compat.shared.linear.low_rank_updates import (
    LinearOperatorLowRankUpdate,
)
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_vectors import (
    AffineLinearOperator,
)
from tensorlite.compat.v1.contrib.distribution_kinds.continuous import Normal
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import Distribution
from tensorlite.compat.v1.contrib.distribution_kinds.divergences import RegisterKL
from tensorlite.compat.v1.contrib.distribution_kinds.scales import (
    diagonal_scale,
    given,
    identity_scale,
    is_diagonal,
    shapes_of,
)
from tensorlite.compat.v1.contrib.distribution_kinds.transformed import (
    TransformedDistribution,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import validated
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    matrices as v1_matrices,
    numbers,
)
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope


class MovedVectors(TransformedDistribution):
    """Vectors of independent numbers times a linear operator, moved by `loc`."""

    spread: ClassVar[float] = 1.0
    """The variance of one of the independent numbers."""

    def __init__(
        self,
        loc: Any = None,
        scale: LinearOperator | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str | None = None,
    ) -> None:
        if scale is None:
            raise InvalidArgumentError("Missing required `scale` parameter.")
        if not scale.dtype.is_floating:
            raise DTypeError("`scale` parameter must have floating-point dtype.")
        with name_scope(name or type(self).__name__) as prefix:
            place = given(loc, "loc")
            batch_shape, event_shape = shapes_of(place, scale)
        self._loc, self._scale = place, scale
        with name_scope(self._base_scope(prefix)):
            super().__init__(
                self._of_one(scale.dtype),
                AffineLinearOperator(place, scale, validate_args),
                batch_shape,
                event_shape,
                validate_args,
                prefix,
            )

    def _base_scope(self, prefix: str) -> str | None:
        """Return the scope of what vectors are made of."""
        return prefix

    def _of_one(self, dtype: Any) -> Distribution:
        """Return the distribution of the independent numbers."""
        raise NotImplementedError

    @property
    def loc(self) -> Any:
        """What vectors are moved by."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The matrix that independent vectors are multiplied by, a linear operator."""
        return self._scale

    def _whole_shape(self) -> Any:
        known = self.batch_shape.concatenate(self.event_shape)
        if known.is_fully_defined():
            return known
        return arrays.concat(
            [self.batch_shape_tensor(), self.event_shape_tensor()], 0
        )

    def _mean(self) -> Any:
        shape = self._whole_shape()
        if self.loc is None:
            return arrays.zeros(shape, self.dtype)
        found = arrays.identity(self.loc)
        if self.loc.get_shape().is_fully_defined() and self.loc.get_shape() == shape:
            return found
        return found + arrays.zeros(shape, self.dtype)

    def _mode(self) -> Any:
        return self._mean()

    def _times(self, x: Any, factor: float) -> Any:
        return x if factor == 1.0 else factor * x

    def _squared(self) -> Any:
        """Return the operator's matrix times its transpose, with what single numbers vary by."""
        scale = self.scale
        updated = isinstance(scale, LinearOperatorLowRankUpdate)
        turned = not (updated and scale.is_self_adjoint)
        return scale.matmul(scale.to_dense(), adjoint_arg=turned)

    def _covariance(self) -> Any:
        if is_diagonal(self.scale):
            sizes = elementwise.square(self.scale.diag_part())
            return self._times(v1_matrices.matrix_diag(sizes), self.spread)
        whole = self.scale.matmul(self.scale.to_dense(), adjoint_arg=True)
        return self._times(whole, self.spread)

    def _variance(self) -> Any:
        if is_diagonal(self.scale):
            found = elementwise.square(self.scale.diag_part())
        else:
            found = v1_matrices.matrix_diag_part(self._squared())
        return self._times(found, self.spread)

    def _stddev(self) -> Any:
        if is_diagonal(self.scale):
            found = elementwise.abs(self.scale.diag_part())
        else:
            own = v1_matrices.matrix_diag_part(self._squared())
            found = elementwise.sqrt(own)
        return self._times(found, math.sqrt(self.spread))


class MultivariateNormalLinearOperator(MovedVectors):
    """Normal vectors: independent ones times a linear operator, moved."""

    def _base_scope(self, prefix: str) -> str | None:
        return None

    def _of_one(self, dtype: Any) -> Distribution:
        return Normal(arrays.zeros([], dtype), arrays.ones([], dtype))


class MultivariateNormalDiag(MultivariateNormalLinearOperator):
    """The normal distribution of vectors whose elements are independent."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        with name_scope(name) as prefix, name_scope("init"):
            scale = diagonal_scale(loc, scale_diag, scale_identity_multiplier)
        super().__init__(loc, scale, validate_args, allow_nan_stats, prefix)


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """The same, with standard deviations that are softplus(scale_diag)."""

    def __init__(
        self,
        loc: Any,
        scale_diag: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagWithSoftplusScale",
    ) -> None:
        with name_scope(name) as prefix:
            super().__init__(
                loc,
                shared_nn.softplus(scale_diag),
                None,
                validate_args,
                allow_nan_stats,
                prefix,
            )


class MultivariateNormalTriL(MultivariateNormalLinearOperator):
    """Normal vectors: independent ones times a lower triangular matrix, moved."""

    def __init__(
        self,
        loc: Any = None,
        scale_tril: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalTriL",
    ) -> None:
        if loc is None and scale_tril is None:
            raise InvalidArgumentError(
                "Must specify one or both of `loc`, `scale_tril`."
            )
        with name_scope(name) as prefix, name_scope("init"):
            place, lower = given(loc, "loc"), given(scale_tril, "scale_tril")
            if lower is None:
                size = place.get_shape()[-1].value
                known = v1_arrays.shape(place)[-1] if size is None else size
                scale = identity_scale(known, place.dtype, validate_args)
            else:
                scale = LinearOperatorLowerTriangular(
                    lower,
                    is_non_singular=True,
                    is_self_adjoint=False,
                    is_positive_definite=False,
                )
        super().__init__(place, scale, validate_args, allow_nan_stats, prefix)


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
        with name_scope(name) as prefix, name_scope("init"):
            lower = None
            if covariance_matrix is not None:
                whole = given(covariance_matrix, "covariance_matrix")
                lower = matrices.cholesky(validated(validate_args, whole, _symmetric))
            super().__init__(loc, lower, validate_args, allow_nan_stats, prefix)


def _symmetric(x: Any) -> Any:
    other = matrices.matrix_transpose(x)
    return checks.assert_near(x, other, message="Matrix was not symmetric")


class MultivariateNormalDiagPlusLowRank(MultivariateNormalLinearOperator):
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
        is_updated = (
            scale_perturb_factor is not None or scale_perturb_diag is not None
        )
        with name_scope(name) as prefix, name_scope("init"):
            scale = diagonal_scale(
                loc,
                scale_diag,
                scale_identity_multiplier,
                validate_args=validate_args,
                assert_positive=is_updated,
            )
            factor = given(scale_perturb_factor, "scale_perturb_factor")
            weights = given(scale_perturb_diag, "scale_perturb_diag")
            if is_updated:
                scale = LinearOperatorLowRankUpdate(
                    scale,
                    u=factor,
                    diag_update=weights,
                    is_diag_update_positive=weights is None,
                    is_non_singular=True,
                    is_self_adjoint=True,
                    is_positive_definite=True,
                    is_square=True,
                )
        super().__init__(loc, scale, validate_args, allow_nan_stats, prefix)


def _norm(x: Any) -> Any:
    return numbers.reduce_sum(elementwise.square(x), axis=[-2, -1])


@RegisterKL(MultivariateNormalLinearOperator, MultivariateNormalLinearOperator)
def _normal_vectors(
    a: MultivariateNormalLinearOperator,
    b: MultivariateNormalLinearOperator,
    name: str | None = None,
) -> Any:
    with name_scope(name, "kl_mvn"):
        if is_diagonal(a.scale) and is_diagonal(b.scale):
            ratio = (a.stddev() / b.stddev())[..., None]
        else:
            ratio = b.scale.solve(a.scale.to_dense())
        volumes = b.scale.log_abs_determinant() - a.scale.log_abs_determinant()
        size = elementwise.cast(a.scale.domain_dimension_tensor(), a.dtype)
        apart = b.scale.solve((b.mean() - a.mean())[..., None])
        return volumes + 0.5 * (-size + _norm(ratio) + _norm(apart))
