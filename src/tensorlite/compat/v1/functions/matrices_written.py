"""Functions of matrices in graphs: nodes and names are those of TensorFlow 1.

What runs at once, and what is a single operator, is in shared/linear.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    reshape,
    squeeze,
    stack,
)
from tensorlite.compat.shared.control_flow import cond, while_loop
from tensorlite.compat.shared.elementwise import (
    abs as magnitude,
    cast,
    conj,
    floor,
    less,
    log,
    maximum,
    pow as power,
)
from tensorlite.compat.shared.linear import banded, matrices
from tensorlite.compat.shared.linear.matrices import (
    cholesky,
    cholesky_solve,
    matmul,
    matrix_transpose,
    solve,
    svd,
)
from tensorlite.compat.shared.padding import pad
from tensorlite.compat.v1.derivatives import operator
from tensorlite.compat.v1.functions.arrays import (
    shape,
    size,
    where,
    where_v2,
)
from tensorlite.compat.v1.functions.matrices import eye
from tensorlite.compat.v1.functions.numbers import reduce_max, reduce_sum
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.core.dtypes import int32
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.linear.tridiagonal import TridiagonalMatMul, TridiagonalSolve
from tensorlite.ops.math.arithmetic import Sum

Rational = tuple[Any, Any]
"""Numerator and denominator of an approximation: its odd and its even part."""
_COEFFICIENTS = {
    3: (120.0, 60.0, 12.0),
    5: (30240.0, 15120.0, 3360.0, 420.0, 30.0),
    7: (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0),
    9: (
        *(17643225600.0, 8821612800.0, 2075673600.0, 302702400.0, 30270240.0),
        *(2162160.0, 110880.0, 3960.0, 90.0),
    ),
    13: (
        *(64764752532480000.0, 32382376266240000.0, 7771770303897600.0),
        *(1187353796428800.0, 129060195264000.0, 10559470521600.0, 670442572800.0),
        *(33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0),
    ),
}
"""Of Pade's approximations of the exponential, by their orders; the highest one's is 1."""
_SINGLE = (3.925724783138660, (0.4258730016922831, 1.880152677804762))
_DOUBLE = (
    5.371920351148152,
    (0.01495585217958292, 0.253939833006323, 0.9504178996162932, 2.097847961257068),
)
"""Up to which norm the highest order serves, and the others; Higham, The scaling and squaring
method for the matrix exponential revisited, 2005."""


def expm(input: Any, name: str | None = None) -> Any:
    """Return the exponentials of square matrices."""
    if active_graph() is None:
        return matrices.expm(input, name=name)
    with name_scope(name, "matrix_exponential"):
        given = convert_to_tensor(input, name="input")
        sizes = given.get_shape()
        if sizes[-2:] == [0, 0]:
            return given
        stack_of = sizes[:-2]
        if not stack_of.is_fully_defined():
            stack_of = shape(given)[:-2]
        x = reshape(given, concat([[-1], shape(given)[-2:]], 0))
        axis = size(shape(x)) - 2
        length = reduce_max(operator(Sum(False), magnitude(x), axis), -1)
        result = _squared(x, length)
        if x.get_shape().is_fully_defined():
            return reshape(result, stack_of.concatenate(result.get_shape()[-2:]))
        return reshape(result, concat([stack_of, shape(result)[-2:]], 0))


def _squared(x: Any, length: Any) -> Any:
    """Return exponentials: that of a share of the matrix, as often squared as it was halved."""

    def number(value: float) -> Any:
        return constant(value, length.dtype)

    is_double = x.dtype.size // (2 if x.dtype.is_complex else 1) > 4
    most, limits = _DOUBLE if is_double else _SINGLE
    orders = (3, 5, 7, 9, 13) if is_double else (3, 5, 7)
    halvings = log(length / number(most)) / log(number(2.0))
    squarings = maximum(floor(halvings), 0)
    made = [_pade(x, order) for order in orders[:-1]]
    factor = power(constant(2.0, x.dtype), cast(squarings, x.dtype))
    made.append(_pade(x / factor[..., None, None], orders[-1]))

    def chosen(limits: Sequence[float], cases: Sequence[Any]) -> Any:
        is_small = less(length, number(limits[0]))
        rest = cases[1] if len(cases) == 2 else chosen(limits[1:], cases[1:])
        return where(is_small, cases[0], rest)

    odd, even = (chosen(limits, part) for part in zip(*made, strict=True))
    over = odd + even
    found = solve(-odd + even, over)
    times = reduce_max(squarings)

    def more(i: Any, _: Any) -> Any:
        return less(i, times)

    def step(i: Any, y: Any) -> Any:
        return i + 1, where(less(i, squarings), matmul(y, y), y)

    return while_loop(more, step, [number(0.0), found])[1]


def _pade(x: Any, order: int) -> Rational:
    """Return the odd and the even part of an approximation of an order."""
    factors = [constant(value, x.dtype) for value in _COEFFICIENTS[order]]
    unit = eye(shape(x)[-2], batch_shape=shape(x)[:-2], dtype=x.dtype)
    square = matmul(x, x)
    powers = [unit, square]
    for _ in range(2 if order == 13 else order // 2 - 1):
        powers.append(matmul(powers[-1], square))
    if order == 13:
        return _pade_13(x, factors, powers)
    odd = powers[-1]
    for i in reversed(range(len(powers) - 1)):
        odd += factors[2 * i + 1] * powers[i]
    upper = matmul(x, odd)
    even = factors[-1] * powers[-1]
    for i in reversed(range(len(powers) - 1)):
        even += factors[2 * i] * powers[i]
    return upper, even


def _pade_13(x: Any, factors: Sequence[Any], powers: Sequence[Any]) -> Rational:
    unit, second, fourth, sixth = powers
    odd = matmul(sixth, sixth + factors[11] * fourth + factors[9] * second)
    for i, part in ((7, sixth), (5, fourth), (3, second), (1, unit)):
        odd += factors[i] * part
    upper = matmul(x, odd)
    high = factors[12] * sixth + factors[10] * fourth + factors[8] * second
    even = matmul(sixth, high)
    for i, part in ((6, sixth), (4, fourth), (2, second), (0, unit)):
        even += factors[i] * part
    return upper, even


def pinv(
    a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None
) -> Any:
    """Return the Moore-Penrose pseudo-inverses of matrices.

    Singular values below rcond times the largest one count as 0; by default 10 times the larger
    size times the dtype's epsilon. `validate_args` has no effect.
    """
    if active_graph() is None:
        return matrices.pinv(a, rcond, validate_args, name)
    with name_scope(name or "pinv"):
        x = convert_to_tensor(a, name="a")
        dtype = x.dtype
        if rcond is None:
            rcond = 10.0 * _larger_size(x, dtype) * np.finfo(dtype.numpy).eps
        least = convert_to_tensor(rcond, dtype, name="rcond")
        values, left, right = svd(x)
        cutoff = least * reduce_max(values, -1)
        none = np.array(np.inf, dtype.numpy)
        kept = where_v2(values > expand_dims(cutoff, -1), values, none)
        found = matmul(right / expand_dims(kept, -2), left, adjoint_b=True)
        sizes = x.get_shape()
        if sizes.rank is not None:
            found.set_shape(sizes[:-2].concatenate([sizes[-1], sizes[-2]]))
        return found


def _larger_size(x: Any, dtype: Any) -> Any:
    """Return how many rows or columns matrices have, a float."""
    told = x.get_shape()
    known: list[Any] = [None, None] if told.rank is None else told[-2:].as_list()
    sizes = [shape(x)[i - 2] if known[i] is None else known[i] for i in range(2)]
    if None in known:
        return cast(maximum(*sizes), dtype)
    return float(max(sizes))


def matrix_solve_ls(
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
    if active_graph() is None or not fast:
        return matrices.lstsq(matrix, rhs, l2_regularizer, fast, name)
    a = convert_to_tensor(matrix, name="matrix")
    with name_scope(name, "matrix_solve_ls"):
        sizes = a.get_shape()[-2:]
        if sizes.is_fully_defined():
            rows, columns = sizes.as_list()
            solved = _of_rows if rows >= columns else _of_columns
            return solved(a, rhs, l2_regularizer)
        have = shape(a)[-2:]
        return cond(
            have[-2] >= have[-1],
            lambda: _of_rows(a, rhs, l2_regularizer),
            lambda: _of_columns(a, rhs, l2_regularizer),
        )


def _of_rows(a: Any, rhs: Any, regularizer: Any) -> Any:
    """Return the solutions where there are not fewer equations than unknowns."""
    factor = _gramian_factor(a, regularizer, True)
    return cholesky_solve(factor, matmul(a, rhs, adjoint_a=True))


def _of_columns(a: Any, rhs: Any, regularizer: Any) -> Any:
    factor = _gramian_factor(a, regularizer, False)
    return matmul(a, cholesky_solve(factor, rhs), adjoint_a=True)


def _gramian_factor(a: Any, regularizer: Any, of_columns: bool) -> Any:
    """Return the Cholesky factor of all products of columns, or of rows."""
    products = matmul(a, a, adjoint_a=of_columns, adjoint_b=not of_columns)
    if isinstance(regularizer, Operand) or regularizer != 0:
        have = shape(a)
        stack_of = have[:-2]
        count = have[-1] if of_columns else have[-2]
        unit = eye(count, batch_shape=stack_of, dtype=a.dtype)
        known = a.get_shape()
        least = known[-1 if of_columns else -2]
        unit.set_shape(known[:-2].concatenate([least, least]))
        products += regularizer * unit
    return cholesky(products)


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
    effect on values but for their last digits.
    """
    parts = [diagonals[0]] if diagonals_format == "sequence" else [diagonals]
    is_told = all(isinstance(x, Operand) for x in (*parts, rhs))
    if active_graph() is None or not is_told or diagonals_format == "matrix":
        options = (transpose_rhs, conjugate_rhs, name, partial_pivoting)
        return banded.tridiagonal_solve(diagonals, rhs, diagonals_format, *options)
    if diagonals_format == "sequence":
        diagonals = _stacked(diagonals)
    kind = TridiagonalSolve(partial_pivoting)
    right, is_vector = rhs, rhs.get_shape().rank == diagonals.get_shape().rank - 1
    if transpose_rhs and not is_vector:
        right = matrix_transpose(right, conjugate=conjugate_rhs)
    elif conjugate_rhs:
        right = conj(right)
    if is_vector:
        right = expand_dims(right, -1)
    found = operator(kind, diagonals, right, name=name or "")
    if is_vector:
        return squeeze(found, -1)
    return matrix_transpose(found) if transpose_rhs else found


