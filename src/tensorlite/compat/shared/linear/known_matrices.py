"""KnownMatrix: what is known of a linear operator's matrix, and its values.

What operators do to vectors stands in linear_operator.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

import numpy as np

from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import arrays, checks, elementwise, reductions
from tensorlite.compat.shared.linear import diagonals, matrices
from tensorlite.compat.shared.linear.operator_checks import always
from tensorlite.compat.shared.linear.operator_parts import OperatorParts
from tensorlite.core.dtypes import as_dtype, int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.sizes import Dimension
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.state.variable import Variable
from tensorlite.train.module import Module


@named("Const")
def tensor_of(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return a value as a tensor."""
    return converted(value, dtype)


def kept(value: Any) -> Any:
    """Return a variable as it is, to be read at each use, anything else as a tensor."""
    return value if isinstance(value, Variable) else tensor_of(value)


def sizes_of(x: Any) -> list[Any]:
    """Return the sizes of a tensor, those that are not known as tensors."""
    known = list(x.get_shape().as_list())
    if None not in known:
        return known
    found = arrays.shape(x)
    return [found[i] if n is None else n for i, n in enumerate(known)]


Hints = tuple[bool | None, bool | None, bool | None, bool | None]
"""Whether a matrix is non-singular, self-adjoint, positive definite, and square."""


def completed(given: Hints, known: Hints) -> Hints:
    """Return hints, those that are known where none are given."""
    first, second, third, last = (
        y if x is None else x for x, y in zip(given, known, strict=True)
    )
    return first, second, third, last


P = ParamSpec("P")


def under_its_name(method: Callable[P, Any]) -> Callable[P, Any]:
    """Return a method whose nodes have the matrix's name before theirs, and its own `name`."""
    parameters = signature(method).parameters
    default, place = parameters["name"].default, [*parameters].index("name")

    @wraps(method)
    def called(*args: P.args, **kwargs: P.kwargs) -> Any:
        if active_graph() is None:
            return method(*args, **kwargs)
        own: Any = args[0]
        name = args[place] if len(args) > place else kwargs.get("name", default)
        with name_scope(f"{own.name}/{name or default}"):
            return method(*args, **kwargs)

    return called


