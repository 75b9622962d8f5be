"""Square systems: solve, inv, det, slogdet, and their gradients.

Factorisations are in decompose.py and spectral.py; what is composed of all in linalg.py. Formulas:
Giles, "An extended collection of matrix derivative results for forward and reverse mode algorithmic
differentiation" (2008), written for complex matrices too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from tensorlite.core.dispatch import agreeing, call, call1, calls, floating, to_tensor
from tensorlite.core.dtypes import real_of
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Gradient, Grads, Op
from tensorlite.core.spec import Dims, TensorSpec, broadcast
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import expand_dims, matrix_transpose, squeeze
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.linear.diagonal import band_part, matrix_shape
from tensorlite.ops.linear.matmul import adjoint_product
from tensorlite.ops.math.arithmetic import conjugated, multiply, negative, sum_to
from tensorlite.ops.math.rounding import imag


def square_shape(x: TensorSpec, what: str) -> Dims | None:
    """Return the shape of a stack of square matrices of floats, or raise what is wrong with it."""
    shape = factored_shape(x, what)
    if shape is not None and None not in shape[-2:] and shape[-2] != shape[-1]:
        raise ShapeError(
            f"{what} takes square matrices, not {x}; for others see pinv and lstsq"
        )
    return shape


def factored_shape(x: TensorSpec, what: str) -> Dims | None:
    """Return the shape of a stack of matrices of floats that LAPACK takes, or raise."""
    if x.dtype.name not in ("float32", "float64", "complex64", "complex128"):
        raise DTypeError(
            f"{what} takes float32, float64 or complex, not {x}; use tl.astype"
        )
    return matrix_shape(x, what)


def lapack(x: TensorLike, what: str) -> Tensor:
    """Return matrices to factor as a tensor of floats; DTypeError for those LAPACK lacks."""
    tensor = floating(to_tensor(x))
    factored_shape(tensor.spec, what)
    return tensor


def adjoint(x: Tensor) -> Tensor:
    """Return the conjugate transpose of each matrix in a stack."""
    return conjugated(matrix_transpose(x))


@contextmanager
def _invertible(op: str, what: str) -> Iterator[None]:
    """Say of a singular matrix that its values are what is wrong."""
    try:
        yield
    except np.linalg.LinAlgError as error:
        if "Singular" not in str(error):
            raise
        raise InvalidArgumentError(
            f"{op}: {what} is not invertible. ({error})"
        ) from None


class MatrixInverse(Op):
    """The inverse of each matrix in a stack, or of its adjoint."""

    wants_float = True
    adjoint: bool = False

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec; ShapeError unless the matrices are square."""
        square_shape(x, "inv")
        return x

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the inverses."""
        with _invertible(self.name, "Input"):
            return xp.linalg.inv(x.conj().swapaxes(-1, -2) if self.adjoint else x)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return -Y^H dY Y^H, or its adjoint."""
        y = call.outputs[0]
        if self.adjoint:
            return (
                negative(adjoint_product(adjoint_product(y, dy, False, True), y)),
            )
        return (
            negative(adjoint_product(adjoint_product(y, dy, True), y, False, True)),
        )


class MatrixSolve(Op):
    """The solution X of A X = B, or of A^H X = B, for matrices in stacks that broadcast."""

    wants_float = True
    adjoint: bool = False

    def infer(self, a: TensorSpec, b: TensorSpec) -> TensorSpec:
        """Return the shape of X; ShapeError when A is not square or B does not fit it."""
        return _solution(square_shape(a, "solve"), a, b)

    def kernel(self, xp: Xp, a: Array, b: Array) -> Array:
        """Return the solutions."""
        with _invertible(self.name, "Input matrix"):
            return xp.linalg.solve(
                a.conj().swapaxes(-1, -2) if self.adjoint else a, b
            )

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return -dB X^H (or its adjoint) for A, and dB = A^-H dX."""
        a, b = call.inputs
        db = _solve(a, dy, not self.adjoint)
        x = call.outputs[0]
        da = _outer(x, db) if self.adjoint else _outer(db, x)
        return sum_to(da, a), sum_to(db, b)


class MatrixTriangularSolve(Op):
    """The solution of A X = B, or A^H X = B, where only a triangle of A counts."""

    wants_float = True
    lower: bool = True
    adjoint: bool = False

    def infer(self, a: TensorSpec, b: TensorSpec) -> TensorSpec:
        """Return the shape of X; ShapeError when A is not square or B does not fit it."""
        return _solution(square_shape(a, "triangular_solve"), a, b)

    def kernel(self, xp: Xp, a: Array, b: Array) -> Array:
        """Return the solutions. NumPy and CuPy share no triangular solver: the general one runs."""
        triangle = xp.tril(a) if self.lower else xp.triu(a)
        with _invertible(self.name, "Input matrix"):
            return xp.linalg.solve(
                triangle.conj().swapaxes(-1, -2) if self.adjoint else triangle, b
            )

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the triangle of -dB X^H (or its adjoint) for A, and dB = A^-H dX."""
        a, b = call.inputs
        db = triangular_solve(a, dy, lower=self.lower, adjoint=not self.adjoint)
        x = call.outputs[0]
        da = _outer(x, db) if self.adjoint else _outer(db, x)
        kept = band_part(da, -1, 0) if self.lower else band_part(da, 0, -1)
        return sum_to(kept, a), sum_to(db, b)


def _outer(a: Tensor, b: Tensor) -> Tensor:
    return negative(adjoint_product(a, b, False, True))


