"""Strings joined, element by element and along axes; matched by patterns; names of files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, constant, to_tensor
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec, merge
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.strings.patterns import compiled, decoded

__all__ = ["join", "reduce_join", "unsorted_segment_join"]


def as_bytes(text: str | bytes) -> bytes:
    """Return a string as bytes."""
    return text if isinstance(text, bytes) else text.encode()


def as_text(text: str | bytes) -> str:
    """Return a string as text."""
    return text if isinstance(text, str) else text.decode(errors="surrogateescape")


def _strings(op: Op, *xs: TensorSpec) -> None:
    for x in xs:
        if x.dtype is not dtypes.string:
            raise DTypeError(f"{op.name} takes strings, not {x}")


class StringJoin(Op):
    """Strings put one behind the other, element by element."""

    differentiable = False
    separator: str = ""

    def infer(self, *xs: TensorSpec) -> TensorSpec:
        """Return the one shape of all that are no scalars; ShapeError where there are several."""
        _strings(self, *xs)
        shapes = [x.shape for x in xs if x.shape != ()]
        if None in shapes and len(shapes) < len(xs):
            return TensorSpec(None, dtypes.string)  # which may be a scalar
        return TensorSpec(reduce(merge, shapes) if shapes else (), dtypes.string)

    def kernel(self, xp: Xp, *xs: Array) -> Array:
        """Return the strings, as bytes."""
        reduce(merge, [x.shape for x in xs if x.ndim], None)
        between = self.separator.encode()
        joined = np.frompyfunc(lambda *x: between.join(map(as_bytes, x)), len(xs), 1)
        return np.asarray(joined(*xs), object)


class StaticRegexFullMatch(Op):
    """Whether a pattern matches the whole of each string."""

    differentiable = False
    pattern: str

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's shape with dtype bool."""
        _strings(self, x)
        return x.with_dtype(dtypes.bool_)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the answers."""
        matches = compiled(self.pattern).fullmatch
        found = np.frompyfunc(lambda text: matches(decoded(text)) is not None, 1, 1)
        return np.asarray(found(x), np.bool_)


class ShardedFilename(Op):
    """The name of one of several files: base-00001-of-00003."""

    differentiable = False

    def infer(
        self, basename: TensorSpec, shard: TensorSpec, num_shards: TensorSpec
    ) -> TensorSpec:
        """Return a 0-d string."""
        _strings(self, basename)
        return TensorSpec((), dtypes.string)

    def kernel(
        self, xp: Xp, basename: Array, shard: Array, num_shards: Array
    ) -> Array:
        """Return the name."""
        base = as_text(basename.item())
        name = f"{base}-{int(shard):05d}-of-{int(num_shards):05d}"
        return np.asarray(name.encode(), object)


class ShardedFilespec(Op):
    """The pattern of the names of all of several files: base-?????-of-00003."""

    differentiable = False

    def infer(self, basename: TensorSpec, num_shards: TensorSpec) -> TensorSpec:
        """Return a 0-d string."""
        _strings(self, basename)
        return TensorSpec((), dtypes.string)

    def kernel(self, xp: Xp, basename: Array, num_shards: Array) -> Array:
        """Return the pattern."""
        pattern = f"{as_text(basename.item())}-?????-of-{int(num_shards):05d}"
        return np.asarray(pattern.encode(), object)


class ReduceJoin(Op):
    """Strings put one behind the other along axes."""

    differentiable = False
    host = (0, 1)
    keep_dims: bool = False
    separator: str = ""

    def infer(self, x: TensorSpec, axes: TensorSpec) -> TensorSpec:
        """Return the shape without the axes."""
        _strings(self, x)
        dropped = () if axes.shape == (0,) else axes.constant()
        if x.shape is None or dropped is None:
            return x.with_shape(None)
        places = self.places(dropped, len(x.shape))
        kept = [n for i, n in enumerate(x.shape) if i not in places]
        whole = [1 if i in places else n for i, n in enumerate(x.shape)]
        return x.with_shape(whole if self.keep_dims else kept)

    def kernel(self, xp: Xp, x: Array, axes: Array) -> Array:
        """Return the strings; of several axes the first given varies fastest."""
        dropped = self.places(axes.ravel().tolist(), x.ndim)
        kept = [axis for axis in range(x.ndim) if axis not in dropped]
        shape = [x.shape[axis] for axis in kept]
        count = prod(x.shape[axis] for axis in dropped)
        rows = x.transpose(*kept, *dropped[::-1]).reshape(prod(shape), count)
        found = np.empty(len(rows), object)
        between = self.separator.encode()
        found[:] = [between.join(map(as_bytes, row)) for row in rows.tolist()]
        if self.keep_dims:
            shape = [1 if axis in dropped else n for axis, n in enumerate(x.shape)]
        return found.reshape(shape)

    def places(self, axes: Sequence[int], rank: int) -> list[int]:
        """Return axes counted from the front; InvalidArgumentError for what is not there."""
        found: list[int] = []
        for axis in axes:
            if not -rank <= axis < rank:
                raise InvalidArgumentError(
                    f"Invalid reduction dimension {axis} for input with {rank} dimension(s)"
                )
            if axis % rank in found:
                raise InvalidArgumentError(
                    f"Duplicate reduction dimension {axis % rank}"
                )
            found.append(axis % rank)
        return found


def join(inputs: Sequence[TensorLike], separator: str = "") -> Tensor:
    """Return strings of several tensors put one behind the other, element by element.

    >>> print(tl.strings.join([["a", "b"], "c"], separator="-"))
    [b'a-c' b'b-c']
    """
    return call(StringJoin(separator), *inputs)


def reduce_join(
    x: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    separator: str = "",
) -> Tensor:
    """Return strings put one behind the other along axes, or all.

    >>> print(tl.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1))
    [b'ab' b'cd']
    """
    tensor = to_tensor(x)
    if axis is None:
        axis = list(range(tensor.ndim))[::-1]
    if not isinstance(axis, Operand):
        axis = constant(np.asarray(axis, np.int32).reshape(-1))
    return call(ReduceJoin(keepdims, separator), tensor, axis)


class UnsortedSegmentJoin(Op):
    """Strings put one behind the other over segments, which need not be sorted."""

    differentiable = False
    host = (0, 1, 2)
    separator: str = ""

    def infer(self, x: TensorSpec, ids: TensorSpec, count: TensorSpec) -> TensorSpec:
        """Return a string for each segment, in the shape of what stands behind the numbers."""
        _strings(self, x)
        if x.shape is None or ids.shape is None:
            return x.with_shape(None)
        segments = count.scalar()
        most = None if segments is None else int(segments)
        return x.with_shape((most, *x.shape[len(ids.shape) :]))

    def kernel(self, xp: Xp, x: Array, ids: Array, count: Array) -> Array:
        """Return the strings; InvalidArgumentError for numbers of no segment."""
        segments = int(count)
        if ids.size and not 0 <= ids.min() <= ids.max() < segments:
            raise InvalidArgumentError(
                f"{self.name}: segments are numbered from 0 to below {segments}, not "
                f"{ids.min()} to {ids.max()}"
            )
        inner = x.shape[ids.ndim :]
        rows: list[list[Array]] = [[] for _ in range(segments)]
        for number, row in zip(ids.ravel(), x.reshape(-1, prod(inner)), strict=True):
            rows[int(number)].append(row)
        between = self.separator.encode()
        found = np.full((segments, prod(inner)), b"", object)
        for i, row in enumerate(rows):
            for j, parts in enumerate(zip(*row, strict=True)):
                found[i, j] = between.join(map(as_bytes, parts))
        return found.reshape(segments, *inner)


def unsorted_segment_join(
    x: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    separator: str = "",
) -> Tensor:
    """Return strings put one behind the other, those of each segment; "" where there are none.

    >>> print(tl.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 3, "-"))
    [b'b' b'a-c' b'']
    """
    return call(UnsortedSegmentJoin(separator), x, segment_ids, num_segments)
