"""Distributions of real numbers: of tf.distributions and tf.contrib.distributions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, cutting, elementwise, nn as shared_nn
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.contrib.distribution_kinds.divergences import RegisterKL
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import (
    ShapedDistribution,
    as_parameter,
    held,
    new_seed,
)
from tensorlite.compat.v1.contrib.distribution_kinds.tail_functions import (
    log_half_tail,
    log_ndtr,
    ndtr,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    below,
    positive,
    validated,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.graph_mode.graph import name_scope

_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
log, exp, square = elementwise.log, elementwise.exp, elementwise.square


class LocationScale(ShapedDistribution):
    """A distribution that is moved by `loc` and stretched by `scale`."""

    shaped = broadcast = ("loc", "scale")

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str | None = None,
    ) -> None:
        with name_scope(name or type(self).__name__) as prefix:
            place = held(loc, "loc")
            width = held(scale, "scale", place.dtype)
            self._scale = validated(validate_args, width, positive())
            self._loc = validated(validate_args, place, lambda _: positive()(width))
        super().__init__(self._loc.dtype, prefix, validate_args, allow_nan_stats)

    @property
    def loc(self) -> Any:
        """Where the distribution lies, for each element of the batch."""
        return self._loc

    @property
    def scale(self) -> Any:
        """How wide the distribution is, for each element of the batch."""
        return self._scale

    def _like(self) -> Any:
        return self._loc + self._scale

    def _standard(self, x: Any) -> Any:
        with name_scope("standardize"):
            return (x - self._loc) / self._scale

    def _mean(self) -> Any:
        return self._loc * v1_arrays.ones_like(self._scale)

    _mode = _mean


class Normal(LocationScale):
    """The normal distribution of mean loc and standard deviation scale."""

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn = random.normal(self.behind(n), dtype=self.dtype, seed=seed)
        return drawn * self._scale + self._loc

    def _log_prob(self, x: Any) -> Any:
        away = -0.5 * square(self._standard(x))
        return away - (_HALF_LOG_2PI + log(self._scale))

    def _cdf(self, x: Any) -> Any:
        return ndtr(self._standard(x))

    def _log_cdf(self, x: Any) -> Any:
        return log_ndtr(self._standard(x))

    def _survival_function(self, x: Any) -> Any:
        return ndtr(-self._standard(x))

    def _log_survival_function(self, x: Any) -> Any:
        return log_ndtr(-self._standard(x))

    def _quantile(self, p: Any) -> Any:
        z = elementwise.ndtri(p)
        with name_scope("reconstruct"):
            return z * self._scale + self._loc

    def _entropy(self) -> Any:
        scale = self._scale * v1_arrays.ones_like(self._loc)
        return _HALF_LOG_2PI + 0.5 + log(scale)

    def _stddev(self) -> Any:
        return self._scale * v1_arrays.ones_like(self._loc)

    def _variance(self) -> Any:
        return square(self._stddev())


class NormalWithSoftplusScale(Normal):
    """The normal distribution whose standard deviation is softplus(scale)."""

    def __init__(self, loc: Any, scale: Any, **kwargs: Any) -> None:
        super().__init__(
            loc, shared_nn.softplus(as_parameter(scale, "scale")), **kwargs
        )


@RegisterKL(Normal, Normal)
def _normals(a: Normal, b: Normal, name: str | None = None) -> Any:
    with name_scope(name, "kl_normal_normal"):
        one, two, half = [constant(x, a.dtype) for x in (1, 2, 0.5)]
        width, other = square(a.scale), square(b.scale)
        ratio = width / other
        apart = elementwise.squared_difference(a.loc, b.loc) / (two * other)
        return apart + half * (ratio - one - log(ratio))


class Laplace(LocationScale):
    """Laplace's distribution: exp(-|x - loc| / scale) / (2 * scale)."""

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        least = float(
            np.nextafter(self.dtype.numpy.type(-1), self.dtype.numpy.type(0))
        )
        u = random.uniform(self.behind(n), least, 1.0, self.dtype, seed)
        side = self._scale * elementwise.sign(u)
        return self._loc - side * elementwise.log1p(-elementwise.abs(u))

    def _standard(self, x: Any) -> Any:
        return (x - self._loc) / self._scale

    def _mean(self) -> Any:
        return self._loc + v1_arrays.zeros_like(self._scale)

    _mode = _mean

    def _log_prob(self, x: Any) -> Any:
        away = -elementwise.abs(self._standard(x))
        return away - (math.log(2.0) + log(self._scale))

    def _cdf(self, x: Any) -> Any:
        z = self._standard(x)
        tail = 0.5 * exp(-elementwise.abs(z))
        return v1_arrays.where_v2(z > 0, 1.0 - tail, tail)

    def _log_cdf(self, x: Any) -> Any:
        return log_half_tail(self._standard(x))

    def _log_survival_function(self, x: Any) -> Any:
        return log_half_tail(-self._standard(x))

    def _entropy(self) -> Any:
        scale = self._scale + v1_arrays.zeros_like(self._loc)
        return math.log(2.0) + 1.0 + log(scale)

    def _stddev(self) -> Any:
        return math.sqrt(2.0) * self._scale + v1_arrays.zeros_like(self._loc)

    def _variance(self) -> Any:
        return square(self._stddev())


