"""Sizes of ragged tensors as nodes, and how they broadcast, in graphs of version 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tensorlite.compat.shared.arrays import (
    concat,
    identity,
    ones,
    range as counted,
    reshape,
    stack,
)
from tensorlite.compat.shared.checks import Assert
from tensorlite.compat.shared.elementwise import cast, equal
from tensorlite.compat.shared.ragged_and_sparse.built_rows import RaggedTensor
from tensorlite.compat.v1.functions.arrays import gather, shape, size, where
from tensorlite.compat.v1.functions.numbers import reduce_all, reduce_sum
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.compat.v1.ragged_written.arranging import tile
from tensorlite.compat.v1.ragged_written.base import (
    bounds_of,
    integers,
    known,
    rank_of,
    runs_repeated,
)
from tensorlite.compat.v1.ragged_written.converting import from_tensor
from tensorlite.compat.v1.ragged_written.making import (
    from_nested_row_lengths,
    from_row_lengths,
)
from tensorlite.core.dtypes import int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope


@dataclass(frozen=True)
class Sizes:
    """The sizes of axes: of those that are split a number or as many as rows, then of others."""

    split: tuple[Any, ...]
    inner: Any

    @classmethod
    def made(cls, split: Any, inner: Any) -> Sizes:
        """Return sizes as tensors of one dtype."""
        with name_scope(None, "RaggedTensorDynamicShape"):
            named = [
                convert_to_tensor(x, name=f"partitioned_dimension_size_{i}")
                for i, x in enumerate(split)
            ]
            behind = convert_to_tensor(inner, name="inner_dim_sizes")
            kinds = {x.dtype for x in named if rank_of(x) == 1}
            if len(kinds) > 1:
                raise InvalidArgumentError(
                    "partitioned_dim_sizes must have matching dtypes"
                )
            kind = kinds.pop() if kinds else int64
            return cls(tuple([cast(x, kind) for x in named]), cast(behind, kind))

    @classmethod
    def of(cls, x: Any) -> Sizes:
        """Return the sizes of a tensor or of a ragged one."""
        with name_scope(None, "RaggedTensorDynamicShapeFromTensor"):
            if not isinstance(x, RaggedTensor):
                return cls.made([], shape(x))
            split = [x.nrows(), *x.nested_row_lengths()]
            return cls.made(split, shape(x.flat_values)[1:])

    @property
    def dtype(self) -> Any:
        """The dtype of the sizes."""
        return self.inner.dtype

    @property
    def inner_rank(self) -> int:
        """How many axes there are behind those that are split."""
        (count,) = self.inner.get_shape().as_list()
        if count is None:
            raise InvalidArgumentError("Unable to broadcast: unknown rank")
        return int(count)

    @property
    def rank(self) -> int:
        """How many axes there are."""
        return len(self.split) + self.inner_rank

    def size(self, axis: int) -> Any:
        """Return the size of an axis."""
        if axis < len(self.split):
            return self.split[axis]
        return self.inner[axis - len(self.split)]

    def is_ragged(self, axis: int) -> bool:
        """Return whether rows differ along an axis."""
        return 0 < axis < len(self.split) and rank_of(self.split[axis]) == 1

    def with_rank(self, rank: int) -> Sizes:
        """Return the same with axes of 1 in front."""
        missing = rank - self.rank
        if not missing:
            return self
        if self.split:
            return Sizes.made([*[1] * missing, *self.split], self.inner)
        more = concat([ones([missing], self.dtype), self.inner], axis=0)
        return Sizes.made([], more)

    def broadcast(self, axis: int, lengths: Any) -> Sizes:
        """Return the same with an axis as long as another tensor's, once that is seen to fit."""
        lengths = integers_of(lengths, self.dtype)
        if (rank_of(lengths) or 0) > 1:
            raise InvalidArgumentError("lengths must be a scalar or vector")
        is_one = rank_of(lengths) == 0
        check = Assert(
            self._fits(axis, lengths, is_one), self._told(axis, lengths), 10
        )
        with control_dependencies([check]):
            if axis < len(self.split):
                if self.is_ragged(axis):
                    return Sizes.made(self.split, identity(self.inner))
                return self._wider(axis, lengths)
            if is_one:
                return self._wider_inside(axis, lengths)
            if axis == 0:
                raise InvalidArgumentError(
                    "Unable to broadcast: outermost dimension must be uniform."
                )
            at = axis - len(self.split)
            before = [self.inner[i] for i in range(at)]
            return Sizes.made([*self.split, *before, lengths], self.inner[at + 1 :])

    def _fits(self, axis: int, lengths: Any, is_one: bool) -> Any:
        if self.is_ragged(axis):
            if is_one:
                return equal(lengths, 1)
            return reduce_all(equal(lengths, self.size(axis)))
        own = self.size(axis)
        if not is_one:
            return equal(own, 1)
        return equal(lengths, 1) | equal(own, 1) | equal(own, lengths)

    def _told(self, axis: int, lengths: Any) -> list[Any]:
        return [
            *("Unable to broadcast: dimension size mismatch in dimension", axis),
            *("lengths=", lengths, "dim_size=", self.size(axis)),
        ]

    def _slices(self, axis: int) -> Any:
        """Return how many slices there are along the first axes."""
        if axis < 0:
            return constant(1, dtype=self.dtype)
        if self.is_ragged(axis):
            return reduce_sum(self.split[axis])
        return self.size(axis) * self._slices(axis - 1)

    def _wider(self, axis: int, lengths: Any) -> Sizes:
        """Return the same with an axis of 1 among those split as long as lengths say."""
        own = self.size(axis)
        if rank_of(lengths) == 0:
            lengths = where(equal(own, 1), lengths, own)
            repeats = where(equal(own, 1), lengths, 1)
            splits = stack([0, self._slices(axis)])
        else:
            splits = counted(size(lengths, out_type=self.dtype) + 1)
            repeats = lengths
        split = [*self.split[:axis], lengths]
        for one in self.split[axis + 1 :]:
            if rank_of(one) == 0:
                split.append(one)
                splits = splits * one
            else:
                split.append(runs_repeated(one, splits, repeats))
                splits = gather(bounds_of(one), splits)
        return Sizes.made(split, self.inner)

    def _wider_inside(self, axis: int, length: Any) -> Sizes:
        own, at = self.size(axis), axis - len(self.split)
        found = where(equal(own, 1), length, own)
        parts = [self.inner[:at], [found], self.inner[at + 1 :]]
        return Sizes.made(self.split, concat(parts, axis=0))


