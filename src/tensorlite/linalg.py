"""Linear algebra: the Array API standard's `linalg` extension, and what it lacks.

Everything takes stacks of matrices, has gradients, and works in traces.
"""

from __future__ import annotations

from tensorlite.ops.arrays.arrange import matrix_transpose
from tensorlite.ops.linear.bands import (
    banded_triangular_solve,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
    tensor_diag,
    tensor_diag_part,
    tridiagonal_matmul,
    tridiagonal_solve,
)
from tensorlite.ops.linear.decompose import cholesky, qr
from tensorlite.ops.linear.diagonal import (
    band_part,
    diag,
    diag_part,
    diagonal,
    set_diag,
    trace,
)
from tensorlite.ops.linear.einsum import einsum, tensordot
from tensorlite.ops.linear.linalg import (
    lstsq,
    matrix_norm,
    matrix_power,
    norm,
    vector_norm,
)
from tensorlite.ops.linear.matmul import cross, matmul, outer, vecdot
from tensorlite.ops.linear.matrix_functions import (
    cholesky_solve,
    expm,
    logdet,
    logm,
    lu,
    lu_solve,
    matvec,
    sqrtm,
)
from tensorlite.ops.linear.solve import det, inv, slogdet, solve, triangular_solve
from tensorlite.ops.linear.spectral import (
    eig,
    eigh,
    eigvals,
    eigvalsh,
    matrix_rank,
    pinv,
    svd,
    svdvals,
)

__all__ = [
    "band_part",
    "banded_triangular_solve",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "einsum",
    "expm",
    "inv",
    "logdet",
    "logm",
    "lstsq",
    "lu",
    "lu_solve",
    "matmul",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_set_diag",
    "matrix_transpose",
    "matvec",
    "norm",
    "outer",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "svdvals",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "triangular_solve",
    "tridiagonal_matmul",
    "tridiagonal_solve",
    "vecdot",
    "vector_norm",
]


def __dir__() -> list[str]:
    return __all__
