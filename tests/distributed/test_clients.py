"""Several clients of one cluster, those that may not be one, and what `connect` refuses."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core import remote
from tensorlite.distributed.cluster import Cluster
from tensorlite.distributed.engines import ray_session
from tensorlite.distributed.engines.engine import Keys
from tensorlite.distributed.engines.host import carrier
from tensorlite.distributed.engines.inprocess import InprocessEngine
from tensorlite.distributed.transport.parcels import Parcel
from tests.distributed.fake_engine import ROOT
from tests.distributed.test_ray_engine import marked
from tests.distributed.thread_engine import ThreadEngine
from tests.threads import LONG, until

PS, FIRST = "/job:ps/task:0", "/job:worker/task:0"
SPEC = {"ps": 1, "worker": 1}


@contextmanager
def speaking(cluster: Cluster, others: Cluster) -> Iterator[None]:
    """Let device names be those of one of two clusters that this process is connected to."""
    remote.leave(others)
    remote.join(cluster)
    try:
        yield
    finally:
        remote.leave(cluster)
        remote.join(others)


@pytest.fixture
def first() -> Iterator[Cluster]:
    with tl.distribute.connect(SPEC, engine=InprocessEngine(3)) as made:
        yield made


@pytest.fixture
def second(first: Cluster) -> Iterator[Cluster]:
    remote.leave(first)
    made = tl.distribute.connect(SPEC, engine=first.engine, client=1)
    remote.leave(made)
    remote.join(first)
    yield made
    remote.leave(first)
    made.close()
    remote.join(first)


def shared_queue() -> Any:
    with tl.device(PS):
        return tl.queue.FIFOQueue(9, tl.int32, shapes=(), shared_name="numbers")


def worker_of(cluster: Cluster, task: str) -> Any:
    engine: Any = cluster.engine
    return engine._tasks[task].worker


def test_clients_share_what_has_a_name(first: Cluster, second: Cluster) -> None:
    assert (
        repr(second)
        == "<Cluster 'tensorlite': 1 ps, 1 worker, as /job:client/task:1>"
    )
    assert first.address is None
    queue = shared_queue()
    queue.enqueue(41)
    with speaking(second, first):
        also = shared_queue()
        assert int(also.dequeue()) == 41
        also.enqueue(42)
        with tl.device(FIRST):
            assert (tl.ones(2) * 3.0).tolist() == [3, 3]
    assert int(queue.dequeue()) == 42


def test_a_client_that_joined_ends_nothing_but_itself(
    first: Cluster, second: Cluster
) -> None:
    second.close()
    assert second.closed
    with tl.device(FIRST):
        assert (tl.ones(2) * 3.0).tolist() == [3, 3]
    remote.leave(first)
    try:
        again = tl.distribute.connect(SPEC, engine=first.engine, client=1)
        again.close()
    finally:
        remote.join(first)


def test_what_a_client_that_dies_wanted_is_given_up(
    first: Cluster, second: Cluster
) -> None:
    with tl.device(PS):
        mine = tl.Variable([1.0, 2.0])
    queue = shared_queue()
    found: list[Any] = []
    with speaking(second, first):
        also = shared_queue()
        with tl.device(PS):
            theirs = tl.ones((200, 200)) + 1.0

        @tl.function
        def take() -> Any:
            with tl.device(PS):
                x = also.dequeue()
            with tl.device(FIRST):
                return x + 1

        concrete = take.get_concrete_function()
        step: Any = concrete.callee.placed().step
        step.begin([x.array for x in concrete.captured], found.append)
        first.master.carrier.wait(lambda: len(second.status().waits) == 2)
    worker = worker_of(first, PS)
    assert worker._clients[second.client].held
    carrier: Any = second.master.carrier
    first_engine: Any = first.engine
    first_engine.network.kill(carrier)
    first.master.carrier.wait(lambda: second.client not in worker._clients, 10.0)
    assert second.client not in worker._clients
    assert first.status().waits == ()
    queue.enqueue(7)
    assert int(queue.size()) == 1  # nobody else takes it
    assert mine.numpy().tolist() == [1, 2]
    assert theirs.shape == (200, 200)


def test_two_clients_of_one_name(first: Cluster, second: Cluster) -> None:
    remote.leave(first)
    try:
        with pytest.raises(
            tl.errors.FailedPreconditionError,
            match=r"has a client /job:client/task:1",
        ):
            tl.distribute.connect(SPEC, engine=first.engine, client=1)
    finally:
        remote.join(first)


def test_a_cluster_that_is_not_what_it_is_taken_for(first: Cluster) -> None:
    with pytest.raises(
        tl.errors.InvalidArgumentError,
        match=r"has 1 ps, 1 worker, and spec=.* asks for 2 ps",
    ):
        tl.distribute.connect({"ps": 2}, engine=first.engine, client=1)


def test_clients_that_are_not_expected(first: Cluster) -> None:
    with pytest.raises(
        tl.errors.NotFoundError, match="expects no client /job:client/task:8; it exp"
    ):
        tl.distribute.connect(SPEC, engine=first.engine, client=8)
    with pytest.raises(tl.errors.NotFoundError, match="'others' expects no client"):
        tl.distribute.connect(SPEC, engine=first.engine, client=1, name="others")
    with pytest.raises(tl.errors.InvalidArgumentError, match="has one client"):
        tl.distribute.connect(SPEC, engine=ThreadEngine(), client=1)


def test_a_task_of_another_version_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Old(InprocessEngine):
        def registration(self, task: str, timeout: float) -> Any:
            found = super().registration(task, timeout)
            return found._replace(versions={**found.versions, "tensorlite": "0.0.1"})

    engine = Old()
    with pytest.raises(
        tl.errors.FailedPreconditionError, match=r"tensorlite 0\.0\.1 there and"
    ):
        tl.distribute.connect(SPEC, engine=engine)
    assert engine._closed
    assert remote.homes() == []


def test_an_interrupt_leaves_nothing_behind() -> None:
    class Interrupted(InprocessEngine):
        def registration(self, task: str, timeout: float) -> Any:
            raise KeyboardInterrupt

    engine = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        tl.distribute.connect(SPEC, engine=engine)
    assert engine._closed
    assert remote.homes() == []


def test_an_interrupt_while_tasks_are_started_leaves_nothing_behind() -> None:
    class Interrupted(InprocessEngine):
        def start(self, *given: Any) -> None:
            super().start(*given)
            raise KeyboardInterrupt

    engine = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        tl.distribute.connect(SPEC, engine=engine)
    assert engine._closed


@pytest.mark.parametrize("times", [1, 2])
def test_an_interrupt_waits_until_ray_has_begun_and_a_second_does_not(
    times: int,
) -> None:
    before, reached = signal.getsignal(signal.SIGINT), []

    def interrupted() -> None:
        with ray_session._interrupted_later():
            for i in range(times):
                signal.raise_signal(signal.SIGINT)
                reached.append(i)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert reached == [0]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_variable_tells_which_task_was_started_anew(first: Cluster) -> None:
    with tl.device(PS):
        w = tl.Variable([1.0, 2.0], name="w")
    first.engine.kill(PS)
    first.master.carrier.wait(lambda: PS in first.lost)
    assert repr(first).endswith(f"lost {PS}>")
    first.recover()
    with pytest.raises(
        tl.errors.FailedPreconditionError,
        match=f"'w'.* lost its value when {PS} was started anew: restore a checkpoint",
    ):
        w.numpy()
    w.assign([3.0, 4.0])
    assert w.numpy().tolist() == [3, 4]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"num_cpus": -1}, "num_cpus=-1: a task of ps cannot have -1"),
        ({"num_cpus": {"p": 1}}, "there is no job 'p'; there are ps, worker"),
        ({"num_gpus": {"ps": "1"}}, "a task of ps cannot have '1'"),
        ({"num_cpus": float("nan")}, "cannot have nan"),
        ({"num_gpus": True}, "cannot have True"),
        ({"client": -1}, "client=-1: its number"),
        ({"clients": 0}, "clients=0: how many"),
        ({"logical_cpus": 0}, "logical_cpus=0: CPU devices"),
        ({"logical_cpus": 1.5}, r"logical_cpus=1\.5"),
        ({"silence": 0.1}, r"silence=0\.1: give seconds, 1 or more"),
        ({"timeout": -1.0}, r"timeout=-1\.0: give seconds"),
        ({"timeout": None}, "timeout=None: give seconds"),
        ({"name": ""}, "name='': a cluster's name has"),
        ({"name": "a/b"}, "name='a/b'"),
        ({"unix": False, "tcp": False}, "no way to talk"),
        ({"address": "auto"}, "engine='inprocess' has none"),
        ({"engine": "ray", "address": "10.0.0.1"}, "'host:port'"),
        ({"engine": "ray", "address": "ray://h:1"}, "'host:port'"),
        ({"engine": "ray", "address": 6379}, "'host:port'"),
        ({"engine": "rai"}, "allowed are ray, inprocess"),
        ({"engine": None}, "allowed are ray, inprocess"),
    ],
)
def test_what_connect_refuses(given: Mapping[str, Any], message: str) -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match=message):
        tl.distribute.connect(SPEC, **{"engine": "inprocess", **given})


@pytest.mark.cluster
def test_an_address_where_nobody_is() -> None:
    with pytest.raises(tl.errors.UnavailableError, match="ray start --head"):
        tl.distribute.connect(SPEC, "127.0.0.1:1")


# Strangers.


def test_who_has_not_the_secret_is_refused() -> None:
    with tl.distribute.connect(SPEC, engine=ThreadEngine()) as cluster:
        settings: Any = cluster.engine
        own = replace(
            settings.settings[PS],
            task="/job:client/task:5",
            keys=Keys(secrets.token_bytes(32)),
        )
        stranger = carrier(own)
        try:
            found = cluster.registrations[PS]
            stranger.meet(PS, found.address, found.incarnation)
            with pytest.raises(tl.errors.UnavailableError, match="secret"):
                stranger.connect(PS)
            with pytest.raises(tl.errors.UnavailableError, match="secret"):
                stranger.send_all(PS, 0, [Parcel(("status", (1,)), np.zeros(0))])
        finally:
            stranger.close()
        with tl.device(PS):
            assert (tl.ones(2) * 3.0).tolist() == [3, 3]
        assert {each.state for each in cluster.status()} == {"running"}


# Programs of their own, on Ray.

HEAD = """
import sys
import tensorlite as tl
SPEC = {"ps": 1, "worker": 1}
def shared_queue():
    with tl.device("/job:ps/task:0"):
        return tl.queue.FIFOQueue(9, tl.int32, shapes=(), shared_name="numbers")
