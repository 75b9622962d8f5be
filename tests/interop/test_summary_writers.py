"""Summary writers in GraphDefs: what is in the file is what TensorFlow 2.21 writes there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import FailedPreconditionError
from tensorlite.ops.summaries.event_messages import message
from tests.interop.graphdefs import Program, Session
from tests.train.events import decoded


def program(folder: Path) -> Program:
    """Return nodes that open a writer, and a step."""
    made = Program()
    made.node("SummaryWriter", "w", shared_name="writer", container="")
    inputs = [
        made.const(name, value)
        for name, value in {
            "logdir": str(folder),
            "queue": np.int32(10),
            "millis": np.int32(1000),
            "suffix": ".v2",
        }.items()
    ]
    made.node("CreateSummaryFileWriter", "open", "w", *inputs)
    made.const("step", np.int64(7))
    return made


def ran(made: Program, folder: Path, *names: str) -> list[Any]:
    """Run nodes behind the opening; return the events but the first, which is the version."""
    made.node("CloseSummaryWriter", "close", "w")
    # Written and read again it does the same.
    again = tl.interop.tensorflow.to_graphdef(made.session().graph)
    session = Session(tl.interop.tensorflow.from_graphdef(again))
    for name in ("open", *names, "close"):
        session.run(session.graph.get_operation_by_name(name))
    return list(tl.summary.read_events(folder))[1:]


def written(folder: Path, op: str, *values: Any, **attributes: Any) -> Any:
    """Return the summary that an operator writes as that of step 7."""
    made = program(folder)
    inputs = [made.const(f"in{i}", value) for i, value in enumerate(values)]
    made.node(op, "out", "w", "step", *inputs, **attributes)
    (event,) = ran(made, folder, "out")
    assert event.step == 7
    assert [path.name[-3:] for path in folder.iterdir()] == [".v2"]
    (value,) = event.summary.value
    return value


def test_numbers(tmp_path: Path) -> None:
    value = written(
        tmp_path, "WriteScalarSummary", "loss", np.float32(0.5), T=tl.float32
    )
    assert (value.tag, value.simple_value) == ("loss", 0.5)


def test_histograms(tmp_path: Path) -> None:
    values = np.array([1, 1, 3], np.float32)
    value = written(tmp_path, "WriteHistogramSummary", "h", values, T=tl.float32)
    assert (value.histo.num, value.histo.sum_squares) == (3, 11)
    assert list(value.histo.bucket) == [0, 2, 0, 1, 0]
    assert value.histo.bucket_limit[1] == pytest.approx(1.0089710279437536)


def test_pictures(tmp_path: Path) -> None:
    picture = np.array([0, 255], np.uint8).reshape(1, 1, 2, 1)
    red = np.array([255, 0, 0, 255], np.uint8)
    value = written(
        tmp_path, "WriteImageSummary", "im", picture, red, T=tl.uint8, max_images=3
    )
    assert value.tag == "im/image/0"
    assert decoded(value.image.encoded_image_string).tolist() == [[0, 255]]


def test_sounds(tmp_path: Path) -> None:
    clips = np.zeros((1, 4, 1), np.float32)
    value = written(
        tmp_path, "WriteAudioSummary", "au", clips, np.float32(8000), max_outputs=3
    )
    assert value.tag == "au/audio/0"
    assert (value.audio.sample_rate, value.audio.length_frames) == (8000, 4)


def test_tensors(tmp_path: Path) -> None:
    value = written(tmp_path, "WriteSummary", np.float32(2), "t", "", T=tl.float32)
    assert (value.tag, value.tensor.dtype) == ("t", 1)


def test_graphs_and_events_as_they_are(tmp_path: Path) -> None:
    made = program(tmp_path)
    made.const("graph", b"graph")
    made.const("event", message("Event")(step=9).SerializeToString())
    made.node("WriteGraphSummary", "first", "w", "step", "graph")
    made.node("ImportEvent", "second", "w", "event")
    events = ran(made, tmp_path, "first", "second")
    assert [(x.step, x.graph_def) for x in events] == [(7, b"graph"), (9, b"")]


def test_a_writer_without_a_file_says_so(tmp_path: Path) -> None:
    made = program(tmp_path)
    made.const("one", np.float32(1))
    made.const("tag", "x")
    made.node("WriteScalarSummary", "out", "w", "step", "tag", "one", T=tl.float32)
    session: Session = made.session()
    with pytest.raises(FailedPreconditionError, match="CreateSummaryFileWriter"):
        session.run(session.graph.get_operation_by_name("out"))


def test_sound_whose_rate_is_an_attribute() -> None:
    made = Program()
    made.const("tag", "a")
    made.const("x", np.zeros((1, 4), np.float32))
    made.node("AudioSummary", "y", "tag", "x", sample_rate=8000.0, max_outputs=1)
    found = message("Summary").FromString(made.session().run("y:0")).value[0]
    assert (found.tag, found.audio.sample_rate) == ("a/audio", 8000)
