"""Matrices with a product of narrow ones added, whose inverses and determinants stay small."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import arrays, elementwise, reductions
from tensorlite.compat.shared.linear import diagonals, matrices
from tensorlite.compat.shared.linear.known_matrices import completed, kept, tensor_of
from tensorlite.compat.shared.linear.linear_operator import LinearOperator
from tensorlite.compat.shared.linear.linear_operators import LinearOperatorDiag
from tensorlite.compat.shared.linear.operator_checks import always, same_size
from tensorlite.compat.shared.linear.scaled_operators import LinearOperatorIdentity
from tensorlite.core.spec import broadcast
from tensorlite.graph_mode.graph import name_scope


class LinearOperatorLowRankUpdate(LinearOperator):
    """A matrix with a product of narrow ones added: L + U D V^H, solved by Woodbury's identity."""

    def __init__(
        self,
        base_operator: LinearOperator,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        self._base_operator, self._u = base_operator, kept(u)
        self._v = None if v is None else kept(v)
        self._diag_update = None if diag_update is None else kept(diag_update)
        self._batch = self._check()
        hints = (is_non_singular, is_self_adjoint, is_positive_definite)
        known = self._known(bool(is_diag_update_positive or diag_update is None))
        always("An update of such an operator", hints, [bool(x) for x in known])
        every = completed((*known, is_square), (*hints, None))
        super().__init__(base_operator.dtype, None, *every, name)
        self._positive = is_diag_update_positive
        self._identity = None
        rank = None if self.u.get_shape().rank is None else self.u.get_shape()[-1]
        if diag_update is None and rank is not None:
            with name_scope(self.name):
                self._identity = LinearOperatorIdentity(rank, dtype=self.dtype)

    def _known(
        self, is_positive: bool
    ) -> tuple[bool | None, bool | None, bool | None]:
        """Return what follows from L and D: non-singular, self-adjoint, positive definite.

        Its capacitance, too, has a factor of Cholesky's if all do.
        """
        base, narrow = self._base_operator, self._v is None
        symmetric = narrow and base.is_self_adjoint
        definite = symmetric and base.is_positive_definite and is_positive
        self._has_factor = bool(definite)
        real = not base.dtype.is_complex
        either = definite or (symmetric and real)
        return definite or None, either or None, definite or None

    def _check(self) -> tuple[int | None, ...] | None:
        """Return the shape of the batch, None if unknown; raise ShapeError if parts do not fit."""
        base, sides = self._base_operator, (self.u.get_shape(), self.v.get_shape())
        if base.shape.rank is None:
            return None
        batches = [tuple(base.batch_shape)]
        for side, rows in zip(
            sides, (base.range_dimension, base.domain_dimension), strict=True
        ):
            if side.rank is not None:
                same_size(side[-2], rows)
                batches.append(tuple(side[:-2]))
        update = None if self._diag_update is None else self._diag_update.get_shape()
        if update is not None and update.rank is not None:
            same_size(update[-1], sides[0][-1] if sides[0].rank else None)
            batches.append(tuple(update[:-1]))
        return broadcast(*batches)

    @property
    def base_operator(self) -> LinearOperator:
        """The operator L that is added to."""
        return self._base_operator

    @property
    def u(self) -> Any:
        """The matrix U, [..., rows, rank]."""
        return self._u

    @property
    def v(self) -> Any:
        """The matrix V, [..., columns, rank]; U unless given."""
        return self._u if self._v is None else self._v

    @property
    def diag_update(self) -> Any:
        """The diagonal of D, None for ones."""
        return self._diag_update

    @property
    def diag_operator(self) -> LinearOperator:
        """The operator of the diagonal matrix D."""
        if self._diag_update is not None:
            positive = self._positive
            return LinearOperatorDiag(
                self._diag_update, is_positive_definite=positive
            )
        if self._identity is not None:
            return self._identity
        return LinearOperatorIdentity(arrays.shape(self._u)[-1], dtype=self.dtype)

    def _shape(self) -> Any:
        base = self.base_operator.shape
        if self._batch is None:
            return base
        return as_shape((*self._batch, *base.as_list()[-2:]))

    def _to_dense(self) -> Any:
        wide = tensor_of(self._u)
        if self._diag_update is not None:
            wide = wide * arrays.expand_dims(tensor_of(self._diag_update), -2)
        added = matrices.matmul(wide, self.v, adjoint_b=True)
        return elementwise.add(self.base_operator.to_dense(), added)

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        leading = self.base_operator.matmul(x, adjoint, adjoint_arg)
        first, last = self._sides(adjoint)
        narrow = matrices.matmul(last, x, adjoint_a=True, adjoint_b=adjoint_arg)
        inner = self.diag_operator.matmul(narrow, adjoint)
        return leading + matrices.matmul(first, inner)

    def _sides(self, adjoint: bool) -> tuple[Any, Any]:
        return (self.v, self.u) if adjoint else (self.u, self.v)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        first, last = self._sides(adjoint)
        base = self.base_operator
        solved = base.solve(rhs, adjoint, adjoint_arg)
        narrow = matrices.matmul(last, solved, adjoint_a=True)
        inner = self._inner_solved(narrow, adjoint)
        return solved - base.solve(matrices.matmul(first, inner), adjoint)

    def _inner_solved(self, narrow: Any, adjoint: bool) -> Any:
        capacitance = self._capacitance()
        if self._has_factor:
            factor = matrices.cholesky(capacitance)
            with name_scope("CholeskySolveWithBroadcast"):
                return matrices.cholesky_solve(factor, narrow)
        with name_scope("MatrixSolveWithBroadcast"):
            return matrices.solve(capacitance, narrow, adjoint)

    def _capacitance(self) -> Any:
        """Return D^-1 + V^H L^-1 U."""
        solved = self.base_operator.solve(self._u)
        inner = matrices.matmul(self.v, solved, adjoint_a=True)
        return self.diag_operator.inverse().add_to_tensor(inner)

    def _determinant(self) -> Any:
        if self.is_positive_definite:
            return elementwise.exp(self.log_abs_determinant())
        inner = matrices.det(self._capacitance()) * self.diag_operator.determinant()
        return inner * self.base_operator.determinant()

    def _log_abs_determinant(self) -> Any:
        middle = self.diag_operator.log_abs_determinant()
        outer = self.base_operator.log_abs_determinant()
        return self._log_inner() + middle + outer

    def _log_inner(self) -> Any:
        """Return the logarithm of the size of the capacitance's determinant."""
        if not self._has_factor:
            return matrices.slogdet(self._capacitance()).log_abs_determinant
        factor = matrices.cholesky(self._capacitance())
        logs = elementwise.log(diagonals.main_diagonal(factor))
        return 2 * reductions.reduce_sum(logs, [-1])
