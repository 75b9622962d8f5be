"""Products of matrices and vectors: matmul, vecdot, outer, cross.

Sums of products over any axes (einsum, tensordot) are in einsum.py, the rest in linalg.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tensorlite.core.dispatch import call2, promoted
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import (
    Dim,
    Dims,
    TensorSpec,
    broadcast,
    check_rank,
    check_rank_at_least,
    normalise_axis,
)
from tensorlite.core.tensor import EagerTensor, Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.graph.backprop import needs
from tensorlite.ops.arrays.arrange import expand_dims, roll, squeeze
from tensorlite.ops.composite import Composite
from tensorlite.ops.math.arithmetic import conjugated, multiply, subtract, sum, sum_to

__all__ = ["matmul", "vecdot"]


class MatMul(Op):
    """The product of two matrices, either of which may be transposed first."""

    by_dtype = True
    selective = True
    transpose_a: bool = False
    transpose_b: bool = False

    def infer(self, a: TensorSpec, b: TensorSpec) -> TensorSpec:
        """Return rows by columns; ShapeError when the inner sizes differ."""
        dtype = _product_dtype(a, b)
        for x in (a, b):
            check_rank("MatMul takes matrices", x, 2)
        rows, columns = _outer_sizes(a, b, self.transpose_a, self.transpose_b)
        return TensorSpec((rows, columns), dtype)

    def kernel(self, xp: Xp, a: Array, b: Array) -> Array:
        """Return the product."""
        if a.ndim != 2 or b.ndim != 2:
            raise ValueError("there is something that is no matrix")
        left = a.T if self.transpose_a else a
        return _kept(xp.matmul(left, b.T if self.transpose_b else b), a)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient times the other matrix."""
        a, b = call.inputs
        sides = self.transpose_a, self.transpose_b
        return _gradients(call, _matrices, conjugated(a), conjugated(b), dy, *sides)


