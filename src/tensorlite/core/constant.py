"""Const, and the turning of Python and NumPy values into arrays. Users' is ops/arrays/create.py."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from tensorlite.core import dtypes, texts
from tensorlite.core.dtypes import DType, both_numbers, may_adopt, of_numpy
from tensorlite.core.errors import (
    CompositeError,
    ConversionError,
    InvalidArgumentError,
    ShapeError,
)
from tensorlite.core.op import Grads, Op, Role
from tensorlite.core.shapes import AnyShape
from tensorlite.core.spec import TensorSpec, element
from tensorlite.core.xp import Xp

encoded = texts.encoded

ARRAYS = ("__array__", "__array_interface__")
"""What arrays have, whosever they are: columns of tables and pictures, too."""


class Const(Op):
    """A tensor whose value is part of the program."""

    role = Role.PLAIN
    by_dtype = True
    value: np.ndarray[Any, Any]

    def infer(self) -> TensorSpec:
        """Return the spec of the value."""
        dtype = of_numpy(self.value.dtype)
        small = dtype.is_integer and self.value.size <= 64
        known = element(self.value) if small else None
        return TensorSpec(self.value.shape, dtype, known=known)

    def kernel(self, xp: Xp) -> Any:
        """Return the value in the memory of the device at hand."""
        return (
            self.value
            if xp is np or self.value.dtype == object
            else xp.asarray(self.value)
        )

    def grad(self, call: Any, dy: Any) -> Grads:
        """Return nothing: there is no input."""
        return ()

    def _key(self) -> tuple[Any, ...]:
        value = self.value
        content = (
            value.tobytes()
            if value.size <= 64 and value.dtype != object
            else id(value)
        )
        return content, value.dtype, value.shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        if self.value.size <= 6:
            return f"Const({self.value.tolist()})"
        return f"Const({of_numpy(self.value.dtype).name}{list(self.value.shape)})"


@lru_cache(maxsize=4096)
def structure(
    values: tuple[int, ...], dtype: DType = dtypes.int32
) -> np.ndarray[Any, Any]:
    """Return sizes or axes as a vector: one array for all that ask, which cannot be written to."""
    try:
        array = np.array(values, dtype.numpy)
    except OverflowError:
        raise InvalidArgumentError(
            f"{list(values)}: numbers that do not fit {dtype}"
        ) from None
    array.flags.writeable = False
    return array


def array_of(value: Any, dtype: DType | None = None) -> np.ndarray[Any, Any]:
    """Return a Python or NumPy value as a NumPy array of `dtype`.

    Without a dtype, Python floats become float32, ints int32 (int64 when they do not fit), and
    arrays keep theirs. Raises ConversionError for what is no number, bool or string, and
    InvalidArgumentError for numbers that the dtype cannot hold.
    """
    if dtype is None and type(value) is int and -(2**31) <= value < 2**31:
        return np.array(value, np.int32)
    kept = any(hasattr(value, name) for name in ARRAYS)
    try:
        array = np.asarray(value, None if dtype is None or kept else dtype.numpy)
    except OverflowError as error:
        raise InvalidArgumentError(
            f"{value!r} does not fit {dtype!r}: {error}"
        ) from None
    except CompositeError:
        raise
    except UnicodeDecodeError:  # bytes that are no text, beside text
        return _texts(np.asarray(value, object), value)
    except (TypeError, ValueError) as error:
        raise _not_an_array(value, error) from None
    if (
        dtype is dtypes.string
        and array.dtype.kind not in "UST"
        and not _is_text(array)
    ):
        raise _not_an_array(value, TypeError("its elements are no texts"))
    if kept:
        return _native(array, dtype)
    if dtype is None:
        return _defaulted(array, value)
    is_number = type(value) in {float, int}
    if not is_number and dtype.is_differentiable and _has_none(array, value):
        raise _not_an_array(value, TypeError("None is no number"))
    return array


def fitting_array(value: Any, dtype: DType) -> np.ndarray[Any, Any]:
    """Return a value as an array of a dtype that holds all of it, as TensorFlow converts Python's.

    Raises ConversionError for a fraction that is to be a whole number, a number that is to be a
    bool, a text that is to be a number; NumPy's arrays are cast, and of whole numbers that the
    dtype does not hold the lowest bits are taken.

    >>> from tensorlite.core.constant import fitting_array
    >>> fitting_array([1, 2], tl.float16)
    array([1., 2.], dtype=float16)
    >>> fitting_array(1 << 31, tl.int32)
    array(-2147483648, dtype=int32)
    """
    try:
        array = array_of(value, dtype)
    except InvalidArgumentError:
        whole = np.asarray(value)
        if whole.dtype != np.int64:
            raise
        array = whole.astype(dtype.numpy)
    kind = np.asarray(value).dtype.kind
    cast = isinstance(value, (np.ndarray, np.generic)) or not array.size
    if not cast and kind in _NOT_HELD.get(dtype.kind, ""):
        raise ConversionError(
            f"Cannot convert {value!r:.200} to a tensor of dtype {dtype.name}: cast it with "
            "tf.cast, or leave the dtype out"
        )
    return array


_NOT_HELD: Final = {"b": "iufcUSO", "i": "fcUS", "u": "fcUS", "f": "cUS", "c": "US"}
"""By the kinds of dtypes, those of Python's values that they do not hold."""


