"""Singular values, eigenvalues, and what is made of them: pseudo-inverse and rank.

Other factorisations are in decompose.py, square systems in solve.py, norms and powers in linalg.py.
Where singular values or eigenvalues coincide, their vectors have no derivative: the parts of
gradients that would be infinite are left out, which is right for functions that do not depend on
the choice of vectors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tensorlite.core.dispatch import call, calls, to_tensor
from tensorlite.core.dtypes import complex_of, int64, real_of
from tensorlite.core.errors import GradientError
from tensorlite.core.op import Call, Gradient, Grads, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import expand_dims
from tensorlite.ops.arrays.create import ones_like, zeros_like
from tensorlite.ops.arrays.ranges import tril
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.arrays.stack import filled
from tensorlite.ops.linear.decompose import hermitian, least_side
from tensorlite.ops.linear.diagonal import diag, diag_part, set_diag
from tensorlite.ops.linear.matmul import adjoint_product as product
from tensorlite.ops.linear.solve import (
    adjoint,
    factored_shape,
    lapack,
    solve,
    square_shape,
)
from tensorlite.ops.math.arithmetic import (
    conjugated,
    divide,
    multiply,
    negative,
    subtract,
)
from tensorlite.ops.math.compare import equal, where
from tensorlite.ops.math.rounding import real

__all__ = [
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "matrix_rank",
    "pinv",
    "svd",
    "svdvals",
]


class Svd(Op):
    """Singular values s, and U and V such that U diag(s) V^H is each matrix in a stack."""

    compute_uv: bool = True
    full_matrices: bool = False

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, TensorSpec, TensorSpec]:
        """Return the specs of s, U and V; the last two are empty unless they are computed."""
        shape = factored_shape(x, "svd")
        real_type = real_of(x.dtype)
        if shape is None:
            return (
                x.with_shape(None).with_dtype(real_type),
                *(2 * (x.with_shape(None),)),
            )
        rows, columns = shape[-2:]
        least = least_side(rows, columns)
        s = x.with_shape((*shape[:-2], least)).with_dtype(real_type)
        if not self.compute_uv:
            return s, x.with_shape((0,)), x.with_shape((0,))
        wide, high = (columns, rows) if self.full_matrices else (least, least)
        return (
            s,
            x.with_shape((*shape[:-1], high)),
            x.with_shape((*shape[:-2], columns, wide)),
        )

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, ...]:
        """Return s in descending order, U and V."""
        if not self.compute_uv:
            none = xp.zeros((0,), x.dtype)
            return xp.linalg.svd(x, compute_uv=False), none, none
        u, s, vh = xp.linalg.svd(x, full_matrices=self.full_matrices)
        return s, u, vh.conj().swapaxes(-1, -2)

    def grad(self, call: Call, ds: Gradient, du: Gradient, dv: Gradient) -> Grads:
        """Return the gradient; see Townsend, "Differentiating the singular value decomposition"."""
        x = call.inputs[0]
        if not self.compute_uv or self.full_matrices:
            if (
                self.full_matrices
                and (du is not None or dv is not None)
                and not _square(x)
            ):
                raise GradientError(
                    "U and V of a full SVD have no gradient: full_matrices=False"
                )
            s, u, v = calls(Svd(), x)
        else:
            s, u, v = call.outputs
        given = filled((ds, du, dv), (s, u, v))
        if self.compute_uv and (du is not None or dv is not None):
            return (_svd_gradient(x, (s, u, v), given),)
        return (product(_columns(u, given[0]), v, False, True),)


def _square(x: Tensor) -> bool:
    rows, columns = (x.spec.shape or (None, None))[-2:]
    return rows is not None and rows == columns


def _columns(x: Tensor, scales: Tensor) -> Tensor:
    """Return matrices with each column times its number."""
    return multiply(x, expand_dims(astype(scales, x.dtype), -2))


def _rows(x: Tensor, scales: Tensor) -> Tensor:
    """Return matrices with each row times its number."""
    return multiply(x, expand_dims(astype(scales, x.dtype), -1))


def _inverse_or_zero(x: Tensor) -> Tensor:
    zero = equal(x, 0)
    return where(zero, zeros_like(x), divide(1, where(zero, ones_like(x), x)))


def _gaps(values: Tensor) -> Tensor:
    """Return 1 / (values[j] - values[i]) at i, j; zero where both are equal."""
    return _inverse_or_zero(
        subtract(expand_dims(values, -2), expand_dims(values, -1))
    )


def _skew(x: Tensor) -> Tensor:
    return x - adjoint(x)


def _svd_gradient(
    x: Tensor, factors: tuple[Tensor, Tensor, Tensor], given: list[Tensor]
) -> Tensor:
    (s, u, v), (ds, du, dv) = factors, given
    turn_u, turn_v = _skew(product(u, du, True)), _skew(product(v, dv, True))
    inverse = _inverse_or_zero(s)
    inner = multiply(
        _columns(turn_u, s) + _rows(turn_v, s), astype(_gaps(s * s), x.dtype)
    )
    on_diagonal = astype(ds, x.dtype)
    if x.dtype.is_complex:
        on_diagonal = on_diagonal + diag_part(turn_u) * astype(inverse * 0.5, x.dtype)
    whole = product(product(u, set_diag(inner, on_diagonal)), v, False, True)
    outside_u = _columns(du, inverse)
    outside_u = outside_u - product(u, product(u, outside_u, True))
    outside_v = _columns(dv, inverse)
    outside_v = outside_v - product(v, product(v, outside_v, True))
    return (
        whole
        + product(outside_u, v, False, True)
        + product(u, outside_v, False, True)
    )


class SelfAdjointEigV2(Op):
    """The eigenvalues, ascending, and eigenvectors of each Hermitian matrix in a stack."""

    compute_v: bool = True

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return both specs; the vectors are empty unless they are computed."""
        shape = square_shape(x, "eigh")
        values = x.with_shape(None if shape is None else shape[:-1]).with_dtype(
            real_of(x.dtype)
        )
        return values, x if self.compute_v else x.with_shape((0,))

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, Array]:
        """Return values and vectors; only the lower triangle of the operand is read."""
        if not self.compute_v:
            return xp.linalg.eigvalsh(x), xp.zeros((0,), x.dtype)
        values, vectors = xp.linalg.eigh(x)
        return values, vectors

    def grad(self, call: Call, dvalues: Gradient, dvectors: Gradient) -> Grads:
        """Return V (diag(de) + F * V^H dV) V^H (Giles 2008), of the triangle that is read."""
        x = call.inputs[0]
        e, v = call.outputs if self.compute_v else calls(SelfAdjointEigV2(), x)
        de, dv = filled((dvalues, dvectors if self.compute_v else None), (e, v))
        inner = diag(astype(de, x.dtype))
        if self.compute_v and dvectors is not None:
            inner = inner + multiply(product(v, dv, True), astype(_gaps(e), x.dtype))
        whole = hermitian(product(product(v, inner), v, False, True))
        return (tril(whole) + tril(whole, k=-1),)


