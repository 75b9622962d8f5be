"""Matrices made of others: blocks, Kronecker's products, updates of low rank."""

from __future__ import annotations

from functools import reduce
from math import prod
from typing import Any, ClassVar

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.shared.linear.known_matrices import (
    completed,
    kept,
    sizes_of,
    tensor_of,
)
from tensorlite.compat.shared.linear.linear_operator import (
    LinearOperator,
    shared_batch,
    together,
)
from tensorlite.compat.shared.linear.linear_operators import LinearOperatorDiag
from tensorlite.compat.shared.linear.operator_checks import joined, same_size
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.spec import broadcast


class _Several(LinearOperator):
    """An operator made of several, each of which has the hints that all have."""

    what: ClassVar[str]
    """How programs call what it makes of them."""
    joint: ClassVar[str]
    """What stands between their names in its own."""

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
        given = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        dtype = joined(self.what, self._operators, given[:3])
        every = [x.hints for x in self._operators]
        non_singular, symmetric, definite, square = (
            together(list(hints)) for hints in zip(*every, strict=True)
        )
        hints = completed(given, (non_singular, symmetric, definite, square))
        name = name or self.joint.join(x.name for x in self._operators)
        super().__init__(dtype, None, *hints, name)

    @property
    def operators(self) -> list[LinearOperator]:
        """The operators that this one is made of."""
        return self._operators

    def _sums(self, what: str) -> Any:
        return reduce(elementwise.add, [getattr(x, what)() for x in self.operators])

    def _with(self, kind: str) -> LinearOperator:
        """Return the operator of the same kind made of each one's adjoint, inverse or factor."""
        return type(self)([getattr(x, kind)() for x in self.operators])

    def _linop_adjoint(self) -> LinearOperator:
        return self._with("adjoint")

    def _linop_inverse(self) -> LinearOperator:
        return self._with("inverse")


class LinearOperatorBlockDiag(_Several):
    """Matrices along the diagonal of a larger one."""

    what, joint = "The direct sum", "_ds_"

    def _shape(self) -> Any:
        rows = sum(x.shape.as_list()[-2] for x in self.operators)
        columns = sum(x.shape.as_list()[-1] for x in self.operators)
        return as_shape((*shared_batch(self.operators), rows, columns))

    def _each(self, call: str, x: Any, ends: list[int], adjoint: bool) -> list[Any]:
        parts = x if isinstance(x, (list, tuple)) else arrays.split(x, ends, -2)
        both = zip(self.operators, parts, strict=True)
        return [getattr(one, call)(part, adjoint) for one, part in both]

    def _whole(self, call: str, x: Any, side: int, adjoint: bool, other: bool) -> Any:
        if isinstance(x, (list, tuple)):
            parts = [matrices.adjoint(part) if other else part for part in x]
            return self._each(call, parts, [], adjoint)
        right = matrices.adjoint(x) if other else x
        ends = [one.shape.as_list()[side] for one in self.operators]
        return arrays.concat(self._each(call, right, ends, adjoint), -2)

    def matmul(
        self,
        x: Any,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "matmul",
    ) -> Any:
        """Return the product of the matrix and `x`, or a list of one part for each block.

        A list gives a list.
        """
        if isinstance(x, (list, tuple)) and len(x) == len(self.operators):
            blocks = [tensor_of(part, self.dtype) for part in x]
            if all(len(part.get_shape()) > 1 for part in blocks):
                return self._whole("matmul", blocks, -1, adjoint, adjoint_arg)
        return super().matmul(x, adjoint, adjoint_arg, name)

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return self._whole("matmul", x, -2 if adjoint else -1, adjoint, adjoint_arg)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return self._whole("solve", rhs, -2, adjoint, adjoint_arg)

    def times(self, other: LinearOperator) -> LinearOperator:
        """Return the product with another operator, by blocks if both have them."""
        if not isinstance(other, LinearOperatorBlockDiag):
            return super().times(other)
        both = zip(self.operators, other.operators, strict=True)
        return LinearOperatorBlockDiag([x.times(y) for x, y in both])

    def _diag_part(self) -> Any:
        return arrays.concat([x.diag_part() for x in self.operators], -1)

    def _determinant(self) -> Any:
        return reduce(elementwise.multiply, [x.determinant() for x in self.operators])

    def _log_abs_determinant(self) -> Any:
        return self._sums("log_abs_determinant")

    def _eigvals(self) -> Any:
        return arrays.concat([x.eigvals() for x in self.operators], -1)

    def _linop_cholesky(self) -> LinearOperator:
        return self._with("cholesky")


