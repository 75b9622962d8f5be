"""Ranges, grids of coordinates, unit matrices, and the triangles of matrices.

Tensors of one value, and tensors from values, are in create.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, Literal

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import whole
from tensorlite.core.constant import array_of
from tensorlite.core.dispatch import (
    call,
    constant as constant_of,
    promoted,
    to_tensor,
)
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype, real_of
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec, shape_text
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.create import Device, placed
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import astype, reshape, shape_of
from tensorlite.ops.math.arithmetic import Range, broadcast_to, sum
from tensorlite.ops.math.compare import equal

__all__ = ["arange", "eye", "linspace", "meshgrid", "tril", "triu"]


class LinSpace(Op):
    """Numbers at even distances from start to stop."""

    host = (0, 1, 2)
    endpoint: bool = True
    """Whether the last number is `stop`; else it lies one step before."""

    def infer(
        self, start: TensorSpec, stop: TensorSpec, num: TensorSpec
    ) -> TensorSpec:
        """Return a vector with `num` elements; InvalidArgumentError when that is negative."""
        count = num.scalar()
        if count is not None and count < 0:
            raise InvalidArgumentError(
                f"LinSpace: num={count}; allowed are 0 and more"
            )
        if start.dtype is not stop.dtype:
            raise DTypeError(
                f"LinSpace: start is {start}, stop is {stop}; cast one of them"
            )
        return start.with_shape((count,))

    def kernel(self, xp: Xp, start: Array, stop: Array, num: Array) -> Array:
        """Return the numbers."""
        ends, dtype = (start.item(), stop.item()), start.dtype
        return xp.linspace(*ends, int(num), endpoint=self.endpoint, dtype=dtype)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient weighted by the distances from the ends."""
        start, _, num = call.inputs
        real = real_of(start.dtype)
        ends = constant_of(0, real), constant_of(1, real)
        share = astype(_call_linspace(self, *ends, num), start.dtype)
        return sum(dy * (1 - share)), sum(dy * share), None


def _call_linspace(op: LinSpace, *inputs: Tensor) -> Tensor:
    return call(op, *inputs)


class _Triangle(Op, abstract=True):
    """Matrices with zeros on one side of a diagonal."""

    k: int = 0
    """Which diagonal: 0 the main one, positive above it, negative below."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec; InvalidArgumentError when it is no matrix."""
        if x.shape is not None:
            self.check(x.shape)
        return x.without_value()

    def check(self, shape: Sequence[int | None]) -> None:
        """Raise InvalidArgumentError when a shape is no matrix's."""
        if len(shape) < 2:
            raise InvalidArgumentError(
                f"{self.name} takes matrices, or stacks of these, not {shape_text(shape)}"
            )

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the same triangle of the gradient."""
        return (_same_triangle(self, dy),)


def _same_triangle(op: _Triangle, dy: Tensor) -> Tensor:
    return call(op, dy)


class Tril(_Triangle):
    """Matrices with zeros above a diagonal."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the lower triangles."""
        self.check(x.shape)
        return xp.tril(x, self.k)


class Triu(_Triangle):
    """Matrices with zeros below a diagonal."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the upper triangles."""
        self.check(x.shape)
        return xp.triu(x, self.k)


def eye(
    n_rows: int | Tensor,
    n_cols: int | Tensor | None = None,
    /,
    *,
    k: int = 0,
    dtype: DTypeLike | None = None,
    device: Device = None,
) -> Tensor:
    """Return a matrix with ones on its `k`-th diagonal and zeros elsewhere.

    >>> print(tl.eye(2, 3))
    [[1. 0. 0.]
     [0. 1. 0.]]
    """
    of = dtypes.float32 if dtype is None else as_dtype(dtype)
    width = n_rows if n_cols is None else n_cols
    whole(n_rows, "eye: n_rows", least=0)
    whole(width, "eye: n_cols", least=0)
    if isinstance(n_rows, int) and isinstance(width, int):
        k = max(-n_rows, min(k, width))
    rows = reshape(arange(n_rows, dtype=dtypes.int64) + k, (-1, 1))
    columns = arange(width, dtype=dtypes.int64)
    return placed(astype(equal(rows, columns), of), device)


