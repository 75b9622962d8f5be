"""Distributions around another one: in other batches, rounded up, each element by those before."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, checks, elementwise
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import Distribution
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import (
    ShapedDistribution,
    new_seed,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    integral,
    validated,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs.framework import convert_to_tensor
from tensorlite.compat.v1.graphs.inner_ops import constant_value_as_shape
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    ShapeError,
    UnimplementedError,
)
from tensorlite.graph_mode.graph import name_scope


class _Wrapped(ShapedDistribution):
    """A distribution that has the shapes of another one."""

    _of: Distribution

    distribution = property(lambda self: self._of)

    def like_draws(self) -> Any:
        """Return a tensor of the shape of a batch of draws, for distributions made of this one."""
        return Distribution.like_draws(self)

    def _batch_shape(self) -> Any:
        return self._of.batch_shape

    def _event_shape(self) -> Any:
        return self._of.event_shape

    def _batch_shape_tensor(self) -> Any:
        return self._of.batch_shape_tensor()

    def _event_shape_tensor(self) -> Any:
        return self._of.event_shape_tensor()


class Autoregressive(_Wrapped):
    """Draws that are made anew from themselves, as often as there are elements.

    `distribution_fn` returns the distribution of each element by those of a draw.
    """

    def __init__(
        self,
        distribution_fn: Callable[..., Distribution],
        sample0: Any = None,
        num_steps: int | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Autoregressive",
    ) -> None:
        with name_scope(name) as prefix:
            self._function, self._start = distribution_fn, sample0
            given = () if sample0 is None else (sample0,)
            self._of = distribution_fn(*given)
            steps = num_steps
            if steps is None:
                steps = self._of.event_shape.num_elements()
            if steps is None:
                raise InvalidArgumentError(
                    "distribution_fn must generate a distribution with fully known "
                    "`event_shape`."
                )
            if steps < 1:
                raise InvalidArgumentError(f"num_steps ({steps}) must be at least 1.")
            self._steps = steps
        super().__init__(self._of.dtype, prefix, validate_args, allow_nan_stats)
        self._reparameterization_type = self._of.reparameterization_type

    distribution_fn = property(lambda self: self._function)
    sample0 = property(lambda self: self._start)
    num_steps = property(lambda self: self._steps)
    distribution0 = property(lambda self: self._of)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        if seed is None:
            # All steps draw by one seed, so that elements stay as they have become.
            seed = new_seed(
                int(np.random.default_rng().integers(2**31)), "autoregressive"
            )
        drawn = self._of.sample(n, seed=seed)
        for _ in range(self._steps):
            drawn = self._function(drawn).sample(seed=seed)
        return drawn

    def _log_prob(self, value: Any) -> Any:
        return self._function(value).log_prob(value)

    def _prob(self, value: Any) -> Any:
        return self._function(value).prob(value)


class BatchReshape(_Wrapped):
    """A distribution whose batch has another shape of as many elements; one size may be -1."""

    def __init__(
        self,
        distribution: Distribution,
        batch_shape: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str | None = None,
    ) -> None:
        with name_scope(name or "BatchReshape" + distribution.name) as prefix:
            wanted = convert_to_tensor(batch_shape, int32, name="batch_shape")
            self._of = distribution
            _check_batch(distribution, wanted)
            self._own = distribution.batch_shape_tensor()
            self._wanted = self._checked(wanted, validate_args)
            self._known = _whole_batch(distribution, wanted)
            super().__init__(
                distribution.dtype, prefix, validate_args, allow_nan_stats
            )
        self._reparameterization_type = distribution.reparameterization_type

    def _checked(self, wanted: Any, validate_args: bool) -> Any:
        if not validate_args or get_static_value(wanted) is not None:
            return wanted
        count = numbers.reduce_prod(self._own)

        def one_open(x: Any) -> Any:
            opened = elementwise.cast(elementwise.equal(x, -1), int32)
            return checks.assert_less_equal(
                numbers.reduce_sum(opened),
                1,
                message="At most one dimension can be unknown.",
            )

        def sizes(x: Any) -> Any:
            filled = _filled(x, count)
            message = "Shape elements must be >=-1."
            return checks.assert_positive(filled, message=message)

        def same_size(x: Any) -> Any:
            found = numbers.reduce_prod(_filled(x, count))
            message = "Shape sizes do not match."
            return checks.assert_equal(found, count, message=message)

        return validated(True, wanted, one_open, sizes, same_size)

    def _batch_shape(self) -> Any:
        return self._known

    def _batch_shape_tensor(self) -> Any:
        count = numbers.reduce_prod(self._of.batch_shape_tensor())
        return _filled(self._wanted, count)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn = self._of.sample(sample_shape=n, seed=seed)
        shape = [[n], self._wanted, self.event_shape_tensor()]
        return arrays.reshape(drawn, arrays.concat(shape, 0))

    def _of_reshaped(self, what: str, x: Any) -> Any:
        """Return what the distribution tells of values, as its batch has them."""
        samples = self._sample_shape(x)
        own = [samples, self._of.batch_shape_tensor(), self.event_shape_tensor()]
        found = getattr(self._of, what)(arrays.reshape(x, arrays.concat(own, 0)))
        whole = arrays.concat([samples, self.batch_shape_tensor()], 0)
        return arrays.reshape(found, whole)

    def _sample_shape(self, x: Any) -> Any:
        """Return the shape of values before their batch, which is to be there whole."""
        known, own = self.batch_shape.concatenate(self.event_shape), x.get_shape()
        if known.rank is None or own.rank is None:
            behind = [self.batch_shape_tensor(), self.event_shape_tensor()]
            rank = arrays.rank(x) - v1_arrays.size(arrays.concat(behind, 0))
            return self._compared(x, rank, arrays.concat(behind, 0))
        rank = own.rank - known.rank
        told = "Broadcasting is not supported;"
        if rank < 0:
            raise UnimplementedError(
                f"{told} too few batch and event dims (expected at least {known.rank}, "
                f"saw {own.rank})."
            )
        actual = own[rank:]
        if actual.is_fully_defined() and known.is_fully_defined():
            if actual.as_list() != known.as_list():
                raise UnimplementedError(
                    f"{told} unexpected batch and event shape (expected "
                    f"{known.as_list()}, saw {actual.as_list()})."
                )
            return v1_arrays.shape(x)[:rank]
        behind = [self.batch_shape_tensor(), self.event_shape_tensor()]
        return self._compared(x, rank, arrays.concat(behind, 0))

    def _compared(self, x: Any, rank: Any, behind: Any) -> Any:
        def check(_: Any) -> Any:
            message = (
                "Broadcasting is not supported; unexpected batch and event shape."
            )
            return checks.assert_equal(
                behind, v1_arrays.shape(x)[rank:], message=message
            )

        return validated(self.validate_args, v1_arrays.shape(x), check)[:rank]

    def _log_prob(self, x: Any) -> Any:
        return self._of_reshaped("log_prob", x)

    def _prob(self, x: Any) -> Any:
        return self._of_reshaped("prob", x)

    def _log_cdf(self, x: Any) -> Any:
        return self._of_reshaped("log_cdf", x)

    def _cdf(self, x: Any) -> Any:
        return self._of_reshaped("cdf", x)

    def _log_survival_function(self, x: Any) -> Any:
        return self._of_reshaped("log_survival_function", x)

    def _survival_function(self, x: Any) -> Any:
        return self._of_reshaped("survival_function", x)

    def _told(self, what: str, events: int = 1) -> Any:
        """Return what the distribution tells of itself, with events' axes behind its batch."""
        found = getattr(self._of, what)()
        event = self.event_shape_tensor()
        shape = [self.batch_shape_tensor(), *[event] * events]
        return arrays.reshape(found, arrays.concat(shape, 0))

    def _entropy(self) -> Any:
        return self._told("entropy", 0)

    def _mean(self) -> Any:
        return self._told("mean")

    def _mode(self) -> Any:
        return self._told("mode")

    def _stddev(self) -> Any:
        return self._told("stddev")

    def _variance(self) -> Any:
        return self._told("variance")

    def _covariance(self) -> Any:
        return self._told("covariance", 2)


