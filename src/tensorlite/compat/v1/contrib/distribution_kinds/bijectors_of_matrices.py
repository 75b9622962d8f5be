"""Bijectors of matrices: triangles filled, inverted, multiplied; diagonals mapped."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, checks, elementwise
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.v1.contrib.distribution_kinds.bijector import Bijector
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_elements import (
    AffineScalar,
    Softplus,
)
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_others import Chain
from tensorlite.compat.v1.contrib.distribution_kinds.moving import (
    fill_triangular_inverse,
)
from tensorlite.compat.v1.contrib.distribution_kinds.statistics import fill_triangular
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    Check,
    not_zero,
    positive,
    validated,
)
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    matrices as v1_matrices,
    numbers,
)
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import InvalidArgumentError


def _is_matrix(message: str | None = None) -> Check:
    return lambda x: checks.assert_rank_at_least(x, 2, message=message)


def _is_square(message: str | None = None) -> Check:
    def check(x: Any) -> Any:
        shape = v1_arrays.shape(x)
        return checks.assert_equal(shape[-2], shape[-1], message=message)

    return check


class _OfMatrices(Bijector):
    """A function of matrices."""

    def __init__(self, validate_args: bool = False, name: str | None = None) -> None:
        super().__init__(
            forward_min_event_ndims=2, validate_args=validate_args, name=name
        )

    def _valid(self, x: Any, *each: Check) -> Any:
        return validated(self.validate_args, x, *each)


class CholeskyOuterProduct(_OfMatrices):
    """Lower triangular matrices times their transposes."""

    def _forward(self, x: Any) -> Any:
        square = self._valid(x, _is_matrix(), _is_square())
        lower = matrices.band_part(square, -1, 0)
        return matrices.matmul(lower, lower, adjoint_b=True)

    def _inverse(self, y: Any) -> Any:
        return matrices.cholesky(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        # Of size n the determinant is 2^n times the product of the k-th of the diagonal to the
        # power of n - k, k from 0 on.
        check = positive("Input must be positive definite.")
        square = self._valid(
            x,
            _is_matrix("Input must be a (batch of) matrix."),
            _is_square("Input must be a (batch of) square matrix."),
            lambda y: check(v1_matrices.matrix_diag_part(y)),
        )
        diagonal = v1_matrices.matrix_diag_part(square)
        size = elementwise.cast(v1_arrays.shape(square)[-1], square.dtype)
        one = elementwise.cast(1.0, square.dtype)
        powers = arrays.linspace(size, one, v1_arrays.shape(square)[-1])
        weighted = numbers.reduce_sum(elementwise.log(diagonal) * powers, -1)
        return size * math.log(2.0) + weighted


class MatrixInverseTriL(_OfMatrices):
    """Inverses of lower triangular matrices."""

    def __init__(
        self, validate_args: bool = False, name: str = "matrix_inverse_tril"
    ) -> None:
        super().__init__(validate_args, name)

    def _forward(self, x: Any) -> Any:
        lower = self._lower(x)
        shape = v1_arrays.shape(lower)
        unit = v1_matrices.eye(shape[-1], batch_shape=shape[:-2], dtype=lower.dtype)
        return matrices.triangular_solve(lower, unit, lower=True)

    def _inverse(self, y: Any) -> Any:
        return self._forward(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        lower = self._lower(x)
        size = elementwise.cast(v1_arrays.shape(lower)[-1], lower.dtype)
        diagonal = elementwise.abs(v1_matrices.matrix_diag_part(lower))
        # As TensorFlow counts: as if all elements of the matrix were free.
        return -2.0 * size * numbers.reduce_sum(elementwise.log(diagonal), axis=-1)

    def _lower(self, x: Any) -> Any:
        def none_above(y: Any) -> Any:
            upper = matrices.band_part(y, 0, -1) - matrices.band_part(y, 0, 0)
            message = "Input must be lower triangular."
            return checks.assert_equal(
                upper, v1_arrays.zeros_like(upper), message=message
            )

        whole = not_zero("Input must have all diagonal entries nonzero.")
        return self._valid(
            x,
            _is_matrix("Input must have rank at least 2."),
            _is_square("Input must be a square matrix."),
            none_above,
            lambda y: whole(v1_matrices.matrix_diag_part(y)),
        )


class TransformDiagonal(_OfMatrices):
    """Matrices whose diagonals another bijector maps."""

    def __init__(
        self,
        diag_bijector: Bijector,
        validate_args: bool = False,
        name: str = "transform_diagonal",
    ) -> None:
        super().__init__(validate_args, name)
        self._of = diag_bijector

    def _forward(self, x: Any) -> Any:
        found = self._of.forward(v1_matrices.matrix_diag_part(x))
        return v1_matrices.matrix_set_diag(x, found)

    def _inverse(self, y: Any) -> Any:
        found = self._of.inverse(v1_matrices.matrix_diag_part(y))
        return v1_matrices.matrix_set_diag(y, found)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        own = v1_matrices.matrix_diag_part(x)
        return self._of.forward_log_det_jacobian(own, event_ndims=1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        own = v1_matrices.matrix_diag_part(y)
        return self._of.inverse_log_det_jacobian(own, event_ndims=1)


class FillTriangular(Bijector):
    """Triangular matrices of the elements of vectors, as in a spiral."""

    def __init__(
        self,
        upper: bool = False,
        validate_args: bool = False,
        name: str = "fill_triangular",
    ) -> None:
        super().__init__(
            forward_min_event_ndims=1,
            inverse_min_event_ndims=2,
            validate_args=validate_args,
            name=name,
        )
        self._upper = upper

    def _forward(self, x: Any) -> Any:
        return fill_triangular(x, upper=self._upper)

    def _inverse(self, y: Any) -> Any:
        return fill_triangular_inverse(y, upper=self._upper)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return v1_arrays.zeros_like(x[..., 0])

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return v1_arrays.zeros_like(y[..., 0, 0])

    def _forward_event_shape(self, input_shape: Any) -> Any:
        count = input_shape[-1].value
        size = None if count is None else _side(count)
        return input_shape[:-1].concatenate([size, size])

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        rows, columns = [x.value for x in output_shape[-2:].dims]
        known = rows is not None and columns is not None
        if known and rows != columns:
            raise InvalidArgumentError(
                f"Matrix must be square. (saw [{rows}, {columns}])"
            )
        count = rows * (rows + 1) // 2 if known else None
        return output_shape[:-2].concatenate([count])

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        count = elementwise.cast(input_shape[-1], float32)
        side = (elementwise.sqrt(1.0 + 8.0 * count) - 1.0) / 2.0
        whole = elementwise.cast(elementwise.round(side), input_shape.dtype)

        def check(x: Any) -> Any:
            message = "Vector length is not a triangular number"
            return checks.assert_equal(
                x * (x + 1), 2 * input_shape[-1], message=message
            )

        size = validated(self.validate_args, whole, check)
        return arrays.concat([input_shape[:-1], [size, size]], 0)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        def check(x: Any) -> Any:
            message = "Matrix must be square."
            return checks.assert_equal(x, output_shape[-2], message=message)

        size = validated(self.validate_args, output_shape[-1], check)
        count = size * (size + 1) // 2
        return arrays.concat([output_shape[:-2], [count]], 0)


def _side(count: int) -> int:
    """Return the size of the triangle of so many elements."""
    size = int((np.sqrt(1 + 8 * count) - 1) / 2)
    if size * (size + 1) // 2 != count:
        raise InvalidArgumentError("Vector length is not a triangular number.")
    return size


class ScaleTriL(Chain):
    """Lower triangular matrices of vectors, whose diagonals are positive."""

    def __init__(
        self,
        diag_bijector: Bijector | None = None,
        diag_shift: Any = 1e-5,
        validate_args: bool = False,
        name: str = "scale_tril",
    ) -> None:
        own = diag_bijector or Softplus(validate_args=validate_args)
        if diag_shift is not None:
            own = Chain([AffineScalar(shift=diag_shift), own])
        parts = [TransformDiagonal(diag_bijector=own), FillTriangular()]
        super().__init__(parts, validate_args=validate_args, name=name)
