"""Classes that are drawn nearly whole, so that gradients flow through draws (Maddison et al. 2016).

Those that are whole are in discrete.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, checks, elementwise
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_elements import (
    Exp,
    Sigmoid,
)
from tensorlite.compat.v1.contrib.distribution_kinds.chances import logits_and_probs
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import (
    ShapedDistribution,
    as_parameter,
)
from tensorlite.compat.v1.contrib.distribution_kinds.tails import Logistic
from tensorlite.compat.v1.contrib.distribution_kinds.transformed import (
    TransformedDistribution,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    positive,
    validated,
)
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    nn_functions,
    numbers,
)
from tensorlite.compat.v1.graphs import framework
from tensorlite.core.dtypes import as_dtype, int32
from tensorlite.graph_mode.graph import name_scope

log, lgamma = elementwise.log, elementwise.lgamma


def _held(temperature: Any, dtype: Any, validate_args: bool) -> Any:
    """Return a temperature as a tensor of its own."""
    own = as_parameter(temperature, "temperature", dtype)
    waiting = [positive()(own)] if validate_args else []
    with framework.control_dependencies(waiting):
        return arrays.identity(own, name="temperature")


class RelaxedBernoulli(TransformedDistribution):
    """Numbers in (0, 1) that are near 0 or 1, the nearer the lower the temperature."""

    shaped = ("logits",)

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedBernoulli",
    ) -> None:
        with name_scope(name) as prefix:
            self._logits, self._probs = logits_and_probs(
                logits, probs, validate_args=validate_args
            )
            dtype = self._logits.dtype
            warm = self._temperature = _held(temperature, dtype, validate_args)
            logistic = Logistic(
                self._logits / warm,
                1.0 / warm,
                validate_args,
                allow_nan_stats,
                f"{prefix}/Logistic",
            )
            super().__init__(
                logistic,
                Sigmoid(validate_args=validate_args),
                validate_args=validate_args,
                name=prefix,
            )

    temperature = property(lambda self: self._temperature)
    logits = property(lambda self: self._logits)
    probs = property(lambda self: self._probs)


class ExpRelaxedOneHotCategorical(ShapedDistribution):
    """Logarithms of what RelaxedOneHotCategorical draws."""

    event_rank = 1

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExpRelaxedOneHotCategorical",
    ) -> None:
        with name_scope(name) as prefix:
            self._logits, self._probs = logits_and_probs(
                logits, probs, prefix, validate_args, of_classes=True
            )
            kind = self._logits.dtype if dtype is None else as_dtype(dtype)
            warm = elementwise.cast(temperature, kind)
            self._temperature = _held(warm, kind, validate_args)
            self._warm_rows = arrays.reshape(warm, [-1, 1], name="temperature_2d")
            rank = self._logits.get_shape().rank
            if rank is not None:
                framework.convert_to_tensor(rank - 1, int32, name="batch_rank")
            with name_scope("event_size"):
                self._event_size = v1_arrays.shape(self._logits)[-1]
        super().__init__(kind, prefix, validate_args, allow_nan_stats)

    temperature = property(lambda self: self._temperature)
    logits = property(lambda self: self._logits)
    probs = property(lambda self: self._probs)
    event_size = property(lambda self: self._event_size)

    def _like(self) -> Any:
        return self._logits

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = arrays.concat([[n], v1_arrays.shape(self._logits)], 0)
        whole = self._logits * arrays.ones(shape, self.dtype)
        rows = self._rows(whole)
        least = float(np.finfo(self.dtype.numpy).tiny)
        sizes = v1_arrays.shape(rows)
        unit = random.uniform(sizes, least, 1.0, self.dtype, seed)
        noisy = elementwise.div(-log(-log(unit)) + rows, self._warmth())
        return arrays.reshape(nn_functions.log_softmax(noisy), shape)

    def _is_one_temperature(self) -> bool:
        return bool(self._temperature.get_shape().rank == 0)

    def _rows(self, x: Any) -> Any:
        """Return classes as rows of a matrix, unless those of a batch have their own warmth."""
        if self._is_one_temperature():
            return arrays.reshape(x, [-1, self._event_size])
        return x

    def _warmth(self) -> Any:
        """Return the temperature beside the classes."""
        if self._is_one_temperature():
            return self._warm_rows
        return self._temperature[..., None]

    def _valid_sample(self, x: Any) -> Any:
        def summing_to_one(y: Any) -> Any:
            total = numbers.reduce_logsumexp(y, axis=[-1])
            return checks.assert_near(arrays.zeros([], self.dtype), total)

        return validated(True, x, checks.assert_non_positive, summing_to_one)

    def _log_prob(self, x: Any) -> Any:
        logits, own = self._logits, x.get_shape()
        if not (own.is_fully_defined() and own == logits.get_shape()):
            logits = v1_arrays.ones_like(x, logits.dtype) * logits
            x = v1_arrays.ones_like(logits, x.dtype) * x
        shape = v1_arrays.shape(numbers.reduce_sum(logits, [-1]))
        rows, at = self._rows(logits), self._rows(x)
        size = elementwise.cast(self._event_size, x.dtype)
        whole = lgamma(size) + (size - 1.0) * log(self._temperature)
        each = nn_functions.log_softmax(rows - at * self._warmth())
        found = whole + numbers.reduce_sum(each, [-1])
        return arrays.reshape(found, shape)


class RelaxedOneHotCategorical(TransformedDistribution):
    """Shares of classes, which add up to 1."""

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedOneHotCategorical",
    ) -> None:
        logs = ExpRelaxedOneHotCategorical(
            temperature, logits, probs, dtype, validate_args, allow_nan_stats
        )
        super().__init__(logs, Exp(), name=name)
