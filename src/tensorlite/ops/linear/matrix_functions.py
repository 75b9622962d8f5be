"""Functions of matrices: exponential, logarithm, root; LU; products and solutions of other forms.

Factorisations with gradients are in decompose.py and spectral.py.
"""

from __future__ import annotations

from math import prod

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls, floating, promoted, to_tensor
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import expand_dims, matrix_transpose, squeeze
from tensorlite.ops.arrays.create import ones_like, zeros_like
from tensorlite.ops.arrays.gather import size_at, sizes, take_along_axis
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.ranges import eye
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.linear.decompose import cholesky
from tensorlite.ops.linear.diagonal import diag_part, set_diag
from tensorlite.ops.linear.einsum import einsum
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.linear.solve import adjoint, solve, square_shape, triangular_solve
from tensorlite.ops.math.arithmetic import conjugated, sum as sum_of
from tensorlite.ops.math.elementwise import log
from tensorlite.ops.math.rounding import real
from tensorlite.ops.operators import reshape

__all__ = [
    "cholesky_solve",
    "expm",
    "logdet",
    "logm",
    "lu",
    "lu_solve",
    "matvec",
    "sqrtm",
]


def _square(op: Op, x: TensorSpec) -> TensorSpec:
    square_shape(x, op.name)
    return x.without_value()


class MatrixExponential(Op):
    """The exponential of each matrix in a stack."""

    wants_float = True

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        return _square(self, x)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return a Pade approximant of a part of the matrix, squared until it is whole."""
        if x.size == 0:
            return x.copy()
        length = float(xp.abs(x).sum(axis=-1).max())
        if not np.isfinite(length):
            return self._each(xp, x)
        halvings = max(0, int(np.ceil(np.log2(max(length, 1e-300)))) + 1)
        part = x / 2.0**halvings
        unit = xp.broadcast_to(xp.eye(x.shape[-1], dtype=x.dtype), x.shape)
        above, below, power = unit, unit, unit
        factor, sign = 1.0, 1.0
        for k in range(1, _DEGREE + 1):
            factor *= (_DEGREE - k + 1) / (k * (2 * _DEGREE - k + 1))
            power, sign = xp.matmul(power, part), -sign
            above, below = above + factor * power, below + sign * factor * power
        found = xp.linalg.solve(below, above)
        for _ in range(halvings):
            found = xp.matmul(found, found)
        return found.astype(x.dtype)

    def _each(self, xp: Xp, x: Array) -> Array:
        """Return the exponentials of matrices of which some are not finite: NaN for those."""
        fits = xp.isfinite(x).all(axis=(-2, -1))[..., None, None]
        return xp.where(fits, self.kernel(xp, xp.where(fits, x, 0)), float("nan"))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the upper right block of the exponential of [[A^H, dy], [0, A^H]]."""
        turned = adjoint(call.inputs[0])
        upper = concat([turned, dy], axis=-1)
        lower = concat([zeros_like(turned), turned], axis=-1)
        whole = expm(concat([upper, lower], axis=-2))
        count = size_at(turned, turned.ndim - 1)
        return (whole[..., :count, count:],)


_DEGREE = 8
"""Of the Pade approximant: with a part of norm at most 1/2 it is exact in float64."""


class MatrixSquareRoot(Op):
    """The principal square root of each matrix in a stack."""

    wants_float = True

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        return _square(self, x)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the roots, by eigenvalues or by an iteration."""
        return _root(xp, x).astype(x.dtype)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the solution X of Y^H X + X Y^H = dy, as one system of linear equations."""
        y = adjoint(call.outputs[0])
        n = y.shape[-1]
        if n is None:
            raise ShapeError(
                f"the gradient of sqrtm needs matrices of known size, not {y.spec}"
            )
        unit = eye(n, dtype=y.dtype)
        outer = sizes(y)[:-2]
        left = reshape(einsum("...ij,kl->...ikjl", y, unit), [*outer, n * n, n * n])
        right = reshape(einsum("ij,...lk->...ikjl", unit, y), [*outer, n * n, n * n])
        flat = solve(left + right, reshape(dy, [*outer, n * n, 1]))
        return (reshape(flat, [*outer, n, n]),)


