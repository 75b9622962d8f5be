"""SeedStream; normal distributions of a mean that observations tell, and of what comes next."""

from __future__ import annotations

import hashlib
from typing import Any

from tensorlite.compat.shared import elementwise
from tensorlite.compat.v1.contrib.distribution_kinds.continuous import Normal
from tensorlite.core.errors import DTypeError


class SeedStream:
    """Seeds, one for each call, that depend on a first one and on a word; None for None."""

    def __init__(self, seed: Any, salt: str) -> None:
        self._seed = seed.original_seed if isinstance(seed, SeedStream) else seed
        self._salt, self._count = salt, 0

    original_seed = property(lambda self: self._seed)
    salt = property(lambda self: self._salt)

    def __call__(self) -> int | None:
        self._count += 1
        if self._seed is None:
            return None
        text = str((self._seed, self._count, self._salt))
        return int(hashlib.sha512(text.encode()).hexdigest(), 16)


def _updated(prior: Any, scale: Any, s: Any, n: Any) -> tuple[Any, Any]:
    """Return the mean and the variance of a mean, after n observations whose sum is s."""
    if not isinstance(prior, Normal):
        raise DTypeError("Expected prior to be an instance of type Normal")
    if s.dtype != prior.dtype:
        raise DTypeError(
            "Observation sum s.dtype does not match prior dtype: "
            f"{s.dtype!r} vs. {prior.dtype!r}"
        )
    count = elementwise.cast(n, prior.dtype)
    before, each = elementwise.square(prior.scale), elementwise.square(scale)
    variance = 1.0 / (1 / before + count / each)
    return (prior.loc / before + s / each) * variance, variance


def normal_conjugates_known_scale_posterior(
    prior: Normal, scale: Any, s: Any, n: Any
) -> Normal:
    """Return the distribution of a mean, after n observations whose sum is s."""
    mean, variance = _updated(prior, scale, s, n)
    return Normal(mean, elementwise.sqrt(variance))


def normal_conjugates_known_scale_predictive(
    prior: Normal, scale: Any, s: Any, n: Any
) -> Normal:
    """Return the distribution of the next observation, after n whose sum is s."""
    mean, variance = _updated(prior, scale, s, n)
    wide = elementwise.sqrt(variance + elementwise.square(scale))
    return Normal(mean, wide)
