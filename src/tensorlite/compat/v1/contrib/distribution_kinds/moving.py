"""Means and variances of what comes in turn, kept in variables; matrices made of diagonals.

Finch 2009, "Incremental calculation of weighted mean and variance".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.shared import arrays, cutting, elementwise, reductions
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    init_ops,
    matrices as v1_matrices,
)
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.keys import GraphKeys


def _check_float(what: str, kind: Any) -> None:
    if not kind.is_floating:
        raise DTypeError(
            f"{what}.base_dtype({kind.name}) does not have float type `dtype`."
        )


def assign_moving_mean_variance(
    mean_var: Any, variance_var: Any, value: Any, decay: Any, name: str | None = None
) -> tuple[Any, Any]:
    """Move two variables by a value, (1 - decay) of the way; return (mean, variance) then.

    The variance is of how far the value is from the mean before.
    """
    with framework.name_scope(name, "assign_moving_mean_variance"):
        kind = mean_var.dtype.base_dtype
        _check_float("mean_var", kind)
        if kind is not variance_var.dtype.base_dtype:
            raise DTypeError(
                f"mean_var.base_dtype({kind.name}) != "
                f"variance_var.base_dtype({variance_var.dtype.base_dtype.name})"
            )
        value = framework.convert_to_tensor(value, dtype=kind, name="value")
        decay = framework.convert_to_tensor(decay, dtype=kind, name="decay")
        apart = value - mean_var
        with framework.control_dependencies([apart]):
            mean = scopes.assign_add(mean_var, (1.0 - decay) * apart)
            less = variance_var - decay * elementwise.square(apart)
            variance = scopes.assign_sub(variance_var, (1.0 - decay) * less)
        return mean, variance


def moving_mean_variance(
    value: Any,
    decay: Any,
    collections: Sequence[str] | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return (mean, variance) of a value's course, of new variables that it moves when run."""
    kinds = [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
    with scopes.variable_scope(name, "moving_mean_variance", [value, decay]):
        value = framework.convert_to_tensor(value, name="value")
        _check_float("value", value.dtype.base_dtype)
        decay = framework.convert_to_tensor(
            decay, value.dtype.base_dtype, name="decay"
        )
        variance, mean = [
            scopes.get_variable(
                short,
                value.get_shape(),
                value.dtype,
                init_ops.Zeros(),
                trainable=False,
                collections=kinds,
            )
            for short in ("moving_variance", "moving_mean")
        ]
        return assign_moving_mean_variance(mean, variance, value, decay)


def assign_log_moving_mean_exp(
    log_mean_exp_var: Any, log_value: Any, decay: Any, name: str | None = None
) -> Any:
    """Move a variable, the logarithm of a mean, by the logarithm of a value; return it then."""
    with framework.name_scope(name, "assign_log_moving_mean_exp"):
        kind = log_mean_exp_var.dtype.base_dtype
        _check_float("log_mean_exp_var", kind)
        value = framework.convert_to_tensor(log_value, dtype=kind, name="log_value")
        decay = framework.convert_to_tensor(decay, dtype=kind, name="decay")
        apart = arrays.expand_dims(value - log_mean_exp_var, 0)
        own = elementwise.log(decay) * v1_arrays.ones_like(apart)
        both = arrays.concat([own, apart + elementwise.log1p(-decay)], 0)
        return scopes.assign_add(
            log_mean_exp_var, reductions.reduce_logsumexp(both, axis=0)
        )


def tridiag(
    below: Any = None, diag: Any = None, above: Any = None, name: str | None = None
) -> Any:
    """Return matrices of the elements below, on and above the diagonal; None stands for zeros."""
    if below is None and diag is None and above is None:
        raise InvalidArgumentError(
            "Must specify at least one of `below`, `diag`, `above`."
        )

    def padded(x: Any) -> Any:
        given = framework.convert_to_tensor(x)
        zero = v1_arrays.zeros_like(given[..., :1])
        return v1_matrices.matrix_diag(arrays.concat([zero, given, zero], -1))

    with framework.name_scope(name, "tridiag"):
        parts = []
        if below is not None:
            parts.append(padded(below)[..., :-1, 1:])
        if diag is not None:
            parts.append(v1_matrices.matrix_diag(framework.convert_to_tensor(diag)))
        if above is not None:
            parts.append(padded(above)[..., 1:, :-1])
        return sum(parts[1:], parts[0])


def matrix_diag_transform(
    matrix: Any,
    transform: Callable[[Any], Any] | None = None,
    name: str | None = None,
) -> Any:
    """Return matrices with a function of their diagonals in the place of these."""
    with framework.name_scope(name, "matrix_diag_transform"):
        given = framework.convert_to_tensor(matrix, name="matrix")
        if transform is None:
            return given
        diagonal = transform(v1_matrices.matrix_diag_part(given))
        return v1_matrices.matrix_set_diag(given, diagonal)


def fill_triangular_inverse(
    x: Any, upper: bool = False, name: str | None = None
) -> Any:
    """Return the elements of triangular matrices in the order that fill_triangular takes them."""
    with framework.name_scope(name, "fill_triangular_inverse"):
        given = framework.convert_to_tensor(x, name="x")
        known = given.get_shape()[-1].value
        size = v1_arrays.shape(given)[-1] if known is None else known
        if upper:
            first, rest = given[..., 0, :], given[..., 1:, :]
        else:
            first = cutting.reverse(given[..., -1, :], [-1])
            rest = given[..., :-1, :]
        whole = rest + cutting.reverse(rest, [-1, -2])
        outer = v1_arrays.shape(given)[:-2]
        flat = arrays.reshape(whole, arrays.concat([outer, [size * (size - 1)]], 0))
        count = size * (size + 1) // 2 - size
        return arrays.concat([first, flat[..., :count]], -1)
