"""Constants of TensorFlow 1's graphs, and what is converted to tensors."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from tensorlite.compat.calling import converted, named, packed
from tensorlite.compat.conversions import registered
from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.views import GraphTensor
from tensorlite.core import nest
from tensorlite.core.constant import array_of, encoded, fitting_array, is_of_numpy
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType, as_dtype, complex128, float32, int32, int64
from tensorlite.core.errors import ConversionError, DTypeError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph


@named("Const")
def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str | None = "Const",
    verify_shape: bool = False,
) -> Any:
    """Return a tensor of Python's or NumPy's values, of a dtype that fits if none is given.

    With a shape, values are laid out in it, the last one repeated where there are too few; a shape
    without elements takes any of Python's values, which are floats then if no dtype is given. A
    tensor as value raises DTypeError, as does another shape than that of values if verify_shape.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.constant([1, 2], shape=[3])).tolist()
    [1, 2, 2]
    """
    if isinstance(value, Operand):
        raise DTypeError(
            "tf.constant takes Python's and NumPy's values, not tensors: use tf.identity, or "
            "tf.convert_to_tensor"
        )
    wanted = None if dtype is None else as_dtype(dtype)
    sizes: Any = None if shape is None else TensorShape(shape).as_list()
    if sizes is not None and not prod(sizes) and not is_of_numpy(value):
        return to_tensor(np.zeros(sizes, (wanted or float32).numpy))
    array = _array(value, wanted)
    if verify_shape and sizes not in (None, list(array.shape)):
        raise DTypeError(
            f"Expected Tensor's shape: {sizes}, got {list(array.shape)}; leave out verify_shape to "
            "repeat the last value"
        )
    return to_tensor(array if sizes is None else _filled(array, sizes))


def _array(value: Any, dtype: DType | None) -> np.ndarray[Any, Any]:
    """Return values as an array of a dtype, a fraction being no whole number."""
    if dtype is not None:
        return encoded(fitting_array(value, dtype))
    return encoded(_as_told(value))


def _as_told(value: Any) -> np.ndarray[Any, Any]:
    """Return values as an array, Python's complex numbers as wide as TensorFlow has them."""
    array = array_of(value)
    is_wide = array.dtype == np.complex64 and not is_of_numpy(value)
    return array_of(value, complex128) if is_wide else array


def _filled(
    array: np.ndarray[Any, Any], sizes: Sequence[Any]
) -> np.ndarray[Any, Any]:
    """Return an array in a shape, its last element standing for all those that are not there."""
    count = prod(sizes)
    if array.size > count or (count and not array.size):
        raise ShapeError(
            f"{array.size} values do not fill a constant of the shape {list(sizes)}"
        )
    flat = array.ravel()
    rest = np.full(count - array.size, flat[-1] if flat.size else 0, array.dtype)
    return np.concatenate([flat, rest]).reshape(sizes)


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Any:
    """Return value as a tensor, of dtype if given; a tensor of another dtype is an error.

    preferred_dtype and dtype_hint name a dtype that is taken where the value allows it.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.convert_to_tensor([1.0, 2.0]).dtype.name
    'float32'
    """
    value = registered(value)
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, TensorShape):
        return _of_shape(value, wanted, name)
    if isinstance(value, Operand):
        x = value.__tensor__() if active_graph() is None else _standing(value)
        if wanted is not None and x.dtype is not wanted:
            raise ConversionError(
                f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype "
                f"{x.dtype.name}: {value!r}"
            )
        return x
    hint = preferred_dtype if dtype_hint is None else dtype_hint
    liked = None if hint is None else as_dtype(hint)
    if any(isinstance(x, Operand) for x in nest.flatten(value)):
        own = value if wanted is None else _cast_in(value, wanted)
        return packed(own, wanted or liked, name=name)
    return _converted(value, wanted, liked, name=name)


def _of_shape(shape: TensorShape, wanted: DType | None, name: str | None) -> Any:
    """Return a shape's sizes, of int32 where these are not too large for it."""
    sizes: Any = shape.as_list() if shape.is_fully_defined() else None
    if sizes is None:
        raise ShapeError(
            f"Cannot convert a partially known TensorShape to a Tensor: {shape}; tf.shape(x) gives "
            "sizes as they are when a session runs"
        )
    is_large = any(size > np.iinfo(np.int32).max for size in sizes)
    dtype = wanted or (int64 if is_large else int32)
    if dtype not in (int32, int64):
        raise DTypeError(
            f"Cannot convert a TensorShape to dtype {dtype.name}, only to int32 and int64"
        )
    if is_large and dtype is int32:
        raise ShapeError(
            f"Cannot convert a TensorShape to int32, for {shape} is too large"
        )
    return _of_sizes(np.asarray(sizes, dtype.numpy), name=name)


@named("shape_as_tensor")
def _of_sizes(sizes: Any, name: str | None = None) -> Any:
    return to_tensor(sizes)


def _cast_in(value: Any, dtype: DType) -> Any:
    """Return lists whose tensors are of a dtype."""
    if isinstance(value, (list, tuple)):
        return [_cast_in(x, dtype) for x in value]
    return cast(value, dtype) if isinstance(value, Operand) else value


@named("ReadVariableOp")
def _value_of(x: Any, name: str | None = None) -> Any:
    return x.__tensor__()


def _standing(x: Any) -> Any:
    """Return the tensor that stands for an operand in the graph."""
    return x if isinstance(x, GraphTensor) else _value_of(x)


@named("Const")
def _converted(value: Any, dtype: Any, hint: Any, name: str | None = None) -> Any:
    if dtype is not None:
        return to_tensor(_array(value, dtype))
    is_complex = hint is None and any(
        isinstance(x, complex) for x in nest.flatten(value)
    )
    return to_tensor(_array(value, None)) if is_complex else converted(value, hint)
