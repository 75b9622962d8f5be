"""Matrices made of others: blocks, and Kronecker's products."""

from __future__ import annotations

from functools import reduce
from math import prod
from typing import Any, ClassVar

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.linear import layouts, matrices
from tensorlite.compat.shared.linear.known_matrices import (
    completed,
    sizes_of,
    tensor_of,
)
from tensorlite.compat.shared.linear.linear_operator import (
    LinearOperator,
    shared_batch,
    together,
)
from tensorlite.compat.shared.linear.operator_checks import joined
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.spec import broadcast
from tensorlite.graph_mode.graph import active_graph


def _one_above_the_other(parts: list[Any]) -> Any:
    """Return the matrix of which these are the rows, whose batches may differ as sizes do."""
    return arrays.concat(layouts.of_one_batch(parts), -2)


def _end_to_end(parts: list[Any]) -> Any:
    """Return the vectors that these make, whose batches may differ as sizes do."""
    batches = {tuple(x.get_shape()[:-1]) for x in parts}
    if len(batches) == 1:
        return arrays.concat(parts, -1)
    columns = [arrays.expand_dims(x, -1) for x in parts]
    return arrays.squeeze(_one_above_the_other(columns), [-1])


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
        return _one_above_the_other(self._each(call, right, ends, adjoint))

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

    def _to_dense(self) -> Any:
        rows, end = [], 0
        for block in layouts.of_one_batch([x.to_dense() for x in self.operators]):
            height = layouts.sizes(block)[:-1]
            zeros = arrays.zeros(layouts.in_a_row(height, [end]), dtype=self.dtype)
            end = end + layouts.sizes(block)[-1]
            left = layouts.in_a_row(height, [layouts.width(self) - end])
            behind = arrays.zeros(left, dtype=self.dtype)
            rows.append(arrays.concat([zeros, block, behind], -1))
        return arrays.concat(rows, -2)

    def _diag_part(self) -> Any:
        return _end_to_end([x.diag_part() for x in self.operators])

    def _determinant(self) -> Any:
        return reduce(elementwise.multiply, [x.determinant() for x in self.operators])

    def _log_abs_determinant(self) -> Any:
        return self._sums("log_abs_determinant")

    def _eigvals(self) -> Any:
        return _end_to_end([x.eigvals() for x in self.operators])

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
        return _one_above_the_other(rows)

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
        return _one_above_the_other(parts)

    def _diag_part(self) -> Any:
        return _end_to_end([x.diag_part() for x in self._diagonal])

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

    def _along(self, call: str, x: Any, adjoint: bool, other: bool) -> Any:
        """Return what the operators make of columns, each of its own axis of them."""
        right = matrices.adjoint(x) if other else x
        if active_graph() is not None:
            return self._written(call, right, adjoint)
        columns = sizes_of(right)[-1]
        found = right
        side = -2 if adjoint != (call == "solve") else -1
        for one in self.operators:
            *batch, _, _ = sizes_of(found)
            width = one.shape.as_list()[side]
            rows = arrays.reshape(found, [*batch, width, -1])
            found = matrices.matrix_transpose(getattr(one, call)(rows, adjoint))
        *batch, _, _ = sizes_of(found)
        return matrices.matrix_transpose(arrays.reshape(found, [*batch, columns, -1]))

    def _written(self, call: str, x: Any, adjoint: bool) -> Any:
        """Return the same in a graph of version 1, as TensorFlow composes it.

        Axes are [done, columns, *batch, to do]: an operator takes its part of the last one, and
        what it makes of that goes behind what is done.
        """
        found = self._batched(x)
        sizes = found.get_shape().as_list()
        found = layouts.last_axis_first(found)[None, ...]
        for one in self.operators[:-1]:
            found = layouts.unstacked(found, layouts.width(one, adjoint))
            found = getattr(one, call)(matrices.matrix_transpose(found), adjoint)
            found = layouts.first_axis_last(matrices.matrix_transpose(found))
            found = layouts.last_axis_first(layouts.stacked(found))
        of_vectors = {"matmul": "matvec", "solve": "solvevec"}[call]
        found = getattr(self.operators[-1], of_vectors)(found, adjoint)
        found = layouts.stacked(layouts.first_axis_last(found))
        found = layouts.first_axis_last(found)
        if None not in sizes:
            batch = broadcast(tuple(sizes[:-2]), tuple(self.batch_shape.as_list()))
            rows = self.shape[-1 if adjoint != (call == "solve") else -2]
            found.set_shape([*(batch or ()), rows, sizes[-1]])
        return found

    def _batched(self, x: Any) -> Any:
        """Return matrices with an axis for each one of the batch."""
        ones = arrays.ones_like(self.batch_shape_tensor(), int32)
        sizes = arrays.concat([ones, [1, 1]], 0)
        return x + arrays.zeros(sizes, dtype=x.dtype)

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return self._along("matmul", x, adjoint, adjoint_arg)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        return self._along("solve", rhs, adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        found = self.operators[0].to_dense()
        for one in self.operators[1:]:
            found = found[..., :, None, :, None]
            found = found * one.to_dense()[..., None, :, None, :]
            batch = layouts.sizes(found)[:-4]
            ends = [
                layouts.sizes(found)[i] * layouts.sizes(found)[i + 1]
                for i in (-4, -2)
            ]
            found = arrays.reshape(found, layouts.in_a_row(batch, ends))
        return found

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
