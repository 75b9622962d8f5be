"""Distribution: what those of tf.distributions have in common, and what programs write theirs on.

What those of this package have besides is in shaped.py, divergences between them in divergences.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.contrib.distribution_kinds.divergences import (
    cross_entropy,
    kl_divergence,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.views import plain
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import name_scope


class ReparameterizationType:
    """Whether gradients flow through draws; two are the same if they are one object."""

    def __init__(self, rep_type: str) -> None:
        self._name = rep_type

    def __repr__(self) -> str:
        return f"<Reparameteriation Type: {self._name}>"


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


class Distribution:
    """Numbers drawn at random, for each element of a batch by its own parameters.

    Subclasses say what is drawn by `_sample_n(n, seed)`, which puts draws on a new first axis, and
    what is known of them by `_log_prob`, `_mean` and so on; `_batch_shape` and `_event_shape`
    return shapes as far as known, `_batch_shape_tensor` and `_event_shape_tensor` tensors.
    """

    def __init__(
        self,
        dtype: Any,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: dict[str, Any] | None = None,
        graph_parents: Any = None,
        name: str | None = None,
    ) -> None:
        for place, parent in enumerate(graph_parents or ()):
            if not isinstance(plain(parent), Operand):
                raise InvalidArgumentError(
                    f"Graph parent item {place} is not a Tensor; {parent}."
                )
        self._dtype, self._reparameterization_type = dtype, reparameterization_type
        self._validate_args, self._allow_nan_stats = validate_args, allow_nan_stats
        self._parameters, self._graph_parents = parameters or {}, graph_parents or []
        self._name = self._scope_of(name or type(self).__name__)

    @staticmethod
    def _scope_of(name: str) -> str:
        if name.endswith("/"):
            return name
        with name_scope(name) as prefix:
            return prefix

    dtype = property(lambda self: self._dtype)
    allow_nan_stats = property(lambda self: self._allow_nan_stats)
    validate_args = property(lambda self: self._validate_args)

    @property
    def name(self) -> str:
        """The distribution's name, a scope that ends with a slash."""
        return self._name

    @property
    def parameters(self) -> dict[str, Any]:
        """What the distribution was made of, by argument."""
        given = self._parameters
        return {
            key: x for key, x in given.items() if key != "self" and key[:2] != "__"
        }

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """Whether gradients flow through draws: FULLY_REPARAMETERIZED or NOT_REPARAMETERIZED."""
        return self._reparameterization_type

    def copy(self, **override_parameters_kwargs: Any) -> Self:
        """Return a distribution of the same class, with some parameters given anew."""
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    @classmethod
    def param_shapes(
        cls, sample_shape: Any, name: str = "DistributionParamShapes"
    ) -> dict[str, Any]:
        """Return the shapes that parameters need for draws of sample_shape, as tensors by name.

        Distributions that do not tell raise UnimplementedError.
        """
        with name_scope(name):
            return cls._param_shapes(sample_shape)

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
        found = cls.param_shapes(shape.as_list())
        return {key: as_shape(get_static_value(x)) for key, x in found.items()}

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, Any]:
        raise UnimplementedError(f"_param_shapes not implemented: {cls.__name__}")

    @contextmanager
    def _name_scope(
        self, name: str | None = None, values: Any = None
    ) -> Iterator[str]:
        with name_scope(self._name), name_scope(name) as prefix:
            yield prefix

    def _lacks(self, what: str) -> UnimplementedError:
        return UnimplementedError(f"{what} is not implemented: {type(self).__name__}")

    @property
    def batch_shape(self) -> Any:
        """Shape of the independent draws, each with its own parameters, as far as known."""
        return as_shape(self._batch_shape())

    @property
    def event_shape(self) -> Any:
        """Shape of a single draw, as far as known."""
        return as_shape(self._event_shape())

    def _batch_shape(self) -> Any:
        return None

    def _event_shape(self) -> Any:
        return None

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Return the batch's shape, an int32 vector."""
        with self._name_scope(name):
            known = self.batch_shape
            if known.is_fully_defined():
                return framework.convert_to_tensor(
                    known.as_list(), int32, name="batch_shape"
                )
            return self._batch_shape_tensor()

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Any:
        """Return the shape of a single draw, an int32 vector."""
        with self._name_scope(name):
            known = self.event_shape
            if known.is_fully_defined():
                return framework.convert_to_tensor(
                    known.as_list(), int32, name="event_shape"
                )
            return self._event_shape_tensor()

    def _batch_shape_tensor(self) -> Any:
        raise self._lacks("batch_shape_tensor")

    def _event_shape_tensor(self) -> Any:
        raise self._lacks("event_shape_tensor")

    def is_scalar_event(self, name: str = "is_scalar_event") -> Any:
        """Return whether a single draw has no axes, a tensor."""
        with self._name_scope(name):
            found = _is_scalar(self.event_shape, self.event_shape_tensor)
            return framework.convert_to_tensor(found, name="is_scalar_event")

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Any:
        """Return whether there is one distribution and no batch of them, a tensor."""
        with self._name_scope(name):
            found = _is_scalar(self.batch_shape, self.batch_shape_tensor)
            return framework.convert_to_tensor(found, name="is_scalar_batch")

    def like_draws(self) -> Any:
        """Return a tensor of the shape of a batch of draws, for distributions made of this one."""
        shapes = [self.batch_shape_tensor(), self.event_shape_tensor()]
        return arrays.zeros(arrays.concat(shapes, 0), self.dtype)

    def sizes_of_draws(self) -> list[Any]:
        """Return the sizes of a batch of draws: numbers, or tensors of those not known."""
        like = self.like_draws()
        known = like.get_shape().as_list()
        if None not in known:
            return list(known)
        dynamic = v1_arrays.shape(like)
        return [dynamic[i] if x is None else x for i, x in enumerate(known)]

    def sample(
        self, sample_shape: Any = (), seed: int | None = None, name: str = "sample"
    ) -> Any:
        """Return draws of shape sample_shape + batch_shape + event_shape."""
        return self._call_sample_n(sample_shape, seed, name)

    def _call_sample_n(
        self, sample_shape: Any, seed: int | None, name: str, **kwargs: Any
    ) -> Any:
        with self._name_scope(name):
            whole, count = _sample_sizes(sample_shape)
            drawn = self._sample_n(count, seed, **kwargs)
            rest = v1_arrays.shape(drawn)[1:]
            found = arrays.reshape(drawn, arrays.concat([whole, rest], 0))
            return self._turned(self._with_shape(found, whole), whole, **kwargs)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        """Return so many draws, on a new first axis."""
        raise self._lacks("sample_n")

    def _with_shape(self, drawn: Any, whole: Any) -> Any:
        """Return draws with what of their shape is known before."""
        known = get_static_value(whole)
        own = self.batch_shape.concatenate(self.event_shape)
        if known is not None and own.rank is not None:
            drawn.set_shape([*known.tolist(), *own.as_list()])
        return drawn

    def _turned(self, drawn: Any, whole: Any, **kwargs: Any) -> Any:
        """Return draws of what this one is made of as its own."""
        return drawn

    def _converted(self, value: Any) -> Any:
        if isinstance(value, Operand):
            return value
        return framework.convert_to_tensor(value, None, "value", self.dtype)

    def _of_value(
        self,
        value: Any,
        name: str,
        own: Callable[..., Any],
        other: Callable[..., Any],
        **kwargs: Any,
    ) -> Any:
        """Return what is told of a value itself, or what follows from something else."""
        with self._name_scope(name):
            x = self._converted(value)
            try:
                return own(x, **kwargs)
            except NotImplementedError as error:
                try:
                    return other(x, **kwargs)
                except NotImplementedError:
                    raise error from None

    def log_prob(self, value: Any, name: str = "log_prob") -> Any:
        """Return the logarithm of the density, or of the probability, at value."""
        return self._call_log_prob(value, name)

    def _call_log_prob(self, value: Any, name: str, **kwargs: Any) -> Any:
        other = _then(elementwise.log, self._prob)
        return self._of_value(value, name, self._log_prob, other, **kwargs)

    def _log_prob(self, value: Any) -> Any:
        raise self._lacks("log_prob")

    def prob(self, value: Any, name: str = "prob") -> Any:
        """Return the density, or the probability, at value."""
        return self._call_prob(value, name)

    def _call_prob(self, value: Any, name: str, **kwargs: Any) -> Any:
        other = _then(elementwise.exp, self._log_prob)
        return self._of_value(value, name, self._prob, other, **kwargs)

    def _prob(self, value: Any) -> Any:
        raise self._lacks("prob")

    def cdf(self, value: Any, name: str = "cdf") -> Any:
        """Return the probability of draws that are at most value."""
        return self._call_cdf(value, name)

    def _call_cdf(self, value: Any, name: str, **kwargs: Any) -> Any:
        other = _then(elementwise.exp, self._log_cdf)
        return self._of_value(value, name, self._cdf, other, **kwargs)

    def _cdf(self, value: Any) -> Any:
        raise self._lacks("cdf")

    def log_cdf(self, value: Any, name: str = "log_cdf") -> Any:
        """Return the logarithm of the probability of draws that are at most value."""
        return self._call_log_cdf(value, name)

    def _call_log_cdf(self, value: Any, name: str, **kwargs: Any) -> Any:
        other = _then(elementwise.log, self._cdf)
        return self._of_value(value, name, self._log_cdf, other, **kwargs)

    def _log_cdf(self, value: Any) -> Any:
        raise self._lacks("log_cdf")

    def survival_function(self, value: Any, name: str = "survival_function") -> Any:
        """Return the probability of draws that are larger than value."""
        return self._call_survival_function(value, name)

    def _call_survival_function(self, value: Any, name: str, **kwargs: Any) -> Any:
        other = _then(lambda p: 1.0 - p, self.cdf)
        return self._of_value(value, name, self._survival_function, other, **kwargs)

    def _survival_function(self, value: Any) -> Any:
        raise self._lacks("survival_function")

    def log_survival_function(
        self, value: Any, name: str = "log_survival_function"
    ) -> Any:
        """Return the logarithm of the probability of draws that are larger than value."""
        return self._call_log_survival_function(value, name)

    def _call_log_survival_function(
        self, value: Any, name: str, **kwargs: Any
    ) -> Any:
        other = _then(lambda p: elementwise.log1p(-p), self.cdf)
        own = self._log_survival_function
        return self._of_value(value, name, own, other, **kwargs)

    def _log_survival_function(self, value: Any) -> Any:
        raise self._lacks("log_survival_function")

    def quantile(self, value: Any, name: str = "quantile") -> Any:
        """Return the number below which draws lie with the probability value."""
        return self._call_quantile(value, name)

    def _call_quantile(self, value: Any, name: str, **kwargs: Any) -> Any:
        with self._name_scope(name):
            return self._quantile(self._converted(value), **kwargs)

    def _quantile(self, value: Any) -> Any:
        raise self._lacks("quantile")

    def entropy(self, name: str = "entropy") -> Any:
        """Return the entropy, in nats."""
        with self._name_scope(name):
            return self._entropy()

    def _entropy(self) -> Any:
        raise self._lacks("entropy")

    def mean(self, name: str = "mean") -> Any:
        """Return the means."""
        with self._name_scope(name):
            return self._mean()

    def _mean(self) -> Any:
        raise self._lacks("mean")

    def mode(self, name: str = "mode") -> Any:
        """Return the likeliest values."""
        with self._name_scope(name):
            return self._mode()

    def _mode(self) -> Any:
        raise self._lacks("mode")

    def variance(self, name: str = "variance") -> Any:
        """Return the variances."""
        with self._name_scope(name):
            return _either(self._variance, elementwise.square, self._stddev)

    def _variance(self) -> Any:
        raise self._lacks("variance")

    def stddev(self, name: str = "stddev") -> Any:
        """Return the standard deviations."""
        with self._name_scope(name):
            return _either(self._stddev, elementwise.sqrt, self._variance)

    def _stddev(self) -> Any:
        raise self._lacks("stddev")

    def covariance(self, name: str = "covariance") -> Any:
        """Return the covariances of a draw's elements, [..., size, size]."""
        with self._name_scope(name):
            return self._covariance()

    def _covariance(self) -> Any:
        raise self._lacks("covariance")

    def kl_divergence(self, other: Distribution, name: str = "kl_divergence") -> Any:
        """Return the Kullback-Leibler divergence of other from this distribution, in nats.

        UnimplementedError is raised for pairs of classes without one.
        """
        with self._name_scope(name):
            return self._kl_divergence(other)

    def _kl_divergence(self, other: Distribution) -> Any:
        return kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def cross_entropy(self, other: Distribution, name: str = "cross_entropy") -> Any:
        """Return the cross entropy with another distribution, in nats."""
        with self._name_scope(name):
            return self._cross_entropy(other)

    def _cross_entropy(self, other: Distribution) -> Any:
        return cross_entropy(self, other, allow_nan_stats=self.allow_nan_stats)

    def __str__(self) -> str:
        shapes = {"batch_shape": self.batch_shape, "event_shape": self.event_shape}
        known = {key: x for key, x in shapes.items() if x.rank is not None}
        told = "".join(f", {key}={x}" for key, x in known.items())
        kind = type(self).__name__
        return (
            f'tfp.distributions.{kind}("{self.name}"{told}, dtype={self.dtype.name})'
        )

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self.name}' batch_shape="
            f"{self.batch_shape} event_shape={self.event_shape} dtype={self.dtype.name}>"
        )


def _then(after: Callable[[Any], Any], before: Callable[..., Any]) -> Any:
    return lambda x, **kwargs: after(before(x, **kwargs))


def _either(own: Callable[[], Any], after: Callable[[Any], Any], other: Any) -> Any:
    """Return what is told, or a function of what else is."""
    try:
        return own()
    except NotImplementedError as error:
        try:
            return after(other())
        except NotImplementedError:
            raise error from None


def _is_scalar(known: Any, told: Callable[[], Any]) -> Any:
    if known.rank is not None:
        return known.rank == 0
    shape = told()
    sizes = shape.get_shape()
    if sizes.rank is not None and sizes.as_list()[0] is not None:
        return sizes.as_list() == [0]
    return elementwise.equal(v1_arrays.shape(shape)[0], 0)


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