class KnownMatrix(OperatorParts, Module):
    """A matrix by what is known of it: hints, which nothing checks, its shape and its values."""

    def __init__(
        self,
        dtype: Any,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: Any = None,
    ) -> None:
        given = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        for kind, hint, known in (
            ("positive-definite", is_positive_definite, (True, False, True, True)),
            ("non-singular", is_non_singular, (True, False, False, True)),
            ("self-adjoint", is_self_adjoint, (False, True, False, True)),
        ):
            if hint:
                always(f"A {kind} operator", given, known)
        non_singular = True if is_positive_definite else is_non_singular
        square = True if non_singular or is_self_adjoint else is_square
        self.hints: Hints = (
            non_singular,
            is_self_adjoint,
            is_positive_definite,
            square,
        )
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._name = name or type(self).__name__
        self._parameters = dict(parameters or {})

    @property
    def name(self) -> str:
        """Name of the operator, by default that of its class."""
        return self._name

    @property
    def dtype(self) -> Any:
        """Dtype of the matrix, or None."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """Arguments by which the operator was made, as a dictionary."""
        return dict(self._parameters)

    @property
    def is_non_singular(self) -> bool | None:
        """Hint whether the matrix has an inverse, None if nothing is known."""
        return self.hints[0]

    @property
    def is_self_adjoint(self) -> bool | None:
        """Hint whether the matrix is its own adjoint, None if unknown."""
        return self.hints[1]

    @property
    def is_positive_definite(self) -> bool | None:
        """Hint whether the matrix is positive definite, None if unknown."""
        return self.hints[2]

    @property
    def is_square(self) -> bool | None:
        """Whether the matrix is square, by its shape or else by its hint.

        InvalidArgumentError if both are known and differ.
        """
        # Plain sizes: version 1's Dimension of an unknown size is not None, nor equal to another.
        known = self.shape
        rows, columns = (None, None) if known.rank is None else known.as_list()[-2:]
        if None in (rows, columns):
            return self.hints[3]
        if self.hints[3] not in (None, rows == columns):
            raise InvalidArgumentError(
                f"User set is_square hint to {self.hints[3]}, but the operator was "
                f"{'square' if rows == columns else 'not square'}: {self.name}"
            )
        return bool(rows == columns)

    # Shapes.

    def _shape(self) -> Any:
        raise NotImplementedError("_shape is not implemented.")

    def _shape_tensor(self) -> Any:
        known = self.shape
        if not known.is_fully_defined():
            return arrays.shape(self.to_dense())
        return given_constant(known.as_list(), int32)

    @property
    def shape(self) -> Any:
        """TensorShape [..., rows, columns]."""
        return self._shape()

    @property
    def batch_shape(self) -> Any:
        """TensorShape of the batch, without rows and columns."""
        return self.shape[:-2]

    @property
    def tensor_rank(self) -> Any:
        """How many axes the matrix has with its batch, None if unknown."""
        return self.shape.rank

    @property
    def domain_dimension(self) -> Any:
        """How many columns the matrix has."""
        return Dimension(self.shape[-1])

    @property
    def range_dimension(self) -> Any:
        """How many rows the matrix has."""
        return Dimension(self.shape[-2])

    @under_its_name
    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """Return the shape as a vector of int32."""
        return self._shape_tensor()

    @under_its_name
    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Return the shape of the batch as a vector of int32."""
        known = self.batch_shape
        if known.is_fully_defined():
            return given_constant(known.as_list(), int32, name="batch_shape")
        return self._shape_tensor()[:-2]

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Any:
        """Return how many axes there are as a scalar of int32."""
        if self.tensor_rank is None:
            return arrays.size(self._shape_tensor())
        return tensor_of(self.tensor_rank, int32)

    @under_its_name
    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Any:
        """Return how many columns there are as a scalar of int32."""
        return self._size(-1)

    @under_its_name
    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Any:
        """Return how many rows there are as a scalar of int32."""
        return self._size(-2)

    def _size(self, axis: int) -> Any:
        known = self.shape.as_list()[axis] if self.shape.rank is not None else None
        if known is None:
            return self._shape_tensor()[axis]
        return given_constant(known, int32)

    def _refuse(self, refused: bool, what: str, why: str) -> None:
        if refused:
            raise NotImplementedError(
                f"{what} is not there for a matrix that is {why} by its hints: {self.name}"
            )

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def matmul(
        self,
        x: Any,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "matmul",
    ) -> Any:
        """Return the product of the matrix, or its adjoint, and matrices `x`.

        With adjoint_arg=True the adjoint of `x` is taken.
        """
        raise NotImplementedError("matmul is not implemented.")

    # Values.

    def _to_dense(self) -> Any:
        known = None if self.shape.rank is None else self.shape.as_list()[-1]
        columns = self.domain_dimension_tensor() if known is None else known
        batch = self.batch_shape
        if not batch.is_fully_defined():
            return self.matmul(unit(columns, self.dtype, self.batch_shape_tensor()))
        return self.matmul(unit(columns, self.dtype, batch.as_list()))

    @under_its_name
    def to_dense(self, name: str = "to_dense") -> Any:
        """Return the matrix as a tensor of all its elements."""
        return self._to_dense()

    def _diag_part(self) -> Any:
        return diagonals.main_diagonal(self.to_dense())

    @under_its_name
    def diag_part(self, name: str = "diag_part") -> Any:
        """Return the main diagonal."""
        return self._diag_part()

    def _trace(self) -> Any:
        return reductions.reduce_sum(self.diag_part(), -1)

    @under_its_name
    def trace(self, name: str = "trace") -> Any:
        """Return the sum of the main diagonal."""
        return self._trace()

    def _add_to_tensor(self, x: Any) -> Any:
        return self.to_dense() + x

    @under_its_name
    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Any:
        """Return the sum of the matrix and a tensor, dense."""
        return self._add_to_tensor(tensor_of(x, self.dtype))

    def _determinant(self) -> Any:
        if self._can_use_cholesky():
            return elementwise.exp(self.log_abs_determinant())
        return matrices.det(self.to_dense())

    @under_its_name
    def determinant(self, name: str = "det") -> Any:
        """Return the determinant; NotImplementedError if not square."""
        self._refuse(self.is_square is False, "determinant", "not square")
        return self._determinant()

    def _log_abs_determinant(self) -> Any:
        if self._can_use_cholesky():
            return 2 * log_abs_product(
                diagonals.main_diagonal(matrices.cholesky(self.to_dense()))
            )
        return matrices.slogdet(self.to_dense()).log_abs_determinant

    @under_its_name
    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        """Return the logarithm of the determinant's size.

        NotImplementedError if the matrix is not square.
        """
        self._refuse(self.is_square is False, "log_abs_determinant", "not square")
        return self._log_abs_determinant()

    def _eigvals(self) -> Any:
        return matrices.eigvalsh(self.to_dense())

    def eigvals(self, name: str = "eigvals") -> Any:
        """Return the eigenvalues of a matrix hinted to be self-adjoint.

        NotImplementedError without that hint.
        """
        self._refuse(not self.is_self_adjoint, "eigvals", "not self-adjoint")
        return self._eigvals()

    def _cond(self) -> Any:
        if self.is_self_adjoint:
            values = elementwise.abs(self.eigvals())
        else:
            values = matrices.svd(self.to_dense(), compute_uv=False)
        return reductions.reduce_max(values, -1) / reductions.reduce_min(values, -1)

    def cond(self, name: str = "cond") -> Any:
        """Return the condition number: the largest singular value by the smallest."""
        return self._cond()

    # Checks.

    def _assert_non_singular(self) -> Any:
        if self._can_use_cholesky():
            return self.assert_positive_definite()
        values = matrices.svd(self.to_dense(), compute_uv=False)
        condition = elementwise.divide(
            reductions.reduce_max(values, -1), reductions.reduce_min(values, -1)
        )
        said = "Singular matrix up to precision epsilon."
        return checks.assert_less(condition, self._limit(values.dtype), message=said)

    def _limit(self, kind: Any) -> Any:
        """Return the condition number from which on a matrix counts as singular."""
        with name_scope("max_nonsingular_condition_number"):
            rows = elementwise.cast(self.range_dimension_tensor(), kind)
            columns = elementwise.cast(self.domain_dimension_tensor(), kind)
            size = reductions.reduce_max([100.0, rows, columns])
            return 1.0 / (size * np.finfo(kind.numpy).eps)

    @under_its_name
    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Return an assertion that the condition number is below 1/(size epsilon).

        The size is the greater of rows and columns, 100 at least.
        """
        return self._assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        factor = diagonals.main_diagonal(matrices.cholesky(self.to_dense()))
        return checks.assert_positive(
            elementwise.real(factor), message="Matrix was not positive definite."
        )

    @under_its_name
    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Return an assertion that the matrix is positive definite."""
        return self._assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        dense = self.to_dense()
        return checks.assert_equal(
            dense,
            matrices.adjoint(dense),
            message="Matrix was not equal to its adjoint.",
        )

    @under_its_name
    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Return an assertion that the matrix equals its adjoint."""
        return self._assert_self_adjoint()


def log_abs_product(x: Any) -> Any:
    """Return the logarithm of the size of the product of the last axis."""
    return reductions.reduce_sum(elementwise.log(elementwise.abs(x)), -1)


def unit(size: Any, dtype: Any, batch: Any = ()) -> Any:
    """Return an identity matrix for each place of a batch, of which the diagonal is made first."""
    if active_graph() is None:
        some = None if isinstance(batch, (list, tuple)) and not batch else batch
        return arrays.eye(size, batch_shape=some, dtype=dtype)
    with name_scope("eye"):
        is_list = isinstance(batch, (list, tuple))
        sizes = [*batch, size] if is_list else arrays.concat([batch, [size]], 0)
        return diagonals.on_main_diagonal(arrays.ones(sizes, dtype=dtype))


def static_shape(x: Any) -> Any:
    """Return the shape of a tensor as operators give theirs."""
    return as_shape(x.get_shape().known())


def square_over(x: Any) -> Any:
    """Return the shape of square matrices that have an element of `x`'s last axis for each row."""
    rows = static_shape(x)
    return rows.concatenate(rows[-1:])


def square_sizes(x: Any) -> Any:
    """Return the sizes of such matrices as a vector, also where they are not known."""
    rows = arrays.shape(x)
    return arrays.concat([rows, rows[-1:]], 0)
