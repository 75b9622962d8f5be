"""Functions by TensorFlow's names give what TensorFlow 1.15 gives: functions.jsonl has its answers.

Each line holds an expression and, for every tensor of its result, the name (empty where tensorlite
has other nodes inside), the shape known beforehand ("other" where less or more is known here),
dtype, shape and elements. TensorFlow 1.15.5 made them by the functions of setting.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tests.compat.setting import answers

LINES = [
    json.loads(line)
    for line in Path(__file__).with_name("functions.jsonl").read_text().splitlines()
]


def agrees(theirs: list[int | None] | None, mine: list[int | None] | None) -> bool:
    """Return whether a shape has all sizes that TensorFlow knows; it may have more of them."""
    if theirs is None or mine is None:
        return theirs == mine
    return len(theirs) == len(mine) and all(
        wanted in (None, size) for wanted, size in zip(theirs, mine, strict=True)
    )


@pytest.mark.parametrize("line", LINES, ids=[line["of"] for line in LINES])
def test_as_in_tensorflow(line: dict[str, Any]) -> None:
    found = answers(tf, line["of"])
    assert len(found) == len(line["gives"])
    for mine, (name, static, dtype, shape, elements) in zip(
        found, line["gives"], strict=True
    ):
        assert (mine["dtype"], mine["shape"]) == (dtype, shape)
        if dtype == "object":
            assert mine["elements"] == elements
        else:
            np.testing.assert_allclose(mine["elements"], elements, 2e-4, 2e-5)
        assert name in ("", mine["name"])
        assert static == "other" or agrees(static, mine["static"])