def integers_of(lengths: Any, dtype: Any) -> Any:
    """Return lengths in a dtype."""
    return integers(lengths, "lengths", dtype)


def shared(x: Sizes, y: Sizes) -> Sizes:
    """Return the sizes that two broadcast to."""
    rank = max(x.rank, y.rank)
    x, y = x.with_rank(rank), y.with_rank(rank)
    for axis in range(rank):
        x = x.broadcast(axis, y.size(axis))
        y = y.broadcast(axis, x.size(axis))
    return x


def spread(x: Any, wanted: Sizes) -> Any:
    """Return a tensor with the rows of other sizes; its inner axes broadcast by themselves."""
    if not wanted.split:
        return x
    own = Sizes.of(x).with_rank(wanted.rank)
    x = _ranked(x, wanted)
    levels = len(wanted.split)
    if isinstance(x, RaggedTensor):
        more = (rank_of(x.flat_values) or 0) - 1 - wanted.inner_rank
        if more > 0:
            flat = from_tensor(
                x.flat_values, ragged_rank=more, row_splits_dtype=wanted.dtype
            )
            x = x.with_flat_values(flat)
    else:
        x = from_tensor(x, ragged_rank=levels - 1, row_splits_dtype=wanted.dtype)
    times = [_times(own, wanted, axis) for axis in range(levels)]
    times += [1] * (wanted.rank - levels)
    if not all(isinstance(n, int) for n in times):
        x = tile(x, stack(times, axis=0))
    for axis in range(levels):
        if not own.is_ragged(axis) and wanted.is_ragged(axis):
            x = _tiled_along(x, axis, wanted.size(axis), wanted.dtype)
    return x


def _ranked(x: Any, wanted: Sizes) -> Any:
    """Return a tensor with as many axes as what it is spread over."""
    if wanted.rank <= (rank_of(x) or 0):
        return x
    if (rank_of(x) or 0) < wanted.inner_rank + 1:
        x = reshape(x, concat([[-1], wanted.inner], axis=0))
    for _ in range(wanted.rank - (rank_of(x) or 0)):
        is_ragged = isinstance(x, RaggedTensor)
        count = x.nrows() if is_ragged else shape(x, out_type=wanted.dtype)[0]
        x = from_row_lengths(x, [count], validate=False)
    return x


def _times(own: Sizes, wanted: Sizes, axis: int) -> Any:
    """Return how often an axis of 1 is repeated."""
    if own.is_ragged(axis) or wanted.is_ragged(axis):
        return 1
    have, due = own.size(axis), wanted.size(axis)
    told, asked = known(have), known(due)
    if (told is not None and told.item() != 1) or (
        asked is not None and asked.item() == 1
    ):
        return 1
    return where(equal(have, 1), due, 1)


def _tiled_along(x: Any, axis: int, repeats: Any, dtype: Any) -> Any:
    """Return rows of one value with as many copies of it as rows are to be long."""
    if not isinstance(x, RaggedTensor):
        x = from_tensor(x, ragged_rank=1, row_splits_dtype=dtype)
    if axis > 1:
        return x.with_values(_tiled_along(x.values, axis - 1, repeats, dtype))
    splits, *inner = x.nested_row_splits
    _, *lengths = x.nested_row_lengths()
    made = [repeats]
    for one, ends in zip(lengths, inner, strict=True):
        made.append(runs_repeated(one, splits, repeats))
        splits = gather(ends, splits)
    values = runs_repeated(x.flat_values, splits, repeats)
    return from_nested_row_lengths(values, made, validate=False)
