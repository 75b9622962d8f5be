"""Kinds of matrices that tensors give: full ones, diagonals, reflections, permutations and others.

LinearOperator itself is in linear_operator.py, operators made of operators in
linear_operator_blocks.py, circulant ones and Toeplitz's in circulants.py.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import arrays, checks, cutting, elementwise, reductions
from tensorlite.compat.shared.linear import banded, diagonals, matrices, norms
from tensorlite.compat.shared.linear.known_matrices import (
    Hints,
    kept,
    log_abs_product,
    square_over,
    square_sizes,
    static_shape,
    tensor_of,
)
from tensorlite.compat.shared.linear.linear_operator import (
    LinearOperator,
    LinearOperatorLowerTriangular,
    conjugate,
    product,
)
from tensorlite.compat.shared.linear.operator_checks import always, whole, with_rank
from tensorlite.core.dtypes import float32, int32


class LinearOperatorFullMatrix(LinearOperator):
    """Any matrix."""

    def __init__(
        self,
        matrix: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        self.matrix = with_rank(kept(matrix), 2, "matrix")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(self.matrix.dtype, None, *hints, name)

    def _shape(self) -> Any:
        return static_shape(self.matrix)

    def _to_dense(self) -> Any:
        return tensor_of(self.matrix)

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return product(self.to_dense(), x, adjoint, adjoint_arg)


class LinearOperatorDiag(LinearOperator):
    """A matrix that is zero but for its diagonal."""

    def __init__(
        self,
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        self._diag = with_rank(kept(diag), 1, "diag")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        self._begin(self._diag.dtype, hints, name)

    def _begin(self, dtype: Any, hints: Hints, name: str) -> None:
        """Note what is known: real numbers are their own adjoint, and the matrix is square."""
        non_singular, symmetric, positive, square = hints
        if not dtype.is_complex:
            always("A real diagonal operator", [None, symmetric], [False, True])
            symmetric = True
        square = True if square is None else square
        LinearOperator.__init__(
            self, dtype, None, non_singular, symmetric, positive, square, name
        )

    @property
    def diag(self) -> Any:
        """The diagonal, [..., rows]."""
        return self._diag

    def _shape(self) -> Any:
        return square_over(self._diag)

    def _diag_part(self) -> Any:
        return tensor_of(self._diag)

    def _to_dense(self) -> Any:
        return diagonals.on_main_diagonal(self._diag_part())

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        found = self._diag_part()
        return (conjugate(found) if adjoint else found) * x

    def _column(self, adjoint: bool) -> Any:
        found = self._diag_part()
        return arrays.expand_dims(conjugate(found) if adjoint else found, -1)

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return self._column(adjoint) * (matrices.adjoint(x) if adjoint_arg else x)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        found = self._diag_part()
        right = matrices.adjoint(rhs) if adjoint_arg else rhs
        turned = 1.0 / (conjugate(found) if adjoint else found)
        return right * arrays.expand_dims(turned, -1)

    def _determinant(self) -> Any:
        return reductions.reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self) -> Any:
        return log_abs_product(self._diag_part())

    def _add_to_tensor(self, x: Any) -> Any:
        return diagonals.with_main_diagonal(
            x, self._diag_part() + diagonals.main_diagonal(x)
        )

    def _eigvals(self) -> Any:
        return self._diag_part()

    def times(self, other: LinearOperator) -> LinearOperator:
        """Return the product with another operator, a diagonal if both are."""
        if isinstance(other, LinearOperatorDiag):
            return LinearOperatorDiag(self.diag_part() * other.diag_part())
        if isinstance(other, LinearOperatorLowerTriangular):
            return LinearOperatorLowerTriangular(self.matmul(other.to_dense()))
        return super().times(other)

    def _assert_non_singular(self) -> Any:
        return checks.assert_positive(
            elementwise.abs(self._diag_part()),
            message="Singular operator: Diagonal contained zero values.",
        )

    def _assert_positive_definite(self) -> Any:
        said = "Diagonal operator had diagonal entries with non-positive real part, "
        return checks.assert_positive(
            elementwise.real(self._diag_part()),
            message=f"{said}thus was not positive definite.",
        )

    def _assert_self_adjoint(self) -> Any:
        said = "This diagonal operator contained non-zero imaginary values. "
        parts = elementwise.imag(self._diag_part())
        return checks.assert_equal(
            parts,
            arrays.zeros((), dtype=parts.dtype),
            message=f"{said}Thus it was not self-adjoint.",
        )

    def _linop_adjoint(self) -> LinearOperator:
        return LinearOperatorDiag(conjugate(self._diag_part()), *self.hints)

    def _linop_inverse(self) -> LinearOperator:
        return LinearOperatorDiag(1.0 / self._diag_part(), True, *self.hints[1:])

    def _linop_cholesky(self) -> LinearOperator:
        return LinearOperatorDiag(
            elementwise.sqrt(self._diag_part()), True, True, is_square=True
        )


class LinearOperatorHouseholder(LinearOperator):
    """The reflection of vectors by the plane that an axis stands on: 1 - 2 v v^H / |v|^2."""

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        self._reflection_axis = with_rank(kept(reflection_axis), 1, "reflection_axis")
        hints = (True, True, is_positive_definite, True)
        super().__init__(self._reflection_axis.dtype, None, *hints, name)

    @property
    def reflection_axis(self) -> Any:
        """The axis that vectors are reflected along."""
        return self._reflection_axis

    def _shape(self) -> Any:
        return square_over(self._reflection_axis)

    def _shape_tensor(self) -> Any:
        return square_sizes(self._reflection_axis)

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        right = matrices.adjoint(x) if adjoint_arg else x
        axis = arrays.expand_dims(
            norms.l2_normalize(tensor_of(self._reflection_axis), -1), -1
        )
        along = reductions.reduce_sum(conjugate(axis) * right, -2, keepdims=True)
        return right - 2 * axis * along

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _linop_inverse(self) -> LinearOperator:
        return self

    def _determinant(self) -> Any:
        return -arrays.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self) -> Any:
        return arrays.zeros(self.batch_shape_tensor(), dtype=self.dtype)


class LinearOperatorPermutation(LinearOperator):
    """A matrix that reorders what it is applied to: row i is what stood in row perm[i]."""

    def __init__(
        self,
        perm: Any,
        dtype: Any = float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        self._perm = with_rank(kept(perm), 1, "perm")
        whole(self._perm, "perm", self._perm.get_shape().rank)
        hints = (True, is_self_adjoint, is_positive_definite, True)
        super().__init__(dtype, None, *hints, name)

    @property
    def perm(self) -> Any:
        """The order of the rows."""
        return self._perm

    def _shape(self) -> Any:
        return square_over(self._perm)

    def _shape_tensor(self) -> Any:
        return square_sizes(self._perm)

    def _to_dense(self) -> Any:
        columns = arrays.range(tensor_of(self.domain_dimension_tensor(), int32))
        rows = arrays.expand_dims(elementwise.cast(self._perm, int32), -1)
        return elementwise.cast(elementwise.equal(rows, columns), self.dtype)

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return product(self.to_dense(), x, adjoint, adjoint_arg)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return self._matmul(rhs, not adjoint, adjoint_arg)

    def _log_abs_determinant(self) -> Any:
        return arrays.zeros(self.batch_shape_tensor(), dtype=self.dtype)


class LinearOperatorTridiag(LinearOperator):
    """A matrix of three diagonals."""

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        self._form = diagonals_format
        several = diagonals_format == "sequence"
        given = [kept(x) for x in diagonals] if several else [kept(diagonals)]
        self._diagonals: Any = given if several else given[0]
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(given[0].dtype, None, *hints, name)

    @property
    def diagonals(self) -> Any:
        """The diagonals as they were given."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """Form of the diagonals: 'compact', 'sequence' or 'matrix'."""
        return self._form

    def _shape(self) -> Any:
        first = self._diagonals[1] if self._form == "sequence" else self._diagonals
        if first.get_shape().rank is None:
            return as_shape(None)
        sizes = list(first.get_shape().as_list())
        batch = {"sequence": sizes[:-1], "compact": sizes[:-2], "matrix": sizes[:-2]}
        return as_shape((*batch[self._form], sizes[-1], sizes[-1]))

    def _shape_tensor(self) -> Any:
        main = self._compact(False)[..., 1, :]
        return square_sizes(main)

    def _compact(self, adjoint: bool) -> Any:
        """Return the diagonals as rows of a tensor, those of the adjoint if asked for."""
        if self._form == "sequence":
            rows = arrays.stack(self._diagonals, -2)
        elif self._form == "matrix":
            bands = tensor_of(self._diagonals)
            rows = diagonals.matrix_diag_part(bands, k=(-1, 1), align="LEFT_RIGHT")
        else:
            rows = tensor_of(self._diagonals)
        if not adjoint:
            return rows
        upper, main, lower = (conjugate(rows[..., i, :]) for i in (0, 1, 2))
        turned = (cutting.roll(lower, -1, -1), main, cutting.roll(upper, 1, -1))
        return arrays.stack(turned, -2)

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        right = matrices.adjoint(x) if adjoint_arg else x
        return banded.tridiagonal_matmul(self._compact(adjoint), right)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        right = matrices.adjoint(rhs) if adjoint_arg else rhs
        rows = self._compact(adjoint)
        # Columns without a batch would pass for a batch of vectors.
        if None not in (rows.shape.rank, right.shape.rank):
            for _ in range(rows.shape.rank - right.shape.rank):
                right = arrays.expand_dims(right, 0)
        return banded.tridiagonal_solve(rows, right)
