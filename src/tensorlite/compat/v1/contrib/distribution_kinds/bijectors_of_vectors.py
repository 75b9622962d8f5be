"""Bijectors of vectors: Affine, Permute, RealNVP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import arrays, elementwise, picking
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.v1.contrib.distribution_kinds.bijector import Bijector
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import as_parameter
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    matrices as v1_matrices,
    numbers,
)
from tensorlite.compat.v1.graphs.framework import convert_to_tensor
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError


class Affine(Bijector):
    """Vectors times a lower triangular matrix, which is a sum of what is given, and `shift`."""

    def __init__(
        self,
        shift: Any = None,
        scale_identity_multiplier: Any = None,
        scale_diag: Any = None,
        scale_tril: Any = None,
        scale_perturb_factor: Any = None,
        scale_perturb_diag: Any = None,
        validate_args: bool = False,
        name: str = "affine",
    ) -> None:
        if scale_perturb_factor is not None or scale_perturb_diag is not None:
            raise UnimplementedError(
                "Affine: scale_perturb_factor and scale_perturb_diag are not there; give the whole "
                "matrix as scale_tril"
            )
        super().__init__(
            validate_args=validate_args,
            forward_min_event_ndims=1,
            is_constant_jacobian=True,
            name=name,
        )
        self.shift = None if shift is None else as_parameter(shift, "shift")
        self._diagonal = _sum(scale_identity_multiplier, scale_diag)
        self._tril = None
        if scale_tril is not None:
            self._tril = matrices.band_part(
                as_parameter(scale_tril, "scale_tril"), -1, 0
            )

    def _forward(self, x: Any) -> Any:
        scaled = x if self._diagonal is None and self._tril is None else 0.0
        if self._diagonal is not None:
            scaled = x * self._diagonal
        if self._tril is not None:
            scaled = scaled + matrices.matvec(self._tril, x)
        return scaled if self.shift is None else scaled + self.shift

    def _inverse(self, y: Any) -> Any:
        moved = y if self.shift is None else y - self.shift
        if self._tril is None:
            return moved if self._diagonal is None else moved / self._diagonal
        columns = v1_arrays.expand_dims(moved, -1)
        return v1_arrays.squeeze(
            matrices.triangular_solve(self._matrix(), columns), -1
        )

    def _matrix(self) -> Any:
        if self._diagonal is None:
            return self._tril
        own = v1_matrices.matrix_diag_part(self._tril)
        return v1_matrices.matrix_set_diag(self._tril, own + self._diagonal)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        zeros = v1_arrays.zeros_like(x)
        if self._tril is not None:
            diagonal = v1_matrices.matrix_diag_part(self._matrix())
        elif self._diagonal is not None:
            diagonal = self._diagonal
        else:
            return numbers.reduce_sum(zeros, -1)
        logs = elementwise.log(elementwise.abs(diagonal)) + zeros
        return numbers.reduce_sum(logs, -1)


def _sum(multiplier: Any, diagonal: Any) -> Any:
    """Return the diagonal that two arguments say together; None where neither is given."""
    parts = []
    if multiplier is not None:
        one = as_parameter(multiplier, "scale_identity_multiplier")
        parts.append(v1_arrays.expand_dims(one, -1) if one.get_shape().ndims else one)
    if diagonal is not None:
        parts.append(as_parameter(diagonal, "scale_diag"))
    return sum(parts[1:], parts[0]) if parts else None


class Permute(Bijector):
    """The elements of vectors in another order."""

    def __init__(
        self, permutation: Any, validate_args: bool = False, name: str | None = None
    ) -> None:
        super().__init__(
            validate_args=validate_args,
            forward_min_event_ndims=1,
            is_constant_jacobian=True,
            name=name,
        )
        self.permutation = convert_to_tensor(permutation)

    def _forward(self, x: Any) -> Any:
        return picking.gather(x, self.permutation, axis=-1)

    def _inverse(self, y: Any) -> Any:
        back = picking.invert_permutation(self.permutation)
        return picking.gather(y, back, axis=-1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return v1_arrays.zeros_like(x[..., 0])


class RealNVP(Bijector):
    """The last elements of vectors, shifted and scaled by the first ones (Dinh et al. 2016)."""

    def __init__(
        self,
        num_masked: int,
        shift_and_log_scale_fn: Callable[..., Any],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        if num_masked <= 0:
            raise InvalidArgumentError("num_masked must be a positive integer.")
        super().__init__(
            validate_args=validate_args,
            is_constant_jacobian=is_constant_jacobian,
            forward_min_event_ndims=1,
            name=name or "real_nvp",
        )
        self._masked, self._function = num_masked, shift_and_log_scale_fn

    def _moved(self, first: Any, rest: Any) -> tuple[Any, Any]:
        shift, log_scale = self._function(first, rest.get_shape().as_list()[-1])
        zeros = v1_arrays.zeros_like(rest)
        return (
            zeros if shift is None else shift,
            zeros if log_scale is None else log_scale,
        )

    def _forward(self, x: Any) -> Any:
        first, rest = x[..., : self._masked], x[..., self._masked :]
        shift, log_scale = self._moved(first, rest)
        return arrays.concat([first, rest * elementwise.exp(log_scale) + shift], -1)

    def _inverse(self, y: Any) -> Any:
        first, rest = y[..., : self._masked], y[..., self._masked :]
        shift, log_scale = self._moved(first, rest)
        return arrays.concat(
            [first, (rest - shift) * elementwise.exp(-log_scale)], -1
        )

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        _, log_scale = self._moved(x[..., : self._masked], x[..., self._masked :])
        return numbers.reduce_sum(log_scale, -1)
