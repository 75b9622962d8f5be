"""Distribution: what those of tf.distributions have in common, and divergences between them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import arrays, cutting, elementwise
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    above_one_by,
    validated,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.views import plain
from tensorlite.core import nest
from tensorlite.core.constant import array_of
from tensorlite.core.dtypes import float32, int32
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import name_scope, titled


class ReparameterizationType:
    """Whether gradients flow through draws; two are the same if they are one object."""

    def __init__(self, rep_type: str) -> None:
        self._name = rep_type

    def __repr__(self) -> str:
        return f"<Reparameteriation Type: {self._name}>"


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


class Distribution:
    """Numbers drawn at random, for each element of a batch by its own parameters."""

    event_rank: ClassVar[int] = 0
    """How many axes one draw has."""
    reparameterized: ClassVar[bool] = True
    """Whether gradients flow through draws."""
    drawn_as: ClassVar[str] = ""
    """What draws are called below their scope, "" for what they are made by last."""
    shaped: ClassVar[tuple[str, ...]] = ()
    """The parameters that have the shape of a draw."""
    broadcast: ClassVar[tuple[str, ...]] = ()
    """The parameters whose shapes broadcast to that of a draw, where no more is asked for it."""

    @classmethod
    def param_shapes(
        cls, sample_shape: Any, name: str = "DistributionParamShapes"
    ) -> dict[str, Any]:
        """Return the shapes that parameters need for draws of sample_shape, as tensors by name.

        Distributions that do not tell raise UnimplementedError.
        """
        if not cls.shaped:
            raise UnimplementedError(
                f"param_shapes is not implemented: {cls.__name__}"
            )
        with name_scope(name):
            shape = framework.convert_to_tensor(sample_shape, int32)
            return dict.fromkeys(cls.shaped, shape)

    @classmethod
    def param_static_shapes(cls, sample_shape: Any) -> dict[str, Any]:
        """Return the shapes that parameters need for draws of sample_shape, as TensorShapes.

        A shape that is not fully known raises InvalidArgumentError.
        """
        if isinstance(sample_shape, Operand):
            sample_shape = get_static_value(sample_shape)
        shape = as_shape(sample_shape)
        if not shape.is_fully_defined():
            raise InvalidArgumentError(
                f"TensorShape sample_shape must be fully defined: {shape}"
            )
        return dict.fromkeys(cls.param_shapes(shape.as_list()), shape)

    def __init__(
        self,
        dtype: Any,
        name: str,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        self.dtype = dtype
        self.validate_args, self.allow_nan_stats = validate_args, allow_nan_stats
        checks = {"validate_args": validate_args, "allow_nan_stats": allow_nan_stats}
        self.parameters = {**(parameters or {}), **checks}
        with name_scope(name) as prefix:
            self._scope = prefix

    @property
    def name(self) -> str:
        """The distribution's name, a scope that ends with a slash."""
        return self._scope

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """Whether gradients flow through draws: FULLY_REPARAMETERIZED or NOT_REPARAMETERIZED."""
        return FULLY_REPARAMETERIZED if self.reparameterized else NOT_REPARAMETERIZED

    def _like(self) -> Any:
        """Return a tensor of the shape of a batch of draws."""
        raise NotImplementedError

    def like_draws(self) -> Any:
        """Return a tensor of the shape of a batch of draws, for distributions made of this one."""
        return self._like()

    def sizes_of_draws(self) -> list[Any]:
        """Return the sizes of a batch of draws, for distributions made of this one."""
        return self._sizes()

    @contextmanager
    def _named(self, method: str, name: str | None = None) -> Iterator[None]:
        with name_scope(self._scope), name_scope(name, method):
            yield

    @property
    def _shape(self) -> Any:
        if not self.broadcast:
            return self._like().get_shape()
        shapes = [getattr(self, name).get_shape() for name in self.broadcast]
        return reduce(cutting.broadcast_static_shape, shapes)

    @property
    def batch_shape(self) -> Any:
        """Shape of the independent draws, each with its own parameters, as far as known."""
        sizes = self._shape
        if sizes.rank is None:
            return as_shape(None)
        return as_shape(tuple(sizes.as_list()[: sizes.rank - self.event_rank]))

    @property
    def event_shape(self) -> Any:
        """Shape of a single draw, as far as known."""
        sizes = self._shape
        if sizes.rank is None:
            return as_shape((None,) * self.event_rank)
        return as_shape(tuple(sizes.as_list()[sizes.rank - self.event_rank :]))

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Return the batch's shape, an int32 vector."""
        with self._named(name):
            known = self.batch_shape
            if known.is_fully_defined():
                return framework.convert_to_tensor(
                    known.as_list(), int32, name="batch_shape"
                )
            if self.broadcast:
                shapes = [v1_arrays.shape(getattr(self, x)) for x in self.broadcast]
                return reduce(cutting.broadcast_dynamic_shape, shapes)
            behind = -self.event_rank or None
            return v1_arrays.shape(self._like())[:behind]

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Any:
        """Return the shape of a single draw, an int32 vector."""
        with self._named(name):
            known = self.event_shape
            if known.is_fully_defined():
                sizes = known.as_list()
                return framework.convert_to_tensor(sizes, int32, name="event_shape")
            if not self.event_rank:
                return framework.convert_to_tensor([], int32, name="event_shape")
            return v1_arrays.shape(self._like())[-self.event_rank :]

    def _sizes(self) -> list[Any]:
        """Return the sizes of batch and draw: numbers, or tensors of those not known."""
        like = self._like()
        known = like.get_shape().as_list()
        if None not in known:
            return list(known)
        dynamic = v1_arrays.shape(like)
        return [dynamic[i] if x is None else x for i, x in enumerate(known)]

    def sample(
        self, sample_shape: Any = (), seed: int | None = None, name: str = "sample"
    ) -> Any:
        """Return draws of shape sample_shape + batch_shape + event_shape."""
        with self._named("sample", name):
            whole, count = _sample_sizes(sample_shape)
            drawn = self._draw(count, seed)
            rest = v1_arrays.shape(drawn)[1:]
            found = arrays.reshape(drawn, arrays.concat([whole, rest], 0))
            known = get_static_value(whole)
            if known is not None and self._shape.rank is not None:
                found.set_shape([*known.tolist(), *self._shape.as_list()])
            if self.drawn_as:
                titled(plain(found), self.drawn_as)
            return self._turned(found)

    def _turned(self, drawn: Any) -> Any:
        """Return draws of what this one is made of as its own."""
        return drawn

    def behind(self, count: Any) -> Any:
        """Return the shape of so many numbers for each of the batch."""
        return arrays.concat([[count], self.batch_shape_tensor()], 0)

    def _draw(self, count: Any, seed: int | None) -> Any:
        """Return so many draws, on a new first axis."""
        raise _missing(self, "sample")

    def _value(self, value: Any) -> Any:
        if not isinstance(value, Operand):
            kind = self.dtype
            value = framework.convert_to_tensor(value, None, "value", kind)
        return self._valid_sample(value) if self.validate_args else value

    def _valid_sample(self, x: Any) -> Any:
        """Return a value, which is there only if it may have been drawn."""
        return x

    def _where_defined(
        self,
        inside: Callable[[], Any],
        found: Any,
        message: str,
        *above_one: Any,
    ) -> Any:
        """Return what is defined where some are greater than 1, and NaN or an error elsewhere."""
        if self.allow_nan_stats:
            rank = self.event_rank
            sizes = v1_arrays.shape(found) if rank else self.batch_shape_tensor()
            nan = np.array(np.nan, self.dtype.numpy)
            nowhere = arrays.fill(sizes, nan, name="nan")
            return v1_arrays.where_v2(inside(), found, nowhere)
        each = [above_one_by(x, message) for x in above_one]
        return validated(True, found, *each)

    def log_prob(self, value: Any, name: str = "log_prob") -> Any:
        """Return the logarithm of the density, or of the probability, at value."""
        with self._named("log_prob", name):
            return self._log_prob(self._value(value))

    def prob(self, value: Any, name: str = "prob") -> Any:
        """Return the density, or the probability, at value."""
        with self._named("prob", name):
            return elementwise.exp(self._log_prob(self._value(value)))

    def _log_prob(self, x: Any) -> Any:
        raise _missing(self, "log_prob")

    def cdf(self, value: Any, name: str = "cdf") -> Any:
        """Return the probability of draws that are at most value."""
        with self._named("cdf", name):
            return self._cdf(self._value(value))

    def _cdf(self, x: Any) -> Any:
        raise _missing(self, "cdf")

    def log_cdf(self, value: Any, name: str = "log_cdf") -> Any:
        """Return the logarithm of the probability of draws that are at most value."""
        with self._named("log_cdf", name):
            return self._log_cdf(self._value(value))

    def _log_cdf(self, x: Any) -> Any:
        return elementwise.log(self._cdf(x))

    def survival_function(self, value: Any, name: str = "survival_function") -> Any:
        """Return the probability of draws that are larger than value."""
        with self._named("survival_function", name):
            return self._survival(self._value(value))

    def _survival(self, x: Any) -> Any:
        return 1.0 - self._cdf(x)

    def log_survival_function(
        self, value: Any, name: str = "log_survival_function"
    ) -> Any:
        """Return the logarithm of the probability of draws that are larger than value."""
        with self._named("log_survival_function", name):
            return self._log_survival(self._value(value))

    def _log_survival(self, x: Any) -> Any:
        return elementwise.log1p(-self._cdf(x))

    def quantile(self, value: Any, name: str = "quantile") -> Any:
        """Return the number below which draws lie with the probability value."""
        with self._named("quantile", name):
            return self._quantile(self._value(value))

    def _quantile(self, p: Any) -> Any:
        raise _missing(self, "quantile")

    def entropy(self, name: str = "entropy") -> Any:
        """Return the entropy, in nats."""
        with self._named("entropy", name):
            return self._entropy()

    def _entropy(self) -> Any:
        raise _missing(self, "entropy")

    def mean(self, name: str = "mean") -> Any:
        """Return the means."""
        with self._named("mean", name):
            return self._mean()

    def _mean(self) -> Any:
        raise _missing(self, "mean")

    def mode(self, name: str = "mode") -> Any:
        """Return the likeliest values."""
        with self._named("mode", name):
            return self._mode()

    def _mode(self) -> Any:
        raise _missing(self, "mode")

    def variance(self, name: str = "variance") -> Any:
        """Return the variances."""
        with self._named("variance", name):
            return self._variance()

    def _variance(self) -> Any:
        raise _missing(self, "variance")

    def stddev(self, name: str = "stddev") -> Any:
        """Return the standard deviations."""
        with self._named("stddev", name):
            return self._stddev()

    def _stddev(self) -> Any:
        return elementwise.sqrt(self._variance())

    def covariance(self, name: str = "covariance") -> Any:
        """Return the covariances of a draw's elements, [..., size, size]."""
        with self._named("covariance", name):
            return self._covariance()

    def _covariance(self) -> Any:
        raise _missing(self, "covariance")

    def kl_divergence(self, other: Distribution, name: str = "kl_divergence") -> Any:
        """Return the Kullback-Leibler divergence of other from this distribution, in nats.

        UnimplementedError is raised for pairs of classes without one.
        """
        return kl_divergence(self, other, name=name)

    def cross_entropy(self, other: Distribution, name: str = "cross_entropy") -> Any:
        """Return the cross entropy with another distribution, in nats."""
        with self._named("cross_entropy", name):
            return self._entropy() + kl_divergence(self, other)

    def copy(self, **override_parameters_kwargs: Any) -> Distribution:
        """Return a distribution of the same class, with some parameters given anew."""
        given = {**self.parameters, **override_parameters_kwargs}
        return type(self)(**given)

    def __repr__(self) -> str:
        return (
            f"tf.distributions.{type(self).__name__}({self.name!r}, batch_shape="
            f"{self.batch_shape}, event_shape={self.event_shape}, dtype={self.dtype.name})"
        )


