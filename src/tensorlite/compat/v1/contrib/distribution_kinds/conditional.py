"""ConditionalDistribution: what is drawn depends on the case, which is given by name."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v1.contrib.distribution_kinds.distribution import Distribution


class ConditionalDistribution(Distribution):
    """A distribution whose functions take what depends on the case by name."""

    def sample(
        self,
        sample_shape: Any = (),
        seed: int | None = None,
        name: str = "sample",
        **condition_kwargs: Any,
    ) -> Any:
        """Return draws of shape sample_shape + batch_shape + event_shape."""
        return self._call_sample_n(sample_shape, seed, name, **condition_kwargs)

    def log_prob(
        self, value: Any, name: str = "log_prob", **condition_kwargs: Any
    ) -> Any:
        """Return the logarithm of the density, or of the probability, at value."""
        return self._call_log_prob(value, name, **condition_kwargs)

    def prob(self, value: Any, name: str = "prob", **condition_kwargs: Any) -> Any:
        """Return the density, or the probability, at value."""
        return self._call_prob(value, name, **condition_kwargs)

    def log_cdf(
        self, value: Any, name: str = "log_cdf", **condition_kwargs: Any
    ) -> Any:
        """Return the logarithm of the probability of draws that are at most value."""
        return self._call_log_cdf(value, name, **condition_kwargs)

    def cdf(self, value: Any, name: str = "cdf", **condition_kwargs: Any) -> Any:
        """Return the probability of draws that are at most value."""
        return self._call_cdf(value, name, **condition_kwargs)

    def log_survival_function(
        self, value: Any, name: str = "log_survival_function", **condition_kwargs: Any
    ) -> Any:
        """Return the logarithm of the probability of draws that are larger than value."""
        return self._call_log_survival_function(value, name, **condition_kwargs)

    def survival_function(
        self, value: Any, name: str = "survival_function", **condition_kwargs: Any
    ) -> Any:
        """Return the probability of draws that are larger than value."""
        return self._call_survival_function(value, name, **condition_kwargs)
