"""Sparse tensors that are kept under numbers, so that queues of numbers can hold them.

They lie in a map by name, in the container of whoever runs, until they are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from threading import Lock

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.containers import current_container
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Effect, Op
from tensorlite.core.opaque import Resource
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp, to_host

Parts = tuple[Array, Array, Array]


class SparseTensorsMap(Resource):
    """Sparse tensors by numbers."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()
        self._numbers = count()
        self._held: dict[int, Parts] = {}

    @property
    def spec(self) -> TensorSpec:
        """The spec of a handle of all of them."""
        return TensorSpec((), dtypes.resource)

    def put(self, parts: Parts) -> int:
        """Keep a sparse tensor, and return its number."""
        with self._lock:
            number = next(self._numbers)
            self._held[number] = parts
        return number

    def take(self, number: int) -> Parts:
        """Return a sparse tensor, which is not kept any more; InvalidArgumentError for none."""
        with self._lock:
            found = self._held.pop(number, None)
        if found is None:
            raise InvalidArgumentError(
                f"no sparse tensor is kept as {number}: it was taken, or another map has it; give "
                "what takes the shared_name of what put it there"
            )
        return found


class _OfMap(Op, abstract=True):
    """What works on a map of sparse tensors."""

    effect = Effect.IO
    differentiable = False
    container: str = ""
    shared_name: str = ""

    def map(self) -> SparseTensorsMap:
        """Return the map of the name, made if it is not there."""
        found = current_container.get().shared(
            self.shared_name,
            "a map of sparse tensors",
            SparseTensorsMap,
            self.container,
        )
        assert isinstance(found, SparseTensorsMap)
        return found


class AddSparseToTensorsMap(_OfMap):
    """Keeps a sparse tensor, and gives its number."""

    def infer(
        self, indices: TensorSpec, values: TensorSpec, shape: TensorSpec
    ) -> TensorSpec:
        """Return one number."""
        return TensorSpec((), dtypes.int64)

    def kernel(self, xp: Xp, indices: Array, values: Array, shape: Array) -> Array:
        """Return the number."""
        return np.asarray(self.map().put((indices, values, to_host(shape))), np.int64)


class AddManySparseToTensorsMap(_OfMap):
    """Keeps the parts of a sparse tensor along its first axis, and gives their numbers."""

    def infer(
        self, indices: TensorSpec, values: TensorSpec, shape: TensorSpec
    ) -> TensorSpec:
        """Return a number for each part; ShapeError for sparse tensors of one axis."""
        known = shape.vector()
        if known is not None and len(known) < 2:
            raise ShapeError(
                f"{self.name}: the sparse tensor has {len(known)} axes; it needs 2 at least"
            )
        return TensorSpec((known[0] if known else None,), dtypes.int64)

    def kernel(self, xp: Xp, indices: Array, values: Array, shape: Array) -> Array:
        """Return the numbers."""
        sizes, kept = to_host(shape), self.map()
        numbers = []
        for row in range(int(sizes[0])):
            own = indices[:, 0] == row
            numbers.append(kept.put((indices[own, 1:], values[own], sizes[1:])))
        return np.asarray(numbers, np.int64)


class TakeManySparseFromTensorsMap(_OfMap):
    """Sparse tensors by their numbers, joined along a new first axis; they are kept no more."""

    dtype: DType = dtypes.float32

    def infer(self, handles: TensorSpec) -> tuple[TensorSpec, TensorSpec, TensorSpec]:
        """Return the specs of indices, values and shape."""
        return (
            TensorSpec((None, None), dtypes.int64),
            TensorSpec((None,), self.dtype),
            TensorSpec((None,), dtypes.int64),
        )

    def kernel(self, xp: Xp, handles: Array) -> Parts:
        """Return the parts; InvalidArgumentError where ranks differ."""
        kept = self.map()
        taken = [kept.take(int(number)) for number in handles.tolist()]
        return self._joined(taken)

    def _joined(self, taken: Sequence[Parts]) -> Parts:
        ranks = {len(shape) for _, _, shape in taken}
        if len(ranks) != 1:
            raise InvalidArgumentError(
                f"{self.name}: the sparse tensors have {sorted(ranks)} axes; allowed are some of "
                "one rank"
            )
        places = [
            np.insert(to_host(indices), 0, row, axis=1)
            for row, (indices, _, _) in enumerate(taken)
        ]
        sizes = np.max([shape for _, _, shape in taken], axis=0)
        values = np.concatenate([values for _, values, _ in taken])
        return np.concatenate(places), values, np.insert(sizes, 0, len(taken))
