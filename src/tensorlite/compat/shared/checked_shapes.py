"""assert_shapes: an assertion of the sizes of several tensors, some of which have names.

Other assertions are in checks.py.
"""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.views import plain
from tensorlite.core.check import pairs_of
from tensorlite.core.shapes import AnyShape
from tensorlite.core.tensor import Tensor
from tensorlite.ops.control import assertions
from tensorlite.ops.sparse.tensor import SparseTensor


@named("assert_shapes")
def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: str | None = None,
) -> Any:
    """Return an assertion that sizes of tensors are as said, and alike where named alike.

    `shapes` pairs tensors with shapes of numbers, names, None for any size, and '...' for any axes.
    `data` and `summarize` have no effect.
    """
    listed = shapes.items() if isinstance(shapes, dict) else shapes
    pairs = pairs_of(listed, "assert_shapes: shapes", "pairs of a tensor and a shape")
    given = [_levelled(_spread(x), _symbols(sizes)) for x, sizes in pairs]
    return assertions.assert_shapes(given, message or "")


def _spread(x: Any) -> Any:
    """Return a tensor; of a sparse one what has its shape, and takes no room for it."""
    if not isinstance(x, SparseTensor):
        return converted(x)
    return tl.broadcast_to(tl.zeros((), dtype=tl.bool), x.dense_shape)


def _symbols(sizes: Any) -> Any:
    if isinstance(sizes, str):
        sizes = [int(x) if x.isdecimal() else x for x in sizes.replace("...", "*")]
    listed = sizes if isinstance(sizes, (list, tuple, AnyShape)) else [sizes]
    return [_SYMBOLS.get(x, x) if isinstance(x, str) else plain(x) for x in listed]


_SYMBOLS = {".": None, "...": ..., "*": ...}


def _levelled(x: Tensor, sizes: list[Any]) -> tuple[Tensor, list[Any]]:
    """Return a tensor and its sizes, where a scalar and a vector of one number are the same."""
    if len(sizes) > 1 or sizes == [...] or x.spec.rank not in (0, 1):
        return x, sizes
    return tl.reshape(x, (-1,)), sizes or [1]
