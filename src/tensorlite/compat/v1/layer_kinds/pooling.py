"""Pooling layers of TensorFlow 1's tf.layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tensorlite.compat.shared import nn
from tensorlite.compat.shared.arrays import expand_dims, squeeze
from tensorlite.compat.v1.functions import convolutions
from tensorlite.compat.v1.layer_kinds.base import InputSpec, Layer
from tensorlite.compat.v1.layer_kinds.core import (
    as_function,
    channels_axis,
    padding_of,
    sizes_of,
)
from tensorlite.core.errors import InvalidArgumentError


class Pooling(Layer):
    """A layer that takes windows of `count` axes for their largest elements, or means."""

    count: ClassVar[int]
    function: ClassVar[Callable[..., Any]]
    forms: ClassVar[tuple[str, str]]
    """The names of the order of axes: channels last, and first."""

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        if strides is None:
            raise InvalidArgumentError("Argument `strides` must not be None.")
        self.pool_size = sizes_of(pool_size, self.count, "pool_size")
        self.strides = sizes_of(strides, self.count, "strides")
        self.padding, self.data_format = padding_of(padding), data_format
        self._first = channels_axis(data_format, self.count + 2) == 1
        self.input_spec = InputSpec(ndim=self.count + 2)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        return type(self).function(
            inputs,
            self._whole(self.pool_size),
            self._whole(self.strides),
            padding=self.padding.upper(),
            data_format=self.forms[self._first],
        )

    def _whole(self, sizes: tuple[int, ...]) -> list[int]:
        return [1, 1, *sizes] if self._first else [1, *sizes, 1]


class Pooling1D(Pooling):
    """A layer that pools sequences as images of one column."""

    count, forms = 1, ("NHWC", "NCHW")

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        column = 3 if self._first else 2
        return squeeze(super().call(expand_dims(inputs, column)), [column])

    def _whole(self, sizes: tuple[int, ...]) -> list[int]:
        return super()._whole((*sizes, 1))


class MaxPooling1D(Pooling1D):
    """The largest element of windows over sequences [batch, length, channels]."""

    function = convolutions.max_pool


class AveragePooling1D(Pooling1D):
    """The mean of windows over sequences [batch, length, channels]."""

    function = convolutions.avg_pool


class MaxPooling2D(Pooling):
    """The largest element of windows over images [batch, height, width, channels]."""

    count, function, forms = 2, convolutions.max_pool, ("NHWC", "NCHW")


class AveragePooling2D(Pooling):
    """The mean of windows over images [batch, height, width, channels]."""

    count, function, forms = 2, convolutions.avg_pool, ("NHWC", "NCHW")


class MaxPooling3D(Pooling):
    """The largest element of windows over volumes [batch, depth, height, width, channels]."""

    count, function, forms = 3, nn.max_pool3d, ("NDHWC", "NCDHW")


class AveragePooling3D(Pooling):
    """The mean of windows over volumes [batch, depth, height, width, channels]."""

    count, function, forms = 3, nn.avg_pool3d, ("NDHWC", "NCDHW")


max_pooling1d = as_function(MaxPooling1D)
average_pooling1d = as_function(AveragePooling1D)
max_pooling2d = as_function(MaxPooling2D)
average_pooling2d = as_function(AveragePooling2D)
max_pooling3d = as_function(MaxPooling3D)
average_pooling3d = as_function(AveragePooling3D)
MaxPool1D, AvgPool1D = MaxPooling1D, AveragePooling1D
MaxPool2D, AvgPool2D = MaxPooling2D, AveragePooling2D
MaxPool3D, AvgPool3D = MaxPooling3D, AveragePooling3D
max_pool2d, avg_pool2d = max_pooling2d, average_pooling2d
