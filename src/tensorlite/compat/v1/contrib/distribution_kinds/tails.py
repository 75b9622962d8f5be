"""More distributions of real numbers: heavy tails, halves and inverses of others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, elementwise, nn as shared_nn
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.contrib.distribution_kinds.continuous import LocationScale
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import (
    Distribution,
    as_parameter,
    held,
    new_seed,
    sizes_behind,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    positive,
    validated,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.graph_mode.graph import name_scope

log, log1p, exp = elementwise.log, elementwise.log1p, elementwise.exp
square, lgamma = elementwise.square, elementwise.lgamma


def _where(condition: Any, x: Any, otherwise: float) -> Any:
    """Return a tensor, and another number where a condition does not hold."""
    rest = v1_arrays.zeros_like(x) + otherwise
    return v1_arrays.where_v2(condition, x, rest)


class Cauchy(LocationScale):
    """Quotients of normal numbers: there is no mean."""

    def _draw(self, count: Any, seed: int | None) -> Any:
        shape = sizes_behind(count, self._sizes())
        unit = random.uniform(shape, 0.0, 1.0, self.dtype, seed)
        return self._quantile(unit)

    def _log_prob(self, x: Any) -> Any:
        behind = math.log(math.pi) + log(self._scale)
        return -log1p(square(self._standard(x))) - behind

    def _cdf(self, x: Any) -> Any:
        return elementwise.atan(self._standard(x)) / math.pi + 0.5

    def _quantile(self, p: Any) -> Any:
        return self._loc + self._scale * elementwise.tan(math.pi * (p - 0.5))

    def _entropy(self) -> Any:
        return math.log(4 * math.pi) + log(self._scale) + 0.0 * self._loc

    def _mean(self) -> Any:
        return self._like() * float("nan")

    _variance = _stddev = _mean

    def _mode(self) -> Any:
        return self._loc * v1_arrays.ones_like(self._scale)


class Logistic(LocationScale):
    """What the logistic function is the cumulative distribution of."""

    def _draw(self, count: Any, seed: int | None) -> Any:
        shape = sizes_behind(count, self._sizes())
        least = float(np.finfo(self.dtype.numpy).tiny)
        unit = random.uniform(shape, least, 1.0, self.dtype, seed)
        return self._quantile(unit)

    def _log_prob(self, x: Any) -> Any:
        z = self._standard(x)
        return -z - 2.0 * shared_nn.softplus(-z) - log(self._scale)

    def _cdf(self, x: Any) -> Any:
        return elementwise.sigmoid(self._standard(x))

    def _quantile(self, p: Any) -> Any:
        return (log(p) - log1p(-p)) * self._scale + self._loc

    def _entropy(self) -> Any:
        return 2.0 + log(self._scale) + 0.0 * self._loc

    def _variance(self) -> Any:
        return square(self._stddev())

    def _stddev(self) -> Any:
        return self._scale * (math.pi / math.sqrt(3)) + 0.0 * self._loc


class HalfNormal(Distribution):
    """Absolute values of normal numbers around 0."""

    def __init__(
        self,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "HalfNormal",
    ) -> None:
        self._scale = as_parameter(scale, "scale")
        given = {"scale": scale}
        super().__init__(
            self._scale.dtype, name, validate_args, allow_nan_stats, given
        )

    @property
    def scale(self) -> Any:
        """Standard deviations of the normal numbers."""
        return self._scale

    def _like(self) -> Any:
        return self._scale

    def _draw(self, count: Any, seed: int | None) -> Any:
        shape = sizes_behind(count, self._sizes())
        drawn = random.normal(shape, dtype=self.dtype, seed=seed)
        return elementwise.abs(drawn * self._scale)

    def _log_prob(self, x: Any) -> Any:
        first = 0.5 * math.log(2.0 / math.pi) - log(self._scale)
        return _where(x >= 0.0, first - 0.5 * square(x / self._scale), -math.inf)

    def _cdf(self, x: Any) -> Any:
        inside = elementwise.erf(x / self._scale / math.sqrt(2.0))
        return _where(x >= 0.0, inside, 0.0)

    def _entropy(self) -> Any:
        return 0.5 * log(math.pi * square(self._scale) / 2.0) + 0.5

    def _mean(self) -> Any:
        return self._scale * math.sqrt(2.0 / math.pi)

    def _mode(self) -> Any:
        return v1_arrays.zeros_like(self._scale)

    def _variance(self) -> Any:
        return square(self._scale) * (1.0 - 2.0 / math.pi)

    def _stddev(self) -> Any:
        return self._scale * math.sqrt(1.0 - 2.0 / math.pi)


class InverseGamma(Distribution):
    """Inverses of gamma-distributed numbers."""

    reparameterized = False

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGamma",
    ) -> None:
        self._concentration = as_parameter(concentration, "concentration")
        self._rate = as_parameter(rate, "rate", self._concentration.dtype)
        given = {"concentration": concentration, "rate": rate}
        own = self._concentration.dtype
        super().__init__(own, name, validate_args, allow_nan_stats, given)

    @property
    def concentration(self) -> Any:
        """The shape parameters, often called alpha."""
        return self._concentration

    @property
    def rate(self) -> Any:
        """The inverse scales of the gamma distributions, often called beta."""
        return self._rate

    def _like(self) -> Any:
        return self._concentration + self._rate

    def _draw(self, count: Any, seed: int | None) -> Any:
        sizes = [count]
        drawn = random.gamma(sizes, self._concentration, self._rate, self.dtype, seed)
        return 1.0 / drawn

    def _log_prob(self, x: Any) -> Any:
        a, b = self._concentration, self._rate
        return a * log(b) - lgamma(a) - (1.0 + a) * log(x) - b / x

    def _cdf(self, x: Any) -> Any:
        return elementwise.igammac(self._concentration, self._rate / x)

    def _entropy(self) -> Any:
        a = self._concentration
        digamma = elementwise.digamma(a)
        return a + log(self._rate) + lgamma(a) - (1.0 + a) * digamma

    def _mean(self) -> Any:
        a = self._concentration
        return _where(a > 1.0, self._rate / (a - 1.0), math.nan)

    def _mode(self) -> Any:
        return self._rate / (1.0 + self._concentration)

    def _variance(self) -> Any:
        a = self._concentration
        found = square(self._rate) / square(a - 1.0) / (a - 2.0)
        return _where(a > 2.0, found, math.nan)

    def _stddev(self) -> Any:
        return elementwise.sqrt(self._variance())


class StudentT(Distribution):
    """Normal numbers, each over the root of a mean of squares of others."""

    broadcast = ("df", "loc", "scale")

    def __init__(
        self,
        df: Any,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        with name_scope(name) as prefix:
            freedom = held(df, "df")
            self._df = validated(validate_args, freedom, positive())
            dtype = self._df.dtype
            self._loc, self._scale = (
                held(loc, "loc", dtype),
                held(scale, "scale", dtype),
            )
        given = {"df": df, "loc": loc, "scale": scale}
        super().__init__(dtype, prefix, validate_args, allow_nan_stats, given)

    @property
    def df(self) -> Any:
        """Degrees of freedom, all positive: the smaller, the heavier the tails."""
        return self._df

    @property
    def loc(self) -> Any:
        """Centres of the distributions."""
        return self._loc

    @property
    def scale(self) -> Any:
        """Widths of the distributions."""
        return self._scale

    def _like(self) -> Any:
        return self._df + self._loc + self._scale

    def _draw(self, count: Any, seed: int | None) -> Any:
        normal = random.normal(self.behind(count), dtype=self.dtype, seed=seed)
        df = self._df * arrays.ones(self.batch_shape_tensor(), self.dtype)
        other = new_seed(seed, "student_t")
        gamma = random.gamma([count], 0.5 * df, 0.5, self.dtype, other)
        return normal * elementwise.rsqrt(gamma / df) * self._scale + self._loc

    def _normalizer(self) -> Any:
        whole = log(elementwise.abs(self._scale)) + 0.5 * log(self._df)
        whole = whole + 0.5 * math.log(math.pi) + lgamma(0.5 * self._df)
        return whole - lgamma(0.5 * (self._df + 1.0))

    def _log_prob(self, x: Any) -> Any:
        z = (x - self._loc) / self._scale
        power = -0.5 * (self._df + 1.0) * log1p(z**2.0 / self._df)
        return power - self._normalizer()

    def _cdf(self, x: Any) -> Any:
        z = (x - self._loc) / elementwise.abs(self._scale)
        share = self._df / (square(z) + self._df)
        tail = 0.5 * elementwise.betainc(
            0.5 * self._df + 0.0 * share, 0.5 + 0.0 * share, share
        )
        return v1_arrays.where_v2(z < 0.0, tail, 1.0 - tail)

    def _entropy(self) -> Any:
        df = self._df
        one = arrays.ones(self.batch_shape_tensor(), self.dtype)[..., None]
        both = arrays.concat([one * df[..., None], one], -1) / 2.0
        whole = log(elementwise.abs(self._scale)) + 0.5 * log(df)
        whole += elementwise.lbeta(both)
        digamma = elementwise.digamma
        return whole + 0.5 * (df + 1.0) * (
            digamma(0.5 * (df + 1.0)) - digamma(0.5 * df)
        )

    def _mean(self) -> Any:
        mean = self._loc * arrays.ones(self.batch_shape_tensor(), self.dtype)
        ones = arrays.ones(self.batch_shape_tensor(), self.dtype)
        is_there = elementwise.greater(self._df, ones)
        none = constant(math.nan, self.dtype, name="nan/value")
        nan = arrays.fill(self.batch_shape_tensor(), none, name="nan")
        return v1_arrays.where_v2(is_there, mean, nan)

    def _mode(self) -> Any:
        return self._loc + 0.0 * self._like()

    def _variance(self) -> Any:
        found = square(self._scale) * self._df / (self._df - 2.0) + 0.0 * self._loc
        some = _where(self._df > 2.0, found, math.inf)
        return _where(self._df > 1.0, some, math.nan)

    def _stddev(self) -> Any:
        return elementwise.sqrt(self._variance())
