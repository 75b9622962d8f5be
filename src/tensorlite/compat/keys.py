"""Keys of tensors of graphs, `x[1:n, i]`, by the nodes that TensorFlow 1 makes of them.

What else may be in a key, such as arrays, is taken apart in ops/arrays/index.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tensorlite.compat.adopting import adopted, inner_named
from tensorlite.core import operand
from tensorlite.core.dispatch import call, constant
from tensorlite.core.dtypes import int32, int64
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.slicing import StridedSlice


class Entry(NamedTuple):
    """What one part of a key says of an axis, and which masks it sets."""

    begin: Any
    end: Any
    step: Any
    masks: tuple[str, ...]


def selection(
    key: Any, taken: Callable[[Any], Tensor], behind: Callable[[Any], Any]
) -> Callable[[Tensor], Tensor]:
    """Return what selects the part of a tensor that a key says.

    `taken` returns the values of variables in a key; `behind` makes of a place that is computed
    the one behind it.
    """

    def with_values(item: Any) -> Any:
        if isinstance(item, slice):
            return slice(*map(with_values, (item.start, item.stop, item.step)))
        return taken(item) if isinstance(item, Operand) else item

    items = tuple(map(with_values, key if type(key) is tuple else (key,)))
    if not items:
        return _whole
    if not all(map(_is_plain, items)):
        whole = items if type(key) is tuple else items[0]
        return lambda x: operand.operators.getitem(x, whole)
    entries = [_entry(item, behind) for item in items]
    return lambda x: _selected(x, entries)


def _whole(x: Tensor) -> Tensor:
    """Return a tensor, of which nothing is left out."""
    nothing = inner_named(constant(np.zeros(0, np.int32)), "Const")
    return call(StridedSlice(), x, nothing, nothing, nothing)


def _is_plain(item: Any) -> bool:
    if isinstance(item, slice):
        return all(
            x is None or _is_place(x) for x in (item.start, item.stop, item.step)
        )
    return item is None or item is Ellipsis or _is_place(item)


def _is_place(x: Any) -> bool:
    if isinstance(x, Operand):
        spec = x.__tensor__().spec
        return spec.rank == 0 and spec.dtype in (int32, int64)
    return isinstance(x, (int, np.integer)) and not isinstance(x, bool)


def _entry(item: Any, behind: Callable[[Any], Any]) -> Entry:
    if item is None:
        return Entry(0, 0, 1, ("new_axis_mask",))
    if item is Ellipsis:
        return Entry(0, 0, 1, ("ellipsis_mask",))
    if not isinstance(item, slice):
        end = behind(item.__tensor__()) if isinstance(item, Operand) else item + 1
        return Entry(item, end, 1, ("shrink_axis_mask",))
    begin = 0 if item.start is None else item.start
    end = 0 if item.stop is None else item.stop
    given = (("begin_mask", item.start), ("end_mask", item.stop))
    masks = tuple([mask for mask, bound in given if bound is None])
    return Entry(begin, end, 1 if item.step is None else item.step, masks)


def _selected(x: Tensor, entries: list[Entry]) -> Tensor:
    """Return the part of a tensor that the entries of a key say."""
    masks = dict[str, int]()
    for i, entry in enumerate(entries):
        for mask in entry.masks:
            masks[mask] = masks.get(mask, 0) | 1 << i
    names = ("stack", "stack_1", "stack_2")
    lists = zip(*[entry[:3] for entry in entries], strict=True)
    vectors = [_vector(list(xs), name) for xs, name in zip(lists, names, strict=True)]
    if any(v.dtype is int64 for v in vectors):
        astype = operand.operators.astype
        vectors = [v if v.dtype is int64 else astype(v, int64) for v in vectors]
    return call(StridedSlice(**masks), x, *vectors)


def _vector(places: list[Any], name: str) -> Tensor:
    computed = [x.__tensor__().dtype for x in places if isinstance(x, Operand)]
    return adopted(places, int64 if int64 in computed else int32, name)