def _missing(own: Distribution, what: str) -> UnimplementedError:
    return UnimplementedError(f"{what} is not implemented: {type(own).__name__}")


def _sample_sizes(shape: Any) -> tuple[Any, Any]:
    """Return the shape of a sample as a vector, and how many draws it holds."""
    given = shape.as_list() if hasattr(shape, "as_list") else shape
    sizes = framework.convert_to_tensor(given, int32, name="sample_shape")
    known = get_static_value(sizes)
    count = numbers.reduce_prod(sizes) if known is None else int(np.prod(known))
    if known is not None and not known.ndim:
        vector = known.reshape(1)
        sizes = framework.convert_to_tensor(vector, int32, name="sample_shape")
    elif sizes.get_shape().rank != 1:
        sizes = arrays.reshape(sizes, [-1])
    return sizes, count


def _stacked(sizes: list[Any]) -> Any:
    """Return sizes as a shape: a list, or a tensor where some are tensors."""
    if any(isinstance(x, Operand) for x in sizes):
        return arrays.stack(sizes)
    return sizes


def sizes_behind(count: Any, sizes: list[Any]) -> Any:
    """Return the shape of so many draws of given sizes."""
    return _stacked([count, *sizes])


def as_parameter(value: Any, name: str, dtype: Any = None) -> Any:
    """Return a parameter as a tensor of floating point numbers."""
    x = framework.convert_to_tensor(value, dtype, name=name)
    if dtype is None and x.dtype.is_integer:
        return elementwise.cast(x, float32)
    return x


