"""Operators that are here as a few others: what they are made of, as functions of tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.arrays.search import Side, searchsorted
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.bessel import bessel_i0, bessel_i1, bessel_k0, bessel_k1
from tensorlite.ops.nn.beams import gather_tree
from tensorlite.ops.sparse.row_counts import counts


def _composed(function: Callable[..., Any]) -> Adapter:
    return lambda given: given.composed(function, *given.tensors)


def _dense_bincount(given: Given) -> Values:
    """Return the sums of weights, or the counts, for each number; a matrix is counted by rows."""
    binary = given.typed("binary_output", bool)
    return given.composed(partial(_counted, binary), *given.tensors)


def _counted(binary: bool, x: Tensor, count: Tensor, weights: Tensor) -> Tensor:
    given = None if binary or weights.spec.size == 0 else weights
    rows = x.spec.rank == 2
    return counts(x, given, count, count, weights.dtype, by_rows=rows, binary=binary)


def _bound(side: Side) -> Adapter:
    def adapter(given: Given) -> Values:
        dtype = given.dtype("out_type")
        return given.composed(
            lambda x, values: astype(searchsorted(x, values, side=side), dtype),
            *given.tensors,
        )

    return adapter


def _element_shape(given: Given) -> Values:
    """Return what is known of the elements of a list, -1 for each size that is not."""
    dtype = given.dtype("shape_type").numpy
    shape = given.tensor(0).spec.inner[0].shape
    known = -1 if shape is None else [-1 if n is None else n for n in shape]
    return given.node(Const(np.array(known, dtype))).outputs


COMPOSED: dict[str, Adapter] = {
    "BesselI0": _composed(bessel_i0),
    "BesselI1": _composed(bessel_i1),
    "BesselK0": _composed(bessel_k0),
    "BesselK1": _composed(bessel_k1),
    "DenseBincount": _dense_bincount,
    "GatherTree": _composed(gather_tree),
    "LowerBound": _bound("left"),
    "TensorListElementShape": _element_shape,
    "UpperBound": _bound("right"),
}
