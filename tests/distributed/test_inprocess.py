"""The engine in this process: what every engine does, and that a seed says all that happens."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tensorlite.core.errors import (
    FailedPreconditionError,
    NotFoundError,
    UnavailableError,
)
from tensorlite.core.xp import cpu_count
from tensorlite.distributed.engines.engine import Engine, Keys, Needs, TaskSettings
from tensorlite.distributed.engines.events import Faults
from tensorlite.distributed.engines.host import check_versions
from tensorlite.distributed.engines.inprocess import InprocessEngine
from tensorlite.distributed.transport.carrier import COMMAND
from tests.distributed.carriers import Answers
from tests.distributed.fake_engine import Echo, Failing
from tests.distributed.pairs import key
from tests.threads import LONG

ROOT = Path(__file__).parents[2]
PS, WORKER, CLIENT = "/job:ps/task:0", "/job:worker/task:1", "/job:client/task:0"
ROUGH = Faults(drops=0.05, cuts=0.02, kills=0.02, stragglers={PS: 3.0})


def settings(task: str, **options: Any) -> TaskSettings:
    return TaskSettings("demo", task, Keys(b"0123456789abcdef"), **options)


def begun(
    seed: int = 0,
    faults: Faults | None = None,
    make: type[Echo] = Echo,
    **options: Any,
) -> InprocessEngine:
    """Return an engine with a parameter server and a worker."""
    engine = InprocessEngine(seed, faults, make)
    engine.start(
        [settings(task, **options) for task in (PS, WORKER)], {"ps": Needs(0)}
    )
    return engine


class Client:
    """Talks with the tasks of an engine."""

    def __init__(self, engine: InprocessEngine) -> None:
        self.engine = engine
        self.carrier = engine.carrier(settings(CLIENT))
        self.answers = Answers(self.carrier)
        self.answers.serve()

    def meet(self, task: str) -> int:
        found = self.engine.registration(task, LONG)
        self.carrier.meet(task, found.address, found.incarnation)
        return found.incarnation

    def ask(self, task: str) -> int:
        """Have a task double numbers; return its incarnation."""
        incarnation = self.meet(task)
        self.answers.commands.clear()
        self.carrier.send(task, COMMAND, key("x", 7), np.arange(3))
        [(who, asked, value)] = self.answers.after(self.answers.commands, 1)
        assert (who, asked, value.tolist()) == (task, key("x", 7), [0, 2, 4])
        return incarnation


def test_tasks_say_what_they_are() -> None:
    before = cpu_count()
    engine: Engine = begun(logical_cpus=2)
    for task in (PS, WORKER):
        found = engine.registration(task, LONG)
        assert found.task == task
        assert found.devices[:2] == tuple(f"{task}/device:CPU:{i}" for i in range(2))
        assert found.pid == os.getpid()
        assert found.node == "this process"
        assert found == engine.registration(task, LONG)
        check_versions(task, found.versions)
    engine.close()
    assert cpu_count() == before


def test_tasks_and_client_send() -> None:
    client = Client(begun())
    assert client.ask(PS) == client.ask(WORKER) == 1


def test_a_task_that_is_killed_is_told_and_comes_back() -> None:
    engine = begun(17, Faults(notice=(1, 1), restart=(2, 2)))
    client = Client(engine)
    deaths: list[tuple[str, str]] = []
    engine.watch(lambda *said: deaths.append(said))
    for time in range(1, 4):
        assert client.ask(WORKER) == time
        began = engine.network.events.now
        engine.kill(WORKER)
        engine.kill(WORKER)
        assert len(deaths) == time - 1
        assert client.ask(WORKER) == time + 1
        assert engine.network.events.now > began + 3
        assert deaths[-1][0] == WORKER
        assert f"killed at {began:.3f} s of seed 17" in deaths[-1][1]
    assert client.ask(PS) == 1
    assert len(deaths) == 3


def test_what_a_task_was_about_to_do_dies_with_it() -> None:
    client = Client(begun(3, Faults(work=(1, 1))))
    client.meet(PS)
    client.carrier.send(PS, COMMAND, key("x"), np.arange(3))
    client.carrier.wait(lambda: False, 0.5)
    client.engine.kill(PS)
    [(task, _)] = client.answers.after(client.answers.lost, 1)
    assert task == PS
    assert client.ask(PS) == 2
    assert [each.what for each in client.engine.log] == [f"killed {PS}"]


def test_a_task_that_does_not_start_says_why() -> None:
    engine = begun(make=Failing)
    with pytest.raises(UnavailableError, match="OSError: the disk of this task"):
        engine.registration(PS, LONG)


def test_a_task_that_starts_slowly_is_named() -> None:
    engine = begun(faults=Faults(restart=(100, 100)))
    engine.registration(PS, LONG)
    engine.kill(PS)
    with pytest.raises(
        UnavailableError, match=r"task:0 does not start: .* within 30"
    ):
        engine.registration(PS, LONG)


def test_closing_ends_tasks_and_tells_nobody() -> None:
    engine = begun()
    client = Client(engine)
    client.ask(PS)
    deaths: list[Any] = []
    engine.watch(lambda *said: deaths.append(said))
    engine.close()
    engine.close()
    assert not deaths
    with pytest.raises(FailedPreconditionError, match="closed"):
        engine.registration(PS, LONG)
    with pytest.raises(FailedPreconditionError, match="closed"):
        client.carrier.send(PS, 1, key("x"), np.ones(3))


def test_what_is_not_there_and_what_is_there_already() -> None:
    engine = begun()
    with pytest.raises(
        NotFoundError, match="no task '/job:ps/task:9'; there are /job"
    ):
        engine.registration("/job:ps/task:9", LONG)
    with pytest.raises(NotFoundError, match="no task '/job:ps/task:9'"):
        engine.kill("/job:ps/task:9")
    first = engine.carrier(settings(CLIENT))
    with pytest.raises(FailedPreconditionError, match="has a client /job:client"):
        engine.carrier(settings(CLIENT))
    first.close()
    assert engine.carrier(settings(CLIENT)).incarnation == 2


def history(seed: int, rounds: int = 20) -> list[str]:
    """Return all that happens while a client talks with tasks that fail."""
    engine = begun(seed, ROUGH)
    told: list[str] = []
    engine.network.events.listener = lambda time, what: told.append(f"{time} {what}")
    client = Client(engine)
    for _ in range(rounds):
        for task in (PS, WORKER):
            client.answers.lost.clear()
            client.answers.commands.clear()
            client.meet(task)
            try:
                client.carrier.send(task, COMMAND, key("x"), np.arange(3))
            except UnavailableError as error:
                told.append(str(error))
                client.carrier.wait(lambda: False, 0.1)
                continue
            client.carrier.wait(
                lambda: bool(client.answers.commands or client.answers.lost)
            )
    engine.close()
    return told + [str(each) for each in engine.log]


@given(st.integers(0, 1 << 30))
def test_a_seed_says_all_that_happens(seed: int) -> None:
    assert history(seed) == history(seed)


def test_seeds_differ() -> None:
    found = {tuple(history(seed)) for seed in range(20)}
    assert len(found) == 20
    whole = " ".join(" ".join(each) for each in found)
    for what in ("killed", "cut the link", "dropped, and sent again", "starts anew"):
        assert what in whole


def test_another_process_sees_the_same() -> None:
    """Though strings have other hashes there, by which sets are in another order."""
    code = (
        "from tests.distributed.test_inprocess import history\n"
        "print(*history(5), sep='\\n')"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": f"{ROOT}/src:{ROOT}",
                "PYTHONHASHSEED": str(n),
            },
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for n in (1, 2)
    ]
    assert said[0] == said[1] == "\n".join(history(5)) + "\n"
