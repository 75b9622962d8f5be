"""RaggedParts: rows of different lengths as values and bounds, and what is known of them.

The class that users have, with operators and ways to make one, is in tensor.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar, cast

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType, as_dtype, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.shapes import AnyShape, shape_of
from tensorlite.core.spec import TensorSpec, normalise_axis
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.gather import gather, gather_nd, size_at
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.repeat import repeat
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.ragged.values import RaggedTensorValue


def spec_of(x: Any) -> TensorSpec:
    """Return the spec of a tensor, or what stands for one in a structure of specs."""
    return x if isinstance(x, TensorSpec) else cast("TensorSpec", x.spec)


def _levels(x: RaggedParts) -> tuple[RaggedParts, ...]:
    """Return rows, and those within, as far as they are split."""
    inner = x.values
    return (x, *(_levels(inner) if isinstance(inner, RaggedParts) else ()))


@dataclass(frozen=True, eq=False, repr=False)
class RaggedParts(nest.Composite):
    """Rows one behind the other in `values`, each from one bound in `row_splits` to the next.

    As a structure it has its innermost values and then the bounds of each axis, outermost first,
    which is the order that TensorFlow's functions take them in.
    """

    values: Any
    row_splits: Any

    uniform_row_length: ClassVar[int | None] = None
    """How long each row is, where all are known to be equally long."""
    holds_tensors: ClassVar[bool] = True
    root: ClassVar[type[RaggedParts]]
    """The class of what is made of these."""

    def __post_init__(self) -> None:
        """Turn what is given as lists into tensors."""
        for name in ("values", "row_splits"):
            given = getattr(self, name)
            if isinstance(given, (list, tuple, np.ndarray)):
                made = to_tensor(given)
                made = astype(made, int64) if name == "row_splits" else made
                object.__setattr__(self, name, made)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return cast("DType", self.values.dtype)

    @property
    def shape(self) -> AnyShape:
        """The sizes, None for those that rows differ in, or that a trace does not know."""
        splits = spec_of(self.row_splits).shape
        count = None if not splits or splits[0] is None else splits[0] - 1
        inner = self.values
        behind = (
            inner.shape
            if isinstance(inner, RaggedParts)
            else shape_of(spec_of(inner).shape)
        )
        if behind.rank is None:
            return shape_of(None)
        return shape_of((count, self.uniform_row_length, *behind.as_list()[1:]))

    def get_shape(self) -> AnyShape:
        """Return the shape."""
        return self.shape

    @property
    def rank(self) -> int | None:
        """The number of axes."""
        return self.shape.rank

    ndim = rank

    @property
    def ragged_rank(self) -> int:
        """How many axes are split into rows."""
        inner = self.values
        return 1 + (inner.ragged_rank if isinstance(inner, RaggedParts) else 0)

    @property
    def flat_values(self) -> Any:
        """The values below all axes that are split into rows."""
        inner = self.values
        return inner.flat_values if isinstance(inner, RaggedParts) else inner

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """Where the rows begin and end, of all axes that are split."""
        inner = self.values
        rest = inner.nested_row_splits if isinstance(inner, RaggedParts) else ()
        return (self.row_splits, *rest)

    def members(self) -> dict[str, Any]:
        """Return the innermost values, and the bounds of all axes that are split."""
        splits = {
            f"nested_row_splits[{i}]": x.row_splits
            for i, x in enumerate(_levels(self))
        }
        return {"flat_values": self.flat_values, **splits}

    def with_members(self, members: dict[str, Any]) -> Any:
        """Return other values in other rows, on as many axes."""
        made, *splits = members.values()
        levels = zip(_levels(self), splits, strict=True)
        for level, bounds in reversed(list(levels)):
            made = type(level)(made, bounds)
        return made

    def kept(self) -> Any:
        """Return how long the rows of each axis are, where they are all equally long."""
        return tuple([x.uniform_row_length for x in _levels(self)])

    def nrows(self, out_type: DType | None = None, name: str | None = None) -> Tensor:
        """Return the number of rows, of the bounds' dtype or another one."""
        kind = self.row_splits.dtype if out_type is None else as_dtype(out_type)
        return astype(size_at(self.row_splits, 0), kind) - 1

    def row_starts(self) -> Tensor:
        """Return where each row begins."""
        return cast("Tensor", self.row_splits[:-1])

    def row_limits(self) -> Tensor:
        """Return where each row ends."""
        return cast("Tensor", self.row_splits[1:])

    def row_lengths(self, axis: int = 1) -> Any:
        """Return the lengths of the rows: a tensor, or a ragged one for an axis further in."""
        axis = axis if self.rank is None else normalise_axis(axis, self.rank)
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return self.row_splits[1:] - self.row_splits[:-1]
        inner = self.values
        if isinstance(inner, RaggedParts):
            return self.with_values(inner.row_lengths(axis - 1))
        size = astype(size_at(inner, axis - 1), self.row_splits.dtype)
        return self.with_values(repeat(size, size_at(inner, 0)))

    def nested_row_lengths(self) -> tuple[Any, ...]:
        """Return the lengths of the rows of all axes that are split."""
        return tuple([splits[1:] - splits[:-1] for splits in self.nested_row_splits])

    def value_rowids(self) -> Tensor:
        """Return in which row each value is."""
        kind = self.row_splits.dtype
        return repeat(arange(self.nrows(), dtype=kind), self.row_lengths())

    def nested_value_rowids(self) -> tuple[Tensor, ...]:
        """Return in which row each value is, for all axes that are split."""
        inner = self.values
        rest = inner.nested_value_rowids() if isinstance(inner, RaggedParts) else ()
        return (self.value_rowids(), *rest)

    def with_values(self, values: Any) -> Any:
        """Return other values in rows of the same lengths."""
        return type(self)(values, self.row_splits)

    def with_flat_values(self, values: Any) -> Any:
        """Return other innermost values in rows of the same lengths."""
        inner = self.values
        nested = isinstance(inner, RaggedParts)
        return self.with_values(inner.with_flat_values(values) if nested else values)

    def with_row_splits_dtype(self, dtype: DType) -> Any:
        """Return the same rows with their bounds in another dtype."""
        inner = self.values
        if isinstance(inner, RaggedParts):
            inner = inner.with_row_splits_dtype(dtype)
        return type(self)(inner, astype(self.row_splits, dtype))

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return an array of arrays; an array with all axes where the rows are equally long."""
        rows = _rows(self, self.values.numpy())
        if len({getattr(row, "shape", None) for row in rows}) == 1:
            return np.stack(rows)
        if not rows:
            return np.zeros((0, 0), self.dtype.numpy)
        made = np.empty(len(rows), object)
        made[:] = rows
        return made

    def to_list(self) -> list[Any]:
        """Return the rows as nested lists."""
        inner = self.values
        nested = isinstance(inner, RaggedParts)
        return _rows(self, inner.to_list() if nested else inner.numpy().tolist())

    @classmethod
    def of_value(cls, value: RaggedTensorValue) -> Any:
        """Return the ragged tensor that arrays are the value of."""
        inner = value.values
        nested = isinstance(inner, RaggedTensorValue)
        values = cls.of_value(inner) if nested else to_tensor(inner)
        return cls(values, to_tensor(value.row_splits))

    def __fetch__(self) -> RaggedTensorValue:
        """Return what a session runs, and gives, for it."""
        inner = self.values
        nested = isinstance(inner, RaggedParts)
        return RaggedTensorValue(
            inner.__fetch__() if nested else inner, self.row_splits
        )

    def __feed__(self, value: Any) -> Iterator[tuple[Any, Any]]:
        """Yield its tensors with what a session is fed for each."""
        yield self.flat_values, value.flat_values
        own, given = self.nested_row_splits, value.nested_row_splits
        yield from zip(own, given, strict=True)

    @classmethod
    def of(cls, values: Any, row_splits: Any, length: int | None = None) -> Any:
        """Return values in rows, which all have a length if it is given."""
        return _kind(length)(values, row_splits)


@lru_cache(maxsize=1024)
def _kind(length: int | None) -> type[RaggedParts]:
    """Return the class of ragged tensors, or of those whose rows all have a length."""
    root = RaggedParts.root
    if length is None:
        return root
    own = {"uniform_row_length": length, "__module__": root.__module__}
    return cast("type[RaggedParts]", type(root.__name__, (root,), own))


def forget_kinds() -> None:
    """Forget the classes of rows of one length: `root` is another now."""
    _kind.cache_clear()


def _rows(x: RaggedParts, inner: Any) -> list[Any]:
    splits = x.row_splits.numpy().tolist()
    return [inner[i:j] for i, j in pairwise(splits)]


def below(x: Any, like: RaggedParts) -> Any:
    """Return, for an operand, what stands beside each of another's innermost values."""
    if x is like:
        return like.flat_values
    if not isinstance(x, RaggedParts):
        x = x if is_number(x) else to_tensor(x)
        if is_number(x) or x.spec.rank == 0:
            return x
    whole = like.rank or 0
    own = (x.rank if isinstance(x, RaggedParts) else x.spec.rank) or 0
    if not isinstance(x, RaggedParts) and own < whole - like.ragged_rank:
        return x
    if own < whole:
        inner = like.values
        return below(x, inner) if isinstance(inner, RaggedParts) else x
    spread = _beside(x, like) if own == whole else None
    if spread is None:
        raise InvalidArgumentError(
            f"ragged tensors of the shapes {x.shape} and {like.shape} do not broadcast"
        )
    if isinstance(like.values, RaggedParts):
        return below(spread, like.values)
    return spread.flat_values if isinstance(spread, RaggedParts) else spread


