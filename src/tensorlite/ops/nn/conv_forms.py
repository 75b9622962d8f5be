"""Convolutions that are made of those in conv.py and volumes.py: separable, atrous, of any rank."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.core.check import a_number, whole
from tensorlite.core.dispatch import floating, to_tensor
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import expand_dims
from tensorlite.ops.arrays.create import ones
from tensorlite.ops.arrays.gather import sizes
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.linear.diagonal import band_part
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.math.elementwise import pow as power, square
from tensorlite.ops.nn.conv import (
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    depthwise_conv2d,
)
from tensorlite.ops.nn.sequences import as_images, as_sequences, image_format
from tensorlite.ops.nn.volumes import conv3d, conv3d_transpose

__all__ = [
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "conv_transpose",
    "convolution",
    "local_response_normalization",
    "separable_conv1d",
    "separable_conv2d",
]

Sizes = int | Sequence[int]


def convolution(
    x: TensorLike,
    filters: TensorLike,
    strides: Sizes = 1,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: Sizes = 1,
) -> Tensor:
    """Return sequences, images or volumes convolved with filters, as the rank of these says.

    >>> print(tl.nn.convolution(tl.ones((1, 4, 1)), tl.ones((3, 1, 1)))[0, :, 0])
    [3. 3.]
    """
    kernel = to_tensor(filters)
    if kernel.ndim == 3:
        layout = data_format or "NWC"
        step, apart = one(strides, "strides"), one(dilations, "dilations")
        return conv1d(x, kernel, step, padding, layout, apart)
    if kernel.ndim == 4:
        return conv2d(x, kernel, strides, padding, data_format or "NHWC", dilations)
    if kernel.ndim == 5:
        return conv3d(x, kernel, strides, padding, data_format or "NDHWC", dilations)
    raise ShapeError(
        f"convolution takes filters of rank 3, 4 or 5, not {kernel.spec}"
    )


def conv_transpose(
    x: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: Sizes = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    dilations: Sizes = 1,
) -> Tensor:
    """Return the transpose of a convolution of sequences, images or volumes.

    >>> tl.nn.conv_transpose(tl.ones((1, 2, 3)), tl.ones((2, 5, 3)), (1, 4, 5), 2).shape
    (1, 4, 5)
    """
    kernel = to_tensor(filters)
    if kernel.ndim == 3:
        step, apart = one(strides, "strides"), one(dilations, "dilations")
        layout = data_format or "NWC"
        return conv1d_transpose(x, kernel, output_shape, step, padding, layout, apart)
    transposed, layout = (
        (conv2d_transpose, "NHWC")
        if kernel.ndim == 4
        else (conv3d_transpose, "NDHWC")
    )
    return transposed(
        x, kernel, output_shape, strides, padding, data_format or layout, dilations
    )


def one(value: Sizes, what: str) -> int:
    """Return the one size along a sequence, of TensorFlow's one or three numbers."""
    if isinstance(value, int):
        return value
    found = [n for n in value if n != 1] or [1]
    if len(value) not in (1, 3) or len(found) != 1:
        raise InvalidArgumentError(f"{what}={value!r}; give one number for sequences")
    return found[0]


def separable_conv2d(
    x: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: Sizes = 1,
    padding: str = "VALID",
    data_format: str = "NHWC",
    dilations: Sizes = 1,
) -> Tensor:
    """Return a convolution of each channel by itself, then one of size 1 across channels.

    `depthwise_filter` is (height, width, channels, multiplier), `pointwise_filter`
    (1, 1, channels * multiplier, results).

    >>> images = tl.ones((1, 3, 3, 2))
    >>> print(tl.nn.separable_conv2d(images, tl.ones((3, 3, 2, 1)), tl.ones((1, 1, 2, 1))))
    [[[[18.]]]]
    """
    middle = depthwise_conv2d(
        x, depthwise_filter, strides, padding, data_format, dilations
    )
    return conv2d(middle, pointwise_filter, 1, "VALID", data_format)


