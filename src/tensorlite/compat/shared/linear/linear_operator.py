"""LinearOperator: a matrix, or a batch of them, by what it does to vectors; and what it gives.

These are adjoints, inverses, products and factors. Other kinds of matrices are in
linear_operators.py, those made of other operators in linear_operator_blocks.py, circulant ones in
circulants.py. A program's own say what they do by methods with an underscore, as in TensorFlow.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NoReturn

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import arrays, checks, elementwise, reductions
from tensorlite.compat.shared.linear import diagonals, matrices
from tensorlite.compat.shared.linear.known_matrices import (
    KnownMatrix,
    completed,
    kept,
    log_abs_product,
    static_shape,
    tensor_of,
    under_its_name,
)
from tensorlite.compat.shared.linear.operator_checks import (
    alike,
    fitting,
    joined,
    with_rank,
)
from tensorlite.compat.shared.linear.operator_forms import OPERATOR_FORMS
from tensorlite.compat.shared.linear.operator_slices import sliced
from tensorlite.core.errors import CompositeError, InvalidArgumentError
from tensorlite.core.sizes import as_value
from tensorlite.core.spec import broadcast
from tensorlite.graph_mode.graph import active_graph, name_scope


class LinearOperator(KnownMatrix):
    """A matrix of some kind: a program's own have `_shape`, `_matmul` and what else they know."""

    function_forms = OPERATOR_FORMS
    """What tf.linalg's functions make of it, by the names of their nodes."""

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        """Say that this is no array: functions of matrices ask it what they do instead."""
        raise CompositeError(
            self, "a linear operator; operator.to_dense() gives its matrix"
        )

    def __getitem__(self, slices: Any) -> Any:
        """Return such an operator of some of the batch: operator[0], operator[..., :2]."""
        return sliced(self, slices)

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        raise NotImplementedError("_matmul is not implemented.")

    def times(self, other: LinearOperator) -> LinearOperator:
        """Return the product with another operator."""
        square = True if self.is_square and other.is_square else None
        return LinearOperatorComposition([self, other], is_square=square)

    @under_its_name
    def matmul(
        self,
        x: Any,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "matmul",
    ) -> Any:
        """Return the product of the matrix, or its adjoint, and matrices `x`, or an operator.

        adjoint_arg=True takes the adjoint of `x`. Of an operator it gives one.
        """
        if isinstance(x, LinearOperator):
            fitting(self, x, adjoint, adjoint_arg)
            left = self.adjoint() if adjoint else self
            return left.times(x.adjoint() if adjoint_arg else x)
        right = tensor_of(x, self.dtype, name="x")
        return self._matmul(right, adjoint, adjoint_arg)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        column = arrays.expand_dims(x, -1)
        return arrays.squeeze(self.matmul(column, adjoint), [-1])

    @under_its_name
    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """Return the product of the matrix, or its adjoint, and vectors."""
        return self._matvec(tensor_of(x, self.dtype, name="x"), adjoint)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        right = matrices.adjoint(rhs) if adjoint_arg else rhs
        if self._can_use_cholesky():
            factor = matrices.cholesky(self.to_dense())
            with name_scope("CholeskySolveWithBroadcast"):
                return matrices.cholesky_solve(factor, right)
        dense = self.to_dense()
        with name_scope("MatrixSolveWithBroadcast"):
            return matrices.solve(dense, right, adjoint)

    @under_its_name
    def solve(
        self,
        rhs: Any,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "solve",
    ) -> Any:
        """Return the X of which the matrix, or its adjoint, makes `rhs`.

        adjoint_arg=True takes the adjoint of rhs. Of an operator it gives one. NotImplementedError
        for a matrix that is singular or not square by its hints.
        """
        self._refuse(self.is_non_singular is False, "solve", "singular")
        self._refuse(self.is_square is False, "solve", "not square")
        if isinstance(rhs, LinearOperator):
            fitting(self, rhs, not adjoint, adjoint_arg)
            left = self.adjoint() if adjoint else self
            return left.inverse().times(rhs.adjoint() if adjoint_arg else rhs)
        right = tensor_of(rhs, self.dtype, name="rhs")
        return self._solve(right, adjoint, adjoint_arg)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        column = arrays.expand_dims(rhs, -1)
        return arrays.squeeze(self.solve(column, adjoint), [-1])

    @under_its_name
    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """Return the vectors of which the matrix, or its adjoint, makes `rhs`."""
        return self._solvevec(tensor_of(rhs, self.dtype, name="rhs"), adjoint)

    # Other operators.

    def _linop_adjoint(self) -> LinearOperator:
        return LinearOperatorAdjoint(self)

    def _linop_inverse(self) -> LinearOperator:
        return LinearOperatorInversion(self)

    def _linop_cholesky(self) -> LinearOperator:
        factor = matrices.cholesky(self.to_dense())
        return LinearOperatorLowerTriangular(factor, is_non_singular=True)

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """Return the operator of the adjoint matrix, itself if it is self-adjoint."""
        return self if self.is_self_adjoint is True else self._linop_adjoint()

    @property
    def H(self) -> LinearOperator:
        """The operator of the adjoint matrix."""
        return self.adjoint()

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """Return the operator of the inverse matrix.

        InvalidArgumentError if the matrix is hinted to be not square, or singular.
        """
        self._demand(self.is_square is not False, "inverse", "square")
        self._demand(self.is_non_singular is not False, "inverse", "non-singular")
        return self._linop_inverse()

    @under_its_name
    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """Return the operator of the lower triangular factor.

        InvalidArgumentError unless the matrix is hinted to be self-adjoint and positive definite.
        """
        what = "self-adjoint and positive definite"
        self._demand(self._can_use_cholesky(), "cholesky", what)
        with name_scope("Cholesky"):
            return self._linop_cholesky()

    def _demand(self, met: bool, what: str, wanted: str) -> None:
        if not met:
            raise InvalidArgumentError(
                f"{what} takes a matrix that is {wanted} by its hints: {self.name}"
            )