"""
JOINED = """
cluster = tl.distribute.connect(SPEC, sys.argv[1], client=1)
print(cluster, flush=True)
queue = shared_queue()
print(int(queue.dequeue()), flush=True)
"""
GOES_ON = """
with tl.device("/job:ps/task:0"):
    kept = tl.ones((300, 300)) + 1.0
queue.enqueue(2)
queue.enqueue(3)
sys.stdin.readline()
"""
WAITS = """
print("waits", flush=True)
queue.dequeue()
"""
TWICE = """
for spec, client in ((SPEC, 1), ({"ps": 2}, 2), (SPEC, 9)):
    try:
        tl.distribute.connect(spec, sys.argv[1], client=client)
    except tl.errors.TensorliteError as error:
        print(type(error).__name__, error, flush=True)
"""
FORGOTTEN = """
cluster = tl.distribute.connect(SPEC)
print(len(cluster.status()), flush=True)
"""


def program(text: str, *given: str, mark: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HEAD + text, *given],
        env={
            **os.environ,
            "PYTHONPATH": f"{ROOT}/src:{ROOT}",
            "MARK": mark or uuid.uuid4().hex,
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def line(started: subprocess.Popen[str]) -> str:
    """Return the next line that a program says."""
    assert started.stdout is not None
    said = started.stdout.readline().strip()
    if not said:
        started.kill()
        raise AssertionError(started.communicate()[1])
    return said


@pytest.mark.cluster
def test_programs_share_a_cluster() -> None:
    with tl.distribute.connect(SPEC) as cluster:
        assert cluster.address is not None
        queue = shared_queue()
        queue.enqueue(1)
        other = program(JOINED + GOES_ON, cluster.address)
        assert "as /job:client/task:1" in line(other)
        assert line(other) == "1"
        assert (int(queue.dequeue()), int(queue.dequeue())) == (2, 3)
        third = program(TWICE, cluster.address)
        said = third.communicate(timeout=LONG)[0].splitlines()
        assert said[0].startswith("FailedPreconditionError client /job:client/task:1")
        assert "has 1 ps, 1 worker" in said[1]
        assert said[1].startswith("InvalidArgumentError cluster 'tensorlite'")
        assert said[2].startswith("NotFoundError cluster 'tensorlite' expects no")
        held = cluster.status()[PS].held
        assert held is not None
        assert held >= 360_000
        _, said_wrong = other.communicate("\n", timeout=LONG)
        assert (other.returncode, said_wrong) == (0, "")
        until(lambda: cluster.status()[PS].held == 0)
        queue.enqueue(5)
        assert int(queue.dequeue()) == 5


@pytest.mark.cluster
def test_a_program_that_dies_takes_nothing_with_it() -> None:
    with tl.distribute.connect(SPEC) as cluster:
        address = cluster.address
        assert address is not None
        queue = shared_queue()
        queue.enqueue(1)
        other = program(JOINED + WAITS, address)
        assert [line(other) for _ in range(3)][1:] == ["1", "waits"]
        until(lambda: len(cluster.status().waits) == 1)
        other.kill()
        other.communicate()
        until(lambda: not cluster.status().waits)
        queue.enqueue(2)
        assert int(queue.size()) == 1
        again = program(JOINED, address)  # the name is free again, in a while
        assert line(again).endswith("as /job:client/task:1>")
        assert line(again) == "2"
        again.communicate(timeout=LONG)
        assert again.returncode == 0


@pytest.mark.cluster
def test_a_cluster_that_is_forgotten_ends_with_its_program() -> None:
    mark = uuid.uuid4().hex
    ran = program(FORGOTTEN, mark=mark)
    said, wrong = ran.communicate(timeout=LONG)
    assert (ran.returncode, said, wrong) == (0, "2\n", "")
    until(lambda: not marked(mark))


@pytest.mark.cluster
@pytest.mark.parametrize("seconds", [1.0, 3.0, 6.0])
def test_a_program_that_is_interrupted_while_it_connects_leaves_no_process(
    seconds: float,
) -> None:
    mark = uuid.uuid4().hex
    with program(FORGOTTEN, mark=mark) as ran:
        time.sleep(seconds)
        ran.send_signal(signal.SIGINT)
        try:
            ran.communicate(timeout=2 * LONG)
        finally:
            ran.kill()
    until(lambda: not marked(mark))
