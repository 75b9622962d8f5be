"""Order and places: sort, top_k, searchsorted, nonzero, and counts of integers.

Distinct elements and membership are in sets.py, the greatest element alone (argmax) in
math/reduce.py, reading at places found in gather.py.
"""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import whole
from tensorlite.core.dispatch import call, calls, constant, promoted, to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Gradient, Grads, Op
from tensorlite.core.spec import TensorSpec, check_rank, merge, normalise_axis
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.gather import (
    put_along_last,
    size_at,
    take,
    take_along_axis,
)
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.masks import Where
from tensorlite.ops.arrays.shape import reshape, reshape_like, shape_of
from tensorlite.ops.arrays.stack import unstack_known
from tensorlite.ops.math.bounds import minimum

__all__ = [
    "argsort",
    "bincount",
    "in_top_k",
    "nonzero",
    "searchsorted",
    "sort",
    "top_k",
]

Side = Literal["left", "right"]


def _ordered(x: TensorSpec, what: str) -> None:
    if not (x.dtype.is_integer or x.dtype.is_floating or x.dtype.kind in "bS"):
        raise DTypeError(
            f"{what}: {x.dtype!r} has no order; give real numbers (tl.abs, tl.real)"
        )


def _sortable(x: TensorLike, what: str) -> Tensor:
    tensor = to_tensor(x)
    _ordered(tensor.spec, what)
    return tensor


def _order(xp: Xp, x: Array, axis: int, descending: bool) -> Array:
    """Return the stable order of elements; equal ones stay as they stand either way."""
    if not descending:
        return xp.argsort(x, axis=axis, kind="stable")
    last = x.shape[axis] - 1
    return last - xp.flip(
        xp.argsort(xp.flip(x, axis=axis), axis=axis, kind="stable"), axis=axis
    )


class ArgSort(Op):
    """The places of the elements along an axis in their order, NaN counting as the greatest."""

    differentiable = False
    axis: int = -1
    descending: bool = False

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's shape with dtype int64; DTypeError for what has no order."""
        _ordered(x, "argsort")
        if x.shape is not None:
            normalise_axis(self.axis, len(x.shape))
        return x.with_dtype(dtypes.int64)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the places; equal elements stay as they stand."""
        return _order(xp, x, self.axis, self.descending).astype("int64")


class Sort(Op):
    """The elements along an axis in their order, NaN counting as the greatest."""

    axis: int = -1
    descending: bool = False

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec; DTypeError for what has no order."""
        _ordered(x, "sort")
        if x.shape is not None:
            normalise_axis(self.axis, len(x.shape))
        return x.without_value()

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the sorted elements."""
        ascending = xp.sort(x, axis=self.axis)
        return xp.flip(ascending, axis=self.axis) if self.descending else ascending

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient with each element's part where the element came from."""
        places = argsort(call.inputs[0], axis=self.axis, descending=self.descending)
        return (take_along_axis(dy, argsort(places, axis=self.axis), axis=self.axis),)


