"""tf.keras.ops that make tensors, and that tell what tensors are like."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.shared import values
from tensorlite.compat.v2.keras import defaults
from tensorlite.compat.v2.keras.ops.making import (
    fraction,
    operation,
    tensor,
    together,
)
from tensorlite.compat.v2.keras.src.models import sketch
from tensorlite.core.dtypes import as_dtype, int32
from tensorlite.core.operand import Operand
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.sparse.dense import to_dense
from tensorlite.ops.sparse.tensor import SparseTensor


def _kind(dtype: Any) -> Any:
    return defaults.kind_of(dtype)


def zeros(shape: Any, dtype: Any = None) -> Any:
    """Return zeros of a shape, of the width `floatx` unless a dtype is given."""
    return tl.zeros(sizes_of_shape(shape), dtype=_kind(dtype))


def ones(shape: Any, dtype: Any = None) -> Any:
    """Return ones of a shape, of the width `floatx` unless a dtype is given."""
    return tl.ones(sizes_of_shape(shape), dtype=_kind(dtype))


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Return a tensor of a shape filled with a value, in `floatx` unless a dtype is given."""
    return tl.full(sizes_of_shape(shape), tensor(fill_value, _kind(dtype)))


empty = zeros


@operation
def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Return zeros in the shape of x, with its dtype unless one is given."""
    return tl.zeros_like(tensor(x, dtype))


@operation
def ones_like(x: Any, dtype: Any = None) -> Any:
    """Return ones in the shape of x, with its dtype unless one is given."""
    return tl.ones_like(tensor(x, dtype))


@operation
def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Return a value in the shape of x, with its dtype unless one is given."""
    like = tensor(x, dtype)
    return tl.zeros_like(like) + tensor(fill_value, like.dtype)


empty_like = zeros_like


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Return a matrix of N rows and M columns with ones on its k-th diagonal."""
    return tl.eye(N, M, k=k, dtype=_kind(dtype))


def identity(n: int, dtype: Any = None) -> Any:
    """Return a square matrix with ones on its diagonal."""
    return tl.eye(n, dtype=_kind(dtype))


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Return a matrix with ones on and below its k-th diagonal."""
    return tl.tril(tl.ones((N, M or N), dtype=_kind(dtype)), k=k)


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """Return the numbers from start to below stop, or from 0 to below start without one.

    The dtype is the common one of the arguments unless one is given.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.ops.arange(1, 7, 2).numpy().tolist()
    [1, 3, 5]
    """
    first, last = (0, start) if stop is None else (start, stop)
    by = 1 if step is None else step
    if dtype is None:
        dtype = together(first, last, by)[0].dtype
    first, last = (
        x if isinstance(x, (int, float)) else tensor(x, dtype) for x in (first, last)
    )
    return tl.arange(first, last, by, dtype=as_dtype(dtype))


@operation
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Return num numbers, equally far apart, from start to stop along a new axis.

    Without endpoint stop itself is left out; retstep adds the step: (numbers, step).
    """
    first, last = map(fraction, together(start, stop))
    gaps = max(num - 1 if endpoint else num, 1)
    step = (last - first) / float(gaps)
    count = tl.arange(0, num, dtype=first.dtype)
    rank = max(len(first.shape), len(last.shape))
    made = first + tl.reshape(count, [-1, *[1] * rank]) * step
    made = tl.moveaxis(made, 0, axis) if axis else made
    made = made if dtype is None else astype(made, as_dtype(dtype))
    return (made, step) if retstep else made


@operation
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Return powers of base whose exponents lie equally far apart from start to stop."""
    powers = linspace(start, stop, num, endpoint, axis=axis)
    return tensor(tl.pow(tensor(base, powers.dtype), powers), dtype)


@operation
def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Return num numbers from start to stop, each the same multiple of the one before."""
    first, last = map(fraction, together(start, stop))
    powers = linspace(tl.log(first), tl.log(last), num, endpoint, axis=axis)
    return tensor(tl.exp(powers), dtype)


def array(x: Any, dtype: Any = None) -> Any:
    """Return a tensor, an array or a list as a tensor."""
    return tensor(x, dtype)


def convert_to_tensor(
    x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None
) -> Any:
    """Return a tensor, an array or a list as a tensor; sparse and ragged have no effect."""
    return tensor(x, dtype)


def convert_to_numpy(x: Any) -> Any:
    """Return a new array with a tensor's elements, of a sparse or ragged one with all of them."""
    if isinstance(x, SparseTensor):
        x = to_dense(x)
    if isinstance(x, RaggedTensor):
        x = x.to_tensor()
    return np.array(x.__tensor__().numpy() if isinstance(x, Operand) else x)


def is_tensor(x: Any) -> bool:
    """Return whether something is a tensor."""
    return values.is_tensor(x)


def dtype(x: Any) -> str:
    """Return the name of something's dtype."""
    return str(x.dtype.name if hasattr(x, "dtype") else tensor(x).dtype.name)


def shape(x: Any) -> tuple[Any, ...]:
    """Return the sizes of a tensor; one that is only known when it is there is a tensor."""
    given: Any = x if isinstance(x, Operand) else tensor(x)
    known = tuple(given.get_shape())
    if None not in known or sketch.is_leaf(given):
        return known
    sizes = shape_of(given.__tensor__())
    return tuple(sizes[i] if n is None else n for i, n in enumerate(known))


def ndim(x: Any) -> int:
    """Return how many axes something has."""
    return len(x.shape if hasattr(x, "shape") else tensor(x).shape)


def size(x: Any) -> Any:
    """Return how many elements something has, as a scalar."""
    return tl.size(tensor(x))


def sizes_of_shape(given: Any) -> Any:
    """Return a shape, of which sizes may be tensors, or not be known."""
    if isinstance(given, Operand):
        return given
    parts = [given] if isinstance(given, int) else list(given)
    parts = [-1 if x is None else x for x in parts]
    if any(isinstance(x, Operand) for x in parts):
        return tl.stack([tensor(x, int32) for x in parts])
    return [int(x) for x in parts]
