"""Keras' layers that bring several inputs together."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras.base_layer import Layer
from tensorlite.core.errors import InvalidArgumentError


class Merge(Layer):
    """A layer of a list of inputs."""

    supports_masking = True

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)) or not inputs:
            raise InvalidArgumentError(
                f"A merge layer should be called on a list of inputs. Received: {inputs!r}"
            )
        made = inputs[0]
        for x in inputs[1:]:
            made = self.joined(made, x)
        return self.finished(made, len(inputs))

    def joined(self, x: Any, y: Any) -> Any:
        raise NotImplementedError("a merge layer says how two inputs are joined")

    def finished(self, x: Any, count: int) -> Any:
        return x


class Add(Merge):
    def joined(self, x: Any, y: Any) -> Any:
        return x + y


class Subtract(Merge):
    def joined(self, x: Any, y: Any) -> Any:
        return x - y


class Multiply(Merge):
    def joined(self, x: Any, y: Any) -> Any:
        return x * y


class Average(Add):
    def finished(self, x: Any, count: int) -> Any:
        return x / count


class Maximum(Merge):
    def joined(self, x: Any, y: Any) -> Any:
        return tl.maximum(x, y)


class Minimum(Merge):
    def joined(self, x: Any, y: Any) -> Any:
        return tl.minimum(x, y)


class Concatenate(Merge):
    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any) -> Any:
        return tl.concat(list(inputs), axis=self.axis)


class Dot(Merge):
    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axes, self.normalize = axes, normalize

    def call(self, inputs: Any) -> Any:
        x, y = inputs
        first, second = (
            (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        )
        if self.normalize:
            x, y = tl.nn.l2_normalize(x, first), tl.nn.l2_normalize(y, second)
        x, y = tl.moveaxis(x, first, -1), tl.moveaxis(y, second, -1)
        if len(x.shape) == len(y.shape) == 2:
            return tl.sum(x * y, axis=-1, keepdims=True)
        return tl.matmul(x, tl.matrix_transpose(y))


def add(inputs: Any, **kwargs: Any) -> Any:
    return Add(**kwargs)(inputs)


def subtract(inputs: Any, **kwargs: Any) -> Any:
    return Subtract(**kwargs)(inputs)


def multiply(inputs: Any, **kwargs: Any) -> Any:
    return Multiply(**kwargs)(inputs)


def average(inputs: Any, **kwargs: Any) -> Any:
    return Average(**kwargs)(inputs)


def maximum(inputs: Any, **kwargs: Any) -> Any:
    return Maximum(**kwargs)(inputs)


def minimum(inputs: Any, **kwargs: Any) -> Any:
    return Minimum(**kwargs)(inputs)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    return Concatenate(axis, **kwargs)(inputs)


def dot(inputs: Any, axes: Any, normalize: bool = False, **kwargs: Any) -> Any:
    return Dot(axes, normalize, **kwargs)(inputs)
