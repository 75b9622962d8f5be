"""Matrices: products, decompositions and solutions, which TensorFlow 1 and 2 have alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

import tensorlite as tl
from tensorlite import ragged
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared.diagonals import main_diagonal
from tensorlite.compat.shared.making import alike
from tensorlite.compat.shared.reductions import as_given, reduce_sum
from tensorlite.core.check import integers_of, several
from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import as_dtype, float32, int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import merge
from tensorlite.ops.composite import composed
from tensorlite.ops.diagonal import Diag, DiagPart
from tensorlite.ops.matmul import Cross, is_eager_matrix
from tensorlite.ops.matrix_functions import regularised_lstsq
from tensorlite.ops.ragged_base import RaggedParts
from tensorlite.ops.solve import MatrixInverse, MatrixSolve, lapack
from tensorlite.ops.spectral import Svd


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
    x, y = alike("MatMul", a, b, ("a", "b"))
    if not (is_eager_matrix(x) and is_eager_matrix(y)):
        _check_matrices(x, y)
    if adjoint_a and x.dtype.is_complex:
        x = tl.conj(x)
    if adjoint_b and y.dtype.is_complex:
        y = tl.conj(y)
    if output_type is not None:
        x, y = [tl.astype(one, as_dtype(output_type)) for one in (x, y)]
    return tl.matmul(x, y, transpose_a=left, transpose_b=right)


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
    x, y = alike("matvec", a, b, ("Const", "Const"))
    if adjoint_a:
        x = adjoint_of(x)
    column = tl.expand_dims(y, -1)
    return tl.squeeze(tl.matmul(x, column, transpose_a=transpose_a), -1)


@named("Tensordot")
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
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
    x = converted(a)
    return adjoint_of(x) if conjugate else tl.matrix_transpose(x)


@named("adjoint", "matrix_transpose/transpose")
def adjoint(matrix: Any, name: str | None = None) -> Any:
    return adjoint_of(converted(matrix))


@named("Trace")
def trace(x: Any, name: str | None = None) -> Any:
    diagonal = converted(main_diagonal(x))
    return tl.sum(diagonal, axis=as_given(diagonal, (-1,)))


@named("MatrixBandPart")
def band_part(
    input: Any, num_lower: Any, num_upper: Any, name: str | None = None
) -> Any:
    return tl.band_part(converted(input), num_lower, num_upper)


@named("MatrixDeterminant")
def det(input: Any, name: str | None = None) -> Any:
    return tl.linalg.det(converted(input))


@named("logdet", "mul")
def logdet(matrix: Any, name: str | None = None) -> Any:
    factor = tl.linalg.cholesky(converted(matrix))
    logs = tl.log(tl.real(converted(main_diagonal(factor))))
    return 2.0 * tl.sum(logs, axis=as_given(logs, (-1,)))


class LogMatrixDeterminant(NamedTuple):
    """The sign of a determinant and the logarithm of its size."""

    sign: Any
    log_abs_determinant: Any


@named("LogMatrixDeterminant")
def slogdet(input: Any, name: str | None = None) -> Any:
    found = tl.linalg.slogdet(converted(input))
    return LogMatrixDeterminant(*found)


@named("MatrixInverse")
def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Any:
    x = converted(input)
    return tl.linalg.inv(x) if not adjoint else call(MatrixInverse(adjoint=True), x)


@named("pinv", "MatMul")
def pinv(
    a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None
) -> Any:
    x = converted(a)
    if rcond is None:
        rcond = 10.0 * max(x.shape[-2:]) * np.finfo(x.dtype.numpy).eps
    return tl.linalg.pinv(x, rtol=converted(rcond, x.dtype))


@named("Cholesky")
def cholesky(input: Any, name: str | None = None) -> Any:
    return tl.linalg.cholesky(converted(input))


@named("cholesky_solve", "MatrixTriangularSolve_1")
def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Any:
    factor, right = alike("cholesky_solve", chol, rhs, ("Const", "Const"))
    half = tl.linalg.triangular_solve(factor, right, lower=True)
    return tl.linalg.triangular_solve(factor, half, lower=True, adjoint=True)


_OPERANDS = ("matrix", "rhs")


@named("MatrixSolve")
def solve(
    matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None
) -> Any:
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
    x, right = alike("MatrixTriangularSolve", matrix, rhs, _OPERANDS)
    return tl.linalg.triangular_solve(x, right, lower=lower, adjoint=adjoint)


def lstsq(
    matrix: Any,
    rhs: Any,
    l2_regularizer: Any = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Any:
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
    x = converted(tensor)
    if not compute_uv:
        return tl.linalg.svdvals(x)
    return calls(Svd(full_matrices=full_matrices), lapack(x, "svd"))


@named("SelfAdjointEigV2")
def eigh(tensor: Any, name: str | None = None) -> Any:
    return tuple(tl.linalg.eigh(converted(tensor)))


@named("SelfAdjointEigV2")
def eigvalsh(tensor: Any, name: str | None = None) -> Any:
    return tl.linalg.eigvalsh(converted(tensor))


@named("Eig")
def eig(tensor: Any, name: str | None = None) -> Any:
    return tuple(tl.linalg.eig(converted(tensor)))


@named("Eig")
def eigvals(tensor: Any, name: str | None = None) -> Any:
    return tl.linalg.eigvals(converted(tensor))


@named("Cross")
def cross(a: Any, b: Any, name: str | None = None) -> Any:
    return composed(Cross(), *alike("Cross", a, b))


@named("Diag")
def tensor_diag(diagonal: Any, name: str | None = None) -> Any:
    return composed(Diag(), converted(diagonal))


@named("DiagPart")
def tensor_diag_part(input: Any, name: str | None = None) -> Any:
    return composed(DiagPart(), converted(input))


@named("norm", None)
def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Any:
    x = converted(tensor)
    axes = tuple(axis) if isinstance(axis, (list, tuple)) else axis
    kept = bool(keepdims)
    if ord in ("fro", "euclidean", 2, 2.0) and not _is_matrix_two(ord, axes):
        squared = tl.square(tl.abs(x)) if x.dtype.is_complex else x * x
        found = tl.sqrt(converted(reduce_sum(squared, axes, True)))
        return found if kept else tl.squeeze(found, axes)
    return _other_norm(tl.abs(x), x, ord, axes, kept)


def _is_matrix_two(ord: Any, axes: Any) -> bool:
    return ord in (2, 2.0) and isinstance(axes, tuple) and len(axes) == 2


def _other_norm(sizes: Any, x: Any, ord: Any, axes: Any, kept: bool) -> Any:
    if isinstance(axes, tuple) and len(axes) == 2:
        if ord in (2, 2.0):
            return _spectral(x, axes, kept)
        if ord not in (1, np.inf):
            raise InvalidArgumentError(
                f"norm: 'ord' must be 1, 2, np.inf or 'euclidean' for matrices, got {ord!r}"
            )
        along, across = axes if ord == 1 else axes[::-1]
        total = tl.sum(sizes, axis=along, keepdims=True)
        found = tl.max(total, axis=across, keepdims=True)
        return found if kept else tl.squeeze(found, axes)
    if ord == np.inf:
        found = tl.max(sizes, axis=axes, keepdims=True)
        return found if kept else tl.squeeze(found, axes)
    if not isinstance(ord, (int, float, np.number)) or ord <= 0:
        raise InvalidArgumentError(
            f"norm: 'ord' must be a supported vector norm, got {ord!r}"
        )
    powers = sizes if ord == 1 else tl.pow(sizes, float(ord))
    total = tl.sum(powers, axis=axes, keepdims=True)
    found = total if ord == 1 else tl.pow(total, 1.0 / ord)
    return found if kept else tl.squeeze(found, axes)


def _spectral(x: Any, axes: Any, kept: bool) -> Any:
    moved = tl.moveaxis(x, axes, (-2, -1))
    found = tl.max(tl.linalg.svdvals(moved), axis=-1)
    if not kept:
        return found
    return tl.expand_dims(found, tuple(sorted(a % x.ndim for a in axes)))


@named("l2_normalize")
def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None
) -> Any:
    operand = converted(x)
    total = tl.sum(tl.square(operand), axis=axis, keepdims=True)
    return operand * tl.rsqrt(tl.maximum(total, epsilon))


@named("matrix_exponential", "Reshape_1")
def expm(input: Any, name: str | None = None) -> Any:
    return tl.linalg.expm(converted(input))


@named("MatrixLogarithm")
def logm(input: Any, name: str | None = None) -> Any:
    return tl.linalg.logm(converted(input))


@named("MatrixSquareRoot")
def sqrtm(input: Any, name: str | None = None) -> Any:
    return tl.linalg.sqrtm(converted(input))


class Lu(NamedTuple):
    """Both triangular factors in one matrix, and the order of rows."""

    lu: Any
    p: Any


@named("Lu")
def lu(input: Any, output_idx_type: Any = int32, name: str | None = None) -> Any:
    return Lu(*tl.linalg.lu(converted(input), as_dtype(output_idx_type)))


@named("matrix_rank", "Sum")
def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Any:
    x = converted(a)
    sizes = tl.linalg.svdvals(x)
    if tol is None:
        least = float(np.finfo(x.dtype.numpy).eps) * max(x.shape[-2:])
        tol = least * tl.max(sizes, axis=-1, keepdims=True)
    return tl.sum(tl.astype(sizes > tol, int32), axis=-1)


@named("normalize")
def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> Any:
    x = converted(tensor)
    size = norm(x, ord, axis, True)
    return x / size, size


@named("TridiagonalSolve")
def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
) -> Any:
    given = (
        [converted(x) for x in diagonals]
        if isinstance(diagonals, (list, tuple))
        else diagonals
    )
    options = (diagonals_format, transpose_rhs, conjugate_rhs)
    return tl.linalg.tridiagonal_solve(given, converted(rhs), *options)


@named("global_norm", "global_norm")
def global_norm(t_list: Any, name: str | None = None) -> Any:
    return tl.global_norm([x for x in _tensors(t_list) if x is not None])


def _tensors(t_list: Sequence[Any]) -> list[Any]:
    if isinstance(t_list, (Operand, str)) or not isinstance(t_list, (list, tuple)):
        raise DTypeError(
            f"t_list={t_list!r}: t_list should be a sequence; give a list of tensors"
        )
    return [x if x is None or not _is_value(x) else converted(x) for x in t_list]


def _is_value(x: Any) -> bool:
    return isinstance(x, (Operand, np.ndarray, list, float, int))


@named("clip_by_global_norm")
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> Any:
    given = _tensors(t_list)
    wanted = [x for x in given if x is not None]
    clipped, total = tl.clip_by_global_norm(wanted, clip_norm, use_norm)
    rest = iter(clipped)
    return [None if x is None else next(rest) for x in given], total


@named("clip_by_norm")
def clip_by_norm(
    t: Any, clip_norm: Any, axes: Any = None, name: str | None = None
) -> Any:
    if not _is_value(t):
        return tl.clip_by_norm(t, clip_norm, axes)
    x = converted(t)
    clipped: Any = tl.clip_by_norm(x, converted(clip_norm, x.dtype), axes)
    merge(x.spec.shape, clipped.spec.shape)
    return clipped


@named("clip_by_average_norm")
def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    x = converted(t)
    count = tl.astype(tl.size(x), float32)
    mean = tl.sqrt(tl.sum(tl.square(x))) / tl.astype(count, x.dtype)
    return x * clip_norm * tl.minimum(1.0 / mean, 1.0 / converted(clip_norm, x.dtype))
