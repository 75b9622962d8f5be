"""Factorisations of matrices into triangles: Cholesky and QR.

Singular values and eigenvalues are in spectral.py, square systems in solve.py, norms and powers in
linalg.py.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from tensorlite.core.dispatch import call, calls, constant
from tensorlite.core.errors import GradientError, InvalidArgumentError
from tensorlite.core.op import Call, Gradient, Grads, Op
from tensorlite.core.spec import Dim, TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.join import concat, split
from tensorlite.ops.arrays.pieces import sliced
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.arrays.stack import filled
from tensorlite.ops.linear.diagonal import band_part, diag_part, set_diag
from tensorlite.ops.linear.matmul import adjoint_product as product
from tensorlite.ops.linear.solve import (
    adjoint,
    factored_shape,
    lapack,
    square_shape,
    triangular_solve,
)

__all__ = ["cholesky", "qr"]


class Cholesky(Op):
    """The lower triangle L of each positive definite matrix L L^H in a stack."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec; ShapeError unless the matrices are square."""
        square_shape(x, "cholesky")
        return x

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the triangles; only the lower triangle of the operand is read."""
        try:
            return xp.linalg.cholesky(x)
        except np.linalg.LinAlgError as error:
            if "positive definite" not in str(error):
                raise
            raise InvalidArgumentError(
                "Cholesky decomposition was not successful. The input might not be valid. "
                f"({error})"
            ) from None

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return L^-H P L^-1 made Hermitian, P the halved lower part of L^H dL (Giles 2008)."""
        lower = call.outputs[0]
        part = _halved(band_part(product(lower, dy, True), -1, 0))
        left = triangular_solve(lower, part, adjoint=True)
        both = adjoint(triangular_solve(lower, adjoint(left), adjoint=True))
        return (hermitian(both),)


def _halved(x: Tensor) -> Tensor:
    return set_diag(x, diag_part(x) * 0.5)


def hermitian(x: Tensor) -> Tensor:
    """Return the Hermitian part of each matrix in a stack."""
    return (x + adjoint(x)) * 0.5


class Qr(Op):
    """Orthonormal columns Q and an upper triangle R whose product each matrix in a stack is."""

    full_matrices: bool = False

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return the specs of Q and R."""
        shape = factored_shape(x, "qr")
        if shape is None:
            return x.with_shape(None), x.with_shape(None)
        rows, columns = shape[-2:]
        inner = rows if self.full_matrices else least_side(rows, columns)
        return x.with_shape((*shape[:-1], inner)), x.with_shape(
            (*shape[:-2], inner, columns)
        )

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, Array]:
        """Return Q and R."""
        q, r = xp.linalg.qr(x, mode="complete" if self.full_matrices else "reduced")
        return q, r

    def grad(self, call: Call, *dys: Gradient) -> Grads:
        """Return the gradient of the square part, and of the columns beyond it.

        Tall matrices: Seeger et al., "Auto-differentiating linear algebra" (2017); wide ones:
        Roberts and Roberts, "QR and LQ decomposition matrix backpropagation" (2020).
        """
        x = call.inputs[0]
        rows, columns = (x.spec.shape or (None, None))[-2:]
        excess = None if rows is None or columns is None else rows - columns
        if self.full_matrices and (excess is None or excess > 0):
            raise GradientError(
                "the complete QR of a tall matrix has no gradient; use 'reduced'"
            )
        q, r = call.outputs
        dq, dr = filled(dys, call.outputs)
        if excess is not None and excess >= 0:
            return (_square_qr_gradient(q, r, dq, dr),)
        square = sliced(shape_of(r), shape_of(shape_of(r)) - 2, constant([1]))
        sizes = concat([square, constant([-1])])
        r_square, _ = _split_in_two(r, sizes)
        _, x_rest = _split_in_two(x, sizes)
        dr_square, dr_rest = _split_in_two(dr, sizes)
        dq = dq + product(x_rest, dr_rest, False, True)
        first = _square_qr_gradient(q, r_square, dq, dr_square)
        return (concat([first, product(q, dr_rest)], axis=-1),)


def _split_in_two(x: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
    first, rest = split(x, sizes, axis=-1)
    return first, rest


def _square_qr_gradient(q: Tensor, r: Tensor, dq: Tensor, dr: Tensor) -> Tensor:
    upper = band_part(product(dr, r, False, True) - product(q, dq, True), 0, -1)
    whole = dq + product(q, _halved(upper + adjoint(upper)))
    return adjoint(triangular_solve(r, adjoint(whole), lower=False))


def least_side(a: Dim, b: Dim) -> Dim:
    """Return the lesser of two sizes, None when one of them is not known."""
    return None if a is None or b is None else min(a, b)


class QrResult(NamedTuple):
    """What `qr` returns."""

    Q: Tensor
    R: Tensor


def cholesky(x: TensorLike, /, *, upper: bool = False) -> Tensor:
    """Return the lower triangle L with L L^H = x (or the upper U with U^H U = x) of each matrix.

    Raises KernelError when a matrix is not positive definite. Gradients take `x` as Hermitian.

    >>> print(tl.linalg.cholesky([[4.0, 0.0], [0.0, 9.0]]))
    [[2. 0.]
     [0. 3.]]
    """
    lower = call(Cholesky(), lapack(x, "cholesky"))
    return adjoint(lower) if upper else lower


def qr(
    x: TensorLike, /, *, mode: Literal["reduced", "complete"] = "reduced"
) -> QrResult:
    """Return Q, with orthonormal columns, and R, an upper triangle, with Q R = x.

    >>> q, r = tl.linalg.qr([[2.0, 0.0], [0.0, 3.0]])
    >>> print(tl.abs(r))
    [[2. 0.]
     [0. 3.]]
    """
    if mode not in ("reduced", "complete"):
        raise InvalidArgumentError(
            f"qr: mode={mode!r}; allowed: 'reduced', 'complete'"
        )
    return QrResult(*calls(Qr(mode == "complete"), lapack(x, "qr")))
