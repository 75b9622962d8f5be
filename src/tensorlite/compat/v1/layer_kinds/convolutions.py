"""Convolutional layers of TensorFlow 1's tf.layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tensorlite.compat.shared import arrays, nn as shared_nn
from tensorlite.compat.shared.padding import pad
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    channelwise,
    convolutions,
)
from tensorlite.compat.v1.functions.spreading import (
    base_paddings,
    lies_apart,
    spread,
)
from tensorlite.compat.v1.graphs import framework
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
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import active_graph

_FORMS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}
"""The names of the order of axes, by how many of them are of space: channels last, and first."""


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

    @property
    def _form(self) -> str:
        return _FORMS[self.count][self._axis == 1]

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
        padding = self.padding.upper()
        if self.padding == "causal":
            inputs, padding = self._padded(inputs), "VALID"
        return self._activated(self._biased(self._convolved(inputs, padding)))

    def _padded(self, inputs: Any) -> Any:
        """Return inputs with zeros before them, so that no output knows later inputs."""
        pads = [[0, 0], [0, 0], [0, 0]]
        before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        pads[3 - self._axis] = [before, 0]
        return pad(inputs, pads)

    def _convolved(self, inputs: Any, padding: str) -> Any:
        """Return inputs convolved, by way of blocks where the kernel's elements lie apart."""
        rates = self.dilation_rate
        noted = self._noted_rate()
        dims = self.kernel.get_shape().as_list()
        if not lies_apart(dims, rates, self.strides, padding):
            return self._moved(inputs, padding, rates)
        least = base_paddings(dims, rates, padding)
        ones = (1,) * self.count
        return spread(
            *(inputs, noted, least, self._form),
            lambda x: self._moved(x, "VALID", ones),
        )

    def _moved(self, inputs: Any, padding: str, rates: Sequence[int]) -> Any:
        """Return inputs over which the kernel was moved, its elements so far apart."""
        raise NotImplementedError

    def _biased(self, outputs: Any) -> Any:
        if not self.use_bias:
            return outputs
        form = "NCHW" if self._axis == 1 else "NHWC"
        return shared_nn.bias_add(outputs, self.bias, data_format=form)

    def _noted_rate(self) -> Any:
        """Return how far apart the kernel's elements are, in the node TensorFlow makes of it.

        Seeds of random numbers count the nodes before them, so that later layers begin alike.
        """
        if active_graph() is None:
            return None
        return framework.constant(
            list(self.dilation_rate), int32, name="dilation_rate"
        )

    def _whole(self, sizes: Sequence[int]) -> list[int]:
        return [1, 1, *sizes] if self._axis == 1 else [1, *sizes, 1]


class Conv1D(Convolution):
    """Convolution of sequences [batch, length, channels], with weights of its own."""

    count = 1

    def _moved(self, inputs: Any, padding: str, rates: Sequence[int]) -> Any:
        return convolutions.conv1d(
            inputs,
            self.kernel,
            self.strides[0],
            padding,
            data_format=self._form,
            dilations=rates[0],
        )


class Conv2D(Convolution):
    """Convolution of images [batch, height, width, channels], with weights of its own.

    data_format "channels_first" puts the channels before height. The variables are kernel and bias.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.Conv2D(4, 3)(tf.zeros([1, 8, 8, 2])).get_shape().as_list()
    [1, 6, 6, 4]
    """

    count = 2

    def _moved(self, inputs: Any, padding: str, rates: Sequence[int]) -> Any:
        return convolutions.conv2d(
            inputs,
            self.kernel,
            self._whole(self.strides),
            padding,
            data_format=self._form,
            dilations=self._whole(rates),
        )


class Conv3D(Convolution):
    """Convolution of volumes [batch, depth, height, width, channels], with weights of its own."""

    count = 3

    def _moved(self, inputs: Any, padding: str, rates: Sequence[int]) -> Any:
        return shared_nn.conv3d(
            inputs,
            self.kernel,
            self._whole(self.strides),
            padding,
            data_format=self._form,
            dilations=self._whole(rates),
        )


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
        first = 2 if self._axis == 1 else 1
        axes = range(first, first + self.count)
        known = inputs.get_shape().as_list()
        found = known if active_graph() is None else v1_arrays.shape(inputs)
        batch, *sizes = [found[x] for x in (0, *axes)]
        given = [self._longer(n, i) for i, n in enumerate(sizes)]
        static = [self._static(known, i, x) for i, x in enumerate(axes)]
        whole = arrays.stack(self._ordered(batch, given))
        if self.count == 2 and active_graph() is not None:
            whole[0]  # as TensorFlow does, in vain
        transposed = (
            convolutions.conv2d_transpose
            if self.count == 2
            else convolutions.conv3d_transpose
        )
        outputs = transposed(
            inputs,
            self.kernel,
            whole,
            self._whole(self.strides),
            padding,
            self._form,
        )
        if hasattr(outputs, "set_shape"):
            outputs.set_shape(self._ordered(known[0], static))
        return outputs

    def _static(self, known: Any, i: int, axis: int) -> Any:
        return None if known[axis] is None else self._longer(known[axis], i)

    def _longer(self, size: Any, i: int) -> Any:
        """Return the size of an axis of the outputs."""
        whole = size * self.strides[i]
        if self.padding == "valid":
            whole += max(self.kernel_size[i] - self.strides[i], 0)
        return whole

    def _ordered(self, batch: Any, sizes: list[Any]) -> list[Any]:
        if self._axis == 1:
            return [batch, self.filters, *sizes]
        return [batch, *sizes, self.filters]


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
        if self.count == 2:
            return super().call(inputs)
        padding, axis = self.padding.upper(), 2 if self._axis == 1 else 1
        if self.padding == "causal":
            inputs, padding = self._padded(inputs), "VALID"
        wide = v1_arrays.expand_dims(inputs, axis)
        outputs = self._biased(self._convolved(wide, padding))
        return self._activated(v1_arrays.squeeze(outputs, [axis]))

    def _convolved(self, inputs: Any, padding: str) -> Any:
        kernels = [self.depthwise_kernel, self.pointwise_kernel]
        steps, rates = self.strides, self.dilation_rate
        if self.count == 1:
            kernels = [v1_arrays.expand_dims(x, 0) for x in kernels]
            steps, rates = steps * 2, rates * 2
        return channelwise.separable_conv2d(
            inputs,
            kernels[0],
            kernels[1],
            strides=self._whole(steps),
            padding=padding,
            rate=list(rates),
            data_format=_FORMS[2][self._axis == 1],
        )


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
