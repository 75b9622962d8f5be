"""Metric: what Keras' metrics are made on, and the means and sums among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.v2.framework import Module
from tensorlite.compat.v2.keras import (
    base_loss,
    defaults,
    describing,
    initializers,
    naming,
)
from tensorlite.compat.v2.keras.weights import Weight
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.dtypes import as_dtype
from tensorlite.ops.shape import astype


class Metric(Module):
    """Numbers that are gathered over batches: `update_state`, `result`, `reset_state`."""

    _made: tuple[Any, ...]
    _arguments: tuple[Any, Any]

    def __init__(
        self, name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        self._name = name or naming.unique(naming.snake(type(self).__name__))
        self._kind = defaults.kind_of(dtype)

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = object.__new__(cls)
        made._made = ()
        made._arguments = (args, kwargs)
        return made

    @property
    def dtype(self) -> Any:
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
        if name is not None and not isinstance(name, str):
            name, shape = None, name
        wanted = self._kind if dtype is None else as_dtype(dtype)
        shape = (shape,) if isinstance(shape, int) else shape or ()
        with interpreted_by(None):
            first = initializers.get(initializer)(tuple(shape), dtype=wanted)
            whole = (
                f"{self.name}/{name or 'variable'}" if naming.is_keras_3() else name
            )
            made: Any = Weight(first, trainable=False, name=whole, dtype=wanted)
        self._made = (*self._made, made)
        return made

    add_variable = add_weight

    @property
    def variables(self) -> Any:
        own = {id(x): x for x in [*self._made, *super().variables]}
        return list(own.values())

    @property
    def weights(self) -> Any:
        return self.variables

    def get_weights(self) -> list[np.ndarray]:
        return [np.array(x.numpy()) for x in self.weights]

    def set_weights(self, weights: Any) -> None:
        for variable, value in zip(self.weights, weights, strict=True):
            variable.assign(np.asarray(value, variable.dtype.numpy))

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("a metric has a method update_state")

    def result(self) -> Any:
        raise NotImplementedError("a metric has a method result")

    def reset_state(self) -> None:
        for variable in self.variables:
            variable.assign(np.zeros(tuple(variable.shape), variable.dtype.numpy))

    def reset_states(self) -> None:
        self.reset_state()

    def get_config(self) -> dict[str, Any]:
        own = {"name": self.name, "dtype": self.dtype}
        maker = describing.maker_of(self, Metric)
        if maker is None:
            return own
        return {
            **own,
            **describing.described(describing.given_arguments(self, maker, Metric)),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.update_state(*args, **kwargs)
        return self.result()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"

    def number(self, value: Any) -> Any:
        """Return a value as a tensor of the metric's dtype."""
        x = converted(value, self._kind)
        return x if x.dtype is self._kind else astype(x, self._kind)


class Sum(Metric):
    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.total = self.add_weight("total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        x, _ = weighed(self.number(values), sample_weight)
        self.total.assign_add(tl.sum(x))

    def result(self) -> Any:
        return self.total.value()


def weighed(x: Any, sample_weight: Any) -> tuple[Any, Any]:
    """Return values times weights, and the weights, of the values' shape."""
    if sample_weight is None:
        return x, tl.ones_like(x)
    weights = astype(converted(sample_weight, x.dtype), x.dtype)
    while len(weights.shape) > len(x.shape) and weights.shape[-1] == 1:
        weights = tl.squeeze(weights, axis=-1)
    if len(weights.shape) > len(
        x.shape
    ):  # a value for several: its share of the weights
        weights = tl.mean(
            weights, axis=tuple(range(len(x.shape), len(weights.shape)))
        )
    if len(weights.shape) < len(x.shape) and len(weights.shape):
        x = tl.mean(x, axis=tuple(range(len(weights.shape), len(x.shape))))
    weights = weights * tl.ones_like(x)
    return x * weights, weights


class Mean(Metric):
    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.total = self.add_weight("total")
        self.count = self.add_weight("count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        x, weights = weighed(self.number(values), sample_weight)
        self.total.assign_add(tl.sum(x))
        self.count.assign_add(tl.sum(weights))

    def result(self) -> Any:
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
    ) -> None:
        true, predicted = base_loss.as_tensors(y_true, y_pred)
        super().update_state(
            self._fn(true, predicted, **self._options), sample_weight
        )

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **self._options}


class MeanTensor(Metric):
    """The mean of tensors, element by element."""

    def __init__(self, name: str | None = "mean_tensor", dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.total: Any = None
        self.count: Any = None

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        x = self.number(values)
        if self.total is None:
            self.total = self.add_weight("total", tuple(x.shape))
            self.count = self.add_weight("count", tuple(x.shape))
        x, weights = weighed(x, sample_weight)
        self.total.assign_add(x)
        self.count.assign_add(weights)

    def result(self) -> Any:
        return self.total.value() / tl.maximum(self.count.value(), 1e-7)
