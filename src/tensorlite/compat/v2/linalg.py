"""Matrices: `tf.linalg`."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.linear import diagonals, linalg_experimental
from tensorlite.compat.shared.linear.banded import (
    banded_triangular_solve as banded_triangular_solve,
    tridiagonal_solve_v2,
)
from tensorlite.compat.shared.linear.linalg import *
from tensorlite.compat.shared.linear.matrices import (
    eig as eig,
    eigvals as eigvals,
)
from tensorlite.compat.shared.linear.norms import (
    norm as norm,
)
from tensorlite.compat.v2.nn_functions import l2_normalize as l2_normalize

experimental = linalg_experimental
diag = diagonals.matrix_diag
diag_part = diagonals.matrix_diag_part
set_diag = diagonals.matrix_set_diag
tridiagonal_solve = tridiagonal_solve_v2


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
