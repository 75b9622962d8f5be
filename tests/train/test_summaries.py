"""What summaries write is what TensorBoard reads, and what TensorFlow would have written."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
)
from tensorlite.ops.summaries.event_messages import board, message
from tests.train.events import accumulated, decoded, make_ndarray, written


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "logs")


@pytest.fixture
def writer(folder: str) -> Iterator[tl.summary.SummaryWriter]:
    made = tl.summary.create_file_writer(folder)
    yield made
    made.close()


def test_scalars_are_read_by_tensorboard(
    folder: str, writer: tl.summary.SummaryWriter
) -> None:
    with writer.as_default():
        for step in range(3):
            assert bool(tl.summary.scalar("loss", 2.0**-step, step, "how far off"))
    found = accumulated(folder)
    events = found.Tensors("loss")
    assert [event.step for event in events] == [0, 1, 2]
    assert [make_ndarray(event.tensor_proto) for event in events] == [1.0, 0.5, 0.25]
    metadata = found.SummaryMetadata("loss")
    assert metadata.plugin_data.plugin_name == "scalars"
    assert metadata.summary_description == "how far off"


def test_traced_functions_write_when_they_run(
    folder: str, writer: tl.summary.SummaryWriter
) -> None:
    @tl.function
    def train(x: Any, step: Any) -> Any:
        for i in tl.range(2):
            with tl.name_scope("inner"):
                tl.summary.scalar("x", x, step=step * 10 + i)
            x = x + 1.0
        if x > 100.0:
            tl.summary.scalar("large", x, step=step)
        tl.summary.flush()
        return x

    with writer.as_default():
        for step, x in enumerate([1.0, 99.5]):
            train(tl.asarray(x), tl.asarray(step))
    assert train.trace_count == 1
    assert written(folder) == [
        ("inner/x", 0, 1.0),
        ("inner/x", 1, 2.0),
        ("inner/x", 10, 99.5),
        ("inner/x", 11, 100.5),
        ("large", 1, 101.5),
    ]


@pytest.mark.parametrize("runner", ["structured", "frames"])
def test_every_runner_writes_in_program_order(
    folder: str, writer: tl.summary.SummaryWriter, runner: str
) -> None:
    @tl.function(runner=runner)
    def count(n: Any) -> Any:
        i = tl.asarray(0)
        while i < n:
            tl.summary.scalar("i", i, step=i)
            i = i + 1
        return i

    with writer.as_default():
        count(tl.asarray(20))
    assert [step for _, step, _ in written(folder)] == list(range(20))


def test_a_session_writes_what_it_fetches(
    folder: str, writer: tl.summary.SummaryWriter
) -> None:
    graph = tl.Graph()
    with graph.as_default(), writer.as_default():
        x = tl.placeholder(tl.float32, ())
        done = tl.summary.scalar("x", x, step=7)
        tl.summary.scalar("not fetched", x, step=8)
    assert tl.Session(graph).run(done, {x: 3.0})
    writer.flush()
    assert written(folder) == [("x", 7, 3.0)]


def test_steps_come_from_the_call_the_writer_and_the_thread(
    folder: str, writer: tl.summary.SummaryWriter
) -> None:
    step = tl.Variable(np.int64(5))
    with writer.as_default(step=1):
        tl.summary.scalar("x", 0.0)
        tl.summary.scalar("x", 0.0, step=2)
        with writer.as_default(step=3):
            tl.summary.scalar("x", 0.0)
        tl.summary.scalar("x", 0.0)
        tl.summary.set_step(step)
        record = tl.function(lambda: tl.summary.scalar("x", 0.0))
        record()
        step.assign_add(1)
        record()
    assert tl.summary.get_step() is None
    assert [at for _, at, _ in written(folder)] == [1, 2, 3, 1, 5, 6]


def test_without_a_writer_nothing_is_written() -> None:
    assert not tl.summary.has_default_writer()
    assert not bool(tl.summary.scalar("x", 1.0))
    assert not bool(tl.summary.should_record_summaries())
    with tl.summary.create_noop_writer().as_default(step=1):
        assert not bool(tl.summary.scalar("x", 1.0))


def test_without_a_step_an_error_says_how_to_give_one(
    writer: tl.summary.SummaryWriter,
) -> None:
    with (
        writer.as_default(),
        pytest.raises(InvalidArgumentError, match=r"No step set.*set_step"),
    ):
        tl.summary.scalar("x", 1.0)


def test_conditions_are_bools_functions_and_tensors(
    folder: str, writer: tl.summary.SummaryWriter
) -> None:
    @tl.function
    def train(step: Any) -> None:
        with tl.summary.record_if(lambda: step % 2 == 0):
            tl.summary.scalar("even", 1.0, step=step)

    called: list[int] = []

    def value() -> tl.Tensor:
        called.append(1)
        return tl.asarray(1.0)

    with writer.as_default():
        for step in range(5):
            train(tl.asarray(step))
        for condition in (False, lambda: False, tl.asarray(False)):
            with tl.summary.record_if(condition):
                assert not bool(tl.summary.write("never", value, step=0))
    assert not called
    assert [(tag, at) for tag, at, _ in written(folder)] == [
        ("even", 0),
        ("even", 2),
        ("even", 4),
    ]


def test_tags_keep_what_names_of_nodes_may_not_have(
    folder: str, writer: tl.summary.SummaryWriter
) -> None:
    with writer.as_default(step=0), tl.name_scope("a"):
        tl.summary.scalar("x y/z!", 1.0)
    assert written(folder) == [("a/x y/z!", 0, 1.0)]


def test_histograms_count_as_numpy_does(
    folder: str, writer: tl.summary.SummaryWriter
) -> None:
    values = np.random.default_rng(0).normal(size=(20, 10))
    with writer.as_default(step=0):
        tl.summary.histogram("h", values, buckets=7)
        tl.summary.histogram("same", [2.0, 2.0], buckets=3)
        tl.summary.histogram("empty", np.zeros(0), buckets=2)
    found = {tag: np.asarray(rows) for tag, _, rows in written(folder)}
    counts, edges = np.histogram(values, 7)
    np.testing.assert_allclose(found["h"][:, 0], edges[:-1])
    np.testing.assert_allclose(found["h"][:, 1], edges[1:])
    np.testing.assert_array_equal(found["h"][:, 2], counts)
    assert found["same"].tolist() == [[2, 2, 0], [2, 2, 0], [2, 2, 2]]
    assert found["empty"].tolist() == [[0, 0, 0]] * 2
    name = accumulated(folder).SummaryMetadata("h").plugin_data.plugin_name
    assert name == "histograms"


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_images_are_png(
    folder: str, writer: tl.summary.SummaryWriter, channels: int
) -> None:
    shape = (3, 5, 4, channels)
    images = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
    with writer.as_default(step=0):
        assert bool(tl.summary.image("i", images, max_outputs=2))
    ((_, _, (width, height, *encoded)),) = written(folder)
    assert (width, height, len(encoded)) == (b"4", b"5", 2)
    for wanted, data in zip(images, encoded, strict=False):
        np.testing.assert_array_equal(decoded(data).reshape(wanted.shape), wanted)


# From TensorFlow 2.21: tf.image.convert_image_dtype(x, tf.uint8, saturate=True).
BYTES = {
    "float32": (
        [-0.1, 0, 0.2, 0.5, 0.999, 1, 2],
        [0, 0, 51, 127, 255, 255, 255],
    ),
    "int32": ([-5, 0, 2**23, 2**24, 2**31 - 1], [0, 0, 1, 2, 255]),
    "int8": ([-3, 0, 5, 127], [0, 0, 10, 254]),
    "uint16": ([0, 255, 256, 65535], [0, 0, 1, 255]),
}


@pytest.mark.parametrize("dtype", BYTES)
def test_images_of_other_dtypes_are_scaled_as_by_tensorflow(
    folder: str, writer: tl.summary.SummaryWriter, dtype: str
) -> None:
    given, wanted = BYTES[dtype]
    with writer.as_default(step=0):
        tl.summary.image("i", np.asarray(given, dtype).reshape(1, 1, -1, 1))
    ((_, _, (_, _, data)),) = written(folder)
    assert decoded(data).ravel().tolist() == wanted


def test_sound_is_wav(folder: str, writer: tl.summary.SummaryWriter) -> None:
    sound = np.asarray([[[0.0, 0.5], [-1.0, 2.0]]], np.float32)
    with writer.as_default(step=0):
        tl.summary.audio("s", sound, 8000)
    ((_, _, ((data, label),)),) = written(folder)
    io, wave = import_module("io"), import_module("wave")
    with wave.open(io.BytesIO(data)) as file:
        assert (file.getframerate(), file.getnchannels()) == (8000, 2)
        frames = np.frombuffer(file.readframes(9), "<i2")
    assert (label, frames.tolist()) == (b"", [0, 16384, -32768, 32767])


def test_texts_may_be_tables(folder: str, writer: tl.summary.SummaryWriter) -> None:
    with writer.as_default(step=0):
        tl.summary.text("t", "one **two**")
        tl.summary.text("table", tl.asarray([["a", "b"], ["c", "ü"]]))
        with pytest.raises(DTypeError, match="takes strings"):
            tl.summary.text("t", 1.0)
    assert [value for _, _, value in written(folder)] == [
        b"one **two**",
        [[b"a", b"b"], [b"c", "ü".encode()]],
    ]


def test_a_scalar_has_no_axes(writer: tl.summary.SummaryWriter) -> None:
    with (
        writer.as_default(step=0),
        pytest.raises(InvalidArgumentError, match="a scalar has no axes"),
    ):
        tl.summary.scalar("x", [1.0, 2.0])


def test_messages_are_written_as_they_are(
    folder: str, writer: tl.summary.SummaryWriter
) -> None:
    summary = message("Summary")()
    summary.value.add(tag="a", simple_value=1.0)
    with writer.as_default(step=4):
        assert bool(tl.summary.write_raw_pb(summary.SerializeToString()))
    (event,) = [x for x in tl.summary.read_events(folder) if x.HasField("summary")]
    assert (event.step, event.summary) == (4, summary)


def test_embeddings_have_labels_and_pictures(tmp_path: Path) -> None:
    vectors, pictures = np.arange(6.0).reshape(3, 2), np.zeros((3, 4, 5, 1))
    pictures[2] = 1.0
    tl.summary.embedding(tmp_path, "a/b", vectors, ["x", "y\tz", 3], pictures)
    tl.summary.embedding(tmp_path, "c", vectors, {"n": [1, 2, 3], "m": "uvw"})
    tl.summary.embedding(tmp_path, "c", vectors, {"n": [1, 2, 3], "m": "uvw"})
    module = board("tensorboard.plugins.projector.projector_config_pb2")
    config = board("google.protobuf.text_format").Parse(
        (tmp_path / "projector_config.pbtxt").read_text(), module.ProjectorConfig()
    )
    first, second = config.embeddings
    assert (first.tensor_name, second.tensor_name) == ("a/b", "c")
    read = np.loadtxt(tmp_path / first.tensor_path, delimiter="\t")
    np.testing.assert_array_equal(read, vectors)
    assert (tmp_path / first.metadata_path).read_text() == "x\ny z\n3\n"
    assert (tmp_path / second.metadata_path).read_text() == "n\tm\n1\tu\n2\tv\n3\tw\n"
    assert list(first.sprite.single_image_dim) == [5, 4]
    sheet = decoded((tmp_path / first.sprite.image_path).read_bytes())
    assert sheet.shape == (8, 10)
    assert (sheet[4:, :5] == 255).all()
    assert sheet.sum() == 255 * 20


def test_embeddings_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="rows of numbers"):
        tl.summary.embedding(tmp_path, "e", [1.0, 2.0])
    with pytest.raises(InvalidArgumentError, match="1 vectors and 2 labels"):
        tl.summary.embedding(tmp_path, "e", [[1.0]], ["a", "b"])
    with pytest.raises(InvalidArgumentError, match="images are"):
        tl.summary.embedding(tmp_path, "e", [[1.0]], images=np.zeros((2, 1, 1, 1)))
