"""What sorting and searching do with NaN, ties, nothing at all, and operands without order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.ops.arrays.places import distinct
from tensorlite.ops.sparse.row_counts import counts
from tests.checks import host

NAN = float("nan")


def test_nan_counts_as_the_greatest() -> None:
    x = np.asarray([2.0, NAN, 1.0])
    np.testing.assert_array_equal(host(tl.sort(x)), [1.0, 2.0, NAN])
    np.testing.assert_array_equal(host(tl.sort(x, descending=True)), [NAN, 2.0, 1.0])
    np.testing.assert_array_equal(host(tl.argsort(x)), [2, 0, 1])


def test_equal_elements_stay_as_they_stand_either_way() -> None:
    x = np.asarray([1, 0, 1, 0])
    np.testing.assert_array_equal(host(tl.argsort(x)), [1, 3, 0, 2])
    np.testing.assert_array_equal(host(tl.argsort(x, descending=True)), [0, 2, 1, 3])
    np.testing.assert_array_equal(host(tl.top_k(x, 3).indices), [0, 2, 1])


def test_empty_tensors_are_sorted() -> None:
    assert tl.sort(np.ones((2, 0))).shape == (2, 0)
    assert tl.argsort(np.ones((0, 2)), axis=0).shape == (0, 2)
    assert tl.top_k(np.ones((2, 0)), 0).values.shape == (2, 0)
    assert [part.shape for part in tl.unique_all(np.ones(0))] == [(0,)] * 4


def test_complex_numbers_have_no_order() -> None:
    for function in (tl.sort, tl.argsort, lambda x: tl.top_k(x, 1)):
        with pytest.raises(tl.errors.DTypeError, match="has no order"):
            function(np.asarray([1j]))


def test_top_k_needs_as_many_elements() -> None:
    with pytest.raises(tl.errors.ShapeError, match="no 4 elements on its last axis"):
        tl.top_k(np.ones((2, 3)), 4)


def test_every_nan_is_distinct() -> None:
    values, first, numbers, counts = tl.unique_all(np.asarray([NAN, 1.0, NAN]))
    np.testing.assert_array_equal(host(values), [1.0, NAN, NAN])
    np.testing.assert_array_equal(host(first), [1, 0, 2])
    np.testing.assert_array_equal(host(numbers), [1, 0, 2])
    np.testing.assert_array_equal(host(counts), [1, 1, 1])


def test_searchsorted_takes_a_sorter_and_names_its_sides() -> None:
    x = np.asarray([5.0, 1.0, 3.0])
    found = tl.searchsorted(x, [2.0, 9.0], sorter=np.argsort(x))
    np.testing.assert_array_equal(host(found), [1, 3])
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="allowed: 'left', 'right'"
    ):
        tl.searchsorted(x, x, side="middle")  # type: ignore[arg-type]
    with pytest.raises(tl.errors.ShapeError, match="looks into a vector"):
        tl.searchsorted(np.ones((2, 2)), x)


def test_nonzero_wants_an_axis() -> None:
    with pytest.raises(tl.errors.ShapeError, match=r"reshape a 0-d tensor to \(1,\)"):
        tl.nonzero(1.0)


def test_in_top_k_leaves_out_what_is_no_class_or_no_number() -> None:
    predictions = np.asarray([[0.1, 0.9], [NAN, 0.5], [0.3, 0.2]], np.float32)
    found = tl.in_top_k([1, 0, 7], predictions, k=2)
    np.testing.assert_array_equal(host(found), [True, False, False])


def test_bincount_counts_integers_from_zero() -> None:
    np.testing.assert_array_equal(
        host(tl.bincount(np.zeros(0, np.int32), minlength=2)), [0, 0]
    )
    with pytest.raises(tl.errors.InvalidArgumentError, match="must be non-negative"):
        tl.bincount([-1])
    with pytest.raises(tl.errors.InvalidArgumentError, match="must be non-negative"):
        counts([[1, -1]], by_rows=True)
    with pytest.raises(tl.errors.DTypeError, match="counts integers"):
        tl.bincount([0.5])


@pytest.mark.parametrize("k", [0, 1, 3, 10])
@pytest.mark.parametrize("shape", [(50,), (7, 60), (2, 3, 41)])
def test_the_greatest_of_long_rows_come_in_order_and_of_equals_the_first(
    shape: tuple[int, ...], k: int
) -> None:
    draws = np.random.default_rng(0)
    x = np.round(draws.normal(0, 3, shape)).astype(np.float32)
    for special in (-0.0, np.nan, np.inf, -np.inf):
        x[draws.random(shape) < 0.05] = special
    whole = tl.argsort(x, descending=True).numpy()[..., :k]
    values, places = tl.top_k(x, k)
    np.testing.assert_array_equal(places.numpy(), whole)
    np.testing.assert_array_equal(values.numpy(), np.take_along_axis(x, whole, -1))


def test_rows_are_searched_for_values_of_their_own() -> None:
    rows = np.sort(np.random.default_rng(0).random((2, 3, 9)), axis=-1)
    sought = np.random.default_rng(1).random((2, 3, 4))
    wanted = [
        [np.searchsorted(*pair) for pair in zip(*part, strict=True)]
        for part in zip(rows, sought, strict=True)
    ]
    np.testing.assert_array_equal(tl.searchsorted(rows, sought).numpy(), wanted)
    with pytest.raises(tl.errors.ShapeError, match="Leading dim_size"):
        tl.searchsorted(rows[0], sought[0, 0])


@pytest.mark.parametrize(
    "x",
    [
        np.array([5, -3, 5, 7, -3], np.int32),
        np.array([127, -128, 127, 0], np.int8),
        np.array([2**64 - 1, 2**64 - 5, 2**64 - 1], np.uint64),
        np.array([-(2**63), 2**63 - 1, 0, 0]),
        np.array([7, 7, 1_000_000]),
        np.array([], np.int64),
        np.array([2.5, -0.5, 2.5]),
        np.array([True, False, True]),
    ],
    ids=lambda x: f"{x.dtype}-{x.size}",
)
def test_distinct_elements_come_as_they_appear(x: np.ndarray[Any, Any]) -> None:
    values, numbers = distinct(np, x)
    assert values.tolist() == list(dict.fromkeys(x.tolist()))
    assert values.dtype == x.dtype
    np.testing.assert_array_equal(values[numbers], x)


def test_each_row_is_counted_by_itself() -> None:
    found = counts([[1, 1, 4], [0, 2, 12]], maxlength=9, by_rows=True)
    assert host(found).tolist() == [
        [0, 2, 0, 0, 1, 0, 0, 0, 0],
        [1, 0, 1, 0, 0, 0, 0, 0, 0],
    ]
