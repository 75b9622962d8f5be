"""Cases of matrix products, einsum, solvers, factorisations and norms."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tests.cases.arrange import one_of
from tests.cases.base import FLOATS, REALS, OpCase, arrays

COMPLEX = (*FLOATS, tl.complex128)
LOOSE: dict[str, Any] = {"rtol": 2e-3, "atol": 2e-4}
linalg = tl.linalg


def product(
    name: str, a: tuple[int, ...], b: tuple[int, ...], **options: Any
) -> OpCase:
    """Return a case of matmul of two shapes."""
    return OpCase(f"matmul-{name}", tl.matmul, np.matmul, arrays(a, b), **options)


def regular(x: Any) -> Any:
    """Return square matrices moved away from singular ones."""
    return (
        x + 4 * np.eye(x.shape[-1], dtype=np.asarray(x.real).dtype)
        if _numpy(x)
        else shifted(x)
    )


def _numpy(x: Any) -> bool:
    return isinstance(x, np.ndarray)


def shifted(x: Any) -> Any:
    """Return square matrices with 4 added on the diagonal."""
    return tl.set_diag(x, tl.diag_part(x) + 4)


def positive(x: Any) -> Any:
    """Return Hermitian positive definite matrices."""
    if _numpy(x):
        return regular(x @ x.conj().swapaxes(-1, -2))
    return shifted(tl.matmul(x, tl.conj(tl.matrix_transpose(x))))


def hermitian(x: Any) -> Any:
    """Return Hermitian matrices with well separated eigenvalues."""
    if _numpy(x):
        return (
            x + x.conj().swapaxes(-1, -2) + np.diag([0.0, 10.0, 20.0]).astype(x.dtype)
        )
    spread = tl.astype(np.diag([0.0, 10.0, 20.0]), x.dtype)
    return x + tl.conj(tl.matrix_transpose(x)) + spread


def stretched(x: Any) -> Any:
    """Return matrices with well separated singular values."""
    rows, columns = (4, 3) if not _numpy(x) else x.shape[-2:]
    more = 3 * np.eye(rows, columns) * np.arange(1, columns + 1)
    return x + more.astype(x.dtype) if _numpy(x) else x + tl.astype(more, x.dtype)


def square(
    name: str, fn: Any, reference: Any, make: Any = regular, **options: Any
) -> OpCase:
    """Return a case over square matrices of a kind that `make` gives."""
    return OpCase(
        name,
        lambda x: fn(make(x)),
        lambda x: reference(make(x)),
        one_of(((2, 3, 3),), ((3, 3),)),
        **{"dtypes": COMPLEX, **LOOSE, **options},
    )


def svd_invariants(x: Any) -> Any:
    """Return what does not depend on the signs of singular vectors."""
    u, s, vh = linalg.svd(x, full_matrices=False)
    return s, tl.matmul(u * s[..., None, :], vh), tl.matmul(u, vh)


def svd_reference(x: Any) -> Any:
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    return s, x, u @ vh


def qr_invariants(x: Any) -> Any:
    """Return the factors with the diagonal of R made positive."""
    q, r = linalg.qr(x)
    signs = tl.sign(tl.diag_part(r))
    return q * signs[None, :], r * signs[:, None]


def qr_reference(x: Any) -> Any:
    q, r = np.linalg.qr(x)
    signs = np.sign(np.diagonal(r))
    return q * signs[None, :], r * signs[:, None]


PRODUCTS = (
    product("matrices", (2, 3), (3, 4), dtypes=(*REALS, tl.complex128)),
    product("no-inner-size", (2, 0), (0, 4)),
    product("vectors", (3,), (3,), needs_rank=True),
    product("row", (3,), (3, 4), needs_rank=True),
    product("column", (2, 2, 3), (3,), needs_rank=True),
    product("stacks", (2, 1, 2, 3), (3, 3, 2), dtypes=COMPLEX),
    *[
        OpCase(
            f"matmul-transposed-{a}-{b}",
            lambda x, y, a=a, b=b: tl.matmul(x, y, transpose_a=a, transpose_b=b),
            lambda x, y, a=a, b=b: (x.mT if a else x) @ (y.mT if b else y),
            arrays((3, 2) if a else (2, 3), (4, 3) if b else (3, 4)),
            COMPLEX,
        )
        for a, b in ((True, False), (False, True), (True, True))
    ],
    OpCase(
        "matmul-transposed-stack",
        lambda x, y: tl.matmul(x, y, transpose_a=True),
        lambda x, y: x.mT @ y,
        arrays((2, 3, 2), (3, 1)),
        COMPLEX,
    ),
    OpCase("vecdot", tl.vecdot, np.vecdot, arrays((2, 3), (3,)), COMPLEX),
    OpCase(
        "tensordot",
        lambda x, y: tl.tensordot(x, y, axes=((1, 2), (1, 0))),
        lambda x, y: np.tensordot(x, y, axes=((1, 2), (1, 0))),
        arrays((2, 3, 4), (4, 3, 2)),
        REALS,
        needs_rank=True,
    ),
    OpCase("outer", linalg.outer, np.outer, arrays((2,), (3,)), COMPLEX),
    OpCase("cross", linalg.cross, np.linalg.cross, arrays((2, 3), (2, 3)), COMPLEX),
)


def equation(text: str, *shapes: tuple[int, ...], **options: Any) -> OpCase:
    """Return a case of einsum."""
    return OpCase(
        f"einsum-{text}",
        lambda *xs: tl.einsum(text, *xs),
        lambda *xs: np.einsum(text, *xs),
        arrays(*shapes),
        **options,
    )


SUMS = (
    equation("ij,jk->ik", (2, 3), (3, 4), dtypes=COMPLEX),
    equation("ii->i", (3, 3)),
    equation("iij,j", (2, 2, 3), (3,)),
    equation("ij->j", (2, 3), dtypes=REALS),
    equation("...ij,...jk->...ik", (2, 2, 3), (3, 4), needs_rank=True),
    equation("i...,j->...j", (2, 3), (4,), needs_rank=True),
    equation("bi...,bi...->b...", (2, 3, 1, 4), (2, 3, 2, 1), needs_rank=True),
    equation("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
)

DIAGONALS = (
    OpCase(
        "diagonal",
        lambda x: linalg.diagonal(x, offset=1),
        lambda x: np.diagonal(x, 1, -2, -1),
        arrays((2, 3, 4)),
        REALS,
    ),
    OpCase(
        "trace",
        linalg.trace,
        lambda x: np.trace(x, axis1=-2, axis2=-1),
        arrays((2, 3, 4)),
        REALS,
    ),
    OpCase(
        "diag",
        lambda x: tl.diag(x, -1),
        lambda x: np.diag(x, -1),
        arrays((3,)),
        REALS,
    ),
    OpCase(
        "set_diag",
        tl.set_diag,
        lambda x, y: x * (1 - np.eye(2, 3)) + np.eye(2, 3) * y[:, None],
        arrays((2, 3), (2,)),
    ),
    OpCase(
        "band_part",
        lambda x: tl.band_part(x, 1, 0),
        lambda x: np.triu(np.tril(x), -1),
        arrays((2, 3, 4)),
        REALS,
    ),
)

SYSTEMS = (
    square("inv", linalg.inv, np.linalg.inv),
    square("det", linalg.det, np.linalg.det),
    square("slogdet", linalg.slogdet, np.linalg.slogdet),
    OpCase(
        "solve",
        lambda a, b: linalg.solve(regular(a), b),
        lambda a, b: np.linalg.solve(regular(a), b),
        one_of(((2, 3, 3), (3, 2)), ((3, 3), (3, 1)), ((3, 3), (2, 3, 2))),
        COMPLEX,
        **LOOSE,
    ),
    OpCase(
        "solve-vector",
        lambda a, b: linalg.solve(regular(a), b),
        lambda a, b: np.linalg.solve(regular(a), b),
        arrays((2, 3, 3), (3,)),
        needs_rank=True,
        **LOOSE,
    ),
    *[
        OpCase(
            f"triangular_solve-{lower}-{adjoint}",
            lambda a, b, lower=lower, adjoint=adjoint: linalg.triangular_solve(
                regular(a), b, lower=lower, adjoint=adjoint
            ),
            lambda a, b, lower=lower, adjoint=adjoint: triangular(
                regular(a), b, lower, adjoint
            ),
            arrays((2, 3, 3), (3, 2)),
            COMPLEX,
            **LOOSE,
        )
        for lower, adjoint in ((True, False), (False, True))
    ],
    OpCase(
        "lstsq",
        linalg.lstsq,
        lambda a, b: np.linalg.lstsq(a, b)[0],
        arrays((4, 2), (4, 3)),
        **LOOSE,
    ),
)


def triangular(a: Any, b: Any, lower: bool, adjoint: bool) -> Any:
    """Return NumPy's solution of a triangular system."""
    triangle = np.tril(a) if lower else np.triu(a)
    return np.linalg.solve(
        triangle.conj().swapaxes(-1, -2) if adjoint else triangle, b
    )


