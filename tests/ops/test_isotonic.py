"""Isotonic regression against TensorFlow 2.21's results, and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl


@pytest.mark.parametrize(
    ("inputs", "decreasing", "axis", "found", "runs"),
    [
        ([1.0, 4, 2, 3], True, -1, [2.5, 2.5, 2.5, 2.5], [0, 0, 1, 1]),
        ([1.0, 4, 2, 3], False, -1, [1.0, 3.0, 3.0, 3.0], [0, 1, 1, 2]),
        (
            [[3, 1, 2], [1, 5, 2]],
            True,
            -1,
            [[3, 1.5, 1.5], [3, 3, 2]],
            [[0, 1, 1], [0, 0, 1]],
        ),
        ([[1.0, 2], [3, 0]], True, 0, [[2, 2], [2, 0]], [[0, 0], [0, 1]]),
        ([3.0], True, -1, [3.0], [0]),
    ],
)
def test_neighbours_are_pooled(
    inputs: Any, decreasing: bool, axis: int, found: Any, runs: Any
) -> None:
    numbers, places = tl.nn.isotonic_regression(inputs, decreasing, axis)
    assert numbers.tolist() == found
    assert places.tolist() == runs
    assert places.dtype == tl.int32


def test_dtypes() -> None:
    kinds = {
        "float32": "float32",
        "float64": "float64",
        "int16": "float32",
        "int32": "float64",
    }
    for given, made in kinds.items():
        numbers, _ = tl.nn.isotonic_regression(tl.zeros([3], dtype=given))
        assert numbers.dtype.name == made


def test_gradients_are_shared_in_runs() -> None:
    x = tl.constant([[3.0, 1.0, 2.0], [1.0, 5.0, 2.0]])
    weights = tl.constant([[1.0, 2.0, 4.0], [1.0, 3.0, 5.0]])
    with tl.GradientTape() as tape:
        tape.watch(x)
        loss = tl.sum(tl.nn.isotonic_regression(x)[0] * weights)
    np.testing.assert_allclose(
        tape.gradient(loss, x).numpy(), [[1.0, 3.0, 3.0], [2.0, 2.0, 5.0]]
    )


def test_rows_of_unknown_number_in_functions() -> None:
    fitted = tl.function(
        lambda x: tl.nn.isotonic_regression(x)[0],
        input_signature=[tl.TensorSpec([None, None], tl.float32)],
    )
    assert fitted(tl.constant([[1.0, 2.0], [2.0, 1.0]])).tolist() == [
        [1.5, 1.5],
        [2, 1],
    ]