def together(hints: list[bool | None]) -> bool | None:
    """Return True where all hints are, None where one is not known to be."""
    return True if all(hints) else None


class LinearOperatorLowerTriangular(LinearOperator):
    """A matrix of which only what is on and below the diagonal counts."""

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        self.tril = with_rank(kept(tril), 2, "tril")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite)
        square = True if is_square is None else is_square
        super().__init__(self.tril.dtype, None, *hints, square, name)

    def _shape(self) -> Any:
        return static_shape(self.tril)

    def _to_dense(self) -> Any:
        return matrices.band_part(self.tril, -1, 0)

    def _diag_part(self) -> Any:
        return diagonals.main_diagonal(self.tril)

    _get_diag = _diag_part
    """What classes derived from this one call it."""

    def _assert_non_singular(self) -> Any:
        return checks.assert_positive(
            elementwise.abs(self.diag_part()),
            message="Singular operator:  Diagonal contained zero values.",
        )

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return product(self._to_dense(), x, adjoint, adjoint_arg)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        right = matrices.adjoint(rhs) if adjoint_arg else rhs
        dense = self._to_dense()
        with name_scope("MatrixTriangularSolve"):
            return matrices.triangular_solve(dense, right, True, adjoint)

    def _determinant(self) -> Any:
        return reductions.reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self) -> Any:
        return log_abs_product(self._diag_part())

    def _eigvals(self) -> Any:
        return self.diag_part()


def product(matrix: Any, x: Any, adjoint: bool, adjoint_arg: bool) -> Any:
    """Return a dense matrix times another one."""
    return matrices.matmul(matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)


