"""Linear algebra composed of other operators: norms, powers, least squares.

The operators are in matmul.py, solve.py, decompose.py, spectral.py and diagonal.py; the public
module is tensorlite.linalg.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Literal

from tensorlite.core.dispatch import floating, to_tensor
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.spec import normalise_axes
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import expand_dims, moveaxis
from tensorlite.ops.arrays.create import ones_like, zeros_like
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.linear.diagonal import diagonal, identity_like, matrix_shape
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.linear.solve import inv
from tensorlite.ops.linear.spectral import pinv, svdvals
from tensorlite.ops.math.arithmetic import broadcast_to, conjugated, multiply, sum
from tensorlite.ops.math.compare import equal, not_equal, where
from tensorlite.ops.math.elementwise import pow, sqrt
from tensorlite.ops.math.reduce import max, min
from tensorlite.ops.math.rounding import abs, real

Axes = int | Sequence[int] | None
MatrixOrder = float | Literal["fro", "nuc"]


def vector_norm(
    x: TensorLike, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2
) -> Tensor:
    """Return the norm of the vectors that lie along `axis`, of all elements for None.

    `ord` is any number: 2 is the length, 1 the sum, infinity the greatest and minus infinity the
    least magnitude, 0 the number of elements that are not zero. The gradient at zero is zero.

    >>> print(tl.linalg.vector_norm([3.0, 4.0]))
    5.0
    """
    tensor = floating(to_tensor(x))
    if ord == 2:
        return _length(tensor, axis, keepdims)
    size = abs(tensor)
    if ord == inf:
        return max(size, axis=axis, keepdims=keepdims)
    if ord == -inf:
        return min(size, axis=axis, keepdims=keepdims)
    if ord == 0:
        return sum(
            astype(not_equal(size, 0), size.dtype), axis=axis, keepdims=keepdims
        )
    if ord == 1:
        return sum(size, axis=axis, keepdims=keepdims)
    return pow(sum(pow(size, ord), axis=axis, keepdims=keepdims), 1 / ord)


def _length(x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    """Return the root of the sum of squares; the derivative at zero, which is none, is zero."""
    squares = sum(real(multiply(x, conjugated(x))), axis=axis, keepdims=keepdims)
    zero = equal(squares, 0)
    return where(
        zero, zeros_like(squares), sqrt(where(zero, ones_like(squares), squares))
    )


def matrix_norm(
    x: TensorLike, /, *, keepdims: bool = False, ord: MatrixOrder = "fro"
) -> Tensor:
    """Return the norm of each matrix in a stack.

    `"fro"` is the root of the sum of squares, `"nuc"` the sum of singular values, 2 (-2) the
    greatest (least) of these, 1 (-1) the greatest (least) sum of a column, infinity of a row.

    >>> print(tl.linalg.matrix_norm([[3.0, 0.0], [0.0, 4.0]], ord="nuc"))
    7.0
    """
    tensor = floating(to_tensor(x))
    matrix_shape(tensor.spec, "matrix_norm")
    if ord == "fro":
        return _length(tensor, (-2, -1), keepdims)
    if ord in ("nuc", 2, -2):
        values = svdvals(tensor)
        found = {"nuc": sum, 2: max, -2: min}[ord](values, axis=-1)
    elif ord in (1, -1, inf, -inf):
        sums = sum(abs(tensor), axis=-2 if ord in (1, -1) else -1)
        found = max(sums, axis=-1) if ord in (1, inf) else min(sums, axis=-1)
    else:
        raise InvalidArgumentError(
            f"matrix_norm: ord={ord!r}; allowed: 'fro', 'nuc', 1, -1, 2, -2, inf, -inf"
        )
    return expand_dims(expand_dims(found, -1), -1) if keepdims else found


def norm(
    x: TensorLike,
    /,
    *,
    ord: MatrixOrder | None = None,
    axis: Axes = None,
    keepdims: bool = False,
) -> Tensor:
    """Return a norm as NumPy's `norm` does: of vectors for one axis, of matrices for two.

    Without `ord` it is the root of the sum of squares over all axes given.

    >>> print(tl.linalg.norm([[3.0, 0.0], [0.0, 4.0]]))
    5.0
    """
    tensor = floating(to_tensor(x))
    if ord is None:
        return _length(tensor, axis, keepdims)
    axes = (
        range(tensor.ndim)
        if axis is None
        else (axis,)
        if isinstance(axis, int)
        else axis
    )
    axes = normalise_axes(axes, tensor.ndim)
    if len(axes) == 2:
        found = matrix_norm(moveaxis(tensor, axes, (-2, -1)), ord=ord)
        return expand_dims(found, axes) if keepdims else found
    if isinstance(ord, str) or len(axes) != 1:
        raise InvalidArgumentError(f"norm: ord={ord!r} does not go with axes {axes}")
    return vector_norm(tensor, axis=axes, keepdims=keepdims, ord=ord)


def matrix_power(x: TensorLike, n: int, /) -> Tensor:
    """Return each square matrix multiplied `n` times by itself; its inverse if `n` is negative.

    >>> print(tl.linalg.matrix_power([[1, 1], [0, 1]], 5))
    [[1 5]
     [0 1]]
    """
    tensor = to_tensor(x)
    shape = matrix_shape(tensor.spec, "matrix_power")
    if shape is not None and None not in shape[-2:] and shape[-2] != shape[-1]:
        raise ShapeError(f"matrix_power takes square matrices, not {tensor.spec}")
    if n < 0:
        return matrix_power(inv(tensor), -n)
    result = _eye_like(tensor) if n == 0 else None
    while n:
        if n % 2:
            result = tensor if result is None else matmul(result, tensor)
        n //= 2
        tensor = matmul(tensor, tensor) if n else tensor
    assert result is not None
    return result


def _eye_like(x: Tensor) -> Tensor:
    return broadcast_to(identity_like(diagonal(zeros_like(x))), shape_of(x))


def lstsq(
    x1: TensorLike, x2: TensorLike, /, *, rtol: TensorLike | None = None
) -> Tensor:
    """Return the X for which `x1` X is closest to `x2`, the shortest if there are several.

    `x2` is a vector or matrices; see `pinv` for `rtol`.

    >>> print(tl.linalg.lstsq([[1.0], [1.0]], [1.0, 2.0]))
    [1.5]
    """
    a, b = to_tensor(x1), to_tensor(x2)
    return matmul(pinv(a, rtol=rtol), b)
