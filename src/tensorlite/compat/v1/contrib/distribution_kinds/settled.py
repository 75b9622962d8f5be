"""Distributions that always give the same: Deterministic, and of vectors."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays, cutting, elementwise
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import (
    Distribution,
    as_parameter,
    sizes_behind,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers


class _Settled(Distribution):
    def __init__(
        self,
        loc: Any,
        atol: Any = None,
        rtol: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str | None = None,
    ) -> None:
        self._loc = as_parameter(loc, "loc")
        dtype = self._loc.dtype
        self._atol = as_parameter(0 if atol is None else atol, "atol", dtype)
        self._rtol = as_parameter(0 if rtol is None else rtol, "rtol", dtype)
        given = {"loc": loc, "atol": atol, "rtol": rtol}
        title = name or type(self).__name__
        super().__init__(dtype, title, validate_args, allow_nan_stats, given)

    loc = property(lambda self: self._loc)
    atol = property(lambda self: self._atol)
    rtol = property(lambda self: self._rtol)

    def _like(self) -> Any:
        return self._loc

    def _draw(self, count: Any, seed: int | None) -> Any:
        return cutting.broadcast_to(self._loc, sizes_behind(count, self._sizes()))

    def _near(self, x: Any) -> Any:
        slack = self._atol + self._rtol * elementwise.abs(self._loc)
        return elementwise.abs(x - self._loc) <= slack

    def _log_prob(self, x: Any) -> Any:
        return elementwise.log(elementwise.cast(self._near(x), self.dtype))

    def _mean(self) -> Any:
        return arrays.identity(self._loc)

    _mode = _mean

    def _variance(self) -> Any:
        return v1_arrays.zeros_like(self._loc)


class Deterministic(_Settled):
    """The distribution of one number, which is always drawn."""

    def _cdf(self, x: Any) -> Any:
        slack = self._atol + self._rtol * elementwise.abs(self._loc)
        return elementwise.cast(x >= self._loc - slack, self.dtype)

    def _entropy(self) -> Any:
        return v1_arrays.zeros_like(self._loc)


class VectorDeterministic(_Settled):
    """The distribution of one vector, which is always drawn."""

    event_rank = 1

    def _near(self, x: Any) -> Any:
        return numbers.reduce_all(super()._near(x), -1)

    def _entropy(self) -> Any:
        return v1_arrays.zeros_like(self._loc[..., 0])