class Eig(Op):
    """The eigenvalues and eigenvectors of each square matrix in a stack, complex always."""

    compute_v: bool = True

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return both specs; the vectors are empty unless they are computed."""
        shape = square_shape(x, "eig")
        vectors = x.with_dtype(complex_of(x.dtype))
        values = vectors.with_shape(None if shape is None else shape[:-1])
        return values, vectors if self.compute_v else vectors.with_shape((0,))

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, Array]:
        """Return values, in no order, and vectors of length 1."""
        kind = xp.result_type(x.dtype, np.complex64)
        if not self.compute_v:
            return xp.linalg.eigvals(x).astype(kind), xp.zeros((0,), kind)
        values, vectors = xp.linalg.eig(x)
        return values.astype(kind), vectors.astype(kind)

    def grad(self, call: Call, dvalues: Gradient, dvectors: Gradient) -> Grads:
        """Return V^-H (diag(de) + F * (V^H dV - V^H V diag(Re V^H dV))) V^H.

        Boeddeker et al., "On the computation of complex-valued gradients" (2017); the last term
        is there because the vectors have length 1.
        """
        x = call.inputs[0]
        e, v = call.outputs if self.compute_v else calls(Eig(), x)
        de, dv = filled((dvalues, dvectors if self.compute_v else None), (e, v))
        inner = diag(de)
        if self.compute_v and dvectors is not None:
            turn = product(v, dv, True)
            turn = turn - _columns(product(v, v, True), real(diag_part(turn)))
            inner = inner + multiply(turn, conjugated(_gaps(e)))
        whole = solve(adjoint(v), product(inner, v, False, True))
        return (astype(whole, x.dtype),)


class PseudoInverse(Op):
    """The Moore-Penrose inverse, singular values below `rtol` times the greatest being zero."""

    def infer(self, x: TensorSpec, rtol: TensorSpec) -> TensorSpec:
        """Return the shape of the transposed matrices."""
        shape = factored_shape(x, "pinv")
        return x.with_shape(shape and (*shape[:-2], shape[-1], shape[-2]))

    def kernel(self, xp: Xp, x: Array, rtol: Array) -> Array:
        """Return the inverses from singular values; a negative tolerance is the usual one."""
        u, s, vh = xp.linalg.svd(x, full_matrices=False)
        if s.shape[-1] == 0:
            return xp.zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)
        kept = s > tolerance(xp, x, rtol)[..., None] * s[..., :1]
        inverse = xp.where(kept, 1 / xp.where(kept, s, 1), 0).astype(s.dtype)
        scaled = vh.conj().swapaxes(-1, -2) * inverse[..., None, :]
        return xp.matmul(scaled, u.conj().swapaxes(-1, -2))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient at constant rank.

        Golub and Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares
        problems whose variables separate" (1973).
        """
        a, p = call.inputs[0], call.outputs[0]
        within = negative(product(product(p, dy, True), p, False, True))
        left = product(product(dy, p, True), p, False, True)
        right = product(p, product(p, dy, False, True), True)
        outside = (
            left
            - product(a, product(p, left))
            + right
            - product(product(right, p), a)
        )
        return within + outside, None