def _filled(shape: Any, count: Any) -> Any:
    """Return a shape of so many elements, whose size of -1 is told by the others."""
    known = get_static_value(shape)
    if known is not None and np.all(known >= 0):
        return shape
    rest = count // elementwise.maximum(1, -numbers.reduce_prod(shape))
    return v1_arrays.where_v2(elementwise.equal(shape, -1), rest, shape)


def _whole_batch(distribution: Distribution, wanted: Any) -> Any:
    known, own = get_static_value(wanted), distribution.batch_shape.num_elements()
    if known is None or own is None or np.all(known >= 0):
        return constant_value_as_shape(wanted)
    rest = own // max(1, -int(np.prod(known)))
    return [rest if size == -1 else int(size) for size in known]


def _check_batch(distribution: Distribution, wanted: Any) -> None:
    rank = wanted.get_shape().rank
    if rank is not None and rank != 1:
        raise ShapeError(f"`batch_shape` must be a vector (saw rank: {rank}).")
    known = get_static_value(wanted)
    own = distribution.batch_shape.num_elements()
    if known is None:
        return
    if np.sum(known == -1) > 1:
        raise ShapeError(
            f"`batch_shape` elements must have at most one `-1`: {known}"
        )
    if np.any(known < -1):
        raise ShapeError(f"`batch_shape` elements must be >=-1: {known}")
    if own is None:
        return
    size = int(np.prod(known[known >= 0]))
    fits = own % max(size, 1) == 0 if np.any(known == -1) else own == size
    if not fits:
        raise ShapeError(
            f"`batch_shape` size ({size}) must match `distribution.batch_shape` size ({own})."
        )