FACTORS = (
    square("cholesky", linalg.cholesky, np.linalg.cholesky, positive),
    square(
        "cholesky-upper",
        lambda x: linalg.cholesky(x, upper=True),
        lambda x: np.linalg.cholesky(x, upper=True),
        positive,
    ),
    square("eigvalsh", linalg.eigvalsh, np.linalg.eigvalsh, hermitian),
    square(
        "eigh",
        lambda x: (
            linalg.eigh(x).eigenvalues,
            tl.abs(linalg.eigh(x).eigenvectors) ** 2,
        ),
        lambda x: (
            np.linalg.eigh(x).eigenvalues,
            np.abs(np.linalg.eigh(x).eigenvectors) ** 2,
        ),
        hermitian,
    ),
    square(
        "eigvals",
        lambda x: tl.sum(linalg.eigvals(x) ** 3, axis=-1),
        lambda x: np.sum(np.linalg.eigvals(x).astype(complex) ** 3, axis=-1),
        hermitian,
        rtol=5e-3,
    ),
    square(
        "eig",
        lambda x: tl.sum(tl.abs(linalg.eig(x).eigenvectors) ** 4, axis=-1),
        lambda x: np.sum(np.abs(np.linalg.eig(x).eigenvectors) ** 4, axis=-1),
        hermitian,
    ),
    OpCase(
        "svdvals",
        linalg.svdvals,
        lambda x: np.linalg.svd(x, compute_uv=False),
        one_of(((3, 4),), ((2, 4, 3),)),
        COMPLEX,
        **LOOSE,
    ),
    OpCase(
        "svd",
        lambda x: svd_invariants(stretched(x)),
        lambda x: svd_reference(stretched(x)),
        arrays((4, 3)),
        COMPLEX,
        **LOOSE,
    ),
    OpCase("qr-tall", qr_invariants, qr_reference, arrays((4, 3)), **LOOSE),
    OpCase("qr-wide", qr_invariants, qr_reference, arrays((2, 4)), **LOOSE),
    OpCase(
        "pinv",
        linalg.pinv,
        np.linalg.pinv,
        one_of(((2, 4),), ((2, 4, 2),)),
        COMPLEX,
        **LOOSE,
    ),
    OpCase(
        "matrix_rank",
        lambda x: linalg.matrix_rank(tl.einsum("i,j->ij", x, x)),
        lambda x: np.asarray(min(x.size, 1)),
        arrays((3,)),
        differentiable=False,
    ),
)

