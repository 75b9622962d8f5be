"""Datasets that work ahead, in parallel, from memory and from files."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import tensorlite as tl
from tests.threads import until

Dataset = tl.data.Dataset


def values(dataset: Any) -> list[Any]:
    return [x.tolist() for x in dataset.as_numpy_iterator()]


def workers() -> set[threading.Thread]:
    return {t for t in threading.enumerate() if t.name.startswith("tensorlite-")}


def test_prefetching_makes_no_more_ahead_than_it_is_asked_for() -> None:
    made: list[int] = []

    def numbers() -> Iterator[int]:
        for i in range(100):
            made.append(i)
            yield i

    reader = iter(Dataset.from_generator(numbers).prefetch(3))
    assert not made
    assert int(next(reader)) == 0
    until(lambda: len(made) == 5)  # read, 3 ready, and one in the thread's hand
    assert int(next(reader)) == 1
    until(lambda: len(made) == 6)
    reader.close()


@pytest.mark.parametrize("how", ["prefetch", "map"])
def test_threads_end_with_their_iterator(how: str) -> None:
    before = workers()
    endless = Dataset.range(3).repeat()
    if how == "prefetch":
        working = endless.prefetch(2)
    else:
        working = endless.map(lambda x: x + 1, num_parallel_calls=3)
    reader = iter(working)
    next(reader)
    mine = workers() - before
    assert mine
    del reader
    until(lambda: not any(thread.is_alive() for thread in mine))


def test_errors_of_threads_are_raised_where_elements_are_read() -> None:
    def fail(x: Any) -> Any:
        if int(x) == 2:
            raise ValueError("no such element")
        return x

    for dataset in (
        Dataset.range(5).map(fail).prefetch(1),
        Dataset.range(5).map(fail, num_parallel_calls=2),
    ):
        reader = iter(dataset)
        assert [int(next(reader)), int(next(reader))] == [0, 1]
        with pytest.raises(ValueError, match="no such element"):
            next(reader)


def test_parallel_calls_keep_the_order_unless_told_otherwise() -> None:
    gate = threading.Event()

    def held(x: Any) -> Any:
        assert int(x) or gate.wait(30)
        return x * 2

    free = iter(Dataset.range(9).map(held, num_parallel_calls=3, deterministic=False))
    first = int(next(free))
    gate.set()
    assert first != 0
    assert sorted([first, *map(int, free)]) == [2 * i for i in range(9)]
    ordered = Dataset.range(9).map(held, num_parallel_calls=3)
    assert values(ordered) == [2 * i for i in range(9)]
    options = tl.data.Options()
    options.deterministic = False
    assert (
        Dataset.range(2).with_options(options).batch(1).options().deterministic
        is False
    )


def test_a_cache_keeps_the_first_whole_run() -> None:
    calls: list[int] = []

    def counted(x: Any) -> Any:
        calls.append(1)
        return x

    dataset = Dataset.range(4).map(counted).shuffle(4, seed=1).cache()
    next(iter(dataset))
    part = len(calls)
    first = values(dataset)
    assert values(dataset) == values(dataset) == first
    assert len(calls) == part + 4


class Pair(NamedTuple):
    left: Any
    right: Any


def test_a_cache_in_a_file_serves_later_programs(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    elements = {
        "n": np.arange(3),
        "t": np.asarray([b"a\0", b"", b"ccc"], object),
        "h": (
            np.arange(6, dtype=np.float16).reshape(3, 2),
            np.asarray([True, False, True]),
        ),
    }
    once = Dataset.from_tensor_slices(elements).cache(str(path))
    first = [tl.nest.map_structure(np.asarray, x) for x in once]
    (file,) = tmp_path.iterdir()
    assert file.name == "kept.tensorlite-cache"
    later = Dataset.from_generator(lambda: iter(())).cache(str(path))
    for a, b in zip(first, later, strict=True):
        for x, y in zip(tl.nest.flatten(a), tl.nest.flatten(b), strict=True):
            assert x.dtype == y.numpy().dtype
            np.testing.assert_array_equal(x, y.numpy())
    half = tl.asarray([1.5], dtype=tl.bfloat16)
    kept = Dataset.from_tensors(half).cache(str(tmp_path / "b"))
    assert [next(iter(kept)).dtype for _ in range(2)] == [tl.bfloat16] * 2


def test_named_tuples_come_back_from_a_file(tmp_path: Path) -> None:
    pairs = Dataset.from_tensor_slices(Pair([1, 2], [3.0, 4.0])).cache(
        str(tmp_path / "p")
    )
    for _ in range(2):
        found = list(pairs)
        assert [type(x) for x in found] == [Pair, Pair]
        assert [int(x.left) for x in found] == [1, 2]


def test_a_cache_that_was_not_run_to_its_end_leaves_no_file(tmp_path: Path) -> None:
    reader = iter(Dataset.range(5).cache(str(tmp_path / "x")))
    next(reader)
    reader.close()
    assert list(tmp_path.iterdir()) == []


def test_elements_as_numpy() -> None:
    found = list(Dataset.from_tensor_slices((["a"], [1.5])).as_numpy_iterator())
    assert found == [(b"a", np.float32(1.5))]
    assert isinstance(found[0][1], np.float32)


def test_an_iterator_is_read_in_a_traced_function() -> None:
    reader = iter(Dataset.range(3).map(lambda x: x + 10))

    @tl.function
    def following() -> Any:
        return next(reader) * 2

    assert [int(following()) for _ in range(3)] == [20, 22, 24]
    with pytest.raises(tl.errors.OutOfRangeError, match="End of sequence"):
        following()
    with pytest.raises(tl.errors.OutOfRangeError):
        reader.get_next()


def test_a_dataset_made_in_a_traced_function_of_its_tensors() -> None:
    @tl.function
    def total(rows: Any, scale: Any, count: Any) -> Any:
        result = tl.asarray(0.0)
        chosen = tl.data.Dataset.from_tensor_slices(rows).take(count)
        for row in chosen.map(lambda x: tl.sum(x) * scale):
            result += row
        return result

    rows = tl.reshape(tl.arange(6, dtype=tl.float32), (3, 2))
    assert float(total(rows, tl.asarray(2.0), tl.asarray(2))) == 12.0
    assert float(total(rows, tl.asarray(1.0), tl.asarray(3))) == 15.0
    assert total.trace_count == 1


def test_functions_of_functions_capture_tensors_of_the_trace() -> None:
    @tl.function
    def total(limit: Any) -> Any:
        result = tl.asarray(0, dtype=tl.int64)
        inner = tl.data.Dataset.range(3).flat_map(
            lambda i: tl.data.Dataset.range(limit).map(lambda j: i * 10 + j)
        )
        for x in inner:
            result += x
        return result

    assert int(total(tl.asarray(2))) == sum(
        i * 10 + j for i in range(3) for j in range(2)
    )
    assert int(total(tl.asarray(1))) == 30


def test_the_only_element_is_found_in_traces() -> None:
    @tl.function
    def only(count: Any) -> Any:
        return tl.data.Dataset.range(count).map(lambda n: n * 2).get_single_element()

    assert only(tl.constant(1, tl.int64)).item() == 0
    for count in (0, 2):
        with pytest.raises(tl.errors.InvalidArgumentError, match="allowed is one"):
            only(tl.constant(count, tl.int64))
