"""Gradients of what makes, reads and replaces the diagonals of matrices."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import zeros
from tensorlite.compat.v1.derivatives import gradient_of
from tensorlite.compat.v1.functions.arrays import zeros_like
from tensorlite.compat.v1.functions.matrices import (
    diag,
    diag_part,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
)


@gradient_of("Diag")
def _diag(op: Any, dy: Any) -> Any:
    return diag_part(dy)


@gradient_of("DiagPart")
def _diag_part(op: Any, dy: Any) -> Any:
    return diag(dy)


@gradient_of("MatrixDiag")
def _matrix_diag(op: Any, dy: Any) -> Any:
    return matrix_diag_part(dy)


@gradient_of("MatrixDiagPart")
def _matrix_diag_part(op: Any, dy: Any) -> Any:
    (x,) = op.inputs
    rows, columns = x.shape.as_list()[-2:] if x.shape.rank else (None, None)
    if rows is not None and rows == columns:
        return matrix_diag(dy)
    return matrix_set_diag(zeros_like(x), dy)


@gradient_of("MatrixSetDiag")
def _matrix_set_diag(op: Any, dy: Any) -> Any:
    diagonal = op.inputs[1]
    sizes, dtype = diagonal.shape, diagonal.dtype
    none = zeros(sizes, dtype) if sizes.is_fully_defined() else zeros_like(diagonal)
    return matrix_set_diag(dy, none), matrix_diag_part(dy)
