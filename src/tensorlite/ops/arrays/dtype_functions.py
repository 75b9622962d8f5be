"""Questions about dtypes and about the namespace, and the constants, as the Array API has them.

Casting is in shape.py; the dtypes themselves and promotion are core/dtypes.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import e, inf, nan, pi
from typing import Any

import ml_dtypes
import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype, promote, real_of, weak
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.locate import default_device
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import TensorLike
from tensorlite.core.xp import CPU, gpu_count

__all__ = [
    "__array_api_version__",
    "__array_namespace_info__",
    "can_cast",
    "e",
    "finfo",
    "iinfo",
    "inf",
    "isdtype",
    "nan",
    "newaxis",
    "pi",
    "result_type",
]

__array_api_version__ = "2025.12"
newaxis = None
"""What stands for a new axis of size 1 between brackets."""

_KINDS = {
    "bool": (dtypes.bool_,),
    "signed integer": (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
    "unsigned integer": (dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64),
    "real floating": (
        dtypes.float16,
        dtypes.bfloat16,
        dtypes.float32,
        dtypes.float64,
    ),
    "complex floating": (dtypes.complex64, dtypes.complex128),
}
_KINDS["integral"] = (*_KINDS["signed integer"], *_KINDS["unsigned integer"])
_KINDS["numeric"] = (
    *_KINDS["integral"],
    *_KINDS["real floating"],
    *_KINDS["complex floating"],
)
_float_info: Any = ml_dtypes.finfo
_BEYOND_THE_STANDARD = (dtypes.float16, dtypes.bfloat16, *dtypes.NARROW)


@dataclass(frozen=True)
class FloatInfo:
    """What a floating-point dtype can hold."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class IntegerInfo:
    """What an integer dtype can hold."""

    bits: int
    max: int
    min: int
    dtype: DType


def _dtype_of(value: Any) -> DType:
    """Return the dtype of a tensor or array, or the one that `value` names."""
    if isinstance(value, Operand):
        return to_tensor(value).dtype
    return as_dtype(
        value.dtype if isinstance(value, (np.ndarray, np.generic)) else value
    )


def finfo(type: DTypeLike | TensorLike, /) -> FloatInfo:
    """Return the limits of a floating-point dtype, or of a complex dtype's parts.

    >>> tl.finfo(tl.float32).bits, tl.finfo(tl.bfloat16).eps
    (32, 0.0078125)
    """
    dtype = real_of(_dtype_of(type))
    if not dtype.is_floating:
        raise DTypeError(
            f"finfo takes floating-point and complex dtypes, not {dtype!r}; see iinfo"
        )
    found = _float_info(dtype.numpy)
    limits = (found.eps, found.max, found.min, found.smallest_normal)
    eps, largest, least, normal = map(float, limits)
    return FloatInfo(int(found.bits), eps, largest, least, normal, dtype)


def iinfo(type: DTypeLike | TensorLike, /) -> IntegerInfo:
    """Return the limits of an integer dtype.

    >>> tl.iinfo(tl.uint8).max
    255
    """
    dtype = _dtype_of(type)
    if not dtype.is_integer:
        raise DTypeError(f"iinfo takes integer dtypes, not {dtype!r}; see finfo")
    found = np.iinfo(dtype.numpy)
    return IntegerInfo(found.bits, int(found.max), int(found.min), dtype)


def can_cast(from_: DTypeLike | TensorLike, to: DTypeLike, /) -> bool:
    """Return whether promotion takes the first dtype (or tensor's dtype) to the second.

    >>> tl.can_cast(tl.int8, tl.int16), tl.can_cast(tl.float64, tl.float32)
    (True, False)
    """
    source, target = _dtype_of(from_), as_dtype(to)
    try:
        return promote(source, target) is target
    except DTypeError:
        return False


def isdtype(dtype: DTypeLike, kind: Any) -> bool:
    """Return whether a dtype is of a kind: a dtype, the standard's name of a kind, or several.

    >>> tl.isdtype(tl.int8, "signed integer"), tl.isdtype(tl.int8, ("bool", tl.float32))
    (True, False)
    """
    one = as_dtype(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(one, each) for each in kind)
    if isinstance(kind, str) and kind in _KINDS:
        return one in _KINDS[kind]
    if isinstance(kind, str):
        raise InvalidArgumentError(
            f"isdtype: {kind!r} is no kind of dtype; allowed: {', '.join(map(repr, _KINDS))}, "
            "dtypes, and tuples of these"
        )
    return one is as_dtype(kind)


def result_type(*arrays_and_dtypes: Any) -> DType:
    """Return the dtype that tensors, dtypes and Python scalars meet in.

    >>> tl.result_type(tl.int64, tl.float32), tl.result_type(tl.float64, 1.0)
    (tl.float32, tl.float64)
    """
    scalars = [
        x for x in arrays_and_dtypes if isinstance(x, (bool, int, float, complex))
    ]
    scalars = [x for x in scalars if not isinstance(x, np.generic)]
    others = [
        _dtype_of(x) for x in arrays_and_dtypes if not any(x is s for s in scalars)
    ]
    if not arrays_and_dtypes:
        raise InvalidArgumentError("result_type needs a tensor, a dtype or a number")
    if not others:
        others = [as_dtype(type(scalars[0]))]
    found = others[0]
    for other in others[1:]:
        found = promote(found, other)
    for scalar in scalars:
        found = weak(scalar, found)
    return found


class NamespaceInfo:
    """What this namespace offers: the Array API's inspection functions."""

    def capabilities(self) -> dict[str, Any]:
        """Return which optional parts of the standard are there."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": 64,
        }

    def default_device(self) -> DeviceName:
        """Return the device on which tensors are made."""
        return default_device.get()

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """Return the dtypes that Python's numbers become."""
        return {
            "real floating": dtypes.float32,
            "complex floating": dtypes.complex64,
            "integral": dtypes.int32,
            "indexing": dtypes.int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, DType]:
        """Return the standard's dtypes, all or of a kind, by name."""
        kinds = (*_KINDS["bool"], *_KINDS["numeric"]) if kind is None else kind
        standard = [
            d
            for d in dtypes.ALL
            if d not in _BEYOND_THE_STANDARD and d.kind in "biufc"
        ]
        return {dtype.name: dtype for dtype in standard if isdtype(dtype, kinds)}

    def devices(self) -> tuple[DeviceName, ...]:
        """Return the devices of this process."""
        gpus = (DeviceName(kind="GPU", index=index) for index in range(gpu_count()))
        return (CPU, *gpus)


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807  the standard's name
    """Return the Array API's inspection functions of this namespace.

    >>> tl.__array_namespace_info__().default_dtypes()["integral"]
    tl.int32
    """
    return NamespaceInfo()
