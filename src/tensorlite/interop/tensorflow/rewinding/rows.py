"""Rows of gradients through branches: each part of them goes its own way."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.core.op import Gradient
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.interop.tensorflow.rewinding.making import Maker
from tensorlite.interop.tensorflow.rewinding.surroundings import NotRewoundError
from tensorlite.ops.arrays.slicing import StridedSlice
from tensorlite.ops.control.dataflow import Merge, Switch
from tensorlite.ops.math.arithmetic import Range

Parts = tuple[SymbolicTensor, ...]
"""The values of rows, their indices, and the shape of the whole."""


def parted(maker: Maker, dy: IndexedSlices, pred: SymbolicTensor) -> list[Gradient]:
    """Return what rows are on either side of a condition."""
    with maker.scope("cond_grad"):
        sides = [
            maker.node(Switch(), (part, pred)).outputs for part in _parts(maker, dy)
        ]
    return [IndexedSlices(*one) for one in zip(*sides, strict=True)]


def joined(maker: Maker, dys: Sequence[Gradient]) -> IndexedSlices:
    """Return the rows of the side that is there; all rows of one that is dense."""
    with maker.scope("cond_grad"):
        sides = [_parts(maker, dy) for dy in dys]
        found = [
            maker.node(Merge(), both).outputs[0] for both in zip(*sides, strict=True)
        ]
    return IndexedSlices(*found)


def _parts(maker: Maker, dy: Gradient) -> Parts:
    if isinstance(dy, SymbolicTensor):
        return _all_rows(maker, dy)
    if not isinstance(dy, IndexedSlices):
        raise NotRewoundError("rows flow into one side only")
    parts = (dy.values, dy.indices, dy.dense_shape)
    known = tuple([x for x in parts if isinstance(x, SymbolicTensor)])
    if len(known) < len(parts) or known[1].dtype != known[2].dtype:
        raise NotRewoundError("rows have no shape as a tensor beside them")
    return known


def _all_rows(maker: Maker, x: SymbolicTensor) -> Parts:
    shape = maker.shape(x)
    title = maker.numbered("strided_slice")
    ends = [maker.constant([n], f"{title}/{name}") for n, name in _FIRST]
    count = maker.node(StridedSlice(shrink_axis_mask=1), (shape, *ends), title)
    title = maker.numbered("range")
    start, step = (
        maker.constant(n, f"{title}/{name}")
        for n, name in ((0, "start"), (1, "delta"))
    )
    numbers = maker.node(Range(), (start, count.outputs[0], step), title)
    return x, numbers.outputs[0], shape


_FIRST = ((0, "stack"), (1, "stack_1"), (1, "stack_2"))
