"""Matrices: `tf.linalg`."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.linear import linalg
from tensorlite.compat.shared.linear.linalg import *
from tensorlite.compat.v1.functions import matrices, matrices_written
from tensorlite.compat.v1.functions.clipping import global_norm as global_norm
from tensorlite.compat.v1.functions.contracting import tensordot as tensordot
from tensorlite.compat.v1.functions.einsums import einsum as einsum
from tensorlite.compat.v1.functions.matrices import (
    l2_normalize as l2_normalize,
    norm as norm,
)
from tensorlite.compat.v1.functions.matrices_written import (
    expm as expm,
    matrix_rank as matrix_rank,
    pinv as pinv,
    tridiagonal_matmul as tridiagonal_matmul,
    tridiagonal_solve as tridiagonal_solve,
)

diag = matrices.matrix_diag
diag_part = matrices.matrix_diag_part
set_diag = matrices.matrix_set_diag
eye = matrices.eye
lstsq = matrices_written.matrix_solve_ls
transpose = linalg.matrix_transpose


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
