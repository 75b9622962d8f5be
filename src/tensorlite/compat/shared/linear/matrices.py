"""Matrices: products, decompositions and solutions, which TensorFlow 1 and 2 have alike."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

import tensorlite as tl
from tensorlite import ragged
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared.linear.diagonals import main_diagonal
from tensorlite.compat.shared.making import alike
from tensorlite.compat.shared.reductions import as_given
from tensorlite.core.check import integers_of, several
from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import as_dtype, bfloat16, float32, int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import all_known
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.composite import composed
from tensorlite.ops.linear.diagonal import Diag, DiagPart
from tensorlite.ops.linear.matmul import Cross, is_eager_matrix
from tensorlite.ops.linear.matrix_functions import regularised_lstsq
from tensorlite.ops.linear.solve import MatrixInverse, MatrixSolve, lapack
from tensorlite.ops.linear.spectral import Svd
from tensorlite.ops.math.reduce import max as max_of
from tensorlite.ops.older_forms import SparseMatMul
from tensorlite.ops.ragged.base import RaggedParts


def adjoint_of(x: Any) -> Any:
    """Return matrices with rows and columns exchanged, and conjugated."""
    moved = tl.matrix_transpose(x)
    return tl.conj(moved) if x.dtype.is_complex else moved


def _check_matrices(*operands: Any) -> None:
    """Raise ShapeError for vectors and scalars, which tensorlite's own product takes."""
    for x in operands:
        if x.spec.rank is not None and x.spec.rank < 2:
            raise ShapeError(
                f"MatMul: Shape must be rank 2 but is rank {x.spec.rank}: {x.spec}; make it a "
                "matrix by tf.expand_dims, or use tf.linalg.matvec"
            )


@named("MatMul")
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    """Return the product of matrices, over the last two axes; the others are batches.

    A flag turns an operand before: transpose exchanges rows and columns, adjoint conjugates, too.
    Both for one operand are an InvalidArgumentError, vectors a ShapeError. A float32 matrix and a
    bfloat16 one have a product of float32. `a_is_sparse`, `b_is_sparse`, `grad_a` and `grad_b`
    have no effect.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.matmul([[1, 2], [3, 4]], [[1], [1]]).numpy().tolist()
    [[3], [7]]
    """
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        raise InvalidArgumentError(
            "Only one of transpose_a and adjoint_a (transpose_b and adjoint_b) can be True."
        )
    left, right = transpose_a or adjoint_a, transpose_b or adjoint_b
    if isinstance(a, RaggedParts) or isinstance(b, RaggedParts):
        x, y = [
            tl.conj(one) if is_turned else one
            for one, is_turned in ((a, adjoint_a), (b, adjoint_b))
        ]
        return ragged.matmul(x, y, transpose_a=left, transpose_b=right)
    x, y = _operands(a, b)
    if not (is_eager_matrix(x) and is_eager_matrix(y)):
        _check_matrices(x, y)
    if adjoint_a and x.dtype.is_complex:
        x = tl.conj(x)
    if adjoint_b and y.dtype.is_complex:
        y = tl.conj(y)
    if output_type is not None:
        x, y = [tl.astype(one, as_dtype(output_type)) for one in (x, y)]
    if (a_is_sparse or b_is_sparse or x.dtype is not y.dtype) and _are_thin(x, y):
        op = SparseMatMul(left, right, a_is_sparse, b_is_sparse)
        return composed(op, x, y)
    return tl.matmul(x, y, transpose_a=left, transpose_b=right)


def _are_thin(x: Any, y: Any) -> bool:
    """Return whether TensorFlow has a product of operands with many zeros for these."""
    kinds = {x.dtype, y.dtype}
    is_kept = float32 in kinds and kinds <= {float32, bfloat16}
    return is_kept and x.spec.rank == y.spec.rank == _A_MATRIX


def _operands(a: Any, b: Any) -> tuple[Any, Any]:
    """Return two operands of a product as tensors of one dtype, or float32 and bfloat16."""
    try:
        x, y = alike("MatMul", a, b, ("a", "b"))
    except DTypeError:
        x, y = converted(a), converted(b)
        if not _are_thin(x, y):
            raise
    return x, y


