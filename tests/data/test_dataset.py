"""Datasets: made step by step, run through again, and looped over in traced functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl

Dataset = tl.data.Dataset


def numbers(dataset: Any) -> list[Any]:
    return [np.asarray(x).tolist() for x in dataset]


def test_runs_are_repeatable_and_steps_compose() -> None:
    dataset = (
        Dataset.range(10)
        .skip(1)
        .map(lambda x: x * 2)
        .filter(lambda x: x % 3 != 0)
        .take(4)
    )
    assert numbers(dataset) == numbers(dataset) == [2, 4, 8, 10]


def test_slices_of_a_structure() -> None:
    data = {"x": np.arange(6.0).reshape(3, 2), "y": np.asarray([1, 2, 3])}
    rows = list(Dataset.from_tensor_slices(data))
    assert [row["y"].item() for row in rows] == [1, 2, 3]
    np.testing.assert_array_equal(np.asarray(rows[2]["x"]), [4.0, 5.0])
    with pytest.raises(tl.errors.InvalidArgumentError, match=r"\[2, 3\] rows"):
        Dataset.from_tensor_slices((np.zeros(2), np.zeros(3)))


def test_batches() -> None:
    pairs = Dataset.from_tensor_slices((np.arange(5), np.ones((5, 2)))).batch(2)
    assert [(a.shape, b.shape) for a, b in pairs] == [
        ((2,), (2, 2)),
        ((2,), (2, 2)),
        ((1,), (1, 2)),
    ]
    assert len(pairs) == 3
    assert len(list(Dataset.range(5).batch(2, drop_remainder=True))) == 2
    with pytest.raises(tl.errors.InvalidArgumentError, match="batch_size is 0"):
        Dataset.range(5).batch(0)


def test_shuffles_are_permutations_that_a_seed_fixes() -> None:
    a, b = (Dataset.range(20).shuffle(7, seed=3) for _ in range(2))
    first, second = numbers(a), numbers(a)
    assert sorted(first) == sorted(second) == list(range(20))
    assert first != second
    assert [first, second] == [numbers(b), numbers(b)]
    fixed = Dataset.range(9).shuffle(9, seed=1, reshuffle_each_iteration=False)
    assert numbers(fixed) == numbers(fixed)


def test_sizes() -> None:
    assert Dataset.range(4).repeat().cardinality() == tl.data.INFINITE
    assert Dataset.range(4).repeat(3).cardinality() == 12
    assert Dataset.range(4).repeat().take(7).cardinality() == 7
    assert Dataset.zip(Dataset.range(4).repeat(), Dataset.range(3)).cardinality() == 3
    assert Dataset.range(4).filter(lambda x: x > 1).cardinality() == tl.data.UNKNOWN
    assert numbers(Dataset.range(2).repeat().take(5)) == [0, 1, 0, 1, 0]
    with pytest.raises(tl.errors.InvalidArgumentError, match="infinite or unknown"):
        len(Dataset.range(4).repeat())


@pytest.mark.parametrize("runner", ["structured", "frames"])
def test_a_loop_in_a_graph_reads_the_dataset_anew_each_time(runner: str) -> None:
    dataset = Dataset.from_tensor_slices(np.arange(10.0, dtype=np.float32)).batch(4)

    @tl.function(runner=runner)
    def total(scale: Any) -> Any:
        result, count = 0.0, 0
        for batch in dataset:
            if tl.sum(batch) > 100:
                break
            result += tl.sum(batch) * scale
            count += 1
        return result, count

    for _ in range(2):
        result, count = total(tl.asarray(2.0))
        assert (float(result), int(count)) == (90.0, 3)
    assert total.trace_count == 1


def test_gradients_through_a_loop_over_a_dataset() -> None:
    w = tl.Variable(2.0)
    dataset = Dataset.from_tensor_slices(
        np.asarray([1.0, 2.0, 3.0], np.float32)
    ).enumerate()

    @tl.function
    def loss() -> Any:
        total: Any = 0.0
        for i, x in dataset:
            total += w * x * tl.astype(i + 1, tl.float32)
        return total

    with tl.GradientTape() as tape:
        y = loss()
    assert float(y) == 28.0
    assert float(tape.gradient(y, w)) == 14.0


def test_generators_need_a_spec_in_a_graph_only() -> None:
    def generate() -> Iterator[Any]:
        yield from ([1.0, 2.0], [3.0])

    plain = Dataset.from_generator(generate)
    assert numbers(plain) == [[1.0, 2.0], [3.0]]

    def total(dataset: Any) -> Any:
        result: Any = 0.0
        for x in dataset:
            result += tl.sum(x)
        return result

    with pytest.raises(tl.errors.InvalidArgumentError, match="give element_spec="):
        tl.function(lambda: total(plain))()
    known = Dataset.from_generator(generate, tl.TensorSpec((None,), tl.float32))
    assert float(tl.function(lambda: total(known))()) == 6.0
    wrong = Dataset.from_generator(generate, tl.TensorSpec((1,), tl.float32))
    with pytest.raises(tl.errors.InvalidArgumentError, match="its element_spec says"):
        tl.function(lambda: total(wrong))()


def test_the_spec_of_mapped_elements_is_traced() -> None:
    dataset = Dataset.range(4).map(lambda x: (tl.astype(x, tl.float32), x)).batch(2)
    assert dataset.element_spec == (
        tl.TensorSpec((None,), tl.float32),
        tl.TensorSpec((None,), tl.int64),
    )


@pytest.mark.parametrize("seed", [None, 3])
def test_a_rewound_dataset_runs_as_at_first_through_all_its_steps(
    seed: int | None,
) -> None:
    one = Dataset.range(20).shuffle(7, seed).map(lambda x: x + 1)
    other = Dataset.range(40).shuffle(40, seed).filter(lambda x: x % 2 == 0)
    both = Dataset.zip(one, other).enumerate().batch(3).repeat(2).skip(1).take(9)
    runs = [
        [[y.numpy().tolist() for y in (i, *x)] for i, x in both] for _ in range(2)
    ]
    assert runs[0] != runs[1]
    next(iter(both))
    both.rewind()
    again = [
        [[y.numpy().tolist() for y in (i, *x)] for i, x in both] for _ in range(2)
    ]
    assert again == runs
