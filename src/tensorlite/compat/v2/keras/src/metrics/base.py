"""Metric: what Keras' metrics are made on, and the means and sums among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat import views
from tensorlite.compat.calling import converted
from tensorlite.compat.shared.values import (
    VariableAggregation,
    VariableSynchronization,
)
from tensorlite.compat.v2.framework import Module
from tensorlite.compat.v2.keras import dtype_policies, initializers
from tensorlite.compat.v2.keras.src.layers import masks, naming
from tensorlite.compat.v2.keras.src.layers.weights import Weight
from tensorlite.compat.v2.keras.src.losses import base as base_loss, ranks
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.compat.v2.keras.src.models.in_sessions import (
    SessionWeight,
    graph_of_models,
    in_graph_of_models,
)
from tensorlite.compat.v2.keras.src.saving import describing, older_configs
from tensorlite.compat.views import GraphTensor, Operation
from tensorlite.core.dispatch import interpreted_by, tracer
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.scope import control_dependencies
from tensorlite.core.tensor import Tensor
from tensorlite.function.staging import converted as control_flow_converted
from tensorlite.graph_mode.graph import active_graph, built
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.ragged.base import RaggedParts


class Metric(Module):
    """Numbers that are gathered over batches: `update_state`, `result`, `reset_state`."""

    _made: tuple[Any, ...]
    _arguments: tuple[Any, Any]
    stateful = True
    call_result: Any = None
    """What the last call in a graph comes to, a tensor of it."""
    updates: tuple[Any, ...] = ()
    """The nodes of a graph that let it gather, one for each call of update_state."""

    def __init__(
        self, name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        self._name = name or naming.unique(naming.snake(type(self).__name__))
        self._kind = dtype_policies.compute_dtype_of(dtype)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "update_state" in vars(cls):
            setattr(cls, "update_state", _updating(vars(cls)["update_state"]))  # noqa: B010
        if "result" in vars(cls):
            setattr(cls, "result", _reading(vars(cls)["result"]))  # noqa: B010

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = object.__new__(cls)
        made._made = ()
        made._arguments = (args, kwargs)
        return made

    @property
    def dtype(self) -> Any:
        """The name of the dtype in which the metric counts."""
        return self._kind.name

    _dtype = dtype  # what programs' own metrics cast labels and predictions to

    def add_weight(
        self,
        name: Any = None,
        shape: Any = (),
        aggregation: Any = None,
        synchronization: Any = None,
        initializer: Any = "zeros",
        dtype: Any = None,
    ) -> Any:
        """Return a new variable of the metric, zeros by default.

        Replicas gather each by itself, and add up what they have where it is read; aggregation and
        synchronization have no effect.
        """
        if name is not None and not isinstance(name, str):
            name, shape = None, name
        wanted = self._kind if dtype is None else as_dtype(dtype)
        shape = (shape,) if isinstance(shape, int) else shape or ()
        make = partial(initializers.get(initializer), tuple(shape), dtype=wanted)
        graph = graph_of_models()
        if graph is None:
            with interpreted_by(None):
                whole = (
                    f"{self.name}/{name or 'variable'}"
                    if naming.is_keras_3()
                    else name
                )
                made: Any = Weight(
                    make(),
                    trainable=False,
                    name=whole,
                    dtype=wanted,
                    synchronization=VariableSynchronization.ON_READ,
                    aggregation=VariableAggregation.SUM,
                )
        else:
            with in_graph_of_models(graph), graph.building():
                made = SessionWeight(make, False, (), name=name, dtype=wanted)
        self._made = (*self._made, made)
        return made

    add_variable = add_weight

    @property
    def variables(self) -> Any:
        """What the metric gathers in."""
        own = {id(x): x for x in [*self._made, *super().variables]}
        return list(own.values())

    @property
    def weights(self) -> Any:
        """What the metric gathers in."""
        return self.variables

    @in_graphs.apart
    def get_weights(self) -> list[np.ndarray]:
        """Return the variables as arrays."""
        return [np.array(x.numpy()) for x in self.weights]

    @in_graphs.apart
    def set_weights(self, weights: Any) -> None:
        """Give the variables the values of arrays."""
        for variable, value in zip(self.weights, weights, strict=True):
            variable.assign(np.asarray(value, variable.dtype.numpy))

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Take a batch into account; a subclass says how."""
        raise NotImplementedError("a metric has a method update_state")

    def result(self) -> Any:
        """Return the metric of what came so far; a subclass says how."""
        raise NotImplementedError("a metric has a method result")

    @in_graphs.apart
    def reset_state(self) -> None:
        """Begin anew, with zeros in all variables."""
        for variable in self.variables:
            variable.assign(np.zeros(tuple(variable.shape), variable.dtype.numpy))

    def reset_states(self) -> None:
        """Begin anew, by the older name of reset_state."""
        self.reset_state()

    @contextmanager
    def _with(self, values: Any) -> Iterator[list[Any]]:
        """Let the variables have values inside, and yield a list for those that they have then."""
        before = [x.value() for x in self.variables]
        after: list[Any] = []
        try:
            for variable, value in zip(self.variables, values, strict=True):
                variable.assign(value)
            yield after
            after += [x.value() for x in self.variables]
        finally:
            for variable, value in zip(self.variables, before, strict=True):
                variable.assign(value)

    def stateless_update_state(
        self, metric_variables: Any, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Return what the variables will be after an update, were they as given; they stay."""
        with self._with(metric_variables) as after:
            self.update_state(*args, **kwargs)
        return after

    def stateless_result(self, metric_variables: Any) -> Any:
        """Return the metric, were its variables as given; they stay."""
        with self._with(metric_variables):
            return self.result()

    def stateless_reset_state(self) -> list[Any]:
        """Return what the variables are when the metric begins anew; they stay."""
        with self._with([x.value() for x in self.variables]) as after:
            self.reset_state()
        return after

    def get_config(self) -> dict[str, Any]:
        own = {"name": self.name, "dtype": self.dtype}
        maker = describing.maker_of(self, Metric)
        if maker is None:
            return own
        given = describing.described(describing.given_arguments(self, maker, Metric))
        return older_configs.of_metric(maker.__name__, {**own, **given})

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        update = self.update_state(*args, **kwargs)
        if not isinstance(update, Operation):
            return self.result()
        with control_dependencies([update.node]):
            self.call_result = self.result()
        return self.call_result

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"

    def number(self, value: Any) -> Any:
        """Return a value as a tensor of the metric's dtype."""
        x = converted(value, self._kind)
        return x if x.dtype is self._kind else astype(x, self._kind)


def _updating(update: Callable[..., Any]) -> Callable[..., Any]:
    """Let a metric take tensors of a graph, and return the node that gathers them."""

    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        found: Any = NotImplemented
        if in_graphs.building.get() is not None:
            given = views.shown(args), views.shown(kwargs)
            found = in_graphs.written(made, self, *given[0], **given[1])
        if found is not NotImplemented:
            return found
        return _in_trace(update)(self, *args, **kwargs)

    @wraps(update)
    def made(self: Any, *args: Any, **kwargs: Any) -> Any:
        graph = active_graph()
        if graph is None or in_graphs.building.get() is not None:
            return called(self, *args, **kwargs)
        before = len(graph.nodes)
        returned = in_graphs.in_default(_called, called, self, args, kwargs)
        if not isinstance(returned, (Operation, GraphTensor)):
            writes = [x for x in graph.nodes[before:] if _writes(x, self.variables)]
            with built(graph), control_dependencies(writes):
                joined: Any = tl.identity(tl.asarray(0))
            returned = views.shown(joined.node)
        self.updates = (*self.updates, returned)
        return returned

    return made


def _writes(node: Any, variables: Any) -> bool:
    handles = [x.handle for x in variables]
    own = node.inputs and any(node.inputs[0] is x for x in handles)
    return bool(own) and "Read" not in node.op.name


def _called(function: Callable[..., Any], self: Any, args: Any, kwargs: Any) -> Any:
    return function(self, *views.plain(args), **views.plain(kwargs))


def _reading(result: Callable[..., Any]) -> Callable[..., Any]:
    """Let a metric say what it has gathered in a graph, where one is being built."""

    def called(self: Any) -> Any:
        found: Any = NotImplemented
        if in_graphs.building.get() is not None:
            found = in_graphs.written(made, self)
        return _in_trace(result)(self) if found is NotImplemented else found

    @wraps(result)
    def made(self: Any) -> Any:
        return in_graphs.in_default(called, self)

    return made


def _in_trace(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method as a step that is traced calls it: if and while may ask tensors."""
    return method if tracer() is None else control_flow_converted(method)


class Sum(Metric):
    """The weighted sum of values."""

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.total = self.add_weight("total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Add values, each times its weight."""
        (values,), sample_weight = ranks.flat([values], sample_weight)
        x, _ = weighed(self.number(values), sample_weight, tl.sum)
        self.total.assign_add(tl.sum(x))

    def result(self) -> Any:
        """Return the sum."""
        return self.total.value()


def weighed(
    x: Any, sample_weight: Any, together: Callable[..., Any] = tl.mean
) -> tuple[Any, Any]:
    """Return values times weights, and the weights, of the values' shape.

    `together` makes one of several values that have a weight in common.
    """
    if sample_weight is None:
        return x, tl.ones_like(x)
    weights = astype(converted(sample_weight, x.dtype), x.dtype)
    if ranks.of(weights, x) is None:
        weights = ranks.like(weights, x) * tl.ones_like(x)
        return x * weights, weights
    while len(weights.shape) > len(x.shape) and weights.shape[-1] == 1:
        weights = tl.squeeze(weights, axis=-1)
    if len(weights.shape) > len(
        x.shape
    ):  # a value for several: its share of the weights
        weights = tl.mean(
            weights, axis=tuple(range(len(x.shape), len(weights.shape)))
        )
    if len(weights.shape) < len(x.shape) and len(weights.shape):
        x = together(x, axis=tuple(range(len(weights.shape), len(x.shape))))
    weights = weights * tl.ones_like(x)
    return x * weights, weights


def shown(y_pred: Any, sample_weight: Any) -> Any:
    """Return weights for what a mask of predicted values leaves, nought for the rest."""
    mask = masks.of(y_pred)
    if mask is None:
        return sample_weight
    if sample_weight is None:
        return mask
    counts, weights = tl.asarray(mask), tl.asarray(sample_weight)
    if len(weights.shape) > len(counts.shape) and weights.shape[-1] == 1:
        weights = tl.squeeze(weights, axis=-1)
    while len(weights.shape) < len(counts.shape):
        weights = weights[..., None]
    while len(counts.shape) < len(weights.shape):
        counts = counts[..., None]
    return weights * astype(counts, weights.dtype)


def masked(values: Any, sample_weight: Any) -> Any:
    """Return weights, nought where the mask of the values says so; None where there are none."""
    mask = masks.of(values)
    if mask is None or sample_weight is None:
        return sample_weight
    weights = tl.asarray(sample_weight)
    return weights * astype(mask, weights.dtype)


class Mean(Metric):
    """The weighted mean of values.

    >>> from tensorlite.compat import v2 as tf
    >>> metric = tf.keras.metrics.Mean()
    >>> metric.update_state([1.0, 3.0])
    >>> float(metric.result())
    2.0
    """

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.total = self.add_weight("total")
        self.count = self.add_weight("count")

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        """Add values and their weights, 1 each if none are given."""
        (values,), sample_weight = ranks.flat([values], sample_weight)
        x, weights = weighed(self.number(values), masked(values, sample_weight))
        self.total.assign_add(tl.sum(x))
        self.count.assign_add(tl.sum(weights))

    def result(self) -> Any:
        """Return the weighted mean, 0 where nothing came."""
        total, count = self.total.value(), self.count.value()
        some = count != 0
        safe = tl.where(some, count, tl.ones_like(count))
        return tl.where(some, total / safe, tl.zeros_like(total))


class MeanMetricWrapper(Mean):
    """The mean of what a function of true and predicted values returns."""

    def __init__(
        self,
        fn: Callable[..., Any],
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name or getattr(fn, "__name__", "metric"), dtype)
        self._fn, self._options = fn, kwargs

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        """Add what the function makes of true and predicted values."""
        is_ragged = isinstance(y_pred, RaggedParts)
        (y_true, y_pred), sample_weight = ranks.flat([y_true, y_pred], sample_weight)
        if is_ragged and len(y_pred.shape) == 1:  # each element counts by itself
            y_true, y_pred = y_true[:, None], y_pred[:, None]
        true, predicted = base_loss.as_tensors(y_true, y_pred)
        if not naming.is_keras_3():
            true, predicted = self._counted(true), self._counted(predicted)
        return super().update_state(
            self._fn(true, predicted, **self._options), shown(y_pred, sample_weight)
        )

    def _counted(self, x: Any) -> Any:
        """Return numbers in the metric's dtype, as Keras 2 compares them."""
        is_number = isinstance(x, Tensor) and (
            x.dtype.is_integer or x.dtype.is_floating
        )
        return self.number(x) if is_number else x

    def get_config(self) -> dict[str, Any]:
        whole = {**super().get_config(), **self._options}
        return older_configs.of_metric(type(self).__name__, whole)


def _of_rank(weights: Any, rank: int) -> Any:
    """Return weights with as many axes as what they weigh, but for a single one."""
    if weights is None:
        return None
    given = converted(weights)
    while 0 < len(given.shape) < rank:
        given = tl.expand_dims(given, axis=-1)
    return given


class MeanTensor(Metric):
    """The mean of tensors, element by element."""

    def __init__(self, name: str | None = "mean_tensor", dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.total: Any = None
        self.count: Any = None

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Add a tensor of values, of the shape of the first."""
        x = self.number(values)
        if self.total is None:
            self.total = self.add_weight("total", tuple(x.shape))
            self.count = self.add_weight("count", tuple(x.shape))
        x, weights = weighed(x, _of_rank(sample_weight, len(x.shape)))
        self.total.assign_add(x)
        self.count.assign_add(weights)

    def result(self) -> Any:
        """Return the weighted mean of each element."""
        return self.total.value() / tl.maximum(self.count.value(), 1e-7)
