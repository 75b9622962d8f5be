"""Slices of linear operators along the axes of their batches: those of what they are made of."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays, cutting
from tensorlite.compat.shared.linear.known_matrices import tensor_of
from tensorlite.compat.shared.linear.operator_parts import OperatorParts

_MATRIX_AXES = {
    "col": 1,
    "diag": 1,
    "diag_update": 1,
    "matrix": 2,
    "multiplier": 0,
    "perm": 1,
    "reflection_axis": 1,
    "row": 1,
    "tril": 2,
    "u": 2,
    "v": 2,
}
"""How many of a parameter's last axes are of the matrix, by its name, unless the class says so."""
_SIZES = {"batch_shape", "num_columns", "num_rows"}
"""Parameters that are no members of a batch."""


def sliced(operator: Any, slices: Any) -> Any:
    """Return an operator of some members of the batch, by an index or several of its axes."""
    given = slices if isinstance(slices, (tuple, list)) else (slices,)
    shape = operator.batch_shape
    sizes = shape if shape.is_fully_defined() else operator.batch_shape_tensor()
    return _parts_sliced(operator, given, sizes)


def _parts_sliced(operator: Any, slices: Any, sizes: Any) -> Any:
    """Return an operator that is sliced, or part of one that is, whose batch has those sizes."""
    own = getattr(operator, "_experimental_parameter_ndims_to_matrix_ndims", {})

    def each(part: Any, axes: Any) -> Any:
        if isinstance(part, (list, tuple)):
            many = axes if isinstance(axes, (list, tuple)) else [axes] * len(part)
            return [each(x, n) for x, n in zip(part, many, strict=True)]
        if isinstance(part, OperatorParts):
            return _parts_sliced(part, slices, sizes)
        return _picked(tensor_of(part), slices, sizes, axes)

    members = {
        name: each(part, own.get(name, _axes(operator, name)))
        for name, part in operator.members().items()
        if name not in _SIZES
    }
    return type(operator)(**{**operator.parameters, **members})


def _axes(operator: Any, name: str) -> int:
    """Return how many axes of a parameter are of the matrix."""
    if name == "spectrum":
        return int(operator.block_depth)
    if name == "diagonals":
        return {"matrix": 2, "compact": 2}.get(operator.diagonals_format, 1)
    return _MATRIX_AXES.get(name, 0)


def _picked(x: Any, slices: Any, sizes: Any, axes: int) -> Any:
    """Return what slices of the batch leave of a tensor whose last `axes` are of the matrix."""
    ends = x.get_shape()[-axes:] if axes else x.get_shape()[:0]
    if ends.is_fully_defined() and not hasattr(sizes, "dtype"):
        whole = [*sizes.as_list(), *ends.as_list()]
    else:
        tail = arrays.shape(x)[arrays.rank(x) - axes :]
        whole = arrays.concat([sizes, tail], axis=0)
    full = [slice(None)] * axes
    is_open = any(one is Ellipsis for one in slices)
    behind = full if is_open else [Ellipsis, *full]
    return cutting.broadcast_to(x, whole)[(*slices, *behind)]
