"""Cases of sorting, searching and sets."""

from __future__ import annotations

import numpy as np

import tensorlite as tl
from tensorlite.core.dispatch import call, calls
from tensorlite.ops.arrays.approximate import ApproxTopK
from tensorlite.ops.arrays.search import Bincount, Bucketize
from tensorlite.ops.arrays.sets import UniqueWithCountsV2
from tensorlite.ops.composite import composed
from tensorlite.ops.sparse.row_counts import NonNegative
from tests.cases.base import FLOATS, INTS, REALS, OpCase, arrays

MATRIX = arrays((3, 4))
COUNTED = arrays((6,), low=0.0, high=5.0)


def top(x: np.ndarray, k: int) -> list[np.ndarray]:
    """Return the k greatest of each row, and where they are, the first of equals first."""
    order = np.argsort(-x, axis=-1, kind="stable")[..., :k]
    return [np.take_along_axis(x, order, -1), order]


def appearing(x: np.ndarray) -> list[np.ndarray]:
    """Return the distinct elements as they appear, and each element's number."""
    seen = list(dict.fromkeys(x.tolist()))
    return [
        np.asarray(seen, x.dtype),
        np.asarray([seen.index(v) for v in x.tolist()]),
    ]


def slices_appearing(x: np.ndarray, axis: int) -> list[np.ndarray]:
    """Return the distinct slices as they appear, each slice's number, and how many are equal."""
    _, first, numbers, counts = np.unique(
        x, True, True, return_counts=True, axis=axis
    )
    order = np.argsort(first)
    kept = np.take(x, first[order], axis=axis)
    return [kept, np.argsort(order)[numbers.ravel()], counts[order]]


CASES = (
    OpCase("sort", tl.sort, np.sort, arrays((3, 4)), REALS, needs_rank=True),
    OpCase(
        "sort-descending",
        lambda x: tl.sort(x, axis=0, descending=True),
        lambda x: -np.sort(-x, axis=0),
        MATRIX,
        needs_rank=True,
    ),
    OpCase(
        "nth_element",
        lambda x: tl.math.nth_element(x, 1),
        lambda x: np.sort(x)[..., 1],
        MATRIX,
        REALS,
        needs_rank=True,
    ),
    OpCase(
        "nth_element-reverse",
        lambda x: tl.math.nth_element(x, 0, reverse=True),
        lambda x: x.max(axis=-1),
        MATRIX,
        needs_rank=True,
    ),
    OpCase(
        "argsort",
        tl.argsort,
        lambda x: np.argsort(x, kind="stable"),
        MATRIX,
        REALS,
        differentiable=False,
    ),
    OpCase(
        "argsort-descending",
        lambda x: tl.argsort(x, axis=0, descending=True),
        lambda x: np.argsort(-x, axis=0, kind="stable"),
        MATRIX,
        REALS,
        differentiable=False,
    ),
    OpCase(
        "top_k",
        lambda x: tl.top_k(x, 2),
        lambda x: top(x, 2),
        MATRIX,
        REALS,
        needs_rank=True,
    ),
    OpCase(
        "approximate top_k",
        lambda x: composed(ApproxTopK(2, is_max_k=False), x),
        lambda x: [-top(-x, 2)[0], top(-x, 2)[1]],
        MATRIX,
        FLOATS,
        needs_rank=True,
        ops=("ApproxTopK",),
    ),
    *[
        OpCase(
            f"searchsorted-{side}",
            lambda x, y, side=side: tl.searchsorted(tl.sort(x), y, side=side),
            lambda x, y, side=side: np.searchsorted(np.sort(x), y, side=side),
            arrays((5,), (2, 3)),
            REALS,
            differentiable=False,
        )
        for side in ("left", "right")
    ],
    OpCase(
        "bucketize",
        lambda x: call(Bucketize((-1.0, 0.5, 0.5)), x),
        lambda x: sum(x >= end for end in (-1.0, 0.5, 0.5)).astype(np.int32),
        MATRIX,
        REALS,
        differentiable=False,
        ops=("Bucketize",),
    ),
    OpCase(
        "unique",
        tl.unique,
        appearing,
        COUNTED,
        REALS,
        differentiable=False,
        data_dependent=True,
    ),
    *[
        OpCase(
            f"unique-slices-{axis}",
            lambda x, axis=axis: calls(UniqueWithCountsV2(), x, tl.asarray([axis])),
            lambda x, axis=axis: slices_appearing(x, axis),
            arrays((6, 2) if axis == 0 else (1, 2, 6), low=0.0, high=2.0),
            REALS,
            differentiable=False,
            data_dependent=True,
        )
        for axis in (0, -1)
    ],
    OpCase(
        "unique_all",
        tl.unique_all,
        lambda x: np.unique(
            x, return_index=True, return_inverse=True, return_counts=True
        ),
        arrays((2, 3)),
        REALS,
        differentiable=False,
        data_dependent=True,
    ),
    OpCase(
        "unique_counts",
        tl.unique_counts,
        lambda x: np.unique(x, return_counts=True),
        MATRIX,
        INTS,
        differentiable=False,
        data_dependent=True,
    ),
    OpCase(
        "isin",
        lambda x, y: tl.isin(x, y, invert=True),
        lambda x, y: np.isin(x, y, invert=True),
        arrays((2, 3), (2,)),
        REALS,
        differentiable=False,
    ),
    OpCase(
        "nonzero",
        tl.nonzero,
        np.nonzero,
        arrays((2, 3)),
        (tl.bool, *INTS),
        differentiable=False,
        needs_rank=True,
        data_dependent=True,
    ),
    OpCase(
        "in_top_k",
        lambda x: tl.in_top_k([3, 0, -1], x, k=2),
        lambda x: np.sum(x > x[[0, 1, 2], [3, 0, 0]][:, None], axis=1) < [2, 2, 0],
        MATRIX,
        FLOATS,
        differentiable=False,
    ),
    OpCase(
        "bincount",
        lambda x: tl.bincount(x, minlength=3),
        lambda x: np.bincount(x, minlength=3),
        COUNTED,
        INTS,
        differentiable=False,
        data_dependent=True,
    ),
    OpCase(
        "bincount-of-a-size",
        lambda x: call(Bincount(True), np.array([1, 1, 3, 0]), 3, x),
        lambda x: np.array([x[3], x[0] + x[1], 0 * x[2]]),
        arrays((4,)),
    ),
    OpCase(
        "bincount-weights",
        lambda x: tl.bincount([1, 1, 3], x),
        lambda x: np.bincount([1, 1, 3], x),
        arrays((3,)),
        FLOATS,
        data_dependent=True,
    ),
    OpCase(
        "non-negative",
        lambda x: call(NonNegative(), x),
        lambda x: x,
        COUNTED,
        INTS,
        differentiable=False,
    ),
)
