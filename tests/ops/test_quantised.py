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


def test_tensors_of_quantised_dtypes_show_the_integers_that_they_hold() -> None:
    made, low, high = tl.quantization.quantize(X, *LIMITS, "quint8")
    assert made.dtype is tl.as_dtype("quint8")
    assert made.dtype.is_quantized
    assert not made.dtype.is_integer
    assert made.dtype.held is tl.uint8
    assert (low.item(), high.item()) == (-1.5, 2.0)
    integers = [0, 87, 109, 127, 182, 255]
    assert made.numpy().dtype == np.uint8
    assert made.tolist() == made.numpy().tolist() == integers
    assert made[1].item() == 87
    assert str(made[:2]) == "[ 0 87]"
    assert tl.concat([made, tl.flip(made)]).tolist() == integers + integers[::-1]
    assert tl.astype(made, tl.uint8).tolist() == integers
    assert tl.astype(made, tl.float32).tolist() == integers
    assert tl.astype(tl.astype(made, tl.uint8), "quint8").dtype is made.dtype
    with pytest.raises(tl.errors.DTypeError):
        made + made


@pytest.mark.parametrize("name", ["qint8", "quint8", "qint16", "quint16"])
@pytest.mark.parametrize("mode", MODES)
def test_quantised_numbers_come_back(name: str, mode: str) -> None:
    held, low, high = tl.quantization.quantize(X, *LIMITS, name, mode)
    first = 0.0 if mode == "SCALED" and name.startswith("quint") else -1.5
    found = tl.quantization.dequantize(held, low, high, mode)
    np.testing.assert_allclose(found, np.clip(X, first, 2.0), atol=0.02)


def test_slices_along_an_axis_have_limits_of_their_own() -> None:
    x = [[-1.2, 0.0, 0.5], [1.0, 2.0, 3.7]]
    held, low, high = tl.quantization.quantize(
        x, [-1.0, -2.0], [4.0, 5.0], "qint8", mode="SCALED", axis=0
    )
    assert held.tolist() == [[-38, 0, 16], [25, 51, 94]]
    np.testing.assert_allclose(low, [-4.031496, -5.03937], rtol=1e-6)
    assert high.tolist() == [4.0, 5.0]
    combined = tl.quantization.quantize(x, [-1.0, -2.0], [4.0, 5.0], "quint8", axis=0)
    assert combined[0].tolist() == [[0, 51, 77], [109, 146, 208]]
    numbers = tl.asarray([[1, 2], [3, 4]], dtype="qint8")
    found = tl.quantization.dequantize(
        numbers, [-1.0, -2.0], [4.0, 5.0], "SCALED", axis=1
    )
    np.testing.assert_allclose(
        found, [[0.03149606, 0.07874016], [0.09448819, 0.15748031]], rtol=1e-6
    )


def test_a_narrow_range_leaves_out_the_least_integer() -> None:
    x = [-1.0, -0.3, 0.0, 0.25, 4.0, 5.0]
    narrow = tl.quantization.quantize(
        x, -1.0, 4.0, "quint8", "SCALED", narrow_range=True
    )
    assert narrow[0].tolist() == [1, 1, 1, 16, 255, 255]


def test_what_does_not_fit_together_is_told() -> None:
    with pytest.raises(InvalidArgumentError, match="HALF_TO_EVEN"):
        tl.quantization.quantize(X, *LIMITS, "qint8", round_mode="HALF_TO_EVEN")
    with pytest.raises(tl.errors.UnimplementedError, match="MIN_FIRST"):
        tl.quantization.quantize(X, [0.0], [1.0], "qint8", "MIN_FIRST", axis=0)
    with pytest.raises(tl.errors.ShapeError, match="min_range"):
        tl.quantization.quantize(X, 0.0, 1.0, "qint8", axis=0)
    with pytest.raises(tl.errors.DTypeError, match="limits"):
        assert tl.as_dtype("qint8").limits


def test_numbers_just_below_a_half_are_rounded_down() -> None:
    half = np.float32(0.5)
    x = np.asarray([np.nextafter(half, np.float32(0)), half, -half], np.float32)
    made, _, _ = tl.quantization.quantize(x, -127.0, 127.0, "qint8", "SCALED")
    assert made.tolist() == [0, 1, -1]


def test_limits_the_wrong_way_round_are_told() -> None:
    with pytest.raises(InvalidArgumentError, match="must be larger than"):
        tl.quantization.quantize([0.0, 1.0], 3.0, 1.0, "quint8")