NORMS = (
    *[
        OpCase(
            f"vector_norm-{order}",
            lambda x, order=order: linalg.vector_norm(x, axis=-1, ord=order),
            lambda x, order=order: np.linalg.vector_norm(x, axis=-1, ord=order),
            arrays((2, 3)),
            COMPLEX,
            rtol=1e-4,
        )
        for order in (2, 1, np.inf, -np.inf, 3)
    ],
    OpCase(
        "vector_norm-0",
        lambda x: linalg.vector_norm(x, ord=0),
        lambda x: np.linalg.vector_norm(x, ord=0),
        arrays((2, 3)),
        differentiable=False,
    ),
    *[
        OpCase(
            f"matrix_norm-{order}",
            lambda x, order=order: linalg.matrix_norm(x, ord=order, keepdims=True),
            lambda x, order=order: np.linalg.matrix_norm(x, ord=order, keepdims=True),
            arrays((2, 3, 4)),
            COMPLEX,
            **LOOSE,
        )
        for order in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
    ],
    OpCase(
        "norm",
        lambda x: linalg.norm(x, axis=(0, 1), ord=1),
        lambda x: np.linalg.norm(x, axis=(0, 1), ord=1),
        arrays((2, 3, 4)),
        needs_rank=True,
    ),
    square(
        "matrix_power",
        lambda x: linalg.matrix_power(x, 3),
        lambda x: np.linalg.matrix_power(x, 3),
        lambda x: x,
    ),
    square(
        "matrix_power-0",
        lambda x: linalg.matrix_power(x, 0),
        lambda x: np.linalg.matrix_power(x, 0),
        differentiable=False,
    ),
    square(
        "matrix_power-negative",
        lambda x: linalg.matrix_power(x, -2),
        lambda x: np.linalg.matrix_power(x, -2),
    ),
)

CASES = (*PRODUCTS, *SUMS, *DIAGONALS, *SYSTEMS, *FACTORS, *NORMS)
