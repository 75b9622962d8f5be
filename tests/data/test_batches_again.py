"""Batches of other sizes, of rows that differ in size, and numbers of elements that are promised.

Expected values are TensorFlow 2.21's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl

Dataset = tl.data.Dataset


def values(dataset: Any) -> list[Any]:
    return [x.tolist() for x in dataset.as_numpy_iterator()]


def ranges() -> Any:
    return Dataset.range(1, 4).map(tl.arange)


@pytest.mark.parametrize(
    ("count", "before", "sizes", "whole", "expected"),
    [
        (6, 2, 3, False, [[0, 1, 2], [3, 4, 5]]),
        (7, 4, 3, False, [[0, 1, 2], [3, 4, 5], [6]]),
        (7, 2, 3, True, [[0, 1, 2], [3, 4, 5]]),
        (8, 4, [2, 1, 1], False, [[0, 1], [2], [3], [4, 5], [6], [7]]),
        (8, 4, [3, 2], True, [[0, 1, 2], [3, 4], [5, 6, 7]]),
        (0, 4, 3, False, []),
    ],
)
def test_batches_of_other_sizes(
    count: int, before: int, sizes: Any, whole: bool, expected: list[Any]
) -> None:
    batches = Dataset.range(count).batch(before).rebatch(sizes, whole)
    assert values(batches) == expected


def test_specs_of_batches_of_other_sizes() -> None:
    whole = Dataset.range(8).batch(4, drop_remainder=True)
    assert whole.rebatch(2).element_spec.shape == (2,)
    assert whole.rebatch([2, 2]).element_spec.shape == (2,)
    assert whole.rebatch(3).element_spec.shape == (None,)
    assert whole.rebatch([3, 2], drop_remainder=True).element_spec.shape == (None,)
    assert Dataset.range(8).batch(4).rebatch(2).element_spec.shape == (None,)


@pytest.mark.parametrize("sizes", [0, [2, -1], [0, 0], []])
def test_sizes_that_no_batch_has(sizes: Any) -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match="rebatch"):
        Dataset.range(4).batch(2).rebatch(sizes)


def test_rows_that_differ_in_size_as_sparse_tensors() -> None:
    first, last = list(ranges().sparse_batch(2, [4]))
    assert first.indices.tolist() == [[0, 0], [1, 0], [1, 1]]
    assert (first.values.tolist(), first.dense_shape.tolist()) == ([0, 0, 1], [2, 4])
    assert (last.values.tolist(), last.dense_shape.tolist()) == ([0, 1, 2], [1, 4])
    longest = [x.dense_shape.tolist() for x in ranges().sparse_batch(2, [None])]
    assert longest == [[2, 2], [1, 3]]
    assert ranges().sparse_batch(2, [-1]).element_spec.indices.shape == (None, 2)


def test_rows_that_fit_no_sparse_batch() -> None:
    for sizes in ([2], [2, 2]):
        with pytest.raises(tl.errors.InvalidArgumentError, match="sparse_batch"):
            list(ranges().sparse_batch(3, sizes))
    with pytest.raises(tl.errors.InvalidArgumentError, match="row_shape is None"):
        ranges().sparse_batch(3, None)


def test_a_padded_size_may_stand_alone() -> None:
    (batch,) = ranges().padded_batch(3, 4, padding_values=-1)
    assert batch.tolist() == [[0, -1, -1, -1], [0, 1, -1, -1], [0, 1, 2, -1]]
    assert ranges().padded_batch(3, 4).element_spec.shape == (None, 4)


@pytest.mark.parametrize(
    ("promised", "found"), [(3, "at least 4"), (5, "only 4"), (-1, "only 4")]
)
def test_numbers_of_elements_that_do_not_hold(promised: int, found: str) -> None:
    dataset = Dataset.range(4).assert_cardinality(promised)
    assert dataset.cardinality() == promised
    with pytest.raises(
        tl.errors.FailedPreconditionError, match=f"contained {found} "
    ):
        list(iter(dataset))


def test_numbers_of_elements_that_hold() -> None:
    lines = Dataset.range(4).filter(lambda x: x > 1)
    assert values(lines.assert_cardinality(2)) == [2, 3]
    assert len(lines.assert_cardinality(2)) == 2
    assert values(lines.assert_cardinality(tl.data.UNKNOWN)) == [2, 3]


def test_elements_of_a_list_may_differ_in_shape() -> None:
    rows = Dataset.from_list([[1], [2, 3]])
    assert values(rows) == [[1], [2, 3]]
    assert rows.element_spec == tl.TensorSpec((None,), tl.int32)
    pairs = Dataset.from_list([(1, "a"), (2, "b")])
    assert [int(n) for n, _ in pairs] == [1, 2]
    assert pairs.element_spec[1] == tl.TensorSpec((), tl.string)
    with pytest.raises(tl.errors.InvalidArgumentError, match="lists and tuples"):
        Dataset.from_list([])


def test_runs_draw_anew_if_they_are_asked_to() -> None:
    anew = Dataset.random(4, rerandomize_each_iteration=True).take(2)
    first = [1905554911, 4215726141]
    assert (values(anew), values(anew)) == (first, [1683472663, 2279948892])
    anew.rewind()
    assert values(anew) == first
    two = [Dataset.range(50), Dataset.range(100, 150)]
    for again, same in ((True, False), (None, True)):
        mixed = Dataset.sample_from_datasets(
            two, seed=1, rerandomize_each_iteration=again
        )
        runs = values(mixed), values(mixed)
        assert (runs[0] == runs[1]) is same
        assert np.array_equal(np.sort(runs[0]), np.sort(runs[1]))
