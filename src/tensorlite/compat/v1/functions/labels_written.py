"""Labels of sequences, collapsed or listed once: nodes and names are those of TensorFlow 1.

What runs at once stands in shared/nn_labels.py.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import nn_labels
from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    range as numbers,
    reshape,
)
from tensorlite.compat.shared.elementwise import cast, logical_and, not_equal
from tensorlite.compat.shared.masks import sequence_mask
from tensorlite.compat.shared.padding import pad
from tensorlite.compat.shared.picking import scatter_nd, unique
from tensorlite.compat.v1.functions.arrays import boolean_mask, ones_like, shape
from tensorlite.compat.v1.functions.control_flow import map_fn
from tensorlite.compat.v1.functions.numbers import reduce_max, reduce_sum
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.core.dtypes import bool_ as truth, int32, int64
from tensorlite.graph_mode.graph import active_graph, name_scope


def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> Any:
    """Return rows of labels with one for each run of equal ones, and how many are left."""
    if active_graph() is None:
        return nn_labels.collapse_repeated(labels, seq_length, name)
    with name_scope(name, "collapse_repeated_labels"):
        labels = convert_to_tensor(labels, name="labels")
        lengths = convert_to_tensor(seq_length, name="seq_length")
        begun = ones_like(labels[:, :1], truth)
        first = concat([begun, not_equal(labels[:, 1:], labels[:, :-1])], axis=1)
        kept = logical_and(first, sequence_mask(lengths, maxlen=_size(labels, 1)))
        left = reduce_sum(cast(kept, int32), axis=1)
        longest = reduce_max(left)
        filled = sequence_mask(left, maxlen=longest)
        labels_flat, kept_flat, flat = [
            reshape(x, [-1]) for x in (labels, kept, filled)
        ]
        places = boolean_mask(numbers(_size(flat, 0)), flat)
        put = scatter_nd(
            expand_dims(places, axis=1),
            boolean_mask(labels_flat, kept_flat),
            shape(flat),
        )
        rows = reshape(put, [_size(labels, 0), longest])
        return rows, cast(left, lengths.dtype)


def ctc_unique_labels(labels: Any, name: str | None = None) -> Any:
    """Return each row's labels once, filled up with zeros, and for each which of them it is."""
    if active_graph() is None:
        return nn_labels.ctc_unique_labels(labels, name)
    with name_scope(name, "ctc_unique_labels"):
        return map_fn(
            _once, convert_to_tensor(labels, name="labels"), dtype=[int64, int32]
        )


def _once(row: Any) -> Any:
    found, places = unique(row)
    filled = pad(found, [[0, _size(places, 0) - _size(found, 0)]])
    return [cast(filled, int64), places]


def _size(x: Any, axis: int) -> Any:
    """Return the size of an axis: a number, if it is known."""
    known = x.get_shape().as_list()[axis]
    return shape(x)[axis] if known is None else known
