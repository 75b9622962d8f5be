"""Distributions made of others: mixtures, and batches whose elements are drawn together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.shared import arrays, elementwise, picking
from tensorlite.compat.v1.contrib.distribution_kinds.discrete import Categorical
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import (
    Distribution,
    RegisterKL,
    kl_divergence,
    new_seed,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays, nn_functions, numbers
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError


class Mixture(Distribution):
    """One of several distributions, which a Categorical chooses for each draw."""

    def __init__(
        self,
        cat: Categorical,
        components: Sequence[Distribution],
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        use_static_graph: bool = False,
        name: str = "Mixture",
    ) -> None:
        if not isinstance(cat, Categorical):
            raise DTypeError(
                f"cat must be a Categorical distribution, but saw: {cat}"
            )
        if not components:
            raise InvalidArgumentError("components must be a non-empty list or tuple")
        self._cat, self._components = cat, list(components)
        first = self._components[0]
        kinds = {one.dtype for one in self._components}
        if len(kinds) > 1:
            raise DTypeError(f"All components must have the same dtype, not {kinds}")
        known = cat.logits.get_shape().as_list()[-1]
        if known is not None and known != len(self._components):
            raise ShapeError(
                f"cat chooses one of {known}, and there are {len(self._components)} components"
            )
        given = {"cat": cat, "components": components}
        super().__init__(first.dtype, name, validate_args, allow_nan_stats, given)
        self.event_rank = first.event_rank  # type: ignore[misc]

    cat = property(lambda self: self._cat)
    components = property(lambda self: self._components)
    num_components = property(lambda self: len(self._components))
    reparameterized = False

    def _like(self) -> Any:
        return self._components[0].like_draws()

    def _chances(self) -> list[Any]:
        """Return how likely each component is, with axes for its event."""
        share = arrays.unstack(self._cat.probs, axis=-1)
        for _ in range(self.event_rank):
            share = [v1_arrays.expand_dims(one, -1) for one in share]
        return list(share)

    def _draw(self, count: Any, seed: int | None) -> Any:
        chosen = self._cat.sample([count], new_seed(seed, "mixture"))
        for _ in range(self.event_rank):
            chosen = v1_arrays.expand_dims(chosen, -1)
        drawn: Any = None
        for place, one in enumerate(self._components):
            mine = one.sample([count], new_seed(seed, f"component{place}"))
            which = elementwise.equal(chosen, place)
            drawn = mine if drawn is None else v1_arrays.where_v2(which, mine, drawn)
        return drawn

    def _log_prob(self, x: Any) -> Any:
        logs = arrays.unstack(nn_functions.log_softmax(self._cat.logits), axis=-1)
        pairs = zip(self._components, logs, strict=True)
        each = [one.log_prob(x) + log for one, log in pairs]
        return numbers.reduce_logsumexp(arrays.stack(each), 0)

    def _weighted(self, what: Callable[[Distribution], Any]) -> Any:
        pairs = zip(self._components, self._chances(), strict=True)
        return sum(share * what(one) for one, share in pairs)

    def _cdf(self, x: Any) -> Any:
        return self._weighted(lambda one: one.cdf(x))

    def _mean(self) -> Any:
        return self._weighted(lambda one: one.mean())

    def _variance(self) -> Any:
        mean = self._mean()

        def apart(one: Distribution) -> Any:
            return one.variance() + elementwise.square(one.mean() - mean)

        return self._weighted(apart)

    def entropy_lower_bound(self, name: str = "entropy_lower_bound") -> Any:
        """Return the mean of the components' entropies, which the mixture's is at least."""
        with self._named("entropy_lower_bound", name):
            share = arrays.unstack(self._cat.probs, axis=-1)
            pairs = zip(self._components, share, strict=True)
            return sum(chance * one.entropy() for one, chance in pairs)


class MixtureSameFamily(Distribution):
    """One of the last axis of a batch, which a Categorical chooses for each draw."""

    reparameterized = False

    def __init__(
        self,
        mixture_distribution: Any,
        components_distribution: Distribution,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MixtureSameFamily",
    ) -> None:
        self._mixture, self._parts = mixture_distribution, components_distribution
        given = {
            "mixture_distribution": mixture_distribution,
            "components_distribution": components_distribution,
        }
        self.event_rank = components_distribution.event_rank  # type: ignore[misc]
        dtype = components_distribution.dtype
        super().__init__(dtype, name, validate_args, allow_nan_stats, given)

    mixture_distribution = property(lambda self: self._mixture)
    components_distribution = property(lambda self: self._parts)

    @property
    def _axis(self) -> int:
        """Where the components are among the axes of draws."""
        return -1 - self.event_rank

    def _like(self) -> Any:
        return numbers.reduce_sum(self._parts.like_draws(), self._axis)

    def _beside_events(self, x: Any) -> Any:
        for _ in range(self.event_rank):
            x = v1_arrays.expand_dims(x, -1)
        return x

    def _draw(self, count: Any, seed: int | None) -> Any:
        drawn = self._parts.sample([count], new_seed(seed, "components"))
        chosen = self._mixture.sample([count], new_seed(seed, "mixture"))
        depth = self._parts.sizes_of_draws()[self._axis]
        hot = picking.one_hot(chosen, depth, dtype=self.dtype)
        return numbers.reduce_sum(drawn * self._beside_events(hot), self._axis)

    def _log_prob(self, x: Any) -> Any:
        each = self._parts.log_prob(v1_arrays.expand_dims(x, self._axis))
        logs = nn_functions.log_softmax(self._mixture.logits)
        return numbers.reduce_logsumexp(each + logs, -1)

    def _cdf(self, x: Any) -> Any:
        each = self._parts.cdf(v1_arrays.expand_dims(x, self._axis))
        return numbers.reduce_sum(each * self._mixture.probs, -1)

    def _weighted(self, x: Any) -> Any:
        share = self._beside_events(self._mixture.probs)
        return numbers.reduce_sum(share * x, self._axis)

    def _mean(self) -> Any:
        return self._weighted(self._parts.mean())

    def _variance(self) -> Any:
        mean = self._parts.mean()
        middle = v1_arrays.expand_dims(self._weighted(mean), self._axis)
        apart = elementwise.square(mean - middle)
        return self._weighted(self._parts.variance() + apart)


class Independent(Distribution):
    """A distribution some of whose batch's last axes are drawn as one event."""

    def __init__(
        self,
        distribution: Distribution,
        reinterpreted_batch_ndims: int | None = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        rank = distribution.batch_shape.ndims
        given_count = reinterpreted_batch_ndims
        self._taken = max(rank - 1, 0) if given_count is None else int(given_count)
        if self._taken > rank:
            raise InvalidArgumentError(
                f"reinterpreted_batch_ndims({self._taken}) cannot exceed "
                f"distribution.batch_ndims({rank})"
            )
        self._of = distribution
        self.event_rank = distribution.event_rank + self._taken  # type: ignore[misc]
        self.reparameterized = distribution.reparameterized  # type: ignore[misc]
        given = {
            "distribution": distribution,
            "reinterpreted_batch_ndims": reinterpreted_batch_ndims,
        }
        title = name or f"Independent{type(distribution).__name__}"
        super().__init__(
            distribution.dtype,
            title,
            validate_args,
            distribution.allow_nan_stats,
            given,
        )

    distribution = property(lambda self: self._of)
    reinterpreted_batch_ndims = property(lambda self: self._taken)

    def _like(self) -> Any:
        return self._of.like_draws()

    def _draw(self, count: Any, seed: int | None) -> Any:
        return self._of.sample([count], seed)

    def summed(self, x: Any) -> Any:
        """Return the sums over what is drawn as one."""
        axes = list(range(-self._taken, 0))
        return numbers.reduce_sum(x, axes) if axes else x

    def _log_prob(self, x: Any) -> Any:
        return self.summed(self._of.log_prob(x))

    def _entropy(self) -> Any:
        return self.summed(self._of.entropy())

    def _mean(self) -> Any:
        return self._of.mean()

    def _variance(self) -> Any:
        return self._of.variance()

    def _stddev(self) -> Any:
        return self._of.stddev()

    def _mode(self) -> Any:
        return self._of.mode()


@RegisterKL(Independent, Independent)
def _independents(a: Independent, b: Independent) -> Any:
    if a.reinterpreted_batch_ndims != b.reinterpreted_batch_ndims:
        raise InvalidArgumentError("Event shapes do not match.")
    return a.summed(kl_divergence(a.distribution, b.distribution))
