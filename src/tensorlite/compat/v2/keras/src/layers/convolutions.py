"""Keras' layers of convolutions, forward and transposed, of lines, images and volumes."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2 import nn
from tensorlite.compat.v2.keras import (
    activation_functions as activations,
    checking,
    constraints,
    initializers,
    regularizers,
)
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.base import InputSpec
from tensorlite.compat.v2.keras.src.layers.low_rank import Adapted, LowRank
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.nn.channels import bias_add

_LAST = ("NWC", "NHWC", "NDHWC")
_FIRST = ("NCW", "NCHW", "NCDHW")


def sizes_of(value: Any, axes: int, name: str = "size") -> tuple[int, ...]:
    """Return a size for each axis, of one number or of one for each."""
    return checking.sizes(name, value, axes)


class Convolution(LowRank):
    """What all convolutions have in common."""

    axes = 2
    kernel = Adapted()

    def __init__(
        self,
        filters: int | None,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        groups: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.ask_for_lora(lora_rank, lora_alpha)
        self.filters = None if filters is None else int(filters)
        self.groups, self.use_bias = groups, use_bias
        self.kernel_size = sizes_of(kernel_size, self.axes, "kernel_size")
        self.strides = sizes_of(strides, self.axes, "strides")
        self.dilation_rate = sizes_of(dilation_rate, self.axes, "dilation_rate")
        self.padding, self.data_format = (
            padding.lower(),
            checking.data_format(data_format),
        )
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.input_spec = InputSpec(min_ndim=self.axes + 2)
        self.bias: Any = None
        self._check()

    def _check(self) -> None:
        if self.groups <= 0:
            raise InvalidArgumentError(
                "The number of groups must be a positive integer. Received: "
                f"groups={self.groups}."
            )
        checking.among("padding", self.padding, ("valid", "same", "causal"))
        if self.filters is not None:
            checking.positive(filters=self.filters)
            if self.filters % self.groups:
                raise InvalidArgumentError(
                    "The number of filters must be evenly divisible by the number of groups. "
                    f"Received: groups={self.groups}, filters={self.filters}."
                )
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise InvalidArgumentError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                f"strides={self.strides} and dilation_rate={self.dilation_rate}"
            )

    @property
    def first(self) -> bool:
        """Whether channels stand before the places."""
        return self.data_format == "channels_first"

    @property
    def form(self) -> str:
        """The order of axes as operators spell it, "NHWC"."""
        return (_FIRST if self.first else _LAST)[self.axes - 1]

    def channels(self, input_shape: Any) -> int:
        """Return how many channels inputs have; InvalidArgumentError if it is not known."""
        found = input_shape[1 if self.first else -1]
        if found is None:
            raise InvalidArgumentError(
                "The channel dimension of the inputs should be defined. Found None."
            )
        return int(found)

    def add_kernel(self, name: str, shape: Any) -> Any:
        """Return a weight with the layer's initializer and penalty of kernels."""
        return self.add_weight(
            name,
            shape,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )

    def first_bias(self, shape: Any, dtype: Any = None) -> Any:
        """Return what the bias begins with."""
        return self.bias_initializer(shape, dtype=dtype)

    def add_bias(self, count: int) -> None:
        """Make the weight `bias`, if the layer has one."""
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                (count,),
                initializer=self.first_bias,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def build(self, input_shape: Any) -> None:
        channels = self.channels(input_shape)
        if channels % self.groups:
            raise InvalidArgumentError(
                f"{channels} channels cannot be divided into {self.groups} groups"
            )
        self.kernel = self.add_kernel(
            "kernel", (*self.kernel_size, channels // self.groups, self.filters)
        )
        self.add_bias(int(self.filters or 0))
        self.built = True

    def finished(self, made: Any) -> Any:
        """Return what a convolution made, with bias and activation."""
        if self.bias is not None:
            made = bias_add(made, self.bias, "NCHW" if self.first else "NHWC")
        return made if self.activation is None else self.activation(made)

    def call(self, inputs: Any) -> Any:
        inputs, padding = self.padded(inputs)
        if self.groups == 1:
            return self.finished(self._convolved(inputs, self.kernel, padding))
        axis = 1 if self.first else -1
        parts = tl.split(inputs, self.groups, axis=axis)
        kernels = tl.split(self.kernel, self.groups, axis=-1)
        made = [
            self._convolved(x, k, padding)
            for x, k in zip(parts, kernels, strict=True)
        ]
        return self.finished(tl.concat(made, axis=axis))

    def _convolved(self, x: Any, kernel: Any, padding: str) -> Any:
        title = ("conv1d", "Conv2D", "Conv3D")[self.axes - 1]
        form = self.form
        return nn.convolution(
            x, kernel, self.strides, padding.upper(), form, self.dilation_rate, title
        )

    def padded(self, inputs: Any) -> tuple[Any, str]:
        """Return inputs that look back only, if they are to, and how they are padded besides."""
        if self.padding != "causal":
            return inputs, self.padding
        before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        return tl.pad(inputs, [(0, 0), (before, 0), (0, 0)]), "valid"


class Conv1D(Convolution):
    """A convolution of sequences of (batch, steps, channels), with as many outputs as filters.

    padding is "valid", "same" or "causal", which looks back only.
    """

    axes = 1


class Conv2D(Convolution):
    """A convolution of images of (batch, rows, columns, channels), with as many outputs as filters.

    padding is "valid" or "same"; groups parts the channels; data_format "channels_first" has them
    second.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.layers.Conv2D(4, 3)(tf.ones([1, 5, 5, 2])).shape
    TensorShape([1, 3, 3, 4])
    """

    axes = 2


class Conv3D(Convolution):
    """A convolution of volumes, with as many outputs as filters."""

    axes = 3


class _Transposed(Convolution):
    """A convolution turned round: from its result's shape to its input's."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation=activation,
            **kwargs,
        )
        self.output_padding = (
            None
            if output_padding is None
            else checking.sizes("output_padding", output_padding, self.axes, 0)
        )

    def build(self, input_shape: Any) -> None:
        shape = (*self.kernel_size, self.filters, self.channels(input_shape))
        self.kernel = self.add_kernel("kernel", shape)
        self.add_bias(int(self.filters or 0))
        self.built = True

    def call(self, inputs: Any) -> Any:
        own = shape_of(inputs)
        start = 2 if self.first else 1
        inner = []
        for i in range(self.axes):
            known = inputs.spec.dims[start + i]
            size = own[start + i] if known is None else known
            inner.append(self._length(size, i))
        known = inputs.spec.dims[0]
        rows = own[0] if known is None else known
        ends = (
            [rows, self.filters, *inner]
            if self.first
            else [rows, *inner, self.filters]
        )
        sizes = tl.stack([tl.asarray(x, dtype=tl.int32) for x in ends])
        made = nn.conv_transpose(
            *(inputs, self.kernel, sizes, self.strides, self.padding.upper()),
            self.form,
            self.dilation_rate,
        )
        return self.finished(made)

    def _length(self, size: Any, axis: int) -> Any:
        """Return the size of an axis of the result."""
        kernel, stride = self.kernel_size[axis], self.strides[axis]
        spread = kernel + (kernel - 1) * (self.dilation_rate[axis] - 1)
        if self.output_padding is None:
            if self.padding == "same":
                return size * stride
            return size * stride + max(spread - stride, 0)
        pad = spread // 2 if self.padding == "same" else 0
        return (size - 1) * stride + spread - 2 * pad + self.output_padding[axis]


class Conv1DTranspose(_Transposed):
    """The transpose of a convolution of sequences, which makes them longer by strides."""

    axes = 1


class Conv2DTranspose(_Transposed):
    """The transpose of a convolution of images, which makes them greater by strides."""

    axes = 2


class Conv3DTranspose(_Transposed):
    """The transpose of a convolution of volumes, which makes them greater by strides."""

    axes = 3


class DepthwiseConv2D(Convolution):
    """A convolution of each channel by itself."""

    not_described = frozenset(
        {
            *("filters", "groups", "kernel_initializer", "kernel_regularizer"),
            "kernel_constraint",
        }
    )

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        depthwise_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            None,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation=activation,
            use_bias=use_bias,
            bias_initializer=bias_initializer,
            kernel_initializer=depthwise_initializer,
            kernel_regularizer=depthwise_regularizer,
            kernel_constraint=depthwise_constraint,
            **kwargs,
        )
        checking.positive(depth_multiplier=depth_multiplier)
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = self.kernel_initializer
        self.depthwise_regularizer = self.kernel_regularizer
        self.depthwise_constraint = self.kernel_constraint

    @property
    def depthwise_kernel(self) -> Any:
        """What Keras 2 calls the kernel."""
        return self.kernel

    def saved_members(self) -> dict[str, Any]:
        """Return the kernel by the name of Keras 2, too."""
        found = super().saved_members()
        named = {"depthwise_kernel": found["kernel"]} if "kernel" in found else {}
        return {**named, **found}

    def build(self, input_shape: Any) -> None:
        channels = self.channels(input_shape)
        shape = (*self.kernel_size, channels, self.depth_multiplier)
        name = "kernel" if naming.is_keras_3() else "depthwise_kernel"
        self.kernel = self.add_kernel(name, shape)
        self.add_bias(channels * self.depth_multiplier)
        self.built = True

    def call(self, inputs: Any) -> Any:
        made = tl.nn.depthwise_conv2d(
            inputs,
            self.kernel,
            self.strides,
            self.padding.upper(),
            self.form,
            self.dilation_rate,
        )
        return self.finished(made)


class SeparableConv2D(Convolution):
    """A convolution of each channel by itself, then of the channels at each place."""

    not_described = frozenset(
        {
            *("groups", "kernel_initializer", "kernel_regularizer"),
            "kernel_constraint",
        }
    )

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=None,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            **kwargs,
        )
        checking.positive(depth_multiplier=depth_multiplier)
        self.depth_multiplier = depth_multiplier
        self.depthwise_regularizer = regularizers.get(depthwise_regularizer)
        self.pointwise_regularizer = regularizers.get(pointwise_regularizer)
        self.depthwise_constraint = constraints.get(depthwise_constraint)
        self.pointwise_constraint = constraints.get(pointwise_constraint)
        self.depthwise_initializer = initializers.get(depthwise_initializer)
        self.pointwise_initializer = initializers.get(pointwise_initializer)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Return a layer of a configuration, in which Keras 2 has its base's kernel too."""
        kernel = {f"kernel_{x}" for x in ("initializer", "regularizer", "constraint")}
        held = {key: x for key, x in config.items() if key not in kernel}
        return super().from_config(held)

    def build(self, input_shape: Any) -> None:
        channels = self.channels(input_shape)
        wide = channels * self.depth_multiplier
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            (*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel",
            (*[1] * self.axes, wide, self.filters),
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
        )
        self.add_bias(int(self.filters or 0))
        self.built = True

    def call(self, inputs: Any) -> Any:
        made = tl.nn.depthwise_conv2d(
            inputs,
            self.depthwise_kernel,
            self.strides,
            self.padding.upper(),
            self.form,
            self.dilation_rate,
        )
        mixed = tl.nn.conv2d(made, self.pointwise_kernel, 1, "VALID", self.form)
        return self.finished(mixed)
