"""Basic indexing: ints, slices, new axes and ellipses, read, written and differentiated.

What `x[key]` makes of Python's keys, and keys with arrays in them, is in index.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, constant, tracer
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    PlaceError,
    ShapeError,
)
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import (
    Dim,
    Dims,
    Known,
    TensorSpec,
    all_known,
    broadcast,
    shape_text,
)
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.math.arithmetic import sum_to

Entry = int | Tensor
ELLIPSIS, NEW, INDEX, SLICE = "ellipsis", "new axis", "index", "slice"


class Strided(Op, abstract=True):
    """A key of basic indexing: TensorFlow's begin, end and strides, and masks over their entries.

    Entry `i` is an ellipsis, a new axis, or the entry of an axis, as bit `i` of the masks says. Of
    an axis, bit `i` of `shrink_axis_mask` says that it is indexed and goes, and bits of
    `begin_mask` and `end_mask` that the slice is open at that end.
    """

    begin_mask: int = 0
    end_mask: int = 0
    ellipsis_mask: int = 0
    new_axis_mask: int = 0
    shrink_axis_mask: int = 0

    def kind(self, i: int) -> str:
        """Return what entry `i` of the key is."""
        if self.ellipsis_mask >> i & 1:
            return ELLIPSIS
        if self.new_axis_mask >> i & 1:
            return NEW
        return INDEX if self.shrink_axis_mask >> i & 1 else SLICE

    def reads_ends(self, count: int) -> bool:
        """Return whether any of so many entries is a slice that is not open at its end."""
        return any(
            self.kind(i) is SLICE and not self.end_mask >> i & 1 for i in range(count)
        )

    def key(
        self, begin: Sequence[Any], end: Sequence[Any], strides: Sequence[Any]
    ) -> Any:
        """Return the key as NumPy takes it; it always gives an array, never a scalar."""
        entries = zip(begin, end, strides, strict=True)
        parts = tuple([self._part(i, *entry) for i, entry in enumerate(entries)])
        return parts if self.ellipsis_mask else (*parts, ...)

    def _part(self, i: int, begin: Any, end: Any, stride: Any) -> Any:
        kind = self.kind(i)
        if kind is SLICE:
            first = None if self.begin_mask >> i & 1 else begin
            return slice(first, None if self.end_mask >> i & 1 else end, stride)
        return {ELLIPSIS: Ellipsis, NEW: None, INDEX: begin}[kind]

    def sliced(self, x: TensorSpec, *entries: TensorSpec) -> TensorSpec:
        """Return the spec of the indexed part; errors when the key does not fit the tensor."""
        begin, end, strides = [entry.vector() for entry in entries]
        if begin is None or end is None or strides is None:
            return x.with_shape(None)
        if any(
            n == 0 and self.kind(i) in (SLICE, INDEX) for i, n in enumerate(strides)
        ):
            raise InvalidArgumentError(
                f"{self.name}: a slice's step is 0; allowed is any other"
            )
        if x.shape is None:
            return x.with_shape(None)
        sizes = self._sizes(x.shape, begin, end, strides)
        known = None
        if x.known is not None and None not in (*begin, *end, *strides):
            known = _known_part(x, self.key(begin, end, strides))
        return TensorSpec(sizes, x.dtype, None, x.inner, known=known)

    def _sizes(self, shape: Dims, begin: Dims, end: Dims, strides: Dims) -> Dims:
        kinds = [self.kind(i) for i in range(len(begin))]
        rest = len(shape) - kinds.count(INDEX) - kinds.count(SLICE)
        if rest < 0:
            raise PlaceError(
                f"{self.name}: Index out of range using input dim {len(shape)}; input has only "
                f"{len(shape)} dims: {len(shape) - rest} indices for the shape {shape_text(shape)}"
            )
        sizes: list[Dim] = []
        axis = 0
        for i, kind in enumerate(kinds):
            if kind is NEW:
                sizes.append(1)
            elif kind is ELLIPSIS:
                sizes.extend(shape[axis : axis + rest])
                axis += rest
            elif kind is INDEX:
                check_index(self.name, begin[i], shape[axis], axis)
                axis += 1
            else:
                sizes.append(
                    self._length(i, shape[axis], begin[i], end[i], strides[i])
                )
                axis += 1
        return (*sizes, *shape[axis:])

    def _length(self, i: int, size: Dim, begin: Dim, end: Dim, stride: Dim) -> Dim:
        first_open, last_open = self.begin_mask >> i & 1, self.end_mask >> i & 1
        if size is None or stride is None:
            return None
        if (begin is None and not first_open) or (end is None and not last_open):
            return None
        part = slice(
            None if first_open else begin, None if last_open else end, stride
        )
        return len(range(*part.indices(size)))

    def view(self, x: Array, begin: Array, end: Array, strides: Array) -> Array:
        """Return the part of an array, sharing its memory; PlaceError when it is not there."""
        key = self.key(begin.tolist(), end.tolist(), strides.tolist())
        try:
            return x[key]
        except (IndexError, ValueError):
            given = [
                TensorSpec(v.shape, known=tuple(v.tolist()))
                for v in (begin, end, strides)
            ]
            self.sliced(TensorSpec(x.shape), *given)
            raise

    def masks(self) -> tuple[int, ...]:
        """Return the masks, to make another operator of the same key."""
        return (
            *(self.begin_mask, self.end_mask),
            *(self.ellipsis_mask, self.new_axis_mask, self.shrink_axis_mask),
        )


def check_index(op: str, index: Dim, size: Dim, axis: int) -> None:
    """Raise PlaceError when an axis of `size` is known not to have `index`."""
    if index is not None and size is not None and not -size <= index < size:
        allowed = (
            f"allowed are {-size} to {size - 1}" if size else "it has no elements"
        )
        raise PlaceError(
            f"{op}: slice index {index} of dimension {axis} out of bounds: index {index} is out of "
            f"range for axis {axis} of size {size}; {allowed}"
        )


def _known_part(x: TensorSpec, key: Any) -> Known:
    """Return the part of a value that is known in whole or in part; a matrix's is flat."""
    if not all_known(x.shape):
        return None
    part = np.array(x.known, object).reshape(x.shape)[key]
    if part.ndim > 1:
        return None
    return tuple(part.tolist()) if part.ndim else part.item()


