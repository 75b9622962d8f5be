"""Distributions of counts: of events, of failures, of successes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, elementwise, nn as shared_nn
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import (
    Distribution,
    as_parameter,
    new_seed,
    sizes_behind,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope

log, log1p, lgamma = elementwise.log, elementwise.log1p, elementwise.lgamma


class Poisson(Distribution):
    """How many events there are that come one by one."""

    reparameterized = False

    def __init__(
        self,
        rate: Any = None,
        log_rate: Any = None,
        interpolate_nondiscrete: bool = True,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Poisson",
    ) -> None:
        if (rate is None) == (log_rate is None):
            raise InvalidArgumentError(
                "Must specify exactly one of rate or log_rate."
            )
        with name_scope(name) as prefix:
            if rate is None:
                self._log_rate = as_parameter(log_rate, "log_rate")
                self._rate = elementwise.exp(self._log_rate, name="rate")
            else:
                own = as_parameter(rate, "rate")
                self._rate = arrays.identity(own, name="rate")
                self._log_rate = log(own, name="log_rate")
        given = {"rate": rate, "log_rate": log_rate}
        super().__init__(
            self._rate.dtype, prefix, validate_args, allow_nan_stats, given
        )
        self.interpolate_nondiscrete = interpolate_nondiscrete

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

    def _draw(self, count: Any, seed: int | None) -> Any:
        return random.random_poisson(self._rate, [count], self.dtype, seed)

    def _log_prob(self, x: Any) -> Any:
        at = x if self.interpolate_nondiscrete else elementwise.floor(x)
        found = at * self._log_rate - lgamma(1.0 + at) - self._rate
        if self.interpolate_nondiscrete:
            return found
        nowhere = v1_arrays.zeros_like(found) - float("inf")
        whole = elementwise.logical_and(elementwise.equal(x, at), x >= 0.0)
        return v1_arrays.where_v2(whole, found, nowhere)

    def _cdf(self, x: Any) -> Any:
        at = x if self.interpolate_nondiscrete else elementwise.floor(x)
        rate = self._rate + 0.0 * at
        return elementwise.igammac(1.0 + at + 0.0 * rate, rate)

    def _mean(self) -> Any:
        return self._rate + 0.0

    _variance = _mean

    def _stddev(self) -> Any:
        return elementwise.sqrt(self._rate)

    def _mode(self) -> Any:
        return elementwise.floor(self._rate)


class _OfChances(Distribution):
    """What is known of a chance, given as it is or as a logit."""

    reparameterized = False

    def __init__(
        self,
        logits: Any,
        probs: Any,
        name: str,
        checks: tuple[bool, bool],
        parameters: dict[str, Any],
    ) -> None:
        if (logits is None) == (probs is None):
            raise InvalidArgumentError("Must pass probs or logits, but not both.")
        with name_scope(name) as prefix:
            if probs is None:
                self._logits = as_parameter(logits, "logits")
                self._probs = shared_nn.sigmoid(self._logits, name="probs")
            else:
                self._probs = as_parameter(probs, "probs")
                with name_scope("logits"):
                    self._logits = log(self._probs) - log1p(-1.0 * self._probs)
        given = {**parameters, "logits": logits, "probs": probs}
        super().__init__(self._probs.dtype, prefix, *checks, given)

    @property
    def logits(self) -> Any:
        return self._logits

    @property
    def probs(self) -> Any:
        return self._probs

    def _stddev(self) -> Any:
        return elementwise.sqrt(self._variance())


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
        super().__init__(logits, probs, name, (validate_args, allow_nan_stats), {})

    def _like(self) -> Any:
        return self._probs

    def _draw(self, count: Any, seed: int | None) -> Any:
        shape = sizes_behind(count, self._sizes())
        least = np.finfo(self.dtype.numpy).tiny
        unit = random.uniform(shape, least, 1.0, self.dtype, seed)
        return elementwise.floor(log(unit) / log1p(-self._probs))

    def _log_prob(self, x: Any) -> Any:
        return x * log1p(-self._probs) + log(self._probs)

    def _cdf(self, x: Any) -> Any:
        return -elementwise.expm1((1.0 + elementwise.floor(x)) * log1p(-self._probs))

    def _entropy(self) -> Any:
        p = self._probs
        return (-(1.0 - p) * log1p(-p) - p * log(p)) / p

    def _mean(self) -> Any:
        return elementwise.exp(-self._logits)

    def _mode(self) -> Any:
        return v1_arrays.zeros_like(self._probs)

    def _variance(self) -> Any:
        return self._mean() / self._probs


class _OfTries(_OfChances):
    """What is counted in a number of tries."""

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str | None = None,
    ) -> None:
        checks = (validate_args, allow_nan_stats)
        title = name or type(self).__name__
        super().__init__(logits, probs, title, checks, {"total_count": total_count})
        with name_scope(self._scope):
            self._total = self._counted(total_count)

    def _counted(self, total_count: Any) -> Any:
        return as_parameter(total_count, "total_count", self.dtype)

    @property
    def total_count(self) -> Any:
        return self._total


class Binomial(_OfTries):
    """How many of a number of tries succeed."""

    def _like(self) -> Any:
        return self._total + self._probs

    def _log_prob(self, x: Any) -> Any:
        success, failure = self._log_chances()
        chance = x * success + (self._total - x) * failure
        orders = lgamma(1.0 + self._total - x) + lgamma(1.0 + x)
        return chance - (orders - lgamma(1.0 + self._total))

    def _log_chances(self) -> tuple[Any, Any]:
        """Return logarithms of the chances, of logits also where one chance is nearly 1."""
        if self.parameters["logits"] is None:
            return log(self._probs), log1p(-self._probs)
        odds = self._logits
        return shared_nn.log_sigmoid(odds), shared_nn.log_sigmoid(-odds)

    def _cdf(self, x: Any) -> Any:
        a, b = self._total - x, x + 1.0
        like = 0.0 * (a + self._probs)
        return elementwise.betainc(a + like, b + like, 1.0 - self._probs + like)

    def _mean(self) -> Any:
        return self._total * self._probs

    def _mode(self) -> Any:
        return elementwise.floor((1.0 + self._total) * self._probs)

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self._probs)


class NegativeBinomial(_OfTries):
    """How many successes there are before a number of failures."""

    def _counted(self, total_count: Any) -> Any:
        return arrays.identity(
            as_parameter(total_count, "Identity/input", self.dtype)
        )

    def _like(self) -> Any:
        return self._total + self._logits

    def _draw(self, count: Any, seed: int | None) -> Any:
        like = 0.0 * self._like()
        beta = elementwise.exp(-self._logits) + like
        rate = random.random_gamma(
            [count], self._total + like, beta, self.dtype, seed
        )
        other = new_seed(seed, "NegativeBinom")
        return random.random_poisson(rate, [], self.dtype, other)

    def _log_prob(self, x: Any) -> Any:
        failed, done = (
            shared_nn.log_sigmoid(y) for y in (-self._logits, self._logits)
        )
        chance = self._total * failed + x * done
        orders = -lgamma(self._total + x) + lgamma(1.0 + x)
        return chance - (orders + lgamma(self._total))

    def _cdf(self, x: Any) -> Any:
        like = 0.0 * (x + self._like())
        failure = elementwise.sigmoid(-self._logits) + like
        return elementwise.betainc(self._total + like, 1.0 + x + like, failure)

    def _mean(self) -> Any:
        return self._total * elementwise.exp(self._logits)

    def _mode(self) -> Any:
        found = elementwise.floor((self._total - 1.0) * elementwise.exp(self._logits))
        return v1_arrays.where_v2(
            self._total > 1.0, found, v1_arrays.zeros_like(found)
        )

    def _variance(self) -> Any:
        return self._mean() / elementwise.sigmoid(-self._logits)
