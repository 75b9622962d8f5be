"""TensorProto and arrays, shapes, dtypes, both ways; sizes are checked before memory is taken."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dtypes import DType, of_numpy
from tensorlite.core.errors import (
    DataLossError,
    DTypeError,
    GraphDefError,
    TooLargeError,
)
from tensorlite.core.spec import all_known
from tensorlite.core.xp import shown
from tensorlite.interop.tensorflow.messages import message
from tensorlite.ops.records.wire import apart

AXES = 64
"""How many axes an array may have."""
LARGEST = 2**40
"""How many elements a tensor may have; one value may stand for all of them."""
FILLED = 2**28
"""How many bytes of values that are left out a GraphDef may ask for, in all its tensors."""


class Budget:
    """The bytes that tensors may still take beyond those in the file."""

    def __init__(self, left: int = FILLED) -> None:
        self.left = left

    def take(self, size: int) -> None:
        """Take memory; TooLargeError when there is none left."""
        self.left -= size
        if self.left < 0:
            raise TooLargeError(
                f"tensors leave out values of more than {FILLED:,} bytes in all; so many may not "
                "be left out"
            )


budget: ContextVar[Budget | None] = ContextVar("budget", default=None)
"""That of the GraphDef being read."""

NUMBERS = {dtypes.ENUM[dtype.name]: dtype for dtype in dtypes.ALL}
"""TensorFlow's numbers of dtypes."""
OF_DTYPE = {dtype: number for number, dtype in NUMBERS.items()}
REFERENCE = 100
"""What is added to the number of a dtype for a reference to a variable of it."""
_FIELDS = {
    dtypes.float32: "float_val",
    dtypes.float64: "double_val",
    dtypes.int64: "int64_val",
    dtypes.bool_: "bool_val",
    dtypes.string: "string_val",
    dtypes.uint32: "uint32_val",
    dtypes.uint64: "uint64_val",
    dtypes.float16: "half_val",
    dtypes.bfloat16: "half_val",
    dtypes.complex64: "scomplex_val",
    dtypes.complex128: "dcomplex_val",
}
"""Where values of a dtype stand; of the small integers they are in int_val."""


def dtype_of(number: int) -> DType:
    """Return the dtype of a number; GraphDefError for one that there is no dtype for.

    >>> dtype_of(1), dtype_of(101)
    (tl.float32, tl.float32)
    """
    plain = number - REFERENCE if number > REFERENCE else number
    found = NUMBERS.get(plain)
    if found is None:
        raise GraphDefError(f"there is no dtype for TensorFlow's dtype {number}")
    return found


def shape_of(proto: Any) -> tuple[int | None, ...] | None:
    """Return the sizes of a TensorShapeProto, None for each that is unknown, or for all."""
    if proto.unknown_rank:
        return None
    sizes = [dim.size for dim in proto.dim]
    if len(sizes) > AXES:
        raise TooLargeError(f"a shape has {len(sizes)} axes; at most {AXES} may be")
    if any(size < -1 for size in sizes):
        raise GraphDefError(
            f"a shape has the sizes {sizes}; allowed are those from -1"
        )
    return tuple([None if size == -1 else size for size in sizes])


def shape_proto(shape: Sequence[int | None] | None) -> Any:
    """Return a shape as a TensorShapeProto."""
    proto = message("TensorShapeProto")()
    if shape is None:
        proto.unknown_rank = True
    else:
        for size in shape:
            proto.dim.add(size=-1 if size is None else size)
    return proto


def array_of(proto: Any) -> np.ndarray[Any, Any]:
    """Return the array of a TensorProto.

    Where fewer values are given than there are elements the last stands for the rest, as
    TensorFlow has it; where one stands for all, no memory is taken for the others.

    >>> proto = message("TensorProto")(dtype=1, float_val=[0.5])
    >>> proto.tensor_shape.dim.add(size=3)
    size: 3
    <BLANKLINE>
    >>> array_of(proto)
    array([0.5, 0.5, 0.5], dtype=float32)
    """
    if not hasattr(proto, "tensor_shape"):
        raise DTypeError(f"{proto!r} is no TensorProto")
    dtype, shape = dtype_of(proto.dtype), _whole(proto)
    if dtype.kind in "RV":
        raise GraphDefError(f"a tensor of dtype {dtype.name} has no value in a graph")
    count = math.prod(shape)
    if proto.tensor_content:
        flat = _content(proto.tensor_content, dtype, count)
    else:
        flat = _values(proto, dtype)
    if len(flat) == count:
        return flat.reshape(shape)
    if len(flat) > count:
        raise GraphDefError(f"a tensor of {count} elements has {len(flat)} values")
    return _filled(flat, shape, count, dtype)


