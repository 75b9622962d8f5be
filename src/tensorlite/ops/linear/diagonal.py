"""Diagonals and bands of matrices: diagonal, diag, set_diag, band_part, trace.

The triangles of the Array API (tril, triu) are in arrays/ranges.py.
"""

from __future__ import annotations

import numpy as np

from tensorlite.core.dispatch import call, constant, to_tensor
from tensorlite.core.dtypes import DTypeLike
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import Dim, Dims, TensorSpec, check_rank_at_least, merge
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import rank
from tensorlite.ops.arrays.create import zeros_like
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.pieces import sliced
from tensorlite.ops.arrays.shape import astype, reshape, shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.composite import Composite
from tensorlite.ops.math.arithmetic import broadcast_to, subtract, sum, summable
from tensorlite.ops.math.reduce import prod

__all__ = ["band_part", "diag", "diag_part", "set_diag"]


def matrix_shape(x: TensorSpec, what: str) -> Dims | None:
    """Return the shape of a stack of matrices; ShapeError when it has fewer than two axes."""
    check_rank_at_least(f"{what} takes matrices or stacks of them", x, 2)
    return x.shape


def _length(rows: Dim, columns: Dim, k: int | None) -> Dim:
    if rows is None or columns is None or k is None:
        return None
    return max(0, min(rows + min(k, 0), columns - max(k, 0)))


def _places(xp: Xp, length: int, k: int) -> tuple[Array, Array]:
    along = xp.arange(length)
    return along + max(-k, 0), along + max(k, 0)


class MatrixDiagPartV3(Op):
    """The diagonal of each matrix in a stack, `k` above the main one."""

    host = (1,)

    def infer(self, x: TensorSpec, k: TensorSpec, padding: TensorSpec) -> TensorSpec:
        """Return the shape of the stack and the diagonal's length."""
        shape = matrix_shape(x, "diagonal")
        if shape is None:
            return x.with_shape(None)
        return x.with_shape((*shape[:-2], _length(shape[-2], shape[-1], k.scalar())))

    def kernel(self, xp: Xp, x: Array, k: Array, padding: Array) -> Array:
        """Return the diagonals."""
        return xp.diagonal(x, offset=int(k), axis1=-2, axis2=-1).copy()

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return zero matrices with the gradient on that diagonal."""
        x, k, _ = call.inputs
        shape = shape_of(x)
        last = subtract(rank(x), 1)
        columns = reshape(sliced(shape, reshape(last, (1,)), constant([1])), ())
        rows = reshape(
            sliced(shape, reshape(subtract(last, 1), (1,)), constant([1])), ()
        )
        return reshape(_on_diagonal(dy, k, rows, columns), shape), None, None


class MatrixDiagV3(Op):
    """Zero matrices with vectors on a diagonal, `k` above the main one; -1: as small as can be."""

    host = (1, 2, 3)

    def infer(
        self,
        x: TensorSpec,
        k: TensorSpec,
        rows: TensorSpec,
        columns: TensorSpec,
        padding: TensorSpec,
    ) -> TensorSpec:
        """Return the shape of the stack, rows and columns; ShapeError for a 0-d operand."""
        if x.shape is None:
            return x.with_shape(None)
        check_rank_at_least("diag takes vectors or stacks of them", x, 1)
        offset, size = k.scalar(), x.shape[-1]
        tall, wide = rows.scalar(), columns.scalar()
        if offset is None:
            return x.with_shape((*x.shape[:-1], None, None))
        if tall is None or wide is None or size is None:
            return x.with_shape((*x.shape[:-1], None, None))
        return x.with_shape((*x.shape[:-1], *_sides(size, offset, tall, wide)))

    def kernel(
        self, xp: Xp, x: Array, k: Array, rows: Array, columns: Array, padding: Array
    ) -> Array:
        """Return the matrices."""
        offset, size = int(k), x.shape[-1]
        sides = _sides(size, offset, int(rows), int(columns))
        out = xp.zeros((*x.shape[:-1], *sides), x.dtype)
        i, j = _places(xp, size, offset)
        out[..., i, j] = x
        return out

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the diagonal of the gradient."""
        return _diagonal(dy, call.inputs[1]), None, None, None, None


