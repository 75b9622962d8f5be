"""make_tensor_proto, make_ndarray: arrays as TensorFlow's messages, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorlite.compat.shapes import TensorShape
from tensorlite.core.constant import array_of as as_array, encoded
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.interop.tensorflow.messages import message
from tensorlite.interop.tensorflow.tensors import array_of, proto_of


def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Any = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    """Return values as a TensorProto message.

    With a `shape` the last element stands for those missing; verify_shape=True raises a DTypeError
    unless it is the shape of the values. `allow_broadcast` has no effect.
    """
    if isinstance(values, message("TensorProto")):
        return values
    if values is None:
        raise InvalidArgumentError("None values not supported.")
    wanted = None if dtype is None else as_dtype(dtype)
    array = encoded(as_array(values, wanted))
    if wanted is not None and array.dtype != wanted.numpy:
        array = array.astype(wanted.numpy)
    if shape is None:
        return proto_of(array)
    sizes: list[Any] = TensorShape(shape).as_list()
    if verify_shape and list(array.shape) != sizes:
        raise DTypeError(
            f"Expected Tensor's shape: {tuple(sizes)}, got {array.shape}."
        )
    return proto_of(_filled_up(array, sizes))


def _filled_up(array: np.ndarray[Any, Any], sizes: list[int]) -> np.ndarray[Any, Any]:
    """Return an array of a shape; its last element stands for those that are missing."""
    missing = math.prod(sizes) - array.size
    if missing < 0:
        raise InvalidArgumentError(
            f"Too many elements provided. Takes at most {math.prod(sizes)}, but got {array.size}."
        )
    if not missing or not array.size:
        return array.reshape(sizes)
    return np.append(array, np.repeat(array.ravel()[-1:], missing)).reshape(sizes)


def make_ndarray(tensor: Any) -> np.ndarray[Any, Any]:
    """Return the array that a TensorProto message holds."""
    return array_of(tensor)
