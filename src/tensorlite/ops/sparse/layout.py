"""The operators that lay sparse elements out: in a dense tensor, and in another shape.

The functions of tl.sparse are in dense.py and arrange.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.arrays.gather import gather_nd
from tensorlite.ops.arrays.shape import reshape
from tensorlite.ops.math.arithmetic import sum as sum_of

__all__: list[str] = []


class SparseToDense(Op):
    """A dense tensor with values at places, which are a matrix, a vector or one number."""

    validate_indices: bool = True
    """Whether places out of order, and those that come twice, are refused."""
    host = (0, 1)

    def infer(
        self,
        indices: TensorSpec,
        shape: TensorSpec,
        values: TensorSpec,
        default: TensorSpec,
    ) -> TensorSpec:
        """Return the shape that is asked for."""
        if shape.rank not in (1, None):
            raise ShapeError(
                f"{self.name}: output_shape should be a vector: Shape must be rank 1, "
                f"not {shape.rank}"
            )
        rank = None if shape.shape is None else shape.shape[0]
        known = (None,) * rank if isinstance(rank, int) else None
        return TensorSpec(shape.vector() or known, values.dtype)

    def kernel(
        self, xp: Xp, indices: Array, shape: Array, values: Array, default: Array
    ) -> Array:
        """Return the tensor; InvalidArgumentError for places that are not there."""
        if shape.ndim != 1:
            raise ShapeError(
                f"{self.name}: output_shape should be a vector, not of shape {shape.shape}"
            )
        places = indices if indices.ndim == 2 else indices.reshape(-1, 1)
        sizes = tuple(shape.tolist())
        self._check(places, sizes, values, default)
        found = xp.empty(sizes, values.dtype)
        found[...] = default
        found[tuple([xp.asarray(x) for x in places.T])] = values
        return found

    def _check(
        self, places: Any, sizes: tuple[int, ...], values: Array, default: Array
    ) -> None:
        count, depth = places.shape
        if depth != len(sizes):
            raise InvalidArgumentError(
                f"{self.name}: places have {depth} numbers, and the output {len(sizes)} axes"
            )
        if values.ndim and values.shape != (count,):
            raise InvalidArgumentError(
                f"sparse_values has incorrect shape {_listed(values.shape)}, should be [] or "
                f"[{count}]"
            )
        if default.ndim:
            raise InvalidArgumentError(
                f"default_value should be a scalar, and has shape {_listed(default.shape)}"
            )
        if self.validate_indices:
            check_places(places, sizes)
        else:
            _check_within(places, sizes)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient at the places, and what is left of it."""
        indices, _, values, _ = call.inputs
        places = indices
        if indices.spec.rank in (0, 1):
            places = reshape(indices, (-1, 1))
        at_places = gather_nd(dy, places)
        kept = sum_of(at_places)
        return None, None, at_places if values.ndim else kept, sum_of(dy) - kept


def check_places(places: Any, sizes: Sequence[int]) -> None:
    """Raise InvalidArgumentError for places outside of a shape, out of order, or that repeat."""
    _check_within(places, sizes)
    _check_order(places)


def _listed(shape: Sequence[int]) -> str:
    return f"[{','.join(map(str, shape))}]"


def _check_within(places: Any, sizes: Sequence[int]) -> None:
    """Raise the error for the first place that is outside."""
    outside = ((places < 0) | (places >= np.asarray(sizes))).any(axis=1)
    if outside.any():
        first = int(outside.argmax())
        raise InvalidArgumentError(
            f"indices[{first}] = {_listed(tuple(places[first]))} is out of bounds: need "
            f"0 <= index < {_listed(sizes)}"
        )


def _check_order(places: Any) -> None:
    """Raise the error for the first place that does not stand behind the one before it."""
    steps = np.diff(places, axis=0)
    moved = steps != 0
    ahead = np.take_along_axis(steps, moved.argmax(axis=1)[:, None], axis=1)[:, 0]
    wrong = ahead <= 0
    if wrong.any():
        first = int(wrong.argmax()) + 1
        said = "is out of order" if ahead[first - 1] else "is repeated"
        raise InvalidArgumentError(
            f"indices[{first}] = {_listed(tuple(places[first]))} {said}; sort places by "
            "tl.sparse.reorder, or do not have them validated"
        )


