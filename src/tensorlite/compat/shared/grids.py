"""Grids of coordinates: tf.meshgrid, in graphs by the nodes that TensorFlow has."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.shared.arrays import ones, reshape, size
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph


def meshgrid(*args: Any, **kwargs: Any) -> Any:
    """Return a list of tensors, each of which has one of the vectors along its axis.

    indexing='xy' exchanges the first two axes, 'ij' does not.

    >>> from tensorlite.compat import v2 as tf
    >>> [x.numpy().tolist() for x in tf.meshgrid([1, 2], [3, 4])]
    [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]
    """
    name, indexing = kwargs.pop("name", "meshgrid"), kwargs.pop("indexing", "xy")
    if kwargs:
        raise TypeError(f"meshgrid() got unexpected arguments {sorted(kwargs)}")
    return _grids(list(args), indexing, name=name)


@named("meshgrid", None)
def _grids(given: Any, indexing: str, name: str | None = None) -> Any:
    if indexing not in ("xy", "ij"):
        raise InvalidArgumentError("indexing parameter must be either 'xy' or 'ij'")
    is_turned = indexing == "xy" and len(given) > 1
    if active_graph() is None or not given:
        xs = [converted(x) for x in given]
        return list(tl.meshgrid(*xs, indexing="xy" if indexing == "xy" else "ij"))
    count = len(given)
    vectors: list[Any] = [
        x if isinstance(x, Operand) else given_constant(x, name="stack")
        for x in given
    ]
    rows = [reshape(x, _along(i, count)) for i, x in enumerate(vectors)]
    sizes = [size(x) for x in vectors]
    if is_turned:
        rows[:2] = [reshape(rows[i], _along(1 - i, count)) for i in range(2)]
        sizes[:2] = sizes[1::-1]
    whole = ones(sizes, rows[0].dtype)
    return [row * whole for row in rows]


def _along(axis: int, count: int) -> list[int]:
    """Return the shape of a vector that lies along one of so many axes."""
    return [-1 if i == axis else 1 for i in range(count)]
