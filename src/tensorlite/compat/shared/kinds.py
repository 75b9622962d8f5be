"""Dtypes by TensorFlow's names, and small constants of its top level."""

from __future__ import annotations

from typing import Any

from tensorlite.core import dtypes
from tensorlite.core.dtypes import (
    DType,
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from tensorlite.core.errors import DTypeError

__all__ = [
    "DType",
    "as_dtype",
    "bfloat16",
    "bool",
    "complex128",
    "complex64",
    "double",
    "float16",
    "float32",
    "float64",
    "half",
    "int16",
    "int32",
    "int64",
    "int8",
    "qint16",
    "qint32",
    "qint8",
    "quint16",
    "quint8",
    "resource",
    "string",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "variant",
]

bool = dtypes.bool_
double = float64
half = float16
QUANTIZED_DTYPES: frozenset[DType] = frozenset(dtypes.QUANTIZED)

_BY_NUMBER = {number: dtypes.as_dtype(name) for name, number in dtypes.ENUM.items()}


def as_dtype(type_value: Any) -> DType:
    """Return the DType of a name, a number, or a kind of NumPy or Python; DTypeError if none.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.as_dtype("float32") is tf.float32
    True
    """
    if isinstance(type_value, int) and type_value in _BY_NUMBER:
        return _BY_NUMBER[type_value]
    try:
        return dtypes.as_dtype(type_value)
    except DTypeError as error:
        raise DTypeError(
            f"Cannot convert value {type_value!r} to a TensorFlow DType: {error}"
        ) from None
