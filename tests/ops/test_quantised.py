"""Numbers held by small integers: TensorFlow 1.15's values, and what comes back."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.nn.quantised import MODES, dequantized, quantized

X = tl.asarray([-1.5, -0.3, 0.0, 0.25, 1.0, 5.0], dtype=tl.float32)
LIMITS = tl.asarray(-1.5, dtype=tl.float32), tl.asarray(2.0, dtype=tl.float32)


@pytest.mark.parametrize(
    ("dtype", "mode"), list(product((tl.int8, tl.uint8, tl.int16, tl.int32), MODES))
)
def test_what_is_held_comes_back(dtype: tl.DType, mode: str) -> None:
    held, low, high = quantized(X, LIMITS, dtype, mode)
    assert held.dtype is dtype
    first = 0.0 if mode == "SCALED" and dtype is tl.uint8 else -1.5
    step = 2.0 / (100 if dtype.size == 1 else 30_000)
    np.testing.assert_allclose(
        dequantized(held, (low, high), mode), np.clip(X, first, 2.0), atol=step
    )


@pytest.mark.parametrize(
    ("dtype", "mode", "expected"),
    [
        (tl.uint8, "MIN_COMBINED", [0, 87, 109, 127, 182, 255]),
        (tl.int8, "MIN_COMBINED", [-128, -41, -19, -1, 54, 127]),
        (tl.uint8, "MIN_FIRST", [0, 87, 109, 127, 182, 255]),
        (tl.int8, "MIN_FIRST", [-128, -41, -19, -1, 54, 127]),
        (tl.uint8, "SCALED", [0, 0, 0, 32, 128, 255]),
        (tl.int8, "SCALED", [-95, -19, 0, 16, 64, 127]),
    ],
)
def test_the_integers_are_tensorflows(
    dtype: tl.DType, mode: str, expected: list[int]
) -> None:
    held, _, _ = quantized(X, LIMITS, dtype, mode)
    assert held.numpy().tolist() == expected


def test_a_mode_that_is_not_there_is_told() -> None:
    with pytest.raises(InvalidArgumentError, match="MIN_FIRST"):
        quantized(X, LIMITS, tl.uint8, "MIDDLE")