def _root(xp: Xp, x: Array) -> Array:
    """Return the principal roots of matrices, NaN where there is none."""
    if not x.size:
        return x
    wide = x.astype("complex128" if x.dtype.kind == "c" else "float64")
    if wide.dtype.kind != "c":
        # A real matrix may have complex roots only, which the iteration does not find.
        root = _iterated(xp, wide)
        return xp.where(_is_root(xp, root, wide), root, xp.nan)
    values, vectors = xp.linalg.eig(wide)
    root = xp.matmul(vectors * xp.sqrt(values)[..., None, :], xp.linalg.pinv(vectors))
    found = _is_root(xp, root, wide)
    if found.all():
        return root
    root = xp.where(found, root, _iterated(xp, wide))  # they have too few vectors
    return xp.where(_is_root(xp, root, wide), root, xp.nan)


def _iterated(xp: Xp, x: Array) -> Array:
    """Return roots by the product form of Denman and Beavers' iteration."""
    unit = xp.eye(x.shape[-1], dtype=x.dtype)
    root, product = x, x
    for _ in range(40):
        inverse = xp.linalg.inv(product)
        root = 0.5 * xp.matmul(root, unit + inverse)
        product = 0.5 * (unit + 0.5 * (product + inverse))
        if float(xp.abs(product - unit).max()) < 1e-15:
            break
    return root


def _is_root(xp: Xp, root: Array, x: Array) -> Array:
    """Return which matrices of a stack are the roots of others, as [..., 1, 1]."""
    error = xp.abs(xp.matmul(root, root) - x).max(axis=(-2, -1), keepdims=True)
    most = xp.abs(x).max(axis=(-2, -1), keepdims=True)
    return error <= 1e-3 * xp.maximum(most, xp.finfo(error.dtype).tiny)


class MatrixLogarithm(Op):
    """The principal logarithm of each complex matrix in a stack."""

    differentiable = False

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        if not x.dtype.is_complex:
            raise DTypeError(f"logm takes complex matrices, not {x}; use tl.astype")
        return _square(self, x)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the logarithm of a root near 1, by quadrature, as often as roots were taken."""
        part = x.astype("complex128")
        unit = xp.eye(x.shape[-1], dtype=part.dtype)
        roots = 0
        while (
            part.size
            and float(xp.abs(part - unit).sum(axis=-1).max()) > 0.25
            and roots < 60
        ):
            part, roots = _root(xp, part), roots + 1
        apart = part - unit
        total = xp.zeros_like(apart)
        for node, weight in zip(*np.polynomial.legendre.leggauss(12), strict=True):
            place = float(node + 1) / 2
            total = total + float(weight) / 2 * xp.linalg.solve(
                unit + place * apart, apart
            )
        return (total * 2.0**roots).astype(x.dtype)


class Lu(Op):
    """Triangles whose product is each matrix in a stack with its rows permuted."""

    differentiable = False
    wants_float = True
    output_idx_type: DType = dtypes.int32

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return both triangles in one matrix, and the permutation."""
        shape = square_shape(x, "lu")
        rows = TensorSpec(None if shape is None else shape[:-1], self.output_idx_type)
        return x.without_value(), rows

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, Array]:
        """Return them, by elimination with the greatest pivot of each column."""
        n = x.shape[-1]
        a = x.reshape(prod(x.shape[:-2]), n, n).copy()
        order = xp.broadcast_to(xp.arange(n), a.shape[:2]).copy()
        stacked = xp.arange(a.shape[0])
        for k in range(n):
            pivot = xp.abs(a[:, k:, k]).argmax(axis=1) + k
            for table in (a, order):
                held = table[stacked, pivot].copy()
                table[stacked, pivot] = table[:, k]
                table[:, k] = held
            below = (
                a[:, k + 1 :, k] / xp.where(a[:, k, k] == 0, 1, a[:, k, k])[:, None]
            )
            a[:, k + 1 :, k] = below
            a[:, k + 1 :, k + 1 :] -= below[:, :, None] * a[:, None, k, k + 1 :]
        if (xp.diagonal(a, axis1=-2, axis2=-1) == 0).any():
            raise InvalidArgumentError("lu: Input is not invertible: a pivot is 0")
        order = order.reshape(x.shape[:-1]).astype(self.output_idx_type.numpy)
        return a.reshape(x.shape), order


def expm(x: TensorLike) -> Tensor:
    """Return the exponential of each matrix in a stack.

    >>> print(tl.linalg.expm([[0.0, 1.0], [0.0, 0.0]]))
    [[1. 1.]
     [0. 1.]]
    """
    return call(MatrixExponential(), floating(to_tensor(x)))


