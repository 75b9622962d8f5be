"""Rows of labels as connectionist temporal classification takes them: without runs, each once."""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.create import ones_like
from tensorlite.ops.arrays.gather import size_at
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.masks import boolean_mask
from tensorlite.ops.arrays.repeat import pad, sequence_mask
from tensorlite.ops.arrays.sets import unique
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.control.functional import map_fn
from tensorlite.ops.math.arithmetic import sum as sum_of
from tensorlite.ops.math.compare import logical_and
from tensorlite.ops.ragged.making import from_row_lengths
from tensorlite.ops.ragged.tensor import RaggedTensor

__all__ = ["collapse_repeated", "unique_labels"]


def collapse_repeated(labels: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Return the first of each run of equal labels in each row, and how many those are.

    Only so many labels of a row count as its length says; behind those that are left are zeros.
    """
    first = ones_like(labels[:, :1], dtype=dtypes.bool_)
    begins = concat([first, labels[:, 1:] != labels[:, :-1]], axis=1)
    kept = logical_and(begins, sequence_mask(lengths, maxlen=size_at(labels, 1)))
    counts = sum_of(astype(kept, dtypes.int32), axis=1)
    values = boolean_mask(labels, kept)
    rows = from_row_lengths(RaggedTensor, values, counts, validate=False)
    return rows.to_tensor(), astype(counts, lengths.dtype)


def unique_labels(labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return each row's labels once, int64 with zeros behind, and which of them each label is."""

    def once(row: Tensor) -> tuple[Tensor, Tensor]:
        values, numbers = unique(row)
        missing = size_at(row, 0) - size_at(values, 0)
        filled = pad(values, stack([stack([missing * 0, missing])]))
        filled.set_shape(row.spec.dims)
        return astype(filled, dtypes.int64), numbers

    made: tuple[Tensor, Tensor] = map_fn(once, labels)
    return made
