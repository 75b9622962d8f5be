"""TransformedDistribution: draws of a distribution that a bijector maps."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import arrays, cutting
from tensorlite.compat.v1.contrib.bijectors import Bijector, Identity
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import (
    Distribution,
    sizes_behind,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.core.errors import InvalidArgumentError


class TransformedDistribution(Distribution):
    """What a bijector makes of draws of another distribution.

    Where that draws single numbers, `batch_shape` and `event_shape` say how many of them one draw
    here takes.
    """

    def __init__(
        self,
        distribution: Distribution,
        bijector: Bijector | None = None,
        batch_shape: Any = None,
        event_shape: Any = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        self._of = distribution
        self._bijector = Identity() if bijector is None else bijector
        self._batch = None if batch_shape is None else as_shape(batch_shape).as_list()
        self._event = None if event_shape is None else as_shape(event_shape).as_list()
        _check_single(distribution, batch_shape, event_shape)
        rank = distribution.event_rank if self._event is None else len(self._event)
        self.event_rank = max(rank, self._bijector.forward_min_event_ndims)  # type: ignore[misc]
        self.reparameterized = distribution.reparameterized  # type: ignore[misc]
        given = {
            "distribution": distribution,
            "bijector": bijector,
            "batch_shape": batch_shape,
            "event_shape": event_shape,
        }
        title = name or f"{self._bijector.name}{distribution.name.rstrip('/')}"
        super().__init__(distribution.dtype, title, validate_args, parameters=given)

    distribution = property(lambda self: self._of)
    bijector = property(lambda self: self._bijector)

    def _base_sizes(self) -> list[Any]:
        """Return the sizes of one draw of the other distribution, as it is taken here."""
        if self._batch is None and self._event is None:
            return self._of.sizes_of_draws()
        batch = self._of.batch_shape.as_list() if self._batch is None else self._batch
        event = self._of.event_shape.as_list() if self._event is None else self._event
        return [*batch, *event]

    def _base(self, count: Any, seed: int | None) -> Any:
        sizes = self._base_sizes()
        own = len(self._of.batch_shape) + len(self._of.event_shape)
        more = sizes[: len(sizes) - own]
        return self._of.sample(sizes_behind(count, more), seed)

    def _like(self) -> Any:
        zeros = arrays.zeros(self._base_sizes(), self.dtype)
        return self._bijector.forward(zeros)

    def _draw(self, count: Any, seed: int | None) -> Any:
        return self._bijector.forward(self._base(count, seed))

    def _log_prob(self, y: Any) -> Any:
        x = self._bijector.inverse(y)
        density = self._of.log_prob(x)
        own = self._of.event_rank
        axes = list(range(own - self.event_rank, 0))
        if axes:
            like = x
            for _ in range(own):
                like = like[..., 0]
            density = numbers.reduce_sum(density + v1_arrays.zeros_like(like), axes)
        return density + self._bijector.inverse_log_det_jacobian(y, self.event_rank)

    def _cdf(self, y: Any) -> Any:
        return self._of.cdf(self._bijector.inverse(y))

    def _quantile(self, p: Any) -> Any:
        return self._bijector.forward(self._of.quantile(p))

    def _mean(self) -> Any:
        if not self._bijector.is_constant_jacobian:
            return super()._mean()
        whole = cutting.broadcast_to(self._of.mean(), self._base_sizes())
        return self._bijector.forward(whole)

    def _entropy(self) -> Any:
        if not self._bijector.is_constant_jacobian:
            return super()._entropy()
        found = self._of.entropy()
        sizes = self._base_sizes()
        taken = sizes[len(sizes) - self.event_rank : len(sizes) - self._of.event_rank]
        for size in taken:
            found = found * float(size)
        zeros = arrays.zeros(sizes, self.dtype)
        return found + self._bijector.forward_log_det_jacobian(zeros, self.event_rank)


def _check_single(of: Distribution, batch_shape: Any, event_shape: Any) -> None:
    """Check that shapes are given only for what draws single numbers."""
    kinds = (
        (batch_shape, of.batch_shape, "batch"),
        (event_shape, of.event_shape, "event"),
    )
    for given, own, what in kinds:
        if given is not None and own.as_list():
            raise InvalidArgumentError(
                f"{what}_shape={given!r}: the distribution has its own, {own}; allowed is None"
            )
