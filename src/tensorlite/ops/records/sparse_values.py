"""Sparse tensors of any number out of what SerializeSparse made of them: strings, or values.

Values are the parts themselves, three in a row, as datasets and lists of graphs hold them. What
makes strings and values of sparse tensors is in tensor_bytes.py.
"""

from __future__ import annotations

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.records.tensor_bytes import Part, part_of

__all__: list[str] = []

_PARTS = 3
"""Indices, values and shape."""


class DeserializeSparse(Op):
    """The sparse tensor whose rows are those that stand in a tensor, by its axes.

    One alone, a vector of three, has no axis more than it had.
    """

    differentiable = False
    dtype: DType
    Tserialized: DType = dtypes.string

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, TensorSpec, TensorSpec]:
        """Return the specs of indices, values and shape; DTypeError for what is no such tensor."""
        last = x.shape[-1] if x.shape else None
        known = x.shape is None or (len(x.shape) > 0 and last in (None, _PARTS))
        if x.dtype is not self.Tserialized or not known:
            raise DTypeError(
                f"{self.name} takes sparse tensors of dtype {self.Tserialized.name}, three along "
                f"the last axis, not {x}"
            )
        return (
            TensorSpec((None, None), dtypes.int64),
            TensorSpec((None,), self.dtype),
            TensorSpec((None,), dtypes.int64),
        )

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, Array, Array]:
        """Return the parts; InvalidArgumentError for what is no sparse tensor of the dtype."""
        outer = x.shape[:-1]
        if not x.ndim or x.shape[-1] != _PARTS:
            raise InvalidArgumentError(
                f"{self.name}: a tensor of shape {x.shape}; its last axis must be of size 3"
            )
        kinds = (dtypes.int64, self.dtype, dtypes.int64)
        ones = [
            [
                part_of(held, kind, f"serialized_sparse[{i}]")
                for held, kind in zip(row, kinds, strict=True)
            ]
            for i, row in enumerate(x.reshape(-1, _PARTS).tolist())
        ]
        _check_ranks(ones)
        if not outer:
            return tuple(ones[0])
        return self._stacked(outer, ones)

    def _stacked(
        self, outer: tuple[int, ...], ones: list[list[Array]]
    ) -> tuple[Array, Array, Array]:
        """Return sparse tensors as rows of one, which is as large as the largest of them."""
        if not ones:
            empty = np.zeros((0, len(outer)), np.int64), np.zeros(0, self.dtype.numpy)
            return *empty, np.asarray(outer, np.int64)
        places = [
            np.concatenate(
                [np.broadcast_to(at, (len(one[0]), len(outer))), one[0]], 1
            )
            for at, one in zip(np.ndindex(outer), ones, strict=True)
        ]
        sizes = np.max([one[2] for one in ones], axis=0)
        return (
            np.concatenate(places).astype(np.int64),
            np.concatenate([one[1] for one in ones]),
            np.concatenate([np.asarray(outer, np.int64), sizes]),
        )


def _check_ranks(ones: list[list[Array]]) -> None:
    """Raise InvalidArgumentError for sparse tensors of several ranks, or parts that do not fit."""
    ranks = {(places.ndim, len(sizes)) for places, _, sizes in ones}
    fit = all(
        places.ndim == 2
        and places.shape[1] == len(sizes)
        and len(places) == len(values)
        for places, values, sizes in ones
    )
    if len(ranks) > 1 or not fit:
        raise InvalidArgumentError(
            "Inconsistent rank across SparseTensors: there are ranks "
            f"{sorted({len(one[2]) for one in ones})}, and indices of shapes "
            f"{sorted({one[0].shape for one in ones})}"
        )


def values_of(parts: list[Array]) -> Array:
    """Return the parts of a sparse tensor as a vector of three values."""
    made: Array = np.empty(_PARTS, object)
    made[:] = [Part(part) for part in parts]
    return made
