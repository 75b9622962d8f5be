"""Matrices with the arguments of TensorFlow 1, where TensorFlow 2 has others."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.linear import diagonals, matrices, norms
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core.dtypes import float32, int32
from tensorlite.core.operand import Operand

__all__ = [
    "diag",
    "diag_part",
    "eye",
    "matrix_band_part",
    "matrix_determinant",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_inverse",
    "matrix_set_diag",
    "matrix_solve",
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
    """Return matrices with the last axis of diagonal on their main, or k-th, diagonals.

    k may be a pair of the lowest and highest of several. Elsewhere stands padding_value. align says
    how shorter diagonals lie in their rows: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or
    "RIGHT_RIGHT".
    """
    options = (k, num_rows, num_cols, padding_value, align)
    if options == (0, -1, -1, 0, _ALIGN):
        return diagonals.on_main_diagonal(diagonal, name=name)
    return diagonals.matrix_diag(diagonal, name, *options)


def matrix_diag_part(
    input: Any,
    name: str | None = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
    align: str = _ALIGN,
) -> Any:
    """Return the main, or the k-th, diagonals of matrices.

    k may be a pair of the lowest and highest of several; shorter ones are filled with padding_value
    on the side that align says.
    """
    if (k, padding_value, align) == (0, 0, _ALIGN):
        return diagonals.main_diagonal(input, name=name)
    return diagonals.matrix_diag_part(input, name, k, padding_value, align)


def matrix_set_diag(
    input: Any,
    diagonal: Any,
    name: str | None = "set_diag",
    k: Any = 0,
    align: str = _ALIGN,
) -> Any:
    """Return matrices with other numbers on their main, or k-th, diagonals."""
    if (k, align) == (0, _ALIGN):
        return diagonals.with_main_diagonal(input, diagonal, name=name)
    return diagonals.matrix_set_diag(input, diagonal, name, k, align)


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = float32,
    name: str | None = None,
) -> Any:
    """Return unit matrices, by the nodes that TensorFlow makes of them."""
    columns = num_rows if num_columns is None else num_columns
    given = (num_rows, columns, () if batch_shape is None else batch_shape)
    return _unit_matrices(*given, num_columns is None, dtype, name=name)


@named("eye", None)
def _unit_matrices(
    rows: Any,
    columns: Any,
    batch: Any,
    is_square: bool,
    dtype: Any,
    name: str | None = None,
) -> Any:
    is_open = isinstance(rows, Operand) or isinstance(columns, Operand)
    least = elementwise.minimum(rows, columns) if is_open else min(rows, columns)
    if is_open or isinstance(batch, Operand):
        stack = converted(batch, int32, "shape")
        sizes = [arrays.concat([stack, [least]], 0)]
        if not is_square:
            sizes.append(arrays.concat([stack, [rows, columns]], 0))
    else:
        is_square = rows == columns
        sizes = [[*batch, least], [*batch, rows, columns]]
    ones = arrays.ones(sizes[0], dtype)
    if is_square:
        return diagonals.on_main_diagonal(ones)
    return diagonals.with_main_diagonal(arrays.zeros(sizes[1], dtype), ones)


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """Return the norm of a tensor, or of vectors or matrices along one or two axes.

    ord is "euclidean" (also "fro"), 1, 2, numpy.inf or another positive number. keep_dims is the
    older name of keepdims.
    """
    kept = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return norms.norm(tensor, ord, axis, kept, name)


def l2_normalize(
    x: Any,
    axis: Any = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Any = None,
) -> Any:
    """Return x over the root of its sum of squares along axes, which is at least epsilon.

    dim is the older name of axis.
    """
    return norms.l2_normalize(x, renamed("axis", axis, "dim", dim), epsilon, name)


diag = matrices.tensor_diag
diag_part = matrices.tensor_diag_part
matrix_band_part = matrices.band_part
matrix_determinant = matrices.det
matrix_inverse = matrices.inv
matrix_solve = matrices.solve
matrix_square_root = matrices.sqrtm
matrix_triangular_solve = matrices.triangular_solve
self_adjoint_eig = matrices.eigh
self_adjoint_eigvals = matrices.eigvalsh