def arange(
    start: Any,
    /,
    stop: Any = None,
    step: Any = 1,
    *,
    dtype: DTypeLike | None = None,
    device: Device = None,
) -> Tensor:
    """Return the numbers from `start` (0 if it is the only argument) up to `stop`, without it.

    The dtype is int32 (int64 where that is needed) for ints and float32 if a float is among them.

    >>> print(tl.arange(2, 8, 2))
    [2 4 6]
    """
    start, stop = (0, start) if stop is None else (start, stop)
    ends = (start, stop, step)
    if any(isinstance(end, (Operand, np.ndarray)) for end in ends):
        return placed(_range_of_tensors(ends, dtype), device)
    if not all(isinstance(end, (int, float, np.number)) for end in ends):
        raise DTypeError(
            f"arange: start, stop and step are {ends}; allowed are real numbers"
        )
    if step == 0:
        raise InvalidArgumentError(
            "arange: step=0 leads nowhere; give a step of either sign"
        )
    whole = all(isinstance(end, (int, np.integer)) for end in ends)
    of = (
        as_dtype(dtype)
        if dtype is not None
        else _range_dtype(ends)
        if whole
        else dtypes.float32
    )
    if whole and of.is_integer:
        return placed(_range(start, stop, step, of), device)
    count = max(0, ceil((stop - start) / step))
    numbers = astype(_range(0, count, 1, dtypes.int64), dtypes.float64)
    return placed(astype(numbers * float(step) + float(start), of), device)


def _range_dtype(ends: tuple[Any, ...]) -> DType:
    array = array_of([int(end) for end in ends])
    return dtypes.of_numpy(array.dtype)


def _range(start: int, stop: int, step: int, dtype: DType) -> Tensor:
    """Return the range; unsigned numbers cannot hold a step back, so it runs in int64."""
    inside = all(_holds(dtype, number) for number in (start, stop, step))
    wide = dtype if inside else dtypes.int64
    ends = [constant_of(number, wide) for number in (start, stop, step)]
    return astype(call(Range(), *ends), dtype)


def _holds(dtype: DType, number: int) -> bool:
    limits = np.iinfo(dtype.numpy)
    return bool(limits.min <= number <= limits.max)


def _range_of_tensors(ends: tuple[Any, ...], dtype: DTypeLike | None) -> Tensor:
    start, stop = promoted(ends[0], ends[1])
    stop, step = promoted(stop, ends[2])
    start, step = promoted(start, step)
    of = step.dtype if dtype is None else as_dtype(dtype)
    return call(Range(), astype(start, of), astype(stop, of), astype(step, of))


def linspace(
    start: TensorLike,
    stop: TensorLike,
    /,
    num: int | Tensor,
    *,
    dtype: DTypeLike | None = None,
    device: Device = None,
    endpoint: bool = True,
) -> Tensor:
    """Return `num` numbers at even distances from `start` to `stop`.

    They are float32 (complex64 for complex ends) unless `dtype` says otherwise. Without
    `endpoint` the last number lies one distance before `stop`. The ends have gradients.

    >>> print(tl.linspace(0, 1, 5))
    [0.   0.25 0.5  0.75 1.  ]
    """
    x, y = promoted(start, stop)
    of = as_dtype(dtype) if dtype is not None else x.dtype
    wide = of if of.is_floating or of.is_complex else dtypes.float32
    if (
        dtype is not None
        and not isinstance(start, Operand)
        and not isinstance(stop, Operand)
    ):
        x, y = constant_of(start, wide), constant_of(stop, wide)
    count = num if isinstance(num, Tensor) else constant_of(num, dtypes.int64)
    found = call(LinSpace(endpoint), astype(x, wide), astype(y, wide), count)
    return placed(found if dtype is None else astype(found, of), device)


def meshgrid(
    *arrays: TensorLike, indexing: Literal["xy", "ij"] = "xy"
) -> tuple[Tensor, ...]:
    """Return one tensor per vector, all of one shape, that together hold every combination.

    With "ij" the first vector runs along the first axis, with "xy" along the second.

    >>> print(tl.meshgrid([1, 2], [3, 4, 5])[0])
    [[1 2]
     [1 2]
     [1 2]]
    """
    if indexing not in ("xy", "ij"):
        raise InvalidArgumentError(
            f"meshgrid: indexing={indexing!r}; allowed: 'xy', 'ij'"
        )
    vectors = [reshape(to_tensor(x), (-1,)) for x in arrays]
    places = list(range(len(vectors)))
    if indexing == "xy" and len(places) > 1:
        places[:2] = [1, 0]
    if not vectors:
        return ()
    sizes = [shape_of(vectors[place]) for place in places]
    whole = sizes[0] if len(sizes) == 1 else concat(sizes, axis=0)
    return tuple(
        broadcast_to(reshape(x, _along(place, len(places))), whole)
        for x, place in zip(vectors, places, strict=True)
    )


def _along(axis: int, rank: int) -> tuple[int, ...]:
    return tuple(-1 if i == axis else 1 for i in range(rank))


def tril(x: TensorLike, /, *, k: int = 0) -> Tensor:
    """Return matrices with zeros above their `k`-th diagonal.

    >>> print(tl.tril([[1, 2], [3, 4]]))
    [[1 0]
     [3 4]]
    """
    return call(Tril(k), x)


def triu(x: TensorLike, /, *, k: int = 0) -> Tensor:
    """Return matrices with zeros below their `k`-th diagonal.

    >>> print(tl.triu([[1, 2], [3, 4]]))
    [[1 2]
     [0 4]]
    """
    return call(Triu(k), x)
