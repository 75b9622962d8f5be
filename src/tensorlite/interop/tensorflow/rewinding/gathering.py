"""Rows that flow, turn by turn, into what a loop takes as it is: they are put one behind another.

Sums of whole tensors are in turns.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorlite.core.dtypes import int32, resource
from tensorlite.core.spec import TensorSpec, all_known
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.interop.tensorflow.rewinding.making import Maker
from tensorlite.interop.tensorflow.rewinding.surroundings import NotRewoundError
from tensorlite.interop.tensorflow.rewinding.turns import Turns
from tensorlite.ops.arrays.create import ZerosLike
from tensorlite.ops.arrays.join import ConcatV2
from tensorlite.ops.arrays.slicing import StridedSlice
from tensorlite.ops.control.dataflow import Exit, Merge, NextIteration, Switch
from tensorlite.ops.math.bounds import Maximum
from tensorlite.ops.state.resource import VariableShape


def gathered(turns: Turns, enter: Node, dx: IndexedSlices) -> IndexedSlices:
    """Return the rows of all turns, behind one of zeros; of sizes the greatest."""
    parts = [x for x in (dx.indices, dx.values, dx.dense_shape) if x is not None]
    rows = [x for x in parts if isinstance(x, SymbolicTensor)]
    if len(rows) < len(parts):
        raise NotRewoundError("rows have no shape as a tensor beside them")
    found = _Gathering(turns.maker, turns, enter).all_rows(rows)
    indices, values, *sizes = found
    return IndexedSlices(values, indices, sizes[0] if sizes else None)


class _Gathering:
    """How the rows of one gradient are gathered."""

    def __init__(self, maker: Maker, turns: Turns, enter: Node) -> None:
        self.maker, self.turns, self.enter = maker, turns, enter
        self.back = turns.back

    def all_rows(self, rows: Sequence[SymbolicTensor]) -> list[SymbolicTensor]:
        """Return indices, values, and sizes if any, of all turns."""
        with self.maker.at(self.back.outer):
            first = self._first(rows)
        with self.maker.at(self.back):
            self.back.own.update(first)
            return self._over_turns(first, rows)

    def _first(self, rows: Sequence[SymbolicTensor]) -> list[SymbolicTensor]:
        """Return what is there before the first turn: a row of zeros."""
        maker, (indices, values, *sizes) = self.maker, rows
        known = values.spec.shape
        if all_known(known):
            zeros = np.zeros((1, *known[1:]))
            row = maker.constant(zeros, "b_acc", values.dtype)
        else:
            row = self._row_of_unknown(values)
        first = [maker.constant([0], "Const", indices.dtype), row]
        for x in sizes:
            if all_known(x.spec.shape):
                none = maker.constant(np.zeros(x.spec.shape), "Const", x.dtype)
            else:
                none = maker.node(
                    ZerosLike(), (self._sizes(),), "zeros_like"
                ).outputs[0]
            first.append(none)
        return first

    def _sizes(self) -> SymbolicTensor:
        """Return the sizes of what the loop takes."""
        maker, whole = self.maker, self.enter.inputs[0]
        if self.turns.outer is not None:
            raise NotRewoundError(
                "rows of unknown sizes flow out of a loop in a loop"
            )
        if whole.dtype is resource:
            return maker.node(VariableShape(), (whole,), "VariableShape").outputs[0]
        return maker.shape(whole)

    def _row_of_unknown(self, values: SymbolicTensor) -> SymbolicTensor:
        """Return a row of zeros as long as those of what the loop takes."""
        maker, shape = self.maker, self._sizes()
        title = maker.numbered("strided_slice")
        ends = [maker.constant([n], f"{title}/{name}") for n, name in _BEHIND_FIRST]
        rest = maker.node(StridedSlice(end_mask=1), (shape, *ends), title).outputs[0]
        title = maker.numbered("concat")
        one = maker.constant([1], f"{title}/values_0")
        axis = maker.constant(0, f"{title}/axis")
        row = maker.node(ConcatV2(2), (one, rest, axis), title).outputs[0]
        return maker.zeros(row, values.dtype)

    def _over_turns(
        self, first: Sequence[SymbolicTensor], rows: Sequence[SymbolicTensor]
    ) -> list[SymbolicTensor]:
        make, going_on = self.maker.node, self.back.going_on
        assert going_on is not None
        entered = [
            make(self.back.entering(), (x,), "b_acc").outputs[0] for x in first
        ]
        merges = [make(Merge(), (x, x), "b_acc") for x in entered]
        for merge, x in zip(merges[:2], rows, strict=False):
            sizes = x.spec.shape
            spec = TensorSpec(None if sizes is None else (None, *sizes[1:]), x.dtype)
            merge.outputs[0].respecify(spec)
        for merge in merges[2:]:
            merge.outputs[0].respecify(TensorSpec(None, merge.outputs[0].dtype))
        branches = [make(Switch(), (x.outputs[0], going_on)).outputs for x in merges]
        grown = [
            self._behind(branch[1], x)
            for branch, x in zip(branches[:2], rows, strict=False)
        ]
        for branch, x in zip(branches[2:], rows[2:], strict=True):
            grown.append(make(Maximum(), (x, branch[1])).outputs[0])
        following = [make(NextIteration(), (x,)) for x in grown]
        for merge, after in zip(merges, following, strict=True):
            merge.set_input(1, after.outputs[0])
        return [make(Exit(), branch[:1], "b_acc").outputs[0] for branch in branches]

    def _behind(self, x: SymbolicTensor, y: SymbolicTensor) -> SymbolicTensor:
        title = self.maker.numbered("concat")
        axis = self.maker.constant(0, f"{title}/axis", int32)
        return self.maker.node(ConcatV2(2), (x, y, axis), title).outputs[0]


_BEHIND_FIRST = ((1, "stack"), (0, "stack_1"), (1, "stack_2"))
