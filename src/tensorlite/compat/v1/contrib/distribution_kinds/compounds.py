"""Compounds that sums stand for: Poisson's with lognormal rates, vectors between two affine ones.

Dillon and Langmore 2018, "Quadrature Compound: An approximating family of distributions".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, cutting, elementwise, picking
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.contrib.distribution_kinds.continuous import Normal
from tensorlite.compat.v1.contrib.distribution_kinds.counted import Poisson
from tensorlite.compat.v1.contrib.distribution_kinds.discrete import Categorical
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import Distribution
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import (
    ShapedDistribution,
    as_parameter,
    new_seed,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.core.dtypes import int32
from tensorlite.graph_mode.graph import name_scope


def hermite_points(size: int, dtype: Any) -> tuple[Any, Any]:
    """Return where Gauss' and Hermite's sum takes a function, and weights that add up to 1."""
    places, weights = np.polynomial.hermite.hermgauss(deg=size)
    return places.astype(dtype.numpy), (weights / weights.sum()).astype(dtype.numpy)


def quantiles_between(distribution: Normal, size: int) -> Any:
    """Return size + 1 quantiles whose chances are equally far apart, on a new last axis."""
    dtype, rank = distribution.dtype, distribution.batch_shape.rank
    zero = arrays.zeros([], dtype)
    edges = arrays.linspace(zero, 1.0, size + 3)[1:-1]
    if rank is None:
        count = v1_arrays.shape(distribution.batch_shape_tensor())[0]
        ones: Any = arrays.ones([count], int32)
    else:
        ones = np.ones([rank], np.int32)
    apart = arrays.reshape(edges, arrays.concat([[-1], ones], 0))
    return distribution.quantile(apart)


def last(x: Any) -> Any:
    """Return a tensor whose first axis is the last one."""
    rank = x.get_shape().rank
    if rank is None:
        order = cutting.roll(arrays.range(arrays.rank(x)), -1, 0)
        return arrays.transpose(x, order)
    return arrays.transpose(x, [*range(1, rank), 0])


def even_weights(size: int, dtype: Any) -> Any:
    """Return as many weights, which are equal and add up to 1."""
    return arrays.fill([size], elementwise.cast(1.0 / size, dtype))


def quadrature_scheme_lognormal_gauss_hermite(
    loc: Any,
    scale: Any,
    quadrature_size: int,
    validate_args: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return logarithms of rates and their weights, as Gauss and Hermite choose them."""
    with name_scope(name, "vector_diffeomixture_quadrature_gauss_hermite"):
        places, weights = hermite_points(quadrature_size, loc.dtype)
        share = as_parameter(weights, "probs", loc.dtype)
        wide = math.sqrt(2.0) * scale[..., None]
        return loc[..., None] + wide * places, share


def quadrature_scheme_lognormal_quantiles(
    loc: Any,
    scale: Any,
    quadrature_size: int,
    validate_args: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return rates in the middle between quantiles, and their weights, which are equal."""
    with name_scope(name, "quadrature_scheme_lognormal_quantiles"):
        normal = Normal(loc, scale, validate_args=validate_args)
        edges = last(elementwise.exp(quantiles_between(normal, quadrature_size)))
        grid = (edges[..., :-1] + edges[..., 1:]) / 2.0
        grid.set_shape(normal.batch_shape.concatenate([quadrature_size]))
        return grid, even_weights(quadrature_size, normal.dtype)


class PoissonLogNormalQuadratureCompound(ShapedDistribution):
    """Counts of events whose rate is itself drawn, from a lognormal distribution.

    A mixture of `quadrature_size` rates stands for it, whose logarithms `quadrature_fn` returns
    with their weights.
    """

    reparameterized = False

    def __init__(
        self,
        loc: Any,
        scale: Any,
        quadrature_size: int = 8,
        quadrature_fn: Callable[..., Any] = quadrature_scheme_lognormal_quantiles,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "PoissonLogNormalQuadratureCompound",
    ) -> None:
        checks: dict[str, Any] = {
            "validate_args": validate_args,
            "allow_nan_stats": allow_nan_stats,
        }
        with name_scope(name) as prefix:
            self._loc = as_parameter(loc, "loc")
            self._scale = as_parameter(scale, "scale", self._loc.dtype)
            parts = self._loc, self._scale, quadrature_size, validate_args
            self._grid, weights = quadrature_fn(*parts)
            self._of = Poisson(log_rate=self._grid, **checks)
            self._mixture = Categorical(logits=elementwise.log(weights), **checks)
            self._size = quadrature_size
            super().__init__(self._grid.dtype, prefix, **checks)

    mixture_distribution = property(lambda self: self._mixture)
    distribution = property(lambda self: self._of)
    loc = property(lambda self: self._loc)
    scale = property(lambda self: self._scale)
    quadrature_size = property(lambda self: self._size)

    def like_draws(self) -> Any:
        """Return a tensor of the shape of a batch of draws, for distributions made of this one."""
        return Distribution.like_draws(self)

    def _batch_shape(self) -> Any:
        logits = self._mixture.logits.get_shape()
        return cutting.broadcast_static_shape(self._of.batch_shape, logits)[:-1]

    def _event_shape(self) -> Any:
        return ()

    def _batch_shape_tensor(self) -> Any:
        shapes = self._of.batch_shape_tensor(), v1_arrays.shape(self._mixture.logits)
        return cutting.broadcast_dynamic_shape(*shapes)[:-1]

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        count = self.batch_shape.num_elements()
        if count is None:
            count = numbers.reduce_prod(self.batch_shape_tensor())
        other = new_seed(seed, "poisson_lognormal_quadrature_compound")
        # Weights are of one batch or of all: choices are for each element.
        each = [n, count] if self._mixture.batch_shape.rank == 0 else [n]
        chosen = arrays.reshape(self._mixture.sample(each, seed=other), [n, -1])
        rows = arrays.range(0, count * self._size, self._size)
        flat = arrays.reshape(self._of.rate, [-1])
        rate = picking.gather(flat, chosen + rows)
        rate = arrays.reshape(
            rate, arrays.concat([[n], self.batch_shape_tensor()], 0)
        )
        return random.random_poisson(rate, [], self.dtype, seed)

    def _log_prob(self, x: Any) -> Any:
        each = self._mixture.logits + self._of.log_prob(x[..., None])
        return numbers.reduce_logsumexp(each, axis=-1)

    def _mean(self) -> Any:
        logs = self._mixture.logits + self._of.log_rate
        return elementwise.exp(numbers.reduce_logsumexp(logs, axis=-1))

    def _log_variance(self) -> Any:
        apart = elementwise.abs(self._of.mean() - self._mean()[..., None])
        parts = [self._of.log_rate, 2.0 * elementwise.log(apart)]
        logs = self._mixture.logits[..., None] + arrays.stack(parts, axis=-1)
        return numbers.reduce_logsumexp(logs, axis=[-2, -1])

    def _variance(self) -> Any:
        return elementwise.exp(self._log_variance())

    def _stddev(self) -> Any:
        return elementwise.exp(0.5 * self._log_variance())