def _stacked(diagonals: Any) -> Any:
    """Return three diagonals as rows, the outer ones made as long as the main one."""
    count = diagonals[1].get_shape()[-1]
    padded = []
    for x, ends in zip(diagonals, ([0, 1], None, [1, 0]), strict=True):
        sizes = x.get_shape()
        if ends is not None and sizes[-1] is not None and sizes[-1] != count:
            x = pad(x, [*[[0, 0]] * (sizes.rank - 1), ends])  # noqa: PLW2901
        padded.append(x)
    return stack(padded, -2)


def tridiagonal_matmul(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    name: str | None = None,
) -> Any:
    """Return products of matrices of three diagonals, and matrices.

    `diagonals_format` is 'compact', 'sequence' or 'matrix', as for `tridiagonal_solve`.
    """
    take = _TAKEN.get(diagonals_format)
    if active_graph() is None or take is None:
        return banded.tridiagonal_matmul(diagonals, rhs, diagonals_format, name)
    parts = [expand_dims(x, -2) for x in take(diagonals)]
    return operator(TridiagonalMatMul(), *parts, rhs, name=name or "")


def _rows(diagonals: Any) -> list[Any]:
    given = convert_to_tensor(diagonals)
    return [given[..., i, :] for i in range(3)]


_TAKEN: dict[str, Callable[[Any], Sequence[Any]]] = {
    "compact": _rows,
    "sequence": lambda diagonals: [convert_to_tensor(x) for x in diagonals],
}


def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Any:
    """Return the ranks of matrices: how many singular values are above tol.

    tol is by default the largest one times the larger size times the dtype's epsilon.
    `validate_args` has no effect.
    """
    if active_graph() is None:
        return matrices.matrix_rank(a, tol, validate_args, name)
    with name_scope(name or "matrix_rank"):
        x = convert_to_tensor(a, name="a")
        values = svd(x, compute_uv=False)
        if tol is None:
            known = x.get_shape()[-2:]
            is_known = known.is_fully_defined()
            most = max(known.as_list()) if is_known else reduce_max(shape(x)[-2:])
            share = np.finfo(x.dtype.numpy).eps * cast(most, x.dtype)
            tol = share * reduce_max(values, -1, keepdims=True)
        return reduce_sum(cast(values > tol, int32), -1)
