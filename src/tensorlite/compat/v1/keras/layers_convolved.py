"""Keras' layers of convolutions that are composed in graphs as TensorFlow 1 composes them."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

from tensorlite.compat.shared import arrays
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.padding import pad
from tensorlite.compat.v1.functions import channelwise
from tensorlite.compat.v1.keras import layers_local
from tensorlite.compat.v1.keras.written import Written, activated
from tensorlite.compat.v1.layer_kinds import convolving
from tensorlite.compat.v2.keras import initializers, layers
from tensorlite.compat.v2.keras.src.saving import describing


class _Convolved(Written):
    """A convolution of all channels."""

    def written(self, inputs: Any) -> Any:
        """Return inputs convolved, with the bias and the activation."""
        own: Any = self
        if own.groups != 1:
            return NotImplemented
        padded, padding = convolving.padded(own, inputs)
        made = convolving.convolved(own, padded, padding)
        return activated(own, _biased(own, made))


def _biased(layer: Any, made: Any) -> Any:
    """Return outputs with the bias, which sequences with channels first have added."""
    if layer.bias is None or len(layer.kernel_size) > 1 or not _is_first(layer):
        return convolving.biased(layer, made)
    return made + arrays.reshape(layer.bias, (1, layer.filters, 1))


def _is_first(layer: Any) -> bool:
    return convolving.is_first(layer)


class Conv1D(_Convolved, layers.Conv1D):
    """A convolution of sequences, whose channels are last unless a layer is told otherwise."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            *(filters, kernel_size, strides, padding, data_format, *args), **kwargs
        )


class Conv2D(_Convolved, layers.Conv2D):
    """A convolution of images."""


class Conv3D(_Convolved, layers.Conv3D):
    """A convolution of volumes."""


class _Transposed(Written):
    """A convolution turned round."""

    def written(self, inputs: Any) -> Any:
        """Return what a convolution would give the inputs for."""
        own: Any = self
        if max(own.dilation_rate) > 1:
            return NotImplemented
        longer = partial(_longer, own)
        made = convolving.transposed(own, inputs, own.padding.upper(), longer)
        return activated(own, convolving.biased(own, made))


def _longer(layer: Any, size: Any, i: int) -> Any:
    """Return the size of an axis of the result."""
    if layer.output_padding is None:
        return convolving.longer(layer, size, i)
    wide, step = layer.kernel_size[i], layer.strides[i]
    cut = wide // 2 if layer.padding == "same" else 0
    return (size - 1) * step + wide - 2 * cut + layer.output_padding[i]


class Conv2DTranspose(_Transposed, layers.Conv2DTranspose):
    """The transpose of a convolution of images."""


class Conv3DTranspose(_Transposed, layers.Conv3DTranspose):
    """The transpose of a convolution of volumes."""


class _Separated(Written):
    """A convolution of each channel by itself, then of all of them."""

    def written(self, inputs: Any) -> Any:
        """Return inputs convolved twice, with the bias and the activation."""
        return activated(self, convolving.separated(self, inputs))

    def as_version_1(self, config: dict[str, Any]) -> dict[str, Any]:
        """Return what TensorFlow tells, of a kernel that there is not, too."""
        usual = describing.described(initializers.get("glorot_uniform"))
        own: Any = super()
        told: dict[str, Any] = own.as_version_1(
            {**config, "kernel_initializer": usual}
        )
        return told


class SeparableConv1D(_Separated, layers.SeparableConv1D):
    """A convolution of each channel of sequences, then across channels."""


class SeparableConv2D(_Separated, layers.SeparableConv2D):
    """A convolution of each channel of images, then across channels."""


class DepthwiseConv2D(Written, layers.DepthwiseConv2D):
    """A convolution of each channel of images by itself."""

    def written(self, inputs: Any) -> Any:
        """Return images convolved, with the bias and the activation."""
        made = channelwise.depthwise_conv2d(
            inputs,
            self.kernel,
            strides=convolving.whole(self, self.strides),
            padding=self.padding.upper(),
            rate=list(self.dilation_rate),
            data_format=self.form,
        )
        return activated(self, convolving.biased(self, made))


class _Bordered(Written):
    """What puts zeros around inputs."""

    def written(self, inputs: Any) -> Any:
        """Return inputs with zeros around them."""
        own: Any = self
        ends = [own.padding] if own.axes == 1 else own.padding
        first, rest = [[0, 0]], [[0, 0]]
        if convolving.is_first(own):
            first, rest = [[0, 0], [0, 0]], []
        return pad(inputs, [*first, *map(list, ends), *rest])


class ZeroPadding1D(_Bordered, layers.ZeroPadding1D):
    """Sequences with steps of zeros before and after them."""


class ZeroPadding2D(_Bordered, layers.ZeroPadding2D):
    """Images with a border of zeros."""


class ZeroPadding3D(_Bordered, layers.ZeroPadding3D):
    """Volumes with a border of zeros."""


class _Local(Written):
    """A convolution whose weights differ from place to place."""

    def written(self, inputs: Any) -> Any:
        """Return each window times its weights."""
        own: Any = self
        if own.implementation != 1:
            return NotImplemented
        features, filters = own.kernel.get_shape().as_list()[1:]
        *sizes, _ = own.places_and_channels(inputs.get_shape().as_list())
        counts = own.places_of(sizes)
        windows = [
            arrays.reshape(inputs[window], (1, -1, features))
            for window in _windows(own, counts)
        ]
        made = matmul(arrays.concat(windows, 0), own.kernel)
        made = arrays.reshape(made, (*counts, -1, filters))
        axes = range(len(counts))
        order = [len(counts), *axes, len(counts) + 1]
        if convolving.is_first(own):
            order = [len(counts), len(counts) + 1, *axes]
        return activated(own, _locally_biased(own, arrays.transpose(made, order)))


def _windows(layer: Any, counts: Any) -> Any:
    """Yield the parts of inputs that the places of the result are made of."""
    for place in product(*map(range, counts)):
        every = zip(place, layer.strides, layer.kernel_size, strict=True)
        parts = [slice(i * step, i * step + wide) for i, step, wide in every]
        whole = slice(None)
        if convolving.is_first(layer):
            yield (whole, whole, *parts)
        else:
            yield (whole, *parts, whole)


def _locally_biased(layer: Any, made: Any) -> Any:
    """Return outputs with a bias for each place."""
    if layer.bias is None:
        return made
    sizes = layer.bias.get_shape().as_list()
    if convolving.is_first(layer):
        return made + arrays.reshape(layer.bias, (1, sizes[-1], *sizes[:-1]))
    return made + arrays.reshape(layer.bias, (1, *sizes))


class LocallyConnected1D(_Local, layers_local.LocallyConnected1D):
    """A convolution over steps, whose weights differ from step to step."""


class LocallyConnected2D(_Local, layers_local.LocallyConnected2D):
    """A convolution over images, whose weights differ from place to place."""


KINDS = {
    kind.__name__: kind
    for kind in (
        *(Conv1D, Conv2D, Conv3D, Conv2DTranspose, Conv3DTranspose),
        *(SeparableConv1D, SeparableConv2D, DepthwiseConv2D),
        *(ZeroPadding1D, ZeroPadding2D, ZeroPadding3D),
        *(LocallyConnected1D, LocallyConnected2D),
    )
}
"""What is found by its name in programs of version 1."""
