"""Data types: the constants, conversion from other libraries' names, and promotion.

Casting is an operator (ops/arrays/shape.py); nothing here touches an array's values.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import ml_dtypes
import numpy as np

from tensorlite.core import texts
from tensorlite.core.device import settings
from tensorlite.core.errors import DTypeError


class DType:
    """A data type; one object for each, so that `is` compares them.

    >>> tl.float32
    tl.float32
    >>> tl.float32 == np.float32, tl.int8.itemsize
    (True, 1)
    """

    __slots__ = ("itemsize", "kind", "name", "numpy")

    def __init__(self, name: str, numpy: Any, kind: str) -> None:
        self.name = name
        self.numpy: np.dtype[Any] = np.dtype(numpy)
        self.kind = kind
        self.itemsize = self.numpy.itemsize

    @property
    def is_floating(self) -> bool:
        """Whether it holds real floating-point numbers."""
        return self.kind == "f"

    @property
    def is_complex(self) -> bool:
        """Whether it holds complex numbers."""
        return self.kind == "c"

    @property
    def is_integer(self) -> bool:
        """Whether it holds integers, signed or not."""
        return self.kind in "iu"

    @property
    def is_differentiable(self) -> bool:
        """Whether gradients flow through it: floating, complex, handles and lists."""
        return self.kind in "fcRV"

    @property
    def is_numeric(self) -> bool:
        """Whether it holds numbers (not bool)."""
        return self.kind in "iufcq"

    @property
    def is_bool(self) -> bool:
        """Whether it holds truth values."""
        return self.kind == "b"

    @property
    def is_numpy_compatible(self) -> bool:
        """Whether arrays of NumPy hold its values: handles and variants they do not."""
        return self.kind not in "RV"

    @property
    def is_unsigned(self) -> bool:
        """Whether it holds whole numbers without a sign."""
        return self.kind == "u"

    @property
    def is_quantized(self) -> bool:
        """Whether it holds quantized numbers: integers that stand for steps of a range."""
        return self.kind == "q"

    @property
    def held(self) -> DType:
        """The dtype of the integers that a quantized dtype's arrays are shown as; else itself.

        >>> tl.as_dtype("quint8").held
        tl.uint8
        """
        return _BY_NAME[self.name[1:]] if self.kind == "q" else self

    @property
    def base_dtype(self) -> DType:
        """This dtype: there are none of references to variables."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The dtype of a complex dtype's parts, and any other dtype as it is."""
        return real_of(self)

    @property
    def as_numpy_dtype(self) -> Any:
        """The class of NumPy's scalars of this dtype."""
        return self.numpy if self.kind == "q" else self.numpy.type

    @property
    def size(self) -> int:
        """The bytes of an element."""
        return 1 if self.kind in "SRV" else self.itemsize

    @property
    def min(self) -> Any:
        """The least number; DTypeError where there is none."""
        return self._limit("min")

    @property
    def max(self) -> Any:
        """The greatest number; DTypeError where there is none."""
        return self._limit("max")

    @property
    def limits(self) -> tuple[Any, Any]:
        """The least and the greatest number that intensities of images have in this dtype."""
        if self.kind == "q":
            raise DTypeError(f"{self!r} does not have defined limits")
        return (self.min, self.max) if self.is_integer else (0, 1)

    def _limit(self, end: str) -> Any:
        if self.kind == "b":
            return end == "max"
        if self.kind in "iu":
            bounds: Any = ml_dtypes.iinfo
            return int(getattr(bounds(self.numpy), end))
        if self.kind == "f":
            limits: Any = ml_dtypes.finfo
            return getattr(limits(self.numpy), end)
        raise DTypeError(f"{self!r} has no {end}: only real numbers have limits")

    def is_compatible_with(self, other: object) -> bool:
        """Return whether `other` names this dtype."""
        return as_dtype(other) is self

    @property
    def as_datatype_enum(self) -> int:
        """The number of this dtype in TensorFlow's files."""
        return ENUM[self.name]

    def __repr__(self) -> str:
        return f"tf.{self.name}" if texts.wanted() else f"tl.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>" if texts.wanted() else repr(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType) or not isinstance(other, (np.dtype, type, str)):
            return self is other
        try:
            return as_dtype(other) is self
        except DTypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


DTypeLike: TypeAlias = DType | np.dtype[Any] | type | str

