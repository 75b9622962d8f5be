"""Gradients that are rows on their way through regions: of which tensors, and added up in loops.

A loop puts rows of its turns one behind another, as TensorFlow 1 does, the first one of zeros.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.constant import Const
from tensorlite.core.dispatch import constant, integers
from tensorlite.core.dtypes import DType, int32, int64
from tensorlite.core.spec import TensorSpec, all_known
from tensorlite.core.tensor import IndexedSlices, Shape, Tensor
from tensorlite.graph.graph import Graph, SymbolicTensor
from tensorlite.ops.arrays.join import ConcatV2
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.control.bundles import zeros_of
from tensorlite.ops.math.bounds import Maximum


@dataclass(frozen=True)
class Form:
    """Of which tensors a gradient is made: one, or those of rows."""

    is_rows: bool = False
    told: DType | None = None
    """Of which dtype a third tensor is, if one has the sizes of the whole that rows are of."""
    shape: Shape | None = None
    """These sizes, where they are known before; without both nobody has said."""

    @classmethod
    def of(cls, dy: Tensor | IndexedSlices, as_called: bool) -> Form:
        """Return the form of a gradient; in a graph of what was called tensors tell all sizes."""
        if not isinstance(dy, IndexedSlices):
            return cls()
        sizes = dy.dense_shape
        if isinstance(sizes, Tensor):
            known = sizes.spec.vector()
            if as_called or not all_known(known):
                return cls(True, sizes.dtype)
            return cls(True, None, known)
        is_known = sizes is not None and as_called
        return cls(True, int32) if is_known else cls(True, None, sizes)

    def met(self, other: Form) -> Form:
        """Return the form of rows that come in either form."""
        if self == other:
            return self
        both = (self, other)
        if any(x.shape is None and x.told is None for x in both):
            return Form(True)
        return Form(True, int64 if int64 in (x.told for x in both) else int32)

    def parts(self, dy: Tensor | IndexedSlices) -> list[Tensor]:
        """Return the tensors of a gradient of this form."""
        if not isinstance(dy, IndexedSlices):
            return [dy]
        parts, sizes = [dy.values, dy.indices], dy.dense_shape
        if self.told is not None and sizes is not None:
            known = sizes if isinstance(sizes, Tensor) else integers(sizes)
            parts.append(astype(known, self.told))
        return parts

    def packed(self, parts: Iterator[Tensor]) -> Tensor | IndexedSlices:
        """Return the gradient whose tensors come next."""
        if not self.is_rows:
            return next(parts)
        values, indices = next(parts), next(parts)
        return IndexedSlices(
            values, indices, self.shape if self.told is None else next(parts)
        )


def specs_of_totals(parts: Sequence[Tensor]) -> list[TensorSpec]:
    """Return what the tensors of rows of any number are like."""
    made = []
    for i, x in enumerate(parts):
        sizes = x.spec.shape
        if i < _NUMBERED and sizes is not None:
            sizes = (None, *sizes[1:])
        made.append(TensorSpec(sizes, x.dtype))
    return made


_NUMBERED = 2
"""How many of the tensors of rows have a row for each: the values and the indices."""


def first_rows(x: Tensor, specs: Sequence[TensorSpec]) -> list[Tensor]:
    """Return the tensors of the rows of what a loop takes that are there before its turns."""
    values, indices, *sizes = specs
    whole = x.spec.inner[0] if x.dtype is dtypes.resource else x.spec
    rest = None if whole.shape is None else whole.shape[1:]
    if all_known(rest):
        zeros = np.zeros((1, *rest), values.dtype.numpy)
        row: Tensor = constant(zeros, values.dtype)
    else:
        row = zeros_of(x)[:1]
    first = [row, constant([0], indices.dtype)]
    for spec in sizes:
        count = (
            spec.shape[0] if spec.shape and all_known(spec.shape) else len(whole.dims)
        )
        first.append(constant(np.zeros(count), spec.dtype))
    return first


def with_more_rows(
    graph: Graph, before: Sequence[SymbolicTensor], rows: Sequence[SymbolicTensor]
) -> list[SymbolicTensor]:
    """Return the tensors of rows with those of one turn behind them, by nodes of its graph."""
    axis = graph.add(Const(np.asarray(0, np.int32)), ()).outputs[0]
    grown = [
        graph.add(ConcatV2(2), (x, y, axis)).outputs[0]
        for x, y in zip(before[:_NUMBERED], rows, strict=False)
    ]
    for x, y in zip(before[_NUMBERED:], rows[_NUMBERED:], strict=True):
        grown.append(graph.add(Maximum(), (y, x)).outputs[0])
    return grown
