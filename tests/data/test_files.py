"""Files of records, lines and values; damaged ones are refused."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import tensorlite as tl
from tensorlite.ops.strings.csv import split_line

DataLossError = tl.errors.DataLossError


def values(dataset: Any) -> list[Any]:
    return list(dataset.as_numpy_iterator())


def written(path: Path, records: list[bytes], kind: str = "") -> str:
    with tl.data.TFRecordWriter(str(path), kind) as writer:
        for record in records:
            writer.write(record)
    return str(path)


RECORDS = [b"", b"one\0", b"x" * 5000]


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_records_there_and_back(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path / "a", RECORDS, kind)
    assert values(tl.data.TFRecordDataset(path, kind)) == RECORDS
    assert values(tl.data.TFRecordDataset([path, path], kind)) == RECORDS * 2
    names = tl.data.Dataset.from_tensor_slices([path, path])
    assert values(tl.data.TFRecordDataset(names, kind).skip(4)) == RECORDS[1:]
    turns = tl.data.TFRecordDataset([path, path], kind, num_parallel_reads=2)
    assert values(turns) == [x for x in RECORDS for _ in range(2)]


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_damaged_records_are_lost_data(tmp_path: Path, kind: str) -> None:
    whole = Path(written(tmp_path / "a", RECORDS, kind)).read_bytes()
    damaged = tmp_path / "b"
    for cut in range(1, len(whole), 7 if kind else 997):
        damaged.write_bytes(whole[:cut])
        if not kind and cut in (16, 36):
            continue
        with pytest.raises(DataLossError):
            values(tl.data.TFRecordDataset(str(damaged), kind))
    if not kind:
        for place in (0, 9, 13, 17, 30, 60, len(whole) - 1):
            damaged.write_bytes(
                whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :]
            )
            with pytest.raises(DataLossError):
                values(tl.data.TFRecordDataset(str(damaged)))


def test_a_length_that_is_a_lie_takes_no_memory(tmp_path: Path) -> None:
    size = (2**62).to_bytes(8, "little")
    path = tmp_path / "huge"
    path.write_bytes(size + _masked(size) + b"abc")
    with pytest.raises(DataLossError, match="truncated record"):
        values(tl.data.TFRecordDataset(str(path)))


def _masked(data: bytes) -> bytes:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    rotated = crc >> 15 | crc << 17
    return ((rotated + 0xA282EAD8) % 2**32).to_bytes(4, "little")


def test_what_is_written_has_the_format(tmp_path: Path) -> None:
    data = Path(written(tmp_path / "a", [b"one"])).read_bytes()
    size = (3).to_bytes(8, "little")
    assert data == size + _masked(size) + b"one" + _masked(b"one")


def test_lines(tmp_path: Path) -> None:
    text, packed = tmp_path / "t", tmp_path / "g"
    text.write_bytes(b"one\r\ntwo\n\nlast")
    packed.write_bytes(gzip.compress(b"a\nb\n"))
    both = tl.data.TextLineDataset([str(text), str(text)])
    assert values(both) == [b"one", b"two", b"", b"last"] * 2
    assert values(tl.data.TextLineDataset(str(packed), "GZIP").skip(1)) == [b"b"]
    packed.write_bytes(zlib.compress(b"a\nb\n")[:-5])
    with pytest.raises(DataLossError):
        values(tl.data.TextLineDataset(str(packed), "ZLIB"))
    with pytest.raises(tl.errors.InvalidArgumentError, match="'GZIP' and 'ZLIB'"):
        tl.data.TextLineDataset(str(text), "BZ2")
    with pytest.raises(tl.errors.NotFoundError, match="No such file"):
        values(tl.data.TextLineDataset(str(tmp_path / "none")))


def test_pieces_of_one_length(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"headaabbccft")
    pieces = tl.data.FixedLengthRecordDataset(str(path), 2, 4, 2)
    assert values(pieces) == [b"aa", b"bb", b"cc"]
    with pytest.raises(tl.errors.InvalidArgumentError, match="not a multiple"):
        values(tl.data.FixedLengthRecordDataset(str(path), 5, 4, 2))


def test_tables(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_text('n,x,s\n1,0.5,"a,""b"""\n2,,\n3,1,"two\nlines"\n')
    rows = tl.data.CsvDataset(str(path), [tl.int32, [9.0], ["d"]], header=True)
    assert [(int(n), float(x), s.item()) for n, x, s in rows] == [
        (1, 0.5, b'a,"b"'),
        (2, 9.0, "d"),
        (3, 1.0, b"two\nlines"),
    ]
    needed = tl.data.CsvDataset(str(path), [tl.float32], header=True, select_cols=[1])
    with pytest.raises(tl.errors.InvalidArgumentError, match="Field 0 is required"):
        values(needed)
    two = tl.data.CsvDataset(str(path), [[0], [0]], header=True)
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="Expect 2 fields but have 3"
    ):
        values(two)