bool_ = DType("bool", np.bool_, "b")
int8 = DType("int8", np.int8, "i")
int16 = DType("int16", np.int16, "i")
int32 = DType("int32", np.int32, "i")
int64 = DType("int64", np.int64, "i")
uint8 = DType("uint8", np.uint8, "u")
uint16 = DType("uint16", np.uint16, "u")
uint32 = DType("uint32", np.uint32, "u")
uint64 = DType("uint64", np.uint64, "u")
float16 = DType("float16", np.float16, "f")
bfloat16 = DType("bfloat16", ml_dtypes.bfloat16, "f")
float32 = DType("float32", np.float32, "f")
float64 = DType("float64", np.float64, "f")
complex64 = DType("complex64", np.complex64, "c")
complex128 = DType("complex128", np.complex128, "c")
string = DType("string", object, "S")
resource = DType("resource", object, "R")
variant = DType("variant", object, "V")
float8_e5m2 = DType("float8_e5m2", ml_dtypes.float8_e5m2, "f")
float8_e4m3fn = DType("float8_e4m3fn", ml_dtypes.float8_e4m3fn, "f")
float8_e4m3fnuz = DType("float8_e4m3fnuz", ml_dtypes.float8_e4m3fnuz, "f")
float8_e4m3b11fnuz = DType("float8_e4m3b11fnuz", ml_dtypes.float8_e4m3b11fnuz, "f")
float8_e5m2fnuz = DType("float8_e5m2fnuz", ml_dtypes.float8_e5m2fnuz, "f")
int4 = DType("int4", ml_dtypes.int4, "i")
uint4 = DType("uint4", ml_dtypes.uint4, "u")
qint8 = DType("qint8", [("qint8", np.int8)], "q")
quint8 = DType("quint8", [("quint8", np.uint8)], "q")
qint16 = DType("qint16", [("qint16", np.int16)], "q")
quint16 = DType("quint16", [("quint16", np.uint16)], "q")
qint32 = DType("qint32", [("qint32", np.int32)], "q")

ENUM = {
    "float32": 1,
    "float64": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 5,
    "int8": 6,
    "string": 7,
    "complex64": 8,
    "int64": 9,
    "bool": 10,
    "qint8": 11,
    "quint8": 12,
    "qint32": 13,
    "bfloat16": 14,
    "qint16": 15,
    "quint16": 16,
    "uint16": 17,
    "complex128": 18,
    "float16": 19,
    "resource": 20,
    "variant": 21,
    "uint32": 22,
    "uint64": 23,
    "float8_e5m2": 24,
    "float8_e4m3fn": 25,
    "float8_e4m3fnuz": 26,
    "float8_e4m3b11fnuz": 27,
    "float8_e5m2fnuz": 28,
    "int4": 29,
    "uint4": 30,
}
"""TensorFlow's numbers of dtypes."""

NUMERIC = (
    *(int8, int16, int32, int64, uint8, uint16, uint32, uint64),
    *(float16, bfloat16, float32, float64, complex64, complex128),
)
NARROW = (
    *(float8_e5m2, float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz),
    *(float8_e5m2fnuz, int4, uint4),
)
"""Numbers that are kept, moved and cast to others to compute with; none meets another dtype."""
QUANTIZED = (qint8, quint8, qint16, quint16, qint32)
"""Integers that stand for steps of a range; arrays of one field, named as the dtype, hold them."""
ALL = (bool_, *NUMERIC, string, resource, variant, *QUANTIZED, *NARROW)

_BY_NAME = {dtype.name: dtype for dtype in ALL}
_OTHER_NAMES = {"float": float32, "half": float16, "double": float64}
_BY_NUMBER = {ENUM[dtype.name]: dtype for dtype in ALL if dtype.name in ENUM}
_BY_NUMPY = {
    dtype.numpy: dtype for dtype in (bool_, *NUMERIC, string, *QUANTIZED, *NARROW)
}
_PYTHON: dict[object, DType] = {
    bool: bool_,
    int: int32,
    float: float32,
    complex: complex64,
    str: string,
}


def enum_name(dtype: DType) -> str:
    """Return what TensorFlow's messages call a dtype.

    >>> from tensorlite.core.dtypes import enum_name, float32, int8
    >>> enum_name(float32), enum_name(int8)
    ('DT_FLOAT', 'DT_INT8')
    """
    known = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}
    return "DT_" + known.get(dtype.name, dtype.name.upper())


def of_numpy(dtype: np.dtype[Any]) -> DType:
    """Return the DType of a NumPy or CuPy array's dtype; DTypeError when there is none."""
    try:
        return _BY_NUMPY[dtype]
    except KeyError:
        return as_dtype(dtype)


