"""Arrays of every kind that travels between tasks."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from tensorlite.core import dtypes

_random = np.random.default_rng(0)


def of_dtype(dtype: dtypes.DType) -> Any:
    """Return a matrix of a dtype."""
    return (
        (_random.normal(size=(3, 4)) * 50)
        .astype(np.complex128)
        .real.astype(dtype.numpy if dtype is not dtypes.string else np.float32)
    )


def _strings(*listed: Any) -> Any:
    made = np.empty(len(listed), object)
    made[:] = listed
    return made


ARRAYS = {
    **{dtype.name: of_dtype(dtype) for dtype in (dtypes.bool_, *dtypes.NUMERIC)},
    "nan": np.array([np.nan, -0.0, np.inf], ml_dtypes.bfloat16),
    "complex": np.array([1 + 2j, -3j], np.complex64),
    "strings": _strings("a", "", "bé \ud800", b"\xff\x00", "x" * 1000).reshape(5, 1),
    "no strings": np.empty((0, 2), object),
    "one string": np.array("alone", object),
    "scalar": np.array(7, np.int64),
    "empty": np.empty((3, 0, 2), np.float64),
    "transposed": np.arange(24.0).reshape(4, 6).T,
    "every other": np.arange(200_000, dtype=np.float32)[::2],
    "backwards": np.arange(12, dtype=np.int16).reshape(3, 4)[::-1, ::-1],
    "broadcast": np.broadcast_to(np.float32(3), (2, 5)),
    "big-endian": np.arange(5, dtype=">i4"),
    "large": np.arange(300_000, dtype=np.float64).reshape(3, -1),
}


def same(found: Any, expected: Any) -> None:
    """Assert that two arrays are alike to the bit, the order of their bytes aside."""
    native = expected.dtype.newbyteorder("=")
    assert found.dtype == native
    assert found.shape == expected.shape
    if native.hasobject:
        assert found.ravel().tolist() == expected.ravel().tolist()
    else:
        assert found.tobytes() == expected.astype(native).tobytes()
