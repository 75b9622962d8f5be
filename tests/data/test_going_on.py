"""Datasets go on behind an element that cannot be made, which can be left out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tensorlite as tl

Dataset = tl.data.Dataset
Step = Callable[[Any], Any]


def checked(x: Any) -> Any:
    if int(x) % 5 == 2:
        raise ValueError(f"{int(x)} is refused")
    return x


def numbers(count: int = 8) -> Any:
    """Return numbers of which 2, 7 and so on cannot be made."""
    return Dataset.range(count).map(checked)


def read(dataset: Any) -> list[Any]:
    """Return all that a dataset gives, None for an error."""
    found: list[Any] = []
    reader = iter(dataset)
    while True:
        try:
            found.append(next(reader).tolist())
        except StopIteration:
            return found
        except ValueError:
            found.append(None)


STEPS: dict[str, tuple[Step, list[Any]]] = {
    "map": (lambda d: d.map(lambda x: x + 10), [10, 11, None, 13, 14, 15, 16, None]),
    "parallel": (
        lambda d: Dataset.range(8).map(checked, num_parallel_calls=2),
        [0, 1, None, 3, 4, 5, 6, None],
    ),
    "behind parallel": (
        lambda d: d.map(lambda x: x, num_parallel_calls=2),
        [0, 1, None, 3, 4, 5, 6, None],
    ),
    "filter": (lambda d: d.filter(lambda x: x > 3), [None, 4, 5, 6, None]),
    "a predicate": (
        lambda d: Dataset.range(4).filter(lambda x: checked(x) < 9),
        [0, 1, None, 3],
    ),
    "take": (lambda d: d.take(3), [0, 1, None, 3]),
    "skip": (lambda d: d.skip(1), [1, None, 3, 4, 5, 6, None]),
    "skip the error": (lambda d: d.skip(3), [None, 6, None]),
    "shard": (lambda d: d.shard(2, 1), [1, None, 4, 6, None]),
    "batch": (lambda d: d.batch(2), [[0, 1], None, [4, 5], None]),
    "padded_batch": (
        lambda d: d.padded_batch(2),
        [[0, 1], None, [3, 4], [5, 6], None],
    ),
    "rebatch": (
        lambda d: d.batch(1).rebatch(2),
        [[0, 1], None, [3, 4], [5, 6], None],
    ),
    "unbatch": (
        lambda d: d.batch(1).unbatch(),
        [0, 1, None, 3, 4, 5, 6, None],
    ),
    "window": (
        lambda d: d.window(2).flat_map(lambda w: w),
        [0, 1, None, 4, 5, None],
    ),
    "repeat": (lambda d: d.take(2).repeat(2), [0, 1, 0, 1]),
    "repeat the error": (
        lambda d: numbers(3).repeat(2),
        [0, 1, None, 0, 1, None],
    ),
    "concatenate": (
        lambda d: numbers(3).concatenate(Dataset.range(1)),
        [0, 1, None, 0],
    ),
    "flat_map": (
        lambda d: numbers(4).flat_map(Dataset.range),
        [0, None, 0, 1, 2],
    ),
    "flat_map within": (
        lambda d: Dataset.range(3, 5).flat_map(numbers),
        [0, 1, None, 0, 1, None, 3],
    ),
    "interleave": (
        lambda d: Dataset.range(3, 5).interleave(numbers, 2),
        [0, 0, 1, 1, None, None, 3],
    ),
    "scan": (
        lambda d: d.scan(tl.constant(0, "int64"), lambda s, x: (s + x, s + x)),
        [0, 1, None, 4, 8, 13, 19, None],
    ),
    "unique": (lambda d: d.unique(), [0, 1, None, 3, 4, 5, 6, None]),
    "take_while": (lambda d: d.take_while(lambda x: x < 4), [0, 1, None, 3]),
    "prefetch": (lambda d: d.prefetch(2), [0, 1, None, 3, 4, 5, 6, None]),
    "group_by_window": (
        lambda d: d.group_by_window(lambda x: x % 2, lambda _, w: w.batch(2), 2),
        [None, [1, 3], [0, 4], None, [6], [5]],
    ),
    "bucket_by_sequence_length": (
        lambda d: (
            numbers(4).map(tl.arange).bucket_by_sequence_length(len, [4], [2, 2])
        ),
        [[[0], [0]], None, [[0, 1, 2]]],
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_steps_go_on(name: str) -> None:
    step, expected = STEPS[name]
    assert read(step(numbers())) == expected


def test_members_and_their_numbers_stay_together() -> None:
    reader = iter(numbers(4).enumerate())
    found: list[Any] = [next(reader), next(reader)]
    with pytest.raises(ValueError, match="2 is refused"):
        next(reader)
    found.append(next(reader))
    assert [(int(i), int(x)) for i, x in found] == [(0, 0), (1, 1), (3, 3)]


def test_shuffled_elements_are_all_there() -> None:
    found = read(numbers().shuffle(3, seed=1))
    assert sorted(x for x in found if x is not None) == [0, 1, 3, 4, 5, 6]
    assert found.count(None) == 2


def test_a_cache_keeps_what_could_be_made() -> None:
    cached = numbers(4).cache()
    assert read(cached) == [0, 1, None, 3]
    assert read(cached) == [0, 1, 3]


def test_files_that_are_not_there_are_passed_over(tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in ("first", "none", "last")]
    for name in (names[0], names[2]):
        Path(name).write_text(f"{Path(name).name}\n", encoding="utf-8")
    lines = tl.data.TextLineDataset(names)
    with pytest.raises(tl.errors.NotFoundError):
        list(lines)
    assert [x.tolist() for x in lines.ignore_errors()] == [b"first", b"last"]


def test_errors_are_left_out_and_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "tensorlite.data"):
        assert read(numbers().ignore_errors()) == [0, 1, 3, 4, 5, 6]
        assert not caplog.records
        assert read(numbers(4).ignore_errors(log_warning=True)) == [0, 1, 3]
    assert "2 is refused" in caplog.text


def test_nothing_but_errors_ends() -> None:
    refused = Dataset.range(2, 3).map(checked)
    assert read(refused.repeat().ignore_errors()) == []


def test_errors_are_left_out_in_traced_functions() -> None:
    @tl.function
    def total() -> Any:
        words = Dataset.from_tensor_slices(["1", "one", "2"])
        whole = tl.constant(0.0)
        for number in words.map(tl.strings.to_number).ignore_errors():
            whole += number
        return whole

    assert float(total()) == 3.0


def test_what_is_not_read_any_more_is_let_go() -> None:
    closed: list[str] = []

    def generate() -> Iterator[int]:
        try:
            yield from range(9)
        finally:
            closed.append("generator")

    reader = iter(Dataset.from_generator(generate, output_types=tl.int64).take(2))
    assert [int(next(reader)), int(next(reader))] == [0, 1]
    assert not closed
    assert next(reader, None) is None
    assert closed == ["generator"]