def _sides(size: int, k: int, rows: int, columns: int) -> tuple[int, int]:
    """Return the sides of a matrix with a diagonal; for -1 twice, of the least square."""
    if rows == columns == -1:
        return size + abs(k), size + abs(k)
    return (
        size + max(-k, 0) if rows == -1 else rows,
        size + max(k, 0) if columns == -1 else columns,
    )


class MatrixSetDiagV3(Op):
    """Matrices with other vectors on a diagonal, `k` above the main one."""

    host = (2,)

    def infer(self, x: TensorSpec, diagonal: TensorSpec, k: TensorSpec) -> TensorSpec:
        """Return the matrices' spec; ShapeError unless there is a vector for each."""
        if x.dtype is not diagonal.dtype:
            raise DTypeError(f"set_diag: dtypes differ: {x} and {diagonal}; cast one")
        shape = matrix_shape(x, "set_diag")
        if shape is not None:
            merge(
                (*shape[:-2], _length(shape[-2], shape[-1], k.scalar())),
                diagonal.shape,
            )
        return x.without_value()

    def kernel(self, xp: Xp, x: Array, diagonal: Array, k: Array) -> Array:
        """Return a copy with the diagonals put in."""
        out = x.copy()
        i, j = _places(xp, diagonal.shape[-1], int(k))
        out[..., i, j] = diagonal
        return out

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient with a zero diagonal, and its diagonal."""
        _, diagonal, k = call.inputs
        return _with_diagonal(dy, zeros_like(diagonal), k), _diagonal(dy, k), None


class MatrixBandPart(Op):
    """Matrices with zeros outside a band of so many diagonals below and above the main one."""

    host = (1, 2)

    def infer(
        self, x: TensorSpec, lower: TensorSpec, upper: TensorSpec
    ) -> TensorSpec:
        """Return the operand's spec."""
        matrix_shape(x, "band_part")
        return x.without_value()

    def kernel(self, xp: Xp, x: Array, lower: Array, upper: Array) -> Array:
        """Return the bands; a negative number keeps all diagonals on that side."""
        below = xp.tril(x, int(upper)) if upper >= 0 else x
        return xp.triu(below, -int(lower)) if lower >= 0 else below.copy()

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient's band."""
        _, lower, upper = call.inputs
        return band_part(dy, lower, upper), None, None


class Diag(Composite):
    """A tensor of twice the rank, which is zero but for an operand on its diagonal."""

    def compose(self, x: Tensor) -> Tensor:
        """Return the matrix of a vector, or that of all elements in two times their axes."""
        check_rank_at_least(self.name, x.spec, 1)
        if x.spec.rank == 1:
            return diag(x)
        sizes = shape_of(x)
        return reshape(diag(reshape(x, [-1])), concat([sizes, sizes]))


