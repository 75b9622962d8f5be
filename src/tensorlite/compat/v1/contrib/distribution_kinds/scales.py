"""What vectors are stretched by: linear operators made of what distributions take as scales."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared import cutting
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.shared.linear.linear_operator import (
    LinearOperator,
    LinearOperatorLowerTriangular,
)
from tensorlite.compat.shared.linear.linear_operators import LinearOperatorDiag
from tensorlite.compat.shared.linear.scaled_operators import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
)
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import as_parameter
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    Check,
    not_zero,
    positive,
    validated,
)
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    matrices as v1_matrices,
)
from tensorlite.compat.v1.graphs.framework import convert_to_tensor
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.graph_mode.graph import name_scope


def given(value: Any, name: str) -> Any:
    """Return a parameter as a tensor, or None for one that is not given."""
    return None if value is None else as_parameter(value, name)


def _diagonal_check(is_positive: bool) -> Check:
    if is_positive:
        return positive("diagonal part must be positive")
    return not_zero("diagonal part must be non-zero")


def _conversions(**parts: Any) -> list[Any]:
    return [given(x, name) for name, x in parts.items()]


def diagonal_scale(
    loc: Any = None,
    scale_diag: Any = None,
    scale_identity_multiplier: Any = None,
    shape_hint: Any = None,
    validate_args: bool = False,
    assert_positive: bool = False,
) -> Any:
    """Return the operator of a diagonal, of one number times the identity, or the identity."""
    check = _diagonal_check(assert_positive)
    with name_scope("make_diag_scale"):
        place, diagonal, factor = _conversions(
            loc=loc,
            scale_diag=scale_diag,
            scale_identity_multiplier=scale_identity_multiplier,
        )
        if diagonal is not None:
            if factor is not None:
                diagonal = diagonal + factor[..., None]
            return LinearOperatorDiag(
                diag=validated(validate_args, diagonal, check),
                is_non_singular=True,
                is_self_adjoint=True,
                is_positive_definite=assert_positive,
            )
        if place is None and shape_hint is None:
            raise InvalidArgumentError(
                "Cannot infer `event_shape` unless `loc` or `shape_hint` is specified."
            )
        size = _last_size(place) if shape_hint is None else shape_hint
        if factor is None:
            return identity_scale(size, place.dtype, validate_args)
        return LinearOperatorScaledIdentity(
            num_rows=size,
            multiplier=validated(validate_args, factor, check),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=assert_positive,
            assert_proper_shapes=validate_args,
        )


def identity_scale(size: Any, dtype: Any, validate_args: bool) -> Any:
    """Return the operator that leaves vectors of a size as they are."""
    return LinearOperatorIdentity(
        num_rows=size,
        dtype=dtype,
        is_self_adjoint=True,
        is_positive_definite=True,
        assert_proper_shapes=validate_args,
    )


def _last_size(x: Any) -> Any:
    known = x.get_shape()[-1].value
    return v1_arrays.shape(x)[-1] if known is None else known


def triangular_scale(
    loc: Any = None,
    scale_tril: Any = None,
    scale_diag: Any = None,
    scale_identity_multiplier: Any = None,
    shape_hint: Any = None,
    validate_args: bool = False,
) -> Any:
    """Return the operator of a triangular matrix with a diagonal added, or of a diagonal."""
    with name_scope("make_tril_scale"):
        _, whole, diagonal, factor = _conversions(
            loc=loc,
            scale_tril=scale_tril,
            scale_diag=scale_diag,
            scale_identity_multiplier=scale_identity_multiplier,
        )
    if whole is None:
        return diagonal_scale(loc, diagonal, factor, shape_hint, validate_args)
    lower = matrices.band_part(whole, -1, 0)
    own = v1_matrices.matrix_diag_part(lower)
    if diagonal is not None:
        own = own + diagonal
    if factor is not None:
        own = own + factor[..., None]
    check = _diagonal_check(is_positive=False)
    found = validated(
        validate_args,
        v1_matrices.matrix_set_diag(lower, own),
        lambda x: check(v1_matrices.matrix_diag_part(x)),
    )
    return LinearOperatorLowerTriangular(
        tril=found,
        is_non_singular=True,
        is_self_adjoint=False,
        is_positive_definite=False,
    )


def is_diagonal(scale: LinearOperator) -> bool:
    """Return whether an operator is told by its diagonal."""
    return isinstance(scale, (LinearOperatorDiag, LinearOperatorScaledIdentity))


def shapes_of(loc: Any, scale: LinearOperator) -> tuple[Any, Any]:
    """Return the shapes of the batch and of a vector: arrays if known, else tensors."""
    with name_scope("shapes_from_loc_and_scale"):
        size = scale.range_dimension_tensor()
        known = get_static_value(size)
        event = size[None] if known is None else np.reshape(known, [1])
        if loc is not None:
            _check_size(loc, known)
        batch = scale.batch_shape_tensor()
        if loc is None:
            known = get_static_value(batch)
            return (batch if known is None else known), event
        own = loc.get_shape()
        if own.rank is None or not own[:-1].is_fully_defined():
            beside = v1_arrays.shape(loc)[:-1]
        else:
            sizes = own[:-1].as_list()
            beside = convert_to_tensor(sizes, int32, name="loc_batch_shape")
        return _together(batch, beside), event


def _check_size(loc: Any, known: Any) -> None:
    own = loc.get_shape()[-1].value
    if own is not None and known is not None and own not in (1, int(known)):
        raise ShapeError(
            f"Event size of 'scale' ({known}) could not be broadcast up to that of 'loc' "
            f"({own})."
        )


def _together(first: Any, second: Any) -> Any:
    """Return the shape that two broadcast to, as an array if known."""
    with name_scope("prefer_static_broadcast_shape"):
        known = [get_static_value(x) for x in (first, second)]
        if any(x is None for x in known):
            return cutting.broadcast_dynamic_shape(first, second)
        return np.array(np.broadcast_shapes(*map(tuple, known)), np.int32)


def broadcast_shape(*tensors: Any) -> Any:
    """Return the shape that tensors broadcast to: a list if known, else a tensor."""
    known = tensors[0].get_shape()
    for x in tensors[1:]:
        known = cutting.broadcast_static_shape(known, x.get_shape())
    if known.is_fully_defined():
        return known.as_list()
    found = v1_arrays.shape(tensors[0])
    for x in tensors[1:]:
        found = cutting.broadcast_dynamic_shape(found, v1_arrays.shape(x))
    return found