class QuantizedDistribution(_Wrapped):
    """Draws of another distribution rounded up to whole numbers, from `low` up to `high`."""

    reparameterized = False

    def __init__(
        self,
        distribution: Distribution,
        low: Any = None,
        high: Any = None,
        validate_args: bool = False,
        name: str = "QuantizedDistribution",
    ) -> None:
        with name_scope(name) as prefix:
            self._of = distribution
            ends = [self._end(low, "low"), self._end(high, "high")]
            self._validate_args = validate_args
            if None not in ends:
                message = "low must be strictly less than high."
                ends[0] = validated(
                    validate_args,
                    ends[0],
                    lambda x: checks.assert_less(x, ends[1], message=message),
                )
            self._low, self._high = [
                None if x is None else self._whole(x) for x in ends
            ]
        super().__init__(
            distribution.dtype, prefix, validate_args, distribution.allow_nan_stats
        )

    low = property(lambda self: self._low)
    high = property(lambda self: self._high)

    def _end(self, x: Any, name: str) -> Any:
        if x is None:
            return None
        found = convert_to_tensor(x, name=name)
        if found.dtype != self._of.dtype:
            raise DTypeError(
                f"{name} has dtype {found.dtype.name}, the distribution {self._of.dtype.name}"
            )
        return found

    def _whole(self, x: Any) -> Any:
        with name_scope("check_integer"):
            own = convert_to_tensor(x, name="value")
            check = integral("value has non-integer components.")
            return validated(self._validate_args, own, check)

    def _within(self, x: Any, below: Any, above: Any, found: Any) -> Any:
        """Return what is found, but something else below `low` and from `high` on."""
        zeros = v1_arrays.zeros_like(found)
        place = x + zeros
        if self._low is not None:
            found = v1_arrays.where_v2(place < self._low, zeros + below, found)
        if self._high is not None:
            found = v1_arrays.where_v2(place >= self._high, zeros + above, found)
        return found

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        with name_scope("transform"):
            drawn = self._of.sample(n, seed=seed)
            found, ones = elementwise.ceil(drawn), v1_arrays.ones_like(drawn)
            if self._low is not None:
                found = v1_arrays.where_v2(found < self._low, self._low * ones, found)
            if self._high is not None:
                found = v1_arrays.where_v2(
                    found > self._high, self._high * ones, found
                )
            return found

    def _log_prob(self, y: Any) -> Any:
        y = self._whole(y)
        try:
            tail, tail_before = [self.log_survival_function(x) for x in (y, y - 1)]
        except NotImplementedError:
            return _log_of_difference(self.log_cdf(y), self.log_cdf(y - 1))
        share, share_before = self.log_cdf(y), self.log_cdf(y - 1)
        # The smaller of both ends tells a difference more exactly.
        is_right = tail < share
        large = v1_arrays.where_v2(is_right, tail_before, share)
        small = v1_arrays.where_v2(is_right, tail, share_before)
        return _log_of_difference(large, small)

    def _prob(self, y: Any) -> Any:
        y = self._whole(y)
        try:
            tail, tail_before = [self.survival_function(x) for x in (y, y - 1)]
        except NotImplementedError:
            return self.cdf(y) - self.cdf(y - 1)
        share, share_before = self.cdf(y), self.cdf(y - 1)
        return v1_arrays.where_v2(
            tail < share, tail_before - tail, share - share_before
        )

    def _log_cdf(self, y: Any) -> Any:
        j = elementwise.floor(y)
        return self._within(j, -math.inf, 0.0, self._of.log_cdf(j))

    def _cdf(self, y: Any) -> Any:
        j = elementwise.floor(y)
        return self._within(j, 0.0, 1.0, self._of.cdf(j))

    def _log_survival_function(self, y: Any) -> Any:
        j = elementwise.ceil(y)
        return self._within(j, 0.0, -math.inf, self._of.log_survival_function(j))

    def _survival_function(self, y: Any) -> Any:
        j = elementwise.ceil(y)
        return self._within(j, 1.0, 0.0, self._of.survival_function(j))


def _log_of_difference(large: Any, small: Any) -> Any:
    """Return log(exp(large) - exp(small))."""
    with name_scope("logsum_expbig_minus_expsmall"):
        return elementwise.log(1.0 - elementwise.exp(small - large)) + large
