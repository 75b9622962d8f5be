"""Initial values of weights: functions of shape and dtype that draw from the random generator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod, sqrt
from typing import TypeAlias

from tensorlite.core import dtypes
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import ShapeError
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays import create
from tensorlite.ops.arrays.shape import reshape
from tensorlite.ops.linear.decompose import qr
from tensorlite.ops.linear.diagonal import diagonal
from tensorlite.ops.math.rounding import sign
from tensorlite.ops.random import sampling

Initializer: TypeAlias = Callable[[Sequence[int], DType], Tensor]


def fans(shape: Sequence[int]) -> tuple[int, int]:
    """Return how many inputs and outputs a weight's units have; leading axes are a window.

    >>> tl.initializers.fans((3, 3, 8, 16))
    (72, 144)
    """
    if len(shape) < 2:
        raise ShapeError(
            f"a weight with fans has at least two axes, not {list(shape)}"
        )
    window = prod(shape[:-2])
    return window * shape[-2], window * shape[-1]


def _both_fans(shape: Sequence[int]) -> int:
    inputs, outputs = fans(shape)
    return max(1, inputs + outputs)


def zeros(shape: Sequence[int], dtype: DType = dtypes.float32) -> Tensor:
    """Return zeros.

    >>> print(tl.initializers.zeros((2,)))
    [0. 0.]
    """
    return create.zeros(shape, dtype=dtype)


def ones(shape: Sequence[int], dtype: DType = dtypes.float32) -> Tensor:
    """Return ones.

    >>> print(tl.initializers.ones((2,)))
    [1. 1.]
    """
    return create.ones(shape, dtype=dtype)


def _uniform(shape: Sequence[int], limit: float, dtype: DType) -> Tensor:
    return sampling.uniform(shape, -limit, limit, dtype=dtype)


def _normal(shape: Sequence[int], deviation: float, dtype: DType) -> Tensor:
    # Cutting a normal at two deviations leaves 0.8796 of the deviation.
    return sampling.truncated_normal(
        shape, 0.0, deviation / 0.87962566103423978, dtype=dtype
    )


def glorot_uniform(shape: Sequence[int], dtype: DType = dtypes.float32) -> Tensor:
    """Return uniform values within sqrt(6 / (inputs + outputs)) (Glorot and Bengio 2010).

    >>> tl.initializers.glorot_uniform((3, 4)).shape
    (3, 4)
    """
    return _uniform(shape, sqrt(6 / _both_fans(shape)), dtype)


def glorot_normal(shape: Sequence[int], dtype: DType = dtypes.float32) -> Tensor:
    """Return truncated normal values of deviation sqrt(2 / (inputs + outputs)).

    >>> tl.initializers.glorot_normal((3, 4)).shape
    (3, 4)
    """
    return _normal(shape, sqrt(2 / _both_fans(shape)), dtype)


def he_uniform(shape: Sequence[int], dtype: DType = dtypes.float32) -> Tensor:
    """Return uniform values within sqrt(6 / inputs), for relu (He et al. 2015).

    >>> tl.initializers.he_uniform((3, 4)).shape
    (3, 4)
    """
    return _uniform(shape, sqrt(6 / max(1, fans(shape)[0])), dtype)


def he_normal(shape: Sequence[int], dtype: DType = dtypes.float32) -> Tensor:
    """Return truncated normal values of deviation sqrt(2 / inputs), for relu (He et al. 2015).

    >>> tl.initializers.he_normal((3, 4)).shape
    (3, 4)
    """
    return _normal(shape, sqrt(2 / max(1, fans(shape)[0])), dtype)


def orthogonal(shape: Sequence[int], dtype: DType = dtypes.float32) -> Tensor:
    """Return a matrix with orthonormal rows or columns (Saxe, McClelland and Ganguli 2014).

    >>> w = tl.initializers.orthogonal((3, 3))
    >>> bool(tl.all(tl.abs(w.T @ w - tl.eye(3)) < 1e-5))
    True
    """
    rows, columns = prod(shape[:-1]), shape[-1]
    tall = sampling.normal((max(rows, columns), min(rows, columns)), dtype=dtype)
    q, r = qr(tall)
    q = q * sign(diagonal(r))
    return reshape(q if rows >= columns else q.T, tuple(shape))
