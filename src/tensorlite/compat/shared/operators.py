"""LinearOperators: matrices that know of what kind they are, which TensorFlow 1 and 2 have alike.

Triangular and diagonal ones solve as such; the others by the dense matrix.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import diagonals, elementwise, matrices, reductions
from tensorlite.core.dtypes import as_dtype, float32


class LinearOperator:
    """A matrix, or a batch of them, by what it does to vectors."""

    def __init__(self, dense: Any, name: str | None = None, **hints: Any) -> None:
        self._dense = dense
        self.name = name or type(self).__name__
        self.hints = hints

    def to_dense(self, name: str = "to_dense") -> Any:
        return self._dense

    @property
    def dtype(self) -> Any:
        return self._dense.dtype

    @property
    def shape(self) -> Any:
        return as_shape(tuple(self._dense.get_shape().as_list()))

    @property
    def domain_dimension(self) -> Any:
        return self.shape[-1]

    @property
    def range_dimension(self) -> Any:
        return self.shape[-2]

    @property
    def is_square(self) -> Any:
        return self.hints.get("is_square", self.shape[-1] == self.shape[-2])

    @property
    def is_self_adjoint(self) -> Any:
        return self.hints.get("is_self_adjoint")

    @property
    def is_non_singular(self) -> Any:
        return self.hints.get("is_non_singular")

    @property
    def is_positive_definite(self) -> Any:
        return self.hints.get("is_positive_definite")

    def matmul(
        self,
        x: Any,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "matmul",
    ) -> Any:
        if isinstance(x, LinearOperator):
            return LinearOperatorComposition([self.adjoint() if adjoint else self, x])
        return matrices.matmul(
            self.to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg, name=name
        )

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        return matrices.matvec(self.to_dense(), x, adjoint_a=adjoint, name=name)

    def solve(
        self,
        rhs: Any,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "solve",
    ) -> Any:
        right = matrices.adjoint(rhs) if adjoint_arg else rhs
        return matrices.solve(self.to_dense(), right, adjoint, name)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        return _column(self, rhs, adjoint, name=name)

    def determinant(self, name: str = "det") -> Any:
        return matrices.det(self.to_dense(), name)

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        return matrices.slogdet(self.to_dense(), name).log_abs_determinant

    def trace(self, name: str = "trace") -> Any:
        return matrices.trace(self.to_dense(), name)

    def diag_part(self, name: str = "diag_part") -> Any:
        return diagonals.matrix_diag_part(self.to_dense(), name=name)

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Any:
        return elementwise.add(self.to_dense(), x, name=name)

    def adjoint(self, name: str = "adjoint") -> Any:
        return LinearOperatorFullMatrix(matrices.adjoint(self.to_dense()), name=name)

    H = property(adjoint)

    def inverse(self, name: str = "inverse") -> Any:
        return LinearOperatorFullMatrix(matrices.inv(self.to_dense()), name=name)

    def cholesky(self, name: str = "cholesky") -> Any:
        return LinearOperatorLowerTriangular(matrices.cholesky(self.to_dense()))


@named("solvevec")
def _column(operator: Any, rhs: Any, adjoint: bool, name: str | None = None) -> Any:
    right = tl.expand_dims(converted(rhs), -1)
    return tl.squeeze(operator.solve(right, adjoint), -1)


@named("Const")
def _tensor(value: Any, name: str | None = None) -> Any:
    return converted(value)


class LinearOperatorFullMatrix(LinearOperator):
    """Any matrix."""

    def __init__(self, matrix: Any, *given: Any, **hints: Any) -> None:
        super().__init__(_tensor(matrix), **hints)


class LinearOperatorLowerTriangular(LinearOperator):
    """A matrix of which only what is on and below the diagonal counts."""

    def __init__(self, tril: Any, *given: Any, **hints: Any) -> None:
        super().__init__(matrices.band_part(tril, -1, 0), **hints)

    def solve(
        self,
        rhs: Any,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "solve",
    ) -> Any:
        right = matrices.adjoint(rhs) if adjoint_arg else rhs
        return matrices.triangular_solve(self.to_dense(), right, True, adjoint, name)

    def determinant(self, name: str = "det") -> Any:
        return reductions.reduce_prod(self.diag_part(), -1, name=name)

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        sizes = elementwise.log(elementwise.abs(self.diag_part()))
        return reductions.reduce_sum(sizes, -1, name=name)


class LinearOperatorDiag(LinearOperatorLowerTriangular):
    """A matrix that is zero but for its diagonal."""

    def __init__(self, diag: Any, *given: Any, **hints: Any) -> None:
        self.diag = _tensor(diag)
        LinearOperator.__init__(self, diagonals.matrix_diag(self.diag), **hints)

    def inverse(self, name: str = "inverse") -> Any:
        return LinearOperatorDiag(elementwise.reciprocal(self.diag), name=name)


class LinearOperatorScaledIdentity(LinearOperatorDiag):
    """A matrix with one number all along its diagonal."""

    def __init__(
        self, num_rows: int, multiplier: Any, *given: Any, **hints: Any
    ) -> None:
        self.multiplier = _tensor(multiplier)
        super().__init__(_along(self.multiplier, num_rows), **hints)


@named("diag")
def _along(multiplier: Any, rows: int, name: str | None = None) -> Any:
    ones = tl.ones(rows, dtype=multiplier.dtype)
    return tl.expand_dims(multiplier, -1) * ones


class LinearOperatorIdentity(LinearOperatorScaledIdentity):
    """The matrix that changes nothing."""

    def __init__(
        self, num_rows: int, batch_shape: Any = None, dtype: Any = None, **hints: Any
    ) -> None:
        one = np.ones(tuple(batch_shape or ()), as_dtype(dtype or float32).numpy)
        super().__init__(num_rows, one, **hints)


class LinearOperatorBlockDiag(LinearOperator):
    """Matrices along the diagonal of a larger one."""

    def __init__(self, operators: Any, *given: Any, **hints: Any) -> None:
        self.operators = list(operators)
        super().__init__(_blocks([x.to_dense() for x in self.operators]), **hints)


@named("block_diag")
def _blocks(parts: Any, name: str | None = None) -> Any:
    rows = []
    widths = [x.shape[-1] for x in parts]
    for i, x in enumerate(parts):
        ends = [(0, 0)] * (x.ndim - 1) + [(sum(widths[:i]), sum(widths[i + 1 :]))]
        rows.append(tl.pad(x, ends))
    return tl.concat(rows, axis=-2)


class LinearOperatorComposition(LinearOperator):
    """Matrices one behind the other."""

    def __init__(self, operators: Any, *given: Any, **hints: Any) -> None:
        self.operators = list(operators)
        dense = [x.to_dense() for x in self.operators]
        super().__init__(reduce(matrices.matmul, dense), **hints)


class LinearOperatorLowRankUpdate(LinearOperator):
    """A matrix with a product of narrow ones added: L + U D V^H."""

    def __init__(
        self,
        base_operator: Any,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        *given: Any,
        **hints: Any,
    ) -> None:
        self.base_operator, self.u, self.v = base_operator, u, u if v is None else v
        wide = u if diag_update is None else elementwise.multiply(u, diag_update)
        added = matrices.matmul(wide, self.v, adjoint_b=True)
        super().__init__(elementwise.add(base_operator.to_dense(), added), **hints)


class LinearOperatorZeros(LinearOperator):
    """A matrix of zeros."""

    def __init__(
        self, num_rows: int, num_columns: int | None = None, *given: Any, **hints: Any
    ) -> None:
        kind = as_dtype(hints.pop("dtype", None) or float32)
        sizes = (num_rows, num_rows if num_columns is None else num_columns)
        super().__init__(_tensor(np.zeros(sizes, kind.numpy)), **hints)


class LinearOperatorAdjoint(LinearOperator):
    """The adjoint of another one."""

    def __init__(self, operator: Any, *given: Any, **hints: Any) -> None:
        self.operator = operator
        super().__init__(matrices.adjoint(operator.to_dense()), **hints)


class LinearOperatorInversion(LinearOperator):
    """The inverse of another one."""

    def __init__(self, operator: Any, *given: Any, **hints: Any) -> None:
        self.operator = operator
        super().__init__(matrices.inv(operator.to_dense()), **hints)
