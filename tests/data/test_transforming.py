"""Steps of datasets against what TensorFlow 2.21 gives; the numbers here are its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl

Dataset = tl.data.Dataset
UNKNOWN, INFINITE = tl.data.UNKNOWN, tl.data.INFINITE


def values(dataset: Any) -> list[Any]:
    return [plain(x) for x in dataset.as_numpy_iterator()]


def plain(x: Any) -> Any:
    if isinstance(x, dict):
        return {key: plain(y) for key, y in x.items()}
    if isinstance(x, tuple):
        return tuple(map(plain, x))
    return x.tolist() if isinstance(x, (np.ndarray, np.generic)) else x


def filled(n: Any) -> Any:
    return tl.full((int(n),), int(n), dtype=tl.int64)


@pytest.mark.parametrize(
    ("cycle", "block", "expected"),
    [
        (1, 1, [1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5]),
        (2, 1, [1, 2, 2, 3, 3, 4, 3, 4, 4, 5, 4, 5, 5, 5, 5]),
        (3, 2, [1, 2, 2, 3, 3, 4, 4, 3, 4, 4, 5, 5, 5, 5, 5]),
        (2, 3, [1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5]),
        (5, 1, [1, 2, 3, 4, 5, 2, 3, 4, 5, 3, 4, 5, 4, 5, 5]),
    ],
)
def test_interleave(cycle: int, block: int, expected: list[int]) -> None:
    dataset = Dataset.range(1, 6).interleave(
        lambda x: Dataset.from_tensors(x).repeat(x), cycle, block
    )
    assert values(dataset) == expected
    assert dataset.element_spec == tl.TensorSpec((), tl.int64)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            (3, 1, 1, False),
            [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6], [5, 6], [6]],
        ),
        ((3, 2, 2, False), [[0, 2, 4], [2, 4, 6], [4, 6], [6]]),
        ((2, 3, 1, False), [[0, 1], [3, 4], [6]]),
        ((3, None, 1, True), [[0, 1, 2], [3, 4, 5]]),
        ((2, 1, 3, True), [[0, 3], [1, 4], [2, 5], [3, 6]]),
    ],
)
def test_windows(arguments: Any, expected: list[list[int]]) -> None:
    dataset = Dataset.range(7).window(*arguments)
    assert [values(window) for window in dataset] == expected
    assert dataset.cardinality() == len(expected)
    flat = dataset.flat_map(lambda window: window.batch(3))
    assert [len(batch) for batch in flat] == [len(window) for window in expected]


def test_windows_of_structures_are_structures_of_datasets() -> None:
    pairs = Dataset.zip((Dataset.range(3), Dataset.range(10, 13)))
    found = [(values(a), values(b)) for a, b in pairs.window(2)]
    assert found == [([0, 1], [10, 11]), ([2], [12])]


def test_groups_by_key() -> None:
    dataset = Dataset.range(10).group_by_window(
        lambda x: x % 3, lambda key, window: window.batch(2), 2
    )
    assert values(dataset) == [[0, 3], [1, 4], [2, 5], [6, 9], [7], [8]]
    assert dataset.element_spec == tl.TensorSpec((None,), tl.int64)
    with pytest.raises(tl.errors.InvalidArgumentError, match="either"):
        Dataset.range(1).group_by_window(lambda x: x, lambda k, w: w)


def test_buckets_by_length() -> None:
    dataset = (
        Dataset.range(1, 9)
        .map(filled, element_spec=tl.TensorSpec((None,), tl.int64))
        .bucket_by_sequence_length(lambda x: x.shape[0], [3, 6], [2, 3, 2])
    )
    expected = [
        [[1, 0], [2, 2]],
        [[3, 3, 3, 0, 0], [4, 4, 4, 4, 0], [5, 5, 5, 5, 5]],
        [[6] * 6 + [0], [7] * 7],
        [[8] * 8],
    ]
    assert values(dataset) == expected
    assert dataset.element_spec == tl.TensorSpec((None, None), tl.int64)
    short = Dataset.range(1, 4).map(filled)
    full = short.bucket_by_sequence_length(
        len, [5], [3, 1], pad_to_bucket_boundary=True
    )
    assert [batch.shape for batch in full] == [(3, 4)]


def test_padded_batches() -> None:
    ragged = Dataset.range(1, 6).map(
        filled, element_spec=tl.TensorSpec((None,), tl.int64)
    )
    expected = [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]], [[5, 5, 5, 5, 5]]]
    assert values(ragged.padded_batch(2, padded_shapes=[None])) == expected
    assert values(ragged.padded_batch(2)) == expected
    assert ragged.padded_batch(2, [6], -1, True).element_spec.shape == (2, 6)
    assert values(ragged.padded_batch(2, [6], -1))[0][0] == [1, -1, -1, -1, -1, -1]
    pairs = Dataset.zip(ragged, Dataset.range(5))
    first, second = next(iter(pairs.padded_batch(5, ([None], []), (9, 0))))
    assert first.shape == (5, 5)
    assert first[0].tolist() == [1, 9, 9, 9, 9]
    assert second.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(tl.errors.DataLossError, match="does not fit"):
        values(ragged.padded_batch(2, [1]))


def test_scan_and_reduce() -> None:
    running = Dataset.range(6).scan(np.int64(0), lambda s, x: (s + x, (s, x)))
    assert values(running) == [(0, 0), (0, 1), (1, 2), (3, 3), (6, 4), (10, 5)]
    assert running.element_spec == (tl.TensorSpec((), tl.int64),) * 2
    total = (
        Dataset.range(5).enumerate().reduce(np.int64(0), lambda s, e: s + e[0] * e[1])
    )
    assert int(total) == 30
    pair = Dataset.range(4).reduce((0, 1), lambda s, x: (s[0] + x, s[1] * (x + 1)))
    assert [int(x) for x in pair] == [6, 24]


def test_datasets_of_datasets() -> None:
    two = [Dataset.range(2), Dataset.range(10, 20)]
    places = Dataset.range(2).repeat(3)
    assert values(Dataset.choose_from_datasets(two, places)) == [0, 10, 1, 11]
    longer = Dataset.choose_from_datasets(two, places, stop_on_empty_dataset=False)
    assert values(longer) == [0, 10, 1, 11, 12]
    drawn = Dataset.sample_from_datasets(two, [0.0, 1.0], seed=1)
    assert values(drawn) == list(range(10, 20))
    mixed = Dataset.sample_from_datasets(two, seed=5)
    first = values(mixed)
    assert sorted(first) == [0, 1, *range(10, 20)]
    mixed.rewind()
    assert values(mixed) == first
    named = Dataset.zip(
        {"a": Dataset.range(3), "b": (Dataset.range(4), Dataset.range(5))}
    )
    assert values(named)[2] == {"a": 2, "b": (2, 2)}
    assert values(Dataset.range(2).concatenate(Dataset.range(3))) == [0, 1, 0, 1, 2]


def test_counts_below_zero_and_beyond_the_end() -> None:
    assert values(Dataset.range(3).take(-1)) == [0, 1, 2]
    assert values(Dataset.range(3).skip(-1)) == []
    assert values(Dataset.range(3).skip(9)) == []
    assert values(Dataset.range(3).repeat(0)) == []
    assert values(Dataset.range(0).repeat()) == []
    with pytest.raises(tl.errors.InvalidArgumentError, match="0 to 2"):
        Dataset.range(3).shard(3, 3)


@pytest.mark.parametrize(
    ("dataset", "size"),
    [
        (Dataset.range(5).repeat(), INFINITE),
        (Dataset.range(5).shard(2, 1), 2),
        (Dataset.range(5).take(-1), 5),
        (Dataset.range(5).skip(9), 0),
        (Dataset.range(3).concatenate(Dataset.range(4)), 7),
        (Dataset.range(3).concatenate(Dataset.range(4).repeat()), INFINITE),
        (Dataset.range(5).repeat(2).skip(3), 7),
        (Dataset.range(5).flat_map(Dataset.range), UNKNOWN),
        (Dataset.range(5).prefetch(2).cache().shuffle(3).enumerate(), 5),
        (Dataset.from_tensors(1), 1),
        (Dataset.range(5).filter(lambda x: x > 2).repeat(), INFINITE),
        (Dataset.range(5).unique(), UNKNOWN),
    ],
)
def test_cardinalities(dataset: Any, size: int) -> None:
    assert dataset.cardinality() == size
    assert bool(dataset)


def test_generators_give_what_they_declare() -> None:
    def pairs(count: Any = 2) -> Iterator[Any]:
        yield from [([1, 2], 3.5), ([3], 4.5)][: int(count)]

    shaped = Dataset.from_generator(pairs, (tl.int64, tl.float32), ([None], []))
    assert values(shaped) == [([1, 2], 3.5), ([3], 4.5)]
    assert next(iter(shaped))[0].dtype is tl.int64
    one = Dataset.from_generator(pairs, (tl.int64, tl.float32), args=[1])
    assert len(list(one)) == 1
    signed = Dataset.from_generator(
        lambda: iter([{"a": 1, "b": "x"}]),
        output_signature={
            "a": tl.TensorSpec((), tl.int32),
            "b": tl.TensorSpec((), tl.string),
        },
    )
    assert values(signed) == [{"a": 1, "b": b"x"}]
    with pytest.raises(tl.errors.DTypeError, match="fractions"):
        list(Dataset.from_generator(lambda: iter([1.5]), tl.int32))
    with pytest.raises(tl.errors.InvalidArgumentError, match="its element_spec says"):
        list(Dataset.from_generator(lambda: iter([[1, 2]]), tl.int32, []))
    whole = Dataset.from_generator(lambda: iter([np.float64(2.0)]), tl.int32)
    assert values(whole) == [2]


def test_functions_return_numbers_lists_and_structures() -> None:
    assert values(Dataset.range(2).map(lambda x: [x, x + 1])) == [(0, 1), (1, 2)]
    assert values(Dataset.range(1).map(lambda x: {"n": 3, "x": np.ones(2)})) == [
        {"n": 3, "x": [1.0, 1.0]}
    ]
    texts = Dataset.from_tensor_slices(["a", "bb"]).map(lambda x: (x, 1))
    assert values(texts) == [(b"a", 1), (b"bb", 1)]
    with pytest.raises(tl.errors.DTypeError, match="allowed is a Dataset"):
        list(Dataset.range(1).flat_map(lambda x: x))


def test_rows_of_batches_and_single_elements() -> None:
    rows = Dataset.from_tensors(
        {"a": [1, 2], "b": [[1.0, 2.0], [3.0, 4.0]]}
    ).unbatch()
    assert values(rows) == [{"a": 1, "b": [1.0, 2.0]}, {"a": 2, "b": [3.0, 4.0]}]
    assert rows.element_spec["b"] == tl.TensorSpec((2,), tl.float32)
    assert int(Dataset.from_tensors(7).get_single_element()) == 7
    with pytest.raises(tl.errors.InvalidArgumentError, match="more than one"):
        Dataset.range(2).get_single_element()
    with pytest.raises(tl.errors.InvalidArgumentError, match="was empty"):
        Dataset.range(0).get_single_element()


def test_a_seed_of_all_random_numbers_fixes_shuffles() -> None:
    orders = []
    for _ in range(2):
        tl.random.set_seed(4)
        orders.append(values(Dataset.range(20).shuffle(20)))
    assert orders[0] == orders[1] != list(range(20))


def test_padded_strings() -> None:
    words: Any = Dataset.from_tensor_slices(([b"a", b"bb"], [[b"x"], [b"y"]]))
    first, second = next(iter(words.padded_batch(2)))
    assert first.tolist() == [b"a", b"bb"]
    assert second.tolist() == [[b"x"], [b"y"]]
