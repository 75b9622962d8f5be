"""Distributions that always give the same: Deterministic, and of vectors."""

from __future__ import annotations

from typing import Any, ClassVar

from tensorlite.compat.shared import arrays, checks, cutting, elementwise
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import (
    ShapedDistribution,
    as_parameter,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    none_negative,
    validated,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs.framework import convert_to_tensor
from tensorlite.core.errors import ShapeError
from tensorlite.graph_mode.graph import name_scope


class _Settled(ShapedDistribution):
    reparameterized = False
    least_rank: ClassVar[int] = 0

    def __init__(
        self,
        loc: Any,
        atol: Any = None,
        rtol: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str | None = None,
    ) -> None:
        with name_scope(name or type(self).__name__) as prefix:
            self._loc = convert_to_tensor(loc, name="loc")
            rank = self._loc.get_shape().rank
            if validate_args and rank is not None and rank < self.least_rank:
                raise ShapeError("Argument loc must be at least rank 1.")
            super().__init__(self._loc.dtype, prefix, validate_args, allow_nan_stats)
            self._atol, self._rtol = self._slack_of(atol), self._slack_of(rtol)
            self._slack = self._atol
            if rtol is not None:
                self._slack = self._atol + self._rtol * elementwise.abs(self._loc)

    loc = property(lambda self: self._loc)
    atol = property(lambda self: self._atol)
    rtol = property(lambda self: self._rtol)

    def _slack_of(self, given: Any) -> Any:
        if given is None:
            return convert_to_tensor(0, self.dtype)
        own = as_parameter(given, "tol", self.dtype)
        check = none_negative("Argument 'tol' must be non-negative")
        return validated(self.validate_args, own, check)

    def _like(self) -> Any:
        return self._loc

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        known = get_static_value(convert_to_tensor(n))
        rank = self._loc.get_shape().rank
        if known is not None and rank is not None:
            times: Any = [int(known)] + [1] * rank
        else:
            ones = v1_arrays.ones_like(v1_arrays.shape(self._loc))
            times = arrays.concat([[n], ones], 0)
        return cutting.tile(self._loc[None, ...], times)

    def _near(self, x: Any) -> Any:
        return elementwise.abs(x - self._loc) <= self._slack

    def _prob(self, x: Any) -> Any:
        return elementwise.cast(self._near(x), self.dtype)

    def _mean(self) -> Any:
        return arrays.identity(self._loc)

    def _mode(self) -> Any:
        return self.mean()

    def _variance(self) -> Any:
        return v1_arrays.zeros_like(self._loc)

    def _entropy(self) -> Any:
        return arrays.zeros(self.batch_shape_tensor(), self.dtype)


class Deterministic(_Settled):
    """The distribution of one number, which is always drawn."""

    def _cdf(self, x: Any) -> Any:
        return elementwise.cast(x >= self._loc - self._slack, self.dtype)


class VectorDeterministic(_Settled):
    """The distribution of one vector, which is always drawn."""

    event_rank = 1
    least_rank = 1

    def _valid_sample(self, x: Any) -> Any:
        def same_size(y: Any) -> Any:
            message = (
                "Argument 'x' not defined in the same space R^k as this distribution"
            )
            own = self.event_shape_tensor()
            return checks.assert_equal(own, v1_arrays.shape(y)[-1:], message=message)

        return validated(
            True, x, lambda y: checks.assert_rank_at_least(y, 1), same_size
        )

    def _near(self, x: Any) -> Any:
        return numbers.reduce_all(super()._near(x), axis=-1)
