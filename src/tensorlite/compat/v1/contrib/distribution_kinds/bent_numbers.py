"""Numbers that a bijector bends: Kumaraswamy's distribution, normal ones of other tails."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_elements import (
    AffineScalar,
    Kumaraswamy as KumaraswamyBijector,
)
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_others import Chain
from tensorlite.compat.v1.contrib.distribution_kinds.continuous import (
    Normal,
    Uniform,
)
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import (
    FULLY_REPARAMETERIZED,
    Distribution,
)
from tensorlite.compat.v1.contrib.distribution_kinds.scales import broadcast_shape
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import as_parameter
from tensorlite.compat.v1.contrib.distribution_kinds.transformed import (
    TransformedDistribution,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    above_one_by,
    validated,
)
from tensorlite.compat.v1.contrib.distribution_kinds.vectors_of_others import (
    bent,
    scalar_base,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.graph_mode.graph import name_scope

log = elementwise.log


def _harmonic(x: Any) -> Any:
    """Return 1 + 1/2 + ... + 1/x, for what is no whole number too."""
    one = arrays.ones([], x.dtype)
    return elementwise.digamma(x + one) - elementwise.digamma(one)


class Kumaraswamy(TransformedDistribution):
    """Numbers in (0, 1) that are below x with the chance 1 - (1 - x^a)^b.

    a is `concentration1`, b `concentration0`.
    """

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Kumaraswamy",
    ) -> None:
        with name_scope(name) as prefix:
            one = as_parameter(concentration1, "concentration1")
            zero = as_parameter(concentration0, "concentration0", one.dtype)
        dtype = one.dtype
        ends = arrays.zeros([], dtype), arrays.ones([], dtype)
        super().__init__(
            Uniform(*ends, allow_nan_stats=allow_nan_stats),
            KumaraswamyBijector(one, zero, validate_args),
            broadcast_shape(one, zero),
            name=prefix,
        )
        self._reparameterization_type = FULLY_REPARAMETERIZED

    concentration1 = property(lambda self: self._bijector.concentration1)
    concentration0 = property(lambda self: self._bijector.concentration0)

    def _entropy(self) -> Any:
        a, b = self.concentration1, self.concentration0
        found = 1 - 1.0 / a + (1 - 1.0 / b) * _harmonic(b)
        return found + log(a) + log(b)

    def _moment(self, power: int) -> Any:
        total = self.concentration1 + self.concentration0
        one, zero = [
            v1_arrays.ones_like(total, self.dtype) * x
            for x in (self.concentration1, self.concentration0)
        ]
        both = arrays.stack([1 + power / one, zero], -1)
        return elementwise.exp(log(zero) + elementwise.lbeta(both))

    def _mean(self) -> Any:
        return self._moment(1)

    def _variance(self) -> Any:
        return self._moment(2) - elementwise.square(self._moment(1))

    def _mode(self) -> Any:
        a, b = self.concentration1, self.concentration0
        found = ((a - 1) / (a * b - 1)) ** (1.0 / a)
        if self.allow_nan_stats:
            none = np.array(np.nan, self.dtype.numpy)
            nan = arrays.fill(self.batch_shape_tensor(), none, name="nan")
            is_there = elementwise.logical_and(a > 1.0, b > 1.0)
            return v1_arrays.where_v2(is_there, found, nan)
        message = "Mode undefined for {} <= 1."
        each = [
            above_one_by(x, message.format(name))
            for x, name in ((a, "concentration1"), (b, "concentration0"))
        ]
        return validated(True, found, *each)


class SinhArcsinh(TransformedDistribution):
    """Numbers that lean, and whose tails are lighter or heavier, of normal ones if not told."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        skewness: Any = None,
        tailweight: Any = None,
        distribution: Distribution | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "SinhArcsinh",
    ) -> None:
        with name_scope(name) as prefix:
            self._loc = as_parameter(loc, "loc")
            dtype = self._loc.dtype
            self._scale = as_parameter(scale, "scale", dtype)
            bend, self._skewness, self._tailweight, width = bent(
                skewness, tailweight, dtype
            )
            parts = self._loc, self._scale, self._tailweight, self._skewness
            shape = broadcast_shape(*parts)
            if distribution is None:
                ends = arrays.zeros([], dtype), arrays.ones([], dtype)
                distribution = Normal(*ends, allow_nan_stats=allow_nan_stats)
            scalar_base(distribution, dtype, validate_args)
            wide = 2 * self._scale / width
            moved = AffineScalar(self._loc, wide, validate_args)
            super().__init__(
                distribution,
                Chain([moved, bend]),
                shape,
                validate_args=validate_args,
                name=prefix,
            )

    loc = property(lambda self: self._loc)
    scale = property(lambda self: self._scale)
    skewness = property(lambda self: self._skewness)
    tailweight = property(lambda self: self._tailweight)
