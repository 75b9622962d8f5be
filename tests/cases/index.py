"""Cases of indexing, gathering, scattering, segments and partitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

import tensorlite as tl
from tensorlite.core.dispatch import call
from tensorlite.ops.arrays.partition import ParallelDynamicStitch
from tests.cases.base import REALS, Arrays, OpCase, arrays, fill

Key = Any
MASK = np.array([[True, False, True], [False, False, True]])
KEYS: dict[str, Key] = {
    "int": 1,
    "negative-ints": (-1, ..., -2),
    "slices": (slice(None), slice(-1, None, -2), slice(1, 9)),
    "empty-slice": slice(2, 0),
    "new-axes": (None, 0, ..., None, slice(0, 4, 3)),
    "array": (slice(None), [2, -1, 2]),
    "matrix": [[0, 1], [1, 1]],
    "arrays": ([[0], [1]], slice(1, 3), [0, 3]),
    "adjacent-arrays": (slice(None), [0, 2], [[1], [3]]),
    "int-and-array": (1, slice(None), [0, 0, 2]),
    "no-index": [],
    "mask": MASK,
    "mask-and-int": (MASK, 2),
    "mask-of-an-axis": (slice(None), MASK[0], ..., None),
    "bool": True,
}
WHOLE = (2, 3, 4)


def getting(key: Key) -> Callable[[Any], Any]:
    return lambda x: x[key]


def setting(key: Key) -> Callable[[Any, Any], Any]:
    return lambda x, v: tl.set_item(x, key, v)


def set_by_numpy(key: Key) -> Callable[[Any, Any], Any]:
    def put(x: Any, v: Any) -> Any:
        out = x.copy()
        out[key] = v
        return out

    return put


def has_arrays(name: str) -> bool:
    return any(
        word in name for word in ("arra", "matrix", "mask", "bool", "no-index")
    )


def part(key: Key) -> tuple[int, ...]:
    """Return the shape of what a key selects, less its first axis: values are stretched to it."""
    shape: tuple[int, ...] = np.zeros(WHOLE)[key].shape[1:]
    return shape


GETS = tuple(
    OpCase(
        f"getitem-{name}",
        getting(key),
        getting(key),
        arrays(WHOLE),
        REALS,
        needs_rank=has_arrays(name),
        data_dependent="mask" in name or name == "bool",
        ops=() if has_arrays(name) else ("StridedSliceGrad",),
    )
    for name, key in KEYS.items()
)
SETS = tuple(
    OpCase(
        f"setitem-{name}",
        setting(key),
        set_by_numpy(key),
        arrays(WHOLE, part(key)),
        REALS,
        needs_rank=has_arrays(name),
    )
    for name, key in KEYS.items()
)


def with_indices(
    shape: tuple[int, ...], *places: Any, low: float = -2.0, high: float = 2.0
) -> Callable[[tl.DType], st.SearchStrategy[Arrays]]:
    """Return a drawing of one operand, and one of the given index arrays."""

    def draw(dtype: tl.DType) -> st.SearchStrategy[Arrays]:
        return st.tuples(st.integers(0, 2**32 - 1), st.sampled_from(places)).map(
            lambda pair: (
                fill(np.random.default_rng(pair[0]), shape, dtype, low, high),
                np.asarray(pair[1], np.int32),
            )
        )

    return draw


def distinct(
    shape: tuple[int, ...], places: list[Any], updates: tuple[int, ...]
) -> Callable[[tl.DType], st.SearchStrategy[Arrays]]:
    """Return a drawing of a tensor, indices and updates in which no two elements are close."""

    def draw(dtype: tl.DType) -> st.SearchStrategy[Arrays]:
        return st.integers(0, 2**32 - 1).map(lambda seed: _apart(seed, dtype))

    def _apart(seed: int, dtype: tl.DType) -> Arrays:
        count = int(np.prod(shape)), int(np.prod(updates))
        numbers = np.random.default_rng(seed).permutation(np.sum(count)) - 3
        scaled = (numbers if dtype.is_integer else numbers * 0.25).astype(dtype.numpy)
        first, second = np.split(scaled, [count[0]])
        return (
            first.reshape(shape),
            np.asarray(places, np.int32),
            second.reshape(updates),
        )

    return draw


def apart(
    shape: tuple[int, ...], places: list[Any]
) -> Callable[[tl.DType], st.SearchStrategy[Arrays]]:
    """Return a drawing of data in which no two elements are close, and segment numbers."""
    both = distinct(shape, places, ())
    return lambda dtype: both(dtype).map(lambda drawn: drawn[:2])


def scattered(ufunc: str) -> Callable[..., Any]:
    def put(x: Any, indices: Any, updates: Any) -> Any:
        out = x.copy()
        key = tuple(np.moveaxis(indices, -1, 0))
        if ufunc == "update":
            out[key] = updates
        else:
            getattr(np, ufunc).at(out, key, updates)
        return out

    return put


def in_segments(
    reduce: Callable[..., Any], empty: Any, count: int | None
) -> Callable[..., Any]:
    """Return a reduction of the slices of each segment, `empty` where there are none."""

    def reference(data: Any, ids: Any) -> Any:
        total = (int(ids.max()) + 1 if ids.size else 0) if count is None else count
        inner = data.shape[ids.ndim :]
        rows = [
            reduce(data[ids == i])
            if (ids == i).any()
            else np.full(inner, empty, data.dtype)
            for i in range(total)
        ]
        return np.array(rows, data.dtype).reshape(total, *inner)

    return reference


def total(x: Any) -> Any:
    return np.sum(x, axis=0)


SORTED = ([0, 0, 2, 2, 2], [0, 1, 2, 3, 4], [1, 1, 1, 1, 1])
MIXED = ([2, 0, 2, -1, 0], [3, 3, 3, 3, 3], [-1, -1, -1, -1, -1])
SEGMENTS = (
    OpCase(
        "segment_sum",
        tl.segment_sum,
        in_segments(total, 0, None),
        with_indices((5, 2), *SORTED),
        REALS,
        data_dependent=True,
    ),
    OpCase(
        "segment_mean",
        tl.segment_mean,
        in_segments(lambda x: np.mean(x, axis=0), 0, None),
        with_indices((5, 2), *SORTED),
        needs_rank=True,
        data_dependent=True,
    ),
    OpCase(
        "segment_max",
        tl.segment_max,
        in_segments(lambda x: np.max(x, axis=0), 0, None),
        apart((5, 2), SORTED[0]),
        REALS,
        data_dependent=True,
    ),
    OpCase(
        "segment_min",
        tl.segment_min,
        in_segments(lambda x: np.min(x, axis=0), 0, None),
        apart((5, 2), SORTED[0]),
        REALS,
        data_dependent=True,
    ),
    OpCase(
        "segment_prod",
        tl.segment_prod,
        in_segments(lambda x: np.prod(x, axis=0), 1, None),
        with_indices((5, 2), *SORTED, low=0.5),
        REALS,
        needs_rank=True,
        data_dependent=True,
    ),
    OpCase(
        "unsorted_segment_sum",
        lambda x, i: tl.unsorted_segment_sum(x, i, 4),
        in_segments(total, 0, 4),
        with_indices((5, 2), *MIXED),
        REALS,
        needs_rank=True,
    ),
    OpCase(
        "unsorted_segment_sum-of-matrices-of-numbers",
        lambda x, i: tl.unsorted_segment_sum(x, i, 3),
        in_segments(total, 0, 3),
        with_indices((2, 2, 0), [[0, 1], [2, 0]]),
        needs_rank=True,
    ),
    OpCase(
        "unsorted_segment_mean",
        lambda x, i: tl.unsorted_segment_mean(x, i, 4),
        in_segments(lambda x: np.mean(x, axis=0), 0, 4),
        with_indices((5, 2), *MIXED),
        needs_rank=True,
    ),
    OpCase(
        "unsorted_segment_sqrt_n",
        lambda x, i: tl.unsorted_segment_sqrt_n(x, i, 4),
        in_segments(lambda x: np.sum(x, axis=0) / np.sqrt(len(x)), 0, 4),
        with_indices((5, 2), *MIXED),
        needs_rank=True,
    ),
    OpCase(
        "unsorted_segment_max",
        lambda x, i: tl.unsorted_segment_max(x, i, 3),
        in_segments(lambda x: np.max(x, axis=0), None, 3),
        apart((6, 2), [2, 0, 2, -1, 0, 1]),
        REALS,
        needs_rank=True,
    ),
    OpCase(
        "unsorted_segment_min",
        lambda x, i: tl.unsorted_segment_min(x, i, 3),
        in_segments(lambda x: np.min(x, axis=0), None, 3),
        apart((6, 2), [2, 0, 2, -1, 0, 1]),
        REALS,
        needs_rank=True,
    ),
    OpCase(
        "unsorted_segment_prod",
        lambda x, i: tl.unsorted_segment_prod(x, i, 4),
        in_segments(lambda x: np.prod(x, axis=0), 1, 4),
        with_indices((5, 2), *MIXED, low=0.5),
        REALS,
        needs_rank=True,
    ),
)
GATHERS = (
    OpCase(
        "gather",
        tl.gather,
        lambda x, i: x[i],
        with_indices((3, 2), [2, 0, 2], [[1], [1]], [], 2),
        REALS,
    ),
    OpCase(
        "gather-along-an-axis",
        lambda x, i: tl.gather(x, i, axis=-1),
        lambda x, i: np.take(x, i, axis=-1),
        with_indices((2, 3), [2, 0, 2], [[1], [1]], [], 2),
        REALS,
        needs_rank=True,
    ),
    OpCase(
        "gather-in-batches",
        lambda x, i: tl.gather(x, i, axis=2, batch_dims=1),
        lambda x, i: np.stack(
            [np.take(a, b, axis=1) for a, b in zip(x, i, strict=True)]
        ),
        with_indices((2, 2, 3), [[2, 0, 2], [1, 1, 0]], [[[0]], [[2]]]),
        REALS,
        needs_rank=True,
    ),
    OpCase(
        "take",
        lambda x, i: tl.take(x, i, axis=1),
        lambda x, i: np.take(x, i, axis=1),
        with_indices((2, 3), [-1, 0], []),
        REALS,
        needs_rank=True,
    ),
    OpCase(
        "take_along_axis",
        lambda x, i: tl.take_along_axis(x, i, axis=0),
        lambda x, i: np.take_along_axis(x, i, axis=0),
        with_indices((3, 2), [[-1, 0], [1, 1]], [[0, 2]]),
        REALS,
        needs_rank=True,
    ),
    OpCase(
        "gather_nd",
        tl.gather_nd,
        lambda x, i: x[tuple(np.moveaxis(i, -1, 0))],
        with_indices((2, 3, 2), [[1, 2], [0, 0], [1, 2]], [[[1], [1]]], [1, 2, 0]),
        REALS,
    ),
    OpCase(
        "gather_nd-in-batches",
        lambda x, i: tl.gather_nd(x, i, batch_dims=1),
        lambda x, i: np.stack([a[tuple(b.T)] for a, b in zip(x, i, strict=True)]),
        with_indices(
            (2, 3, 2), [[[1], [0], [1]], [[2], [2], [0]]], [[[1, 1]], [[2, 0]]]
        ),
        REALS,
        needs_rank=True,
    ),
    OpCase(
        "boolean_mask",
        lambda x: tl.boolean_mask(x, MASK),
        lambda x: x[MASK],
        arrays(WHOLE),
        REALS,
        needs_rank=True,
        data_dependent=True,
    ),
    OpCase(
        "scatter_nd",
        lambda x: tl.scatter_nd([[1], [3], [1]], x, (4, 2)),
        lambda x: scattered("add")(
            np.zeros((4, 2), x.dtype), np.array([[1], [3], [1]]), x
        ),
        arrays((3, 2)),
        REALS,
    ),
    OpCase(
        "one_hot",
        lambda on, off: tl.one_hot([[0, 3], [2, -1]], 3, on, off, axis=1),
        lambda on, off: np.where(
            np.array([[0, 3], [2, -1]])[:, None] == np.arange(3)[None, :, None],
            on,
            off,
        ),
        arrays((), ()),
        REALS,
    ),
)
ROWS = [[1], [3], [1]]
SCATTERS = tuple(
    OpCase(
        f"tensor_scatter_nd_{name}",
        getattr(tl, f"tensor_scatter_nd_{name}"),
        scattered(ufunc),
        distinct((4, 2), ROWS, (3, 2)),
        REALS,
    )
    for name, ufunc in (
        ("update", "update"),
        ("add", "add"),
        ("sub", "subtract"),
        ("max", "maximum"),
        ("min", "minimum"),
    )
)
PARTITIONS = (
    OpCase(
        "dynamic_partition",
        lambda x, i: tl.dynamic_partition(x, i, 3),
        lambda x, i: [x[i == n] for n in range(3)],
        with_indices((4, 2), [2, 0, 2, 0], [1, 1, 1, 1]),
        REALS,
        data_dependent=True,
    ),
    OpCase(
        "dynamic_stitch",
        lambda x, y: tl.dynamic_stitch([[3, 0], 2], [x, y]),
        lambda x, y: np.stack([x[1], np.zeros_like(y), y, x[0]]),
        arrays((2, 3), (3,)),
        REALS,
        data_dependent=True,
    ),
    OpCase(
        "parallel_dynamic_stitch",
        lambda x, y: call(ParallelDynamicStitch(2), [2, 0], 1, x, y),
        lambda x, y: np.stack([x[1], y, x[0]]),
        arrays((2, 3), (3,)),
        REALS,
        data_dependent=True,
    ),
)
CASES = (*GETS, *SETS, *GATHERS, *SCATTERS, *SEGMENTS, *PARTITIONS)