class _OfAnother(LinearOperator):
    """An operator that another one gives, which says what is not said of it."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        self._operator = operator
        given = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        alike(given, operator.hints)
        hints = completed(given, operator.hints)
        super().__init__(operator.dtype, None, *hints, name)

    @property
    def operator(self) -> LinearOperator:
        """The operator that this one is made of."""
        return self._operator


class LinearOperatorAdjoint(_OfAnother):
    """The adjoint of another one."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        given = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(operator, *given, name or f"{operator.name}_adjoint")

    def _linop_adjoint(self) -> LinearOperator:
        return self.operator

    def _shape(self) -> Any:
        known = self.operator.shape
        if known.rank is None:
            return known
        *batch, rows, columns = known.as_list()
        return as_shape((*batch, columns, rows))

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return self.operator.matmul(x, not adjoint, adjoint_arg)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return self.operator.solve(rhs, not adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        return matrices.adjoint(self.operator.to_dense())

    def _determinant(self) -> Any:
        return conjugate(self.operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self.operator.log_abs_determinant()

    def _diag_part(self) -> Any:
        return conjugate(self.operator.diag_part())


def conjugate(x: Any) -> Any:
    """Return conjugated elements; real ones as they are."""
    return elementwise.conj(x) if x.dtype.is_complex else x


class LinearOperatorInversion(_OfAnother):
    """The inverse of another one."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        if operator.is_non_singular is False or is_non_singular is False:
            raise InvalidArgumentError(
                "operator and supplied hints must have is_non_singular=True, for there is an "
                f"inverse: {operator.name}"
            )
        given = (True, is_self_adjoint, is_positive_definite, True)
        super().__init__(operator, *given, name or f"{operator.name}_inv")

    def _linop_inverse(self) -> LinearOperator:
        return self.operator

    def _shape(self) -> Any:
        return self.operator.shape

    def _shape_tensor(self) -> Any:
        return self.operator.shape_tensor()

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return self.operator.solve(x, adjoint, adjoint_arg)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return self.operator.matmul(rhs, adjoint, adjoint_arg)

    def _determinant(self) -> Any:
        return 1.0 / self.operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -self.operator.log_abs_determinant()


class LinearOperatorComposition(LinearOperator):
    """Matrices one behind the other."""

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        self._operators = list(operators)
        dtype = joined("The composition", self._operators, [is_non_singular])
        if is_non_singular is None:
            is_non_singular = together([x.is_non_singular for x in self._operators])
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        name = name or "_o_".join(x.name for x in self._operators)
        super().__init__(dtype, None, *hints, name)

    @property
    def operators(self) -> list[LinearOperator]:
        """The operators, the one that is applied last first."""
        return self._operators

    def _shape(self) -> Any:
        if any(x.shape.rank is None for x in self.operators):
            return as_shape(None)
        batch = shared_batch(self.operators)
        ends = (self.operators[0].shape[-2], self.operators[-1].shape[-1])
        return as_shape((*batch, *(as_value(x) for x in ends)))

    def _through(
        self, call: str, x: Any, back: bool, adjoint: bool, other: bool
    ) -> Any:
        rows = reversed(self.operators) if back else self.operators
        found = matrices.adjoint(x) if other else x
        return reduce(lambda y, one: getattr(one, call)(y, adjoint), rows, found)

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return self._through("matmul", x, not adjoint, adjoint, adjoint_arg)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return self._through("solve", rhs, adjoint, adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        if active_graph() is not None:
            return super()._to_dense()
        return reduce(matrices.matmul, [x.to_dense() for x in self.operators])

    def _determinant(self) -> Any:
        return reduce(elementwise.multiply, [x.determinant() for x in self.operators])

    def _log_abs_determinant(self) -> Any:
        return reduce(
            elementwise.add, [x.log_abs_determinant() for x in self.operators]
        )


def shared_batch(operators: list[LinearOperator]) -> tuple[int | None, ...]:
    """Return the sizes to which operators' batches broadcast."""
    shapes = [tuple(x.batch_shape.as_list()) for x in operators]
    return broadcast(*shapes) or ()


def make_composite_tensor(cls: type, module_name: str = "tf.linalg") -> type:
    """Return a class of operators as it is: functions take operators as they are."""
    return cls
