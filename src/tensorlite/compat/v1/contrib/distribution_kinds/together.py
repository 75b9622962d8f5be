"""Independent: batches whose elements are drawn together, as one event."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, checks, elementwise
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import Distribution
from tensorlite.compat.v1.contrib.distribution_kinds.divergences import (
    RegisterKL,
    kl_divergence,
)
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import ShapedDistribution
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs.framework import (
    control_dependencies,
    convert_to_tensor,
)
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.graph_mode.graph import name_scope


class Independent(ShapedDistribution):
    """A distribution some of whose batch's last axes are drawn as one event."""

    def __init__(
        self,
        distribution: Distribution,
        reinterpreted_batch_ndims: Any = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        self._of = distribution
        with name_scope(name or "Independent" + distribution.name) as prefix:
            given = reinterpreted_batch_ndims
            count = convert_to_tensor(
                _most_axes(distribution) if given is None else given,
                int32,
                name="reinterpreted_batch_ndims",
            )
            known = get_static_value(count)
            self._known = None if known is None else int(known)
            self._taken = count if known is None else self._known
            super().__init__(
                distribution.dtype,
                prefix,
                validate_args,
                distribution.allow_nan_stats,
            )
            self._checks = self._checked(count)
        self._reparameterization_type = distribution.reparameterization_type

    distribution = property(lambda self: self._of)
    reinterpreted_batch_ndims = property(lambda self: self._taken)

    def _checked(self, count: Any) -> list[Any]:
        rank = self._of.batch_shape.rank
        if rank is not None and self._known is not None:
            if self._known > rank:
                raise InvalidArgumentError(
                    f"reinterpreted_batch_ndims({self._known}) cannot exceed "
                    f"distribution.batch_ndims({rank})"
                )
            return []
        if not self.validate_args:
            return []
        message = "reinterpreted_batch_ndims cannot exceed distribution.batch_ndims"
        most = v1_arrays.size(self._of.batch_shape_tensor())
        return [checks.assert_less_equal(count, most, message=message)]

    def like_draws(self) -> Any:
        """Return a tensor of the shape of a batch of draws, for distributions made of this one."""
        return self._of.like_draws()

    def _batch_shape(self) -> Any:
        own = self._of.batch_shape
        if self._known is None or own.rank is None:
            return None
        return own[: own.rank - self._known]

    def _event_shape(self) -> Any:
        own = self._of.batch_shape
        if self._known is None or own.rank is None:
            return None
        return own[own.rank - self._known :].concatenate(self._of.event_shape)

    def _parted(self) -> tuple[Any, Any]:
        """Return the shape of the batch, and of its axes that are drawn together."""
        with control_dependencies(self._checks):
            shape = self._of.batch_shape_tensor()
            known = shape.get_shape()[0].value
            rank = v1_arrays.shape(shape)[0] if known is None else known
            place = rank - self._taken
            return shape[:place], shape[place:]

    def _batch_shape_tensor(self) -> Any:
        return self._parted()[0]

    def _event_shape_tensor(self) -> Any:
        parts = [self._parted()[1], self._of.event_shape_tensor()]
        return arrays.concat(parts, 0)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        with control_dependencies(self._checks):
            return self._of.sample(sample_shape=n, seed=seed)

    def _summed(self, x: Any) -> Any:
        if self._known is None:
            axes = -1 - arrays.range(self._taken)
        else:
            axes = -1 - np.arange(self._known)
        return numbers.reduce_sum(x, axis=axes)

    def _log_prob(self, x: Any) -> Any:
        with control_dependencies(self._checks):
            return self._summed(self._of.log_prob(x))

    def _entropy(self) -> Any:
        with control_dependencies(self._checks):
            return self._summed(self._of.entropy())

    def _mean(self) -> Any:
        with control_dependencies(self._checks):
            return self._of.mean()

    def _variance(self) -> Any:
        with control_dependencies(self._checks):
            return self._of.variance()

    def _stddev(self) -> Any:
        with control_dependencies(self._checks):
            return self._of.stddev()

    def _mode(self) -> Any:
        with control_dependencies(self._checks):
            return self._of.mode()


def _most_axes(distribution: Distribution) -> Any:
    """Return how many of a batch's axes are taken if it is not said: all but the first."""
    rank = distribution.batch_shape.rank
    if rank is None:
        count = v1_arrays.shape(distribution.batch_shape_tensor())[0]
        return elementwise.maximum(0, count - 1)
    return max(0, rank - 1)


@RegisterKL(Independent, Independent)
def _independents(
    a: Independent, b: Independent, name: str | None = "kl_independent"
) -> Any:
    own, other = a.distribution, b.distribution
    known = a.event_shape.is_fully_defined() and b.event_shape.is_fully_defined()
    if known and a.event_shape.as_list() != b.event_shape.as_list():
        raise InvalidArgumentError("Event shapes do not match.")
    if own.event_shape.rank != other.event_shape.rank:
        raise UnimplementedError(
            "KL between Independents with different event shapes not supported."
        )
    ranks = a.event_shape.rank, own.event_shape.rank
    if None in ranks:
        raise UnimplementedError("KL between Independents of unknown rank")
    apart = kl_divergence(own, other, name=name)
    axes = [-place - 1 for place in range(ranks[0] - ranks[1])]
    return numbers.reduce_sum(apart, axis=axes)
