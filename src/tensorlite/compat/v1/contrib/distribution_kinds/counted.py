"""Distributions of counts: of events, of failures, of successes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, checks, elementwise, nn as shared_nn
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.contrib.distribution_kinds.chances import (
    logits_and_probs,
    one_of,
)
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import (
    ShapedDistribution,
    as_parameter,
    new_seed,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    below,
    counting,
    none_negative,
    positive,
    validated,
    whole,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope

log, log1p, lgamma = elementwise.log, elementwise.log1p, elementwise.lgamma


class _Counts(ShapedDistribution):
    """A distribution of whole numbers from 0 on."""

    reparameterized = False

    def _valid_sample(self, x: Any) -> Any:
        return validated(True, x, counting, whole("x"))


class Poisson(_Counts):
    """How many events there are that come one by one."""

    def __init__(
        self,
        rate: Any = None,
        log_rate: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Poisson",
    ) -> None:
        with name_scope(name) as prefix:
            if (rate is None) == (log_rate is None):
                raise InvalidArgumentError(
                    "Must specify exactly one of `rate` and `log_rate`."
                )
            if rate is None:
                self._log_rate = as_parameter(log_rate, "log_rate")
                self._rate = elementwise.exp(self._log_rate, name="rate")
            else:
                own = as_parameter(rate, "rate")
                with control_dependencies([positive()(own)] if validate_args else []):
                    self._rate = arrays.identity(own, name="rate")
                    self._log_rate = log(own, name="log_rate")
        super().__init__(self._rate.dtype, prefix, validate_args, allow_nan_stats)

    @property
    def rate(self) -> Any:
        """How many events there are on average."""
        return self._rate

    @property
    def log_rate(self) -> Any:
        """Logarithm of how many events there are on average."""
        return self._log_rate

    def _like(self) -> Any:
        return self._rate

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return random.random_poisson(self._rate, [n], self.dtype, seed)

    def _log_prob(self, x: Any) -> Any:
        return x * self._log_rate - lgamma(1.0 + x) - self._rate

    def _log_cdf(self, x: Any) -> Any:
        return log(self.cdf(x))

    def _cdf(self, x: Any) -> Any:
        return elementwise.igammac(1.0 + x, self._rate)

    def _mean(self) -> Any:
        return arrays.identity(self._rate)

    _variance = _mean

    def _mode(self) -> Any:
        return elementwise.floor(self._rate)


class _OfChances(_Counts):
    """What is counted by a chance, given as it is or as a logit."""

    _logits: Any
    _probs: Any

    @property
    def logits(self) -> Any:
        """Logarithms of the odds of a success."""
        return self._logits

    @property
    def probs(self) -> Any:
        """Chances of a success."""
        return self._probs


class Geometric(_OfChances):
    """How many failures come before the first success."""

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Geometric",
    ) -> None:
        one_of(logits, probs)
        with name_scope(name) as prefix:
            self._logits, own = logits_and_probs(logits, probs, prefix, validate_args)
            with control_dependencies([positive()(own)] if validate_args else []):
                self._probs = arrays.identity(own, name="probs")
        super().__init__(self._probs.dtype, prefix, validate_args, allow_nan_stats)

    def _like(self) -> Any:
        return self._probs

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = arrays.concat([[n], v1_arrays.shape(self._probs)], 0)
        least = float(np.finfo(self.dtype.numpy).tiny)
        unit = random.uniform(shape, least, 1.0, self.dtype, seed)
        return elementwise.floor(log(unit) / log1p(-self._probs))

    def _whole_of(self, x: Any) -> Any:
        count = x if self.validate_args else elementwise.floor(x)
        return count * v1_arrays.ones_like(self._probs)

    def _log_prob(self, x: Any) -> Any:
        count = self._whole_of(x)
        chance = self._probs * v1_arrays.ones_like(count)
        none = v1_arrays.zeros_like(chance)
        # No failure counts nothing, though a chance of 1 makes its logarithm infinite.
        failing = v1_arrays.where(elementwise.equal(count, 0.0), none, chance)
        return count * log1p(-failing) + log(chance)

    def _cdf(self, x: Any) -> Any:
        count = self._whole_of(x)
        found = -elementwise.expm1((1.0 + count) * log1p(-self._probs))
        return v1_arrays.where(count < 0.0, v1_arrays.zeros_like(count), found)

    def _entropy(self) -> Any:
        message = "Entropy is undefined when logits = inf or probs = 1."
        chance = validated(self.validate_args, self._probs, below(1.0, message))
        return shared_nn.softplus(self._logits) / chance - self._logits

    def _mean(self) -> Any:
        return elementwise.exp(-self._logits)

    def _mode(self) -> Any:
        return arrays.zeros(self.batch_shape_tensor(), self.dtype)

    def _variance(self) -> Any:
        return self._mean() / self._probs


class Binomial(_OfChances):
    """How many of a number of tries succeed."""

    broadcast = ("total_count", "probs")

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Binomial",
    ) -> None:
        one_of(logits, probs)
        with name_scope(name) as prefix:
            self._total = validated(
                validate_args,
                as_parameter(total_count, "total_count"),
                none_negative("total_count must be non-negative."),
                whole("total_count"),
            )
            found = logits_and_probs(logits, probs, prefix, validate_args)
            self._logits, self._probs = found
        super().__init__(self._probs.dtype, prefix, validate_args, allow_nan_stats)

    @property
    def total_count(self) -> Any:
        """How many tries there are."""
        return self._total

    def _like(self) -> Any:
        return self._total + self._probs

    def _valid_sample(self, x: Any) -> Any:
        message = "counts are not less than or equal to n."

        def at_most(count: Any) -> Any:
            return checks.assert_less_equal(count, self._total, message=message)

        return validated(True, super()._valid_sample(x), at_most)

    def _log_prob(self, x: Any) -> Any:
        success, failure = self._log_chances()
        chance = x * success + (self._total - x) * failure
        orders = lgamma(1.0 + self._total - x) + lgamma(1.0 + x)
        return chance - (orders - lgamma(1.0 + self._total))

    def _log_chances(self) -> tuple[Any, Any]:
        """Return logarithms of the chances, of logits also where one chance is nearly 1."""
        if self._given["logits"] is None:
            return log(self._probs), log1p(-self._probs)
        odds = self._logits
        return shared_nn.log_sigmoid(odds), shared_nn.log_sigmoid(-odds)

    def _cdf(self, x: Any) -> Any:
        chance = self._probs + v1_arrays.zeros_like(x)
        count = x + v1_arrays.zeros_like(self._probs)
        rest = self._total - count
        ones = v1_arrays.ones_like(rest)
        is_whole = elementwise.equal(count, self._total)
        left = v1_arrays.where_v2(is_whole, ones, rest)
        like = v1_arrays.zeros_like(left + chance)
        found = elementwise.betainc(
            left + like, count + 1.0 + like, 1.0 - chance + like
        )
        return v1_arrays.where_v2(is_whole, ones, found)

    def _mean(self) -> Any:
        return self._total * self._probs

    def _mode(self) -> Any:
        return elementwise.floor((1.0 + self._total) * self._probs)

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self._probs)


class NegativeBinomial(_OfChances):
    """How many successes there are before a number of failures."""

    broadcast = ("total_count", "probs")

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "NegativeBinomial",
    ) -> None:
        one_of(logits, probs)
        with name_scope(name) as prefix:
            found = logits_and_probs(logits, probs, prefix, validate_args)
            self._logits, self._probs = found
            dtype = self._probs.dtype
            own = as_parameter(total_count, "Identity/input", dtype)
            with control_dependencies([positive()(own)] if validate_args else []):
                self._total = arrays.identity(own)
        super().__init__(dtype, prefix, validate_args, allow_nan_stats)

    @property
    def total_count(self) -> Any:
        """How many failures there are."""
        return self._total

    def _like(self) -> Any:
        return self._total + self._logits

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        beta = elementwise.exp(-self._logits)
        rate = random.random_gamma([n], self._total, beta, self.dtype, seed)
        other = new_seed(seed, "negative_binom")
        return random.random_poisson(rate, [], self.dtype, other)

    def _log_prob(self, x: Any) -> Any:
        failed, done = (
            shared_nn.log_sigmoid(y) for y in (-self._logits, self._logits)
        )
        chance = self._total * failed + x * done
        orders = -lgamma(self._total + x) + lgamma(1.0 + x)
        return chance - (orders + lgamma(self._total))

    def _cdf(self, x: Any) -> Any:
        like = v1_arrays.zeros_like(x + self._like())
        failure = elementwise.sigmoid(-self._logits) + like
        return elementwise.betainc(self._total + like, 1.0 + x + like, failure)

    def _mean(self) -> Any:
        return self._total * elementwise.exp(self._logits)

    def _mode(self) -> Any:
        none = v1_arrays.zeros_like(self._total)
        less = v1_arrays.where_v2(self._total > 1.0, self._total - 1.0, none)
        return elementwise.floor(less * elementwise.exp(self._logits))

    def _variance(self) -> Any:
        return self._mean() / elementwise.sigmoid(-self._logits)