class TopKV2(Op):
    """The greatest elements of each vector along the last axis, and their places."""

    host = (1,)
    sorted: bool = True

    def infer(self, x: TensorSpec, k: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return the values' and the places' specs; ShapeError when there are fewer than k."""
        _ordered(x, "top_k")
        number = k.scalar()
        if x.shape is None:
            return x.with_shape(None), TensorSpec(None, dtypes.int32)
        length = x.shape[-1] if x.shape else 0
        if not x.shape or (
            number is not None and length is not None and number > length
        ):
            raise ShapeError(f"top_k: {x} has no {number} elements on its last axis")
        shape = (*x.shape[:-1], number)
        return x.with_shape(shape), TensorSpec(shape, dtypes.int32)

    def kernel(self, xp: Xp, x: Array, k: Array) -> tuple[Array, Array]:
        """Return the elements and places in descending order; of equals, the first come first."""
        if int(k) < 0:
            raise InvalidArgumentError(f"top_k: Need k >= 0, got {int(k)}")
        if int(k) > x.shape[-1]:
            raise ShapeError(
                f"top_k: {x.shape} has no {int(k)} elements on its last axis"
            )
        if xp is np and x.dtype.name == "float32" and int(k) * 4 <= x.shape[-1]:
            places = _first_places(x, int(k))
        else:
            places = _order(xp, x, -1, descending=True)[..., : int(k)]
        return xp.take_along_axis(x, places, axis=-1), places.astype("int32")

    def grad(self, call: Call, dy: Gradient, _: Gradient) -> Grads:
        """Return the gradient put where the elements came from, zeros elsewhere."""
        if dy is None:
            return None, None
        assert isinstance(dy, Tensor)
        return put_along_last(call.outputs[1], dy, shape_of(call.inputs[0])), None


def _first_places(x: Array, k: int) -> Array:
    """Return the places of the k greatest float32 numbers of each row, found without sorting all.

    Numbers and places go into one integer, so that of equals the first comes first.
    """
    bits = np.where(np.isnan(x), np.float32(np.nan), x + np.float32(0)).view("int32")
    ranks = bits ^ ((bits >> 31) & 0x7FFFFFFF)  # ordered as the numbers are
    keys = (~ranks.astype("int64") << 32) | np.arange(x.shape[-1])
    keys.partition(max(k - 1, 0), axis=-1)
    first = np.sort(keys[..., :k], axis=-1)
    return first & 0xFFFFFFFF


class _Bound(Op, abstract=True):
    """Where values belong in a sorted vector, or rows of values in sorted rows."""

    differentiable = False
    side: ClassVar[Side]
    out_type: DType = dtypes.int64

    def infer(self, x: TensorSpec, values: TensorSpec) -> TensorSpec:
        """Return the values' shape with `out_type`; ShapeError unless there is a row for each."""
        _ordered(x, "searchsorted")
        if x.rank == 2 and values.shape is not None:
            try:
                merge(x.dims[:1], values.shape[:-1])
            except ShapeError:
                raise ShapeError(
                    f"searchsorted looks into a vector, or into one row for each row of values: "
                    f"{x} is searched for {values}. Leading dim_size of both tensors must match"
                ) from None
        elif x.rank not in (1, 2, None):
            raise ShapeError(
                f"searchsorted looks into a vector or into rows, not {x}"
            )
        return values.with_dtype(self.out_type)

    def kernel(self, xp: Xp, x: Array, values: Array) -> Array:
        """Return the places."""
        if x.ndim == 1:
            found = xp.searchsorted(x, values, side=self.side)
            return found.astype(self.out_type.numpy)
        self.infer(TensorSpec(x.shape), TensorSpec(values.shape))
        found = xp.empty(values.shape, self.out_type.numpy)
        for places, row, sought in zip(found, x, values, strict=True):
            places[...] = xp.searchsorted(row, sought, side=self.side)
        return found


class LowerBound(_Bound):
    """The first place where a value could stand in a sorted vector."""

    side = "left"


class UpperBound(_Bound):
    """The last place where a value could stand in a sorted vector."""

    side = "right"


class Bucketize(Op):
    """How many of sorted boundaries each number has reached."""

    differentiable = False
    boundaries: tuple[float, ...] = ()

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's shape with dtype int32; DTypeError for what is no real number."""
        if not (x.dtype.is_integer or x.dtype.is_floating):
            raise DTypeError(f"bucketize: x holds real numbers, not {x.dtype!r}")
        if any(a > b for a, b in pairwise(self.boundaries)):
            raise InvalidArgumentError(
                f"bucketize: boundaries are sorted, not {self.boundaries}"
            )
        return x.with_dtype(dtypes.int32)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the counts; NaN has reached all."""
        ends = xp.asarray(np.array(self.boundaries, np.float32))
        return xp.searchsorted(ends, x, side="right").astype("int32")


class InTopKV2(Op):
    """Whether the target's prediction is among the k greatest of its row."""

    differentiable = False
    host = (2,)

    def infer(
        self, predictions: TensorSpec, targets: TensorSpec, k: TensorSpec
    ) -> TensorSpec:
        """Return the targets' shape with dtype bool; ShapeError unless there is one per row."""
        check_rank("in_top_k: predictions", predictions, 2)
        check_rank("in_top_k: targets", targets, 1)
        return targets.with_dtype(dtypes.bool_)

    def kernel(self, xp: Xp, predictions: Array, targets: Array, k: Array) -> Array:
        """Return the answers; rows with predictions that are not finite are out."""
        inside = (targets >= 0) & (targets < predictions.shape[1])
        places = xp.where(inside, targets, 0)[:, None]
        mine = xp.take_along_axis(predictions, places, axis=1)
        greater = xp.sum(predictions > mine, axis=1)
        return (greater < int(k)) & xp.isfinite(predictions).all(axis=1) & inside


class Bincount(Op):
    """How often each integer from 0 on is there, or the sum of the weights beside it."""

    host = (1,)
    fixed: bool = False
    """Whether there are as many counts as asked for, greater integers being left out."""

    def infer(
        self, x: TensorSpec, minlength: TensorSpec, weights: TensorSpec
    ) -> TensorSpec:
        """Return a vector; DTypeError unless the operand holds integers."""
        _countable(x)
        check_rank("bincount: the number of counts", minlength, 0)
        count = minlength.scalar()
        if count is not None and count < 0:
            raise InvalidArgumentError(
                f"bincount: size ({count}) must be non-negative"
            )
        return TensorSpec((count if self.fixed else None,), weights.dtype)

    def kernel(self, xp: Xp, x: Array, minlength: Array, weights: Array) -> Array:
        """Return the counts, or the sums; an empty `weights` counts."""
        beside = weights.ravel() if weights.size else None
        if beside is not None and beside.size != x.size:
            raise InvalidArgumentError(
                f"bincount: Input indices and weights must have the same size; there are "
                f"{beside.size} weights for {x.size} integers"
            )
        if x.size and int(x.min()) < 0:
            raise InvalidArgumentError(
                "Input arr must be non-negative! bincount counts integers from 0 on"
            )
        least = int(minlength)
        counts = xp.bincount(x.ravel(), weights=beside, minlength=least)
        return (counts[:least] if self.fixed else counts).astype(weights.dtype)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return, for each weight, the gradient of the sum that it went into."""
        x, _, weights = call.inputs
        if weights.spec.size == 0:
            return None, None, None
        sums, places = reshape(dy, (-1,)), reshape(x, (-1,))
        if self.fixed:  # those that are left out have a sum of their own
            none = constant(np.zeros(1, dy.dtype.numpy))
            sums, places = concat([sums, none]), minimum(places, size_at(sums, 0))
        return None, None, reshape_like(take(sums, places, axis=0), weights)


def _countable(x: TensorSpec) -> None:
    if not x.dtype.is_integer:
        raise DTypeError(f"bincount counts integers, not {x.dtype!r}")


class TopKResult(NamedTuple):
    """What `top_k` returns."""

    values: Tensor
    indices: Tensor


def sort(
    x: TensorLike,
    /,
    *,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,  # noqa: ARG001  it always is
) -> Tensor:
    """Return the elements of `x` sorted along `axis`; NaN counts as the greatest.

    >>> print(tl.sort([3, 1, 2], descending=True))
    [3 2 1]
    """
    return call(Sort(axis, descending), _sortable(x, "sort"))


def argsort(
    x: TensorLike,
    /,
    *,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,  # noqa: ARG001  it always is
) -> Tensor:
    """Return where the elements of the sorted `x` stand in `x`, as int64.

    The order is always stable: equal elements stay as they stand, descending too.

    >>> print(tl.argsort([3, 1, 2]))
    [1 2 0]
    """
    return call(ArgSort(axis, descending), _sortable(x, "argsort"))


def top_k(x: TensorLike, /, k: int | Tensor, *, sorted: bool = True) -> TopKResult:
    """Return the `k` greatest elements along the last axis, descending, and their places.

    The places are int32. Raises ShapeError when there are fewer than `k` (TensorFlow's TopKV2).

    >>> values, places = tl.top_k([3.0, 1.0, 2.0], k=2)
    >>> print(values, places)
    [3. 2.] [0 2]
    """
    whole(k, "top_k: k", least=0)
    return TopKResult(*calls(TopKV2(sorted), _sortable(x, "top_k"), k))


def searchsorted(
    x1: TensorLike,
    x2: TensorLike,
    /,
    *,
    side: Side = "left",
    sorter: TensorLike | None = None,
) -> Tensor:
    """Return where the elements of `x2` belong in the sorted vector `x1`, as int64.

    Before equal elements for side "left", after them for "right". `sorter` sorts `x1`, if it is
    not sorted. Of more axes than one each row has its own values, as TensorFlow has it.

    >>> print(tl.searchsorted([1, 3, 5], [0, 3, 9]))
    [0 1 3]
    """
    if side not in ("left", "right"):
        raise InvalidArgumentError(
            f"searchsorted: side={side!r}; allowed: 'left', 'right'"
        )
    vector, values = promoted(x1, x2)
    _ordered(vector.spec, "searchsorted")
    if sorter is not None:
        vector = take(vector, sorter, axis=0)
    op = LowerBound() if side == "left" else UpperBound()
    if vector.spec.rank in (1, 2, None):
        return call(op, vector, values)
    rows, sought = (reshape(x, (-1, size_at(x, -1))) for x in (vector, values))
    return reshape_like(call(op, rows, sought), values)


def nonzero(x: TensorLike, /) -> tuple[Tensor, ...]:
    """Return where `x` is not zero: one vector of int64 per axis, in row-major order.

    >>> rows, columns = tl.nonzero([[0, 1], [2, 0]])
    >>> print(rows, columns)
    [0 1] [1 0]
    """
    tensor = to_tensor(x)
    if tensor.ndim == 0:
        raise ShapeError(
            "nonzero takes 1 axis or more; reshape a 0-d tensor to (1,) first"
        )
    return unstack_known(call(Where(), tensor), tensor.ndim, axis=1)


def in_top_k(targets: TensorLike, predictions: TensorLike, k: int | Tensor) -> Tensor:
    """Return whether the prediction for each target class is among the `k` greatest of its row.

    >>> print(tl.in_top_k([0, 1], [[0.9, 0.1], [0.8, 0.2]], k=1))
    [ True False]
    """
    wanted = to_tensor(targets)
    count = constant(np.asarray(k, wanted.dtype.numpy)) if isinstance(k, int) else k
    return call(InTopKV2(), predictions, wanted, count)


def bincount(
    x: TensorLike, /, weights: TensorLike | None = None, minlength: int | Tensor = 0
) -> Tensor:
    """Return how often each integer from 0 on is in `x`, or the sums of the weights beside it.

    Counts are int32. Raises InvalidArgumentError for negative integers.

    >>> print(tl.bincount([1, 1, 3]))
    [0 2 0 1]
    """
    beside = constant(np.zeros(0, np.int32)) if weights is None else weights
    tensor = to_tensor(x)
    _countable(tensor.spec)
    return call(Bincount(), tensor, minlength, beside)
