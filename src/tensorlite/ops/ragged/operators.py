"""Operators on ragged tensors, as bounds of rows and values: ranges, rows gathered, sparse ones.

What graphs of version 1 are made of; the functions of the library are composed of operators on
tensors, in arrange.py and making.py.
"""

from __future__ import annotations

from math import prod

from tensorlite.core import dtypes
from tensorlite.core.dispatch import calls
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec, check_rank
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.gather import gather
from tensorlite.ops.arrays.shape import reshape, reshape_like, shape_of

__all__: list[str] = []


class RaggedRange(Op):
    """The numbers from each start up to its limit, in steps, as bounds of rows and values."""

    differentiable = False
    Tsplits: DType = dtypes.int64

    def infer(
        self, starts: TensorSpec, limits: TensorSpec, deltas: TensorSpec
    ) -> tuple[TensorSpec, TensorSpec]:
        """Return the specs; ShapeError unless all are scalars or vectors of one length."""
        ends = starts, limits, deltas
        for what, end in zip(("starts", "limits", "deltas"), ends, strict=True):
            if end.rank not in (0, 1, None):
                raise ShapeError(f"{self.name}: {what} must be a scalar or vector")
        firsts = [end.dims[0] for end in ends if end.rank == 1]
        counts = {n for n in firsts if n is not None}
        if len(counts) > 1:
            raise ShapeError(f"{self.name}: {self._unequal}: {sorted(counts)}")
        if all(end.rank == 0 for end in ends):
            counts = {1}
        size = counts.pop() + 1 if counts else None
        return TensorSpec((size,), self.Tsplits), TensorSpec((None,), starts.dtype)

    _unequal = "starts, limits, and deltas must have the same shape"

    def kernel(
        self, xp: Xp, starts: Array, limits: Array, deltas: Array
    ) -> tuple[Array, Array]:
        """Return bounds and values; InvalidArgumentError for a step of 0."""
        given = [xp.atleast_1d(x) for x in (starts, limits, deltas)]
        sizes = {x.size for x in given if x.size != 1}
        sizes |= {x.size for x in (starts, limits, deltas) if x.ndim}
        if len(sizes) > 1:
            raise InvalidArgumentError(f"{self.name}: {self._unequal}")
        count = sizes.pop() if sizes else 1
        first, last, step = (xp.broadcast_to(x, (count,)) for x in given)
        if bool((step == 0).any()):
            raise InvalidArgumentError(f"{self.name}: Requires delta != 0")
        width = last - first
        is_float = first.dtype.kind == "f"
        lengths = xp.ceil(width / step) if is_float else -(-width // step)
        lengths = xp.maximum(lengths, 0).astype(self.Tsplits.numpy)
        splits = _bounds(xp, lengths)
        row = _row_of_each(xp, splits)
        places = xp.arange(row.size, dtype=splits.dtype) - splits[row]
        values = first[row] + places.astype(first.dtype) * step[row]
        return splits, values.astype(starts.dtype)


class RaggedGather(Op):
    """Rows at places, of the bounds of rows from outside in and the values."""

    OUTPUT_RAGGED_RANK: int

    def infer(self, *parts: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return vectors of bounds, and values of which only the outer size is not known."""
        *splits, values, indices = parts
        for one in splits:
            check_rank(self.name, one, 1)
        due = None if indices.rank is None else indices.rank + len(splits) - 1
        if due not in (None, self.OUTPUT_RAGGED_RANK):
            raise ShapeError(
                f"{self.name}: {due} bounds, not {self.OUTPUT_RAGGED_RANK}: those of {indices} "
                f"and of {len(splits)} axes that are split"
            )
        inner = None if values.shape is None else (None, *values.shape[1:])
        bounds = TensorSpec((None,), splits[0].dtype)
        return *[bounds] * self.OUTPUT_RAGGED_RANK, values.with_shape(inner)

    def kernel(self, xp: Xp, *parts: Array) -> tuple[Array, ...]:
        """Return bounds and values; InvalidArgumentError for places without a row."""
        *splits, values, indices = parts
        kind, rows = splits[0].dtype, splits[0].size - 1
        places = indices.ravel()
        if bool(((places < 0) | (places >= rows)).any()):
            raise InvalidArgumentError(
                f"{self.name}: indices = {places.tolist()} are not all in [0, {rows})"
            )
        made = [
            xp.arange(prod(indices.shape[: i + 1]) + 1, dtype=kind) * size
            for i, size in enumerate(indices.shape[1:])
        ]
        for one in splits:
            starts, lengths = one[places], one[places + 1] - one[places]
            bounds = _bounds(xp, lengths)
            row = _row_of_each(xp, bounds)
            places = starts[row] + xp.arange(row.size, dtype=kind) - bounds[row]
            made.append(bounds)
        return *made, values[places]

    def grad(self, call: Call, *dys: Tensor) -> Grads:
        """Return the gradient of the values that were gathered, as rows of them."""
        *splits, values, indices = call.inputs
        outer, *rest = splits
        for one in rest:
            outer = gather(one, outer)
        places = reshape(indices, (-1,))
        ends = gather(outer, places), gather(outer[1:], places)
        step = outer[:1] * 0 + 1
        _, taken = calls(RaggedRange(outer.dtype), *ends, reshape(step, ()))
        whole = values.shape if values.spec.is_static else shape_of(values)
        found = IndexedSlices(values=dys[-1], indices=taken, dense_shape=whole)
        return *[None] * len(splits), found, None


class RaggedTensorToSparse(Op):
    """A ragged tensor, as bounds of rows and values, as a sparse one: places, values, sizes."""

    def infer(self, *parts: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs."""
        *splits, values = parts
        if not splits:
            raise ShapeError(f"{self.name}: Requires RAGGED_RANK>0")
        for one in splits:
            check_rank(self.name, one, 1)
        rank = None if values.rank is None else values.rank + len(splits)
        count = values.size
        return (
            TensorSpec((count, rank), dtypes.int64),
            values.with_shape((count,)),
            TensorSpec((rank,), dtypes.int64),
        )

    def kernel(self, xp: Xp, *parts: Array) -> tuple[Array, Array, Array]:
        """Return places, values and sizes; InvalidArgumentError for bounds that are none."""
        *splits, values = parts
        self._check([*splits, values])
        inner = values.shape[1:]
        at = [xp.arange(len(values), dtype="int64")]
        for one in reversed(splits):
            row = xp.searchsorted(one, at[0], side="right") - 1
            at = [row, at[0] - one[row], *at[1:]]
        within = xp.indices(inner).reshape(len(inner), prod(inner))
        columns = [
            *[xp.repeat(x, prod(inner)) for x in at],
            *[xp.tile(x, len(values)) for x in within],
        ]
        longest = [int((x[1:] - x[:-1]).max()) if x.size > 1 else 0 for x in splits]
        sizes = [splits[0].size - 1, *longest, *inner]
        places = xp.stack(columns, axis=1).astype("int64")
        return places, values.ravel(), xp.asarray(sizes, "int64")

    def _check(self, levels: list[Array]) -> None:
        for splits, below in zip(levels, [*levels[1:-1], None], strict=False):
            end = len(levels[-1]) if below is None else below.size - 1
            first, last = int(splits[0]), int(splits[-1])
            if first != 0 or last != end or bool((splits[1:] < splits[:-1]).any()):
                raise InvalidArgumentError(
                    f"{self.name}: First value of ragged splits must be 0, and they must rise to "
                    f"{end}: {splits.tolist()[:9]}"
                )

    def grad(self, call: Call, *dys: Tensor) -> Grads:
        """Return the gradient of the values, in their shape."""
        *splits, values = call.inputs
        return *[None] * len(splits), reshape_like(dys[1], values)


def _bounds(xp: Xp, lengths: Array) -> Array:
    """Return where rows of some lengths begin and end."""
    made = xp.zeros(lengths.size + 1, lengths.dtype)
    made[1:] = xp.cumsum(lengths)
    return made


def _row_of_each(xp: Xp, splits: Array) -> Array:
    """Return in which row each value is."""
    every = xp.arange(int(splits[-1]), dtype=splits.dtype)
    return xp.searchsorted(splits[1:], every, side="right")
