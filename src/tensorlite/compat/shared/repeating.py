"""tf.repeat, in graphs by the nodes of TensorFlow where all are repeated equally often."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared.arrays import concat, expand_dims, reshape, shape
from tensorlite.compat.shared.cutting import tile
from tensorlite.compat.views import in_graph
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import int32
from tensorlite.graph_mode.graph import active_graph, titled
from tensorlite.ops.arrays.shape import Cast


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
    return _repeated(input, repeats, axis, name=name)


@named("Repeat", None)
def _repeated(
    input: Any, repeats: Any, axis: int | None, name: str | None = None
) -> Any:
    x, often = converted(input, None, "input"), converted(repeats, None, "repeats")
    if often.spec.rank != 0 or x.spec.rank in (None, 0):
        return _unevenly(x, often, axis)
    count = in_graph(lambda: call(Cast(int32), often), "Cast")
    rows = reshape(x, [-1]) if axis is None else x
    sizes = shape(rows)
    dims = rows.spec.dims
    along = (axis or 0) % len(dims)
    times = [1] * (len(dims) + 1)
    copies = tile(
        expand_dims(rows, along + 1),
        [*times[: along + 1], count, *times[along + 2 :]],
    )
    made = reshape(copies, concat([sizes[:along], [-1], sizes[along + 1 :]], 0))
    known, whole = often.spec.constant(), dims[along]
    longer = None
    if known is not None and whole is not None:
        longer = whole * int(np.ravel(known)[0])
    made.set_shape([*dims[:along], longer, *dims[along + 1 :]])
    return made


def _unevenly(x: Any, often: Any, axis: int | None) -> Any:
    made = tl.repeat(x, often, axis=axis)
    return titled(made, "Reshape" if axis else "boolean_mask/GatherV2")
