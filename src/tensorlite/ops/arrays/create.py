"""Making tensors from values, and tensors of one value by shape.

Ranges, grids and triangles of matrices are in ranges.py. Random tensors are in
random/draws.py; how Python values become arrays is core/constant.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import (
    call,
    call1,
    constant as constant_of,
    to_tensor,
    tracer,
)
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.opaque import Opaque
from tensorlite.core.operand import Operand
from tensorlite.core.scope import placed as placed_here
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor, TensorLike
from tensorlite.core.xp import CPU, Array, Xp, device_of, is_array, xp_for
from tensorlite.ops.arrays.identity import apart, identity, to_device
from tensorlite.ops.arrays.shape import as_shape, astype, reshape, shape_of
from tensorlite.ops.arrays.stack import SMALL, small
from tensorlite.ops.math.arithmetic import sum

__all__ = [
    "asarray",
    "constant",
    "empty",
    "empty_like",
    "fill",
    "from_dlpack",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]

Device = str | DeviceName | None


class Fill(Op):
    """A tensor of one value throughout."""

    host = (0,)

    def infer(self, shape: TensorSpec, value: TensorSpec) -> TensorSpec:
        """Return the asked shape with the value's dtype."""
        if value.shape is not None and value.shape != ():
            raise ShapeError(f"Fill: the value must be 0-d, not {value}")
        if shape.rank not in {None, 1}:
            raise ShapeError(f"Fill: dims must be a vector, not {shape}")
        sizes = shape.vector()
        if sizes is not None and any(size is not None and size < 0 for size in sizes):
            raise ShapeError(
                f"Fill: shape {list(sizes)} has a negative size; allowed are 0 and up"
            )
        made = value.with_shape(sizes)
        if not isinstance(value.known, int) or not made.dtype.is_integer:
            return made
        count = made.size if len(sizes or ()) in (1, 2) else None
        known = (
            None if count is None else small((value.known,) * min(count, SMALL + 1))
        )
        return TensorSpec(sizes, made.dtype, known=known)

    def kernel(self, xp: Xp, shape: Array, value: Array) -> Array:
        """Return the filled array."""
        if shape.ndim != 1 or (shape < 0).any():
            raise ShapeError(
                f"Fill: dims must be a vector of sizes, 0 and up, not {shape.tolist()}"
            )
        return xp.full(tuple(shape.tolist()), value, value.dtype)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the sum of the gradient for the value."""
        return None, sum(dy)


class _Like(Op, abstract=True):
    """A tensor of one number in the shape and dtype of another; its value is not looked at."""

    differentiable = False

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        return x.without_value()


class ZerosLike(_Like):
    """Zeros in the shape and dtype of another tensor; a list of zeros for a list."""

    def kernel(self, xp: Xp, x: Any) -> Any:
        """Return the zeros; values that are no arrays say what theirs are."""
        if isinstance(x, Opaque):
            return x.zeros()  # type: ignore[attr-defined]
        return xp.full_like(x, "" if x.dtype == object else 0)


class OnesLike(_Like):
    """Ones in the shape and dtype of another tensor."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the ones."""
        return xp.ones_like(x)


def placed(x: Tensor, device: Device) -> Tensor:
    """Return `x` on `device`, where that is given."""
    if device is None:
        return x
    return to_device(x, device)


