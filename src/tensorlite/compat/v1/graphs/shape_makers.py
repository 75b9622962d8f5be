"""tensorflow.python.framework.tensor_shape: shapes of few axes, and what is given for one."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shapes import TensorShape as TensorShapeV1
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.sizes import Dimension

__all__ = ["TensorShapeV1"]


def as_dimension(value: Any) -> Any:
    """Return a size as a Dimension, as it is if it is one."""
    return value if isinstance(value, Dimension) else Dimension(value)


def as_shape(shape: Any) -> Any:
    """Return what is given for a shape as one, as it is if it is one."""
    return shape if isinstance(shape, TensorShapeV1) else TensorShapeV1(shape)


def unknown_shape(rank: int | None = None, ndims: int | None = None) -> Any:
    """Return a shape of sizes that are not known, nor is their number unless it is given."""
    if rank is not None and ndims is not None:
        raise InvalidArgumentError("unknown_shape: give `rank` or `ndims`, not both")
    count = ndims if rank is None else rank
    return TensorShapeV1(None if count is None else [None] * count)


def scalar() -> Any:
    """Return the shape of no axes."""
    return TensorShapeV1([])


def vector(length: Any) -> Any:
    """Return the shape of one axis."""
    return TensorShapeV1([length])


def matrix(rows: Any, cols: Any) -> Any:
    """Return the shape of two axes."""
    return TensorShapeV1([rows, cols])
