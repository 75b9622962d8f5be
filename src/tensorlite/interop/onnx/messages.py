"""The onnx package, imported at first use, and ONNX's numbers for dtypes.

What is written with its messages is said in the other modules.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DTypeError

EXTRA = "onnx"
OPSETS = range(18, 24)
"""The versions of ONNX's operators that can be written: axes are inputs from 18 on."""
IR_VERSIONS = {18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11}
"""The version of the file format that belongs to each."""
NUMBERS = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "string": 8,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "uint32": 12,
    "uint64": 13,
    "bfloat16": 16,
}


def module(name: str = "onnx") -> Any:
    """Return the onnx package or a module of it; ImportError names the extra that brings it.

    >>> module("onnx.helper").make_opsetid("", 21).version
    21
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(
            f"ONNX models are written with the onnx package: pip install "
            f"'tensorlite[{EXTRA}]' ({error})"
        ) from error


def number_of(dtype: DType, what: str) -> int:
    """Return ONNX's number for a dtype; DTypeError names `what` has one that is not there."""
    number = NUMBERS.get(dtype.name)
    if number is None:
        raise DTypeError(
            f"{what} has dtype {dtype.name}, which ONNX's operators do not take; allowed are "
            f"{', '.join(NUMBERS)}. Cast it with tl.astype, or split complex numbers into parts"
        )
    return number
