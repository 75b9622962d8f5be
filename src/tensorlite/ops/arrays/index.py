"""`x[key]` and `x[key] = value`, with every key that NumPy takes.

Keys of ints, slices, None and ... are one StridedSlice (slicing.py); arrays in a key are gathers
(gather.py) after it. Assignment makes a new value and lets the tensor become it.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from types import EllipsisType
from typing import Any, TypeGuard, TypeVar

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.device import settings
from tensorlite.core.dispatch import (
    call,
    constant,
    current,
    replace_everywhere,
    to_tensor,
    tracer,
)
from tensorlite.core.errors import (
    DTypeError,
    PlaceError,
    TracingError,
)
from tensorlite.core.operand import Operand
from tensorlite.core.spec import broadcast
from tensorlite.core.tensor import EagerTensor, Tensor, TensorLike
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.trace import Tracer
from tensorlite.ops.arrays.arrange import moveaxis, permute_dims, size
from tensorlite.ops.arrays.gather import from_front, gather, gather_nd, sizes
from tensorlite.ops.arrays.identity import apart
from tensorlite.ops.arrays.masks import Where, check_mask
from tensorlite.ops.arrays.scatter import tensor_scatter_nd_update
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.arrays.slicing import SliceKey
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.math.arithmetic import Range, broadcast_to
from tensorlite.ops.math.compare import where

__all__ = ["set_item"]

T = TypeVar("T")
Bound = int | Tensor | None
Item = int | slice | EllipsisType | Tensor | None
PLAIN = (int, slice, EllipsisType, type(None))


def getitem(x: TensorLike, key: Any, /) -> Tensor:
    """Return the part of `x` that `key` selects, as NumPy does.

    Ints, slices, Ellipsis, None, and tensors, arrays or lists of integers or bools; indices may be
    traced. Raises PlaceError for an index that is not there.
    """
    if (
        isinstance(key, list)
        and settings.tensorflow_results
        and not settings.numpy_behavior
    ):
        key = tuple(key)
    if _is_plain(x):
        try:
            return EagerTensor(x.array[_numpy_key(key)], x.device)
        except (IndexError, TypeError, ValueError):
            pass  # Below, the same is tried again in steps that explain themselves.
    tensor = to_tensor(x)
    return apart(Key(tensor, key).select(tensor), x)


def _is_plain(x: Any) -> TypeGuard[EagerTensor]:
    """Return whether NumPy may answer by itself: nothing records, and the value is its own."""
    return (
        type(x) is EagerTensor
        and current.get() is None
        and type(x.array) is np.ndarray
    )


def _numpy_key(key: Any) -> tuple[Any, ...]:
    """Return a key that selects an array, no scalar; TypeError when it is not NumPy's to answer."""
    if type(key) is not tuple:
        return (key if type(key) in PLAIN else _numpy_index(key), ...)
    parts = tuple([k if type(k) in PLAIN else _numpy_index(k) for k in key])
    return parts if any(k is Ellipsis for k in parts) else (*parts, ...)


def _numpy_index(k: Any) -> Any:
    array = k.array if type(k) is EagerTensor else k
    if isinstance(array, list):
        array = np.asarray(array)
    if type(array) is np.ndarray and array.dtype.kind in "iub":
        return array
    raise TypeError


