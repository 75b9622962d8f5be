"""Gradients of what inverts, solves and decomposes matrices."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    rank,
    reshape,
    shape,
    size,
    stack,
    zeros,
)
from tensorlite.compat.shared.cutting import slice, tile
from tensorlite.compat.shared.elementwise import (
    add,
    conj,
    reciprocal,
    square,
    subtract,
)
from tensorlite.compat.shared.linear.matrices import (
    adjoint,
    band_part,
    eigh,
    inv,
    matmul,
    matrix_transpose,
    solve,
    svd,
    triangular_solve,
)
from tensorlite.compat.shared.padding import pad
from tensorlite.compat.shared.reductions import reduce_prod, reduce_sum
from tensorlite.compat.v1.derivatives import gradient_of, operator
from tensorlite.compat.v1.functions.arrays import zeros_like
from tensorlite.compat.v1.functions.matrices import (
    eye,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
)
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.core.dtypes import int32


@gradient_of("AccumulateNV2")
def _accumulate(op: Any, dy: Any) -> Any:
    return [dy] * len(op.inputs)


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
    """Write that of batches alike; TensorFlow 1 has no others."""
    own, (x, b), y = op.node.op, op.inputs, op.outputs[0]
    if _batch_of(x) != _batch_of(b):
        return NotImplemented
    db = triangular_solve(x, dy, lower=own.lower, adjoint=not own.adjoint)
    first, second = (y, db) if own.adjoint else (db, y)
    dx = -matmul(first, second, adjoint_b=True)
    return band_part(dx, -1, 0) if own.lower else band_part(dx, 0, -1), db


def _batch_of(x: Any) -> Any:
    sizes = x.spec.shape
    return None if sizes is None else tuple(sizes[:-2])


@gradient_of("SelfAdjointEigV2")
def _eigen(op: Any, de: Any, dv: Any) -> Any:
    """Write that of values, and of vectors where there are any: of the lower triangle alone."""
    with control_dependencies([de, dv] if op.node.op.compute_v else [de]):
        vectors, inner = _turned(op, de, dv)
        dx = matmul(vectors, matmul(inner, vectors, adjoint_b=True))
        dx = band_part(dx + adjoint(dx), -1, 0)
        return matrix_set_diag(dx, 0.5 * matrix_diag_part(dx))


def _turned(op: Any, de: Any, dv: Any) -> tuple[Any, Any]:
    """Return eigenvectors, and what flows to the matrix seen from these.

    The ones on the diagonal are not in TensorFlow's, whose second gradients are no numbers.
    """
    if not op.node.op.compute_v:
        vectors = eigh(op.inputs[0])[1]
        return vectors, matrix_diag(de)
    values, vectors = op.outputs
    sizes = shape(values)
    unit = eye(sizes[-1], batch_shape=sizes[:-1], dtype=values.dtype)
    apart = expand_dims(values, -2) - expand_dims(values, -1) + unit
    factors = matrix_set_diag(reciprocal(apart), zeros_like(values))
    inner = matrix_diag(de)
    return vectors, inner + factors * matmul(vectors, dv, adjoint_a=True)


@gradient_of("Svd")
def _singular(op: Any, ds: Any, *flows: Any) -> Any:
    own, flow = op.node.op, matrix_diag(ds)
    if not own.compute_uv:
        _, left, right = svd(op.inputs[0])
        return matmul(left, matmul(flow, right, adjoint_b=True))
    sizes = op.inputs[0].spec.shape
    if own.full_matrices or sizes is None or None in sizes[-2:]:
        return NotImplemented
    return _singular_vectors(op, flow, *flows)


def _singular_vectors(op: Any, flow: Any, *flows: Any) -> Any:
    """Write that of values and vectors, of the adjoint of matrices with more rows than columns."""
    rows, columns = op.inputs[0].spec.shape[-2:]
    values, *vectors = op.outputs
    is_turned = rows > columns
    if is_turned:
        rows, columns = columns, rows
    (u, v), (du, dv) = (x[::-1] if is_turned else x for x in (vectors, flows))
    with control_dependencies([flow.op.inputs[0], *flows]):
        middle, squares = matrix_diag(values), square(values)
        sizes = shape(values)
        unit = eye(sizes[-1], batch_shape=sizes[:-1], dtype=values.dtype)
        apart = expand_dims(squares, -2) - expand_dims(squares, -1) + unit
        factors = matrix_set_diag(reciprocal(apart), zeros_like(values))
        inverse = matrix_diag(reciprocal(values))
        v, dv = v[..., :, :rows], dv[..., :, :rows]
        from_u = factors * matmul(u, du, adjoint_a=True)
        from_v = factors * matmul(v, dv, adjoint_a=True)
        inner = flow + matmul(from_u + adjoint(from_u), middle)
        inner += matmul(middle, from_v + adjoint(from_v))
        found = matmul(u, matmul(inner, v, adjoint_b=True))
        if rows != columns:
            turned = matrix_transpose(dv)
            rest = turned - matmul(matmul(turned, v), v, adjoint_b=True)
            found += matmul(matmul(u, inverse), rest)
        return matrix_transpose(found) if is_turned else found


@gradient_of("MatrixSquareRoot")
def _square_root(op: Any, dy: Any) -> Any:
    """Solve Sylvester's equation, as one of Kronecker's products."""
    root = op.outputs[0]
    sizes = shape(root)
    order = sizes[-1]
    number = reduce_prod(sizes[0:-2])
    flat = tile(reshape(eye(order, dtype=root.dtype), [-1]), [number])
    unit = reshape(flat, sizes)
    turned = matrix_transpose(root)
    both = add(_kronecker(unit, turned), _kronecker(root, unit))
    stack_of = slice(sizes, [0], [subtract(size(sizes), 2)])
    column = concat([stack_of, [order * order], [1]], 0)
    known = reshape(matrix_transpose(dy), column)
    return matrix_transpose(reshape(solve(both, known), sizes))


def _kronecker(x: Any, y: Any) -> Any:
    """Return Kronecker's products of stacks of square matrices."""
    of_x, of_y = shape(x), shape(y)
    rows, columns = of_x[-1], of_y[-1]
    stack_of = slice(of_x, [0], [subtract(size(of_x), 2)])
    wide = concat([stack_of, [rows], [1], [rows], [1]], 0)
    high = concat([stack_of, [1], [columns], [1], [columns]], 0)
    spread, other = reshape(x, wide), reshape(y, high)
    order = rows * columns
    return reshape(spread * other, concat([stack_of, [order], [order]], 0))


