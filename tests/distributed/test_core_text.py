"""What tasks print, and errors that they tell; what is kept of what came over sockets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.distributed.cluster import Cluster
from tensorlite.distributed.master import _write
from tensorlite.distributed.transport.parcels import Parcel
from tests.distributed.thread_engine import ThreadEngine

PS, FIRST, SECOND = "/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with tl.distribute.connect({"ps": 1, "worker": 2}, engine="inprocess") as made:
        yield made


def test_what_tasks_print_is_written_here(
    cluster: Cluster, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    @tl.function
    def told(x: tl.Tensor) -> tl.Tensor:
        for i, device in enumerate((FIRST, SECOND, PS, None, FIRST)):
            with tl.device(device):
                tl.print("turn", i, x + i)
        with tl.device(SECOND):
            tl.print("wrong", output_stream="stderr", end="!\n")
            tl.print("kept", output_stream=f"file://{tmp_path}/kept")
        return x

    told(tl.asarray(1))
    with tl.device(FIRST):
        tl.print("by itself", tl.asarray([1.0, 2.0]))
    found = capsys.readouterr()
    lines = [f"turn {i} {i + 1}" for i in range(5)]
    assert found.out.splitlines() == [*lines, "by itself [1. 2.]"]
    assert found.err == "wrong!\n"
    assert (tmp_path / "kept").read_text() == "kept\n"


def test_what_is_printed_before_an_error_is_written(
    cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    @tl.function
    def told(x: tl.Tensor) -> tl.Tensor:
        with tl.device(FIRST):
            tl.print("before")
            tl.debugging.assert_greater(x, 0.0, message="it is small")
            tl.print("after")
        return x

    with pytest.raises(tl.errors.AssertionFailedError, match="it is small"):
        told(tl.asarray(-1.0))
    assert capsys.readouterr().out == "before\n"


def test_a_task_writes_no_file_here(tmp_path: Path) -> None:
    for stream in (f"file://{tmp_path}/x", "__dict__", "", 3):
        with pytest.raises(tl.errors.ProtocolError, match="a task prints to"):
            _write(stream, "text")  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_an_object_to_print_to_stays_in_this_program(cluster: Cluster) -> None:
    class Lines(list[str]):
        def write(self, text: str) -> None:
            self.append(text)

    lines = Lines()

    @tl.function
    def told(x: tl.Tensor) -> tl.Tensor:
        with tl.device(FIRST):
            y = x + 1.0
        tl.print("y =", y, output_stream=lines)
        return y

    assert float(told(tl.asarray(1.0))) == 2
    assert lines == ["y = 2.0\n"]

    @tl.function
    def astray(x: tl.Tensor) -> tl.Tensor:
        with tl.device(FIRST):
            tl.print(x, output_stream=lines)
        return x

    with pytest.raises(tl.errors.GraphError, match="exists in this process only"):
        astray(tl.asarray(1.0))


def test_bad_numbers_are_told_by_their_task(cluster: Cluster) -> None:
    @tl.function
    def checked(x: tl.Tensor) -> tl.Tensor:
        with tl.device(FIRST):
            return tl.debugging.check_numerics(x + 1.0, "here")

    with pytest.raises(tl.errors.NumericsError, match="here holds 1 NaN") as caught:
        checked(tl.asarray(float("nan")))
    assert f"in task {FIRST}" in caught.value.__notes__


# Over sockets.


@pytest.fixture
def linked() -> Iterator[Cluster]:
    spec = {"ps": 1, "worker": 2}
    with tl.distribute.connect(spec, engine=ThreadEngine()) as made:
        yield made


def test_tasks_print_one_after_the_other(
    linked: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each has a link of its own to the program; what comes by which is not in order by itself."""
    devices = (FIRST, SECOND, PS, FIRST, PS, None, SECOND, FIRST)

    @tl.function
    def told(x: tl.Tensor) -> tl.Tensor:
        for i, device in enumerate(devices):
            with tl.device(device):
                tl.print(x, i)
        return x

    for turn in range(60):
        told(tl.asarray(turn))
        lines = [f"{turn} {i}" for i in range(len(devices))]
        assert capsys.readouterr().out.splitlines() == lines


def test_a_step_that_waits_for_what_it_printed_is_given_up(
    cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    @tl.function
    def told(x: tl.Tensor) -> tl.Tensor:
        with tl.device(FIRST):
            tl.print("said", x)
        with tl.device(SECOND):
            tl.print("done", x)
        return x

    told(tl.asarray(0))
    master = cluster.master
    command = master.command

    def mute(task: str, *parcels: Parcel) -> None:
        if parcels[0].key[0] != "said":
            command(task, *parcels)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(master, "command", mute)
        with pytest.raises(tl.errors.DeadlockError) as caught:
            told(tl.asarray(1))
    assert "waits for what it printed to be written, in told" in str(caught.value)
    told(tl.asarray(2))
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["said 0", "done 0", "said 1", "said 2", "done 2"]


def test_variables_that_were_assigned_what_came_hold_up_no_link(
    linked: Cluster,
) -> None:
    """There are sixteen segments a link; what is kept for long is copied."""
    with tl.device(PS):
        variables = [tl.Variable(np.zeros(50_000, np.float32)) for _ in range(40)]

    @tl.function
    def assigned(x: tl.Tensor) -> tl.Tensor:
        for i, v in enumerate(variables):
            with tl.device(FIRST):
                y = x + float(i)
            v.assign(y)
        return x

    for turn in range(3):
        assigned(tl.asarray(np.full(50_000, turn, np.float32)))
        for i, v in enumerate(variables):
            v.assign(np.full(50_000, i, np.float32) + v.numpy())
        found = [float(v.numpy()[-1]) for v in variables]
        assert found == [turn + 2.0 * i for i in range(40)]


def test_values_that_are_kept_there_hold_up_no_link(linked: Cluster) -> None:
    x = np.ones(50_000, np.float32)
    kept = []
    for i in range(40):
        with tl.device(FIRST):
            y = tl.identity(tl.asarray(x * i))
        with tl.device(SECOND):
            kept += [y, tl.identity(y)]
    assert [float(y.numpy()[0]) for y in kept[::2]] == list(range(40))
    assert [float(y.numpy()[-1]) for y in kept[1::2]] == list(range(40))
