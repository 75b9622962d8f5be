"""The part of CuPy that kernels name, and what core/xp.py asks of devices; stubtest checks it."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from cupy import cuda as cuda, lib as lib
from numpy import (
    dtype as dtype,
    finfo as finfo,
    float32 as float32,
    float64 as float64,
    iinfo as iinfo,
    int64 as int64,
    nan as nan,
    uint32 as uint32,
    uint64 as uint64,
)
from typing_extensions import disjoint_base

_ArrayLike: TypeAlias = ndarray | np.ndarray[Any, Any] | np.generic | complex
_Axis: TypeAlias = int | Sequence[int] | None
_DTypeLike: TypeAlias = np.dtype[Any] | type | str
_Size: TypeAlias = int | Sequence[int]

inf: float
matmul: Callable[..., ndarray]

class ndarray:
    def __new__(cls, *args: Any, **kwargs: Any) -> ndarray: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def itemsize(self) -> int: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def base(self) -> ndarray | None: ...
    @property
    def device(self) -> cuda.Device: ...
    @property
    def T(self) -> ndarray: ...
    @property
    def real(self) -> ndarray: ...
    @property
    def imag(self) -> ndarray: ...

@disjoint_base
class ufunc:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @property
    def nin(self) -> int: ...
    @property
    def nout(self) -> int: ...
    def __call__(self, *args: _ArrayLike, **kwargs: Any) -> Any: ...

abs: ufunc
absolute: ufunc
add: ufunc
arccos: ufunc
arccosh: ufunc
arcsin: ufunc
arcsinh: ufunc
arctan: ufunc
arctan2: ufunc
arctanh: ufunc
bitwise_and: ufunc
bitwise_or: ufunc
bitwise_xor: ufunc
ceil: ufunc
conj: ufunc
copysign: ufunc
cos: ufunc
cosh: ufunc
divide: ufunc
equal: ufunc
exp: ufunc
expm1: ufunc
floor: ufunc
floor_divide: ufunc
greater: ufunc
greater_equal: ufunc
hypot: ufunc
invert: ufunc
isfinite: ufunc
isinf: ufunc
isnan: ufunc
left_shift: ufunc
less: ufunc
less_equal: ufunc
log: ufunc
log10: ufunc
log1p: ufunc
log2: ufunc
logaddexp: ufunc
logical_and: ufunc
logical_not: ufunc
logical_or: ufunc
logical_xor: ufunc
maximum: ufunc
minimum: ufunc
multiply: ufunc
negative: ufunc
nextafter: ufunc
not_equal: ufunc
power: ufunc
reciprocal: ufunc
remainder: ufunc
right_shift: ufunc
rint: ufunc
sign: ufunc
signbit: ufunc
sin: ufunc
sinh: ufunc
sqrt: ufunc
square: ufunc
subtract: ufunc
tan: ufunc
tanh: ufunc
trunc: ufunc

def all(
    a: _ArrayLike,
    axis: _Axis = None,
    out: ndarray | None = None,
    keepdims: bool = False,
) -> ndarray: ...
def any(
    a: _ArrayLike,
    axis: _Axis = None,
    out: ndarray | None = None,
    keepdims: bool = False,
) -> ndarray: ...
def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
    dtype: _DTypeLike | None = None,
) -> ndarray: ...
def argmax(
    a: _ArrayLike,
    axis: _Axis = None,
    dtype: _DTypeLike | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
) -> ndarray: ...
def argmin(
    a: _ArrayLike,
    axis: _Axis = None,
    dtype: _DTypeLike | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
) -> ndarray: ...
def argsort(a: _ArrayLike, axis: _Axis = -1, kind: str | None = None) -> ndarray: ...
def argwhere(a: _ArrayLike) -> ndarray: ...
def asarray(
    a: _ArrayLike,
    dtype: _DTypeLike | None = None,
    order: str | None = None,
    *,
    copy: bool | None = None,
    blocking: bool = False,
) -> ndarray: ...
def ascontiguousarray(a: _ArrayLike, dtype: _DTypeLike | None = None) -> ndarray: ...
def bincount(
    x: _ArrayLike, weights: ndarray | None = None, minlength: int | None = None
) -> ndarray: ...
def broadcast_to(array: _ArrayLike, shape: _Size) -> ndarray: ...
def clip(
    a: _ArrayLike,
    a_min: _ArrayLike | None,
    a_max: _ArrayLike | None,
    out: ndarray | None = None,
) -> ndarray: ...
def concatenate(
    tup: Sequence[_ArrayLike],
    axis: _Axis = 0,
    out: ndarray | None = None,
    *,
    dtype: _DTypeLike | None = None,
    casting: str = "same_kind",
) -> ndarray: ...
def cumsum(
    a: _ArrayLike,
    axis: _Axis = None,
    dtype: _DTypeLike | None = None,
    out: ndarray | None = None,
) -> ndarray: ...
def diagonal(
    a: _ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> ndarray: ...
def dot(a: _ArrayLike, b: _ArrayLike, out: ndarray | None = None) -> ndarray: ...
def einsum(*operands: Any, **kwargs: Any) -> ndarray: ...
def empty(
    shape: _Size, dtype: _DTypeLike | None = ..., order: str = "C"
) -> ndarray: ...
def empty_like(
    prototype: _ArrayLike,
    dtype: _DTypeLike | None = None,
    order: str = "K",
    subok: bool | None = None,
    shape: _Size | None = None,
) -> ndarray: ...
def expand_dims(a: _ArrayLike, axis: _Axis) -> ndarray: ...
def flip(a: _ArrayLike, axis: _Axis = None) -> ndarray: ...
def full(
    shape: _Size,
    fill_value: complex,
    dtype: _DTypeLike | None = None,
    order: str = "C",
) -> ndarray: ...
def full_like(
    a: _ArrayLike,
    fill_value: complex,
    dtype: _DTypeLike | None = None,
    order: str = "K",
    subok: bool | None = None,
    shape: _Size | None = None,
) -> ndarray: ...
def isin(
    element: _ArrayLike,
    test_elements: _ArrayLike,
    assume_unique: bool = False,
    invert: bool = False,
) -> ndarray: ...
def linspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: _DTypeLike | None = None,
    axis: _Axis = 0,
) -> Any: ...
def max(
    a: _ArrayLike,
    axis: _Axis = None,
    out: ndarray | None = None,
    keepdims: bool = False,
) -> ndarray: ...
def mean(
    a: _ArrayLike,
    axis: _Axis = None,
    dtype: _DTypeLike | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
) -> ndarray: ...
def min(
    a: _ArrayLike,
    axis: _Axis = None,
    out: ndarray | None = None,
    keepdims: bool = False,
) -> ndarray: ...
def moveaxis(
    a: _ArrayLike, source: int | Sequence[int], destination: int | Sequence[int]
) -> ndarray: ...
def nonzero(a: _ArrayLike) -> tuple[ndarray, ...]: ...
def ones(
    shape: _Size, dtype: _DTypeLike | None = ..., order: str = "C"
) -> ndarray: ...
def ones_like(
    a: _ArrayLike,
    dtype: _DTypeLike | None = None,
    order: str = "K",
    subok: bool | None = None,
    shape: _Size | None = None,
) -> ndarray: ...
def prod(
    a: _ArrayLike,
    axis: _Axis = None,
    dtype: _DTypeLike | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
) -> ndarray: ...
def repeat(
    a: _ArrayLike, repeats: int | Sequence[int] | ndarray, axis: _Axis = None
) -> ndarray: ...
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]: ...
def roll(
    a: _ArrayLike, shift: int | Sequence[int], axis: _Axis = None
) -> ndarray: ...
def searchsorted(
    a: _ArrayLike, v: _ArrayLike, side: str = "left", sorter: ndarray | None = None
) -> ndarray: ...
def sort(a: _ArrayLike, axis: _Axis = -1, kind: str | None = None) -> ndarray: ...
def split(
    ary: _ArrayLike, indices_or_sections: int | Sequence[int], axis: _Axis = 0
) -> list[ndarray]: ...
def squeeze(a: _ArrayLike, axis: _Axis = None) -> ndarray: ...
def stack(
    tup: Sequence[_ArrayLike],
    axis: _Axis = 0,
    out: ndarray | None = None,
    *,
    dtype: _DTypeLike | None = None,
    casting: str = "same_kind",
) -> ndarray: ...
def sum(
    a: _ArrayLike,
    axis: _Axis = None,
    dtype: _DTypeLike | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
) -> ndarray: ...
def take(
    a: _ArrayLike, indices: _ArrayLike, axis: _Axis = None, out: ndarray | None = None
) -> ndarray: ...
def take_along_axis(a: _ArrayLike, indices: _ArrayLike, axis: _Axis) -> ndarray: ...
def tile(A: Any, reps: int | Sequence[int]) -> ndarray: ...
def transpose(a: _ArrayLike, axes: _Axis = None) -> ndarray: ...
def tril(m: _ArrayLike, k: int = 0) -> ndarray: ...
def triu(m: _ArrayLike, k: int = 0) -> ndarray: ...
def unique(
    ar: _ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: _Axis = None,
    *,
    equal_nan: bool = True,
) -> Any: ...
def where(
    condition: _ArrayLike, x: _ArrayLike | None = None, y: _ArrayLike | None = None
) -> ndarray: ...
def zeros(
    shape: _Size, dtype: _DTypeLike | None = ..., order: str = "C"
) -> ndarray: ...
def zeros_like(
    a: _ArrayLike,
    dtype: _DTypeLike | None = None,
    order: str = "K",
    subok: bool | None = None,
    shape: _Size | None = None,
) -> ndarray: ...
def asnumpy(
    a: _ArrayLike,
    stream: Any = None,
    order: str = "C",
    out: np.ndarray[Any, Any] | None = None,
    *,
    blocking: bool = True,
) -> np.ndarray[Any, Any]: ...
def get_default_memory_pool() -> cuda.MemoryPool: ...
