"""Matrices given by their factors or their diagonals, which TensorFlow 1 and 2 have alike."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared.arrays import expand_dims, squeeze
from tensorlite.compat.shared.linear.matrices import adjoint_of, matrix_transpose
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph


@named("lu_solve")
def lu_solve(
    lower_upper: Any,
    perm: Any,
    rhs: Any,
    validate_args: bool = False,
    name: str | None = None,
) -> Any:
    """Return the solutions X of A X = rhs, given the factors of A and the order of its rows.

    `validate_args` has no effect.
    """
    return tl.linalg.lu_solve(converted(lower_upper), converted(perm), converted(rhs))


@named("lu_matrix_inverse")
def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Return the inverses of matrices, given their factors and the order of rows.

    `validate_args` has no effect.
    """
    factors = converted(lower_upper)
    units = tl.linalg.diag(tl.ones_like(tl.linalg.diag_part(factors)))
    return tl.linalg.lu_solve(factors, converted(perm), units)


@named("lu_reconstruct")
def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Return the matrices that have triangular factors and an order of rows.

    `validate_args` has no effect.
    """
    factors, rows = converted(lower_upper), converted(perm)
    ones = tl.ones_like(tl.linalg.diag_part(factors))
    lower = tl.linalg.set_diag(tl.linalg.band_part(factors, -1, 0), ones)
    product = tl.matmul(lower, tl.linalg.band_part(factors, 0, -1))
    return tl.take_along_axis(product, tl.expand_dims(tl.argsort(rows), -1), axis=-2)


def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
) -> Any:
    """Return the solutions of equations whose matrices have three diagonals.

    `diagonals_format` is 'compact' for [..., 3, n] (superdiagonal, diagonal, subdiagonal),
    'sequence' for a list of the three, 'matrix' for whole matrices. `partial_pivoting` has no
    effect.
    """
    options = (diagonals_format, transpose_rhs, conjugate_rhs)
    if active_graph() is None or not _is_vector(diagonals, rhs, diagonals_format):
        return _tridiagonal_solved(diagonals, rhs, *options, name=name)
    column = expand_dims(rhs, -1)
    form = (diagonals_format, False, conjugate_rhs)
    return squeeze(_tridiagonal_solved(diagonals, column, *form, name=name), -1)


def tridiagonal_solve_v2(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
) -> Any:
    """Return the solutions of equations whose matrices have three diagonals, as columns.

    `diagonals_format` is 'compact' for [..., 3, n] (superdiagonal, diagonal, subdiagonal),
    'sequence' for a list of the three, 'matrix' for whole matrices. With transpose_rhs=True the
    right sides are rows. `partial_pivoting` has no effect.
    """
    if diagonals_format == "matrix":
        sizes = converted(diagonals).get_shape().as_list()[-2:]
        if None not in sizes and sizes[0] != sizes[1]:
            raise ShapeError(
                f"Expected last two dimensions of diagonals to be same, got {sizes[0]} and "
                f"{sizes[1]}"
            )
    right = converted(rhs) if transpose_rhs else rhs
    if transpose_rhs and not _is_vector(diagonals, right, diagonals_format):
        right = matrix_transpose(right)
    return tridiagonal_solve(
        diagonals, right, diagonals_format, False, conjugate_rhs, name
    )


def _is_vector(diagonals: Any, rhs: Any, form: str) -> bool:
    """Return whether the right side has an axis less than the matrices have."""
    first = diagonals
    if isinstance(diagonals, (list, tuple)) and diagonals:
        first = diagonals[0]
    if not (isinstance(first, Operand) and isinstance(rhs, Operand)):
        return False
    of_first, of_rhs = (x.__tensor__().spec.rank for x in (first, rhs))
    if of_first is None or of_rhs is None:
        return False
    return of_rhs == of_first - (form != "sequence")


@named("TridiagonalSolve")
def _tridiagonal_solved(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str,
    transpose_rhs: bool,
    conjugate_rhs: bool,
    name: str | None = None,
) -> Any:
    given = (
        [converted(x) for x in diagonals]
        if isinstance(diagonals, (list, tuple))
        else diagonals
    )
    options = (diagonals_format, transpose_rhs, conjugate_rhs)
    return tl.linalg.tridiagonal_solve(given, converted(rhs), *options)


@named("TridiagonalMatMul")
def tridiagonal_matmul(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    name: str | None = None,
) -> Any:
    """Return products of matrices of three diagonals, and matrices.

    `diagonals_format` is 'compact', 'sequence' or 'matrix', as for `tridiagonal_solve`.
    """
    given = (
        [converted(x) for x in diagonals]
        if diagonals_format == "sequence"
        else converted(diagonals)
    )
    return tl.linalg.tridiagonal_matmul(given, converted(rhs), diagonals_format)


@named("banded_triangular_solve")
def banded_triangular_solve(
    bands: Any,
    rhs: Any,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Any:
    """Return the solutions of equations of triangular matrices with few bands.

    `bands` is [..., bands, n], from the main diagonal down, or if not `lower` from the uppermost to
    the main one. ShapeError if how many there are is not known.
    """
    return tl.linalg.banded_triangular_solve(
        converted(bands), converted(rhs), lower=lower, adjoint=adjoint
    )


@named("eigh_tridiagonal")
def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Return eigenvalues of Hermitian matrices with diagonal alpha, and beta above it.

    select='i' returns those numbered within select_range, 'v' those of values within it; with
    eigvals_only=False eigenvectors, too. `tol` has no effect.
    """
    if select not in {"a", "i", "v"}:
        raise InvalidArgumentError(f"select={select!r}; allowed: 'a', 'i', 'v'")
    matrix = _self_adjoint(converted(alpha), converted(beta))
    values, vectors = tl.linalg.eigh(matrix)
    if select == "i":
        part = slice(int(select_range[0]), int(select_range[1]) + 1)
        values, vectors = values[..., part], vectors[..., part]
    elif select == "v":
        inside = (values > select_range[0]) & (values <= select_range[1])
        values = tl.boolean_mask(values, inside)
        rows = tl.boolean_mask(tl.matrix_transpose(vectors), inside)
        vectors = tl.matrix_transpose(rows)
    return values if eigvals_only else (values, vectors)


def _self_adjoint(alpha: Any, beta: Any) -> Any:
    """Return the matrix of a diagonal and of the one above it, below which its conjugate stands."""
    if alpha.spec.shape is not None and alpha.spec.shape[-1] == 1:
        return tl.expand_dims(alpha, -1)
    upper = tl.linalg.matrix_diag(beta, (1, 1))
    return tl.linalg.diag(alpha) + upper + adjoint_of(upper)