class LinearOperatorBlockLowerTriangular(LinearOperator):
    """Rows of blocks on and below the diagonal, each row one longer than that above it."""

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        self._operators = [list(row) for row in operators]
        for i, row in enumerate(self._operators):
            if len(row) != i + 1:
                raise InvalidArgumentError(
                    f"row {i} has {len(row)} blocks; of a lower triangle it has {i + 1}"
                )
        what = "A lower triangle of blocks with a diagonal"
        joined(what, self._diagonal, [is_non_singular])
        joined(what, [x for row in self._operators for x in row], [])
        self._fit(is_square)
        if is_non_singular is None:
            is_non_singular = together([x.is_non_singular for x in self._diagonal])
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(self._diagonal[0].dtype, None, *hints, name)

    def _fit(self, is_square: bool | None) -> None:
        """Raise an error unless blocks on the diagonal are square, and the others as they ask."""
        if is_square is False or any(x.is_square is False for x in self._diagonal):
            raise InvalidArgumentError(
                "LinearOperatorBlockLowerTriangular must be square, and so must the operators on "
                "its diagonal"
            )
        for i, row in enumerate(self._operators):
            for j, block in enumerate(row):
                for name, own, other in (
                    ("domain_dimension", block.domain_dimension, self._diagonal[j]),
                    ("range_dimension", block.range_dimension, self._diagonal[i]),
                ):
                    asked = getattr(other, name)
                    if None not in (own, asked) and own != asked:
                        raise ShapeError(
                            f"Argument `operators[{i}][{j}].{name}` ({own}) must be the same as "
                            f"that of the block on the diagonal ({asked})"
                        )

    @property
    def _diagonal(self) -> list[LinearOperator]:
        return [row[-1] for row in self._operators]

    @property
    def operators(self) -> list[list[LinearOperator]]:
        """The operators of the blocks, row by row."""
        return self._operators

    def _widths(self) -> list[int]:
        return [x.shape.as_list()[-1] for x in self._diagonal]

    def _shape(self) -> Any:
        size = sum(self._widths())
        every = [x for row in self._operators for x in row]
        return as_shape((*shared_batch(every), size, size))

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        right = matrices.adjoint(x) if adjoint_arg else x
        parts = arrays.split(right, self._widths(), -2)
        rows = []
        for i in range(len(parts)):
            if adjoint:
                below = range(i, len(parts))
                terms = [self._operators[j][i].matmul(parts[j], True) for j in below]
            else:
                terms = [self._operators[i][j].matmul(parts[j]) for j in range(i + 1)]
            rows.append(reduce(elementwise.add, terms))
        return arrays.concat(rows, -2)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        right = matrices.adjoint(rhs) if adjoint_arg else rhs
        parts = list(arrays.split(right, self._widths(), -2))
        count = len(parts)
        for i in reversed(range(count)) if adjoint else range(count):
            parts[i] = self._diagonal[i].solve(parts[i], adjoint)
            for j in range(i) if adjoint else range(i + 1, count):
                block = self._operators[i][j] if adjoint else self._operators[j][i]
                parts[j] = parts[j] - block.matmul(parts[i], adjoint)
        return arrays.concat(parts, -2)

    def _diag_part(self) -> Any:
        return arrays.concat([x.diag_part() for x in self._diagonal], -1)

    def _determinant(self) -> Any:
        return reduce(elementwise.multiply, [x.determinant() for x in self._diagonal])

    def _log_abs_determinant(self) -> Any:
        return reduce(
            elementwise.add, [x.log_abs_determinant() for x in self._diagonal]
        )


