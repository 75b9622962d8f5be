"""Convolutional layers of TensorFlow 1's tf.layers."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from tensorlite.compat.v1.layer_kinds import convolving
from tensorlite.compat.v1.layer_kinds.base import InputSpec
from tensorlite.compat.v1.layer_kinds.core import (
    Weighted,
    as_function,
    channels_axis,
    initializer_of,
    known_size,
    number_of,
    padding_of,
    sizes_of,
)
from tensorlite.core.errors import InvalidArgumentError


class Convolution(Weighted):
    """A layer whose kernel is moved over `count` axes."""

    count: ClassVar[int]

    def __init__(
        self,
        filters: Any,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            activation,
            use_bias,
            bias_initializer,
            bias_regularizer,
            bias_constraint,
            activity_regularizer=activity_regularizer,
            trainable=trainable,
            name=name,
            **kwargs,
        )
        self.filters = number_of(filters, "filters")
        self.kernel_size = sizes_of(kernel_size, self.count, "kernel_size")
        self.strides = sizes_of(strides, self.count, "strides")
        self.dilation_rate = sizes_of(dilation_rate, self.count, "dilation_rate")
        self.padding, self.data_format = padding_of(padding), str(data_format).lower()
        if self.padding == "causal" and self.count != 1:
            raise InvalidArgumentError(
                "Causal padding is only supported for `Conv1D` and ``SeparableConv1D`."
            )
        self._axis = channels_axis(data_format, self.count + 2)
        self.kernel_initializer = initializer_of(kernel_initializer)
        self.kernel_regularizer = kernel_regularizer
        self.kernel_constraint = kernel_constraint
        self.input_spec = InputSpec(ndim=self.count + 2)

    def build(self, input_shape: Any) -> None:
        size = known_size(input_shape, self._axis, type(self).__name__)
        self.kernel = self.add_weight(
            "kernel",
            self._kernel_shape(size),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self._make_bias(self.filters)
        self.input_spec = InputSpec(ndim=self.count + 2, axes={self._axis: size})
        self.built = True

    def _kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, channels, self.filters]

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        inputs, padding = convolving.padded(self, inputs)
        made = self._convolved(inputs, padding)
        return self._activated(convolving.biased(self, made))

    def _convolved(self, inputs: Any, padding: str) -> Any:
        return convolving.convolved(self, inputs, padding)


class Conv1D(Convolution):
    """Convolution of sequences [batch, length, channels], with weights of its own."""

    count = 1


class Conv2D(Convolution):
    """Convolution of images [batch, height, width, channels], with weights of its own.

    data_format "channels_first" puts the channels before height. The variables are kernel and bias.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.Conv2D(4, 3)(tf.zeros([1, 8, 8, 2])).get_shape().as_list()
    [1, 6, 6, 4]
    """

    count = 2


class Conv3D(Convolution):
    """Convolution of volumes [batch, depth, height, width, channels], with weights of its own."""

    count = 3


class Transposed(Convolution):
    """A convolution backwards."""

    def __init__(
        self,
        filters: Any,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            1,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            trainable,
            name,
            **kwargs,
        )

    def _kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, self.filters, channels]

    def _convolved(self, inputs: Any, padding: str) -> Any:
        longer = partial(convolving.longer, self)
        return convolving.transposed(self, inputs, padding, longer)


class Conv2DTranspose(Transposed):
    """The reverse of a convolution of images: strides make them larger."""

    count = 2


class Conv3DTranspose(Transposed):
    """The reverse of a convolution of volumes: strides make them larger."""

    count = 3


class Separable(Convolution):
    """A convolution of each channel alone, and then one of all channels at each place."""

    def __init__(
        self,
        filters: Any,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        form = strides, padding, data_format, dilation_rate
        super().__init__(
            filters,
            kernel_size,
            *form,
            activation,
            use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        deep = depthwise_initializer, depthwise_regularizer, depthwise_constraint
        flat = pointwise_initializer, pointwise_regularizer, pointwise_constraint
        self._parts = {"depthwise": deep, "pointwise": flat}
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint

    def build(self, input_shape: Any) -> None:
        size = known_size(input_shape, self._axis, type(self).__name__)
        deep = size * self.depth_multiplier
        self.depthwise_kernel = self._kernel(
            "depthwise", [*self.kernel_size, size, self.depth_multiplier]
        )
        self.pointwise_kernel = self._kernel(
            "pointwise", [*(1,) * self.count, deep, self.filters]
        )
        self._make_bias(self.filters)
        self.input_spec = InputSpec(ndim=self.count + 2, axes={self._axis: size})
        self.built = True

    def _kernel(self, name: str, shape: list[int]) -> Any:
        initializer, regularizer, constraint = self._parts[name]
        return self.add_weight(
            f"{name}_kernel",
            shape,
            initializer=initializer_of(initializer),
            regularizer=regularizer,
            constraint=constraint,
        )

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        return self._activated(convolving.separated(self, inputs))


class SeparableConv1D(Separable):
    """Convolution of each channel of sequences, then across channels."""

    count = 1


class SeparableConv2D(Separable):
    """Convolution of each channel of images, then across channels."""

    count = 2


conv1d = as_function(Conv1D)
conv2d = as_function(Conv2D)
conv3d = as_function(Conv3D)
conv2d_transpose = as_function(Conv2DTranspose)
conv3d_transpose = as_function(Conv3DTranspose)
separable_conv1d = as_function(SeparableConv1D)
separable_conv2d = as_function(SeparableConv2D)
Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D
Convolution2DTranspose = Deconvolution2D = Deconv2D = Conv2DTranspose
Convolution3DTranspose = Deconvolution3D = Deconv3D = Conv3DTranspose
SeparableConvolution2D = SeparableConv2D
convolution1d, convolution2d, convolution3d = conv1d, conv2d, conv3d
convolution2d_transpose = deconvolution2d = deconv2d = conv2d_transpose
separable_convolution2d = separable_conv2d