class StridedSlice(Strided):
    """The part of a tensor that a key of basic indexing selects."""

    host = (1, 2, 3)
    aliases = True

    def infer(
        self, x: TensorSpec, begin: TensorSpec, end: TensorSpec, strides: TensorSpec
    ) -> TensorSpec:
        """Return the spec of the part, with the part of what is known of the value."""
        return self.sliced(x, begin, end, strides)

    def kernel(
        self, xp: Xp, x: Array, begin: Array, end: Array, strides: Array
    ) -> Array:
        """Return a view of the part."""
        return self.view(x, begin, end, strides)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient in a tensor of zeros."""
        x, *entries = call.inputs
        return spread_slice(self, shape_of(x), entries, dy), None, None, None


class StridedSliceGrad(Strided):
    """Zeros of a shape, with a tensor put where a key of basic indexing says."""

    host = (0, 1, 2, 3)

    def infer(
        self,
        shape: TensorSpec,
        begin: TensorSpec,
        end: TensorSpec,
        strides: TensorSpec,
        dy: TensorSpec,
    ) -> TensorSpec:
        """Return the spec of the asked shape."""
        return TensorSpec(shape.vector(), dy.dtype)

    def kernel(
        self,
        xp: Xp,
        shape: Array,
        begin: Array,
        end: Array,
        strides: Array,
        dy: Array,
    ) -> Array:
        """Return the zeros with the part put in."""
        out = xp.zeros(tuple(shape.tolist()), dy.dtype)
        self.view(out, begin, end, strides)[...] = dy
        return out

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the part of the gradient."""
        return None, None, None, None, _sliced(self, dy, call.inputs[1:4])


