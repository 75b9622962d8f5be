"""Processes that are forked from one that has a cluster: they leave it alone, and do not hang."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable

import pytest

import tensorlite as tl
from tensorlite.distributed.engines.ray_session import session

PS = "/job:ps/task:0"


def told_by_child(work: Callable[[], object]) -> str:
    """Return what work raises or returns in a process that is forked."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # threads, which is the point
        child = os.fork()
    if not child:
        signal.alarm(20)  # rather than wait for ever
        try:
            told = repr(work())
        except BaseException as error:  # noqa: BLE001  told to the parent
            told = f"{type(error).__name__}: {error}"
        os.write(writing, told.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return told


def check(cluster: tl.distribute.Cluster) -> None:
    with tl.device(PS):
        w = tl.Variable(1.0)
    add = tl.function(lambda x: x + w)
    assert float(add(1.0)) == 2.0
    told = told_by_child(cluster.status)
    assert told.startswith("FailedPreconditionError")
    assert "'spawn'" in told
    assert told_by_child(w.numpy).startswith("DeviceError")
    assert "Error" in told_by_child(lambda: add(1.0))
    assert told_by_child(cluster.close) == "None"
    assert told_by_child(lambda: float(tl.sum(tl.ones(3)))) == "3.0"
    assert told_by_child(session._close) == "None"  # as when a process ends by itself
    w.assign_add(1.0)
    assert (float(w), float(add(1.0)), cluster.lost) == (2.0, 3.0, {})


def test_child_leaves_cluster_alone() -> None:
    with tl.distribute.connect({"ps": 1}, engine="inprocess") as cluster:
        check(cluster)


@pytest.mark.cluster
def test_child_leaves_tasks_of_ray_alone() -> None:
    with tl.distribute.connect({"ps": 1}) as cluster:
        check(cluster)
        told = told_by_child(
            lambda: tl.distribute.connect({"other": 1}, name="other")
        )
        assert told.startswith("FailedPreconditionError: this process was forked")
