"""tensorflow.compiler.tf2xla.python.xla: parts of tensors that lie where it is computed.

A part that would reach beyond the tensor lies at its edge instead.
"""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import cutting, padding
from tensorlite.ops.arrays.shape import astype, shape_of

__all__ = ["dynamic_slice", "dynamic_update_slice"]


@named("XlaDynamicSlice")
def dynamic_slice(
    input: Any, start_indices: Any, size_indices: Any, name: str | None = None
) -> Any:
    """Return the part of a tensor of some sizes that begins at start_indices.

    >>> from tensorlite.compat.v2.compiler.tf2xla.python import xla
    >>> xla.dynamic_slice([1, 2, 3, 4], [3], [2]).numpy().tolist()
    [3, 4]
    """
    given, sizes = converted(input), converted(size_indices)
    return cutting.slice(given, _within(given, start_indices, sizes), sizes)


@named("XlaDynamicUpdateSlice")
def dynamic_update_slice(
    input: Any, update: Any, indices: Any, name: str | None = None
) -> Any:
    """Return a tensor with the part that begins at indices replaced by update.

    >>> from tensorlite.compat.v2.compiler.tf2xla.python import xla
    >>> xla.dynamic_update_slice([1, 2, 3, 4], [8, 9], [1]).numpy().tolist()
    [1, 8, 9, 4]
    """
    given = converted(input)
    part = converted(update, given.dtype)
    sizes = tl.asarray(shape_of(part))
    start = _within(given, indices, sizes)
    left = astype(tl.asarray(shape_of(given)), start.dtype) - start
    around = tl.stack([start, left - astype(sizes, start.dtype)], axis=1)
    is_there = padding.pad(tl.ones_like(part, dtype=tl.bool), around)
    return tl.where(is_there, padding.pad(part, around), given)


def _within(given: Any, start: Any, sizes: Any) -> Any:
    """Return where a part begins, so that it ends within what is given."""
    wanted = converted(start)
    last = tl.asarray(shape_of(given)) - astype(sizes, tl.int32)
    return tl.clip(wanted, tl.zeros_like(wanted), astype(last, wanted.dtype))


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
