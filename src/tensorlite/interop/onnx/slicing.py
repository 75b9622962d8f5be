"""Parts of tensors: keys of basic indexing become slices, single places and new axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.core.dtypes import bool_, int64
from tensorlite.interop.onnx.values import UnsupportedError
from tensorlite.interop.onnx.writing import Made, Site

FIRST, LAST = -(2**63), 2**63 - 1
"""What stands for the ends of an axis, whatever its size."""


def _within(size: int, part: slice) -> tuple[int, int, int]:
    """Return first, last and step of a slice as ONNX has them, for an axis of a size.

    >>> _within(4, slice(-6, None, -1)), _within(4, slice(2, None, -1))[0]
    ((0, 0, 1), 2)
    """
    first, last, step = part.indices(size)
    if not range(first, last, step):
        return 0, 0, 1
    return first, FIRST if last < 0 else last, step


def _entry(site: Site, i: int, place: int) -> str:
    """Return one number of a vector that is computed, as a vector."""
    return site.add("Gather", site.vector(i), site.constant([place], int64), axis=0)


class _Key:
    """A key of basic indexing on its way to slices, single places, and new axes."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.vectors = [_vector(site, i) for i in (1, 2, 3)]
        self.slices: list[tuple[int, str, str, str]] = []
        self.cuts: list[tuple[int, int]] = []
        self.places: list[tuple[int, str]] = []
        self.new: list[int] = []
        self._read()

    def _read(self) -> None:
        op: Any = self.site.node.op
        kinds = [op.kind(i) for i in range(len(self.vectors[0]))]
        rest = len(self.site.shape(0)) - kinds.count("index") - kinds.count("slice")
        axis = result = 0
        for i, kind in enumerate(kinds):
            if kind == "new axis":
                self.new.append(result)
                result += 1
            elif kind == "ellipsis":
                axis, result = axis + rest, result + rest
            elif kind == "index":
                self.places.append((axis, self._number(0, i)))
                axis += 1
            else:
                self._slice(op, i, axis)
                axis, result = axis + 1, result + 1

    def _number(self, which: int, i: int) -> str:
        known = self.vectors[which][i]
        if known is None:
            return _entry(self.site, which + 1, i)
        return self.site.constant([known], int64)

    def _slice(self, op: Any, i: int, axis: int) -> None:
        begin, end, step = [vector[i] for vector in self.vectors]
        first_open, last_open = op.begin_mask >> i & 1, op.end_mask >> i & 1
        if first_open and last_open and step == 1:
            return
        if step is None:
            raise UnsupportedError("a slice's step is computed, and must be constant")
        size = self.site.shape(0)[axis]
        if size is not None and None not in (begin, end):
            ends = None if first_open else begin, None if last_open else end
            self._add(axis, *_within(size, slice(*ends, step)))
            return
        if step < 0 and not first_open and begin is not None and begin < -1:
            self._cut(axis, begin, bool(last_open))
            first_open = 1
        first, last = (0, LAST) if step > 0 else (LAST, FIRST)
        self._add(
            axis,
            first if first_open else self._number(0, i),
            last if last_open else self._number(1, i),
            step,
        )

    def _add(self, axis: int, *numbers: int | str) -> None:
        first, last, step = [
            x if isinstance(x, str) else self.site.constant([x], int64)
            for x in numbers
        ]
        self.slices.append((axis, first, last, step))

    def _cut(self, axis: int, begin: int, is_open: bool) -> None:
        """Cut an axis behind a place that is told from its end, to begin at its last.

        ONNX begins at the first place where there is none so far from the end, and Python nowhere.
        """
        if not is_open:
            raise UnsupportedError(
                f"a slice goes back from {begin} to a given end, on axis {axis} of unknown size"
            )
        self.cuts.append((axis, begin + 1))

    def part(self, name: str) -> str:
        """Return the part of a tensor that the key selects."""
        site = self.site
        for axis, end in self.cuts:
            given = [site.constant([n], int64) for n in (0, end, axis)]
            name = site.add("Slice", name, *given)
        if self.slices:
            columns = list(zip(*self.slices, strict=True))
            axes = site.constant(columns[0], int64)
            first, last, steps = [_joined(site, column) for column in columns[1:]]
            name = site.add("Slice", name, first, last, axes, steps)
        for axis, place in reversed(self.places):
            name = site.add("Gather", name, site.squeezed(place, 0), axis=axis)
        return site.unsqueezed(name, *self.new) if self.new else name


def _vector(site: Site, i: int) -> list[int | None]:
    known = site.known(i)
    if known is not None:
        return [int(x) for x in known]
    found = site.spec(i).vector()
    if found is None:
        raise UnsupportedError("the length of its key is not known")
    return list(found)


def _strided_slice(site: Site) -> Made:
    return _Key(site).part(site.name(0))


def _strided_update(site: Site) -> Made:
    """Put values in a flat tensor, at the part that the key selects of all its places."""
    x, (zero, one) = site.name(0), [site.constant(n, int64) for n in (0, 1)]
    shape = site.add("Shape", x)
    count = site.add("Range", zero, site.add("Size", x), one)
    part = _Key(site).part(site.add("Reshape", count, shape))
    update = site.add("Expand", site.name(4), site.add("Shape", part))
    flat = [site.reshaped(name, [-1]) for name in (x, part, update)]
    return site.add("Reshape", site.add("ScatterElements", *flat, axis=0), shape)


def _joined(site: Site, names: Sequence[Any]) -> str:
    return names[0] if len(names) == 1 else site.add("Concat", *names, axis=0)


def _slice(site: Site) -> Made:
    first, sizes = site.vector(1), site.vector(2)
    known = site.known(2)
    if known is None:
        last = site.add("Add", first, sizes)
    else:
        ends = site.add("Add", first, sizes)
        is_open = site.constant(known.reshape(-1) == -1, bool_)
        last = site.add("Where", is_open, site.constant([LAST], int64), ends)
    return site.add("Slice", site.name(0), first, last)


HANDLERS: dict[str, Callable[[Site], Made]] = {
    "Slice": _slice,
    "StridedSlice": _strided_slice,
    "TensorStridedSliceUpdate": _strided_update,
}
