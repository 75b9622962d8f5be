"""Ragged tensors of nested lists: how deep the lists are, and which axes are split."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from tensorlite.core.constant import array_of, encoded
from tensorlite.core.dispatch import constant as constant_of
from tensorlite.core.dtypes import DType, as_dtype, int64
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.ragged.values import RaggedTensorValue

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """Return a ragged tensor of nested lists; a tensor, if they have no depth.

    As many axes are split as the lists are deep, but for those of `inner_shape`.

    >>> tl.ragged.constant([[1, 2], [], [3]])
    <tf.RaggedTensor [[1, 2], [], [3]]>
    """
    values, splits, inner = _split(pylist, ragged_rank, inner_shape)
    made: Any = constant_of(_encoded(values, dtype, inner))
    for ends in reversed(splits):
        bounds = np.asarray(ends, as_dtype(row_splits_dtype).numpy)
        made = RaggedTensor.of(made, constant_of(bounds))
    return made


def constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """Return what `constant` makes as arrays, to be fed in the place of a ragged tensor.

    >>> tl.ragged.constant_value([[1, 2], [], [3]]).row_splits
    array([0, 2, 2, 3])
    """
    values, splits, inner = _split(pylist, ragged_rank, inner_shape)
    kind = dtype.numpy if isinstance(dtype, DType) else dtype
    if not splits and inner is None and not _is_nested(values):
        return values
    made: Any = np.asarray(values, kind)
    made = made if inner is None else made.reshape(inner)
    for ends in reversed(splits):
        bounds = np.asarray(ends, as_dtype(row_splits_dtype).numpy)
        made = RaggedTensorValue(made, bounds)
    return made


def _encoded(values: Any, dtype: Any, shape: Shape | None) -> Array:
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(values, list) and wanted is None:
        # Arrays in lists are rows of numbers, whose dtypes do not count.
        values = [x.tolist() if isinstance(x, np.generic) else x for x in values]
    if isinstance(values, list) and shape is not None and 0 in shape:
        kind = np.float32 if wanted is None else wanted.numpy
        return np.zeros(shape, kind)
    array: Array = encoded(array_of(values, wanted))
    if shape is None or array.shape == shape:
        return array
    is_one = array.size == 1 and np.prod(shape) > 1
    return np.broadcast_to(array.ravel(), shape) if is_one else array.reshape(shape)


def _split(
    pylist: Any, ragged_rank: int | None, inner_shape: Any
) -> tuple[Any, list[list[int]], Shape | None]:
    """Return the values one behind the other, the bounds of rows, and the values' shape."""
    if isinstance(pylist, (RaggedParts, RaggedTensorValue)):
        raise DTypeError(
            f"pylist={type(pylist).__name__}; allowed are nested lists of numbers"
        )
    inner = None if inner_shape is None else _shape(inner_shape)
    if not _is_nested(pylist):
        if ragged_rank or inner:
            _refuse(pylist, f"ragged_rank={ragged_rank}, inner_shape={inner_shape}")
        return pylist, [], None
    depth, deepest = _depths(pylist)
    if (ragged_rank or 0) < 0 or (depth is not None and deepest > depth):
        _refuse(pylist, f"ragged_rank={ragged_rank}, lists {deepest} deep")
    if inner is not None and ragged_rank is not None:
        expected = ragged_rank + len(inner) + 1
        if expected != depth and (depth is not None or expected < deepest):
            _refuse(pylist, f"ragged_rank={ragged_rank}, inner_shape={inner_shape}")
    split = _axes_split(depth, deepest, ragged_rank, inner)
    if split == 0:
        return pylist, [], inner
    if inner is None:
        inner = () if ragged_rank is None else _sizes_below(pylist, ragged_rank)
    values, splits = list(pylist), []
    for _ in range(split):
        lengths = [len(row) for row in values]
        splits.append([0, *np.cumsum(lengths, dtype=int).tolist()])
        values = [x for row in values for x in row]
    return values, splits, (len(values), *inner)


def _refuse(pylist: Any, what: str) -> NoReturn:
    raise InvalidArgumentError(
        f"{pylist!r} is no ragged tensor with {what}: all scalars must be equally deep, as deep "
        "as the axes that are split and those within them are many"
    )


def _shape(given: Any) -> Shape:
    if isinstance(given, (str, bytes)):
        raise DTypeError(f"inner_shape={given!r}; allowed are sizes")
    return tuple(np.atleast_1d(np.asarray(given, int)).tolist())


def _is_nested(x: Any) -> bool:
    return isinstance(x, (list, tuple)) or np.ndim(x) != 0


def _depths(x: Any) -> tuple[int | None, int]:
    """Return how deep the scalars are, None if there are none, and how deep the lists."""
    if not _is_nested(x):
        return 0, 0
    below = [_depths(y) for y in x]
    scalars = {depth for depth, _ in below if depth is not None}
    if len(scalars) > 1:
        _refuse(x, "scalars of different depths")
    depth = 1 + scalars.pop() if scalars else None
    return depth, 1 + max([deepest for _, deepest in below], default=0)


def _axes_split(
    depth: int | None, deepest: int, ragged_rank: int | None, inner: Shape | None
) -> int:
    """Return how many axes of nested lists are split into rows."""
    if ragged_rank is not None:
        return ragged_rank
    within = len(inner or ())
    if deepest < 2 or (inner is not None and deepest - within < 2):
        return 0
    return max(1, deepest - 1 if depth is None else depth - 1 - within)


def _sizes_below(pylist: Any, ragged_rank: int) -> Shape:
    """Return the shape of each value below the axes that are split."""
    values = pylist
    for _ in range(ragged_rank):
        if not all(_is_nested(x) for x in values):
            _refuse(pylist, f"ragged_rank={ragged_rank}")
        values = [x for row in values for x in row]
    sizes = []
    found: Any = values
    while _is_nested(found):
        sizes.append(len(found))
        found = found[0] if len(found) else None
        if found is None:
            break
    shape = tuple(sizes)
    if not _fits(values, shape):
        _refuse(pylist, f"ragged_rank={ragged_rank}")
    return shape[1:]


def _fits(x: Any, shape: Shape) -> bool:
    if _is_nested(x) != bool(shape):
        return False
    return not shape or (len(x) == shape[0] and all(_fits(y, shape[1:]) for y in x))
