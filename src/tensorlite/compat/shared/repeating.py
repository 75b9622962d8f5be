"""tf.repeat, in graphs by the nodes of TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted, deferring, named
from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    rank,
    reshape,
    shape,
)
from tensorlite.compat.shared.cutting import broadcast_to, tile
from tensorlite.compat.shared.elementwise import maximum
from tensorlite.compat.shared.masks import boolean_mask, sequence_mask
from tensorlite.compat.shared.reductions import reduce_max
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import int32
from tensorlite.graph_mode.graph import active_graph, titled
from tensorlite.ops.arrays.shape import Cast


@deferring
def repeat(
    input: Any, repeats: Any, axis: int | None = None, name: str | None = None
) -> Any:
    """Return each element repeated along an axis, as often as one or as many numbers say.

    Without an axis the tensor is flattened before.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.repeat([1, 2], [2, 1]).numpy().tolist()
    [1, 1, 2]
    """
    if active_graph() is None:
        return tl.repeat(converted(input), converted(repeats), axis=axis)
    x = reshape(input, [-1]) if axis is None else input
    return repeat_along(x, repeats, axis or 0, name=name)


@named("Repeat", None)
def repeat_along(x: Any, repeats: Any, axis: int, name: str | None = None) -> Any:
    """Return each element of a tensor of a graph repeated along an axis."""
    rows, often = converted(x, None, "data"), converted(repeats, None, "repeats")
    if rows.spec.rank in (None, 0) or often.spec.rank is None:
        made = tl.repeat(rows, often, axis=axis)
        return titled(made, "Reshape" if axis else "boolean_mask/GatherV2")
    count = in_graph(lambda: call(Cast(int32), often), "Cast")
    sizes = shape(rows)
    along = axis % len(rows.spec.dims)
    if often.spec.shape == (1,) and rows.spec.dims[along] != 1:
        count = reshape(count, [])
    if plain(count).spec.rank == 0:
        return _evenly(rows, often, count, along, sizes)
    return _unevenly(rows, count, along, sizes)


def _evenly(rows: Any, often: Any, count: Any, along: int, sizes: Any) -> Any:
    """Return all elements repeated equally often."""
    made = _joined(_copied(rows, count, along), sizes, along)
    dims = rows.spec.dims
    known, whole = often.spec.constant(), dims[along]
    longer = None
    if known is not None and whole is not None:
        longer = whole * int(np.ravel(known)[0])
    made.set_shape([*dims[:along], longer, *dims[along + 1 :]])
    return made


def _unevenly(rows: Any, count: Any, along: int, sizes: Any) -> Any:
    """Return each element repeated as often as its number says: copies for the greatest, masked."""
    own = plain(count).spec.rank
    if own != along + 1:
        whole, rank_of = shape(count), rank(count)
        outer = sizes[: along + 1 - rank_of]
        count = broadcast_to(count, concat([outer, whole], 0))
        count.set_shape([None] * (along + 1))
    most = maximum(0, reduce_max(count))
    mask = sequence_mask(count, most)
    made = boolean_mask(_copied(rows, most, along), mask)
    if along:
        made = _joined(made, sizes, along)
    dims = rows.spec.dims
    none = 0 if plain(count).spec.dims[0] == 0 else None
    made.set_shape([*dims[:along], none, *dims[along + 1 :]])
    return made


def _copied(rows: Any, count: Any, along: int) -> Any:
    """Return copies of each element along an axis of their own."""
    times = [1] * (len(rows.spec.dims) + 1)
    wide = expand_dims(rows, along + 1)
    return tile(wide, [*times[: along + 1], count, *times[along + 2 :]])


def _joined(made: Any, sizes: Any, along: int) -> Any:
    return reshape(made, concat([sizes[:along], [-1], sizes[along + 1 :]], 0))