@gradient_of("TridiagonalSolve")
def _tridiagonal_solve(op: Any, dy: Any) -> Any:
    (diagonals, _), y = op.inputs, op.outputs[0]
    sizes = diagonals.spec.shape
    if sizes is None or None in sizes or not y.spec.is_static:
        return NotImplemented
    main = diagonals[..., 1, :]
    none = zeros([*sizes[:-2], 1], diagonals.dtype)
    upper = concat([diagonals[..., 2, 1:], none], -1)
    lower = concat([none, diagonals[..., 0, :-1]], -1)
    turned = stack([upper, main, lower], -2)
    db = operator(op.node.op, turned, dy)
    dmain = reduce_sum(db * y, -1)
    none = zeros([*db.spec.shape[:-2], 1, db.spec.shape[-1]], db.dtype)
    dupper = reduce_sum(db * concat([y[..., 1:, :], none], -2), -1)
    dlower = reduce_sum(db * concat([none, y[..., :-1, :]], -2), -1)
    return -stack([dupper, dmain, dlower], -2), db


@gradient_of("TridiagonalMatMul")
def _tridiagonal_matmul(op: Any, dy: Any) -> Any:
    *diagonals, rhs = op.inputs
    upper, main, lower = [matrix_transpose(x, conjugate=True) for x in diagonals]
    turned = conj(rhs)
    dupper = reduce_sum(_moved(turned, True) * dy, -1)
    dmain = reduce_sum(turned * dy, -1)
    dlower = reduce_sum(_moved(turned, False) * dy, -1)
    db = _moved(upper * dy, False) + main * dy + _moved(lower * dy, True)
    return *[expand_dims(x, -2) for x in (dupper, dmain, dlower)], db


def _moved(x: Any, is_up: bool) -> Any:
    """Return matrices with each row in the place of the one before, or behind, and a row of 0."""
    none = zeros([rank(x) - 2, 2], int32)
    ends = constant([[0, 1] if is_up else [1, 0], [0, 0]])
    ends = concat([none, ends], 0)
    return pad(x[..., 1:, :] if is_up else x[..., :-1, :], ends)