class LinearOperatorKronecker(_Several):
    """Kronecker's product of matrices: each element of one, times the next."""

    what, joint = "The Kronecker product", "_x_"

    def _shape(self) -> Any:
        shapes = [x.shape.as_list() for x in self.operators]
        sizes = (prod(x[-2] for x in shapes), prod(x[-1] for x in shapes))
        return as_shape((*shared_batch(self.operators), *sizes))

    def _along(self, call: str, x: Any, side: int, adjoint: bool, other: bool) -> Any:
        """Return what the operators make of columns, each of its own axis of them.

        The axis of the next operator comes first; what has been computed goes behind the others.
        """
        found = matrices.adjoint(x) if other else x
        columns = sizes_of(found)[-1]
        for one in self.operators:
            *batch, _, _ = sizes_of(found)
            width = one.shape.as_list()[side]
            found = getattr(one, call)(
                arrays.reshape(found, [*batch, width, -1]), adjoint
            )
            found = matrices.matrix_transpose(found)
        *batch, _, _ = sizes_of(found)
        return matrices.matrix_transpose(arrays.reshape(found, [*batch, columns, -1]))

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return self._along("matmul", x, -2 if adjoint else -1, adjoint, adjoint_arg)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return self._along("solve", rhs, -2, adjoint, adjoint_arg)

    def _weighed(self, what: str) -> list[tuple[Any, float]]:
        """Return a value of each operator, and how often it stands in the product."""
        whole = self.shape.as_list()[-1]
        return [
            (getattr(x, what)(), whole / x.shape.as_list()[-1])
            for x in self.operators
        ]

    def _determinant(self) -> Any:
        parts = [
            elementwise.pow(x, elementwise.cast(count, x.dtype))
            for x, count in self._weighed("determinant")
        ]
        return reduce(elementwise.multiply, parts)

    def _log_abs_determinant(self) -> Any:
        parts = [x * count for x, count in self._weighed("log_abs_determinant")]
        return reduce(elementwise.add, parts)

    def _outer(self, values: list[Any]) -> Any:
        """Return the products of an element of each, those of the last one next to each other."""

        def crossed(one: Any, other: Any) -> Any:
            every = arrays.expand_dims(one, -1) * arrays.expand_dims(other, -2)
            *batch, _, _ = sizes_of(every)
            return arrays.reshape(every, [*batch, -1])

        return reduce(crossed, values)

    def _diag_part(self) -> Any:
        return self._outer([x.diag_part() for x in self.operators])

    def _eigvals(self) -> Any:
        return self._outer([x.eigvals() for x in self.operators])

    def _trace(self) -> Any:
        return reduce(elementwise.multiply, [x.trace() for x in self.operators])

    def _linop_cholesky(self) -> LinearOperator:
        return self._with("cholesky")


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
        symmetric, definite = is_self_adjoint, is_positive_definite
        if v is None and symmetric is None:
            symmetric = base_operator.is_self_adjoint
        if (
            v is None
            and definite is None
            and (is_diag_update_positive or diag_update is None)
        ):
            definite = base_operator.is_positive_definite
        self._check()
        hints = (is_non_singular, symmetric, definite, is_square)
        super().__init__(base_operator.dtype, None, *hints, name)

    def _check(self) -> None:
        """Raise ShapeError where what is known of the parts' shapes does not fit together."""
        base, sides = self._base_operator, (self.u.get_shape(), self.v.get_shape())
        if base.shape.rank is None:
            return
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
        broadcast(*batches)

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
        return LinearOperatorDiag(self._diagonal())

    def _diagonal(self) -> Any:
        if self._diag_update is None:
            return arrays.ones_like(tensor_of(self._u)[..., 0, :], self.dtype)
        return tensor_of(self._diag_update)

    def _shape(self) -> Any:
        return self.base_operator.shape

    def _wide(self) -> Any:
        return tensor_of(self._u) * arrays.expand_dims(self._diagonal(), -2)

    def _to_dense(self) -> Any:
        added = matrices.matmul(self._wide(), self.v, adjoint_b=True)
        return elementwise.add(self.base_operator.to_dense(), added)

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        right = matrices.adjoint(x) if adjoint_arg else x
        first, last = self._sides(adjoint)
        narrow = matrices.matmul(last, right, adjoint_a=True)
        update = matrices.matmul(first, self.diag_operator.matmul(narrow, adjoint))
        return self.base_operator.matmul(right, adjoint) + update

    def _sides(self, adjoint: bool) -> tuple[Any, Any]:
        return (self.v, self.u) if adjoint else (self.u, self.v)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        right = matrices.adjoint(rhs) if adjoint_arg else rhs
        first, last = self._sides(adjoint)
        base = self.base_operator
        solved = base.solve(right, adjoint)
        narrow = matrices.matmul(last, solved, adjoint_a=True)
        inner = matrices.solve(self._capacitance(), narrow, adjoint)
        return solved - base.solve(matrices.matmul(first, inner), adjoint)

    def _capacitance(self) -> Any:
        """Return D^-1 + V^H L^-1 U."""
        solved = self.base_operator.solve(self._u)
        inner = matrices.matmul(self.v, solved, adjoint_a=True)
        return self.diag_operator.inverse().add_to_tensor(inner)

    def _determinant(self) -> Any:
        inner = matrices.det(self._capacitance()) * self.diag_operator.determinant()
        return inner * self.base_operator.determinant()

    def _log_abs_determinant(self) -> Any:
        inner = matrices.slogdet(self._capacitance()).log_abs_determinant
        outer = self.base_operator.log_abs_determinant()
        return inner + self.diag_operator.log_abs_determinant() + outer
