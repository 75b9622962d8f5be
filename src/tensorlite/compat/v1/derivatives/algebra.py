"""Gradients of what inverts, solves and decomposes matrices."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import (
    concat,
    reshape,
    shape,
)
from tensorlite.compat.shared.linear.matrices import (
    adjoint,
    band_part,
    eigh,
    inv,
    matmul,
    solve,
    svd,
    triangular_solve,
)
from tensorlite.compat.v1.derivatives import gradient_of
from tensorlite.compat.v1.functions.matrices import (
    eye,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
)


@gradient_of("MatrixInverse")
def _inverse(op: Any, dy: Any) -> Any:
    """Write that of inverses; TensorFlow's for inverses of adjoints is none."""
    if op.node.op.adjoint:
        return NotImplemented
    y = op.outputs[0]
    return -matmul(y, matmul(dy, y, adjoint_b=True), adjoint_a=True)


@gradient_of("MatrixDeterminant")
def _determinant(op: Any, dy: Any) -> Any:
    y = op.outputs[0]
    turned = inv(op.inputs[0], adjoint=True)
    return _each(dy * y, y) * turned


@gradient_of("LogMatrixDeterminant")
def _log_determinant(op: Any, _: Any, dy: Any) -> Any:
    turned = inv(op.inputs[0], adjoint=True)
    return _each(dy, op.outputs[1]) * turned


def _each(factors: Any, y: Any) -> Any:
    """Return numbers, one for each matrix, as matrices of one element."""
    return reshape(factors, concat([shape(y), [1, 1]], 0))


@gradient_of("Cholesky")
def _cholesky(op: Any, dy: Any) -> Any:
    factor = op.outputs[0]
    rows, batch = shape(factor)[-1], shape(factor)[:-2]
    unit = eye(rows, batch_shape=batch, dtype=factor.dtype)
    inverse = triangular_solve(factor, unit)
    middle = matmul(factor, dy, adjoint_a=True)
    middle = matrix_set_diag(middle, 0.5 * matrix_diag_part(middle))
    middle = band_part(middle, -1, 0)
    found = matmul(matmul(inverse, middle, adjoint_a=True), inverse)
    return (found + adjoint(found)) * 0.5


@gradient_of("Qr")
def _qr(op: Any, dq: Any, dr: Any) -> Any:
    q, r = op.outputs
    dims = r.spec.shape
    if dims is None or None in dims[-2:] or dims[-2] != dims[-1]:
        return NotImplemented
    flow_q = matmul(q, dq, adjoint_a=True)
    away_q = flow_q - adjoint(flow_q)
    flow_r = matmul(r, dr, adjoint_b=True)
    away_r = flow_r - adjoint(flow_r)
    lower = band_part(away_q + away_r, -1, 0)
    first = matmul(q, dr + _over(lower, r))
    return first + _over(dq - matmul(q, flow_q), r)


def _over(x: Any, r: Any) -> Any:
    """Return the product with the inverse of an upper triangular matrix's adjoint."""
    turned = adjoint(x)
    return adjoint(triangular_solve(r, turned, lower=False, adjoint=False))


@gradient_of("MatrixSolve")
def _solve(op: Any, dy: Any) -> Any:
    own, y = op.node.op, op.outputs[0]
    db = solve(op.inputs[0], dy, adjoint=not own.adjoint)
    first, second = (y, db) if own.adjoint else (db, y)
    return -matmul(first, second, adjoint_b=True), db


@gradient_of("MatrixTriangularSolve")
def _triangular_solve(op: Any, dy: Any) -> Any:
    own, (x, _), y = op.node.op, op.inputs, op.outputs[0]
    db = triangular_solve(x, dy, lower=own.lower, adjoint=not own.adjoint)
    first, second = (y, db) if own.adjoint else (db, y)
    dx = -matmul(first, second, adjoint_b=True)
    return band_part(dx, -1, 0) if own.lower else band_part(dx, 0, -1), db


@gradient_of("SelfAdjointEigV2")
def _eigen(op: Any, de: Any, _: Any) -> Any:
    """Write that of the values alone: gradients of TensorFlow's for vectors are no numbers."""
    if op.node.op.compute_v:
        return NotImplemented
    values, vectors = matrix_diag(de), eigh(op.inputs[0])[1]
    dx = matmul(vectors, matmul(values, vectors, adjoint_b=True))
    dx = band_part(dx + adjoint(dx), -1, 0)
    return matrix_set_diag(dx, 0.5 * matrix_diag_part(dx))


@gradient_of("Svd")
def _singular(op: Any, ds: Any, *_: Any) -> Any:
    if op.node.op.compute_uv:
        return NotImplemented
    flow = matrix_diag(ds)
    _, left, right = svd(op.inputs[0])
    return matmul(left, matmul(flow, right, adjoint_b=True))
