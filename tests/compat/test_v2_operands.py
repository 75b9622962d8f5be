"""Operands of NumPy beside tensors: which dtype they have, by the setting of the process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl


@pytest.fixture(autouse=True)
def _adopting() -> Iterator[None]:
    before = tl.config.get_numpy_operands()
    tl.config.set_numpy_operands("adopt")
    yield
    tl.config.set_numpy_operands(before)


@pytest.mark.parametrize("other", [np.ones(2), np.float64(1.0), np.arange(2)])
def test_arrays_take_the_tensors_dtype(other: Any) -> None:
    x = tl.ones(2)
    assert (x + other).dtype is tl.float32
    assert (other * x).dtype is tl.float32


def test_fractions_beside_integers_promote() -> None:
    x = tl.ones(2, dtype=tl.int32)
    assert (x + np.full(2, 0.5)).numpy().tolist() == [1.5, 1.5]


def test_tensors_promote_as_before() -> None:
    assert (tl.ones(2) + tl.ones(2, dtype=tl.float64)).dtype is tl.float64


def test_traced_functions_do_the_same() -> None:
    f = tl.function(lambda x: x + np.ones(2))
    assert f(tl.ones(2)).dtype is tl.float32


def test_promotion_is_the_rule_at_first() -> None:
    tl.config.set_numpy_operands("promote")
    assert (tl.ones(2) + np.ones(2)).dtype is tl.float64
    with pytest.raises(tl.errors.InvalidArgumentError, match="'promote' or 'adopt'"):
        tl.config.set_numpy_operands("else")  # type: ignore[arg-type]


def test_strings_are_compared_with_text() -> None:
    one, some = tl.constant("a"), tl.constant(["a", "b"])
    assert bool(one == "a")
    assert not bool(one != b"a")
    assert (some == "a").numpy().tolist() == [True, False]
    assert (some != "b").numpy().tolist() == [True, False]
    assert bool(tl.Variable("a") == "a")
    assert bool(tl.function(lambda x: x == "a")(one))
    unlike: object = tl.constant(1) == "a"
    assert unlike is False
