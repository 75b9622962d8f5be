"""What the engine on Ray does beyond what every engine does; nodes that are lost."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    ResourceExhaustedError,
    UnavailableError,
)
from tensorlite.distributed.engines.engine import Keys, Needs, TaskSettings
from tensorlite.distributed.engines.ray_engine import RayEngine
from tensorlite.distributed.engines.ray_session import ENVIRONMENT, session
from tensorlite.distributed.transport.carrier import Carrier
from tests.distributed.fake_engine import ROOT, Echo
from tests.threads import LONG, until

PS = [f"/job:ps/task:{i}" for i in range(2)]
CLIENT, GUEST = "/job:client/task:0", "/job:client/task:1"

pytestmark = pytest.mark.cluster


def settings(task: str, cluster: str = "demo") -> TaskSettings:
    return TaskSettings(cluster, task, Keys(b"0123456789abcdef"))


@contextmanager
def started(
    tasks: int = 1, cluster: str = "demo", **options: Any
) -> Iterator[RayEngine]:
    """Give an engine with some tasks."""
    engine = RayEngine(Echo, **options)
    try:
        wanted = [settings(task, cluster) for task in PS[:tasks]]
        engine.start(wanted, {"ps": Needs(1)}, guests=[settings(GUEST, cluster)])
        yield engine
    finally:
        engine.close()


def doubled(engine: RayEngine, own: TaskSettings, task: str) -> list[int]:
    """Return what a task answers to a client."""
    carrier = engine.carrier(own)
    came: SimpleQueue[Any] = SimpleQueue()
    carrier.serve(lambda *said: came.put(said), lambda *_: None)
    try:
        found = engine.registration(task, LONG)
        carrier.meet(task, found.address, found.incarnation)
        carrier.send(task, 0, ("x", ()), np.arange(3))
        answer: list[int] = came.get(timeout=LONG)[2].tolist()
        return answer
    finally:
        carrier.close()


def marked(mark: str) -> list[str]:
    """Return the processes that a program has left which bears a mark, and their children."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(path.with_name("cmdline").read_text().replace("\0", " "))
        except OSError:  # it has ended meanwhile
            continue
    return found


PROGRAM = f"""
import os, signal, sys
from tensorlite.distributed.transport.carrier import Carrier
from tensorlite.distributed.engines.engine import Keys, TaskSettings
from tensorlite.distributed.engines.ray_engine import RayEngine
from tests.distributed.fake_engine import Echo
engine = RayEngine(Echo)
engine.start([TaskSettings("demo", "{PS[0]}", Keys(b"0123456789abcdef"))], {{}})
print(engine.registration("{PS[0]}", 60).task, flush=True)
engine.watch(print)
sys.stdin.readline()
"""