_A_MATRIX = 2


@named("MatVec", "Squeeze")
def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Return the products of matrices and vectors: [..., m, n] and [..., n] give [..., m].

    `a_is_sparse` and `b_is_sparse` have no effect.
    """
    x, y = alike("matvec", a, b, ("Const", "Const"))
    if adjoint_a:
        x = adjoint_of(x)
    column = tl.expand_dims(y, -1)
    return tl.squeeze(tl.matmul(x, column, transpose_a=transpose_a), -1)


@named("Tensordot")
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """Return the sum of products over axes of a paired with axes of b.

    `axes` is how many of the last of a and the first of b, or two lists of them; 0 is the outer
    product.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.tensordot([[1, 2], [3, 4]], [10, 20], axes=1).numpy().tolist()
    [50, 110]
    """
    x, y = alike("Tensordot", a, b)
    if isinstance(axes, Operand):
        axes = np.asarray(axes.__tensor__().spec.constant()).tolist()
    if isinstance(axes, (int, np.integer)):
        return tl.tensordot(x, y, axes=int(axes))
    given = several(axes, "tensordot: axes", "a number of axes, or two lists of them")
    pairs = [integers_of(part, "tensordot: axes") for part in given]
    return tl.tensordot(x, y, axes=pairs)


@named("matrix_transpose", "transpose")
def matrix_transpose(
    a: Any, name: str | None = "matrix_transpose", conjugate: bool = False
) -> Any:
    """Return matrices with rows and columns exchanged, the last two axes.

    With conjugate=True complex numbers are conjugated, too.
    """
    x = converted(a)
    return adjoint_of(x) if conjugate else tl.matrix_transpose(x)


@named("adjoint", "matrix_transpose/transpose")
def adjoint(matrix: Any, name: str | None = None) -> Any:
    """Return matrices with rows and columns exchanged, and conjugated.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.linalg.adjoint([[1, 2j]]).numpy().tolist()
    [[(1-0j)], [-2j]]
    """
    return adjoint_of(converted(matrix))


@named("Trace")
def trace(x: Any, name: str | None = None) -> Any:
    """Return the sum of the main diagonal of matrices, the last two axes."""
    diagonal = converted(main_diagonal(x))
    return tl.sum(diagonal, axis=as_given(diagonal, (-1,)))


@named("MatrixBandPart")
def band_part(
    input: Any, num_lower: Any, num_upper: Any, name: str | None = None
) -> Any:
    """Return matrices that are 0 outside of a band around the main diagonal.

    num_lower diagonals below and num_upper above it are kept; negative numbers keep all of them.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.linalg.band_part([[1, 2], [3, 4]], -1, 0).numpy().tolist()
    [[1, 0], [3, 4]]
    """
    return tl.band_part(converted(input), num_lower, num_upper)


@named("MatrixDeterminant")
def det(input: Any, name: str | None = None) -> Any:
    """Return the determinants of square matrices, the last two axes."""
    return tl.linalg.det(converted(input))


@named("logdet", "mul")
def logdet(matrix: Any, name: str | None = None) -> Any:
    """Return the logarithms of determinants of Hermitian positive definite matrices."""
    factor = tl.linalg.cholesky(converted(matrix))
    logs = tl.log(tl.real(converted(main_diagonal(factor))))
    return 2.0 * tl.sum(logs, axis=as_given(logs, (-1,)))


class LogMatrixDeterminant(NamedTuple):
    """The sign of a determinant and the logarithm of its size."""

    sign: Any
    log_abs_determinant: Any


@named("LogMatrixDeterminant")
def slogdet(input: Any, name: str | None = None) -> Any:
    """Return the signs of determinants and the logarithms of their sizes."""
    found = tl.linalg.slogdet(converted(input))
    return LogMatrixDeterminant(*found)


@named("MatrixInverse")
def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """Return the inverses of square matrices, or with adjoint=True those of their adjoints.

    Raises an InvalidArgumentError if one of them is singular.
    """
    x = converted(input)
    return tl.linalg.inv(x) if not adjoint else call(MatrixInverse(adjoint=True), x)


@named("pinv", "MatMul")
def pinv(
    a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None
) -> Any:
    """Return the Moore-Penrose pseudo-inverses of matrices.

    Singular values below rcond times the largest one count as 0; by default 10 times the larger
    size times the dtype's epsilon. `validate_args` has no effect.
    """
    x = converted(a)
    if rcond is None:
        ends = x.spec.dims[-2:] if x.spec.rank else (None,)
        whole = max_of(shape_of(x)[-2:])
        larger = max(ends) if all_known(ends) else tl.astype(whole, x.dtype)
        rcond = larger * (10.0 * float(np.finfo(x.dtype.numpy).eps))
    return tl.linalg.pinv(x, rtol=converted(rcond, x.dtype))


@named("Cholesky")
def cholesky(input: Any, name: str | None = None) -> Any:
    """Return the lower triangular L with L times its adjoint the matrix given.

    The matrices, the last two axes, must be Hermitian positive definite; only their lower part is
    read. Raises an InvalidArgumentError where they are not.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 10.0]]).numpy().tolist()
    [[2.0, 0.0], [1.0, 3.0]]
    """
    return tl.linalg.cholesky(converted(input))


@named("cholesky_solve", "MatrixTriangularSolve_1")
def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Any:
    """Return the solutions X of A X = rhs, given the Cholesky factor of A."""
    factor, right = alike("cholesky_solve", chol, rhs, ("Const", "Const"))
    half = tl.linalg.triangular_solve(factor, right, lower=True)
    return tl.linalg.triangular_solve(factor, half, lower=True, adjoint=True)


_OPERANDS = ("matrix", "rhs")


@named("MatrixSolve")
def solve(
    matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None
) -> Any:
    """Return the solutions X of matrix X = rhs, or of its adjoint's with adjoint=True.

    Raises an InvalidArgumentError if a matrix is singular.
    """
    x, right = alike("MatrixSolve", matrix, rhs, _OPERANDS)
    if adjoint:
        return call(MatrixSolve(adjoint=True), x, right)
    return tl.linalg.solve(x, right)


@named("MatrixTriangularSolve")
def triangular_solve(
    matrix: Any,
    rhs: Any,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Any:
    """Return the solutions X of matrix X = rhs for triangular matrices.

    Only the lower triangle is read, or with lower=False the upper one; with adjoint=True the
    equations are those of the adjoint.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.linalg.triangular_solve([[2.0, 0.0], [1.0, 1.0]], [[4.0], [5.0]]).numpy().tolist()
    [[2.0], [3.0]]
    """
    x, right = alike("MatrixTriangularSolve", matrix, rhs, _OPERANDS)
    return tl.linalg.triangular_solve(x, right, lower=lower, adjoint=adjoint)


def lstsq(
    matrix: Any,
    rhs: Any,
    l2_regularizer: Any = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Any:
    """Return the X that minimise the squared norm of matrix X - rhs.

    By default by Cholesky's decomposition, with l2_regularizer times the squared norm of X added;
    fast=False takes an orthogonal decomposition and has no regulariser.
    """
    if fast:
        return _fast_lstsq(matrix, rhs, l2_regularizer, name=name)
    return _slow_lstsq(matrix, rhs, name=name)


@named("MatrixSolveLs")
def _slow_lstsq(matrix: Any, rhs: Any, name: str | None = None) -> Any:
    return tl.linalg.lstsq(*alike("MatrixSolveLs", matrix, rhs))


@named("matrix_solve_ls", "cholesky_solve/MatrixTriangularSolve_1")
def _fast_lstsq(
    matrix: Any, rhs: Any, l2_regularizer: Any, name: str | None = None
) -> Any:
    a, b = alike("MatrixSolveLs", matrix, rhs)
    return regularised_lstsq(a, b, converted(l2_regularizer, a.dtype))


@named("Qr")
def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """Return q and r: matrices as products of orthogonal and upper triangular ones.

    full_matrices=True completes q to a square matrix.
    """
    mode: Literal["complete", "reduced"] = "complete" if full_matrices else "reduced"
    return Qr(*tl.linalg.qr(converted(input), mode=mode))


class Qr(NamedTuple):
    """An orthogonal and an upper triangular factor."""

    q: Any
    r: Any


@named("Svd")
def svd(
    tensor: Any,
    full_matrices: bool = False,
    compute_uv: bool = True,
    name: str | None = None,
) -> Any:
    """Return the singular values s, largest first, and the vectors u and v, of matrices.

    The matrix is u times diag(s) times the adjoint of v. compute_uv=False returns s alone,
    full_matrices=True square u and v.
    """
    x = converted(tensor)
    if not compute_uv:
        return tl.linalg.svdvals(x)
    return calls(Svd(full_matrices=full_matrices), lapack(x, "svd"))


@named("SelfAdjointEigV2")
def eigh(tensor: Any, name: str | None = None) -> Any:
    """Return eigenvalues, smallest first, and eigenvectors, columns, of Hermitian matrices."""
    return tuple(tl.linalg.eigh(converted(tensor)))


@named("SelfAdjointEigV2")
def eigvalsh(tensor: Any, name: str | None = None) -> Any:
    """Return the eigenvalues, smallest first, of Hermitian matrices."""
    return tl.linalg.eigvalsh(converted(tensor))


@named("Eig")
def eig(tensor: Any, name: str | None = None) -> Any:
    """Return the eigenvalues and eigenvectors, columns, of matrices, as complex numbers."""
    return tuple(tl.linalg.eig(converted(tensor)))


@named("Eig")
def eigvals(tensor: Any, name: str | None = None) -> Any:
    """Return the eigenvalues of square matrices, as complex numbers."""
    return tl.linalg.eigvals(converted(tensor))


@named("Cross")
def cross(a: Any, b: Any, name: str | None = None) -> Any:
    """Return the cross products of vectors of 3 elements, along the last axis."""
    return composed(Cross(), *alike("Cross", a, b))


@named("Diag")
def tensor_diag(diagonal: Any, name: str | None = None) -> Any:
    """Return a tensor of twice the rank with the elements given on its diagonal."""
    return composed(Diag(), converted(diagonal))


@named("DiagPart")
def tensor_diag_part(input: Any, name: str | None = None) -> Any:
    """Return the diagonal of a tensor of even rank, whose two halves are alike."""
    return composed(DiagPart(), converted(input))


@named("matrix_exponential", "Reshape_1")
def expm(input: Any, name: str | None = None) -> Any:
    """Return the exponentials of square matrices."""
    return tl.linalg.expm(converted(input))


@named("MatrixLogarithm")
def logm(input: Any, name: str | None = None) -> Any:
    """Return the principal logarithms of square complex matrices."""
    return tl.linalg.logm(converted(input))


@named("MatrixSquareRoot")
def sqrtm(input: Any, name: str | None = None) -> Any:
    """Return the principal square roots of square matrices."""
    return tl.linalg.sqrtm(converted(input))


class Lu(NamedTuple):
    """Both triangular factors in one matrix, and the order of rows."""

    lu: Any
    p: Any


@named("Lu")
def lu(input: Any, output_idx_type: Any = int32, name: str | None = None) -> Any:
    """Return the triangular factors of matrices in one, and the order of rows, a permutation.

    The lower factor's diagonal of ones is left out. `output_idx_type` is the permutation's dtype.
    """
    return Lu(*tl.linalg.lu(converted(input), as_dtype(output_idx_type)))


@named("matrix_rank", "Sum")
def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Any:
    """Return the ranks of matrices: how many singular values are above tol.

    tol is by default the largest one times the larger size times the dtype's epsilon.
    `validate_args` has no effect.
    """
    x = converted(a)
    sizes = tl.linalg.svdvals(x)
    if tol is None:
        least = float(np.finfo(x.dtype.numpy).eps)
        ends = x.spec.dims[-2:] if x.spec.rank else ()
        longer = max(ends) if ends and all_known(ends) else tl.max(tl.shape(x)[-2:])
        tol = least * longer * tl.max(sizes, axis=-1, keepdims=True)
    return tl.sum(tl.astype(sizes > tol, int32), axis=-1)
