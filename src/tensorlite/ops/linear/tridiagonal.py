"""Systems and products of tridiagonal matrices as the operators that TensorFlow has for them.

What they compute is in bands.py.
"""

from __future__ import annotations

from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.composite import Composite
from tensorlite.ops.linear.bands import tridiagonal_matmul, tridiagonal_solve

__all__: list[str] = []


class TridiagonalSolve(Composite):
    """The solutions of systems of which the diagonals are rows: upper, main, lower."""

    partial_pivoting: bool = True

    def compose(self, diagonals: Tensor, rhs: Tensor) -> Tensor:
        """Return the solutions; rows change places whatever `partial_pivoting` says."""
        return tridiagonal_solve(diagonals, rhs)

    def infer(self, *specs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the spec of the right sides, if it is not known how long diagonals are."""
        diagonals, rhs = specs
        if diagonals.rank and diagonals.dims[-1] is None:
            return (rhs.without_value(),)
        return super().infer(*specs)


class TridiagonalMatMul(Composite):
    """The products of matrices of three diagonals, each of them a row, and matrices."""

    def compose(
        self, superdiag: Tensor, maindiag: Tensor, subdiag: Tensor, rhs: Tensor
    ) -> Tensor:
        """Return the products."""
        diagonals = concat([superdiag, maindiag, subdiag], axis=-2)
        return tridiagonal_matmul(diagonals, rhs)