class Key:
    """A key taken apart: the basic part, and the indices that are left for gathers after it."""

    def __init__(self, x: Tensor, key: Any) -> None:
        items = [_item(k) for k in (key if type(key) is tuple else (key,))]
        self.basic = SliceKey()
        self.indices: list[tuple[int, Tensor]] = []
        """Axes of the basic part, and the integers that go there."""
        self.mask: Tensor | None = None
        """The rows that the indices came from, if one mask made them all."""
        self._runs: list[int] = []
        """Where each run of neighbours that are ints or arrays starts, in axes of the result."""
        self._build(x, items)

    def _build(self, x: Tensor, items: list[Item]) -> None:
        axis = source = 0
        beside = False
        for item, rest in _expanded(items, x):
            advanced = isinstance(item, (int, Tensor))
            if advanced and not beside:
                self._runs.append(axis)
            beside = advanced
            if isinstance(item, Tensor) and not _is_index(item):
                axis, source = self._add_array(x, item, axis, source)
                continue
            taken, made = self._add_basic(item, rest)
            axis, source = axis + made, source + taken

    def _add_basic(self, item: Item, rest: int) -> tuple[int, int]:
        """Add an item that is no array; return how many axes it takes and how many it makes."""
        if item is None:
            self.basic.add_new_axis()
            return 0, 1
        if isinstance(item, EllipsisType):
            self.basic.add_ellipsis()
            return rest, rest
        if isinstance(item, slice):
            self.basic.add_slice(item.start, item.stop, item.step)
            return 1, 1
        self.basic.add_index(item)
        return 1, 0

    def _add_array(
        self, x: Tensor, item: Tensor, axis: int, source: int
    ) -> tuple[int, int]:
        if item.dtype is not dtypes.bool_:
            self.basic.add_slice(None, None, None)
            self.indices.append((axis, from_front(item, x, source, "indexing")))
            self.mask = None
            return axis + 1, source + 1
        rank = len(item.shape)
        check_mask(x, item, source)
        if rank == 0:
            self.basic.add_new_axis()
            item = reshape(item, (1,))
        for _ in range(rank):
            self.basic.add_slice(None, None, None)
        rows = call(Where(), item)
        self.mask = rows if not self.indices else None
        made = max(rank, 1)
        self.indices += [
            (axis + i, getitem(rows, (slice(None), i))) for i in range(made)
        ]
        return axis + made, source + rank

    def select(self, x: Tensor) -> Tensor:
        """Return what the key selects of `x`."""
        part = self.basic.select(x)
        if not self.indices:
            return part
        place = self._runs[0] if len(self._runs) == 1 else 0
        axes = [axis for axis, _ in self.indices]
        if len(axes) == 1:
            axis, index = self.indices[0]
            return _placed(gather(part, index, axis), axis, len(index.shape), place)
        if axes != list(range(len(axes))):
            others = [axis for axis in range(len(part.shape)) if axis not in axes]
            part = permute_dims(part, [*axes, *others])
        rows = (
            self.mask if self.mask is not None else stack(self._broadcast(), axis=-1)
        )
        return _placed(gather_nd(part, rows), 0, len(rows.shape) - 1, place)

    def _broadcast(self) -> list[Tensor]:
        indices = [astype(index, dtypes.int64) for _, index in self.indices]
        shape = broadcast(*[index.shape for index in indices])
        assert shape is not None
        if None not in shape:
            return [
                i if i.shape == shape else broadcast_to(i, shape) for i in indices
            ]
        zero = indices[0] * 0
        for index in indices[1:]:
            zero = zero + index * 0
        return [index + zero for index in indices]

    def update(self, x: Tensor, value: Tensor) -> Tensor:
        """Return `x` with what the key selects replaced by `value`."""
        if not self.indices:
            return self.basic.update(x, value)
        count = x.spec.size
        total = size(x) if count is None else count
        numbers = (
            constant(np.arange(count))
            if count is not None
            else call(Range(), 0, total, 1)
        )
        places = self.select(reshape(numbers, sizes(x)))
        spread = broadcast_to(value, sizes(places))
        changed = tensor_scatter_nd_update(
            reshape(x, (-1,)), reshape(places, [*sizes(places), 1]), spread
        )
        return reshape(changed, sizes(x))


def _placed(x: Tensor, start: int, count: int, place: int) -> Tensor:
    """Return `x` with `count` axes from `start` on moved to `place`."""
    if start == place or count == 0:
        return x
    come, go = range(start, start + count), range(place, place + count)
    return moveaxis(x, list(come), list(go))


def _is_index(item: Tensor) -> bool:
    return item.spec.rank == 0 and item.dtype is not dtypes.bool_


def _expanded(items: list[Item], x: Tensor) -> Iterator[tuple[Item, int]]:
    """Yield the items, each with the number of axes that an ellipsis stands for.

    An ellipsis is yielded at the end where none is given.
    """
    ellipses = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1:
        raise PlaceError("Multiple ellipses: a key holds at most one ellipsis (...)")
    taken = sum([_taken(item) for item in items])
    rank = x.spec.rank
    if rank is not None and taken > rank:
        raise PlaceError(
            f"indexing: Index out of range using input dim {rank}; input has only {rank} dims: "
            f"{taken} indices for {x.spec}"
        )
    rest = 0 if rank is None else rank - taken
    for item in items if ellipses else [*items, ...]:
        yield item, rest


def _taken(item: Item) -> int:
    if item is None or item is Ellipsis:
        return 0
    if isinstance(item, Tensor) and item.dtype is dtypes.bool_:
        return len(item.shape)
    return 1


def _item(k: Any) -> Item:
    """Return one item of a key as an int, a slice, None, an ellipsis, or a tensor."""
    if type(k) in PLAIN and not isinstance(k, slice):
        item: Item = k
        return item
    if isinstance(k, slice):
        return slice(_bound(k.start), _bound(k.stop), _bound(k.step))
    if isinstance(k, (Operand, np.ndarray, np.generic, list, tuple, range, bool)):
        return _array_item(k)
    if hasattr(k, "__index__"):
        return int(k.__index__())
    raise DTypeError(
        f"indexing: a key holds {type(k).__name__} {k!r}; allowed are ints, slices, None, ... and "
        "tensors, arrays or lists of integers or bools"
    )


