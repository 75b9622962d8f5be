"""keras.utils.conv_utils of TensorFlow's inside: sizes of convolutions, for layers of programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.v2.keras import checking
from tensorlite.core.errors import InvalidArgumentError

__all__ = [
    "conv_input_length",
    "conv_output_length",
    "convert_data_format",
    "convert_kernel",
    "deconv_output_length",
    "normalize_data_format",
    "normalize_padding",
    "normalize_tuple",
]

_LETTERS = {3: "W", 4: "HW", 5: "DHW"}


def convert_data_format(data_format: str, ndim: int) -> str:
    """Return what tf.nn calls where channels stand in tensors of ndim axes: "NHWC".

    >>> convert_data_format("channels_first", 4)
    'NCHW'
    """
    checking.among("data_format", data_format, ("channels_first", "channels_last"))
    if ndim not in _LETTERS:
        raise InvalidArgumentError(f"ndim={ndim}; allowed are 3, 4 and 5")
    axes = _LETTERS[ndim]
    return f"NC{axes}" if data_format == "channels_first" else f"N{axes}C"


def normalize_tuple(value: Any, n: int, name: str) -> tuple[Any, ...]:
    """Return n numbers, of one number that one n times.

    >>> normalize_tuple(2, 3, "strides")
    (2, 2, 2)
    """
    if isinstance(value, int):
        return (value,) * n
    found: tuple[Any, ...] = ()
    try:
        found = tuple(value)
        whole = [int(x) for x in found]
    except (TypeError, ValueError):
        whole = []
    if len(whole) != n:
        raise InvalidArgumentError(
            f"The `{name}` argument must be a tuple of {n} integers. Received: {value}"
        )
    return found


def normalize_data_format(value: str | None) -> str:
    """Return where images have their channels, the usual place of None.

    >>> normalize_data_format("Channels_Last")
    'channels_last'
    """
    return checking.data_format(value)


def normalize_padding(value: Any) -> Any:
    """Return the name of a padding in small letters; lists stay.

    >>> normalize_padding("SAME")
    'same'
    """
    if isinstance(value, (list, tuple)):
        return value
    found = value.lower()
    checking.among("padding", found, ("valid", "same", "causal"))
    return found


def conv_output_length(
    input_length: int | None,
    filter_size: int,
    padding: str,
    stride: int,
    dilation: int = 1,
) -> int | None:
    """Return how many places a convolution along an axis has.

    >>> conv_output_length(10, 3, "valid", 2)
    4
    """
    checking.among("padding", padding, ("same", "valid", "full", "causal"))
    if input_length is None:
        return None
    wide = filter_size + (filter_size - 1) * (dilation - 1)
    more = {"valid": 1 - wide, "full": wide - 1}.get(padding, 0)
    return (input_length + more + stride - 1) // stride


def conv_input_length(
    output_length: int | None, filter_size: int, padding: str, stride: int
) -> int | None:
    """Return how long an axis is of which a convolution has so many places.

    >>> conv_input_length(4, 3, "valid", 2)
    9
    """
    if output_length is None:
        return None
    return (
        (output_length - 1) * stride - 2 * _border(filter_size, padding) + filter_size
    )


def deconv_output_length(
    input_length: int | None,
    filter_size: int,
    padding: str,
    output_padding: int | None = None,
    stride: int = 0,
    dilation: int = 1,
) -> int | None:
    """Return how long an axis is behind a transposed convolution.

    >>> deconv_output_length(4, 3, "valid", stride=2)
    9
    """
    border = _border(filter_size + (filter_size - 1) * (dilation - 1), padding)
    wide = filter_size + (filter_size - 1) * (dilation - 1)
    if input_length is None:
        return None
    if output_padding is not None:
        return (input_length - 1) * stride + wide - 2 * border + output_padding
    more = {"valid": max(wide - stride, 0), "full": 2 - stride - wide}
    return input_length * stride + more.get(padding, 0)


def _border(filter_size: int, padding: str) -> int:
    checking.among("padding", padding, ("same", "valid", "full"))
    return {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]


def convert_kernel(kernel: Any) -> Any:
    """Return a kernel turned around along its axes of places, as Theano has it.

    >>> convert_kernel(np.arange(3.0).reshape(3, 1, 1)).ravel()
    array([2., 1., 0.])
    """
    array = np.asarray(kernel)
    return np.copy(np.flip(array, tuple(range(array.ndim - 2))))