class MatrixRank(Op):
    """How many singular values are above `rtol` times the greatest."""

    differentiable = False

    def infer(self, x: TensorSpec, rtol: TensorSpec) -> TensorSpec:
        """Return the shape of the stack with dtype int64."""
        shape = factored_shape(x, "matrix_rank")
        return TensorSpec(None if shape is None else shape[:-2], int64)

    def kernel(self, xp: Xp, x: Array, rtol: Array) -> Array:
        """Return the numbers; a negative tolerance is the usual one."""
        s = xp.linalg.svd(x, compute_uv=False)
        if s.shape[-1] == 0:
            return xp.zeros(x.shape[:-2], "int64")
        return xp.sum(
            s > tolerance(xp, x, rtol)[..., None] * s[..., :1], axis=-1
        ).astype("int64")


def tolerance(xp: Xp, x: Array, rtol: Array) -> Array:
    """Return a tolerance for singular values of `x`: if `rtol` is negative, the usual one."""
    usual = max(x.shape[-2:]) * np.finfo(x.dtype).eps
    return xp.where(rtol < 0, usual, rtol)


class SvdResult(NamedTuple):
    """What `svd` returns."""

    U: Tensor
    S: Tensor
    Vh: Tensor


class EigResult(NamedTuple):
    """What `eigh` and `eig` return."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def svd(x: TensorLike, /, *, full_matrices: bool = True) -> SvdResult:
    """Return U, S and Vh with U diag(S) Vh = x, S descending.

    U and Vh are square, or as large as S is long if `full_matrices` is False; only then do they
    have gradients for matrices that are not square.

    >>> print(tl.linalg.svd([[3.0, 0.0], [0.0, 4.0]]).S)
    [4. 3.]
    """
    s, u, v = calls(
        Svd(compute_uv=True, full_matrices=full_matrices), lapack(x, "svd")
    )
    return SvdResult(u, s, adjoint(v))


def svdvals(x: TensorLike, /) -> Tensor:
    """Return the singular values of each matrix in a stack, descending.

    >>> print(tl.linalg.svdvals([[3.0, 0.0], [0.0, 4.0]]))
    [4. 3.]
    """
    return calls(Svd(compute_uv=False), lapack(x, "svdvals"))[0]


def eigh(x: TensorLike, /) -> EigResult:
    """Return the eigenvalues, ascending, and eigenvectors (columns) of Hermitian matrices.

    >>> print(tl.linalg.eigh([[2.0, 1.0], [1.0, 2.0]]).eigenvalues)
    [1. 3.]
    """
    return EigResult(*calls(SelfAdjointEigV2(), lapack(x, "eigh")))


def eigvalsh(x: TensorLike, /) -> Tensor:
    """Return the eigenvalues of Hermitian matrices, ascending.

    >>> print(tl.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]))
    [1. 3.]
    """
    return calls(SelfAdjointEigV2(compute_v=False), lapack(x, "eigvalsh"))[0]


def eig(x: TensorLike, /) -> EigResult:
    """Return the eigenvalues and eigenvectors (columns) of square matrices, complex, in no order.

    >>> print(tl.linalg.eig([[0.0, -1.0], [1.0, 0.0]]).eigenvalues)
    [0.+1.j 0.-1.j]
    """
    return EigResult(*calls(Eig(), lapack(x, "eig")))


def eigvals(x: TensorLike, /) -> Tensor:
    """Return the eigenvalues of square matrices, complex, in no order.

    >>> print(tl.linalg.eigvals([[0.0, -1.0], [1.0, 0.0]]))
    [0.+1.j 0.-1.j]
    """
    return calls(Eig(compute_v=False), lapack(x, "eigvals"))[0]


def pinv(x: TensorLike, /, *, rtol: TensorLike | None = None) -> Tensor:
    """Return the pseudo-inverse of each matrix in a stack.

    Singular values below `rtol` times the greatest count as zero; the default is the larger side
    times the dtype's epsilon.

    >>> print(tl.linalg.pinv([[2.0], [0.0]]))
    [[0.5 0. ]]
    """
    matrices = lapack(x, "pinv")
    return call(PseudoInverse(), matrices, _tolerance(matrices, rtol))


def matrix_rank(x: TensorLike, /, *, rtol: TensorLike | None = None) -> Tensor:
    """Return how many singular values are above `rtol` times the greatest, as int64.

    >>> print(tl.linalg.matrix_rank([[1.0, 1.0], [1.0, 1.0]]))
    1
    """
    matrices = lapack(x, "matrix_rank")
    return call(MatrixRank(), matrices, _tolerance(matrices, rtol))


def _tolerance(x: Tensor, rtol: TensorLike | None) -> Tensor:
    return astype(to_tensor(-1.0 if rtol is None else rtol), real_of(x.dtype))
