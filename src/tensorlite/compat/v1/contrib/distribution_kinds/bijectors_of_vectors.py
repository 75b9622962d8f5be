"""Bijectors of vectors: affine functions, permutations, orders, shares.

Events in another shape are in bijectors_of_shapes.py.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import (
    arrays,
    checks,
    elementwise,
    nn,
    picking,
    reductions,
)
from tensorlite.compat.shared.linear.linear_operator import LinearOperator
from tensorlite.compat.shared.linear.low_rank_updates import (
    LinearOperatorLowRankUpdate,
)
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.contrib.distribution_kinds.bijector import Bijector
from tensorlite.compat.v1.contrib.distribution_kinds.sample_matrices import (
    SampleMatrices,
)
from tensorlite.compat.v1.contrib.distribution_kinds.scales import (
    given,
    triangular_scale,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    not_zero,
    positive,
    validated,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays, nn_functions, numbers
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.graphs.framework import (
    control_dependencies,
    convert_to_tensor,
)
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope


class AffineLinearOperator(Bijector):
    """Vectors times a linear operator, and `shift` added."""

    def __init__(
        self,
        shift: Any = None,
        scale: LinearOperator | None = None,
        validate_args: bool = False,
        name: str = "affine_linear_operator",
    ) -> None:
        with name_scope(name), name_scope("init"):
            self._begin(given(shift, "shift"), scale, validate_args, name)

    def _begin(self, shift: Any, scale: Any, validate_args: bool, name: str) -> None:
        """Take what vectors are moved and multiplied by, inside the scope of what is made first."""
        self._shift = shift
        self._scale = self._checked_scale(scale, validate_args)
        kinds = [x.dtype for x in (scale, shift) if x is not None]
        self._matrices = SampleMatrices(0 if scale is None else _batch_rank(scale))
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=True,
            dtype=(kinds or [float32])[0],
            validate_args=validate_args,
            name=name,
        )

    def _checked_scale(self, scale: Any, validate_args: bool) -> Any:
        if scale is None:
            return None
        if not isinstance(scale, LinearOperator):
            raise DTypeError("scale is not an instance of tf.LinearOperator")
        _check_alike(self._shift, scale)
        if validate_args and not scale.is_non_singular:
            raise InvalidArgumentError("Scale matrix must be non-singular.")
        return scale

    shift = property(lambda self: self._shift)
    scale = property(lambda self: self._scale)

    def _forward(self, x: Any) -> Any:
        y = x
        if self._scale is not None:
            columns, sample = self._matrices.columns(y)
            with control_dependencies(self._checks()):
                found = self._scale.matmul(columns)
            y = self._matrices.vectors(found, sample)
        return y if self._shift is None else y + self._shift

    def _inverse(self, y: Any) -> Any:
        x = y if self._shift is None else y - self._shift
        if self._scale is None:
            return x
        columns, sample = self._matrices.columns(x)
        return self._matrices.vectors(self._scale.solve(columns), sample)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self._scale is None:
            return constant(0.0, dtype=x.dtype)
        with control_dependencies(self._checks()):
            return self._scale.log_abs_determinant()

    def _checks(self) -> list[Any]:
        if not self.validate_args:
            return []
        try:
            return [self._scale.assert_non_singular()]
        except NotImplementedError:
            return []


def _check_alike(shift: Any, scale: Any) -> None:
    if shift is not None and shift.dtype.base_dtype != scale.dtype.base_dtype:
        raise DTypeError(
            f"shift.dtype({shift.dtype!r}) is incompatible with "
            f"scale.dtype({scale.dtype!r})."
        )


def _batch_rank(scale: LinearOperator) -> Any:
    rank = scale.tensor_rank
    return scale.tensor_rank_tensor() - 2 if rank is None else rank - 2


class Affine(AffineLinearOperator):
    """Vectors times a matrix that is a sum of what is given, and `shift` added.

    The matrix is scale_identity_multiplier I + diag(scale_diag) + scale_tril + U diag(d) U^T, of
    scale_perturb_factor U, [..., size, rank], and scale_perturb_diag d, ones if None.
    """

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
        if scale_perturb_diag is not None and scale_perturb_factor is None:
            raise InvalidArgumentError(
                "When scale_perturb_diag is specified, scale_perturb_factor must be specified."
            )
        whole = (scale_diag, scale_tril, scale_perturb_factor)
        self._factor: Any = None
        with name_scope(name), name_scope("init"):
            place = given(shift, "shift")
            if all(x is None for x in whole):
                self._set_factor(place, scale_identity_multiplier, validate_args)
                scale = None
            else:
                factor = given(scale_identity_multiplier, "identity_multiplier")
                diagonal, lower, perturbation = [given(x, "scale") for x in whole]
                scale = _sum(
                    place,
                    factor,
                    diagonal,
                    lower,
                    perturbation,
                    given(scale_perturb_diag, "perturb_diag"),
                    validate_args,
                )
            self._begin(place, scale, validate_args, name)
        if self._factor is not None:
            self._dtype = self._factor.dtype

    def _set_factor(self, shift: Any, factor: Any, validate_args: bool) -> None:
        kind = float32 if shift is None else shift.dtype
        own = 1.0 if factor is None else factor
        found = convert_to_tensor(own, kind if factor is None else None)
        message = "identity_multiplier should be non-zero."
        self._factor = validated(validate_args, found, not_zero(message))

    @property
    def scale(self) -> Any:
        """The matrix as a linear operator, or the number that stands for it."""
        return self._scale if self._factor is None else self._factor

    def _forward(self, x: Any) -> Any:
        if self._factor is None:
            return super()._forward(x)
        y = x * self._factor
        return y if self._shift is None else y + self._shift

    def _inverse(self, y: Any) -> Any:
        if self._factor is None:
            return super()._inverse(y)
        moved = y if self._shift is None else y - self._shift
        return moved / self._factor

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self._factor is None:
            return super()._forward_log_det_jacobian(x)
        size = elementwise.cast(v1_arrays.shape(x)[-1], self._factor.dtype)
        return elementwise.log(elementwise.abs(self._factor)) * size


def _sum(
    shift: Any,
    factor: Any,
    diagonal: Any,
    lower: Any,
    perturbation: Any,
    weights: Any,
    validate_args: bool,
) -> Any:
    """Return the operator of the matrix that all parts make together."""
    size = None
    if perturbation is not None:
        known = perturbation.get_shape()[-2].value
        size = v1_arrays.shape(perturbation)[-2] if known is None else known
    scale = triangular_scale(shift, lower, diagonal, factor, size, validate_args)
    if perturbation is None:
        return scale
    return LinearOperatorLowRankUpdate(
        scale,
        u=perturbation,
        diag_update=weights,
        is_diag_update_positive=weights is None,
        is_non_singular=True,
        is_self_adjoint=True,
        is_positive_definite=True,
        is_square=True,
    )


class Permute(Bijector):
    """The elements of vectors in another order."""

    def __init__(
        self, permutation: Any, validate_args: bool = False, name: str | None = None
    ) -> None:
        with name_scope(name, "permute"):
            order = convert_to_tensor(permutation, name="permutation")
            self._permutation = _checked_order(order, validate_args)
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name or "permute",
        )

    permutation = property(lambda self: self._permutation)

    def _forward(self, x: Any) -> Any:
        return picking.gather(x, self._permutation, axis=-1)

    def _inverse(self, y: Any) -> Any:
        back = picking.invert_permutation(self._permutation)
        return picking.gather(y, back, axis=-1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return constant(0.0, dtype=x.dtype)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return constant(0.0, dtype=y.dtype)


_NO_ORDER = (
    "Permutation over `d` must contain exactly one of each of `{0, 1, ..., d}`."
)


def _checked_order(order: Any, validate_args: bool) -> Any:
    if not order.dtype.is_integer:
        raise DTypeError(
            f"permutation.dtype ({order.dtype.name}) should be `int`-like."
        )
    known = get_static_value(order)
    if known is not None:
        if sorted(known.tolist()) != list(range(known.size)):
            raise InvalidArgumentError(_NO_ORDER)
        return order

    def check(x: Any) -> Any:
        size = v1_arrays.shape(x)[-1]
        ordered, _ = nn.top_k(-x, k=size, sorted=True)
        return checks.assert_equal(-ordered, arrays.range(size), message=_NO_ORDER)

    return validated(validate_args, order, check)


class _OfOneRank(Bijector):
    """A function of vectors."""

    def __init__(self, validate_args: bool = False, name: str | None = None) -> None:
        super().__init__(
            forward_min_event_ndims=1, validate_args=validate_args, name=name
        )

    def _several(self, shape: Any) -> Any:
        """Return the last size of a shape, which is more than 1."""

        def check(x: Any) -> Any:
            message = "Need last dimension greater than 1."
            return checks.assert_greater(x[-1], 1, message=message)

        return validated(self.validate_args, shape, check)[-1]


def _known_several(shape: Any) -> Any:
    """Return the last size of a shape if known, which is more than 1."""
    size = None if shape.rank is None else shape[-1].value
    if size is not None and size <= 1:
        raise InvalidArgumentError(f"output_shape[-1] = {size} <= 1")
    return size


class Ordered(_OfOneRank):
    """Logarithms of how far increasing elements are apart, after the first of them."""

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        _known_several(output_shape)
        return output_shape

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return self._several(output_shape)[..., None]

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return input_shape[-1][..., None]

    def _increasing(self, x: Any) -> Any:
        message = "Forward transformation input must be strictly increasing."
        check = positive(message)
        return validated(
            self.validate_args, x, lambda y: check(y[..., 1:] - y[..., :-1])
        )

    def _forward(self, x: Any) -> Any:
        x = self._increasing(x)
        steps = elementwise.log(x[..., 1:] - x[..., :-1])
        return arrays.concat([x[..., :1], steps], -1)

    def _inverse(self, y: Any) -> Any:
        steps = arrays.concat([y[..., :1], elementwise.exp(y[..., 1:])], -1)
        return reductions.cumsum(steps, axis=-1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return numbers.reduce_sum(y[..., 1:], axis=-1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        x = self._increasing(x)
        steps = elementwise.log(x[..., 1:] - x[..., :-1])
        return -numbers.reduce_sum(steps, axis=-1)


class SoftmaxCentered(_OfOneRank):
    """Softmax of vectors with a 0 appended, so that there is one inverse."""

    def __init__(
        self, validate_args: bool = False, name: str = "softmax_centered"
    ) -> None:
        super().__init__(validate_args, name)

    def _forward_event_shape(self, input_shape: Any) -> Any:
        if input_shape.rank is None or input_shape[-1].value is None:
            return input_shape
        return [input_shape[-1].value + 1]

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return (input_shape[-1] + 1)[..., None]

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        size = _known_several(output_shape)
        return output_shape if size is None else [size - 1]

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return (self._several(output_shape) - 1)[..., None]

    def _forward(self, x: Any) -> Any:
        zeros = v1_arrays.zeros_like(x[..., :1])
        return nn_functions.softmax(arrays.concat([x, zeros], -1))

    def _inverse(self, y: Any) -> Any:
        logs = elementwise.log(y)
        return logs[..., :-1] - logs[..., -1:]

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -numbers.reduce_sum(elementwise.log(y), axis=-1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        # The determinant is the product of all shares, that of the appended 0 among them.
        norm = nn.softplus(numbers.reduce_logsumexp(x, axis=-1, keepdims=True))
        rest = numbers.reduce_sum(x - norm, axis=-1, keepdims=True)
        return v1_arrays.squeeze(-norm + rest, axis=-1)
