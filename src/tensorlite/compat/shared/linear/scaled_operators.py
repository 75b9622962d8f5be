"""Matrices that one number gives: multiples of the identity, the identity, and zeros."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import given_constant
from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.linear import diagonals, matrices
from tensorlite.compat.shared.linear.known_matrices import (
    Hints,
    kept,
    static_shape,
    tensor_of,
    unit,
)
from tensorlite.compat.shared.linear.linear_operator import (
    LinearOperator,
    conjugate,
)
from tensorlite.compat.shared.linear.linear_operators import LinearOperatorDiag
from tensorlite.compat.shared.linear.operator_checks import always, same_size, whole
from tensorlite.compat.shared.values import get_static_value
from tensorlite.core.dtypes import as_dtype, float32, int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph, name_scope


class LinearOperatorScaledIdentity(LinearOperatorDiag):
    """A matrix with one number all along its diagonal."""

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        self._num_rows = whole(num_rows, "num_rows")
        self._multiplier = kept(multiplier)
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        self._begin(self._multiplier.dtype, hints, name)
        with name_scope(self.name):
            self._count = given_constant(self._num_rows, int32, name="num_rows")
            # TensorFlow makes both beforehand, for determinants and their logarithms.
            self._powers = [elementwise.cast(self._count, self.dtype) for _ in "12"]

    @property
    def multiplier(self) -> Any:
        """The number along the diagonal, [...]."""
        return self._multiplier

    @property
    def diag(self) -> Any:
        """The diagonal, [..., rows]."""
        return self._diag_part()

    def _shape(self) -> Any:
        known = get_static_value(self._num_rows) if self._is_given else self._num_rows
        rows = None if known is None else int(known)
        return static_shape(self.multiplier).concatenate([rows, rows])

    @property
    def _is_given(self) -> bool:
        return isinstance(self._num_rows, Operand)

    def _matrix(self, adjoint: bool) -> Any:
        """Return the number along the diagonal as a matrix of one element."""
        found = tensor_of(self.multiplier)
        found = arrays.expand_dims(arrays.expand_dims(found, -1), -1)
        return conjugate(found) if adjoint else found

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return (matrices.adjoint(x) if adjoint_arg else x) * self._matrix(adjoint)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        right = matrices.adjoint(rhs) if adjoint_arg else rhs
        return right / self._matrix(adjoint)

    def _determinant(self) -> Any:
        return tensor_of(self.multiplier) ** self._powers[0]

    def _log_abs_determinant(self) -> Any:
        size = elementwise.abs(tensor_of(self.multiplier))
        return elementwise.cast(self._powers[1], size.dtype) * elementwise.log(size)

    def _to_dense(self) -> Any:
        if active_graph() is None:
            return super()._to_dense()
        return super(LinearOperatorDiag, self)._to_dense()

    def _add_to_tensor(self, x: Any) -> Any:
        added = arrays.expand_dims(tensor_of(self.multiplier), -1)
        return diagonals.with_main_diagonal(x, added + diagonals.main_diagonal(x))

    def _diag_part(self) -> Any:
        ones = arrays.ones([self._num_rows], dtype=self.multiplier.dtype)
        return arrays.expand_dims(tensor_of(self.multiplier), -1) * ones

    def _scaled(
        self,
        multiplier: Any,
        hints: Hints = (None, None, None, True),
    ) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._num_rows, multiplier, *hints)

    def times(self, other: LinearOperator) -> LinearOperator:
        """Return the product with another operator."""
        if isinstance(other, LinearOperatorIdentity):
            return self
        if isinstance(other, LinearOperatorScaledIdentity):
            return self._scaled(self.multiplier * other.multiplier)
        return super().times(other)

    def _linop_adjoint(self) -> LinearOperator:
        return self._scaled(conjugate(self.multiplier), self.hints)

    def _linop_inverse(self) -> LinearOperator:
        return self._scaled(1.0 / self.multiplier, self.hints)

    def _linop_cholesky(self) -> LinearOperator:
        return self._scaled(
            elementwise.sqrt(self.multiplier), (True, True, True, True)
        )


class LinearOperatorIdentity(LinearOperatorScaledIdentity):
    """The matrix that changes nothing."""

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        self._batch_shape, self._dtype = batch_shape, as_dtype(dtype or float32)
        whole(() if batch_shape is None else batch_shape, "batch_shape", 1)
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        always("An identity operator", hints, [True] * 4)
        self._num_rows = whole(num_rows, "num_rows")
        self._begin(self._dtype, hints, name)
        with name_scope(self.name):
            self._count = given_constant(self._num_rows, int32, name="num_rows")

    @property
    def multiplier(self) -> Any:
        """One, for each matrix of the batch."""
        batch = () if self._batch_shape is None else self._batch_shape
        return arrays.ones(batch, dtype=self.dtype)

    def _shape(self) -> Any:
        if self._batch_shape is not None:
            return super()._shape()
        known = get_static_value(self._num_rows) if self._is_given else self._num_rows
        rows = None if known is None else int(known)
        return as_shape((rows, rows))

    def _determinant(self) -> Any:
        return arrays.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self) -> Any:
        return arrays.zeros(self.batch_shape_tensor(), dtype=self.dtype.real_dtype)

    def _add_to_tensor(self, x: Any) -> Any:
        if self._batch_shape is not None:
            return super()._add_to_tensor(x)
        return diagonals.with_main_diagonal(x, 1.0 + diagonals.main_diagonal(x))

    def times(self, other: LinearOperator) -> LinearOperator:
        """Return the other operator."""
        return other

    def _to_dense(self) -> Any:
        if self._batch_shape is not None:
            return super()._to_dense()
        return unit(self._num_rows, self.dtype)

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        if self._batch_shape is not None:
            return super()._matmul(x, adjoint, adjoint_arg)
        return matrices.adjoint(x) if adjoint_arg else x

    def _linop_inverse(self) -> LinearOperator:
        return self

    def _linop_cholesky(self) -> LinearOperator:
        return self


class LinearOperatorZeros(LinearOperator):
    """A matrix of zeros."""

    def __init__(
        self,
        num_rows: int,
        num_columns: int | None = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        columns = num_rows if num_columns is None else num_columns
        whole(num_rows, "num_rows")
        whole(columns, "num_columns")
        whole(batch_shape or (), "batch_shape", 1)
        self._sizes = (*(batch_shape or ()), num_rows, columns)
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(dtype or float32, None, *hints, name)
        with name_scope(self.name):
            given_constant(num_rows, int32, name="num_rows")
            given_constant(columns, int32, name="num_columns")

    def _shape(self) -> Any:
        return as_shape(self._sizes)

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        *batch, rows, columns = self._sizes
        rows, columns = (columns, rows) if adjoint else (rows, columns)
        sizes = x.get_shape()
        if sizes.rank is not None:
            same_size(columns, sizes[-1 if adjoint_arg else -2])
        found = arrays.shape(x)
        if rows != columns or adjoint_arg:
            ends = [rows, found[-2 if adjoint_arg else -1]]
            found = arrays.concat([found[:-2], ends], 0)
        zeros = arrays.zeros(found, dtype=x.dtype)
        return zeros + arrays.zeros([*batch, 1, 1], dtype=x.dtype) if batch else zeros

    def _to_dense(self) -> Any:
        if active_graph() is None:
            return arrays.zeros(self._sizes, dtype=self.dtype)
        return super()._to_dense()

    def _determinant(self) -> Any:
        return arrays.zeros(self._sizes[:-2], dtype=self.dtype)

    def _assert_non_singular(self) -> Any:
        raise InvalidArgumentError("Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Any:
        raise InvalidArgumentError("Zero operators are always non-positive definite.")
