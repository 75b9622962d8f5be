"""Weights of losses and metrics: one number, or of the rank of what is weighed, sizes alike or 1.

They are checked as the graph is made where shapes are known, else by nodes, as in TensorFlow.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays, checks, control_flow, elementwise, sets
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs import framework
from tensorlite.core.errors import ShapeError
from tensorlite.graph_mode.graph import name_scope

_REFUSED = "weights can not be broadcast to values."


def assert_broadcastable(weights: Any, values: Any) -> Any:
    """Return what raises if weights do not fit; ShapeError where that is known now."""
    with name_scope(None, "assert_broadcastable") as prefix:
        weights, own, own_rank = _measured(weights, "weights")
        values, others, rank = _measured(values, "values")
        known = _known(weights, values)
        if known:
            return framework.no_op(name=known)
        alone = elementwise.equal(0, own_rank, name="is_scalar")
        told = [_REFUSED, "weights.shape=", weights.name, own]
        told += ["values.shape=", values.name, others, "is_scalar=", alone]
        fits = control_flow.cond(
            alone,
            lambda: alone,
            lambda: _fits(own, own_rank, others, rank),
            name="is_valid_shape",
        )
        return checks.Assert(fits, told, name=prefix)


def _measured(x: Any, name: str) -> tuple[Any, Any, Any]:
    """Return a tensor, its shape and its rank."""
    with name_scope(None, name) as prefix:
        given = framework.convert_to_tensor(x, name=prefix)
        shape = v1_arrays.shape(given, name="shape")
        return given, shape, arrays.rank(given, name="rank")


def _known(weights: Any, values: Any) -> str:
    """Return what is known to be right, "" where that shows as the graph runs; or raise."""
    have, wanted = weights.get_shape(), values.get_shape()
    if None in (have.rank, wanted.rank):
        return ""
    if have.rank == 0:
        return "static_scalar_check_success"
    told = f"values.shape={wanted}. weights.shape={have}."
    if have.rank != wanted.rank:
        ranks = f"values.rank={wanted.rank}. weights.rank={have.rank}."
        raise ShapeError(f"{_REFUSED} {ranks} {told}")
    if not (have.is_fully_defined() and wanted.is_fully_defined()):
        return ""
    for i, (own, size) in enumerate(
        zip(have.as_list(), wanted.as_list(), strict=True)
    ):
        if own not in (1, size):
            raise ShapeError(f"{_REFUSED} Mismatch at dim {i}. {told}")
    return "static_dims_check_success"


def _fits(own: Any, own_rank: Any, others: Any, rank: Any) -> Any:
    """Return whether shapes are of one rank, and the sizes of the first alike or 1."""
    with name_scope(None, "has_valid_nonscalar_shape") as prefix:
        alike = elementwise.equal(rank, own_rank, name="is_same_rank")

        return control_flow.cond(
            alike, lambda: _each_fits(own, others), lambda: alike, name=prefix
        )


def _each_fits(own: Any, others: Any) -> Any:
    """Return whether each size of weights is 1, or that of what they weigh."""
    with name_scope(None, "has_invalid_dims") as prefix:
        column = v1_arrays.expand_dims(others, -1)
        allowed = arrays.concat([column, v1_arrays.ones_like(column)], 1)
        wrong = sets.difference(v1_arrays.expand_dims(own, -1), allowed)
        count = v1_arrays.size(wrong.values, name="num_invalid_dims")
        return elementwise.equal(0, count, name=prefix)


def broadcast_weights(weights: Any, values: Any) -> Any:
    """Return weights in the shape of what they weigh."""
    with name_scope(None, "broadcast_weights") as prefix:
        wanted = framework.convert_to_tensor(values, name="values")
        given = framework.convert_to_tensor(weights, wanted.dtype, name="weights")
        have, sizes = given.get_shape(), wanted.get_shape()
        both = have.is_fully_defined() and sizes.is_fully_defined()
        if both and have.is_compatible_with(sizes):
            return given
        with framework.control_dependencies([assert_broadcastable(given, wanted)]):
            ones = v1_arrays.ones_like(wanted)
            return elementwise.multiply(given, ones, name=prefix)