class TensorStridedSliceUpdate(Strided):
    """A tensor with the part that a key of basic indexing selects replaced."""

    host = (1, 2, 3)

    def infer(
        self,
        x: TensorSpec,
        begin: TensorSpec,
        end: TensorSpec,
        strides: TensorSpec,
        value: TensorSpec,
    ) -> TensorSpec:
        """Return the tensor's spec; ShapeError when the value does not stretch to the part."""
        if value.dtype is not x.dtype:
            raise DTypeError(
                f"{self.name}: the tensor is {x}, the value {value}; cast the value"
            )
        fits(self.name, value, self.sliced(x, begin, end, strides).shape)
        return x.without_value()

    def kernel(
        self, xp: Xp, x: Array, begin: Array, end: Array, strides: Array, value: Array
    ) -> Array:
        """Return a copy with the part replaced."""
        out = x.copy()
        part = self.view(out, begin, end, strides)
        if value.ndim > part.ndim:
            fits(self.name, TensorSpec(value.shape), part.shape)
        part[...] = value
        return out

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient with the part cleared, and the part for the value."""
        _, *entries, value = call.inputs
        zero = constant(np.zeros((), dy.dtype.numpy))
        kept = call_update(self, dy, entries, zero)
        return kept, None, None, None, sum_to(_sliced(self, dy, entries), value)


def fits(op: str, value: TensorSpec, part: Dims | None) -> None:
    """Raise ShapeError unless a value stretches to the part that it is to replace."""
    if value.shape is None or part is None:
        return
    try:
        both = broadcast(value.shape, part)
    except ShapeError:
        both = None
    misfit = both is None or len(value.shape) > len(part)
    pairs = zip(part, both or (), strict=False)
    if misfit or any(None not in pair and pair[0] != pair[1] for pair in pairs):
        raise ShapeError(
            f"{op}: a value of shape {shape_text(value.shape)} does not broadcast to the part that "
            f"the key selects, which has shape {shape_text(part)}"
        )


def _sliced(op: Strided, x: Tensor, entries: Sequence[Tensor]) -> Tensor:
    return call(StridedSlice(*op.masks()), x, *entries)


def spread_slice(
    op: Strided, shape: Tensor, entries: Sequence[Tensor], dy: Tensor
) -> Tensor:
    """Return zeros of `shape` with `dy` put where the key of `op` says."""
    return call(StridedSliceGrad(*op.masks()), shape, *entries, dy)


def call_update(
    op: Strided, x: Tensor, entries: Sequence[Tensor], value: Tensor
) -> Tensor:
    """Return `x` with `value` put where the key of `op` says."""
    return call(TensorStridedSliceUpdate(*op.masks()), x, *entries, value)


class SliceKey:
    """A key of basic indexing in the making: entries are added one by one, then it is applied."""

    def __init__(self) -> None:
        self._begin: list[Entry] = []
        self._end: list[Entry] = []
        self._strides: list[Entry] = []
        self._masks = dict.fromkeys(
            ("begin", "end", "ellipsis", "new_axis", "shrink_axis"), 0
        )
        self.trivial = True
        """Whether the key selects everything as it is."""

    def add_index(self, index: Entry) -> None:
        """Select one element of the next axis, which goes."""
        self._add(index, index + 1 if isinstance(index, int) else 0, 1, "shrink_axis")
        self.trivial = False

    def add_slice(
        self, begin: Entry | None, end: Entry | None, stride: Entry | None
    ) -> None:
        """Select a range of the next axis; None stands for an open end, and for step 1."""
        open_ends = [
            n for n, bound in (("begin", begin), ("end", end)) if bound is None
        ]
        whole = len(open_ends) == 2 and stride in (None, 1)
        self.trivial = self.trivial and whole
        self._add(
            0 if begin is None else begin,
            0 if end is None else end,
            1 if stride is None else stride,
            *open_ends,
        )

    def add_new_axis(self) -> None:
        """Put an axis of size 1 here."""
        self._add(0, 0, 1, "new_axis")
        self.trivial = False

    def add_ellipsis(self) -> None:
        """Pass over as many axes as the other entries leave."""
        self._add(0, 0, 1, "ellipsis")

    def _add(self, begin: Entry, end: Entry, stride: Entry, *masks: str) -> None:
        bit = 1 << len(self._begin)
        self._begin.append(begin)
        self._end.append(end)
        self._strides.append(stride)
        for mask in masks:
            self._masks[mask] |= bit

    def select(self, x: Tensor) -> Tensor:
        """Return the part of `x` that the key selects."""
        return (
            x
            if self.trivial
            else call(StridedSlice(*self._masks.values()), x, *self._entries())
        )

    def update(self, x: Tensor, value: Tensor) -> Tensor:
        """Return `x` with the part that the key selects replaced by `value`."""
        op = TensorStridedSliceUpdate(*self._masks.values())
        return call(op, x, *self._entries(), value)

    def _entries(self) -> list[Tensor]:
        return [_vector(self._begin), _vector(self._end), _vector(self._strides)]


def _vector(entries: list[Entry]) -> Tensor:
    if all(isinstance(entry, int) for entry in entries):
        numbers = np.asarray(entries, np.int64)
        return EagerTensor(numbers) if tracer() is None else constant(numbers)
    return stack(
        [
            constant(np.asarray(entry, np.int64))
            if isinstance(entry, int)
            else astype(entry, dtypes.int64)
            for entry in entries
        ]
    )
