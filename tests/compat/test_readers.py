"""Readers, files of records and parsing; what is expected is what TensorFlow 1.15 gives."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1
from tensorlite.compat.shared import io_gfile as gfile, parsing
from tensorlite.compat.v1 import python_io
from tensorlite.compat.v1.pipelines import (
    batching,
    input as inputs,
    parsing as parsing_v1,
    readers,
)
from tensorlite.graph_mode.graph import mode, reset_default_graph
from tensorlite.train.coordinator import Coordinator

tf: Any = v1


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def read(reader: Any, paths: list[Path], *others: Any) -> list[Any]:
    """Return the keys, without folders, and values that a reader gives of files."""
    queue = inputs.string_input_producer(
        list(map(str, paths)), num_epochs=1, shuffle=False
    )
    key, value = reader.read(queue)
    found: list[Any] = []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coordinator = Coordinator()
        threads = inputs.start_queue_runners(session, coordinator)
        while len(found) < 99:
            try:
                k, v, *rest = session.run([key, value, *others])
            except tl.errors.OutOfRangeError:
                break
            found.append((Path(k.decode()).name, v, *rest))
        coordinator.request_stop()
        coordinator.join(threads)
    return found


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path, text in zip(paths, ("h\none\n", "h\ntwo\nthree"), strict=True):
        path.write_text(text)
    return paths


def test_lines(texts: list[Path]) -> None:
    reader = readers.TextLineReader(skip_header_lines=1)
    assert reader.reader_ref.name == "TextLineReaderV2:0"
    assert read(reader, texts) == [
        ("a.txt:2", b"one"),
        ("b.txt:2", b"two"),
        ("b.txt:3", b"three"),
    ]


def test_whole_files_and_names(texts: list[Path]) -> None:
    assert read(readers.WholeFileReader(), texts) == [
        ("a.txt", b"h\none\n"),
        ("b.txt", b"h\ntwo\nthree"),
    ]
    reset_default_graph()
    found = read(readers.IdentityReader(), texts)
    assert [key for key, _ in found] == ["a.txt", "b.txt"]


def test_records_and_pieces(tmp_path: Path) -> None:
    path = tmp_path / "r"
    options = python_io.TFRecordOptions(python_io.TFRecordCompressionType.GZIP)
    with python_io.TFRecordWriter(str(path), options) as writer:
        writer.write(b"one")
        writer.write(b"three")
    assert list(python_io.tf_record_iterator(str(path), options)) == [
        b"one",
        b"three",
    ]
    assert read(readers.TFRecordReader(options=options), [path]) == [
        ("r:0", b"one"),
        ("r:19", b"three"),
    ]
    reset_default_graph()
    path.write_bytes(b"headaabbcc")
    reader = readers.FixedLengthRecordReader(2, header_bytes=4)
    assert read(reader, [path]) == [("r:0", b"aa"), ("r:1", b"bb"), ("r:2", b"cc")]
    reset_default_graph()
    hopping = readers.FixedLengthRecordReader(4, header_bytes=4, hop_bytes=1)
    assert [value for _, value in read(hopping, [path])] == [
        b"aabb",
        b"abbc",
        b"bbcc",
    ]


@pytest.mark.parametrize("encoding", ["GZIP", "ZLIB"])
def test_pieces_that_begin_apart_are_read_of_compressed_files(
    tmp_path: Path, encoding: str
) -> None:
    path = tmp_path / "r"
    pack = gzip.compress if encoding == "GZIP" else zlib.compress
    path.write_bytes(pack(b"headaabbccfoot"))
    reader = readers.FixedLengthRecordReader(
        2, header_bytes=4, footer_bytes=4, hop_bytes=3, encoding=encoding
    )
    assert read(reader, [path]) == [("r:0", b"aa"), ("r:1", b"bc")]


def test_several_at_once_and_what_was_read(texts: list[Path]) -> None:
    reader = readers.TextLineReader()
    queue = inputs.string_input_producer([str(texts[1])], shuffle=False)
    keys, values = reader.read_up_to(queue, 2)
    counts = [reader.num_records_produced(), reader.num_work_units_completed()]
    reset = reader.reset()
    assert values.shape.as_list() == [None]
    with tf.Session() as session:
        coordinator = Coordinator()
        threads = inputs.start_queue_runners(session, coordinator)
        assert [session.run(values).tolist() for _ in range(2)] == [
            [b"h", b"two"],
            [b"three"],
        ]
        assert session.run(counts) == [3, 1]
        session.run([keys, values])
        assert session.run(counts) == [5, 1]
        session.run(reset)
        assert session.run(counts) == [0, 0]
        coordinator.request_stop()
        coordinator.join(threads)


def test_a_pipeline_from_files_to_batches(tmp_path: Path) -> None:
    paths = []
    for i in range(3):
        path = tmp_path / f"{i}.csv"
        path.write_text(f"{i},0.5\n{i + 10},1.5\n")
        paths.append(str(path))
    queue = inputs.string_input_producer(paths, num_epochs=1, shuffle=False)
    _, line = readers.TextLineReader().read(queue)
    number, x = parsing_v1.decode_csv(line, [[0], [0.0]])
    batch = batching.batch([number, x], 3)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coordinator = Coordinator()
        threads = inputs.start_queue_runners(session, coordinator)
        found = [session.run(batch) for _ in range(2)]
        coordinator.request_stop()
        coordinator.join(threads)
    assert [a.tolist() for a, _ in found] == [[0, 10, 1], [11, 2, 12]]


def test_names_and_arguments_of_parsing(tmp_path: Path) -> None:
    x = parsing_v1.decode_raw(tf.constant([b"\1\2"]), tf.uint8, True, "bytes_of")
    assert (x.name, x.dtype) == ("bytes_of:0", tl.uint8)
    example = tl.io.Example()
    example.features.feature["x"].int64_list.value.append(7)
    feature = parsing.FixedLenFeature(tf.TensorShape([]), tf.int64)
    parsed = parsing_v1.parse_single_example(
        example.SerializeToString(), {"x": feature}
    )
    many = parsing_v1.parse_example(
        [example.SerializeToString()], {"x": parsing.VarLenFeature(tf.int64)}
    )
    path = str(tmp_path / "new" / "file")
    written = parsing.write_file(path, "text")
    with tf.Session() as session:
        session.run(written)
        assert session.run(parsing.read_file(path)) == b"text"
        assert session.run(parsed["x"]) == 7
        np.testing.assert_array_equal(session.run(x), [[1, 2]])
        assert session.run(many["x"].values).tolist() == [7]
    assert gfile.exists(path)
    assert gfile.listdir(str(tmp_path)) == ["new"]
    with pytest.raises(tl.errors.InvalidArgumentError, match="is no compression"):
        python_io.tf_record_iterator(path, 7)


def test_eager_programs_are_told_of_datasets() -> None:
    mode.eager = True
    with pytest.raises(tl.errors.InvalidArgumentError, match=r"use tf\.data"):
        readers.WholeFileReader()
