"""More distributions of real numbers: heavy tails, halves and inverses of others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, elementwise, nn as shared_nn
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.contrib.distribution_kinds.continuous import LocationScale
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import (
    ShapedDistribution,
    held,
    new_seed,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    above,
    positive,
    validated,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope

log, log1p, exp = elementwise.log, elementwise.log1p, elementwise.exp
square, lgamma = elementwise.square, elementwise.lgamma


class Cauchy(LocationScale):
    """Quotients of normal numbers: there is no mean."""

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        unit = random.uniform(self.behind(n), 0.0, 1.0, self.dtype, seed)
        return self._quantile(unit)

    def _log_prob(self, x: Any) -> Any:
        behind = math.log(math.pi) + log(self._scale)
        return -log1p(square(self._standard(x))) - behind

    def _cdf(self, x: Any) -> Any:
        return elementwise.atan(self._standard(x)) / math.pi + 0.5

    def _log_cdf(self, x: Any) -> Any:
        share = 2 / math.pi * elementwise.atan(self._standard(x))
        return log1p(share) - math.log(2)

    def _quantile(self, p: Any) -> Any:
        return self._loc + self._scale * elementwise.tan(math.pi * (p - 0.5))

    def _entropy(self) -> Any:
        found = math.log(4 * math.pi) + log(self._scale)
        return found * v1_arrays.ones_like(self._loc)

    def _nothing(self, what: str) -> Any:
        if not self.allow_nan_stats:
            raise InvalidArgumentError(
                f"`{what}` is undefined for Cauchy distribution."
            )
        return arrays.fill(self.batch_shape_tensor(), self.dtype.numpy.type(np.nan))

    def _mean(self) -> Any:
        return self._nothing("mean")

    def _stddev(self) -> Any:
        return self._nothing("stddev")

    def _mode(self) -> Any:
        return self._loc * v1_arrays.ones_like(self._scale)


class Logistic(LocationScale):
    """What the logistic function is the cumulative distribution of."""

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        least = float(np.finfo(self.dtype.numpy).tiny)
        unit = random.uniform(self.behind(n), least, 1.0, self.dtype, seed)
        return (log(unit) - log1p(-1.0 * unit)) * self._scale + self._loc

    def _log_prob(self, x: Any) -> Any:
        z = self._standard(x)
        return -z - 2.0 * shared_nn.softplus(-z) - log(self._scale)

    def _log_cdf(self, x: Any) -> Any:
        return -shared_nn.softplus(-self._standard(x))

    def _cdf(self, x: Any) -> Any:
        return elementwise.sigmoid(self._standard(x))

    def _log_survival_function(self, x: Any) -> Any:
        return -shared_nn.softplus(self._standard(x))

    def _survival_function(self, x: Any) -> Any:
        return elementwise.sigmoid(-self._standard(x))

    def _quantile(self, p: Any) -> Any:
        return (log(p) - log1p(-p)) * self._scale + self._loc

    def _entropy(self) -> Any:
        return 2 + log(self._scale * v1_arrays.ones_like(self._loc))

    def _stddev(self) -> Any:
        wide = self._scale * v1_arrays.ones_like(self._loc)
        return wide * math.pi / math.sqrt(3)


class HalfNormal(ShapedDistribution):
    """Absolute values of normal numbers around 0."""

    shaped = ("scale",)

    def __init__(
        self,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "HalfNormal",
    ) -> None:
        with name_scope(name) as prefix:
            self._scale = validated(validate_args, held(scale, "scale"), positive())
        super().__init__(self._scale.dtype, prefix, validate_args, allow_nan_stats)

    @property
    def scale(self) -> Any:
        """Standard deviations of the normal numbers."""
        return self._scale

    def _like(self) -> Any:
        return self._scale

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn = random.normal(self.behind(n), dtype=self.dtype, seed=seed)
        return elementwise.abs(drawn * self._scale)

    def _prob(self, x: Any) -> Any:
        most = math.sqrt(2) / self._scale / math.sqrt(math.pi)
        found = most * exp(-0.5 * (x / self._scale) ** 2)
        return found * elementwise.cast(x >= 0, self.dtype)

    def _cdf(self, x: Any) -> Any:
        return elementwise.erf(shared_nn.relu(x) / self._scale / math.sqrt(2.0))

    def _quantile(self, p: Any) -> Any:
        return math.sqrt(2.0) * self._scale * elementwise.erfinv(p)

    def _entropy(self) -> Any:
        return 0.5 * log(math.pi * self._scale**2.0 / 2.0) + 0.5

    def _mean(self) -> Any:
        return self._scale * math.sqrt(2.0) / math.sqrt(math.pi)

    def _mode(self) -> Any:
        return arrays.zeros(self.batch_shape_tensor())

    def _variance(self) -> Any:
        return self._scale**2.0 * (1.0 - 2.0 / math.pi)


class InverseGamma(ShapedDistribution):
    """Inverses of gamma-distributed numbers."""

    reparameterized = False
    shaped = broadcast = ("concentration", "rate")

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGamma",
    ) -> None:
        with name_scope(name) as prefix:
            shape = held(concentration, "concentration")
            self._concentration = validated(validate_args, shape, positive())
            by = held(rate, "rate", shape.dtype)
            self._rate = validated(validate_args, by, positive())
        super().__init__(shape.dtype, prefix, validate_args, allow_nan_stats)

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

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        sizes = [n]
        return 1.0 / random.gamma(
            sizes, self._concentration, self._rate, self.dtype, seed
        )

    def _valid_sample(self, x: Any) -> Any:
        return validated(True, x, positive())

    def _log_prob(self, x: Any) -> Any:
        a, b = self._concentration, self._rate
        inner = -(1.0 + a) * log(x) - b / x
        return inner - (lgamma(a) - a * log(b))

    def _cdf(self, x: Any) -> Any:
        return elementwise.igammac(self._concentration, self._rate / x)

    def _entropy(self) -> Any:
        a = self._concentration
        digamma = elementwise.digamma(a)
        return a + log(self._rate) + lgamma(a) - (1.0 + a) * digamma

    def _above(self, least: float, found: Any, what: str) -> Any:
        """Return what is there for concentrations above some."""
        a = self._concentration
        if self.allow_nan_stats:
            none = np.array(np.nan, self.dtype.numpy)
            nowhere = arrays.fill(self.batch_shape_tensor(), none, name="nan")
            return v1_arrays.where_v2(a > least, found, nowhere)
        message = f"{what} undefined when any concentration <= {least:.0f}"
        check = above(least, message)
        return validated(True, found, lambda _: check(a))

    def _mean(self) -> Any:
        return self._above(1.0, self._rate / (self._concentration - 1.0), "mean")

    def _mode(self) -> Any:
        return self._rate / (1.0 + self._concentration)

    def _variance(self) -> Any:
        a = self._concentration
        apart = elementwise.squared_difference(a, elementwise.cast(1.0, a.dtype))
        found = square(self._rate) / apart / (a - 2.0)
        return self._above(2.0, found, "variance")


class StudentT(ShapedDistribution):
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
        super().__init__(dtype, prefix, validate_args, allow_nan_stats)

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

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        normal = random.normal(self.behind(n), dtype=self.dtype, seed=seed)
        df = self._df * arrays.ones(self.batch_shape_tensor(), self.dtype)
        other = new_seed(seed, "student_t")
        gamma = random.gamma([n], 0.5 * df, 0.5, self.dtype, other)
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

    def _ones(self) -> Any:
        return arrays.ones(self.batch_shape_tensor(), self.dtype)

    def _above(self, least: float, found: Any, message: str) -> Any:
        """Return what is there for more degrees of freedom than some."""
        if not self.allow_nan_stats:
            check, df = above(least, message), self._df
            return validated(True, found, lambda _: check(df))
        limit = (
            self._ones()
            if least == 1.0
            else arrays.fill(
                self.batch_shape_tensor(), elementwise.cast(least, self.dtype)
            )
        )
        is_there = elementwise.greater(self._df, limit)
        none = constant(math.nan, self.dtype, name="nan/value")
        nan = arrays.fill(self.batch_shape_tensor(), none, name="nan")
        return v1_arrays.where_v2(is_there, found, nan)

    def _mean(self) -> Any:
        mean = self._loc * self._ones()
        message = "mean not defined for components of df <= 1"
        return self._above(1.0, mean, message)

    def _mode(self) -> Any:
        return arrays.identity(self._loc)

    def _variance(self) -> Any:
        two = elementwise.cast(2.0, self.dtype)
        has_one = elementwise.greater(self._df, two)
        df = v1_arrays.where_v2(
            has_one, self._df - 2.0, v1_arrays.ones_like(self._df)
        )
        found = self._ones() * square(self._scale) * self._df / df
        inf = np.array(np.inf, self.dtype.numpy)
        endless = arrays.fill(self.batch_shape_tensor(), inf, name="inf")
        some = v1_arrays.where_v2(has_one, found, endless)
        message = "variance not defined for components of df <= 1"
        return self._above(1.0, some, message)