def is_number(x: Any) -> bool:
    """Return whether this is a single value of Python's."""
    return isinstance(x, (bool, int, float, complex, str, bytes))


def _beside(x: Any, like: RaggedParts) -> Any:
    """Return what an operand of the same rank has beside the values one axis further in."""
    if not isinstance(x, RaggedParts):
        return _dense_beside(x, like)
    if same_splits(x.row_splits, like.row_splits):
        return x.values
    if x.uniform_row_length == 1 and x.shape[0] in (1, like.shape[0]):
        rows = like.value_rowids()
        return gather(x.values, rows if x.shape[0] != 1 else rows * 0)
    return None


def _dense_beside(x: Tensor, like: RaggedParts) -> Any:
    rows, columns = x.spec.dims[:2]
    if rows not in (1, None, like.shape[0]) and like.shape[0] is not None:
        return None
    ids = like.value_rowids()
    first = ids * 0 if rows == 1 else ids
    if columns == 1:
        return gather(x[:, 0], first)
    longest = like.uniform_row_length
    if columns is not None and longest != columns and not _all_long(like, columns):
        return None
    from_start = arange(size_at(ids, 0), dtype=ids.dtype)
    places = from_start - gather(like.row_starts(), ids)
    return gather_nd(x, stack([first, places], axis=-1))


def _all_long(x: RaggedParts, length: int) -> bool:
    """Return whether all rows have a length, as far as is known."""
    if hasattr(x.row_splits, "node"):
        return True
    return bool((np.diff(x.row_splits.numpy()) == length).all())


def same_splits(a: Tensor, b: Tensor) -> bool:
    """Return whether rows have the same bounds, as far as is known."""
    if a is b:
        return True
    if hasattr(a, "node") or hasattr(b, "node"):
        return a.spec.shape == b.spec.shape or None in (*a.spec.dims, *b.spec.dims)
    return bool(np.array_equal(a.numpy(), b.numpy()))
