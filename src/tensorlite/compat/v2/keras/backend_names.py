"""Functions of tf.keras.backend that others serve under other names of their arguments."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays, cutting, elementwise, nn
from tensorlite.compat.v2 import arrays as arrays_2
from tensorlite.compat.v2.keras import activation_functions as activations, ops
from tensorlite.compat.v2.keras.defaults import floatx


def expand_dims(x: Any, axis: Any = -1) -> Any:
    """Return a tensor with an axis of size 1, at the end if no place is told.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.backend.expand_dims(tf.ones([2, 3])).shape
    TensorShape([2, 3, 1])
    """
    return arrays.expand_dims(x, axis)


def squeeze(x: Any, axis: Any) -> Any:
    """Return a tensor without an axis of size 1."""
    return arrays.squeeze(x, axis)


def reshape(x: Any, shape: Any) -> Any:
    """Return the elements in another shape."""
    return arrays.reshape(x, shape)


def reverse(x: Any, axes: Any) -> Any:
    """Return a tensor turned around along one axis, or several."""
    return cutting.reverse(x, [axes] if isinstance(axes, int) else axes)


def tile(x: Any, n: Any) -> Any:
    """Return a tensor as often after itself along each axis as is told."""
    return cutting.tile(x, [n] if isinstance(n, int) else n)


def pow(x: Any, a: Any) -> Any:
    """Return powers of elements."""
    return elementwise.pow(x, a)


def eye(size: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return a square matrix with ones on the diagonal, or one of (rows, columns)."""
    rows, columns = size if isinstance(size, (list, tuple)) else (size, size)
    return arrays.eye(rows, columns, dtype=dtype or floatx(), name=name)


def stop_gradient(variables: Any) -> Any:
    """Return a tensor that nothing is derived by, or a list of such."""
    if isinstance(variables, (list, tuple)):
        return [arrays.stop_gradient(x) for x in variables]
    return arrays.stop_gradient(variables)


def zeros_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return zeros in the shape of a tensor."""
    return arrays_2.zeros_like(x, dtype=dtype, name=name)


def ones_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return ones in the shape of a tensor."""
    return arrays_2.ones_like(x, dtype=dtype, name=name)


def shape(x: Any) -> Any:
    """Return the sizes of a tensor, as a tensor."""
    return arrays_2.shape(x)


def softplus(x: Any) -> Any:
    """Return log(1 + exp(x))."""
    return activations.softplus(x)


def softsign(x: Any) -> Any:
    """Return x / (1 + |x|)."""
    return activations.softsign(x)


def bias_add(x: Any, bias: Any, data_format: str | None = None) -> Any:
    """Return a tensor with a bias added to its channels."""
    form = {"channels_first": "NCHW", "channels_last": "NHWC"}
    return nn.bias_add(x, bias, form.get(data_format or "", data_format))


def conv2d(
    x: Any,
    kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """Return the convolution of images by a kernel."""
    return ops.conv(x, kernel, strides, padding, data_format, dilation_rate)


def conv3d(
    x: Any,
    kernel: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1, 1),
) -> Any:
    """Return the convolution of volumes by a kernel."""
    return ops.conv(x, kernel, strides, padding, data_format, dilation_rate)


def depthwise_conv2d(
    x: Any,
    depthwise_kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """Return the convolution of each channel of images by itself."""
    return ops.depthwise_conv(
        x, depthwise_kernel, strides, padding, data_format, dilation_rate
    )


def separable_conv2d(
    x: Any,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """Return the convolution of each channel of images, then across channels."""
    kernels = depthwise_kernel, pointwise_kernel
    return ops.separable_conv(
        x, *kernels, strides, padding, data_format, dilation_rate
    )
