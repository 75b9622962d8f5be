"""Sums by channels are what they are in float64, however their rows are folded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.ops.math.folded_sums import (
    ROW,
    WORTH,
    average,
    average_product,
    total,
)

SHAPES = [(64, 9, 9, 16), (41, 30, 30, 3), (3, WORTH, 2), (70, 5, ROW // 8 + 1)]


def drawn(shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(len(shape)).normal(size=shape) + 0.5


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("leading", [1, 2])
@pytest.mark.parametrize("keepdims", [False, True])
def test_folded_sums_are_those_of_float64(
    shape: tuple[int, ...], leading: int, keepdims: bool
) -> None:
    wide, other = drawn(shape), drawn(shape)[::-1].copy()
    x, y, axis = wide.astype("f"), other.astype("f"), tuple(range(leading))
    form: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
    pairs = [
        (total(np, x, **form), wide.sum(**form)),
        (average(np, x, **form), wide.mean(**form)),
        (average_product(np, x, y, **form), (wide * other).mean(**form)),
    ]
    for found, wanted in pairs:
        assert found.dtype == np.float32
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=3e-5, atol=3e-4)


@pytest.mark.parametrize("dtype", ["e", "d", "i", "D"])
def test_sums_of_other_kinds_and_axes_are_numpys(dtype: str) -> None:
    x = (drawn((32, 40, 50)) * (8 if dtype == "i" else 1)).astype(dtype)
    for axis in [(0,), (1,), (0, 2), (-2, 0), (0, 1, 2)]:
        found = total(np, x, axis)
        assert found.dtype == x.dtype
        wanted = x.sum(axis, dtype=x.dtype)
        np.testing.assert_allclose(found, wanted, rtol=1e-11)


def test_a_sum_of_many_is_more_exact_than_row_by_row() -> None:
    x = np.full((1 << 20, 4), 0.1, np.float32)
    exact = 0.1 * len(x)
    assert abs(total(np, x, (0,))[0] - exact) < abs(x.sum(0)[0] - exact) / 10
