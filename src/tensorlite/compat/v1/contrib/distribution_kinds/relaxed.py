"""Classes that are drawn nearly whole, so that gradients flow through draws (Maddison et al. 2016).

Those that are whole are in discrete.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared import elementwise, nn as shared_nn
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import (
    Distribution,
    as_parameter,
    sizes_behind,
)
from tensorlite.compat.v1.functions import nn_functions, numbers
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope

exp, log, log1p, lgamma = (
    elementwise.exp,
    elementwise.log,
    elementwise.log1p,
    elementwise.lgamma,
)


class _Relaxed(Distribution):
    """What is nearer to whole classes the lower the temperature is."""

    def __init__(
        self,
        temperature: Any,
        logits: Any,
        probs: Any,
        name: str,
        checks: tuple[bool, bool],
    ) -> None:
        if (logits is None) == (probs is None):
            raise InvalidArgumentError("Must pass probs or logits, but not both.")
        given = {"temperature": temperature, "logits": logits, "probs": probs}
        self._logits = self._odds(logits, probs)
        dtype = self._logits.dtype
        self._temperature = as_parameter(temperature, "temperature", dtype)
        super().__init__(dtype, name, *checks, given)

    def _odds(self, logits: Any, probs: Any) -> Any:
        raise NotImplementedError

    @property
    def temperature(self) -> Any:
        return self._temperature

    @property
    def logits(self) -> Any:
        return self._logits

    def _unit(self, count: Any, seed: int | None) -> Any:
        """Return numbers above 0 and below 1."""
        shape = sizes_behind(count, self._sizes())
        least = float(np.finfo(self.dtype.numpy).tiny)
        return random.uniform(shape, least, 1.0, self.dtype, seed)


class RelaxedBernoulli(_Relaxed):
    """Numbers in (0, 1) that are near 0 or 1, the nearer the lower the temperature."""

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedBernoulli",
    ) -> None:
        checks = (validate_args, allow_nan_stats)
        super().__init__(temperature, logits, probs, name, checks)

    def _odds(self, logits: Any, probs: Any) -> Any:
        if logits is not None:
            return as_parameter(logits, "logits")
        found = as_parameter(probs, "probs")
        return log(found) - log1p(-found)

    @property
    def probs(self) -> Any:
        """Probabilities of a 1."""
        return elementwise.sigmoid(self._logits)

    def _like(self) -> Any:
        return self._logits + 0.0 * self._temperature

    def _draw(self, count: Any, seed: int | None) -> Any:
        unit = self._unit(count, seed)
        noise = log(unit) - log1p(-unit)
        return elementwise.sigmoid((self._logits + noise) / self._temperature)

    def _log_prob(self, x: Any) -> Any:
        odds = log(x) - log1p(-x)
        z = odds * self._temperature - self._logits
        inner = -z - 2.0 * shared_nn.softplus(-z) + log(self._temperature)
        return inner - log(x) - log1p(-x)

    def _cdf(self, x: Any) -> Any:
        odds = log(x) - log1p(-x)
        return elementwise.sigmoid(odds * self._temperature - self._logits)


class ExpRelaxedOneHotCategorical(_Relaxed):
    """Logarithms of what RelaxedOneHotCategorical draws."""

    event_rank = 1

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str | None = None,
    ) -> None:
        checks = (validate_args, allow_nan_stats)
        title = name or type(self).__name__
        super().__init__(temperature, logits, probs, title, checks)

    def _odds(self, logits: Any, probs: Any) -> Any:
        if logits is not None:
            return as_parameter(logits, "logits")
        return log(as_parameter(probs, "probs"))

    @property
    def probs(self) -> Any:
        """Probabilities of the classes, along the last axis."""
        return nn_functions.softmax(self._logits)

    @property
    def event_size(self) -> Any:
        """How many classes there are."""
        return self._sizes()[-1]

    def _like(self) -> Any:
        return self._logits

    def _warmth(self) -> Any:
        """Return the temperature beside the classes."""
        warm = self._temperature
        return warm[..., None] if warm.get_shape().ndims else warm

    def _draw(self, count: Any, seed: int | None) -> Any:
        gumbel = -log(-log(self._unit(count, seed)))
        noisy = (gumbel + self._logits) / self._warmth()
        return nn_functions.log_softmax(noisy)

    def _log_prob(self, x: Any) -> Any:
        size = elementwise.cast(self.event_size, self.dtype)
        whole = lgamma(size) + (size - 1.0) * log(self._temperature)
        each = nn_functions.log_softmax(self._logits - x * self._warmth())
        return whole + numbers.reduce_sum(each, -1)


class RelaxedOneHotCategorical(ExpRelaxedOneHotCategorical):
    """Shares of classes, which add up to 1."""

    def _turned(self, drawn: Any) -> Any:
        with name_scope("exp/forward"):
            return exp(drawn)

    def _log_prob(self, x: Any) -> Any:
        logs = log(x)
        return super()._log_prob(logs) - numbers.reduce_sum(logs, -1)