def _array_item(k: Any) -> int | Tensor:
    if isinstance(k, (list, tuple, range)) and len(k) == 0:
        return constant(np.zeros(0, np.int64))
    tensor = to_tensor(list(k) if isinstance(k, range) else k)
    if not (tensor.dtype.is_integer or tensor.dtype is dtypes.bool_):
        raise DTypeError(
            f"indexing: {tensor.spec} is no index; allowed are integers and bools. Cast it with "
            "tl.astype"
        )
    if tensor.spec.shape is None and tensor.dtype.is_integer:
        return reshape(tensor, ())  # which it will have when it runs
    return _known(tensor) if _is_index(tensor) else tensor


def _known(index: Tensor) -> int | Tensor:
    """Return a 0-d index as an int where the program at hand may rely on its value."""
    if isinstance(index, SymbolicTensor):
        value = index.spec.scalar()
        return index if value is None else value
    return int(index) if tracer() is None else index


def _bound(bound: Any) -> Bound:
    if bound is None or type(bound) is int:
        return bound
    item = _item(bound)
    if isinstance(item, int) or (isinstance(item, Tensor) and _is_index(item)):
        return item
    raise DTypeError(f"indexing: a slice's bounds are integers, not {bound!r}")


def setitem(x: Tensor, key: Any, value: TensorLike, /) -> None:
    """Make `x` the tensor with the part that `key` selects replaced by `value`.

    Tapes that saw `x` keep its old value for what was computed from it; from now on `x` stands for
    the result of the update. Raises an error and leaves `x` as it was when the value does not fit.
    """
    _check_ours(x)
    new = set_item(x, key, value)
    if new is x:
        return
    replace_everywhere(x, copy(x))
    x.become(new)
    replace_everywhere(new, x)


def _check_ours(x: Tensor) -> None:
    """Raise TracingError when the code at hand is traced and `x` was made outside of the trace."""
    top = tracer()
    if not isinstance(top, Tracer):
        return
    if not isinstance(x, SymbolicTensor) or x.node.graph is not top.graph:
        raise TracingError(
            f"{x.spec} was made outside of {top.graph.name}, which is being traced: assigning to "
            "its parts would happen once, not at each call. Use x = tl.set_item(x, key, value), "
            "or keep it in a tl.Variable"
        )


def set_item(x: T, key: Any, value: Any) -> T:
    """Return `x` with the part that `key` selects replaced by `value`: a new tensor.

    What is no tensor, a list or a variable for instance, is assigned to and returned. Raises
    ShapeError when the value does not stretch to the part, DTypeError when `x` cannot hold it.

    >>> print(tl.set_item(tl.asarray([1, 2, 3]), slice(1, None), 0))
    [1 0 0]
    """
    if not isinstance(x, Tensor):
        x[key] = value  # type: ignore[index]
        return x
    return _updated(x, key, _fitting(x, value))  # type: ignore[return-value]


def _updated(x: Tensor, key: Any, value: Tensor) -> Tensor:
    if _is_plain(x) and value.spec.rank == 0 and type(value.array) is np.ndarray:
        changed = x.array.copy()
        try:
            changed[_numpy_key(key)] = value.array
            return EagerTensor(changed, x.device)
        except (IndexError, TypeError, ValueError):
            pass  # As in getitem.
    if _is_mask_alone(key) and value.spec.rank == 0:
        held = to_tensor(key)
        check_mask(x, held, 0)
        return where(_with_axes(held, len(x.shape)), value, x)
    return Key(x, key).update(x, value)


def _is_mask_alone(key: Any) -> bool:
    if isinstance(key, np.ndarray):
        return bool(key.dtype == np.bool_)
    return isinstance(key, Operand) and to_tensor(key).dtype is dtypes.bool_


def _with_axes(mask: Tensor, rank: int) -> Tensor:
    extra = rank - len(mask.shape)
    return mask if extra <= 0 else reshape(mask, [*sizes(mask), *[1] * extra])


def _fitting(x: Tensor, value: Any) -> Tensor:
    """Return the value in the dtype of `x`; DTypeError where that would lose something."""
    if isinstance(value, (bool, int, float, complex)) and not isinstance(
        value, np.generic
    ):
        dtype = (
            dtypes.bool_ if isinstance(value, bool) else dtypes.weak(value, x.dtype)
        )
        if dtype is x.dtype or (isinstance(value, bool) and x.dtype.is_numeric):
            return constant(value, x.dtype)
    else:
        plain = isinstance(value, (list, tuple))
        tensor = to_tensor(value)
        dtype = tensor.dtype
        if dtype is x.dtype:
            return tensor
        narrow = plain and dtype.kind == x.dtype.kind
        if narrow or (x.dtype.is_numeric and _holds(x.dtype, dtype)):
            return astype(tensor, x.dtype)
    raise DTypeError(
        f"assigning {dtype!r} to a part of {x.spec} would lose something; cast the value with "
        f"tl.astype(value, {x.dtype!r})"
    )


def _holds(wide: dtypes.DType, narrow: dtypes.DType) -> bool:
    return narrow.kind == "b" or dtypes.promote(wide, narrow) is wide