class BatchMatMulV2(Op):
    """The products of matrices in stacks that broadcast; either may be made adjoint first."""

    by_dtype = True
    selective = True
    adj_x: bool = False
    adj_y: bool = False

    def infer(self, x: TensorSpec, y: TensorSpec) -> TensorSpec:
        """Return the stack's shape, rows, columns; ShapeError when the operands do not meet."""
        dtype = _product_dtype(x, y)
        if x.shape is None or y.shape is None:
            return TensorSpec(None, dtype)
        for operand in (x, y):
            check_rank_at_least(f"{self.name} takes matrices", operand, 2)
        rows, columns = _outer_sizes(x, y, self.adj_x, self.adj_y)
        stacked = broadcast(x.shape[:-2], y.shape[:-2]) or ()
        return TensorSpec((*stacked, rows, columns), dtype)

    def kernel(self, xp: Xp, x: Array, y: Array) -> Array:
        """Return the products."""
        if x.ndim < 2 or y.ndim < 2:
            raise ValueError("there is something that is no matrix")
        left = x.conj().swapaxes(-1, -2) if self.adj_x else x
        right = y.conj().swapaxes(-1, -2) if self.adj_y else y
        return _kept(xp.matmul(left, right), x)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient times the other matrix, summed where a stack was broadcast."""
        x, y = call.inputs
        dx, dz = _gradients(call, _stacks, x, y, dy, self.adj_x, self.adj_y)
        return None if dx is None else sum_to(dx, x), None if dz is None else sum_to(
            dz, y
        )


def _kept(product: Array, x: Array) -> Array:
    """Return a product in the dtype of `x`: NumPy widens stacks of bfloat16."""
    return product if product.dtype == x.dtype else product.astype(x.dtype)


Product = Callable[[Tensor, Tensor, bool, bool], Tensor]


def _gradients(
    call: Call, product: Product, x: Tensor, y: Tensor, dz: Tensor, tx: bool, ty: bool
) -> tuple[Tensor | None, Tensor | None]:
    """Return the gradients of a product, each a product itself, without transposing anything."""
    dx = dy = None
    if needs(call, 0):
        dx = product(y, dz, ty, True) if tx else product(dz, y, False, not ty)
    if needs(call, 1):
        dy = product(dz, x, True, tx) if ty else product(x, dz, not tx, False)
    return dx, dy


def _matrices(x: Tensor, y: Tensor, transpose_x: bool, transpose_y: bool) -> Tensor:
    return call2(MatMul(transpose_x, transpose_y), x, y)


def _stacks(x: Tensor, y: Tensor, adjoint_x: bool, adjoint_y: bool) -> Tensor:
    return call2(BatchMatMulV2(adjoint_x, adjoint_y), x, y)


def _product_dtype(x: TensorSpec, y: TensorSpec) -> DType:
    if x.dtype is not y.dtype:
        raise DTypeError(
            f"matmul: dtypes differ: {x} and {y}; cast one with tl.astype"
        )
    if not x.dtype.is_numeric:
        raise DTypeError(
            f"matmul takes numbers, not {x.dtype!r}; cast with tl.astype"
        )
    return x.dtype


def _outer_sizes(x: TensorSpec, y: TensorSpec, tx: bool, ty: bool) -> tuple[Dim, Dim]:
    first: Dims = (None, None) if x.shape is None else x.shape[-2:]
    second: Dims = (None, None) if y.shape is None else y.shape[-2:]
    rows, inner = first[::-1] if tx else first
    inner_too, columns = second[::-1] if ty else second
    if None not in (inner, inner_too) and inner != inner_too:
        told = f" ({'first' if tx else 'second'} transposed)" if tx != ty else ""
        raise ShapeError(
            f"matmul: {x} and {y}{told}: the inner sizes {inner} and {inner_too} differ, "
            "Dimensions must be equal; transpose one (x.mT) or reshape it"
        )
    return rows, columns


_MATMUL = MatMul()


def is_eager_matrix(x: TensorLike) -> bool:
    """Return whether this is a matrix of numbers that is here already; asked at each product."""
    return (
        type(x) is EagerTensor
        and len(x.static_shape) == 2
        and x.device.job is None
        and x.array.dtype.kind in "fiuc"
    )


def matmul(
    x1: TensorLike,
    x2: TensorLike,
    /,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Tensor:
    """Return the product of matrices, of stacks of them that broadcast, or of vectors.

    A 1-d operand is a row on the left, a column on the right, as in NumPy. `transpose_a` and
    `transpose_b` exchange the last two axes of a matrix first. Where a trace does not know a rank,
    the operand counts as a stack of matrices. Raises ShapeError when the inner sizes differ.

    >>> print(tl.matmul([[1, 2], [3, 4]], [10, 100]))
    [210 430]
    """
    plain = not (transpose_a or transpose_b)
    if plain and is_eager_matrix(x1) and is_eager_matrix(x2):
        return call2(_MATMUL, x1, x2)
    a, b = promoted(x1, x2)
    if not a.dtype.is_numeric:
        _product_dtype(a.spec, b.spec)
    if a.spec.rank == b.spec.rank == 2:
        return call2(MatMul(transpose_a, transpose_b), a, b)
    if 0 in (a.spec.rank, b.spec.rank):
        raise ShapeError(
            f"matmul takes vectors and matrices, not {a.spec} and {b.spec}; use *"
        )
    row, column = a.spec.rank == 1, b.spec.rank == 1
    product = _product(
        expand_dims(a, 0) if row else a,
        expand_dims(b, 1) if column else b,
        transpose_a and not row,
        transpose_b and not column,
    )
    dropped = (*((-2,) if row else ()), *((-1,) if column else ()))
    return squeeze(product, dropped) if dropped else product


def _product(a: Tensor, b: Tensor, transpose_a: bool, transpose_b: bool) -> Tensor:
    a, b = (
        (conjugated(a) if transpose_a else a),
        (conjugated(b) if transpose_b else b),
    )
    return call2(BatchMatMulV2(transpose_a, transpose_b), a, b)


def adjoint_product(
    a: Tensor, b: Tensor, adjoint_a: bool = False, adjoint_b: bool = False
) -> Tensor:
    """Return the product of matrices, or stacks, either of which is made adjoint first."""
    return call2(BatchMatMulV2(adjoint_a, adjoint_b), a, b)


def vecdot(x1: TensorLike, x2: TensorLike, /, *, axis: int = -1) -> Tensor:
    """Return the dot products of vectors that lie along `axis`; the first are conjugated.

    >>> print(tl.vecdot([[1, 2], [3, 4]], [10, 100]))
    [210 430]
    """
    a, b = promoted(x1, x2)
    if a.spec.rank is not None and b.spec.rank is not None:
        at = normalise_axis(axis, min(a.ndim, b.ndim))
        _same_sizes(
            "vecdot", a, [at - min(a.ndim, b.ndim)], b, [at - min(a.ndim, b.ndim)]
        )
        axis = at - min(a.ndim, b.ndim)
    elif axis >= 0:
        raise ShapeError(
            "vecdot: count the axis from the back (-1) where ranks are unknown"
        )
    _product_dtype(a.spec, b.spec)
    return sum(multiply(conjugated(a), b), axis=axis, dtype=a.dtype)


def _same_sizes(
    what: str, a: Tensor, axes: Sequence[int], b: Tensor, others: Sequence[int]
) -> None:
    for i, j in zip(axes, others, strict=True):
        if None not in (a.shape[i], b.shape[j]) and a.shape[i] != b.shape[j]:
            raise ShapeError(
                f"{what}: {a.spec} and {b.spec} differ on axes {i} and {j}"
            )


def outer(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return the products of each element of one vector with each of another.

    >>> print(tl.linalg.outer([1, 2], [10, 100]))
    [[ 10 100]
     [ 20 200]]
    """
    a, b = promoted(x1, x2)
    for x in (a, b):
        if x.spec.rank not in (1, None):
            raise ShapeError(f"outer takes vectors, not {x.spec}")
    return multiply(expand_dims(a, 1), expand_dims(b, 0))


def cross(x1: TensorLike, x2: TensorLike, /, *, axis: int = -1) -> Tensor:
    """Return the cross products of vectors of three elements that lie along `axis`.

    >>> print(tl.linalg.cross([1, 0, 0], [0, 1, 0]))
    [0 0 1]
    """
    a, b = promoted(x1, x2)
    for x in (a, b):
        _product_dtype(x.spec, x.spec)
        if x.spec.rank is not None and x.shape[normalise_axis(axis, x.ndim)] not in (
            3,
            None,
        ):
            raise ShapeError(
                f"cross takes vectors of size 3 along axis {axis}, not {x.spec}"
            )
    forward = multiply(roll(a, -1, axis=axis), roll(b, -2, axis=axis))
    return subtract(forward, multiply(roll(a, -2, axis=axis), roll(b, -1, axis=axis)))


class Cross(Composite):
    """The cross products of vectors along the last axis."""

    def compose(self, a: Tensor, b: Tensor) -> Tensor:
        """Return the products."""
        return cross(a, b)
