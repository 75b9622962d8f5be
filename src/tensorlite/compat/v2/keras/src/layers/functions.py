"""Lambda: a program's function as one of Keras' layers."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.models import in_graphs, in_sessions
from tensorlite.compat.v2.keras.src.saving import describing, lambdas, lookup
from tensorlite.core.shapes import AnyShape, TensorShape


def _parameters_of(function: Callable[..., Any]) -> frozenset[str]:
    """Return the names of a function's parameters, none where it does not tell them."""
    try:
        return frozenset(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return frozenset()


class Lambda(Layer):
    """A function of a program, which is told arguments, and mask and training if it takes them.

    output_shape is the shape of an example's results, or a function from shapes to whole shapes.
    """

    supports_masking = True
    asks_phase = False

    def __init__(
        self,
        function: Any,
        output_shape: Any = None,
        mask: Any = None,
        arguments: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not callable(function):
            raise TypeError(
                f"Lambda: the function is {function!r}, which is not callable"
            )
        self.function, self.arguments = function, dict(arguments or {})
        self._output_shape = output_shape
        self.mask = mask
        self.supports_masking = mask is not None
        self._taken = _parameters_of(function)
        self._by_name: dict[str, Any] = {}
        """The variables that the function has made in a graph, which later calls find again."""

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        given = dict(self.arguments)
        for name, value in (("mask", mask), ("training", training)):
            if name in self._taken:
                given.setdefault(name, value)
        function = in_graphs.of_program(self.function)
        if in_graphs.building.get() is not None:
            with in_sessions.weights_made(self._by_name) as made:
                results = function(inputs, **given)
            self._held.weights.extend(made)
            return results
        if not self._held.weights:
            return function(inputs, **given)
        with in_sessions.weights_again(self._by_name, self._held.weights):
            return function(inputs, **given)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    @property
    def tells_shape(self) -> bool:
        """Whether a program has said which shape its results have."""
        return self._output_shape is not None

    def compute_output_shape(self, input_shape: Any) -> Any:
        if self._output_shape is None:
            return super().compute_output_shape(input_shape)
        if callable(self._output_shape):
            return self._output_shape(input_shape)
        rows = _rows_of(input_shape)
        return _with_rows(rows, self._output_shape)

    def get_config(self) -> dict[str, Any]:
        own = super().get_config()
        if naming.is_version_1():
            held = {"function": self.function, "output_shape": self._output_shape}
            return lambdas.of_version_1({**own, **held, "mask": self.mask})
        if not naming.is_keras_3():
            return own
        return {
            key: lambdas.described(x, of_layer=True) if lambdas.is_lambda(x) else x
            for key, x in own.items()
            if x is not None
        }

    def copied(self) -> Any:
        told = dict(self._arguments[1])
        named = ("function", "output_shape", "mask", "arguments")
        told |= dict(zip(named, self._arguments[0], strict=False))
        return type(self)(**{**told, "name": self.name})

    @classmethod
    def from_config(
        cls,
        config: dict[str, Any],
        custom_objects: Any = None,
        safe_mode: bool | None = None,
    ) -> Any:
        with lookup.adding(custom_objects), lambdas.safe_mode(safe_mode is not False):
            if "function_type" in config:
                config = lambdas.from_version_1(config, _named)
            made = {key: describing.revived(x) for key, x in config.items()}
        shape = made.get("output_shape")
        if isinstance(shape, list) and all(_is_size(x) for x in shape):
            made["output_shape"] = tuple(shape)
        return super().from_config(made)


def _named(name: str) -> Any:
    """Return a function by the name that a configuration of TensorFlow 1 has of it."""
    return describing.revived(describing.named_function(name))


def _is_size(x: Any) -> bool:
    return x is None or isinstance(x, int)


def _rows_of(shape: Any) -> Any:
    """Return the number of examples in a shape, or in the first of several."""
    while isinstance(shape, (list, tuple, dict)) and not isinstance(shape, AnyShape):
        values = list(shape.values() if isinstance(shape, dict) else shape)
        if all(_is_size(x) for x in values):
            break
        shape = values[0]
    return shape[0]


def _with_rows(rows: Any, shape: Any) -> Any:
    """Return shapes of examples as those of batches."""
    if isinstance(shape, dict):
        return {key: _with_rows(rows, x) for key, x in shape.items()}
    if all(_is_size(x) for x in shape):
        whole = (rows, *shape)
        return whole if naming.is_keras_3() else TensorShape(whole)
    return type(shape)(_with_rows(rows, x) for x in shape)