def asarray(
    obj: TensorLike,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: Device = None,
    copy: bool | None = None,
) -> Tensor:
    """Return `obj` as a tensor: a number, a nest of lists of these, an array, or a tensor.

    Without `dtype`, Python floats become float32, Python ints int32 (int64 when they do not fit);
    arrays keep theirs. Arrays are copied unless `copy` is False, which shares their memory or
    raises InvalidArgumentError where that cannot be.

    >>> tl.asarray([1.0, 2.0])
    Tensor(shape=(2,), dtype=float32, device=CPU:0)
    [1. 2.]
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if not isinstance(obj, Operand):
        made = _from_value(obj, wanted, copy)
        return (
            placed(made, device)
            if device is not None or is_away(obj)
            else placed_here(made)
        )
    x = to_tensor(obj)
    y = x if wanted is None else astype(x, wanted, copy=False)
    y = placed(y, device)
    if copy is False and (y.dtype is not x.dtype or y.device != x.device):
        raise InvalidArgumentError(
            f"copy=False: {x.spec} must be copied to be {y.dtype!r} there"
        )
    return identity(y) if copy and y is x else y


def is_away(value: object) -> bool:
    """Return whether `value` is an array in the memory of a GPU."""
    return is_array(value) and not isinstance(value, np.ndarray)


def _from_value(value: Any, dtype: DType | None, copy: bool | None) -> Tensor:
    value = _exported(value)
    if copy is not False:
        if not is_away(value):
            return to_tensor(value, dtype)
        array = value.copy()
        return EagerTensor(
            array if dtype is None else array.astype(dtype.numpy), device_of(array)
        )
    if not is_array(value) or (dtype is not None and dtype.numpy != value.dtype):
        raise InvalidArgumentError(
            f"copy=False: {type(value).__name__} must be copied to become a tensor of this dtype; "
            "leave copy out"
        )
    plain = np.asarray(value) if isinstance(value, np.ndarray) else value
    return EagerTensor(plain, device_of(plain))


def _exported(value: Any) -> Any:
    """Return what offers its memory (buffers, other libraries' arrays) as a NumPy array."""
    if is_array(value) or isinstance(
        value, (bool, int, float, complex, str, bytes, list, tuple)
    ):
        return value
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return np.asarray(value)
    try:
        return np.asarray(memoryview(value))
    except TypeError:
        return value


def constant(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    shape: Sequence[int] | None = None,
) -> Tensor:
    """Return `value` as a tensor, stretched to `shape` where that is given (TensorFlow's constant).

    >>> print(tl.constant(7, shape=(3,)))
    [7 7 7]
    """
    x = asarray(value, dtype=dtype)
    if shape is None:
        return apart(x, value)
    return reshape(x, shape) if x.spec.size != 1 else fill(shape, reshape(x, ()))


def from_dlpack(
    x: Any, /, *, device: Device = None, copy: bool | None = None
) -> Tensor:
    """Return the array of another library as a tensor, sharing memory where that can be.

    Raises InvalidArgumentError when `copy` is False and the memory cannot be shared, BufferError
    when the other library does not export it.

    >>> print(tl.from_dlpack(np.asarray([1.0, 2.0])))
    [1. 2.]
    """
    if isinstance(x, Tensor):
        return asarray(x, device=device, copy=copy)
    kind, index = x.__dlpack_device__()
    home = CPU if int(kind) == 1 else DeviceName(kind="GPU", index=int(index))
    array = xp_for(home).from_dlpack(x)
    if (
        copy is False
        and device is not None
        and placed(EagerTensor(array, home), device) is None
    ):
        raise InvalidArgumentError("copy=False: the array lies on another device")
    return placed(EagerTensor(array.copy() if copy else array, home), device)


def fill(dims: TensorLike, value: TensorLike) -> Tensor:
    """Return a tensor of shape `dims` that holds `value` throughout (TensorFlow's fill).

    >>> print(tl.fill((2, 2), 7))
    [[7 7]
     [7 7]]
    """
    return call(Fill(), as_shape(dims), value)


def full(
    shape: TensorLike,
    fill_value: TensorLike,
    *,
    dtype: DTypeLike | None = None,
    device: Device = None,
) -> Tensor:
    """Return a tensor of `shape` that holds `fill_value` throughout.

    >>> print(tl.full(3, 0.5))
    [0.5 0.5 0.5]
    """
    value = asarray(fill_value, dtype=dtype)
    return placed(call(Fill(), as_shape(shape), value), device)


def zeros(
    shape: TensorLike, *, dtype: DTypeLike | None = None, device: Device = None
) -> Tensor:
    """Return a tensor of zeros, float32 unless `dtype` says otherwise.

    >>> print(tl.zeros((2, 3)))
    [[0. 0. 0.]
     [0. 0. 0.]]
    """
    return _filled(shape, 0, dtype, device)


def ones(
    shape: TensorLike, *, dtype: DTypeLike | None = None, device: Device = None
) -> Tensor:
    """Return a tensor of ones, float32 unless `dtype` says otherwise.

    >>> print(tl.ones(2, dtype=tl.int32))
    [1 1]
    """
    return _filled(shape, 1, dtype, device)


def empty(
    shape: TensorLike, *, dtype: DTypeLike | None = None, device: Device = None
) -> Tensor:
    """Return a tensor whose elements may be anything; they are zeros, so that programs repeat.

    >>> tl.empty((2, 3)).shape
    (2, 3)
    """
    return _filled(shape, 0, dtype, device)


def _filled(
    shape: TensorLike, value: int, dtype: DTypeLike | None, device: Device
) -> Tensor:
    of = dtypes.float32 if dtype is None else as_dtype(dtype)
    content = "" if of is dtypes.string and value == 0 else value
    return placed(call(Fill(), as_shape(shape), constant_of(content, of)), device)


def zeros_like(
    x: TensorLike, /, *, dtype: DTypeLike | None = None, device: Device = None
) -> Tensor:
    """Return zeros in the shape of `x`, and in its dtype unless `dtype` says otherwise.

    >>> print(tl.zeros_like([1, 2]))
    [0 0]
    """
    return _alike(ZerosLike(), 0, x, dtype, device)


def ones_like(
    x: TensorLike, /, *, dtype: DTypeLike | None = None, device: Device = None
) -> Tensor:
    """Return ones in the shape of `x`, and in its dtype unless `dtype` says otherwise.

    >>> print(tl.ones_like([1.5, 2.5]))
    [1. 1.]
    """
    return _alike(OnesLike(), 1, x, dtype, device)


def empty_like(
    x: TensorLike, /, *, dtype: DTypeLike | None = None, device: Device = None
) -> Tensor:
    """Return a tensor in the shape of `x` whose elements may be anything; they are zeros.

    >>> tl.empty_like([1.5, 2.5]).shape
    (2,)
    """
    return _alike(ZerosLike(), 0, x, dtype, device)


def _alike(
    op: Op, value: int, x: TensorLike, dtype: DTypeLike | None, device: Device
) -> Tensor:
    """Return `value` in the shape of `x`; a trace that knows the shape does without `x`."""
    tensor = to_tensor(x)
    of = tensor.dtype if dtype is None else as_dtype(dtype)
    if of is not tensor.dtype or (
        tracer() and tensor.spec.is_static and of.kind in "biufc"
    ):
        return placed(call(Fill(), shape_of(tensor), constant_of(value, of)), device)
    return placed(call1(op, tensor), device)


def full_like(
    x: TensorLike,
    /,
    fill_value: TensorLike,
    *,
    dtype: DTypeLike | None = None,
    device: Device = None,
) -> Tensor:
    """Return a tensor in the shape of `x` that holds `fill_value` throughout.

    >>> print(tl.full_like([1.5, 2.5], 7))
    [7. 7.]
    """
    tensor = to_tensor(x)
    of = tensor.dtype if dtype is None else as_dtype(dtype)
    return placed(
        call(Fill(), shape_of(tensor), asarray(fill_value, dtype=of)), device
    )
