"""What happens to a step when something comes at the worst moment; what tasks keep after that."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.containers import Container
from tensorlite.core.errors import CancelledError, FailedPreconditionError
from tensorlite.distributed import master as master_module, packing
from tensorlite.distributed.cluster import Cluster
from tensorlite.distributed.engines.inprocess import InprocessEngine
from tensorlite.distributed.failures import remade, told
from tensorlite.distributed.relay import Place
from tensorlite.distributed.running import Coming, Running
from tensorlite.distributed.steps import ClusterStep
from tensorlite.distributed.transport.carrier import COMMAND
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.distributed.unwanted import Unwanted
from tensorlite.distributed.worker import Worker, _Client

PS, FIRST, SECOND = "/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"
HERE = "/job:localhost/device:CPU:0"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with tl.distribute.connect({"ps": 1, "worker": 2}, engine="inprocess") as made:
        yield made


def worker(cluster: Cluster, task: str) -> Worker:
    assert isinstance(cluster.engine, InprocessEngine)
    found = cluster.engine._tasks[task].worker
    assert isinstance(found, Worker)
    return found


def client(cluster: Cluster, task: str) -> _Client:
    return worker(cluster, task)._clients[cluster.client]


def settle(cluster: Cluster) -> None:
    """Let everything happen that is on its way."""
    cluster.status()


def step_of(function: Any, *arguments: Any) -> tuple[ClusterStep, list[Any]]:
    concrete, tensors = function.bound(*arguments)
    home = arguments[0].device if arguments else tl.ones(()).device
    step = concrete.callee.placed(home).step
    assert isinstance(step, ClusterStep)
    return step, [x.array for x in (*tensors, *concrete.captured)]


def spans(x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
    with tl.device(FIRST):
        y = x * 2.0
    with tl.device(SECOND):
        return y + 1.0, y


def during(
    cluster: Cluster,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    work: Callable[[], object],
    before: bool = True,
) -> None:
    """Do something once, before or after the next command of a name is sent."""
    carrier = cluster.master.carrier
    send_all, left = carrier.send_all, [work]

    def send(task: str, step: int, parcels: Sequence[Parcel]) -> None:
        found = any(parcel.key[0] == name for parcel in parcels)
        if found and before and left:
            left.pop()()
        send_all(task, step, parcels)
        if found and not before and left:
            left.pop()()

    monkeypatch.setattr(carrier, "send_all", send)


def test_a_step_that_another_thread_registers_just_now_is_registered_by_both(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, arrays = step_of(tl.function(spans), tl.asarray(1.0))
    found: list[Any] = []
    during(cluster, monkeypatch, "register", lambda: found.append(step.run(arrays)))
    assert [float(x.read()) for x in step.run(arrays)] == [3, 2]
    assert [float(x.read()) for x in found[0]] == [3, 2]


def test_a_plan_that_could_not_be_sent_is_sent_again(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, arrays = step_of(tl.function(spans), tl.asarray(1.0))

    def interrupt() -> None:
        raise KeyboardInterrupt

    during(cluster, monkeypatch, "register", interrupt)
    with pytest.raises(KeyboardInterrupt):
        step.run(arrays)
    assert [float(x.read()) for x in step.run(arrays)] == [3, 2]
    settle(cluster)
    for task in (FIRST, SECOND):
        assert not client(cluster, task).running
        assert len(worker(cluster, task).carrier._arrivals) == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("size", [(), (300, 300)])
def test_a_step_that_is_given_up_while_it_is_sent_leaves_nothing(
    cluster: Cluster,
    monkeypatch: pytest.MonkeyPatch,
    before: bool,
    size: tuple[int, ...],
) -> None:
    step, arrays = step_of(tl.function(spans), tl.ones(size))
    master = cluster.master

    def give_up() -> None:
        for under in list(master._under.values()):
            under.cancel()

    during(cluster, monkeypatch, "run", give_up, before)
    with pytest.raises(tl.errors.UnavailableError, match="given up"):
        step.run(arrays)
    settle(cluster)
    settle(cluster)
    for task in (FIRST, SECOND):
        assert not client(cluster, task).running
        assert not client(cluster, task).held
        assert not client(cluster, task).ending
        assert len(worker(cluster, task).carrier._arrivals) == 0  # type: ignore[attr-defined]
    assert not master._under
    assert [x.shape for x in step.run(arrays, values=True)] == [size, size]


def test_what_a_step_kept_that_was_given_up_too_late_is_dropped(
    cluster: Cluster,
) -> None:
    step, arrays = step_of(tl.function(spans), tl.ones((300, 300)))
    step.run(arrays)
    under = step.begin(arrays)
    found = [client(cluster, task).held for task in (FIRST, SECOND)]
    cluster.master.carrier.wait(lambda: all(found))
    under.cancel()
    del under
    settle(cluster)
    settle(cluster)
    assert not any(found)


def test_values_that_come_after_the_own_part_is_over(cluster: Cluster) -> None:
    graph = tl.Graph()
    with graph.as_default():
        with tl.device(HERE):
            here = tl.ones(()) + 1.0
        with tl.device(FIRST):
            there = tl.ones((300, 300)) * here
        with tl.device(SECOND):
            words = tl.identity(tl.constant(["a", "b"]))
    with tl.Session(graph, target=cluster) as session:
        one, many, texts = session.run([here, there, words])
    assert (float(one), float(many.sum()), list(texts)) == (2, 180_000, ["a", "b"])


def test_a_value_that_is_released_while_its_step_waits_to_begin(
    cluster: Cluster,
) -> None:
    """A step waits while another is ended; what it was given may be dropped here meanwhile."""
    with tl.device(FIRST):
        x = tl.ones((300, 300)) * 2.0
    double = tl.function(lambda y: y * 2.0)
    step, arrays = step_of(double, x)
    found = client(cluster, FIRST)
    found.ending.add(-1)
    ended: list[Any] = []
    step.begin(arrays, ended.append, values=True)
    cluster.master.unwanted.value(FIRST, x.array.number)
    settle(cluster)
    assert not ended
    found.ending.clear()
    for begin in found.deferred.values():
        begin()
    found.deferred.clear()
    cluster.master.carrier.wait(lambda: bool(ended))
    assert float(ended[0][0].sum()) == 360_000


def test_nothing_begins_for_a_client_that_is_lost(cluster: Cluster) -> None:
    with tl.device(FIRST):
        v = tl.Variable(0.0)
    step, arrays = step_of(tl.function(lambda: v.assign_add(1.0)))
    found, there = client(cluster, FIRST), worker(cluster, FIRST)
    found.ending.add(-1)
    step.begin(arrays)
    settle(cluster)
    (begin,) = found.deferred.values()
    there._lost(cluster.client, "it is gone")
    assert not found.deferred
    begin()
    assert not found.running


@pytest.mark.parametrize("runs_alone", [True, False])
def test_a_part_that_is_given_up_before_it_begins(
    cluster: Cluster, runs_alone: bool
) -> None:
    """The word comes between the last feed and the first kernel: it is not overheard."""
    waiting: list[Callable[[], object]] = []
    x = tl.ones((300, 300))
    step, _ = step_of(tl.function(spans), x)
    if runs_alone:
        with tl.device(FIRST):
            step, _ = step_of(tl.function(lambda y: y @ y), x * 2.0)
    there = worker(cluster, FIRST)
    found: list[Any] = []
    there._register(cluster.client, (99,), step._payloads[FIRST])
    registered = client(cluster, FIRST).plans[99]
    assert not isinstance(registered, Exception)

    class Carrier:
        task = FIRST

        def __getattr__(self, name: str) -> Any:
            return getattr(there.carrier, name)

        def later(self, work: Callable[[], object], device: str = "") -> None:
            waiting.append(work)

    carrier: Any = Carrier()
    running = Running(registered, carrier, 7, found.append, Place(Container()))
    running.begin([np.ones((300, 300), np.float32)], ())
    assert not found
    assert waiting
    running.cancel()
    for work in waiting:
        work()
    assert isinstance(found[0], CancelledError)
    assert len(found) == 1


def test_a_team_that_is_given_up_before_it_begins_ends_once(cluster: Cluster) -> None:
    @tl.function
    def turns(x: tl.Tensor) -> tl.Tensor:
        with tl.device(FIRST):
            y = x * 2.0
        with tl.device(SECOND):
            return tl.while_loop(lambda i: i < 10.0, lambda i: i + y, (y,))[0]

    step, _ = step_of(turns, tl.asarray(1.0))
    there, found = worker(cluster, SECOND), list[Any]()
    there._register(cluster.client, (99,), step._payloads[SECOND])
    registered = client(cluster, SECOND).plans[99]
    assert not isinstance(registered, Exception)
    running = Running(registered, there.carrier, 7, found.append, Place(Container()))
    entrusted = running._entrusted

    def given_up_just_then(team: Any) -> Any:
        running.cancel()
        return entrusted(team)

    running._entrusted = given_up_just_then  # type: ignore[method-assign]
    running.begin([], ())
    assert len(found) == 1
    assert isinstance(found[0], CancelledError)
    assert len(there.carrier._arrivals) == 0  # type: ignore[attr-defined]


def test_an_error_while_an_answer_is_packed_keeps_nothing(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, arrays = step_of(tl.function(spans), tl.ones((300, 300)))
    step.run(arrays)
    settle(cluster)
    gc.collect()
    settle(cluster)
    assert not client(cluster, SECOND).held

    def fail(items: Any) -> Any:
        raise MemoryError("no room for an answer")

    pack = packing.pack
    monkeypatch.setattr(packing, "pack", fail)
    with pytest.raises(MemoryError, match="no room"):
        step.run(arrays)
    monkeypatch.setattr(packing, "pack", pack)
    settle(cluster)
    assert not client(cluster, FIRST).held
    assert not client(cluster, SECOND).held
    assert len(step.run(arrays)) == 2


def test_an_error_of_who_waits_for_a_step_ends_no_link(
    cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    step, arrays = step_of(tl.function(spans), tl.asarray(1.0))

    def fail(found: Any) -> None:
        raise ValueError("whoever began this is wrong")

    with pytest.MonkeyPatch.context() as patch:
        said: list[Any] = []
        patch.setattr("threading.excepthook", said.append)
        under = step.begin(arrays, fail)
        cluster.master.carrier.wait(under.is_over)
    assert [str(x.exc_value) for x in said] == ["whoever began this is wrong"]
    assert not cluster.lost
    assert len(step.run(arrays)) == 2


def test_an_interrupt_gives_the_step_up(cluster: Cluster) -> None:
    with tl.device(PS):
        queue = tl.queue.FIFOQueue(3, tl.float32, shapes=())

    @tl.function
    def take() -> Any:
        with tl.device(FIRST):
            return queue.dequeue() + 1.0

    def interrupt() -> bool:
        raise KeyboardInterrupt

    queue.enqueue(1.0)
    assert float(take()) == 2
    master = cluster.master
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(master.carrier, "wait", lambda until, timeout=None: interrupt())
        with pytest.raises(KeyboardInterrupt):
            take()
    queue.enqueue(2.0)
    assert float(take()) == 3
    assert int(queue.size()) == 0
    assert not client(cluster, PS).running


# What grows.


def test_steps_of_one_operator_are_forgotten(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(master_module, "EAGER", 8)
    for n in range(100):
        with tl.device(FIRST):
            _ = tl.ones((n % 50,)) * 2.0
            _ = tl.ones(()) * 2.0
    assert len(cluster.master._eager) == 8
    assert any(key[2][0].shape == () for key in cluster.master._eager if key[2])
    gc.collect()
    settle(cluster)
    plans = client(cluster, FIRST).plans
    assert len(plans) <= 9
    assert cluster.master.known(FIRST) == plans.keys()
    with tl.device(FIRST):
        assert float(tl.ones(()) * 2.0) == 2


def test_functions_that_are_gone_are_forgotten_by_tasks(cluster: Cluster) -> None:
    for n in range(20):
        step, arrays = step_of(tl.function(spans), tl.ones((n,)))
        step.run(arrays)
        del step
        gc.collect()
    settle(cluster)
    assert len(client(cluster, SECOND).plans) <= 2


def test_requests_that_fail_leave_nothing(cluster: Cluster) -> None:
    with tl.device(FIRST):
        x = tl.ones((300, 300)) * 2.0
    client(cluster, FIRST).held.clear()
    with pytest.raises(tl.errors.NotFoundError, match="has no value"):
        x.numpy()
    carrier = cluster.master.carrier
    assert len(carrier._arrivals) == 0  # type: ignore[attr-defined]
    assert not cluster.master._requests


def test_what_is_unwanted_is_told_once_and_not_of_a_task_that_is_gone() -> None:
    unwanted = Unwanted()
    for number in (1, 2):
        unwanted.value("a", number)
        unwanted.plan(("a", "b"), number)
    known = {2, 3}
    told = {
        parcel.key[0]: parcel.value.view(np.int64).tolist()  # type: ignore[union-attr]
        for parcel in unwanted.told("a", known)
    }
    assert told == {"release": [1, 2], "unregister": [2]}
    assert known == {3}
    assert not list(unwanted.told("a", known))
    unwanted.step("b", 7)
    unwanted.lost("b")
    (forgotten,) = unwanted.told("b", {1, 2})
    assert forgotten.key == ("forget", ())
    assert forgotten.value.view(np.int64).tolist() == [7]  # type: ignore[union-attr]


def test_what_is_sent_to_a_task_that_cannot_begin_is_dropped(
    cluster: Cluster,
) -> None:
    """Before it refuses, after that, and when it was started anew meanwhile."""
    step, arrays = step_of(tl.function(spans), tl.ones((300, 300)))
    step.run(arrays)
    for task in (FIRST, SECOND):
        client(cluster, task).plans.clear()
        with pytest.raises(tl.errors.UnavailableError, match="has lost what"):
            step.run(arrays)
        cluster.master.known(task).discard(step.number)
        step.run(arrays)
    under = step.begin(arrays)
    cluster.engine.kill(SECOND)
    cluster.master.carrier.wait(under.is_over)
    cluster.recover()
    worker(cluster, FIRST).carrier.send(
        SECOND, under.step, ("late", ()), np.ones(9, np.float32)
    )
    settle(cluster)
    settle(cluster)
    for task in (FIRST, SECOND):
        assert len(worker(cluster, task).carrier._arrivals) == 0  # type: ignore[attr-defined]


# What comes from elsewhere.


@pytest.mark.parametrize("name", ["register", "run", "cancel", "push", "said"])
@pytest.mark.parametrize("numbers", [(), (1,), (1, 2, 3), (-1, -1, -1, -1, -1)])
@pytest.mark.parametrize("content", [b"", b"\xff" * 40, b"[1]"])
def test_a_command_that_makes_no_sense_is_refused(
    cluster: Cluster, name: str, numbers: tuple[int, ...], content: bytes
) -> None:
    payload = np.frombuffer(content, np.uint8)
    cluster.master.command(FIRST, Parcel((name, numbers), payload))
    cluster.master.command(FIRST, Parcel(("release", ()), payload))
    cluster.master.command(FIRST, Parcel(("unregister", ()), payload))
    cluster.master.command(FIRST, Parcel(("forget", ()), payload))
    settle(cluster)
    with tl.device(FIRST):
        assert float(tl.ones(()) * 2.0) == 2
    assert not cluster.lost


def test_a_huge_number_of_values_is_given_up_quickly(cluster: Cluster) -> None:
    with tl.device(FIRST):
        x = tl.ones((300, 300)) * 2.0
    numbers = 1 << 40, 0, 1 << 62
    cluster.master.command(FIRST, Parcel(("cancel", numbers), np.empty(0, np.uint8)))
    settle(cluster)
    with pytest.raises(tl.errors.NotFoundError):
        x.numpy()


def test_a_step_begins_once(cluster: Cluster) -> None:
    with tl.device(FIRST):
        queue = tl.queue.FIFOQueue(3, tl.float32, shapes=())
    step, arrays = step_of(tl.function(queue.dequeue))
    under = step.begin(arrays)
    settle(cluster)
    content = under._feeds(step.parts[0], arrays)[0]
    for number in (under.step, COMMAND, -5):
        numbers = number, step.number, 0, 0
        cluster.master.command(FIRST, Parcel(("run", numbers), content))
    settle(cluster)
    assert list(client(cluster, FIRST).running) in ([under.step], [])
    assert not cluster.lost


def test_tasks_raise_no_interrupts_here() -> None:
    for error in (KeyboardInterrupt("stop"), SystemExit(3), GeneratorExit()):
        found = remade(told(error, FIRST))
        assert isinstance(found, tl.errors.KernelError)
        assert type(error).__name__ in str(found)
    again = remade(told(FailedPreconditionError("no"), FIRST))
    assert isinstance(again, FailedPreconditionError)


def test_a_feed_that_is_given_up_is_waited_for_no_more(cluster: Cluster) -> None:
    step, _ = step_of(tl.function(spans), tl.ones((300, 300)))
    there, found = worker(cluster, FIRST), list[Any]()
    there._register(cluster.client, (99,), step._payloads[FIRST])
    registered = client(cluster, FIRST).plans[99]
    assert not isinstance(registered, Exception)
    running = Running(registered, there.carrier, 7, found.append, Place(Container()))
    running.begin([None], [Coming(0, cluster.client, is_packed=False)])
    assert "feed 0" in next(running.awaited())
    running.cancel()
    assert isinstance(found[0], CancelledError)
    assert len(there.carrier._arrivals) == 0  # type: ignore[attr-defined]