def adopted_array(value: Any, dtype: DType) -> np.ndarray[Any, Any]:
    """Return what is no tensor as an array, of the dtype of a tensor beside it if it may be.

    NumPy's arrays are cast, fractions to whole numbers too, as TensorFlow has it; Python's
    fractions stay what they are.

    >>> from tensorlite.core.constant import adopted_array
    >>> adopted_array([1, 2], tl.float16).dtype, adopted_array([1.5, 2], tl.int32).dtype
    (dtype('float16'), dtype('float32'))
    >>> adopted_array(np.array([1.5, 2]), tl.int32)
    array([1, 2], dtype=int32)
    """
    if isinstance(value, (np.ndarray, np.generic)) and both_numbers(
        value.dtype, dtype
    ):
        return _cast(np.asarray(value), dtype)
    if type(value) is int and dtype.is_differentiable:
        return array_of(value, dtype)  # numbers that no integer dtype holds, too
    array = array_of(value)
    is_empty = isinstance(value, (list, tuple)) and array.size == 0
    if array.dtype == dtype.numpy or not (is_empty or may_adopt(array.dtype, dtype)):
        return array
    return array_of(value, dtype)  # anew: Python's floats were cut to float32


def _cast(array: np.ndarray[Any, Any], dtype: DType) -> np.ndarray[Any, Any]:
    """Return an array in a dtype; what that has no place for is cut off."""
    narrowed = array.real if array.dtype.kind == "c" and dtype.kind != "c" else array
    with np.errstate(all="ignore"):
        return narrowed.astype(dtype.numpy)


def is_of_numpy(value: Any) -> bool:
    """Return whether numbers are NumPy's own, whose dtype is kept, or a nest of lists of such."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return isinstance(value, (np.ndarray, np.generic))


def _has_none(array: np.ndarray[Any, Any], value: Any) -> bool:
    """Return whether a nest has None in it, of which NumPy makes NaN."""
    return bool(np.isnan(array).any()) and np.asarray(value).dtype.kind == "O"


def _native(array: np.ndarray[Any, Any], dtype: DType | None) -> np.ndarray[Any, Any]:
    wanted = of_numpy(array.dtype) if dtype is None else dtype
    return array if array.dtype == wanted.numpy else array.astype(wanted.numpy)


def _defaulted(array: np.ndarray[Any, Any], value: Any) -> np.ndarray[Any, Any]:
    kind = array.dtype.kind
    if kind in "iu":
        narrow = array.astype(np.int32)
        return narrow if np.array_equal(narrow, array) else array
    if kind == "f" and isinstance(value, AnyShape):  # of no axes
        return array.astype(np.int32)
    if kind in "fc" and not is_of_numpy(value):
        return array.astype(np.float32 if kind == "f" else np.complex64)
    if kind in "UST":
        return _texts(array, value)
    if kind == "O":
        whole = all(isinstance(x, int) for x in array.flat)
        said = (
            "its integers are out of range"
            if whole
            else "its elements are of mixed or foreign kinds"
        )
        raise _not_an_array(value, TypeError(said))
    return array


def _texts(array: np.ndarray[Any, Any], value: Any) -> np.ndarray[Any, Any]:
    """Return strings as they are: an array of NumPy's own strings drops zeros at their ends."""
    exact = np.asarray(value, object)
    whole = exact.shape == array.shape and _is_text(exact)
    return exact if whole else array.astype(object)


def _is_text(array: np.ndarray[Any, Any]) -> bool:
    return all(isinstance(x, (str, bytes)) for x in array.flat)


def _none(value: Any) -> str:
    return "None values not supported: " if value is None else ""


def _not_an_array(value: Any, error: Exception) -> Exception:
    if isinstance(value, AnyShape):
        return ShapeError(f"{value} makes no tensor: not all of its sizes are known")
    if isinstance(value, (list, tuple)) and "inhomogeneous" in str(error):
        return ShapeError(f"lists of different lengths make no tensor: {error}")
    return ConversionError(
        f"{_none(value)}{type(value).__name__} cannot become a tensor ({error}); allowed are "
        "numbers, bools, strings, nested lists of these, NumPy arrays, tensors and variables"
    )


def known_array(spec: TensorSpec) -> np.ndarray[Any, Any] | None:
    """Return the value of a tensor, if all of it is known and its dtype has such numbers."""
    value = spec.constant()
    if value is None or spec.shape not in ((), (len(value),)):
        return None
    try:
        return np.array(value, spec.dtype.numpy).reshape(spec.shape)
    except OverflowError:
        return None  # it fails in the run, where the program sees it
