"""Operators that search, match and count, and some of segments and axes: few others do it here.

Those on sparse tensors and tables are in scattering.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import calls, constant
from tensorlite.core.errors import GraphDefError
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import PLAIN, Adapter, Plain
from tensorlite.ops.arrays.arrange import expand_dims, transpose
from tensorlite.ops.arrays.gather import gather, take, unsorted_segment_sum
from tensorlite.ops.arrays.search import argsort, top_k
from tensorlite.ops.arrays.sets import UniqueWithCountsV2
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.math.arithmetic import conj, sum as sum_of
from tensorlite.ops.math.elementwise import sqrt
from tensorlite.ops.nn.pool import MaxPool, depth_of, max_pool_in_depth
from tensorlite.ops.operators import astype
from tensorlite.ops.sparse import segments as sparse_segments
from tensorlite.ops.strings import text


def _unique(given: Given) -> Values:
    """Return distinct slices and their numbers; the counts as well where they are asked for."""
    dtype = given.dtype("out_idx")
    with_counts = given.record.op.startswith("UniqueWithCounts")

    def found(x: Tensor, axis: Tensor | None = None) -> list[Tensor]:
        along = constant(np.zeros(0, np.int64)) if axis is None else axis
        values, *rest = calls(UniqueWithCountsV2(), x, along)
        return [values, *[astype(y, dtype) for y in rest[: 1 + with_counts]]]

    return given.composed(found, *given.tensors)


def _text_of(given: Given, i: int) -> str:
    """Return an input that is one text."""
    value = given.constant(i)
    if value.size != 1:
        raise GraphDefError(f"{given.record}: input {i} should be one text")
    found = value.item()
    return found.decode() if isinstance(found, bytes) else str(found)


def _replaced(given: Given) -> Values:
    pattern, rewrite = _text_of(given, 1), _text_of(given, 2)
    whole = given.typed("replace_global", bool)
    return given.composed(
        lambda x: text.regex_replace(x, pattern, rewrite, whole), given.tensor(0)
    )


def _matched(given: Given) -> Values:
    pattern = _text_of(given, 1)
    return given.composed(
        lambda x: text.regex_full_match(x, pattern), given.tensor(0)
    )


def _flowing(
    share: Callable[[Tensor], Tensor] | None, is_compact: bool = False
) -> Adapter:
    """Return the gradient of sums by segments for the rows that were summed up.

    `share` makes of the number of rows of a segment what its sum was divided by. A compact one has
    those rows only that were taken, whose numbers follow.
    """

    def flows(dy: Tensor, rows: Tensor, ids: Tensor, count: Tensor) -> Any:
        found = sparse_segments.segment_flow(dy, ids, share)
        if not is_compact:
            return unsorted_segment_sum(found, rows, count)
        axis = constant(np.zeros(0, np.int64))
        held, places, _ = calls(UniqueWithCountsV2(), rows, axis)
        order = argsort(held)
        places = gather(astype(argsort(order), rows.dtype), places)
        return unsorted_segment_sum(found, places, shape_of(held)[0]), take(
            held, order, axis=0
        )

    return lambda given: given.composed(flows, *given.tensors)


def _reversed(given: Given) -> Values:
    """Turn the axes round of which a vector of bools says so."""
    turned = [bool(x) for x in given.constant(1).tolist()]
    key = tuple([slice(None, None, -1 if turn else None) for turn in turned])
    return given.composed(lambda x: x[key], given.tensor(0))


def _greatest(given: Given) -> Values:
    """Return the greatest of each window, over images' elements or over channels."""
    if given.record.op == "MaxPool":
        sizes, steps = [given.listed(name, int) for name in ("ksize", "strides")]
    elif not given.is_known(1, 2):
        return Plain("MaxPoolV2")(given)
    else:
        sizes, steps = [tuple(given.constant(i).tolist()) for i in (1, 2)]
    depth = depth_of(sizes, steps, given.typed("data_format", str))
    if depth is not None:
        given.attribute("padding")
        return given.composed(lambda x: max_pool_in_depth(x, depth), given.tensor(0))
    if given.record.op == "MaxPool":
        return PLAIN["MaxPool"](given)
    op = MaxPool(
        sizes, steps, given.typed("padding", str), given.typed("data_format", str)
    )
    return given.made(op, given.tensor(0))


def _nearest(given: Given) -> Values:
    """Return the nearest centres of each point, and the squares of their distances."""
    most = int(given.constant(2))

    def nearest(points: Tensor, centres: Tensor) -> tuple[Tensor, Tensor]:
        apart = expand_dims(points, axis=1) - expand_dims(centres, axis=0)
        squares = sum_of(apart * apart, axis=2)
        found, places = top_k(-squares, min(most, centres.shape[0]))
        return astype(places, dtypes.int64), -found

    return given.composed(nearest, *given.tensors[:2])


MATCHING: dict[str, Adapter] = {
    "ConjugateTranspose": lambda given: given.composed(
        lambda x, axes: conj(transpose(x, axes)), *given.tensors
    ),
    "MaxPool": _greatest,
    "MaxPoolV2": _greatest,
    "NearestNeighbors": _nearest,
    "RegexFullMatch": _matched,
    "RegexReplace": _replaced,
    "Reverse": _reversed,
    "ScatterNdNonAliasingAdd": Plain("TensorScatterAdd").__call__,
    "SparseSegmentSumGrad": _flowing(None),
    "SparseSegmentMeanGradV2": _flowing(lambda held: held, is_compact=True),
    "SparseSegmentSqrtNGradV2": _flowing(sqrt, is_compact=True),
    "SparseSegmentSumGradV2": _flowing(None, is_compact=True),
    "UniqueV2": _unique,
    "UniqueWithCountsV2": _unique,
}