class DiagPart(Composite):
    """The diagonal of a tensor whose first half of axes is like the second half."""

    def compose(self, x: Tensor) -> Tensor:
        """Return the diagonal of the matrix that the halves are."""
        if x.spec.rank is not None and (not x.spec.rank or x.spec.rank % 2):
            raise ShapeError(
                f"{self.name}: the rank must be even and not 0, but {x.spec} is given"
            )
        sizes = x.spec.shape or ()
        middle = len(sizes) // 2
        for i, pair in enumerate(zip(sizes[:middle], sizes[middle:], strict=True)):
            if None not in pair and pair[0] != pair[1]:
                raise ShapeError(
                    f"Invalid shape {list(sizes)}: dimensions {i} and {middle + i} do not match"
                )
        if len(sizes) == 2:
            return diag_part(x)
        half = shape_of(x)[: x.ndim // 2]
        count = prod(half)
        return reshape(diag_part(reshape(x, stack([count, count]))), half)


class MatrixDiag(Composite):
    """Matrices that are zero but for the vectors of an operand on their main diagonals."""

    def compose(self, x: Tensor) -> Tensor:
        """Return the matrices."""
        return diag(x)


class MatrixDiagPart(Composite):
    """The main diagonals of matrices."""

    def compose(self, x: Tensor) -> Tensor:
        """Return the diagonals."""
        return diag_part(x)


class MatrixSetDiag(Composite):
    """Matrices with other main diagonals."""

    def compose(self, x: Tensor, diagonal: Tensor) -> Tensor:
        """Return the matrices."""
        return set_diag(x, diagonal)


def _zero(x: Tensor) -> Tensor:
    return constant(np.zeros((), x.dtype.numpy))


def _diagonal(x: Tensor, k: TensorLike) -> Tensor:
    return call(MatrixDiagPartV3(), x, k, _zero(x))


def _on_diagonal(
    x: Tensor, k: TensorLike, rows: TensorLike, columns: TensorLike
) -> Tensor:
    return call(MatrixDiagV3(), x, k, rows, columns, _zero(x))


def _with_diagonal(x: Tensor, diagonal: Tensor, k: TensorLike) -> Tensor:
    return call(MatrixSetDiagV3(), x, diagonal, k)


def diagonal(x: TensorLike, /, *, offset: int = 0) -> Tensor:
    """Return the diagonal of each matrix in a stack, `offset` above the main one.

    >>> print(tl.linalg.diagonal([[1, 2], [3, 4]]))
    [1 4]
    """
    return _diagonal(to_tensor(x), offset)


def diag_part(x: TensorLike, /, k: int = 0) -> Tensor:
    """Return the diagonal of each matrix in a stack, `k` above the main one.

    >>> print(tl.diag_part([[1, 2], [3, 4]]))
    [1 4]
    """
    return diagonal(x, offset=k)


def diag(x: TensorLike, /, k: int = 0) -> Tensor:
    """Return square matrices that are zero but for the vectors `x`, `k` above the main diagonal.

    >>> print(tl.diag([1, 2]))
    [[1 0]
     [0 2]]
    """
    return _on_diagonal(to_tensor(x), k, -1, -1)


def set_diag(x: TensorLike, diagonal: TensorLike, /, k: int = 0) -> Tensor:
    """Return matrices with other vectors on a diagonal; ShapeError unless one for each.

    >>> print(tl.set_diag([[1, 2], [3, 4]], [8, 9]))
    [[8 2]
     [3 9]]
    """
    matrices = to_tensor(x)
    return _with_diagonal(matrices, astype(diagonal, matrices.dtype), k)


def band_part(x: TensorLike, /, lower: TensorLike, upper: TensorLike) -> Tensor:
    """Return matrices with zeros beyond `lower` diagonals below and `upper` above the main one.

    Negative numbers keep everything on their side.

    >>> print(tl.band_part([[1, 2], [3, 4]], -1, 0))
    [[1 0]
     [3 4]]
    """
    return call(MatrixBandPart(), x, lower, upper)


def identity_like(vector: Tensor) -> Tensor:
    """Return an identity matrix as large as `vector` is long, of its dtype."""
    one = constant(np.ones((), vector.dtype.numpy))
    return diag(broadcast_to(one, shape_of(vector)))


def trace(
    x: TensorLike, /, *, offset: int = 0, dtype: DTypeLike | None = None
) -> Tensor:
    """Return the sum of the diagonal of each matrix in a stack, `offset` above the main one.

    >>> print(tl.linalg.trace([[1, 2], [3, 4]]))
    5
    """
    return sum(summable(diagonal(x, offset=offset), dtype), axis=-1)
