"""Event files are written in time, whole, and by any thread; damaged ones are told."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    DataLossError,
    FailedPreconditionError,
    InvalidArgumentError,
)
from tensorlite.ops.summaries.event_messages import board, message
from tests.train.events import accumulated, written


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "logs")


@pytest.fixture
def writer(folder: str) -> Iterator[tl.summary.SummaryWriter]:
    made = tl.summary.create_file_writer(folder)
    yield made
    made.close()


def values_of(summary: Any) -> list[tuple[str, str]]:
    return [
        (value.tag, value.metadata.plugin_data.plugin_name) for value in summary.value
    ]


def test_file_writers_take_summaries_graphs_and_metadata(folder: str) -> None:
    graph = tl.Graph()
    with graph.as_default():
        tl.exp(tl.placeholder(tl.float32, (2,)))
    summary = message("Summary")()
    summary.value.add(tag="x", simple_value=1.0)
    summary.value[0].metadata.plugin_data.plugin_name = "scalars"
    with tl.summary.FileWriter(folder, graph) as writer:
        assert writer.get_logdir() == folder
        writer.add_summary(summary, 1)
        writer.add_summary(summary.SerializeToString(), np.int64(2))
        writer.add_summary(np.asarray(summary.SerializeToString(), object), 3)
        writer.add_run_metadata(message("RunMetadata")(), "run", 3)
        with pytest.raises(InvalidArgumentError, match="already used"):
            writer.add_run_metadata(message("RunMetadata")(), "run")
        writer.add_session_log(message("SessionLog")(status=1), 4)
        writer.add_event(message("Event")(step=5))
        writer.flush()
    assert values_of(summary) == [("x", "scalars")]
    events = list(tl.summary.read_events(folder))
    assert [event.step for event in events] == [0, 0, 1, 2, 3, 3, 4, 5]
    assert [values_of(event.summary) for event in events[2:5]] == [
        [("x", "scalars")],
        [("x", "")],
        [("x", "")],
    ]
    assert [x.name for x in accumulated(folder).Graph().node] == [
        "Placeholder",
        "Exp",
    ]
    assert accumulated(folder).RunMetadata("run") == message("RunMetadata")()


def test_a_closed_file_writer_warns_until_it_is_opened_again(folder: str) -> None:
    writer = tl.summary.FileWriter(folder)
    writer.close()
    writer.close()
    for use in (writer.flush, lambda: writer.add_summary(b"", 1)):
        with pytest.warns(UserWarning, match="closed FileWriter"):
            use()
    writer.reopen()
    writer.add_summary(b"", 2)
    writer.close()
    assert [event.step for event in tl.summary.read_events(folder)] == [0, 0, 2]


def test_a_closed_writer_takes_no_more(writer: tl.summary.SummaryWriter) -> None:
    writer.close()
    writer.close()
    writer.flush()
    with (
        writer.as_default(step=1),
        pytest.raises(FailedPreconditionError, match="is closed"),
    ):
        tl.summary.scalar("x", 1.0)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for make in (tl.summary.create_file_writer, tl.summary.FileWriter):
        with pytest.raises(
            InvalidArgumentError, match=r"logdir=.* cannot be written"
        ):
            make(tmp_path / "file" / "logs")
    with pytest.raises(InvalidArgumentError, match="cannot be written"):
        tl.summary.embedding(tmp_path / "file" / "logs", "e", [[1.0]])


@pytest.mark.parametrize("setting", ["max_queue", "flush_millis"])
def test_settings_are_checked(folder: str, setting: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"{setting}=0"):
        tl.summary.create_file_writer(folder, **{setting: 0})  # type: ignore[arg-type]


def until(condition: Callable[[], bool]) -> bool:
    """Return whether something comes to be, in a minute at most."""
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def test_events_are_written_when_enough_wait_or_time_has_passed(folder: str) -> None:
    def seen() -> int:
        return len(written(folder))

    hasty = tl.summary.create_file_writer(folder, max_queue=2, flush_millis=10**8)
    with hasty.as_default():
        tl.summary.scalar("x", 1.0, 0)
        assert seen() == 0
        tl.summary.scalar("x", 1.0, 1)
        assert seen() == 2
        tl.summary.scalar("x", 1.0, 2)
        hasty.flush()
        assert seen() == 3
    slow = tl.summary.create_file_writer(folder, max_queue=99, flush_millis=50)
    context = slow.as_default()
    context.__enter__()
    tl.summary.scalar("x", 1.0, 3)
    assert until(lambda: seen() == 4)
    context.__exit__(None, None, None)
    for one in (hasty, slow):
        one.close()


def test_at_the_end_of_the_program_all_is_written(folder: str) -> None:
    program = (
        "import tensorlite as tl\n"
        f"writer = tl.summary.create_file_writer({folder!r}, 99, 10**8)\n"
        "writer.set_as_default(step=1)\n"
        "for i in range(20): tl.summary.scalar('x', 1.0 * i)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert [value for _, _, value in written(folder)] == list(range(20))


def test_threads_share_a_writer(
    folder: str, writer: tl.summary.SummaryWriter
) -> None:
    def record(number: int) -> None:
        with writer.as_default():
            for step in range(50):
                tl.summary.scalar(f"thread{number}", float(step), step)

    threads = [Thread(target=record, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = written(folder)
    for i in range(6):
        steps = [at for tag, at, _ in found if tag == f"thread{i}"]
        assert steps == list(range(50))


def test_damaged_files_are_told_from_those_being_written(folder: str) -> None:
    with tl.summary.FileWriter(folder) as writer:
        for step in range(3):
            writer.add_summary(b"\n\x08\n\x01x\x15\0\0\0\0", step)
        path = writer.file.path
    data = path.read_bytes()
    for cut in (0, 5, len(data) - 3, len(data) - 30):
        path.write_bytes(data[:cut])
        assert len(list(tl.summary.read_events(path))) < 4
    for place in (3, 14, len(data) - 2):
        damaged = bytes([data[place] ^ 0xFF])
        path.write_bytes(data[:place] + damaged + data[place + 1 :])
        with pytest.raises(DataLossError, match="checksum at byte"):
            list(tl.summary.read_events(path))
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        list(tl.summary.read_events(path.with_name("none")))


def test_a_length_beyond_the_file_asks_for_no_memory(tmp_path: Path) -> None:
    check = board(
        "tensorboard.compat.tensorflow_stub.pywrap_tensorflow"
    ).masked_crc32c
    length = (2**62).to_bytes(8, "little")
    path = tmp_path / "events.tfevents"
    path.write_bytes(length + check(length).to_bytes(4, "little") + bytes(99))
    assert list(tl.summary.read_events(path)) == []


def test_without_the_package_an_error_names_the_extra(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for cached in (board, message):
        cached.cache_clear()
    monkeypatch.setitem(sys.modules, "tensorboard.compat.proto.event_pb2", None)
    with pytest.raises(ImportError, match=r"tensorlite\[tensorboard\]"):
        tl.summary.create_file_writer(folder)
    message.cache_clear()


def test_files_of_one_second_are_read_in_the_order_they_were_made(
    folder: str,
) -> None:
    for step in range(12):
        with tl.summary.FileWriter(folder) as writer:
            writer.add_summary(b"", step)
    steps = [event.step for event in tl.summary.read_events(folder) if event.step]
    assert steps == list(range(1, 12))
