"""Vectors of independent numbers that are not normal: Laplace's, exponential, of other tails."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_elements import (
    SinhArcsinh as SinhArcsinhBijector,
)
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_others import Chain
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_vectors import (
    Affine,
)
from tensorlite.compat.v1.contrib.distribution_kinds.continuous import (
    Exponential,
    Laplace,
    Normal,
)
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import (
    FULLY_REPARAMETERIZED,
    Distribution,
)
from tensorlite.compat.v1.contrib.distribution_kinds.moved_vectors import MovedVectors
from tensorlite.compat.v1.contrib.distribution_kinds.scales import (
    diagonal_scale,
    given,
    shapes_of,
)
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import as_parameter
from tensorlite.compat.v1.contrib.distribution_kinds.transformed import (
    TransformedDistribution,
)
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope


class VectorLaplaceLinearOperator(MovedVectors):
    """Vectors of numbers of Laplace's distribution, times a linear operator, moved."""

    spread = 2.0

    def _of_one(self, dtype: Any) -> Distribution:
        return Laplace(arrays.zeros([], dtype), arrays.ones([], dtype))


class VectorExponentialLinearOperator(MovedVectors):
    """Vectors of exponential numbers, times a linear operator, moved."""

    def _of_one(self, dtype: Any) -> Distribution:
        return Exponential(arrays.ones([], dtype))

    def _moved(self, x: Any) -> Any:
        found = self.scale.matvec(x)
        return found if self.loc is None else arrays.identity(self.loc) + found

    def _mean(self) -> Any:
        return self._moved(arrays.ones(self._whole_shape(), self.dtype))

    def _mode(self) -> Any:
        return self._moved(arrays.zeros(self._whole_shape(), self.dtype))


class VectorLaplaceDiag(VectorLaplaceLinearOperator):
    """Vectors of independent elements of Laplace's distribution."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorLaplaceDiag",
    ) -> None:
        with name_scope(name) as prefix:
            scale = diagonal_scale(loc, scale_diag, scale_identity_multiplier)
            super().__init__(loc, scale, validate_args, allow_nan_stats, prefix)


class VectorExponentialDiag(VectorExponentialLinearOperator):
    """Vectors of independent elements that are exponentially spread from loc on."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorExponentialDiag",
    ) -> None:
        with name_scope(name) as prefix:
            scale = diagonal_scale(loc, scale_diag, scale_identity_multiplier)
            super().__init__(loc, scale, validate_args, allow_nan_stats, prefix)


def bent(
    skewness: Any, tailweight: Any, dtype: Any
) -> tuple[SinhArcsinhBijector, Any, Any, Any]:
    """Return the bijector that bends numbers, what it takes, and half of what 2 becomes unskewed.

    Numbers that are divided by the last are about as widely spread as before.
    """
    weight = as_parameter(
        1.0 if tailweight is None else tailweight, "tailweight", dtype
    )
    lean = as_parameter(0.0 if skewness is None else skewness, "skewness", dtype)
    bend = straight = SinhArcsinhBijector(lean, weight)
    if skewness is not None:
        straight = SinhArcsinhBijector(dtype.numpy.type(0), weight)
    two = constant(2.0, dtype)
    return bend, lean, weight, straight.forward(two)


def scalar_base(distribution: Distribution, dtype: Any, validate_args: bool) -> None:
    """Check that a distribution is one of single numbers, that vectors can be made of."""
    if distribution.dtype != dtype:
        raise DTypeError(
            f'dtype mismatch; distribution.dtype="{distribution.dtype.name}" is not '
            f'"{dtype.name}"'
        )
    flows = distribution.reparameterization_type
    if validate_args and flows is not FULLY_REPARAMETERIZED:
        raise InvalidArgumentError(
            "Base distribution should be reparameterized or be a function of non-trainable "
            f'variables; distribution.reparameterization_type = "{flows}" != '
            '"FULLY_REPARAMETERIZED".'
        )
    shapes = {"event": distribution.event_shape, "batch": distribution.batch_shape}
    for what, shape in shapes.items():
        if shape.rank:
            raise InvalidArgumentError(
                f"distribution must be scalar; distribution.is_scalar_{what}=False is not True"
            )


class VectorSinhArcsinhDiag(TransformedDistribution):
    """Vectors of independent elements that lean, and whose tails are lighter or heavier."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        skewness: Any = None,
        tailweight: Any = None,
        distribution: Distribution | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalLinearOperator",
    ) -> None:
        with name_scope(name) as prefix:
            self._loc = given(loc, "loc")
            factor = scale_identity_multiplier
            self._scale = diagonal_scale(self._loc, scale_diag, factor)
            batch_shape, event_shape = shapes_of(self._loc, self._scale)
            dtype = self._scale.dtype
            if distribution is None:
                zero, one = arrays.zeros([], dtype), arrays.ones([], dtype)
                distribution = Normal(zero, one, allow_nan_stats=allow_nan_stats)
            scalar_base(distribution, dtype, validate_args)
            bend, self._skewness, self._tailweight, width = bent(
                skewness, tailweight, dtype
            )
            own = 2 * self._scale.diag_part() / width
            moved = Affine(self._loc, scale_diag=own, validate_args=validate_args)
            super().__init__(
                distribution,
                Chain([moved, bend]),
                batch_shape,
                event_shape,
                validate_args,
                prefix,
            )

    loc = property(lambda self: self._loc)
    scale = property(lambda self: self._scale)
    skewness = property(lambda self: self._skewness)
    tailweight = property(lambda self: self._tailweight)
