"""Joined: a program computes on tasks at known addresses, and finds them again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    DeviceError,
    FailedPreconditionError,
    UnavailableError,
)
from tensorlite.distributed.joined import Joined, joined
from tests.serving import Served

PS, WORKER = "/job:ps/task:0", "/job:worker/task:0"


@pytest.fixture
def served() -> Iterator[Served]:
    """A server and a worker."""
    with Served(ps=1, worker=1) as made:
        yield made


@pytest.fixture
def cluster(served: Served) -> Iterator[Joined]:
    """The program's way to them."""
    made = joined(served.addresses)
    yield made
    made.close()


def test_variables_and_functions_are_where_they_are_asked_for(
    cluster: Joined,
) -> None:
    with tl.device(PS):
        w = tl.Variable([1.0, 2.0])

    @tl.function
    def step(x: tl.Tensor) -> tl.Tensor:
        with tl.device(WORKER):
            y = x * w
        w.assign_add(y)
        return y

    y = step(tl.asarray([3.0, 4.0]))
    assert (str(w.device), str(y.device)) == (
        f"{PS}/device:CPU:0",
        f"{WORKER}/device:CPU:0",
    )
    assert (y.tolist(), w.numpy().tolist()) == ([3.0, 8.0], [4.0, 10.0])


def test_who_joins_the_same_tasks_again_has_the_same_way(
    cluster: Joined, served: Served
) -> None:
    assert joined(served.addresses) is cluster


def test_the_latest_cluster_of_a_name_counts(cluster: Joined) -> None:
    with tl.device(PS):
        w = tl.Variable(1.0)
    with Served(ps=1) as other:
        later = joined(other.addresses)
        assert [str(device) for device in later.devices] == [f"{PS}/device:CPU:0"]
        with pytest.raises(FailedPreconditionError, match="has left"):
            cluster.check_open()
        with pytest.raises(FailedPreconditionError, match=r"lost|left"):
            w.numpy()
        later.close()


def test_functions_run_on_the_tasks_that_there_are_now(
    cluster: Joined,
) -> None:
    @tl.function
    def doubled(x: tl.Tensor) -> tl.Tensor:
        with tl.device(PS):
            return x + x

    assert float(doubled(tl.asarray(1.0))) == 2.0
    cluster.close()
    with Served(ps=1) as other:
        later = joined(other.addresses)
        assert float(doubled(tl.asarray(2.0))) == 4.0
        later.close()
    with pytest.raises(DeviceError, match="asks for /job:ps"):
        doubled(tl.asarray(3.0))


def test_devices_are_gone_with_the_cluster(cluster: Joined) -> None:
    cluster.close()
    with pytest.raises(DeviceError, match="connected to none"), tl.device(PS):
        tl.ones(2) + 1.0


def test_a_task_that_was_lost_is_found_again(cluster: Joined, served: Served) -> None:
    assert cluster.lost([PS, WORKER]) == {}
    with tl.device(WORKER):
        assert float(tl.asarray(1.0) + 1.0) == 2.0
    served.stop(WORKER)
    assert list(cluster.lost([PS, WORKER])) == [WORKER]
    assert not cluster.again(WORKER)
    with pytest.raises(UnavailableError), tl.device(WORKER):
        tl.asarray(1.0) + 1.0
    served.start(WORKER)
    assert cluster.again(WORKER)
    with tl.device(WORKER):
        assert float(tl.asarray(1.0) + 1.0) == 2.0
    assert cluster.lost([PS, WORKER]) == {}
