"""Datasets in folders: they come back as they were, by shards; others are refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    DataLossError,
    InvalidArgumentError,
    NotFoundError,
    UnimplementedError,
)
from tensorlite.core.texts import encoded
from tensorlite.data.packing import packed, spec_from_json, spec_to_json, unpacked

Dataset = tl.data.Dataset


class Pair(NamedTuple):
    first: Any
    second: Any


def values(dataset: Any) -> list[Any]:
    return [x.tolist() for x in dataset.as_numpy_iterator()]


def ragged() -> Any:
    return Dataset.from_tensors(tl.ragged.constant([[1, 2], [3]]))


def sparse() -> Any:
    return Dataset.from_tensors(tl.sparse.SparseTensor([[0, 1]], [5.0], (2, 2)))


@pytest.mark.parametrize("compression", [None, "GZIP"])
@pytest.mark.parametrize(
    "element",
    [
        1.5,
        ["a", "", "é"],
        {"b": ([1, 2], True), "a": np.zeros((0, 3))},
        Pair(np.float16(2), [[1j]]),
        (tl.asarray([1.5, -2.0], dtype=tl.bfloat16), [[b"\xff\x00"]]),
    ],
)
def test_elements_come_back(
    tmp_path: Path, element: Any, compression: str | None
) -> None:
    dataset = Dataset.from_tensors(element).repeat(2)
    dataset.save(tmp_path, compression)
    again = Dataset.load(str(tmp_path))
    found = list(again)
    assert len(again) == len(found) == 2
    assert repr(again.element_spec) == repr(dataset.element_spec)
    for x, y in zip(
        tl.nest.flatten(list(dataset)), tl.nest.flatten(found), strict=True
    ):
        assert x.dtype is y.dtype
        assert (encoded(x.numpy()) == y.numpy()).all()
    assert type(found[0]).__name__ == type(next(iter(dataset))).__name__


@pytest.mark.parametrize("made", [ragged, sparse])
def test_ragged_and_sparse_elements_come_back(
    tmp_path: Path, made: Callable[[], Any]
) -> None:
    made().save(tmp_path)
    again = Dataset.load(tmp_path)
    assert repr(again.element_spec) == repr(made().element_spec)
    assert repr(next(iter(again))) == repr(next(iter(made())))


def test_shards_are_read_in_turns_or_as_a_function_says(tmp_path: Path) -> None:
    Dataset.range(7).save(tmp_path, shard_func=lambda x: x % 3 + 5)
    assert len(list(tmp_path.glob("run-*/*.shard"))) == 3
    assert values(Dataset.load(tmp_path)) == list(range(7))
    by_shard = Dataset.load(
        tmp_path, reader_func=lambda all_: all_.flat_map(lambda x: x)
    )
    assert values(by_shard) == [0, 3, 6, 1, 4, 2, 5]
    turned = Dataset.load(
        tmp_path, reader_func=lambda all_: all_.interleave(lambda x: x, 2, 2)
    )
    assert values(turned) == [0, 3, 1, 4, 6, 2, 5]


def test_a_folder_holds_what_was_saved_last(tmp_path: Path) -> None:
    Dataset.range(5).save(tmp_path)
    held = Dataset.load(tmp_path)
    held.map(lambda x: x + 10).save(tmp_path, "GZIP")
    assert values(Dataset.load(tmp_path)) == [10, 11, 12, 13, 14]
    assert len(list(tmp_path.iterdir())) == 2
    Dataset.range(0).save(tmp_path)
    assert values(Dataset.load(tmp_path)) == []


def test_a_save_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    Dataset.range(2).save(tmp_path)

    def failing() -> Iterator[int]:
        yield 7
        raise OSError("gone")

    for dataset, shards in (
        (Dataset.from_generator(failing, tl.int64), None),
        (Dataset.range(3), lambda x: -x),
    ):
        with pytest.raises((OSError, InvalidArgumentError)):
            dataset.save(tmp_path, shard_func=shards)
        assert values(Dataset.load(tmp_path)) == [0, 1]
        assert len(list(tmp_path.iterdir())) == 2


def test_what_is_not_served_or_not_there_says_so(tmp_path: Path) -> None:
    numbers = Dataset.range(2)
    with pytest.raises(NotFoundError, match="holds no dataset"):
        Dataset.load(tmp_path)
    with pytest.raises(UnimplementedError, match="SNAPPY"):
        numbers.save(tmp_path, "SNAPPY")
    with pytest.raises(InvalidArgumentError, match="allowed are 'GZIP'"):
        numbers.save(tmp_path, "ZIP")
    with pytest.raises(UnimplementedError, match="checkpoint_args"):
        numbers.save(tmp_path, checkpoint_args={"directory": "x"})
    with pytest.raises(UnimplementedError, match="traced functions"):
        tl.function(lambda: numbers.save(tmp_path))()
    numbers.save(tmp_path)
    with pytest.raises(UnimplementedError, match="wait"):
        Dataset.load(tmp_path, wait=True)
    other = Dataset.load(tmp_path, tl.TensorSpec((), tl.float32))
    with pytest.raises(InvalidArgumentError, match="element_spec says"):
        next(iter(other))


@pytest.mark.parametrize(
    "change",
    [
        {"run": "../elsewhere"},
        {"run": "run-1/../../x"},
        {"version": 9},
        {"shards": [[0, -1]]},
        {"shards": [[0]]},
        {"shards": [["0", 2]]},
        {"shards": 3},
        {"compression": "ZLIB"},
        {"spec": {"tensor": ["int64", [-3]]}},
        {"spec": {"tensor": ["nothing", []]}},
        {"spec": {"named": ["a b", ["x"], [None]]}},
        {"spec": {"import": ["os"]}},
        {"spec": 3},
        {"more": 1},
    ],
)
def test_folders_that_nobody_wrote_so_are_refused(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    Dataset.range(2).save(tmp_path)
    file = tmp_path / "dataset.json"
    told = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(told | change), encoding="utf-8")
    with pytest.raises(DataLossError):
        Dataset.load(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100000, "null", '{"run": 1}'])
def test_folders_that_say_nothing_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "dataset.json").write_text(text, encoding="utf-8")
    with pytest.raises(DataLossError):
        Dataset.load(tmp_path)


def test_shards_that_were_cut_off_or_changed_are_refused(tmp_path: Path) -> None:
    Dataset.range(3).save(tmp_path)
    (file,) = tmp_path.glob("run-*/*.shard")
    whole = file.read_bytes()
    third = len(whole) // 3
    for data in (
        whole[: 2 * third],
        whole[:-1],
        whole + whole[:third],
        b"\0" + whole[1:],
    ):
        file.write_bytes(data)
        with pytest.raises(DataLossError):
            list(Dataset.load(tmp_path))
    file.unlink()
    with pytest.raises(NotFoundError):
        list(Dataset.load(tmp_path))


def test_every_record_that_was_cut_off_is_refused() -> None:
    record = packed((tl.asarray([1, 2]), tl.asarray(["ab", "c"])))
    for end in range(len(record)):
        with pytest.raises(DataLossError):
            unpacked(record[:end], "a record")


@pytest.mark.parametrize(
    "leaves",
    [
        [["int64", [2**40]]],
        [["string", [2**40]]],
        [["int64", [-1]]],
        [["object", [1]]],
        [["int64", "x"]],
        [],
        7,
    ],
)
def test_records_that_say_what_they_do_not_hold_are_refused(leaves: Any) -> None:
    parts = [json.dumps({"form": 0, "leaves": leaves}).encode(), b"\1" * 8]
    record = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    with pytest.raises(DataLossError):
        unpacked(record, "a record")


def test_specs_that_cannot_be_kept_are_refused() -> None:
    for spec in (object(), {1: tl.TensorSpec(())}):
        with pytest.raises(tl.errors.DTypeError, match="cannot be kept in files"):
            spec_to_json(spec)
    assert spec_from_json(spec_to_json(None), "a file") is None


def test_a_snapshot_is_kept_by_a_whole_run(tmp_path: Path) -> None:
    calls: list[int] = []

    def counted() -> Iterator[int]:
        for i in range(4):
            calls.append(i)
            yield i

    kept = Dataset.from_generator(counted, tl.int64).snapshot(
        tmp_path, "GZIP", shard_func=lambda x: x % 2
    )
    reader = iter(kept)
    next(reader)
    reader.close()
    assert not list(tmp_path.iterdir())
    assert [values(kept) for _ in range(3)] == [[0, 1, 2, 3]] * 3
    assert calls == [0, 0, 1, 2, 3]
    later = Dataset.range(0).snapshot(
        tmp_path, reader_func=lambda all_: all_.flat_map(lambda x: x)
    )
    assert values(later) == [0, 2, 1, 3]
