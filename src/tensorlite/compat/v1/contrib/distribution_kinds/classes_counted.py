"""Distributions of vectors of counts: how often each of several classes comes up."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays, elementwise, masks, picking
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import (
    ShapedDistribution,
    as_parameter,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    counting,
    positive,
    probabilities,
    several,
    summing_to,
    validated,
    whole,
)
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    matrices as v1_matrices,
    nn_functions,
    numbers,
)
from tensorlite.compat.v1.functions.control_flow import map_fn
from tensorlite.compat.v1.graphs import framework
from tensorlite.core.dtypes import float32, int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope

log, lgamma = elementwise.log, elementwise.lgamma


def _column(x: Any) -> Any:
    return v1_arrays.expand_dims(x, -1)


class _Counts(ShapedDistribution):
    """Counts that add up to `total_count`."""

    event_rank = 1
    reparameterized = False
    _total: Any

    @property
    def total_count(self) -> Any:
        return self._total

    def _totals(self, total_count: Any, dtype: Any, validate_args: bool) -> Any:
        total = as_parameter(total_count, "total_count", dtype)
        return validated(validate_args, total, counting, whole("total_count"))

    def _valid_sample(self, x: Any) -> Any:
        message = "counts must sum to `self.total_count`"
        return validated(
            True, x, counting, summing_to(self._total, message), whole("counts")
        )

    def _orders(self, counts: Any) -> Any:
        """Return the logarithm of how many sequences have these counts."""
        with name_scope("log_combinations"):
            whole, each = lgamma(self._total + 1), lgamma(counts + 1)
            return whole - numbers.reduce_sum(each, [-1])

    def _counted(self, logits: Any, seed: int | None) -> Any:
        """Return counts of draws of classes, as logits with all axes have them."""
        shape = v1_arrays.shape(logits)
        size = shape[-1]
        totals = elementwise.cast(self._total, int32)
        totals = totals + arrays.zeros(shape[:-1], int32)
        most = numbers.reduce_max(totals)
        rows = arrays.reshape(logits, arrays.stack([-1, size]))
        drawn = random.multinomial(rows, most, seed)
        mine = masks.sequence_mask(arrays.reshape(totals, [-1]), most, self.dtype)
        each = picking.one_hot(drawn, size, dtype=self.dtype) * _column(mine)
        return arrays.reshape(numbers.reduce_sum(each, 1), shape)


class Multinomial(_Counts):
    """How often each class comes up in independent draws."""

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        if (logits is None) == (probs is None):
            raise InvalidArgumentError("Must pass probs or logits, but not both.")
        known = framework.convert_to_tensor(probs if logits is None else logits)
        with name_scope(name) as prefix:
            dtype = known.dtype if known.dtype.is_floating else float32
            self._total = self._totals(total_count, dtype, validate_args)
            if logits is None:
                found = as_parameter(probs, "probs")
                self._probs = probabilities(validate_args, found, of_classes=True)
                self._logits = log(self._probs)
            else:
                self._logits = as_parameter(logits, "logits")
                self._probs = nn_functions.softmax(self._logits, name="probs")
            self._expected = self._total[..., None] * self._probs
        super().__init__(dtype, prefix, validate_args, allow_nan_stats)

    @property
    def logits(self) -> Any:
        """Logarithms of the classes' probabilities, up to a constant."""
        return self._logits

    @property
    def probs(self) -> Any:
        """Probabilities of the classes, along the last axis."""
        return self._probs

    def _like(self) -> Any:
        return self._expected

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        """Return the counts of draws of their own for each of a batch, one after the other."""
        logits, dtype = self._logits, self._logits.dtype
        totals = elementwise.cast(self._total, int32)
        size = self.event_shape_tensor()[0]
        totals = v1_arrays.ones_like(logits[..., 0], int32) * totals
        logits = v1_arrays.ones_like(totals[..., None], dtype) * logits
        rows = arrays.reshape(logits, [-1, size])
        draws = n * arrays.reshape(totals, [-1])

        def counted(args: Any) -> Any:
            drawn = random.multinomial(args[0][None, ...], args[1], seed)
            drawn = arrays.reshape(drawn, [n, -1])
            each = picking.one_hot(drawn, size, dtype=self.dtype)
            return numbers.reduce_sum(each, -2)

        found = map_fn(counted, [rows, draws], dtype=self.dtype)
        found = arrays.transpose(found, [1, 0, 2])
        sizes = [[n], self.batch_shape_tensor(), [size]]
        return arrays.reshape(found, arrays.concat(sizes, 0))

    def _log_prob(self, x: Any) -> Any:
        found = numbers.reduce_sum(x * nn_functions.log_softmax(self._logits), -1)
        return found - (-self._orders(x))

    def _mean(self) -> Any:
        return arrays.identity(self._expected)

    def _variance(self) -> Any:
        mean = self._expected
        return mean - mean * self._probs

    def _covariance(self) -> Any:
        share = self._probs + v1_arrays.zeros_like(self._mean())
        return _spread(self._mean(), share, self._variance())


class DirichletMultinomial(_Counts):
    """How often each class comes up, whose probabilities are themselves drawn."""

    def __init__(
        self,
        total_count: Any,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        self._concentration = validated(
            validate_args,
            as_parameter(concentration, "concentration"),
            positive("Concentration parameter must be positive."),
            several,
        )
        dtype = self._concentration.dtype
        self._total = self._totals(total_count, dtype, validate_args)
        super().__init__(dtype, name, validate_args, allow_nan_stats)

    @property
    def concentration(self) -> Any:
        """Weights of the classes, all positive, along the last axis."""
        return self._concentration

    @property
    def total_concentration(self) -> Any:
        """Sums of the classes' weights."""
        return numbers.reduce_sum(self._concentration, -1)

    def _like(self) -> Any:
        # Counts of several totals are drawn for each of these.
        return self._concentration + v1_arrays.zeros_like(_column(self._total))

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = arrays.reshape(n, [1])
        drawn = random.gamma(shape, self._concentration, None, self.dtype, seed)
        return self._counted(log(drawn), seed)

    def _log_prob(self, x: Any) -> Any:
        after = elementwise.lbeta(self._concentration + x)
        return after - elementwise.lbeta(self._concentration) + self._orders(x)

    def _shares(self) -> Any:
        return self._concentration / _column(self.total_concentration)

    def _scale(self) -> Any:
        """Return by how much draws vary more than they do with fixed probabilities."""
        total = self.total_concentration
        return _column((self._total + total) / (1.0 + total))

    def _mean(self) -> Any:
        return _column(self._total) * self._shares()

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self._shares()) * self._scale()

    def _covariance(self) -> Any:
        mean = self._mean() * self._scale()
        share = self._shares() + v1_arrays.zeros_like(mean)
        return _spread(mean, share, self._variance())


def _spread(mean: Any, share: Any, variance: Any) -> Any:
    """Return the covariances of counts: less than nothing beside the diagonal."""
    apart = matrices.matmul(_column(mean), v1_arrays.expand_dims(share, -2))
    return v1_matrices.matrix_set_diag(-apart, variance)
