"""Sets in the last axis, which TensorFlow 1 and 2 have alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared.ragged_and_sparse.sparse import SparseTensorValue
from tensorlite.compat.views import in_graph, plain
from tensorlite.ops.sparse.tensor import SparseTensor

__all__ = ["difference", "intersection", "size", "union"]


def _set(x: Any) -> Any:
    if isinstance(x, SparseTensorValue):
        return SparseTensor(*x)
    return x if isinstance(x, SparseTensor) else converted(x)


@named("SetSize")
def _size(a: Any, validate_indices: bool, name: str | None = None) -> Any:
    return tl.sets.size(_set(a), validate_indices)


def size(a: Any, validate_indices: bool = True) -> Any:
    """Return how many different elements there are in each row of the last axis, as int32."""
    return _size(a, validate_indices)


def _combined(function: Callable[..., Any], a: Any, b: Any, options: Any) -> Any:
    """Return sets made of two, by an operator that is named after what these are."""
    first, second = _set(a), _set(b)
    kinds = ["Sparse" if isinstance(x, SparseTensor) else "Dense" for x in (a, b)]
    title = "{}To{}SetOperation".format(*sorted(kinds))
    return in_graph(lambda: function(*plain([first, second]), *options), title)


def intersection(a: Any, b: Any, validate_indices: bool = True) -> Any:
    """Return for each row of the last axis the elements that a and b have, sparse."""
    return _combined(tl.sets.intersection, a, b, [validate_indices])


def union(a: Any, b: Any, validate_indices: bool = True) -> Any:
    """Return for each row of the last axis the elements that a or b has, sparse."""
    return _combined(tl.sets.union, a, b, [validate_indices])


def difference(
    a: Any,
    b: Any,
    aminusb: bool = True,
    validate_indices: bool = True,
) -> Any:
    """Return for each row of the last axis the elements of a that b has not, sparse.

    aminusb=False returns those of b that a has not.
    """
    return _combined(tl.sets.difference, a, b, [aminusb, validate_indices])
