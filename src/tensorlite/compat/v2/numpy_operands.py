"""Operands of tf.experimental.numpy: how values become tensors, and in which dtype they meet.

The functions: numpy_functions.py has those that are written out, numpy.py those that others make.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.core import nest
from tensorlite.core.constant import encoded
from tensorlite.core.dispatch import constant
from tensorlite.core.dtypes import DType, as_dtype, of_numpy
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.shape import astype, reshape


@dataclass
class Rules:
    """What a program has asked for."""

    prefers_float32: bool = False
    narrow: bool = False
    """Whether sums of narrow integers are of 32 bits."""


rules = Rules()


def fraction() -> Any:
    """Return the dtype of fractions, as the program prefers it."""
    return np.float32 if rules.prefers_float32 else np.float64


def dtype_of(given: Any) -> DType:
    """Return a dtype, of which Python's own numbers have the widest, as NumPy has it."""
    if given is float:
        return as_dtype(fraction())
    wide = {int: np.int64, complex: np.complex128}
    return as_dtype(wide.get(given, given) if isinstance(given, type) else given)


def _numpy_array(value: Any) -> np.ndarray[Any, Any]:
    made = encoded(np.asarray(value))
    is_plain = not isinstance(value, (np.ndarray, np.generic))
    return made.astype(fraction()) if is_plain and made.dtype == np.float64 else made


def asarray(a: Any, dtype: Any = None) -> Any:
    """Return a tensor of an array, or of numbers of Python, which are of 64 bits."""
    if nest.is_nested(a) and builtins.any(
        isinstance(x, Operand) for x in nest.flatten(a)
    ):
        made = tl.stack([asarray(x, dtype) for x in a])
    else:
        made = a.__tensor__() if isinstance(a, Operand) else constant(_numpy_array(a))
    return made if dtype is None else astype(made, dtype_of(dtype))


def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """Return a tensor of ndmin axes at least; copy has no effect."""
    made = asarray(val, dtype)
    return reshape(made, (*[1] * (ndmin - made.ndim), *made.shape)) if ndmin else made


def copy(a: Any) -> Any:
    """Return a tensor with the same elements."""
    return tl.identity(asarray(a))


def promote_types(type1: Any, type2: Any) -> Any:
    """Return the dtype that two of them meet in by NumPy's rules."""
    return np.promote_types(as_dtype(type1).numpy, as_dtype(type2).numpy)


def result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the dtype that arrays and dtypes meet in by NumPy's rules."""
    given = [x.dtype.numpy if isinstance(x, Tensor) else x for x in arrays_and_dtypes]
    return np.result_type(*[x.numpy if isinstance(x, DType) else x for x in given])


def meeting(given: list[Any]) -> list[Any]:
    """Return operands as tensors of one dtype; numbers of Python take that of the others."""
    xs = [asarray(x) for x in given]
    bare = [isinstance(x, (bool, int, float, complex)) for x in given]
    pairs = list(zip(given, xs, bare, strict=True))
    kinds = [
        g if is_bare and not builtins.all(bare) else x.dtype.numpy
        for g, x, is_bare in pairs
    ]
    dtype = of_numpy(np.result_type(*kinds))
    return [astype(x, dtype) for x in xs]


def fractions(xs: list[Any]) -> list[Any]:
    """Return operands, whole numbers as fractions."""
    return [
        astype(x, as_dtype(fraction())) if x.dtype.kind in "biu" else x for x in xs
    ]


def widened(x: Any) -> Any:
    """Return an operand as sums are computed of it: narrow integers and bools in 64 bits.

    In the modes of conversion of TensorFlow's own they are of 32 bits.
    """
    if x.dtype.kind not in "biu":
        return x
    wide = (tl.uint32, tl.int32) if rules.narrow else (tl.uint64, tl.int64)
    dtype = wide[x.dtype.kind != "u"]
    is_narrow = x.dtype.numpy.itemsize < dtype.numpy.itemsize
    return astype(x, dtype) if is_narrow else x
