"""Distributions made of others: mixtures, of several or of a batch.

Batches whose elements are drawn together are in together.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, checks, cutting, elementwise, picking
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.contrib.distribution_kinds.discrete import Categorical
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import Distribution
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import (
    ShapedDistribution,
    new_seed,
)
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    nn_functions,
    numbers,
)
from tensorlite.compat.v1.graphs.framework import (
    control_dependencies,
    convert_to_tensor,
)
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    ShapeError,
    UnimplementedError,
)
from tensorlite.graph_mode.graph import name_scope


def _beside_events(x: Any, mixture: Any, chosen: Any, event_rank: int) -> Any:
    """Return what is known of each component, with axes for batches and events around them."""
    with name_scope("pad_mix_dims"):
        more = mixture.batch_shape.rank - chosen.batch_shape.rank
        shape = v1_arrays.shape(x)
        parts = [shape[:-1], [1] * more, shape[-1:], [1] * event_rank]
        whole = [convert_to_tensor(part, int32) for part in parts]
        return arrays.reshape(x, arrays.concat(whole, 0))


class Mixture(ShapedDistribution):
    """One of several distributions, which a Categorical chooses for each draw."""

    reparameterized = False

    def __init__(
        self,
        cat: Categorical,
        components: Sequence[Distribution],
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        use_static_graph: bool = False,
        name: str = "Mixture",
    ) -> None:
        _check_components(cat, components)
        self._cat, self._components = cat, list(components)
        self._use_static_graph = use_static_graph
        self._event, self._batch = components[0].event_shape, cat.batch_shape
        for one in components:
            self._event = self._event.merge_with(one.event_shape)
            self._batch = self._batch.merge_with(one.batch_shape)
        if self._event.rank is None:
            raise InvalidArgumentError(
                "Expected to know rank(event_shape) from components, but none of the "
                "components provide a static number of ndims"
            )
        with name_scope(name) as prefix:
            shape = cat.batch_shape_tensor()
            rank = v1_arrays.size(shape)
            self._checks = _batch_checks(shape, rank, components, validate_args)
        super().__init__(components[0].dtype, prefix, validate_args, allow_nan_stats)

    cat = property(lambda self: self._cat)
    components = property(lambda self: self._components)
    num_components = property(lambda self: len(self._components))

    def like_draws(self) -> Any:
        """Return a tensor of the shape of a batch of draws, for distributions made of this one."""
        return Distribution.like_draws(self)

    def _batch_shape(self) -> Any:
        return self._batch

    def _event_shape(self) -> Any:
        return self._event

    def _batch_shape_tensor(self) -> Any:
        return self._cat.batch_shape_tensor()

    def _event_shape_tensor(self) -> Any:
        return self._components[0].event_shape_tensor()

    def _chances(self, softmax: Callable[[Any], Any]) -> list[Any]:
        """Return how likely each component is, or the logarithm of it."""
        found = softmax(self._cat.logits)
        return list(arrays.unstack(found, num=len(self._components), axis=-1))

    def _chances_of_events(self) -> list[Any]:
        share = self._chances(nn_functions.softmax)
        for _ in range(self._event.rank):
            share = [v1_arrays.expand_dims(one, -1) for one in share]
        return share

    def _mean(self) -> Any:
        with control_dependencies(self._checks):
            means = [one.mean() for one in self._components]
            pairs = zip(self._chances_of_events(), means, strict=True)
            return elementwise.add_n([share * mean for share, mean in pairs])

    def _stddev(self) -> Any:
        with control_dependencies(self._checks):
            means = [one.mean() for one in self._components]
            wide = [one.stddev() for one in self._components]
            share = arrays.stack(self._chances_of_events(), axis=-1)
            place = arrays.stack(means, axis=-1)
            # The mean of squares less the square of the mean.
            squares = elementwise.square(arrays.stack(wide, axis=-1))
            squares = squares + elementwise.square(place)
            mean = numbers.reduce_sum(share * place, -1)
            whole = numbers.reduce_sum(share * squares, -1)
            return elementwise.sqrt(whole - elementwise.square(mean))

    def _log_of_all(self, what: str, x: Any) -> Any:
        with control_dependencies(self._checks):
            told = [getattr(one, what)(x) for one in self._components]
            logs = self._chances(nn_functions.log_softmax)
            each = [log + found for log, found in zip(logs, told, strict=True)]
            return numbers.reduce_logsumexp(arrays.stack(each, 0), [0])

    def _log_prob(self, x: Any) -> Any:
        return self._log_of_all("log_prob", x)

    def _log_cdf(self, x: Any) -> Any:
        return self._log_of_all("log_cdf", x)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        if self._use_static_graph:
            return self._chosen_of_all(n, seed)
        with control_dependencies(self._checks):
            count = convert_to_tensor(n, name="n")
            known = get_static_value(count)
            count = count if known is None else int(known)
            chosen = self._cat.sample(count, seed=seed)
            return self._chosen_of_parts(count, chosen, seed)

    def _chosen_of_all(self, n: Any, seed: int | None) -> Any:
        """Return draws, for which all components are drawn from."""
        chosen, drawn = self._cat.sample(n, seed=seed), []
        for one in self._components:
            seed = new_seed(seed, "mixture")
            drawn.append(one.sample(n, seed=seed))
        x = arrays.stack(drawn, -self._event.rank - 1)
        one_hot = picking.one_hot(chosen, len(drawn), dtype=self.dtype)
        mask = _beside_events(one_hot, self, self._cat, self._event.rank)
        return numbers.reduce_sum(x * mask, -1 - self._event.rank)

    def _chosen_of_parts(self, n: Any, chosen: Any, seed: int | None) -> Any:
        """Return draws, for which each component is drawn from as often as it is chosen."""
        sizes, count = chosen.get_shape(), len(self._components)
        known = sizes.is_fully_defined()
        shape = sizes.as_list() if known else v1_arrays.shape(chosen)
        total = sizes.num_elements() if known else v1_arrays.size(chosen)
        batch = self.batch_shape.num_elements()
        if batch is None:
            batch = numbers.reduce_prod(self.batch_shape_tensor())
        event = self.event_shape_tensor() if None in self._event.as_list() else None
        if event is None:
            event = np.array(self._event.as_list(), np.int32)
        places = arrays.reshape(arrays.range(0, total), shape)
        mine = picking.dynamic_partition(places, chosen, count)
        rows = arrays.reshape(cutting.tile(arrays.range(0, batch), [n]), shape)
        own = picking.dynamic_partition(rows, chosen, count)
        drawn = []
        for place, one in enumerate(self._components):
            many = v1_arrays.size(mine[place])
            seed = new_seed(seed, "mixture")
            some = one.sample(many, seed=seed)
            where = batch * arrays.range(many) + own[place]
            flat = arrays.concat([[many * batch], event], 0)
            some = arrays.reshape(some, flat)
            drawn.append(picking.gather(some, where, name="samples_class_c_gather"))
        found = picking.dynamic_stitch(mine, drawn)
        whole = arrays.concat([shape, self.event_shape_tensor()], 0)
        return arrays.reshape(found, whole)

    def entropy_lower_bound(self, name: str = "entropy_lower_bound") -> Any:
        """Return the mean of the components' entropies, which the mixture's is at least."""
        with self._name_scope(name), control_dependencies(self._checks):
            told = [one.entropy() for one in self._components]
            pairs = zip(self._chances(nn_functions.softmax), told, strict=True)
            return elementwise.add_n([share * found for share, found in pairs])


def _check_components(cat: Any, components: Any) -> None:
    if not isinstance(cat, Categorical):
        raise DTypeError(f"cat must be a Categorical distribution, but saw: {cat}")
    if not components:
        raise InvalidArgumentError("components must be a non-empty list or tuple")
    if not isinstance(components, (list, tuple)):
        raise DTypeError(f"components must be a list or tuple, but saw: {components}")
    if not all(isinstance(one, Distribution) for one in components):
        raise DTypeError(
            "all entries in components must be Distribution instances but saw: "
            f"{components}"
        )
    kinds = {one.dtype for one in components}
    if len(kinds) > 1:
        raise DTypeError(f"All components must have the same dtype, not {kinds}")
    count = cat.logits.get_shape()[-1].value
    if count is None:
        raise InvalidArgumentError(
            "Could not infer number of classes from cat and unable to compare this value to "
            "the number of components passed in."
        )
    if count != len(components):
        raise ShapeError(
            f"cat.num_classes != len(components): {count} vs. {len(components)}"
        )


def _batch_checks(
    shape: Any, rank: Any, components: Sequence[Distribution], wanted: bool
) -> list[Any]:
    """Return checks that components have the batch of what chooses them."""
    if not wanted:
        return []
    message = "components[{}] batch shape must match cat batch shape"
    found = []
    for place, one in enumerate(components):
        own, told = one.batch_shape_tensor(), message.format(place)
        size = v1_arrays.size(own)
        found.append(checks.assert_equal(rank, size, message=told))
        found.append(checks.assert_equal(shape, own, message=told))
    return found


class MixtureSameFamily(ShapedDistribution):
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
        with name_scope(name) as prefix:
            self._mixture, self._parts = mixture_distribution, components_distribution
            sizes = components_distribution.event_shape_tensor()
            self._rank = sizes.get_shape()[0].value
            _check_family(mixture_distribution, components_distribution)
            super().__init__(
                components_distribution.dtype, prefix, validate_args, allow_nan_stats
            )

    mixture_distribution = property(lambda self: self._mixture)
    components_distribution = property(lambda self: self._parts)

    @property
    def _axis(self) -> int:
        """Where the components are among the axes of draws."""
        return -1 - int(self._rank)

    def like_draws(self) -> Any:
        """Return a tensor of the shape of a batch of draws, for distributions made of this one."""
        return Distribution.like_draws(self)

    def _batch_shape(self) -> Any:
        return self._parts.batch_shape[:-1]

    def _event_shape(self) -> Any:
        return self._parts.event_shape

    def _batch_shape_tensor(self) -> Any:
        return self._parts.batch_shape_tensor()[:-1]

    def _event_shape_tensor(self) -> Any:
        return self._parts.event_shape_tensor()

    def _beside_events(self, x: Any) -> Any:
        return _beside_events(x, self, self._mixture, self._rank)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        # As TensorFlow 1.15 draws, without the seed that is given.
        drawn = self._parts.sample(n)
        chosen = self._mixture.sample(n)
        count = self._mixture.logits.get_shape()[-1].value
        if count is None:
            count = v1_arrays.shape(self._mixture.logits)[-1]
        one, none = [np.array(x, self.dtype.numpy) for x in (1, 0)]
        hot = picking.one_hot(chosen, count, on_value=one, off_value=none)
        return numbers.reduce_sum(drawn * self._beside_events(hot), self._axis)

    def _apart(self, x: Any) -> Any:
        """Return values with an axis for the components."""
        with name_scope("pad_sample_dims"):
            rank, shape = x.get_shape().rank, v1_arrays.shape(x)
            place = (arrays.rank(x) if rank is None else rank) - self._rank
            parts = [shape[:place], [1], shape[place:]]
            return arrays.reshape(x, arrays.concat(parts, 0))

    def _log_of_all(self, what: str, x: Any) -> Any:
        found = getattr(self._parts, what)(self._apart(x))
        logs = nn_functions.log_softmax(self._mixture.logits)
        return numbers.reduce_logsumexp(found + logs, axis=-1)

    def _log_prob(self, x: Any) -> Any:
        return self._log_of_all("log_prob", x)

    def _log_cdf(self, x: Any) -> Any:
        return self._log_of_all("log_cdf", x)

    def _mean(self) -> Any:
        share = self._beside_events(self._mixture.probs)
        return numbers.reduce_sum(share * self._parts.mean(), self._axis)

    def _variance(self) -> Any:
        share = self._beside_events(self._mixture.probs)
        own = numbers.reduce_sum(share * self._parts.variance(), self._axis)
        middle = self._apart(self._mean())
        apart = elementwise.squared_difference(self._parts.mean(), middle)
        return own + numbers.reduce_sum(share * apart, self._axis)

    def _covariance(self) -> Any:
        if self.event_shape.rank != 1:
            raise UnimplementedError("covariance is not implemented")
        share = self._beside_events(self._beside_events(self._mixture.probs))
        own = numbers.reduce_sum(share * self._parts.covariance(), axis=-3)
        apart = self._parts.mean() - self._apart(self._mean())
        products = apart[..., None, :] * apart[..., None]
        return own + numbers.reduce_sum(share * products, axis=-3)


def _check_family(chosen: Any, parts: Distribution) -> None:
    if not chosen.dtype.is_integer:
        raise InvalidArgumentError(
            f"`mixture_distribution.dtype` ({chosen.dtype.name}) is not over integers"
        )
    if chosen.event_shape.rank:
        raise InvalidArgumentError(
            "`mixture_distribution` must have scalar `event_dim`s"
        )
    own, beside = chosen.batch_shape, parts.batch_shape
    if beside.rank is None:
        return
    outer = beside[:-1]
    known = own.is_fully_defined() and outer.is_fully_defined()
    if known and own.rank and own.as_list() != outer.as_list():
        raise InvalidArgumentError(
            f"`mixture_distribution.batch_shape` (`{own.as_list()}`) is not compatible with "
            f"`components_distribution.batch_shape` (`{outer.as_list()}`)"
        )
    first, second = chosen.logits.get_shape()[-1].value, beside[-1].value
    if first is not None and second is not None and first != second:
        raise InvalidArgumentError(
            f"`mixture_distribution components` ({first}) does not equal "
            f"`components_distribution.batch_shape[-1]` ({second})"
        )
