"""Segments whose numbers are out of order, and paddings that would take away, are refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError

DATA = np.arange(8.0).reshape(4, 2)
SUMS: list[Callable[[Any], tl.Tensor]] = [
    lambda ids: tl.segment_sum(DATA, ids),
    lambda ids: tl.math.sparse_segment_sum(DATA, [0, 1, 2, 3], ids),
    lambda ids: tl.math.sparse_segment_mean(DATA, [0, 1, 2, 3], ids),
]


@pytest.mark.parametrize("function", SUMS)
@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ([0, 1, 0, 1], "segment ids are not increasing"),
        ([0, 1, 2, 0], r"Segment id 1 out of range \[0, 1\)"),
        ([-1, 0, 1, 1], r"Segment id -1 out of range \[0, 2\)"),
        ([0, 0, 0, -1], "segment ids must be >= 0"),
        ([0, 0, 0, -2], "segment ids must be >= 0"),
    ],
)
def test_numbers_out_of_order(
    function: Callable[[Any], tl.Tensor], ids: list[int], said: str
) -> None:
    traced = tl.function(function, input_signature=[tl.TensorSpec((None,), tl.int32)])
    for call in (function, traced):
        with pytest.raises(InvalidArgumentError, match=said):
            call(tl.asarray(ids))


def test_more_segments_than_there_are_numbers() -> None:
    found = tl.math.sparse_segment_sum(DATA, [3, 0, 1, 1], [0, 0, 2, 2], 4)
    np.testing.assert_array_equal(found.numpy(), [[6, 8], [0, 0], [4, 6], [0, 0]])
    with pytest.raises(
        InvalidArgumentError, match=r"Segment id 2 out of range \[0, 2\)"
    ):
        tl.math.sparse_segment_sum(DATA, [3, 0, 1, 1], [0, 0, 2, 2], 2)


def test_paddings_are_not_negative() -> None:
    padded = tl.function(lambda ends: tl.pad(DATA, ends))
    assert padded(tl.asarray([[0, 1], [2, 0]])).shape == (5, 4)
    functions: list[Any] = [padded, partial(tl.pad, DATA)]
    for function in functions:
        with pytest.raises(
            InvalidArgumentError, match="paddings must be non-negative"
        ):
            function(tl.asarray([[0, 1], [-1, 3]]))
