"""Matrices given by their factors or their diagonals, which TensorFlow 1 and 2 have alike."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared.linear.matrices import adjoint_of
from tensorlite.core.errors import InvalidArgumentError


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


@named("tridiagonal_matmul")
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
    upper = tl.linalg.matrix_diag(beta, (1, 1))
    return tl.linalg.diag(alpha) + upper + adjoint_of(upper)
