"""Matrices with the arguments of TensorFlow 1, where TensorFlow 2 has others."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import diagonals, matrices
from tensorlite.compat.v1.renamed import renamed

__all__ = [
    "diag",
    "diag_part",
    "matrix_band_part",
    "matrix_determinant",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_inverse",
    "matrix_set_diag",
    "matrix_solve",
    "matrix_solve_ls",
    "matrix_square_root",
    "matrix_triangular_solve",
    "norm",
    "self_adjoint_eig",
    "self_adjoint_eigvals",
]

_ALIGN = "LEFT_LEFT"
"""TensorFlow 1 had diagonals stand at the left of their rows."""


def matrix_diag(
    diagonal: Any,
    name: str | None = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = _ALIGN,
) -> Any:
    options = (k, num_rows, num_cols, padding_value, align)
    return diagonals.matrix_diag(diagonal, *options, name=name)


def matrix_diag_part(
    input: Any,
    name: str | None = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
    align: str = _ALIGN,
) -> Any:
    return diagonals.matrix_diag_part(input, k, padding_value, align, name=name)


def matrix_set_diag(
    input: Any,
    diagonal: Any,
    name: str | None = "set_diag",
    k: Any = 0,
    align: str = _ALIGN,
) -> Any:
    return diagonals.matrix_set_diag(input, diagonal, name, k, align)


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Any:
    kept = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return matrices.norm(tensor, ord, axis, kept, name)


def l2_normalize(
    x: Any,
    axis: Any = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Any = None,
) -> Any:
    return matrices.l2_normalize(x, renamed("axis", axis, "dim", dim), epsilon, name)


diag = matrices.tensor_diag
diag_part = matrices.tensor_diag_part
matrix_band_part = matrices.band_part
matrix_determinant = matrices.det
matrix_inverse = matrices.inv
matrix_solve = matrices.solve
matrix_solve_ls = matrices.lstsq
matrix_square_root = matrices.sqrtm
matrix_triangular_solve = matrices.triangular_solve
self_adjoint_eig = matrices.eigh
self_adjoint_eigvals = matrices.eigvalsh