def separable_conv1d(
    x: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: int = 1,
    padding: str = "VALID",
    data_format: str = "NWC",
    dilations: int = 1,
) -> Tensor:
    """Return the same of sequences: filters (width, channels, multiplier), (1, ..., results).

    >>> print(tl.nn.separable_conv1d(tl.ones((1, 3, 2)), tl.ones((3, 2, 1)), tl.ones((1, 2, 1))))
    [[[6.]]]
    """
    layout = image_format(data_format)
    y = separable_conv2d(
        as_images(x, layout),
        expand_dims(to_tensor(depthwise_filter), 0),
        expand_dims(to_tensor(pointwise_filter), 0),
        strides,
        padding,
        layout,
        (1, dilations),
    )
    return as_sequences(y, layout)


def atrous_conv2d(
    x: TensorLike, filters: TensorLike, rate: int, padding: str = "VALID"
) -> Tensor:
    """Return images convolved with filters whose elements lie `rate` apart.

    >>> print(tl.nn.atrous_conv2d(tl.ones((1, 5, 5, 1)), tl.ones((3, 3, 1, 1)), 2))
    [[[[9.]]]]
    """
    return conv2d(x, filters, 1, padding, "NHWC", rate)


def atrous_conv2d_transpose(
    x: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    rate: int,
    padding: str = "VALID",
) -> Tensor:
    """Return the transpose of `atrous_conv2d`; filters are (height, width, results, channels).

    >>> x, filters = tl.ones((1, 1, 1, 1)), tl.ones((3, 3, 1, 1))
    >>> tl.nn.atrous_conv2d_transpose(x, filters, (1, 5, 5, 1), 2).shape
    (1, 5, 5, 1)
    """
    return conv2d_transpose(x, filters, output_shape, 1, padding, "NHWC", rate)


class LRN(Composite):
    """Channels divided by what their neighbours are."""

    depth_radius: int = 5
    bias: float = 1.0
    alpha: float = 1.0
    beta: float = 0.5

    def around(self, x: Tensor) -> Tensor:
        """Return the sums over the channels nearby."""
        channels = sizes(x)[-1]
        whole = ones((channels, channels), dtype=x.dtype)
        return matmul(x, band_part(whole, self.depth_radius, self.depth_radius))

    def divisor(self, x: Tensor) -> Tensor:
        """Return what channels are divided by, before the power."""
        return self.bias + self.alpha * self.around(square(x))

    def compose(self, x: Tensor) -> Tensor:
        """Return the channels divided."""
        return x * power(self.divisor(x), -self.beta)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return what LRNGrad makes of the gradient."""
        gradient = LRNGrad(self.depth_radius, self.bias, self.alpha, self.beta)
        return (composed(gradient, dy, call.inputs[0], call.outputs[0]),)


class LRNGrad(Composite):
    """The gradient of channels divided by what their neighbours are."""

    depth_radius: int = 5
    bias: float = 1.0
    alpha: float = 1.0
    beta: float = 0.5

    def compose(self, dy: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """Return the gradient of the channels, given that of the result."""
        forward = LRN(self.depth_radius, self.bias, self.alpha, self.beta)
        divisor = forward.divisor(x)
        nearby = forward.around(dy * y / divisor)
        slope = 2.0 * self.alpha * self.beta
        return dy * power(divisor, -self.beta) - slope * x * nearby


def local_response_normalization(
    x: TensorLike,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> Tensor:
    """Return channels divided by what their neighbours are (Krizhevsky et al. 2012).

    They are divided by (bias + alpha * sum of squares up to `depth_radius` away) ** beta.

    >>> print(tl.nn.local_response_normalization([[[[1.0, 2.0]]]], depth_radius=1))
    [[[[0.408248 0.816497]]]]
    """
    whole(depth_radius, "local_response_normalization: depth_radius", least=0)
    for what, number in (("bias", bias), ("alpha", alpha), ("beta", beta)):
        a_number(number, f"local_response_normalization: {what}")
    images = floating(to_tensor(x))
    if images.spec.rank not in (None, 4):
        raise ShapeError(
            f"local_response_normalization takes images with 4 axes, not {images.spec}"
        )
    made: Tensor = composed(LRN(depth_radius, bias, alpha, beta), images)
    return made