def sqrtm(x: TensorLike) -> Tensor:
    """Return the principal square root of each matrix, which has no negative real eigenvalue.

    >>> print(tl.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]))
    [[2. 0.]
     [0. 3.]]
    """
    return call(MatrixSquareRoot(), floating(to_tensor(x)))


def logm(x: TensorLike) -> Tensor:
    """Return the principal logarithm of each complex matrix in a stack.

    >>> print(tl.linalg.logm(tl.astype([[1.0, 0.0], [0.0, 1.0]], tl.complex64)))
    [[0.+0.j 0.+0.j]
     [0.+0.j 0.+0.j]]
    """
    return call(MatrixLogarithm(), x)


def lu(
    x: TensorLike, output_idx_type: DTypeLike = dtypes.int32
) -> tuple[Tensor, Tensor]:
    """Return LU factors of matrices, both triangles in one, and which row each row was.

    >>> factors, order = tl.linalg.lu([[1.0, 2.0], [4.0, 4.0]])
    >>> print(factors, order)
    [[4.   4.  ]
     [0.25 1.  ]] [1 0]
    """
    factors, order = calls(Lu(as_dtype(output_idx_type)), floating(to_tensor(x)))
    return factors, order


def lu_solve(lower_upper: TensorLike, perm: TensorLike, rhs: TensorLike) -> Tensor:
    """Return the solution X of A X = `rhs` for what `lu` makes of A.

    >>> print(tl.linalg.lu_solve(*tl.linalg.lu([[1.0, 2.0], [4.0, 4.0]]), [[3.0], [8.0]]))
    [[1.]
     [1.]]
    """
    factors = to_tensor(lower_upper)
    right = take_along_axis(to_tensor(rhs), expand_dims(to_tensor(perm), -1), axis=-2)
    unit = set_diag(factors, ones_like(diag_part(factors)))
    return triangular_solve(factors, triangular_solve(unit, right), lower=False)


def cholesky_solve(chol: TensorLike, rhs: TensorLike) -> Tensor:
    """Return the solution X of A X = `rhs`, given the lower Cholesky factor of A.

    >>> print(tl.linalg.cholesky_solve([[2.0, 0.0], [0.0, 1.0]], [[4.0], [1.0]]))
    [[1.]
     [1.]]
    """
    factor = to_tensor(chol)
    return triangular_solve(factor, triangular_solve(factor, rhs), adjoint=True)


def regularised_lstsq(
    a: TensorLike, b: TensorLike, weight: TensorLike = 0.0
) -> Tensor:
    """Return the X for which A X is closest to `b`, but for `weight` times the squares of X.

    Source: TensorFlow's MatrixSolveLs.

    >>> from tensorlite.ops.linear.matrix_functions import regularised_lstsq
    >>> print(regularised_lstsq([[1.0], [1.0]], [[1.0], [2.0]], 1.0))
    [[1.]]
    """
    x, y = promoted(a, b)
    rows, columns = x.shape[-2:]
    flipped = adjoint(x)
    is_tall = rows is None or columns is None or rows >= columns
    gram = matmul(flipped, x) if is_tall else matmul(x, flipped)
    extra = astype(to_tensor(weight), x.dtype)
    gram = gram + extra * eye(size_at(gram, -1), dtype=x.dtype)
    factor = cholesky(gram)
    if is_tall:
        return cholesky_solve(factor, matmul(flipped, y))
    return matmul(flipped, cholesky_solve(factor, y))


def logdet(x: TensorLike) -> Tensor:
    """Return the logarithm of the determinant of Hermitian positive definite matrices.

    >>> print(tl.linalg.logdet([[4.0, 0.0], [0.0, 1.0]]))
    1.3862944
    """
    return sum_of(log(real(diag_part(cholesky(x)))), axis=-1) * 2.0


def matvec(
    a: TensorLike, b: TensorLike, transpose_a: bool = False, adjoint_a: bool = False
) -> Tensor:
    """Return products of matrices with vectors, in stacks that broadcast.

    >>> print(tl.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]))
    [3. 7.]
    """
    matrix, vector = promoted(a, b)
    if adjoint_a:
        matrix = conjugated(matrix)
    if transpose_a or adjoint_a:
        matrix = matrix_transpose(matrix)
    return squeeze(matmul(matrix, expand_dims(vector, -1)), -1)
