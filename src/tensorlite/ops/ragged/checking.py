"""Whether bounds, lengths and numbers of rows make a ragged tensor: now, or when the graph runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.scope import control_dependencies
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.ops.arrays.gather import size_at
from tensorlite.ops.arrays.identity import identity
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.control.assertions import assert_true
from tensorlite.ops.math.arithmetic import sum as total
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.compare import logical_and
from tensorlite.ops.math.reduce import all as all_of
from tensorlite.ops.ragged.base import RaggedParts


def as_vector(x: Tensor, what: str) -> Tensor:
    """Return `x`; InvalidArgumentError where it is known to be no vector."""
    if x.spec.rank not in (1, None):
        raise InvalidArgumentError(
            f"{what} is {x.spec}: Shape must be rank 1, that of a vector"
        )
    return x


def checked_splits(splits: Tensor, values: Any) -> Tensor:
    """Return bounds that begin with 0, do not fall, and end with the number of values."""
    as_vector(splits, "row_splits")
    if splits.spec.shape == (0,):
        raise InvalidArgumentError("row_splits tensor may not be empty")
    count = _count(values)
    if isinstance(splits, EagerTensor) and isinstance(count, int):
        ends = splits.numpy()
        if ends[0] != 0 or (np.diff(ends) < 0).any() or ends[-1] != count:
            _refuse(f"row_splits is {ends.tolist()}, of {count} values")
        return splits
    rises = all_of(splits[1:] >= splits[:-1])
    ends_well = splits[-1] == astype(to_tensor(count), splits.dtype)
    return behind(splits, logical_and(logical_and(splits[0] == 0, rises), ends_well))


def checked_lengths(lengths: Tensor, values: Any) -> Tensor:
    """Return lengths of rows, none below 0, that are as many values as there are."""
    count = _count(values)
    if isinstance(lengths, EagerTensor) and isinstance(count, int):
        sizes = lengths.numpy()
        if (sizes < 0).any() or sizes.sum() != count:
            _refuse(f"row_lengths is {sizes.tolist()}, of {count} values")
        return lengths
    fits = total(lengths) == astype(to_tensor(count), lengths.dtype)
    return behind(lengths, logical_and(all_of(lengths >= 0), fits))


def checked_row_numbers(ids: Tensor, nrows: Any, values: Any) -> Tensor:
    """Return numbers of rows that do not fall, are one for each value, and are all there."""
    count, have = _count(values), as_vector(ids, "value_rowids").spec.size
    if isinstance(count, int) and have not in (count, None):
        _refuse(f"there are {have} value_rowids, and {count} values")
    if isinstance(ids, EagerTensor) and (nrows is None or _is_known(nrows)):
        numbers = ids.numpy()
        limit = np.inf if nrows is None else int(nrows)
        if (np.diff([0, *numbers, limit - 1]) < 0).any():
            _refuse(f"value_rowids is {numbers.tolist()}, of {limit} rows")
        return ids
    holds = logical_and(all_of(ids[1:] >= ids[:-1]), all_of(ids >= 0))
    if nrows is not None:
        rows = astype(to_tensor(nrows), ids.dtype)
        holds = logical_and(holds, all_of(ids < rows))
    return behind(ids, holds)


def checked_length(length: Any, values: Any) -> Any:
    """Return a length of rows, of which there are whole ones."""
    count = _count(values)
    if isinstance(length, int) and isinstance(count, int):
        if length < 0 or (count % length if length else count):
            _refuse(f"rows of uniform_row_length={length} do not hold {count} values")
        return length
    size = to_tensor(length)
    whole = astype(to_tensor(count), size.dtype)
    rest = whole - whole // maximum(size, 1) * maximum(size, 0)
    return behind(size, logical_and(size >= 0, rest == 0))


def _is_known(x: Any) -> bool:
    return not isinstance(x, Tensor) or isinstance(x, EagerTensor)


def row_length(length: Any) -> Any:
    """Return a length that all rows have as a number; as a tensor, where it is not known yet."""
    if not _is_known(length):
        return length
    array = np.asarray(length)
    if array.ndim:
        _refuse(f"uniform_row_length is {array.tolist()}: Shape must be rank 0")
    return int(array)


def _count(values: Any) -> Any:
    """Return the number of values, a tensor where it is not known."""
    if isinstance(values, RaggedParts):
        rows = values.nrows()
        return int(rows.numpy()) if isinstance(rows, EagerTensor) else rows
    sizes = values.spec.shape
    if sizes == ():
        raise InvalidArgumentError(
            f"values are {values.spec}: Shape must be at least rank 1"
        )
    known = None if sizes is None else sizes[0]
    return size_at(values, 0) if known is None else known


def behind(x: Tensor, holds: Tensor, text: str = "") -> Tensor:
    """Return `x`, once it is known that something holds; InvalidArgumentError where it does not."""
    if isinstance(holds, EagerTensor):
        if not bool(holds.numpy()):
            raise InvalidArgumentError(text or _TEXT)
        return x
    check = assert_true(holds, text or _TEXT)
    with control_dependencies([] if check is None else [check]):
        return identity(x)


def _refuse(why: str) -> None:
    raise InvalidArgumentError(f"{_TEXT}: {why}")


_TEXT = "Arguments do not form a valid RaggedTensor"