def held(value: Any, name: str, dtype: Any = None) -> Any:
    """Return a parameter as a tensor of its own, of floating point numbers, that bears its name."""
    if any(isinstance(x, Operand) for x in nest.flatten(value)):
        return arrays.identity(as_parameter(value, name, dtype), name=name)
    array = array_of(value)
    kind = float32.numpy if array.dtype.kind in "biu" else array.dtype
    wanted = kind if dtype is None else dtype.numpy
    return arrays.identity(array.astype(wanted), name=name)


def new_seed(seed: int | None, salt: str) -> int | None:
    """Return another seed, made of one and a word."""
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF


_divergences: dict[tuple[type, type], Callable[..., Any]] = {}


class RegisterKL:
    """Decorates the function that computes a divergence between two kinds."""

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        if self._key in _divergences:
            raise InvalidArgumentError(
                f"KL({self._key[0].__name__} || {self._key[1].__name__}) has already been "
                "registered"
            )
        _divergences[self._key] = kl_fn
        return kl_fn


def kl_divergence(
    distribution_a: Distribution,
    distribution_b: Distribution,
    allow_nan_stats: bool = True,
    name: str | None = None,
) -> Any:
    """Return the Kullback-Leibler divergence of distribution_b from distribution_a, in nats.

    UnimplementedError is raised for pairs of classes without one; allow_nan_stats has no effect.
    """
    for left in type(distribution_a).__mro__:
        for right in type(distribution_b).__mro__:
            if (left, right) in _divergences:
                with name_scope(name, "KullbackLeibler"):
                    return _divergences[left, right](distribution_a, distribution_b)
    raise UnimplementedError(
        f"No KL(distribution_a || distribution_b) registered for distribution_a type "
        f"{type(distribution_a).__name__} and distribution_b type {type(distribution_b).__name__}"
    )
