"""Operators on bounds of rows and values against lists, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.core.dispatch import calls
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.spec import TensorSpec
from tensorlite.ops.ragged.operators import (
    RaggedGather,
    RaggedRange,
    RaggedTensorToSparse,
)

BOUNDS = np.array([0, 2, 2, 5])
VALUES = np.array([1, 2, 3, 4, 5])


def listed(op: Any, *inputs: Any) -> list[Any]:
    return [x.tolist() for x in calls(op, *inputs)]


@pytest.mark.parametrize(
    ("ends", "bounds", "values"),
    [
        (([0, 9, 5], [6, 3, 5], [2, -2, 1]), [0, 3, 6, 6], [0, 2, 4, 9, 7, 5]),
        ((1, [3, 2], 1), [0, 2, 3], [1, 2, 1]),
        ((5, 2, 1), [0, 0], []),
        ((0.0, 1.0, 0.4), [0, 3], [0.0, 0.4, 0.8]),
    ],
)
def test_ranges_are_rows(ends: Any, bounds: Any, values: Any) -> None:
    kind = np.float64 if isinstance(ends[0], float) else np.int64
    given = [np.asarray(x, kind) for x in ends]
    assert listed(RaggedRange(), *given) == [bounds, pytest.approx(values)]


def test_ranges_of_other_lengths_and_without_steps_are_refused() -> None:
    one, two = np.array([1]), np.array([1, 2])
    with pytest.raises((ShapeError, InvalidArgumentError), match="same shape"):
        calls(RaggedRange(), one, two, one)
    with pytest.raises(InvalidArgumentError, match="delta != 0"):
        calls(RaggedRange(), one, one, one * 0)


def test_rows_are_gathered_at_places_of_any_rank() -> None:
    at = np.array([2, 0])
    assert listed(RaggedGather(1), BOUNDS, VALUES, at) == [[0, 3, 5], [3, 4, 5, 1, 2]]
    outer = np.array([0, 1, 3])
    found = listed(RaggedGather(2), outer, BOUNDS, VALUES, np.array([1]))
    assert found == [[0, 2], [0, 0, 3], [3, 4, 5]]
    found = listed(RaggedGather(2), BOUNDS, VALUES, np.array([[2], [0]]))
    assert found == [[0, 1, 2], [0, 3, 5], [3, 4, 5, 1, 2]]


def test_rows_that_are_not_there_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"not all in \[0, 3\)"):
        calls(RaggedGather(1), BOUNDS, VALUES, np.array([3]))
    with pytest.raises(ShapeError, match="2 bounds, not 1"):
        calls(RaggedGather(1), BOUNDS, VALUES, np.array([[0]]))


def test_rows_become_sparse() -> None:
    wide = np.arange(6).reshape(3, 2)
    places, values, sizes = listed(RaggedTensorToSparse(), np.array([0, 1, 3]), wide)
    assert places == [
        [0, 0, 0],
        [0, 0, 1],
        *[[1, i, j] for i in (0, 1) for j in (0, 1)],
    ]
    assert (values, sizes) == ([0, 1, 2, 3, 4, 5], [2, 2, 2])
    nested = listed(RaggedTensorToSparse(), np.array([0, 2, 3]), BOUNDS, VALUES)
    assert nested[0] == [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1], [1, 0, 2]]
    assert nested[2] == [2, 2, 3]
    with pytest.raises(
        InvalidArgumentError, match="must be 0, and they must rise to 5"
    ):
        calls(RaggedTensorToSparse(), np.array([0, 2, 4]), VALUES)


def test_what_is_known_before_they_run() -> None:
    unknown, number = TensorSpec(None, BOUNDS.dtype), TensorSpec((), BOUNDS.dtype)
    assert RaggedRange().infer(number, number, number)[0].shape == (2,)
    assert RaggedRange().infer(number, unknown, number)[0].shape == (None,)
    values = RaggedGather(1).infer(unknown, TensorSpec((5, 2), VALUES.dtype), unknown)
    assert values[-1].shape == (None, 2)
    assert RaggedTensorToSparse().infer(unknown, unknown)[0].shape == (None, None)
