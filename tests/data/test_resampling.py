"""Datasets whose classes come as often as is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError

Dataset = tl.data.Dataset


def kinds(count: int, shares: list[float]) -> Any:
    drawn = np.random.default_rng(3).choice(len(shares), size=count, p=shares)
    return Dataset.from_tensor_slices(drawn)


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize(
    ("had", "wanted"),
    [
        ([0.6, 0.4], [0.5, 0.5]),
        ([0.2, 0.3, 0.5], [0.5, 0.0, 0.5]),
        ([0.1, 0.9], [0.9, 0.1]),
    ],
)
def test_classes_come_as_often_as_asked(
    had: list[float], wanted: list[float], is_known: bool
) -> None:
    dataset = kinds(1500, had).map(lambda x: (x, x * 10))
    found = dataset.rejection_resample(
        lambda x, _: x, wanted, had if is_known else None, seed=5
    )
    pairs = [(int(a), int(b), int(c)) for a, (b, c) in found]
    assert all(a == b and c == 10 * a for a, b, c in pairs)
    shares = np.bincount([a for a, _, _ in pairs], minlength=len(had)) / len(pairs)
    np.testing.assert_allclose(shares, wanted, atol=0.06)


def test_shares_that_are_there_already_change_nothing() -> None:
    dataset = Dataset.range(20)
    same = dataset.rejection_resample(lambda x: x % 2, [0.5, 0.5], [0.5, 0.5])
    assert [int(x) for _, x in same] == list(range(20))
    assert same.cardinality() == tl.data.UNKNOWN
    assert same.element_spec[1] == tl.TensorSpec((), tl.int64)


def test_seeds_say_what_is_left_out() -> None:
    def run(seed: int) -> list[int]:
        found = kinds(300, [0.5, 0.5]).rejection_resample(
            lambda x: x, [0.8, 0.2], [0.5, 0.5], seed
        )
        return [int(x) for _, x in found]

    assert run(1) == run(1) != run(2)


@pytest.mark.parametrize(
    ("target", "first", "said"),
    [
        ([0.5, 0.5], [1.0], "1 classes, and 2"),
        ([[0.5, 0.5]], None, "a vector of shares"),
        ([1.5, -0.5], None, "0 or more"),
        ([1.0], None, "allowed are 0 to 0"),
    ],
)
def test_shares_that_are_none(target: Any, first: Any, said: str) -> None:
    dataset = Dataset.range(4).rejection_resample(lambda x: x, target, first)
    with pytest.raises(InvalidArgumentError, match=said):
        list(dataset)