def run(
    ending: str, folder: Path
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Return what a program said, and the processes there were while its task ran."""
    mark = uuid.uuid4().hex
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM + ending],
        env={
            **os.environ,
            "PYTHONPATH": f"{ROOT}/src:{ROOT}",
            "TMPDIR": str(folder),
            "TENSORLITE_TEST": mark,
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        first = program.stdout.readline()
        there = marked(mark)
        said, errors = program.communicate("\n")
    # After an abrupt end these two try to tell it for a minute, and then end too.
    agents = (
        () if program.returncode in {0, 1} else ("DashboardAgent", "RuntimeEnvAgent")
    )
    until(lambda: all(name.strip().endswith(agents) for name in marked(mark)))
    done = subprocess.CompletedProcess(
        "program", program.returncode, first + said, errors
    )
    return done, there


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("raise RuntimeError('the program fails')", 1),
        ("os._exit(3)", 3),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("", 0),
    ],
    ids=["raises", "exits", "killed", "forgets"],
)
def test_a_program_leaves_no_process(ending: str, code: int) -> None:
    with tempfile.TemporaryDirectory(
        prefix="t-",
        dir="/tmp",  # paths of sockets are short
        ignore_cleanup_errors=True,
    ) as folder:
        done, there = run(ending, Path(folder))
        assert done.stdout == f"{PS[0]}\n", done.stderr
        assert done.returncode == code
        assert any("raylet" in name for name in there)
        assert any("Actor" in name for name in there)
        if code in {0, 1}:  # it could clear away
            assert not list(Path(folder).iterdir())
            assert done.stderr.strip().endswith("the program fails" if code else "")
            assert "core_worker" not in done.stderr


def test_one_cluster_after_another() -> None:
    pids = []
    for cluster in ("first", "second"):
        with started(cluster=cluster) as engine:
            assert doubled(engine, settings(CLIENT, cluster), PS[0]) == [0, 2, 4]
            pids.append(engine.registration(PS[0], LONG).pid)
            folder = session.folder
            assert folder
        assert not Path(folder).exists()
        until(lambda: not Path(f"/proc/{pids[-1]}").exists())


def test_what_another_ray_has_left_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = tmp_path / "ray"
    stale.mkdir()
    (stale / "ray_current_cluster").write_text("127.0.0.1:1")
    (stale / "session_latest").symlink_to(stale / "gone")
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with started() as engine:
        assert engine.registration(PS[0], LONG).task == PS[0]


def test_a_cluster_too_small_for_its_spec() -> None:
    with (
        pytest.raises(
            ResourceExhaustedError,
            match=r"no room .* within 0.5 seconds. Asked for: /job:ps/task:0 1 CPU and 0 GPU, "
            r"/job:ps/task:1 1 CPU .*The nodes have: [\d.]+ 1 CPU and 0 GPU; of that is free: "
            r"1 CPU and 0 GPU. Ask for less",
        ),
        started(2, cpus=1, room=0.5),
    ):
        pass
    with started(1, cpus=1) as engine:  # nothing is held
        assert engine.registration(PS[0], LONG)


def test_nobody_answers_at_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "ray_current_cluster").write_text("127.0.0.1:2")
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    for address, said in (
        ("127.0.0.1:1", r"127\.0\.0\.1:1 .* cannot be reached"),
        ("auto", r"127\.0\.0\.1:2 \(auto\) cannot be reached"),
        ("here", "here .* cannot be reached"),
    ):
        engine = RayEngine(Echo, address)
        with pytest.raises(UnavailableError, match=said):
            engine.start([settings(PS[0])], {})
        engine.close()
    with pytest.raises(InvalidArgumentError, match="the address of the head node"):
        RayEngine(Echo, "ray://127.0.0.1:1").join("demo", GUEST)


def test_a_ray_of_the_user_stays() -> None:
    session.enter(None, 2, nothing)  # stands for the user, for whom nothing is ended
    try:
        with started() as engine:
            assert doubled(engine, settings(CLIENT), PS[0]) == [0, 2, 4]
        ray = importlib.import_module("ray")
        assert ray.is_initialized()
    finally:
        session.leave(nothing)
    assert not ray.is_initialized()


def nothing() -> None:
    """There is nothing to close."""


def test_clients_and_clusters_of_one_name() -> None:
    with started() as engine:
        carrier = engine.carrier(settings(CLIENT))
        assert doubled(engine, settings(GUEST), PS[0]) == [0, 2, 4]
        with pytest.raises(
            FailedPreconditionError,
            match="client /job:client/task:0 of cluster 'demo' is there already",
        ):
            engine.carrier(settings(CLIENT))
        other = RayEngine(Echo)
        with pytest.raises(FailedPreconditionError, match="cluster 'demo' is there"):
            other.start([settings(PS[0])], {})
        with pytest.raises(FailedPreconditionError, match="starts or joins one"):
            engine.start([settings(PS[0])], {})
        assert engine.registration(PS[0], LONG)
        carrier.close()


def test_a_guest_joins() -> None:
    with started() as engine:
        guest = RayEngine(Echo)
        own = guest.join("demo", GUEST)
        assert own == settings(GUEST)
        assert guest.tasks == engine.tasks
        deaths: SimpleQueue[str] = SimpleQueue()
        guest.watch(lambda task, why: deaths.put(task))
        assert doubled(guest, own, PS[0]) == [0, 2, 4]
        engine.kill(PS[0])
        assert deaths.get(timeout=LONG) == PS[0]
        guest.close()
        assert doubled(engine, settings(CLIENT), PS[0]) == [0, 2, 4]
        for cluster, client, said in (
            ("other", GUEST, "no cluster 'other' on this Ray; there are: demo"),
            (
                "demo",
                CLIENT,
                "no client /job:client/task:0; it expects: /job:client/task:1",
            ),
        ):
            with pytest.raises(NotFoundError, match=said):
                RayEngine(Echo).join(cluster, client)


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Give a Ray of two nodes on this machine, each with room for two tasks."""
    for name, value in {**ENVIRONMENT, "PYTHONPATH": f"{ROOT}/src:{ROOT}"}.items():
        monkeypatch.setenv(name, value)
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as folder:
        for name in ("RAY_TMPDIR", "TMPDIR"):
            monkeypatch.setenv(name, folder)
        options = {"num_cpus": 2, "object_store_memory": 80 << 20}
        cluster = importlib.import_module("ray.cluster_utils").Cluster(
            initialize_head=True,
            head_node_args={**options, "include_dashboard": False},
        )
        cluster.second = cluster.add_node(**options)
        cluster.folder = Path(folder)
        yield cluster
        cluster.shutdown()


def test_a_node_is_lost_and_its_task_comes_back_on_another(nodes: Any) -> None:
    with started(2, address=nodes.address) as engine:
        before = {task: engine.registration(task, LONG) for task in PS}
        deaths: SimpleQueue[tuple[str, str]] = SimpleQueue()
        engine.watch(lambda *said: deaths.put(said))
        begun = time.monotonic()
        nodes.remove_node(nodes.second, allow_graceful=False)
        lost, why = deaths.get(timeout=LONG)
        noticed = time.monotonic()
        assert "node" in why
        after = {task: engine.registration(task, LONG) for task in PS}
        print(
            f"noticed {noticed - begun:.2f} s, back {time.monotonic() - begun:.2f} s"
        )
        assert after[lost].incarnation > before[lost].incarnation
        (other,) = set(PS) - {lost}
        assert after[other] == before[other]
        assert deaths.empty()


def test_a_second_program_is_a_client(nodes: Any) -> None:
    program = f"""
from tensorlite.distributed.engines.ray_engine import RayEngine
from tests.distributed.fake_engine import Echo
from tests.distributed.test_ray_engine import doubled
engine = RayEngine(Echo, "{nodes.address}")
own = engine.join("demo", "{GUEST}")
print(doubled(engine, own, "{PS[0]}"))
engine.close()
"""
    with started(1, address=nodes.address) as engine:
        assert engine.address == nodes.address
        taken = engine.carrier(settings(CLIENT))
        for expected in ("[0, 2, 4]\n", "[0, 2, 4]\n"):  # the name is free again
            done = subprocess.run(
                [sys.executable, "-c", program],
                capture_output=True,
                text=True,
                check=True,
            )
            assert done.stdout == expected
        with pytest.raises(subprocess.CalledProcessError) as found:
            subprocess.run(
                [sys.executable, "-c", program.replace(GUEST, CLIENT)],
                capture_output=True,
                text=True,
                check=True,
            )
        assert "expects no client /job:client/task:0" in found.value.stderr
        taken.close()
        assert list(nodes.folder.glob("tensorlite-*"))
    assert not list(nodes.folder.glob("tensorlite-*"))


class Unreadable:
    """Makes a worker, and cannot be read in another process."""

    def __call__(self, settings: TaskSettings, carrier: Carrier) -> Echo:
        return Echo(settings, carrier)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return importlib.import_module, ("no_such_package",)


def test_a_node_without_the_library_is_told_at_once() -> None:
    engine = RayEngine(Unreadable())
    try:
        engine.start([settings(PS[0])], {})
        with pytest.raises(
            UnavailableError, match=r"(?s)does not start: .*no_such_package"
        ):
            engine.registration(PS[0], LONG)
    finally:
        engine.close()
