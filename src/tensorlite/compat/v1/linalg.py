"""Matrices: `tf.linalg`."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared.arrays import (
    eye,
)
from tensorlite.compat.shared.matrices import (
    adjoint,
    band_part,
    cholesky,
    cholesky_solve,
    cross,
    det,
    eigh,
    eigvalsh,
    einsum,
    expm,
    global_norm,
    inv,
    logdet,
    logm,
    lstsq,
    lu,
    matmul,
    matrix_rank,
    matrix_transpose,
    matvec,
    normalize,
    pinv,
    qr,
    slogdet,
    solve,
    sqrtm,
    svd,
    tensor_diag,
    tensor_diag_part,
    tensordot,
    trace,
    triangular_solve,
    tridiagonal_solve,
)
from tensorlite.compat.shared.matrices import (
    matrix_transpose as transpose,
)
from tensorlite.compat.shared.operators import (
    LinearOperator,
    LinearOperatorAdjoint,
    LinearOperatorBlockDiag,
    LinearOperatorComposition,
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
    LinearOperatorIdentity,
    LinearOperatorInversion,
    LinearOperatorLowerTriangular,
    LinearOperatorLowRankUpdate,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from tensorlite.compat.v1.matrices import (
    l2_normalize,
    norm,
)
from tensorlite.compat.v1.matrices import (
    matrix_diag as diag,
)
from tensorlite.compat.v1.matrices import (
    matrix_diag_part as diag_part,
)
from tensorlite.compat.v1.matrices import (
    matrix_set_diag as set_diag,
)

__all__ = [
    "LinearOperator",
    "LinearOperatorAdjoint",
    "LinearOperatorBlockDiag",
    "LinearOperatorComposition",
    "LinearOperatorDiag",
    "LinearOperatorFullMatrix",
    "LinearOperatorIdentity",
    "LinearOperatorInversion",
    "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular",
    "LinearOperatorScaledIdentity",
    "LinearOperatorZeros",
    "adjoint",
    "band_part",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eigh",
    "eigvalsh",
    "einsum",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "l2_normalize",
    "logdet",
    "logm",
    "lstsq",
    "lu",
    "matmul",
    "matrix_rank",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "transpose",
    "triangular_solve",
    "tridiagonal_solve",
]


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