def _whole(proto: Any) -> tuple[int, ...]:
    shape = shape_of(proto.tensor_shape)
    if not all_known(shape):
        raise GraphDefError("the shape of a tensor with a value is not known")
    if math.prod(shape) > LARGEST:
        raise TooLargeError(f"a tensor has the shape {shape}, which is too large")
    return shape


def _content(data: bytes, dtype: DType, count: int) -> np.ndarray[Any, Any]:
    if dtype is dtypes.string:
        return _texts(data, count)
    if len(data) != count * dtype.itemsize:
        raise GraphDefError(
            f"a tensor of {count} elements of {dtype.name} has {len(data)} bytes, not "
            f"{count * dtype.itemsize}"
        )
    if dtype is dtypes.bool_:
        return np.frombuffer(data, np.uint8).astype(np.bool_)
    little = dtype.numpy.newbyteorder("<")
    return np.frombuffer(data, little).astype(dtype.numpy)


def _texts(data: bytes, count: int) -> np.ndarray[Any, Any]:
    """Return texts that stand as one piece of memory, as constants that were folded have them."""
    try:
        texts = apart(data, count)
    except DataLossError as error:
        raise GraphDefError(f"a tensor of strings: {error}") from None
    made: np.ndarray[Any, Any] = np.empty(count, object)
    made[:] = texts
    return made


def _values(proto: Any, dtype: DType) -> np.ndarray[Any, Any]:
    if dtype in dtypes.NARROW and dtype.is_floating:
        return np.frombuffer(proto.float8_val, dtype.numpy)
    listed = getattr(proto, _FIELDS.get(dtype, "int_val"))
    made: np.ndarray[Any, Any] = np.empty(len(listed), object)
    if dtype is dtypes.string:
        made[:] = list(listed)
    elif dtype in {dtypes.float16, dtypes.bfloat16}:
        made = np.array(listed, np.int64).astype(np.uint16).view(dtype.numpy)
    elif dtype.is_complex:
        pairs = listed[: len(listed) // 2 * 2]
        made = np.array(pairs, dtypes.real_of(dtype).numpy).view(dtype.numpy)
    else:
        wide = dtype.held.is_integer and dtype.itemsize < 8
        made = np.array(listed, np.int64 if wide else dtype.numpy).astype(dtype.numpy)
    return made


def _filled(
    flat: np.ndarray[Any, Any], shape: tuple[int, ...], count: int, dtype: DType
) -> np.ndarray[Any, Any]:
    """Return an array whose last values are all the same."""
    if len(flat) <= 1:
        nothing = b"" if dtype is dtypes.string else 0
        one = flat if len(flat) else np.array([nothing], dtype.numpy)
        return np.broadcast_to(one.reshape(()), shape)
    rest = count - len(flat)
    (budget.get() or Budget()).take(rest * dtype.itemsize)
    return np.concatenate([flat, np.full(rest, flat[-1], dtype.numpy)]).reshape(shape)


def proto_of(array: np.ndarray[Any, Any]) -> Any:
    """Return an array as a TensorProto: one number as such, where programs look for it.

    >>> array_of(proto_of(np.array([[1, 2]], np.int16)))
    array([[1, 2]], dtype=int16)
    """
    dtype = of_numpy(array.dtype)
    proto = message("TensorProto")(dtype=OF_DTYPE[dtype])
    proto.tensor_shape.CopyFrom(shape_proto(array.shape))
    is_one = array.size == 1 or (array.size and not any(array.strides))
    if is_one and dtype not in dtypes.NARROW:
        _put_one(proto, shown(array).flat[0], dtype)
        return proto
    if dtype is dtypes.string:
        proto.string_val.extend([_bytes(one) for one in array.ravel().tolist()])
        return proto
    little = dtype.numpy.newbyteorder("<")
    proto.tensor_content = np.ascontiguousarray(array, little).tobytes()
    return proto


def _put_one(proto: Any, value: Any, dtype: DType) -> None:
    """Let one value stand for all."""
    field = getattr(proto, _FIELDS.get(dtype, "int_val"))
    if dtype is dtypes.string:
        field.append(_bytes(value))
    elif dtype.is_complex:
        field.extend([value.real, value.imag])
    elif dtype in {dtypes.float16, dtypes.bfloat16}:
        field.append(int(value.view(np.uint16)))
    else:
        field.append(value.item())


def _bytes(value: str | bytes) -> bytes:
    if not isinstance(value, (str, bytes)):
        raise GraphDefError(
            f"a tensor of strings holds {value!r}, a {type(value).__name__}"
        )
    return value if isinstance(value, bytes) else value.encode()
