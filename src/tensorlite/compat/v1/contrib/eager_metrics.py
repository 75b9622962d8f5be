"""tf.contrib.eager.metrics: objects that take in batches and tell a mean or an accuracy of all.

Each call takes a batch in; `result` tells of all batches since `init_variables`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.arrays import identity, size
from tensorlite.compat.shared.elementwise import add_n, cast, equal, greater
from tensorlite.compat.shared.reductions import argmax, reduce_sum
from tensorlite.compat.v1 import summary
from tensorlite.compat.v1.functions import init_ops
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.graphs.behaviour import executing_eagerly
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.core.check import one_of
from tensorlite.core.dtypes import as_dtype, bool_, float64
from tensorlite.core.errors import DTypeError, FailedPreconditionError
from tensorlite.core.spec import merge
from tensorlite.graph_mode.keys import GraphKeys

__all__ = [
    "Accuracy",
    "BinaryAccuracy",
    "CategoricalAccuracy",
    "Mean",
    "Metric",
    "SparseAccuracy",
]


class Metric:
    """What a metric is made of: variables, `build` that makes them, `call` and `result`."""

    def __init__(
        self, name: str | None = None, use_global_variables: bool = False
    ) -> None:
        self._name = name or type(self).__name__
        self._collections = [
            GraphKeys.GLOBAL_VARIABLES
            if use_global_variables
            else GraphKeys.LOCAL_VARIABLES,
            GraphKeys.METRIC_VARIABLES,
        ]
        self._variables: list[Any] = []
        self._first_values: list[Any] = []
        self._built = False

    @property
    def name(self) -> str:
        """The metric's name."""
        return self._name

    @property
    def variables(self) -> list[Any]:
        """The variables that hold what was taken in."""
        return self._variables

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Take a batch in; in a graph, return what does so when it is run."""
        if not self._built:
            with scopes.variable_scope(self._name.replace(" ", "_")):
                self.build(*args, **kwargs)
            self._built = True
        return self.call(*args, **kwargs)

    def init_variables(self) -> Any:
        """Begin anew; in a graph, return what does so when it is run."""
        if not executing_eagerly():
            return framework.group(*[x.initializer for x in self._variables])
        for variable, first in zip(self._variables, self._first_values, strict=True):
            variable.assign(first)
        return None

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Make the variables, by `add_variable`."""
        raise NotImplementedError("Metrics must define a build() member function")

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Take a batch in."""
        raise NotImplementedError("Metrics must define a call() member function")

    def result(self) -> Any:
        """Return what all batches came to."""
        raise NotImplementedError("Metrics must define a result() member function")

    def value(self) -> Any:
        """Return the result as a function where programs run at once, else as a tensor."""
        return self.result if executing_eagerly() else self.result()

    def aggregate(self, metrics: Sequence[Metric]) -> None:
        """Add what other metrics of this kind took in."""
        for other in metrics:
            if type(other) is not type(self):
                raise DTypeError(
                    f"All metrics must be the same type, {type(self)} != {type(other)}"
                )
        for at, variable in enumerate(self._variables):
            variable.assign_add(add_n([x.variables[at] for x in metrics]))

    def add_variable(
        self, name: str, shape: Any = None, dtype: Any = None, initializer: Any = None
    ) -> Any:
        """Return a new variable that is not trained; only `build` may call this.

        Elsewhere FailedPreconditionError is raised.
        """
        if self._built:
            raise FailedPreconditionError(
                "Can't call add_variable() except in build()."
            )
        made = scopes.get_variable(
            name,
            shape,
            dtype,
            initializer,
            trainable=False,
            collections=self._collections,
        )
        self._variables.append(made)
        if executing_eagerly():
            self._first_values.append(made.read_value())
        return made


class _Weighted(Metric):
    """A mean, weighted if there are weights."""

    numer: Any
    denom: Any

    def __init__(
        self,
        name: str | None = None,
        dtype: Any = float64,
        use_global_variables: bool = False,
    ) -> None:
        super().__init__(name, use_global_variables)
        self.dtype = as_dtype(dtype)

    def build(self, *args: Any, **kwargs: Any) -> None:
        zero = init_ops.zeros_initializer
        self.numer = self.add_variable("numer", (), self.dtype, zero)
        self.denom = self.add_variable("denom", (), self.dtype, zero)

    def _take(self, values: Any, weights: Any, *given: Any) -> Any:
        """Take values in; return what is given, or these, behind that."""
        numbers = cast(values, self.dtype)
        if weights is None:
            count = cast(size(numbers), self.dtype)
        else:
            factors = cast(weights, self.dtype)
            numbers, count = numbers * factors, reduce_sum(factors)
        updates = [
            self.numer.assign_add(reduce_sum(numbers)),
            self.denom.assign_add(count),
        ]
        told = given or (values,)
        with framework.control_dependencies(updates):
            whole = told if weights is None else (*told, weights)
            return tuple([identity(x) for x in whole])

    def result(self, write_summary: bool = True) -> Any:
        """Return the mean, which goes to the writer of summaries if there is one."""
        one_of(write_summary, bool, "result: write_summary", "True or False")
        mean = self.numer / self.denom
        if write_summary and executing_eagerly():
            summary.scalar(self.name, mean)
        return mean


class Mean(_Weighted):
    """The mean of all values, weighted if there are weights."""

    def call(self, values: Any, weights: Any = None) -> Any:
        taken = self._take(values, weights)
        return taken[0] if weights is None else taken


class Accuracy(_Weighted):
    """How many of the predictions are the labels."""

    def __init__(self, name: str | None = None, dtype: Any = float64) -> None:
        super().__init__(name, dtype)

    def call(self, labels: Any, predictions: Any, weights: Any = None) -> Any:
        given = convert_to_tensor(labels), convert_to_tensor(predictions)
        return self._take(self.matches(*given), weights, *given)

    def matches(self, labels: Any, predictions: Any) -> Any:
        """Return which predictions are right."""
        merge(labels.shape, predictions.shape)
        return equal(labels, predictions)


class CategoricalAccuracy(Accuracy):
    """How many of the largest predictions stand where the largest labels do."""

    def matches(self, labels: Any, predictions: Any) -> Any:
        """Return which rows are right."""
        return super().matches(argmax(labels, -1), argmax(predictions, -1))


class BinaryAccuracy(Accuracy):
    """How many of the predictions lie above a threshold where the label is 1, and only there."""

    def __init__(
        self, threshold: float, name: str | None = None, dtype: Any = float64
    ) -> None:
        super().__init__(name, dtype)
        self.threshold = threshold

    def matches(self, labels: Any, predictions: Any) -> Any:
        """Return which predictions are right."""
        above = greater(predictions, self.threshold)
        return super().matches(cast(labels, bool_), above)


class SparseAccuracy(Accuracy):
    """How many of the largest predictions have the label as their place."""

    def matches(self, labels: Any, predictions: Any) -> Any:
        """Return which rows are right."""
        found = argmax(predictions, -1)
        return super().matches(cast(labels, found.dtype), found)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
