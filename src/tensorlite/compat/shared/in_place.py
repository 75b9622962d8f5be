"""tensorflow.python.ops.inplace_ops: rows of tensors that are changed, as results of their own.

What is given keeps its values here; TensorFlow lets the result lie in the same memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.core.dtypes import as_dtype

__all__ = [
    "alias_inplace_add",
    "alias_inplace_sub",
    "alias_inplace_update",
    "empty",
    "empty_like",
    "inplace_add",
    "inplace_sub",
    "inplace_update",
]


def _changing(title: str, change: Callable[..., Any], what: str) -> Any:
    """Return the function that changes rows: all of them if None stands for their numbers."""

    @named(title)
    def made(x: Any, i: Any, v: Any, name: str | None = None) -> Any:
        given = converted(x)
        values = converted(v, given.dtype)
        if i is None:
            i, values = 0, tl.expand_dims(values, axis=0)
            return change(tl.expand_dims(given, axis=0), [[i]], values)[0]
        rows = converted(i)
        if rows.ndim == 0:
            rows, values = (
                tl.expand_dims(rows, axis=0),
                tl.expand_dims(values, axis=0),
            )
        size = tl.astype(tl.shape(given)[0], rows.dtype)
        rows = tl.remainder(
            rows, size
        )  # counted from the end where they are negative
        return change(given, tl.expand_dims(rows, axis=-1), values)

    made.__doc__ = (
        f"Return x, {what} its rows i by v; i is a number, several, or None for all."
    )
    return made


alias_inplace_update = inplace_update = _changing(
    "InplaceUpdate", tl.tensor_scatter_nd_update, "replacing"
)
alias_inplace_add = inplace_add = _changing(
    "InplaceAdd", tl.tensor_scatter_nd_add, "increasing"
)
alias_inplace_sub = inplace_sub = _changing(
    "InplaceSub", tl.tensor_scatter_nd_sub, "decreasing"
)


@named("Empty")
def empty(shape: Any, dtype: Any, init: bool = False, name: str | None = None) -> Any:
    """Return a tensor of a shape, of zeros; init has no effect."""
    return tl.zeros(converted(shape), dtype=as_dtype(dtype))


def empty_like(x: Any, init: bool | None = None) -> Any:
    """Return a tensor of another's shape and dtype, of zeros; init has no effect."""
    given = converted(x)
    return empty(tl.shape(given), given.dtype)
