"""What every engine does: one set of tests, run by each of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import (
    FailedPreconditionError,
    NotFoundError,
    UnavailableError,
)
from tensorlite.distributed.carrier import COMMAND, Carrier
from tensorlite.distributed.engine import Engine, Keys, Needs, TaskSettings
from tensorlite.distributed.host import check_versions
from tensorlite.distributed.keys import make_keys
from tensorlite.distributed.ray_engine import RayEngine
from tensorlite.distributed.ray_session import session
from tests.distributed.fake_engine import Echo, Failing, FakeEngine
from tests.threads import LONG, until

pytestmark = pytest.mark.cluster

PS, WORKER, CLIENT = "/job:ps/task:0", "/job:worker/task:1", "/job:client/task:0"


def fake(make: type[Echo] = Echo) -> Engine:
    return FakeEngine(make.__name__)


def on_ray(make: type[Echo] = Echo) -> Engine:
    return RayEngine(make)


def nothing() -> None:
    """There is nothing to close."""


@pytest.fixture(scope="module", params=[fake, on_ray])
def engines(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Give what makes engines of a kind; Ray is started once for all of them."""
    if request.param is not on_ray:
        yield request.param
        return
    session.enter(None, 8, nothing)
    yield request.param
    session.leave(nothing)


@pytest.fixture
def engine(engines: Any) -> Iterator[Engine]:
    made: Engine = engines()
    yield made
    made.close()


def settings(task: str, **options: Any) -> TaskSettings:
    return TaskSettings("demo", task, Keys(b"0123456789abcdef"), **options)


def begin(engine: Engine, **options: Any) -> None:
    """Start a parameter server and a worker."""
    engine.start(
        [settings(task, **options) for task in (PS, WORKER)], {"ps": Needs(0)}
    )


class Client:
    """Talks with the tasks of an engine."""

    def __init__(self, engine: Engine, own: TaskSettings) -> None:
        self.engine = engine
        self.carrier: Carrier = engine.carrier(own)
        self._came: SimpleQueue[Any] = SimpleQueue()
        self.carrier.serve(lambda *said: self._came.put(said), lambda *_: None)

    def ask(self, task: str) -> int:
        """Have a task double a number; return its incarnation."""
        found = self.engine.registration(task, LONG)
        self.carrier.meet(task, found.address, found.incarnation)
        self.carrier.send(task, COMMAND, ("x", (7,)), np.arange(3))
        who, key, value = self._came.get(timeout=LONG)
        assert (who, key, value.tolist()) == (task, ("x", (7,)), [0, 2, 4])
        return found.incarnation


@pytest.fixture
def client(engine: Engine) -> Iterator[Client]:
    begin(engine)
    made = Client(engine, settings(CLIENT))
    yield made
    made.carrier.close()


class Deaths:
    """What a watch is told."""

    def __init__(self, engine: Engine) -> None:
        self._told: SimpleQueue[tuple[str, str]] = SimpleQueue()
        engine.watch(lambda *said: self._told.put(said))

    def next(self) -> tuple[str, str]:
        return self._told.get(timeout=LONG)

    def __len__(self) -> int:
        return self._told.qsize()


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_tasks_say_what_they_are(engine: Engine) -> None:
    begin(engine, logical_cpus=2)
    for task in (PS, WORKER):
        found = engine.registration(task, LONG)
        assert found.task == task
        assert found.devices == tuple(f"{task}/device:CPU:{i}" for i in range(2))
        assert found.versions["python"] == sys.version.split()[0]
        assert found.node
        assert found == engine.registration(task, LONG)
        check_versions(task, found.versions)


def test_tasks_and_client_send(client: Client) -> None:
    assert client.ask(PS)
    assert client.ask(WORKER)


def test_over_tls(engine: Engine) -> None:
    keys = make_keys("demo", [PS, CLIENT])
    tls = {"unix": False, "tcp": True}
    engine.start([TaskSettings("demo", PS, keys[PS], **tls)], {})
    client = Client(engine, TaskSettings("demo", CLIENT, keys[CLIENT], **tls))
    assert client.ask(PS)
    address = engine.registration(PS, LONG).address
    assert not address.path
    assert address.tcp
    client.carrier.close()


@pytest.mark.parametrize("times", [3])
def test_a_task_that_is_killed_is_told_and_comes_back(
    client: Client, times: int
) -> None:
    engine = client.engine
    deaths = Deaths(engine)
    other = client.ask(PS)
    last = 0
    for _ in range(times):
        incarnation = client.ask(WORKER)
        assert incarnation > last
        last = incarnation
        engine.kill(WORKER)
        task, why = deaths.next()
        assert task == WORKER
        assert "process" in why
    assert client.ask(WORKER) > last
    assert client.ask(PS) == other
    assert not deaths


def test_a_process_that_dies_is_told_and_comes_back(client: Client) -> None:
    deaths = Deaths(client.engine)
    incarnation = client.ask(PS)
    os.kill(client.engine.registration(PS, LONG).pid, 9)
    assert deaths.next()[0] == PS
    assert client.ask(PS) > incarnation


def test_all_tasks_may_die_at_once(client: Client) -> None:
    deaths = Deaths(client.engine)
    before = {task: client.ask(task) for task in (PS, WORKER)}
    for task in before:
        client.engine.kill(task)
    assert {deaths.next()[0] for _ in before} == set(before)
    for task, incarnation in before.items():
        assert client.ask(task) > incarnation


def test_a_task_that_does_not_start_says_why(engines: Any) -> None:
    engine: Engine = engines(Failing)
    begin(engine)
    try:
        with pytest.raises(UnavailableError, match="OSError: the disk of this task"):
            engine.registration(PS, LONG)
    finally:
        engine.close()


def test_closing_ends_tasks_and_tells_nobody(engine: Engine) -> None:
    begin(engine)
    deaths = Deaths(engine)
    pids = [engine.registration(task, LONG).pid for task in (PS, WORKER)]
    engine.close()
    until(lambda: all(map(is_gone, pids)))
    assert not deaths
    engine.close()
    with pytest.raises(FailedPreconditionError, match="closed"):
        engine.registration(PS, LONG)


def test_a_task_that_is_not_there(engine: Engine) -> None:
    begin(engine)
    with pytest.raises(NotFoundError, match="no task '/job:ps/task:9'"):
        engine.registration("/job:ps/task:9", LONG)
    with pytest.raises(NotFoundError, match="no task '/job:ps/task:9'"):
        engine.kill("/job:ps/task:9")
