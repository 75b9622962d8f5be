"""TransformedDistribution: draws of a distribution that a bijector maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, checks, cutting, elementwise
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.contrib.distribution_kinds.bijector import Bijector
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_elements import (
    Identity,
)
from tensorlite.compat.v1.contrib.distribution_kinds.conditional import (
    ConditionalDistribution,
)
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import Distribution
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import (
    ShapedDistribution,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import validated
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.graphs.inner_ops import constant_value_as_shape
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.graph_mode.graph import active_graph, name_scope


class TransformedDistribution(ShapedDistribution):
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
        before = "" if bijector is None else bijector.name
        with name_scope(name or before + distribution.name) as prefix:
            constant(0, int32, name="zero")
            empty = constant([], int32, name="empty")
            if bijector is None:
                bijector = Identity(validate_args=validate_args)
            scalar = distribution.is_scalar_batch()
            self._batch = _override(
                batch_shape, empty, scalar, validate_args, "batch_shape"
            )
            scalar = distribution.is_scalar_event()
            self._event = _override(
                event_shape, empty, scalar, validate_args, "event_shape"
            )
            self._of = distribution
            self._summed_axes = self._noted()
        self._bijector = bijector
        super().__init__(
            distribution.dtype, prefix, validate_args, distribution.allow_nan_stats
        )
        self._reparameterization_type = distribution.reparameterization_type

    distribution = property(lambda self: self._of)
    bijector = property(lambda self: self._bijector)

    @property
    def _turns(self) -> bool:
        """Whether draws come with the event's axes before those of the batch."""
        rank = self._of.batch_shape.rank
        return self._event is not None and self._batch is None and rank != 0

    def _noted(self) -> Any:
        """Return the axes of an event that is drawn number by number, after what TensorFlow notes.

        Seeds are made of how many nodes there are: draws are its own only behind as many of them.
        """
        if active_graph() is None:
            return None
        taken = sum(x is not None for x in (self._batch, self._event))
        self._of.is_scalar_batch()
        for _ in range(15 + 3 * taken):
            constant(0, int32)
        size = 0 if self._event is None else self._event.get_shape()[0].value
        count = constant(size, int32)
        if self._turns:
            return arrays.range(count - count, count)
        return arrays.range(0 - count, 0)

    def _batch_shape(self) -> Any:
        if self._batch is None:
            return self._of.batch_shape
        return constant_value_as_shape(self._batch)

    def _event_shape(self) -> Any:
        own = self._of.event_shape
        if self._event is not None:
            own = constant_value_as_shape(self._event)
        return self._bijector.forward_event_shape(own)

    def _batch_shape_tensor(self) -> Any:
        return self._of.batch_shape_tensor() if self._batch is None else self._batch

    def _event_shape_tensor(self) -> Any:
        own = self._of.event_shape_tensor() if self._event is None else self._event
        return self._bijector.forward_event_shape_tensor(own)

    def like_draws(self) -> Any:
        """Return a tensor of the shape of a batch of draws, for distributions made of this one."""
        return Distribution.like_draws(self)

    def _sample_n(
        self,
        n: Any,
        seed: int | None = None,
        bijector_kwargs: dict[str, Any] | None = None,
        distribution_kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Return draws of the other distribution, which are turned into own ones later."""
        more = [x for x in (self._batch, self._event) if x is not None]
        parts = [*more, [n]] if self._turns else [[n], *more]
        kwargs = distribution_kwargs or {}
        drawn = self._of.sample(sample_shape=_joined(parts), seed=seed, **kwargs)
        return self._rotated(drawn)

    def _with_shape(self, drawn: Any, whole: Any) -> Any:
        return drawn

    def _turned(self, drawn: Any, whole: Any, **kwargs: Any) -> Any:
        given = kwargs.get("bijector_kwargs") or {}
        found = self._bijector.forward(drawn, **given)
        return super()._with_shape(found, whole)

    def _rotated(self, x: Any, back: bool = False) -> Any:
        """Return draws whose event's axes, which come first, are the last ones; or turn back."""
        if not self._turns:
            return x
        count = self._event.get_shape()[0].value
        rank = x.get_shape().rank
        if rank is None:
            places = arrays.range(arrays.rank(x))
            return arrays.transpose(
                x, cutting.roll(places, count if back else -count, 0)
            )
        first = rank - count if back else count
        order = [*range(first, rank), *range(first)]
        return arrays.transpose(x, order)

    def _event_rank(self) -> Any:
        known = self.event_shape.rank
        return v1_arrays.size(self.event_shape_tensor()) if known is None else known

    def _of_fibers(
        self,
        y: Any,
        told: Callable[[Any, Any], Any],
        bijector_kwargs: dict[str, Any] | None,
    ) -> Any:
        """Return what is told of what y was made of, for each of several if there are more."""
        kwargs = bijector_kwargs or {}
        x = self._bijector.inverse(y, **kwargs)
        jacobian = self._bijector.inverse_log_det_jacobian(
            y, event_ndims=self._event_rank(), **kwargs
        )
        if self._bijector._is_injective:  # noqa: SLF001  # what subclasses tell
            return self._as_wide(told(x, jacobian), y)
        return [
            self._as_wide(told(*each), y) for each in zip(x, jacobian, strict=True)
        ]

    def _as_wide(self, found: Any, y: Any) -> Any:
        rank = self._event_rank()
        if self._event is not None and isinstance(rank, int):
            own = y.get_shape()
            if own.rank is not None:
                outer = own[: own.rank - rank]
                found.set_shape(
                    cutting.broadcast_static_shape(outer, self.batch_shape)
                )
        return found

    def _over_event(self, x: Any, sum_of: Callable[..., Any]) -> Any:
        """Return a sum or product over the axes of an event that single numbers were drawn for."""
        if self._event is None:
            return x
        if self._summed_axes is not None:
            return sum_of(x, self._summed_axes)
        count = self._event.get_shape()[0].value
        last = count if self._turns else 0
        return sum_of(x, list(range(last - count, last)))

    def _log_prob(
        self,
        value: Any,
        bijector_kwargs: dict[str, Any] | None = None,
        distribution_kwargs: dict[str, Any] | None = None,
    ) -> Any:
        def told(x: Any, jacobian: Any) -> Any:
            own = self._rotated(x, back=True)
            found = self._of.log_prob(own, **(distribution_kwargs or {}))
            found = self._over_event(found, numbers.reduce_sum)
            return found + elementwise.cast(jacobian, found.dtype)

        found = self._of_fibers(value, told, bijector_kwargs)
        if isinstance(found, list):
            return numbers.reduce_logsumexp(arrays.stack(found), axis=0)
        return found

    def _prob(
        self,
        value: Any,
        bijector_kwargs: dict[str, Any] | None = None,
        distribution_kwargs: dict[str, Any] | None = None,
    ) -> Any:
        def told(x: Any, jacobian: Any) -> Any:
            own = self._rotated(x, back=True)
            found = self._of.prob(own, **(distribution_kwargs or {}))
            found = self._over_event(found, numbers.reduce_prod)
            return found * elementwise.exp(elementwise.cast(jacobian, found.dtype))

        found = self._of_fibers(value, told, bijector_kwargs)
        return sum(found) if isinstance(found, list) else found

    def _of_inverse(
        self,
        what: str,
        value: Any,
        bijector_kwargs: dict[str, Any] | None = None,
        distribution_kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Return what the other distribution tells of what a value was made of."""
        self._check_single(what)
        x = self._bijector.inverse(value, **(bijector_kwargs or {}))
        return getattr(self._of, what)(x, **(distribution_kwargs or {}))

    def _check_single(self, what: str) -> None:
        if self._event is not None:
            raise UnimplementedError(
                f"{what} is not implemented when overriding event_shape"
            )
        if not self._bijector._is_injective:  # noqa: SLF001  # what subclasses tell
            raise UnimplementedError(
                f"{what} is not implemented when bijector is not injective."
            )

    def _log_cdf(self, value: Any, **kwargs: Any) -> Any:
        return self._of_inverse("log_cdf", value, **kwargs)

    def _cdf(self, value: Any, **kwargs: Any) -> Any:
        return self._of_inverse("cdf", value, **kwargs)

    def _log_survival_function(self, value: Any, **kwargs: Any) -> Any:
        return self._of_inverse("log_survival_function", value, **kwargs)

    def _survival_function(self, value: Any, **kwargs: Any) -> Any:
        return self._of_inverse("survival_function", value, **kwargs)

    def _quantile(
        self,
        value: Any,
        bijector_kwargs: dict[str, Any] | None = None,
        distribution_kwargs: dict[str, Any] | None = None,
    ) -> Any:
        self._check_single("quantile")
        found = self._of.quantile(value, **(distribution_kwargs or {}))
        return self._bijector.forward(found, **(bijector_kwargs or {}))

    def _mean(self) -> Any:
        if not self._bijector.is_constant_jacobian:
            return super()._mean()
        shape = arrays.concat([self.batch_shape_tensor(), self._event_tensor()], 0)
        return self._bijector.forward(cutting.broadcast_to(self._of.mean(), shape))

    def _event_tensor(self) -> Any:
        return self._of.event_shape_tensor() if self._event is None else self._event

    def _entropy(self) -> Any:
        if not self._bijector.is_constant_jacobian:
            raise UnimplementedError("entropy is not implemented")
        if not self._bijector._is_injective:  # noqa: SLF001  # what subclasses tell
            raise UnimplementedError(
                "entropy is not implemented when bijector is not injective."
            )
        found = self._of.entropy()
        if self._event is not None:
            count = numbers.reduce_prod(self._event)
            found = found * elementwise.cast(count, found.dtype)
        if self._batch is not None:
            own = self._of.batch_shape_tensor()
            ones = v1_arrays.ones_like(self._batch)
            found = arrays.reshape(found, arrays.concat([ones, own], 0))
            times = arrays.concat([self._batch, v1_arrays.ones_like(own)], 0)
            found = cutting.tile(found, times)
        shapes = [self.batch_shape_tensor(), self.event_shape_tensor()]
        nothing = arrays.zeros(arrays.concat(shapes, 0), self.dtype)
        jacobian = self._bijector.inverse_log_det_jacobian(
            nothing, event_ndims=self._event_rank()
        )
        found = found - elementwise.cast(jacobian, found.dtype)
        found.set_shape(self.batch_shape)
        return found


class ConditionalTransformedDistribution(
    ConditionalDistribution, TransformedDistribution
):
    """The same, which hands on what depends on the case to its bijector and distribution.

    That is given by `bijector_kwargs` and `distribution_kwargs`.
    """


def _joined(parts: list[Any]) -> Any:
    """Return a shape made of parts: known if they all are."""
    known = [get_static_value(framework.convert_to_tensor(x)) for x in parts]
    if any(x is None for x in known):
        return arrays.concat(parts, 0)
    sizes = [int(size) for part in known for size in np.reshape(part, -1)]
    return constant(sizes, int32) if sizes else constant([], int32)


def _override(
    shape: Any, empty: Any, scalar: Any, validate_args: bool, name: str
) -> Any:
    """Return a shape that draws of single numbers take, or None where that is empty."""
    given = [] if shape is None else shape
    sizes = given.as_list() if hasattr(given, "as_list") else given
    wanted = framework.convert_to_tensor(sizes, int32, name=name)
    if wanted.get_shape().rank not in {None, 1}:
        raise InvalidArgumentError("shape override must be a vector")
    known, is_scalar = get_static_value(wanted), get_static_value(scalar)
    if wanted.get_shape().rank is not None and wanted.get_shape()[0].value == 0:
        return None
    if known is not None and np.any(known <= 0):
        raise InvalidArgumentError("shape override must have positive elements")
    if is_scalar is not None and not is_scalar:
        raise InvalidArgumentError("base distribution not scalar")
    return validated(
        validate_args and (known is None or is_scalar is None),
        wanted,
        lambda x: checks.assert_positive(
            x, message="shape override must have positive elements"
        ),
        lambda _: checks.assert_equal(
            scalar, True, message="base distribution not scalar"
        ),
    )
