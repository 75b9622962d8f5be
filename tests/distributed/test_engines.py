"""What every engine does: one set of tests, run by each of them."""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import (
    FailedPreconditionError,
    NotFoundError,
    UnavailableError,
)
from tensorlite.distributed.engines.engine import Engine, Keys, Needs, TaskSettings
from tensorlite.distributed.engines.host import check_versions
from tensorlite.distributed.engines.inprocess import InprocessEngine
from tensorlite.distributed.engines.ray_engine import RayEngine
from tensorlite.distributed.engines.ray_session import session
from tensorlite.distributed.transport.carrier import COMMAND, Carrier
from tensorlite.distributed.transport.keys import make_keys
from tests.distributed.fake_engine import Echo, Failing, FakeEngine
from tests.threads import LONG, until

PS, WORKER, CLIENT = "/job:ps/task:0", "/job:worker/task:1", "/job:client/task:0"


def fake(make: type[Echo] = Echo) -> Engine:
    return FakeEngine(make.__name__)


def on_ray(make: type[Echo] = Echo) -> Engine:
    return RayEngine(make)


def inprocess(make: type[Echo] = Echo) -> Engine:
    return InprocessEngine(make=make)


def nothing() -> None:
    """There is nothing to close."""


PROCESSES = [
    pytest.param(make, marks=pytest.mark.cluster, id=make.__name__)
    for make in (fake, on_ray)
]


@pytest.fixture(scope="module", params=[inprocess, *PROCESSES])
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
        self.answers: deque[Any] = deque()
        self.deaths: deque[Any] = deque()
        self.carrier.serve(
            lambda *said: self._note(self.answers, said), lambda *_: None
        )
        engine.watch(lambda *said: self._note(self.deaths, said))

    def ask(self, task: str) -> int:
        """Have a task double a number; return its incarnation."""
        found = self.engine.registration(task, LONG)
        self.carrier.meet(task, found.address, found.incarnation)
        self.carrier.send(task, COMMAND, ("x", (7,)), np.arange(3))
        who, key, value = self._next(self.answers)
        assert (who, key, value.tolist()) == (task, ("x", (7,)), [0, 2, 4])
        return found.incarnation

    def death(self) -> str:
        """Return which task has died, once that is told."""
        task, why = self._next(self.deaths)
        assert why
        return str(task)

    def _note(self, where: deque[Any], said: tuple[Any, ...]) -> None:
        where.append(said)
        self.carrier.wake()

    def _next(self, where: deque[Any]) -> Any:
        assert self.carrier.wait(lambda: bool(where), LONG)
        return where.popleft()


@pytest.fixture
def client(engine: Engine) -> Iterator[Client]:
    begin(engine)
    made = Client(engine, settings(CLIENT))
    yield made
    made.carrier.close()


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


@pytest.mark.parametrize("engines", PROCESSES, indirect=True)
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


def test_a_task_that_is_killed_is_told_and_comes_back(client: Client) -> None:
    other = client.ask(PS)
    last = 0
    for _ in range(3):
        incarnation = client.ask(WORKER)
        assert incarnation > last
        last = incarnation
        client.engine.kill(WORKER)
        assert client.death() == WORKER
    assert client.ask(WORKER) > last
    assert client.ask(PS) == other
    assert not client.deaths


@pytest.mark.parametrize("engines", PROCESSES, indirect=True)
def test_a_process_that_dies_is_told_and_comes_back(client: Client) -> None:
    incarnation = client.ask(PS)
    os.kill(client.engine.registration(PS, LONG).pid, signal.SIGKILL)
    assert client.death() == PS
    assert client.ask(PS) > incarnation


def test_all_tasks_may_die_at_once(client: Client) -> None:
    before = {task: client.ask(task) for task in (PS, WORKER)}
    for task in before:
        client.engine.kill(task)
    assert {client.death() for _ in before} == set(before)
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


@pytest.mark.parametrize("engines", PROCESSES, indirect=True)
def test_closing_ends_the_processes(client: Client) -> None:
    pids = [client.engine.registration(task, LONG).pid for task in (PS, WORKER)]
    client.engine.close()
    until(lambda: all(map(is_gone, pids)))


def test_closing_tells_nobody(client: Client) -> None:
    engine = client.engine
    for task in (PS, WORKER):
        client.ask(task)
    engine.close()
    assert not client.deaths
    engine.close()
    with pytest.raises(FailedPreconditionError, match="closed"):
        engine.registration(PS, LONG)


def test_a_task_that_is_not_there(engine: Engine) -> None:
    begin(engine)
    for asked in (lambda task: engine.registration(task, LONG), engine.kill):
        with pytest.raises(NotFoundError, match="no task '/job:ps/task:9'"):
            asked("/job:ps/task:9")