@given(st.lists(st.text(alphabet='a",\\ '), min_size=1, max_size=5))
def test_quoted_fields_come_back(fields: list[str]) -> None:
    escaped = [field.replace('"', '""') for field in fields]
    line = ",".join(f'"{field}"' for field in escaped).encode()
    assert split_line(line) == [field.encode() for field in fields]


def test_files_are_listed(tmp_path: Path) -> None:
    names = [str(tmp_path / f"{i}.txt") for i in range(3)]
    for name in names:
        tl.io.write_file(name, name)
    listed = tl.data.Dataset.list_files(str(tmp_path / "*.txt"), shuffle=False)
    assert [x.decode() for x in values(listed)] == names
    read = listed.map(tl.io.read_file)
    assert [x.decode() for x in values(read)] == names
    drawn = tl.data.Dataset.list_files([str(tmp_path / "?.txt")], seed=3)
    assert sorted(values(drawn)) == values(listed)
    with pytest.raises(tl.errors.NotFoundError, match="No files matched"):
        tl.data.Dataset.list_files(str(tmp_path / "*.png"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"1,2\n\n3,4\n", [[1, 2], None, [3, 4]]),
        (b"1,2\nx,3\n3,4\n1,2,3\n5,6", [[1, 2], None, [3, 4], None, [5, 6]]),
        (b"1,2\r3,4\r\n5,6\r", [[1, 2], [3, 4], [5, 6]]),
        (b'1,"2\n3",4\n', None),
    ],
)
def test_rows_behind_a_wrong_one_are_read(
    tmp_path: Path, text: bytes, expected: list[Any] | None
) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(text)
    reader = iter(tl.data.CsvDataset(str(path), [[0], [0]]))
    found: list[Any] = []
    while True:
        try:
            found.append([int(x) for x in next(reader)])
        except StopIteration:
            break
        except tl.errors.InvalidArgumentError:
            found.append(None)
    assert found == ([None] if expected is None else expected)


def test_quoted_fields_keep_their_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b'"a\r\nb",2\r\n"c""\n",4\r\nd"e,5\nf,6')
    rows = tl.data.CsvDataset(str(path), [[""], [0]], ignore_errors=True)
    found = [(word.item(), int(n)) for word, n in rows]
    assert found == [(b"a\r\nb", 2), (b'c"\n', 4), (b"f", 6)]


def test_columns_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("1,2,3\n4,5,6\n", encoding="utf-8")
    rows = tl.data.CsvDataset(str(path), [[0], [0]], exclude_cols=[1, 5])
    assert [[int(x) for x in row] for row in rows] == [[1, 3], [4, 6]]
    with pytest.raises(tl.errors.InvalidArgumentError, match="increase"):
        tl.data.CsvDataset(str(path), [[0], [0]], select_cols=[1, 0])
    with pytest.raises(tl.errors.InvalidArgumentError, match="one of them"):
        tl.data.CsvDataset(str(path), [[0]], select_cols=[0], exclude_cols=[1])
    path.write_text("", encoding="utf-8")
    with pytest.raises(tl.errors.InvalidArgumentError, match="header"):
        list(tl.data.CsvDataset(str(path), [[0]], header=True))
