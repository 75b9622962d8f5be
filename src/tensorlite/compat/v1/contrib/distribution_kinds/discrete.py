"""Distributions of classes: of tf.distributions and tf.contrib.distributions."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays, elementwise, nn as shared_nn, picking
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.contrib.distribution_kinds.chances import (
    logits_and_probs,
    one_of,
)
from tensorlite.compat.v1.contrib.distribution_kinds.divergences import RegisterKL
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import (
    ShapedDistribution,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    counting,
    events,
    validated,
)
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    matrices as v1_matrices,
    nn_functions,
    nn_losses,
    numbers,
)
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.core.dtypes import as_dtype, int32, int64
from tensorlite.graph_mode.graph import active_graph, name_scope

_A_MATRIX = 2


class Bernoulli(ShapedDistribution):
    """The distribution of 0 and 1, by the odds' logarithms or the probability of 1."""

    reparameterized = False
    shaped = ("logits",)

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        one_of(logits, probs)
        with name_scope(name) as prefix:
            found = logits_and_probs(logits, probs, prefix, validate_args)
            self._logits, self._probs = found
        super().__init__(as_dtype(dtype), prefix, validate_args, allow_nan_stats)

    @property
    def logits(self) -> Any:
        """Logarithms of the odds of a 1."""
        return self._logits

    @property
    def probs(self) -> Any:
        """Probabilities of a 1."""
        return self._probs

    def _like(self) -> Any:
        return self._logits

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape, dtype = self.behind(n), self._probs.dtype
        drawn = random.uniform(shape, dtype=dtype, seed=seed)
        return elementwise.cast(elementwise.less(drawn, self._probs), self.dtype)

    def _valid_sample(self, x: Any) -> Any:
        return validated(True, x, counting, events)

    def _log_prob(self, x: Any) -> Any:
        drawn, logits = elementwise.cast(x, self._logits.dtype), self._logits
        own, others = drawn.get_shape(), logits.get_shape()
        if not (own.is_fully_defined() and own == others):
            scores = v1_arrays.ones_like(drawn) * logits
            drawn, logits = v1_arrays.ones_like(logits) * drawn, scores
        return -nn_losses.sigmoid_cross_entropy_with_logits(
            labels=drawn, logits=logits
        )

    def _entropy(self) -> Any:
        logits = self._logits
        share = -logits * (shared_nn.sigmoid(logits) - 1.0)
        return share + shared_nn.softplus(-logits)

    def _mean(self) -> Any:
        return arrays.identity(self._probs)

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self._probs)

    def _mode(self) -> Any:
        return elementwise.cast(self._probs > 0.5, self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _bernoullis(a: Bernoulli, b: Bernoulli, name: str | None = None) -> Any:
    soft = shared_nn.softplus
    with name_scope(name, "kl_bernoulli_bernoulli"):
        no = soft(-b.logits) - soft(-a.logits)
        yes = soft(b.logits) - soft(a.logits)
        first = shared_nn.sigmoid(a.logits) * no
        return first + shared_nn.sigmoid(-a.logits) * yes


class _Classes(ShapedDistribution):
    """One of several classes."""

    reparameterized = False
    _rank: Any = -1
    """The axis of the classes, or what a graph tells of it."""
    _number: Any = None
    """How many classes there are, where a graph tells it."""

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str | None = None,
    ) -> None:
        one_of(logits, probs)
        with name_scope(name or type(self).__name__) as prefix:
            self._logits, self._probs = logits_and_probs(
                logits, probs, prefix, validate_args, of_classes=True
            )
            self._tell()
        super().__init__(as_dtype(dtype), prefix, validate_args, allow_nan_stats)

    @property
    def logits(self) -> Any:
        return self._logits

    @property
    def probs(self) -> Any:
        return self._probs

    @property
    def event_size(self) -> Any:
        """How many classes there are, a scalar tensor."""
        if self._number is None:
            with self._name_scope("event_size"):
                return v1_arrays.shape(self._logits)[-1]
        return self._number

    def _tell(self) -> None:
        """Make the nodes that TensorFlow keeps the sizes of a batch in."""

    def _chosen(self, count: Any, seed: int | None, dtype: Any = int32) -> Any:
        """Return so many classes for each element of the batch, on a new first axis."""
        flat = self._logits
        if flat.get_shape().rank != _A_MATRIX:
            number = self.event_size if self._number is None else self._number
            flat = arrays.reshape(flat, [-1, number])
        drawn = random.multinomial(flat, count, seed, output_dtype=dtype)
        return arrays.transpose(drawn)

    def _entropy(self) -> Any:
        logs = nn_functions.log_softmax(self._logits)
        # Classes that never occur count nothing, though their logarithm is infinite.
        each = v1_arrays.where(
            self._probs > 0, self._probs * logs, v1_arrays.zeros_like(logs)
        )
        return -numbers.reduce_sum(each, -1)