class Uniform(ShapedDistribution):
    """The uniform distribution over [low, high)."""

    shaped = broadcast = ("low", "high")

    def __init__(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        with name_scope(name) as prefix:
            start = held(low, "low")
            self._high = held(high, "high", start.dtype)
            message = "uniform not defined when low >= high."
            self._low = validated(validate_args, start, below(self._high, message))
        super().__init__(self._low.dtype, prefix, validate_args, allow_nan_stats)

    @property
    def low(self) -> Any:
        """Lower bounds, which may be drawn."""
        return self._low

    @property
    def high(self) -> Any:
        """Upper bounds, which are not drawn."""
        return self._high

    def range(self, name: str = "range") -> Any:
        """Return the width high - low."""
        with self._name_scope(name):
            return self._high - self._low

    def _like(self) -> Any:
        return self._low + self._high

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        unit = random.uniform(self.behind(n), dtype=self.dtype, seed=seed)
        return self._low + self.range() * unit

    def _prob(self, x: Any) -> Any:
        whole = x * arrays.ones(self.batch_shape_tensor(), x.dtype)
        is_nan = elementwise.is_nan(whole)
        outside = elementwise.logical_or(whole < self._low, whole >= self._high)
        nowhere = v1_arrays.zeros_like(whole)
        inside = v1_arrays.ones_like(whole) / self.range()
        return v1_arrays.where_v2(
            is_nan, whole, v1_arrays.where_v2(outside, nowhere, inside)
        )

    def _cdf(self, x: Any) -> Any:
        own = self.batch_shape_tensor()
        sizes = cutting.broadcast_dynamic_shape(v1_arrays.shape(x), own)
        none, all_of_it = arrays.zeros(sizes, x.dtype), arrays.ones(sizes, x.dtype)
        whole = x * all_of_it
        is_below = x < self._low
        inner = (whole - self._low) / self.range()
        inside = v1_arrays.where_v2(is_below, none, inner)
        return v1_arrays.where_v2(x >= self._high, all_of_it, inside)

    def _quantile(self, p: Any) -> Any:
        return self._low + p * (self._high - self._low)

    def _entropy(self) -> Any:
        return log(self.range())

    def _mean(self) -> Any:
        return (self._low + self._high) / 2.0

    def _variance(self) -> Any:
        return square(self.range()) / 12.0

    def _stddev(self) -> Any:
        return self.range() / math.sqrt(12.0)


class Gamma(ShapedDistribution):
    """The gamma distribution of shape concentration and inverse scale rate."""

    reparameterized = True
    broadcast = ("concentration", "rate")

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        with name_scope(name) as prefix:
            shape = held(concentration, "concentration")
            self._concentration = validated(validate_args, shape, positive())
            by = held(rate, "rate", shape.dtype)
            self._rate = validated(validate_args, by, positive())
        super().__init__(self._rate.dtype, prefix, validate_args, allow_nan_stats)

    @property
    def concentration(self) -> Any:
        """The shape parameters, often called alpha."""
        return self._concentration

    @property
    def rate(self) -> Any:
        """The inverse scales, often called beta."""
        return self._rate

    def _like(self) -> Any:
        return self._concentration + self._rate

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return random.gamma([n], self._concentration, self._rate, self.dtype, seed)

    def _log_prob(self, x: Any) -> Any:
        a, b = self._concentration, self._rate
        inner = elementwise.xlogy(a - 1.0, x) - b * x
        return inner - (elementwise.lgamma(a) - a * log(b))

    def _cdf(self, x: Any) -> Any:
        return elementwise.igamma(self._concentration, self._rate * x)

    def _entropy(self) -> Any:
        a = self._concentration
        size = a - log(self._rate) + elementwise.lgamma(a)
        return size + (1.0 - a) * elementwise.digamma(a)

    def _mean(self) -> Any:
        return self._concentration / self._rate

    def _variance(self) -> Any:
        return self._concentration / square(self._rate)

    def _stddev(self) -> Any:
        return elementwise.sqrt(self._concentration) / self._rate

    def _mode(self) -> Any:
        a = self._concentration
        found = (a - 1.0) / self._rate
        message = "mode not defined when any concentration <= 1"
        return self._where_defined(lambda: a > 1.0, found, message, a)

    def _valid_sample(self, x: Any) -> Any:
        return validated(True, x, positive())


@RegisterKL(Gamma, Gamma)
def _gammas(a: Gamma, b: Gamma, name: str | None = None) -> Any:
    first, second = a.concentration, b.concentration
    with name_scope(name, "kl_gamma_gamma"):
        sum_of = (first - second) * elementwise.digamma(first)
        sum_of = sum_of + elementwise.lgamma(second) - elementwise.lgamma(first)
        sum_of = sum_of + second * log(a.rate) - second * log(b.rate)
        return sum_of + first * (b.rate / a.rate - 1.0)


class Exponential(Gamma):
    """The exponential distribution rate * exp(-rate * x) of positive numbers."""

    def __init__(
        self,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Exponential",
    ) -> None:
        with name_scope(name) as prefix:
            own = as_parameter(rate, "rate")
        ones = arrays.ones([], own.dtype)
        super().__init__(ones, own, validate_args, allow_nan_stats, prefix)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        # As TensorFlow draws: from the smallest number on, whose logarithm is finite.
        least = float(np.finfo(self.dtype.numpy).tiny)
        shape = arrays.concat([[n], v1_arrays.shape(self._rate)], 0)
        return -log(random.uniform(shape, least, 1.0, self.dtype, seed)) / self._rate

    def _log_survival_function(self, x: Any) -> Any:
        return -self._rate * x


class Beta(ShapedDistribution):
    """The beta distribution over (0, 1), by weights of outcomes near 1 and near 0."""

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        ones = 1.0 if concentration1 is None else concentration1
        zeros = 1.0 if concentration0 is None else concentration0
        right = positive("Concentration parameter must be positive.")
        with name_scope(name) as prefix:
            one = as_parameter(ones, "concentration1")
            self._one = validated(validate_args, one, right)
            zero = as_parameter(zeros, "concentration0", one.dtype)
            self._zero = validated(validate_args, zero, right)
            self._total = self._one + self._zero
        dtype = self._one.dtype
        super().__init__(dtype, prefix, validate_args, allow_nan_stats)

    @property
    def concentration1(self) -> Any:
        """Weights of outcomes near 1, often called alpha."""
        return self._one

    @property
    def concentration0(self) -> Any:
        """Weights of outcomes near 0, often called beta."""
        return self._zero

    @property
    def total_concentration(self) -> Any:
        """Sums of both weights."""
        return self._total

    def _like(self) -> Any:
        return self._total

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        like = self._total
        one = v1_arrays.ones_like(like, self.dtype) * self._one
        zero = v1_arrays.ones_like(like, self.dtype) * self._zero
        first = random.gamma([n], one, None, self.dtype, seed)
        other = new_seed(seed, "beta")
        second = random.gamma([n], zero, None, self.dtype, other)
        return first / (first + second)

    def _norm(self) -> Any:
        a, b = self._one, self._zero
        both = elementwise.lgamma(a) + elementwise.lgamma(b)
        return both - elementwise.lgamma(self._total)

    def _log_prob(self, x: Any) -> Any:
        ends = elementwise.xlogy(self._one - 1.0, x)
        ends = ends + (self._zero - 1.0) * elementwise.log1p(-x)
        return ends - self._norm()

    def _cdf(self, x: Any) -> Any:
        return elementwise.betainc(self._one, self._zero, x)

    def _entropy(self) -> Any:
        digamma, total = elementwise.digamma, self._total
        rest = self._norm() - (self._one - 1.0) * digamma(self._one)
        rest = rest - (self._zero - 1.0) * digamma(self._zero)
        return rest + (total - 2.0) * digamma(total)

    def _mean(self) -> Any:
        return self._one / (self._total)

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self._mean()) / (1.0 + self._total)

    def _mode(self) -> Any:
        found = (self._one - 1.0) / (self._total - 2.0)
        message = "Mode undefined for concentrations <= 1."

        def are_above() -> Any:
            return elementwise.logical_and(self._one > 1.0, self._zero > 1.0)

        return self._where_defined(are_above, found, message, self._one, self._zero)

    def _valid_sample(self, x: Any) -> Any:
        less = below(v1_arrays.ones_like(x), "sample must be less than `1`.")
        return validated(True, x, positive("sample must be positive"), less)


@RegisterKL(Beta, Beta)
def _betas(a: Beta, b: Beta, name: str | None = None) -> Any:
    digamma = elementwise.digamma
    pairs = [
        (a.concentration1, b.concentration1),
        (a.concentration0, b.concentration0),
    ]
    with name_scope(name, "kl_beta_beta"):
        apart = b._norm() - a._norm()  # noqa: SLF001  # one kind
        for x, y in pairs:
            apart = apart - digamma(x) * (y - x)
        total = digamma(a.total_concentration)
        return apart + total * (b.total_concentration - a.total_concentration)