class SparseReshape(Op):
    """The places of elements in another shape, of which one size may be -1, and that shape."""

    differentiable = False
    host = (0, 1, 2)

    def infer(
        self, indices: TensorSpec, shape: TensorSpec, new_shape: TensorSpec
    ) -> tuple[TensorSpec, TensorSpec]:
        """Return the specs; ShapeError when the numbers of elements differ."""
        count = None if indices.shape is None else indices.shape[0]
        rank = None if new_shape.shape is None else new_shape.shape[0]
        known = self._resolved(shape.vector(), new_shape.vector())
        return (
            TensorSpec((count, rank), dtypes.int64),
            TensorSpec((rank,), dtypes.int64, known=known),
        )

    def _resolved(self, have: Any, wanted: Any) -> tuple[int, ...] | None:
        """Return the new sizes, if all are known; ShapeError where they do not fit."""
        if have is None or wanted is None or None in have or None in wanted:
            return None
        try:
            return tuple(self.sizes(list(have), list(wanted)))
        except ShapeError as error:
            raise ShapeError(f"Cannot reshape {list(have)}: {error}") from error

    def sizes(self, have: list[int], wanted: list[int]) -> list[int]:
        """Return the new sizes, -1 replaced by what it stands for."""
        total, open_axes = prod(have), [i for i, x in enumerate(wanted) if x == -1]
        if len(open_axes) > 1:
            raise ShapeError(
                f"only one output shape size may be -1, not both {open_axes[0]} and "
                f"{open_axes[1]}"
            )
        if any(x < -1 for x in wanted):
            raise ShapeError(f"{wanted}: sizes are 0 or more, one may be -1")
        rest = prod([x for x in wanted if x != -1])
        if open_axes and (rest == 0 or total % rest):
            raise ShapeError(
                f"Input to reshape is a SparseTensor with {total} dense values, but the "
                f"requested shape requires a multiple of {rest}"
            )
        if not open_axes and rest != total:
            raise ShapeError(
                f"Input to reshape is a tensor with {total} dense values, but the requested "
                f"shape has {rest}"
            )
        return [total // rest if x == -1 else x for x in wanted]

    def kernel(
        self, xp: Xp, indices: Array, shape: Array, new_shape: Array
    ) -> tuple[Array, Array]:
        """Return the places and the shape."""
        have = [int(x) for x in shape]
        sizes = self.sizes(have, [int(x) for x in new_shape])
        made = np.empty((len(indices), len(sizes)), np.int64)
        if len(indices) and sizes:
            numbers = np.ravel_multi_index(to_host(indices).T, have)
            made[:] = np.stack(np.unravel_index(numbers, sizes), axis=1)
        return xp.asarray(made), xp.asarray(np.asarray(sizes, np.int64))


class FittingShape(Op):
    """A shape, held against another one: the same, or no less in any axis."""

    may_grow: bool = False
    free_axis: int = -1
    """An axis whose sizes may differ; -1 is none."""
    differentiable = False
    host = (0, 1)

    def infer(self, shape: TensorSpec, other: TensorSpec) -> TensorSpec:
        """Return the shape's spec; ShapeError where it is known not to fit."""
        first, second = shape.vector(), other.vector()
        if first is not None and second is not None:
            self.check(first, second, ShapeError)
            if None not in second:
                return shape
        return TensorSpec(shape.shape, dtypes.int64)

    def kernel(self, xp: Xp, shape: Array, other: Array) -> Array:
        """Return the shape; InvalidArgumentError where it does not fit."""
        self.check(shape.tolist(), other.tolist(), InvalidArgumentError)
        return shape

    def check(
        self, shape: Sequence[Any], other: Sequence[Any], kind: type[Exception]
    ) -> None:
        """Raise an error of a kind if the sizes that are known do not fit."""
        if len(shape) != len(other):
            raise kind(
                f"Operands do not have the same ranks: {list(shape)} and {list(other)}; "
                "x == y did not hold element-wise"
            )
        pairs = [
            (mine, theirs)
            for i, (mine, theirs) in enumerate(zip(shape, other, strict=True))
            if i != self.free_axis and None not in (mine, theirs)
        ]
        if self.may_grow and any(mine < theirs for mine, theirs in pairs):
            raise kind(
                f"the new shape {list(shape)} should have dimension sizes of {list(other)} or "
                "more; x <= y did not hold element-wise"
            )
        if not self.may_grow and any(mine != theirs for mine, theirs in pairs):
            raise kind(
                f"Operands' shapes do not match: {list(shape)} and {list(other)}. Input shapes "
                "must match" + (" beside the axis" if self.free_axis >= 0 else "")
            )