@RegisterKL(_Classes, _Classes)
def _classes(a: _Classes, b: _Classes, name: str | None = None) -> Any:
    log_softmax = nn_functions.log_softmax
    with name_scope(name, "kl_categorical_categorical"):
        apart = log_softmax(a.logits) - log_softmax(b.logits)
        return numbers.reduce_sum(nn_functions.softmax(a.logits) * apart, -1)


class Categorical(_Classes):
    """The distribution of classes' numbers, by logits or probabilities along the last axis."""

    def _like(self) -> Any:
        return self._logits[..., 0]

    @property
    def _shape(self) -> Any:
        return self._logits.get_shape()[:-1]

    def _tell(self) -> None:
        dims = self._logits.get_shape().dims
        if active_graph() is None or not dims or None in [x.value for x in dims]:
            return
        sizes, given = [x.value for x in dims], framework.convert_to_tensor
        self._rank = given(len(sizes) - 1, int32, name="batch_rank")
        v1_arrays.shape(self._logits, name="logits_shape")
        self._number = given(sizes[-1], int32, name="event_size")
        constant(sizes[:-1], int32, name="batch_shape")

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        kind = int64 if self.dtype.size > int32.size else int32
        chosen = self._chosen(n, seed, kind)
        found = arrays.reshape(chosen, self.behind(n))
        return elementwise.cast(found, self.dtype)

    def _log_prob(self, x: Any) -> Any:
        if x.dtype.is_integer and x.get_shape() == self._shape:
            return -nn_losses.sparse_softmax_cross_entropy_with_logits(
                labels=x, logits=self._logits
            )
        classes = x if x.dtype.is_integer else elementwise.cast(x, int32)
        ones = v1_arrays.ones_like(classes[..., None], dtype=self._logits.dtype)
        scores = self._logits * ones
        sizes = v1_arrays.shape(scores)[:-1]
        whole = classes * arrays.ones(sizes, classes.dtype)
        return -nn_losses.sparse_softmax_cross_entropy_with_logits(
            labels=whole, logits=scores
        )

    def _cdf(self, x: Any) -> Any:
        """Return how likely classes before these are, as TensorFlow 1 has it."""
        classes = v1_arrays.expand_dims(elementwise.cast(x, int32), -1)
        before = arrays.range(self.event_size) < classes
        return numbers.reduce_sum(
            self._probs * elementwise.cast(before, self._probs.dtype), -1
        )

    def _mode(self) -> Any:
        return elementwise.cast(numbers.argmax(self._logits, self._rank), self.dtype)


class OneHotCategorical(_Classes):
    """The distribution of one-hot rows, by logits or probabilities along the last axis."""

    event_rank = 1

    @property
    def event_size(self) -> Any:
        return self._event_size

    def _tell(self) -> None:
        rank = self._logits.get_shape().rank
        if rank is not None and active_graph() is not None:
            framework.convert_to_tensor(rank - 1, int32, name="batch_rank")
        with name_scope("event_size"):
            self._event_size = v1_arrays.shape(self._logits)[-1]

    def _like(self) -> Any:
        return self._logits

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        sizes = arrays.concat([[n], v1_arrays.shape(self._logits)], 0)
        chosen = self._chosen(n, seed)
        hot = picking.one_hot(chosen, self.event_size, dtype=self.dtype)
        return arrays.reshape(hot, sizes)

    def _log_prob(self, x: Any) -> Any:
        logits, events = self._logits, elementwise.cast(x, self._logits.dtype)
        own, others = events.get_shape(), logits.get_shape()
        if not (own.is_fully_defined() and own == others):
            logits = v1_arrays.ones_like(events) * logits
            events = v1_arrays.ones_like(logits) * events
        shape = v1_arrays.shape(numbers.reduce_sum(logits, -1))
        rows, hot = [
            arrays.reshape(y, [-1, self.event_size]) for y in (logits, events)
        ]
        found = -nn_losses.softmax_cross_entropy_with_logits(labels=hot, logits=rows)
        return arrays.reshape(found, shape)

    def _mean(self) -> Any:
        return arrays.identity(self._probs)

    def _variance(self) -> Any:
        return self._probs * (1.0 - self._probs)

    def _covariance(self) -> Any:
        share = self._probs
        products = matrices.matmul(share[..., None], share[..., None, :])
        return v1_matrices.matrix_set_diag(-products, self._variance())

    def _mode(self) -> Any:
        best = numbers.argmax(self._logits, -1)
        return picking.one_hot(best, self.event_size, dtype=self.dtype)
