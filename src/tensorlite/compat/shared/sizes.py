"""Shapes and ranges as programs give them: numbers, tensors, and sequences of both."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.adopting import adopted, dtype_of
from tensorlite.compat.calling import converted
from tensorlite.compat.views import plain
from tensorlite.core import nest
from tensorlite.core.check import several
from tensorlite.core.dtypes import DType, float32, float64, int32, int64
from tensorlite.core.errors import CompositeError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.sizes import Dimension
from tensorlite.graph_mode.graph import active_graph, mode
from tensorlite.ops.arrays.shape import as_shape as shape_tensor
from tensorlite.ops.sparse.tensor import SparseTensor


def cast_of_sparse(x: Any, *_: Any, **__: Any) -> str:
    """Return what the node of a shape is called below it: a sparse tensor has its own, cast."""
    return "Cast" if isinstance(x, SparseTensor) else ""


def as_whole(value: Any) -> Any:
    """Return NumPy's fractions and bools cut to whole numbers, which TensorFlow takes for these.

    It does so where an operator takes integers of several dtypes; numbers of Python and lists of
    them are refused there, and are returned as they are.
    """
    is_numpy = isinstance(value, (np.ndarray, np.generic))
    return value.astype(np.int64) if is_numpy and value.dtype.kind in "fb" else value


def sizes_of(shape: Any) -> Any:
    """Return a shape as functions here take it."""
    shape = as_whole(shape)
    if isinstance(shape, Operand):
        return shape.__tensor__()
    if shape is None or getattr(shape, "rank", 0) is None:
        raise ShapeError("a shape is wanted whose rank is known")
    if isinstance(shape, (int, np.integer)):
        return [int(shape)]
    if isinstance(shape, nest.Composite):
        raise CompositeError(shape, "a shape with rows of different lengths")
    return packed(several(shape, "shape", "integers, one for each axis"), int32)


def whole_sizes(shape: Any) -> Any:
    """Return a shape, numbers of which TensorFlow 1 takes as whole that are fractions: 4 / 2."""
    if mode.is_second() or not isinstance(shape, (list, tuple, np.ndarray)):
        return shape
    return [Dimension(x).value if isinstance(x, float) else x for x in shape]


def packed(sizes: Sequence[Any], dtype: DType | None = None) -> Any:
    """Return sizes as one tensor where one of them is a tensor, with no nodes but TensorFlow's.

    What later nodes draw hangs on how many there are. In graphs integers that are tensors of
    another dtype than a given one are cast to it.
    """
    given = [plain(x) for x in sizes]
    kinds = {x.__tensor__().dtype for x in given if isinstance(x, Operand)}
    if dtype is not None and active_graph() is not None:
        given = [_cast_to(x, dtype) for x in given]
        kinds = {dtype if kind.is_integer else kind for kind in kinds}
    if len(kinds) != 1 or not next(iter(kinds)).is_integer:
        return given
    (kind,) = kinds
    return tl.stack([adopted(x, kind, f"Pack/{i}") for i, x in enumerate(given)])


def _cast_to(size: Any, dtype: DType) -> Any:
    if not isinstance(size, Operand):
        return size
    kind = dtype_of(size)
    is_other = kind.is_integer and kind != dtype
    return tl.astype(size.__tensor__(), dtype) if is_other else size


_COUNTED = (int32, int64, float32, float64)
"""Dtypes of ranges: where several are given, the one that stands behind the others counts."""


def ends_of(ends: Sequence[Any], wanted: DType | None) -> list[Any]:
    """Return where a range begins and ends, and its steps, as tensors of one dtype."""
    of = [x.__tensor__().dtype for x in ends if isinstance(x, Operand)]
    is_counted = wanted is None and all(kind in _COUNTED for kind in of)
    own = wanted or (None if is_counted or not of else of[0])
    names = zip(ends, ("start", "limit", "delta"), strict=True)
    given = [converted(x, own, name) for x, name in names]
    if is_counted and all(x.dtype in _COUNTED for x in given):
        widest = max([x.dtype for x in given], key=_COUNTED.index)
        return [tl.astype(x, widest) for x in given]
    return given


def range_of(ends: list[Any], wanted: DType | None) -> Any:
    """Return the numbers between two in steps; graphs add up fractions as TensorFlow does."""
    if any(isinstance(x, (Operand, np.ndarray)) for x in ends):
        return tl.arange(*ends_of(ends, wanted), dtype=wanted)
    is_added = any(isinstance(x, float) for x in ends) and ends[2] and not wanted
    if active_graph() is None or not is_added:
        return tl.arange(*ends, dtype=wanted)
    made: Any = tl.arange(*ends_of(ends, None))
    first, last, step = map(np.float32, ends)
    made.set_shape([max(0, int(np.ceil((last - first) / step)))])
    return made


def placed(given: Any, dtype: DType) -> Any:
    """Return places as a tensor: numbers, which are no tensor yet, of a dtype."""
    are_numbers = isinstance(given, list) and all(type(x) is int for x in given)
    return converted(given, dtype) if are_numbers else shape_tensor(given)


SMALL = 1000
"""How many elements TensorFlow does not keep in a constant any more."""


def is_one_size(shape: Any) -> bool:
    """Return whether a shape is a bare number, of which TensorFlow 1 makes no constant."""
    return isinstance(shape, (int, np.integer)) and active_graph() is not None


def is_small(sizes: Any) -> bool:
    """Return whether all sizes are known, and those of a tensor that a graph may well hold."""
    known = isinstance(sizes, list) and all(
        isinstance(n, (int, np.integer)) for n in sizes
    )
    return known and min(sizes, default=0) >= 0 and prod(sizes) < SMALL