def as_dtype(value: object) -> DType:
    """Return the DType that `value` names: a DType, NumPy dtype, Python type or string.

    >>> tl.as_dtype("bfloat16"), tl.as_dtype(np.int16), tl.as_dtype(float)
    (tl.bfloat16, tl.int16, tl.float32)
    """
    if isinstance(value, DType):
        return value
    if isinstance(value, str) and value in _BY_NAME:
        return _BY_NAME[value]
    if isinstance(value, str) and value in _OTHER_NAMES:
        return _OTHER_NAMES[value]
    if isinstance(value, type) and value in _PYTHON:
        return _PYTHON[value]
    if type(value) is int and value in _BY_NUMBER and texts.wanted():
        return _BY_NUMBER[value]
    try:
        numpy = np.dtype(value)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        numpy = None
    if value is not None and numpy is not None:
        if numpy.kind in "UST":
            return string
        native = numpy.newbyteorder("=")
        if native in _BY_NUMPY:
            return _BY_NUMPY[native]
    names = ", ".join(_BY_NAME)
    raise DTypeError(
        f"{value!r} is no dtype; allowed: {names}, NumPy's dtypes, Python's types"
    )


def promote(a: DType, b: DType) -> DType:
    """Return the dtype that `a` and `b` meet in; DTypeError when there is none.

    The rules of the Array API standard; an integer with a float gives the float's dtype.

    >>> tl.result_type(tl.int64, tl.float32), tl.result_type(tl.int8, tl.uint8)
    (tl.float32, tl.int16)
    """
    if a is b:
        return a
    if settings.promotion == "numpy":
        return of_numpy(np.result_type(a.numpy, b.numpy))
    try:
        met = _PROMOTED[a, b]
    except KeyError:
        raise DTypeError(
            f"no dtype holds both {a!r} and {b!r}; cast one of them with tl.astype"
        ) from None
    if settings.promotion == "safe" and not (_is_safe(a, met) and _is_safe(b, met)):
        raise DTypeError(
            f"implicit dtype promotion between {a!r} and {b!r} is disallowed by "
            "tl.config.set_promotion('safe'); cast one of them with tl.astype"
        )
    return met


def _is_safe(dtype: DType, met: DType) -> bool:
    """Return whether numbers become another dtype without becoming another kind of number."""
    return dtype.kind in ("b", met.kind) or (dtype.kind == "f" and met.kind == "c")


def weak(scalar: object, dtype: DType) -> DType:
    """Return the dtype that a Python scalar takes beside a tensor of `dtype`."""
    kind = dtype.kind
    if isinstance(scalar, bool):
        return dtype
    if isinstance(scalar, int):
        return int32 if kind == "b" else dtype
    if isinstance(scalar, float):
        return dtype if kind in "fc" else float32
    if kind == "c":
        return dtype
    return complex128 if dtype is float64 else complex64


_ORDER = "biufc"


def both_numbers(array: np.dtype[Any], dtype: DType) -> bool:
    """Return whether what is in an array and in tensors of a dtype are numbers, or bools.

    >>> both_numbers(np.dtype(np.float64), int32), both_numbers(np.dtype(object), string)
    (True, False)
    """
    return array.kind in _ORDER and dtype.kind in _ORDER


def may_adopt(array: np.dtype[Any], dtype: DType) -> bool:
    """Return whether Python's numbers may take a dtype beside a tensor of it, as in TensorFlow.

    >>> may_adopt(np.dtype(np.float64), float32), may_adopt(np.dtype(np.float32), int32)
    (True, False)
    """
    mine, theirs = array.kind, dtype.kind
    if not both_numbers(array, dtype):
        return False
    whole = mine in "iu" and theirs in "iu"
    return whole or _ORDER.index(mine) <= _ORDER.index(theirs)


def real_of(dtype: DType) -> DType:
    """Return the dtype of a complex dtype's parts, and any other dtype as it is."""
    return {complex64: float32, complex128: float64}.get(dtype, dtype)


def complex_of(dtype: DType) -> DType:
    """Return the complex dtype whose parts have a real dtype."""
    return {float64: complex128, complex128: complex128}.get(dtype, complex64)


def _meet(a: DType, b: DType) -> DType | None:
    if a.is_integer and b.is_integer:
        both = _BY_NUMPY[np.promote_types(a.numpy, b.numpy)]
        return both if both.is_integer else None
    if a.is_integer:
        return b
    if b.is_integer:
        return a
    if {a, b} == {float16, bfloat16}:
        return float32
    if bfloat16 in (a, b):
        return b if a is bfloat16 else a
    return _BY_NUMPY[np.promote_types(a.numpy, b.numpy)]


_PROMOTED = {
    (a, b): both
    for a in NUMERIC
    for b in NUMERIC
    if a is not b and (both := _meet(a, b))
}