def _solution(shape: Dims | None, a: TensorSpec, b: TensorSpec) -> TensorSpec:
    if a.dtype is not b.dtype:
        raise DTypeError(
            f"solve: dtypes differ: {a} and {b}; cast one with tl.astype"
        )
    right = matrix_shape(b, "solve")
    if shape is None or right is None:
        return b.with_shape(None)
    if None not in (shape[-1], right[-2]) and shape[-1] != right[-2]:
        raise ShapeError(
            f"solve: {a} has {shape[-1]} equations, {b} has {right[-2]} rows"
        )
    rows = shape[-1] if right[-2] is None else right[-2]
    return b.with_shape((*(broadcast(shape[:-2], right[:-2]) or ()), rows, right[-1]))


def _whole(xp: Xp, x: Array) -> tuple[Array, Array]:
    """Return which matrices have NaN, over which LAPACK passes as it looks for pivots; the rest."""
    lost = xp.isnan(x).any(axis=(-2, -1))
    return lost, xp.where(lost[..., None, None], x.dtype.type(0), x)


class MatrixDeterminant(Op):
    """The determinant of each matrix in a stack."""

    wants_float = True

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the shape of the stack; ShapeError unless the matrices are square."""
        shape = square_shape(x, "det")
        return x.with_shape(None if shape is None else shape[:-2])

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the determinants."""
        lost, whole = _whole(xp, x)
        return xp.where(lost, x.dtype.type(xp.nan), xp.linalg.det(whole))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy times the conjugate determinant times the inverse's adjoint."""
        scale = multiply(dy, conjugated(call.outputs[0]))
        return (_times_inverse(scale, call.inputs[0]),)


class LogMatrixDeterminant(Op):
    """The sign of each matrix's determinant, and the logarithm of its magnitude."""

    wants_float = True

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return the shape of the stack twice; ShapeError unless the matrices are square."""
        shape = square_shape(x, "slogdet")
        sign = x.with_shape(None if shape is None else shape[:-2])
        return sign, sign.with_dtype(real_of(x.dtype))

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, Array]:
        """Return signs and logarithms."""
        lost, whole = _whole(xp, x)
        sign, log = xp.linalg.slogdet(whole)
        return tuple([xp.where(lost, y.dtype.type(xp.nan), y) for y in (sign, log)])

    def grad(self, call: Call, dsign: Gradient, dlog: Gradient) -> Grads:
        """Return the inverse's adjoint times dlog, and times the turn of a complex sign."""
        x, sign = call.inputs[0], call.outputs[0]
        scale = astype(dlog, x.dtype) if isinstance(dlog, Tensor) else None
        if isinstance(dsign, Tensor) and x.dtype.is_complex:
            turn = multiply(
                -1j, astype(imag(multiply(conjugated(dsign), sign)), x.dtype)
            )
            scale = turn if scale is None else scale + turn
        return (None if scale is None else _times_inverse(scale, x),)


def _times_inverse(scale: Tensor, x: Tensor) -> Tensor:
    inverse = call1(MatrixInverse(adjoint=True), x)
    return multiply(expand_dims(expand_dims(scale, -1), -1), inverse)


def _solve(a: Tensor, b: Tensor, adjoint_a: bool) -> Tensor:
    return call(MatrixSolve(adjoint_a), a, b)


class SlogdetResult(NamedTuple):
    """What `slogdet` returns."""

    sign: Tensor
    logabsdet: Tensor


def inv(x: TensorLike, /) -> Tensor:
    """Return the inverse of each matrix in a stack; KernelError when one has none.

    >>> print(tl.linalg.inv([[2.0, 0.0], [0.0, 4.0]]))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    return call1(MatrixInverse(), lapack(x, "inv"))


def solve(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """Return the solution X of `x1` X = `x2`; KernelError when a matrix is singular.

    `x2` is a vector, or matrices in a stack that broadcasts with the stack `x1`.

    >>> print(tl.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0]))
    [1.  0.5]
    """
    op = MatrixSolve()
    a, b = agreeing(op, x1, x2)
    factored_shape(a.spec, "solve")
    if b.spec.rank == 1:
        return squeeze(call(op, a, expand_dims(b, 1)), -1)
    return call(op, a, b)


def triangular_solve(
    x1: TensorLike, x2: TensorLike, /, *, lower: bool = True, adjoint: bool = False
) -> Tensor:
    """Return the solution of `x1` X = `x2`, where only a triangle of `x1` counts.

    With `adjoint` it is the conjugate transpose of `x1` that multiplies X.

    >>> print(tl.linalg.triangular_solve([[2.0, 9.0], [0.0, 4.0]], [[2.0], [2.0]]))
    [[1. ]
     [0.5]]
    """
    op = MatrixTriangularSolve(lower, adjoint)
    a, b = agreeing(op, x1, x2)
    factored_shape(a.spec, "triangular_solve")
    return call(op, a, b)


def det(x: TensorLike, /) -> Tensor:
    """Return the determinant of each matrix in a stack. Its gradient needs an inverse.

    >>> print(tl.linalg.det([[2.0, 0.0], [0.0, 4.0]]))
    8.0
    """
    return call1(MatrixDeterminant(), lapack(x, "det"))


def slogdet(x: TensorLike, /) -> SlogdetResult:
    """Return the sign of each matrix's determinant, and the logarithm of its magnitude.

    >>> print(tl.linalg.slogdet([[0.0, 1.0], [1.0, 0.0]]).sign)
    -1.0
    """
    return SlogdetResult(*calls(LogMatrixDeterminant(), lapack(x, "slogdet")))
