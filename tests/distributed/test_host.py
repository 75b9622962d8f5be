"""A task's start: what it says of itself, and versions that differ."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tensorlite.core.errors import FailedPreconditionError, InvalidArgumentError
from tensorlite.distributed.engines.engine import Keys, TaskSettings
from tensorlite.distributed.engines.host import (
    Host,
    carrier,
    check_versions,
    settle,
    versions,
)
from tensorlite.distributed.engines.ray_engine import RayEngine
from tests.distributed.fake_engine import Echo, Failing

TASK = "/job:ps/task:3"
SETTINGS = TaskSettings("demo", TASK, Keys(b"0123456789abcdef"), logical_cpus=2)


@pytest.fixture(autouse=True)
def _as_before(one_cpu: None) -> Iterator[None]:
    before = sys.getswitchinterval()
    policy = os.sched_getscheduler(0)
    yield
    sys.setswitchinterval(before)
    os.sched_setscheduler(0, policy, os.sched_param(0))


def test_a_host_says_what_it_is() -> None:
    host = Host(SETTINGS, Echo)
    found = host.registration("mine")
    assert found.task == TASK
    assert found.node == "mine"
    assert found.devices == (f"{TASK}/device:CPU:0", f"{TASK}/device:CPU:1")
    assert found.versions == versions()
    assert Path(found.address.path).is_socket()
    assert found.address.tcp is None
    host.close()
    assert not Path(found.address.path).exists()


def settled(policy: int) -> int:
    """Return the policy of a thread that settles, after having had another."""
    os.sched_setscheduler(0, policy, os.sched_param(0))
    settle()
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(os.sched_getscheduler, 0).result()


@pytest.mark.skipif(sys.platform != "linux", reason="policies are Linux's")
def test_what_a_task_computes_is_interrupted_less() -> None:
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(settled, os.SCHED_OTHER).result() == os.SCHED_BATCH


@pytest.mark.skipif(sys.platform != "linux", reason="policies are Linux's")
def test_a_policy_that_was_chosen_stays() -> None:
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(settled, os.SCHED_IDLE).result() == os.SCHED_IDLE


def test_a_later_incarnation_is_larger() -> None:
    first, second = (carrier(SETTINGS) for _ in range(2))
    assert first.incarnation < second.incarnation < 1 << 63
    first.close()
    second.close()


def test_a_worker_that_fails_leaves_nothing() -> None:
    with pytest.raises(OSError, match="disk of this task"):
        Host(SETTINGS, Failing)


def test_no_task_listens_on_the_network_without_certificates() -> None:
    open_to_all = TaskSettings("demo", TASK, SETTINGS.keys, tcp=True)
    with pytest.raises(InvalidArgumentError, match="no certificate"):
        Host(open_to_all, Echo, "127.0.0.1")


def test_versions_that_differ() -> None:
    mine = versions()
    minor, _, patch = mine["python"].rpartition(".")
    check_versions(TASK, {**mine, "numpy": "1.0", "python": f"{minor}.{patch}9"})
    with pytest.raises(
        FailedPreconditionError,
        match=r"/job:ps/task:3 runs on other versions .*: python 3\.1\.0 there and 3.* here, "
        "tensorlite 9.0 there and .*; install the same",
    ):
        check_versions(TASK, {**mine, "python": "3.1.0", "tensorlite": "9.0"})
    with pytest.raises(FailedPreconditionError, match="tensorlite unknown there"):
        check_versions(TASK, {"python": mine["python"]})


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    engine = RayEngine(Echo)
    with pytest.raises(
        FailedPreconditionError,
        match=r"package ray, .*: pip install 'tensorlite\[clu",
    ):
        engine.start([SETTINGS], {})
    engine.close()
    with pytest.raises(FailedPreconditionError, match="closed"):
        engine.registration(TASK, 1)
