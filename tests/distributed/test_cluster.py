"""Programs over the tasks of a cluster, which all are in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.remote import RemoteArray
from tensorlite.distributed.cluster import Cluster

PS, FIRST, SECOND = "/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with tl.distribute.connect({"ps": 1, "worker": 2}, engine="inprocess") as made:
        yield made


def where(x: Any) -> str:
    return str(x.device).removesuffix("/device:CPU:0")


def repeat(call: Callable[[], Any]) -> None:
    """Do something until it fails, at most so often."""
    for _ in range(100):
        call()


def commands(cluster: Cluster) -> dict[str, int]:
    """Return how many messages went to each task."""
    traffic = cluster.master.carrier.traffic()
    return {task: traffic[task].messages_out for task in cluster.tasks}


def test_eager_operators_run_where_the_scope_says(cluster: Cluster) -> None:
    with tl.device(FIRST):
        x = tl.asarray([1.0, 2.0]) * 3.0
    y = x + 1.0
    assert (where(x), where(y)) == (FIRST, FIRST)
    assert y.numpy().tolist() == [4, 7]
    with tl.device(SECOND):
        z = y * y
    assert where(z) == SECOND
    assert z.tolist() == [16, 49]
    assert where(z.to_device("/device:CPU:0")) == ""
    assert repr(z).endswith("device=/job:worker/task:1/device:CPU:0)\n[16. 49.]")


def test_large_values_stay_where_they_are_until_they_are_read(
    cluster: Cluster,
) -> None:
    with tl.device(FIRST):
        x = tl.ones((300, 300)) * 2.0
    handle = x.array
    assert isinstance(handle, RemoteArray)
    assert handle.value is None
    y = x @ x
    assert (y.shape, y.dtype, handle.value) == ((300, 300), tl.float32, None)
    assert np.array_equal(y.numpy(), np.full((300, 300), 1200, np.float32))
    assert y.numpy() is not None
    assert isinstance(y.array, RemoteArray)
    assert y.array.value is not None


def test_a_value_goes_from_one_task_to_another(cluster: Cluster) -> None:
    with tl.device(FIRST):
        x = tl.ones((200, 200)) * 2.0
    with tl.device(SECOND):
        y = x + 1.0
    assert where(y) == SECOND
    assert float(tl.sum(y)) == 120_000


def test_variables_live_in_their_tasks(cluster: Cluster) -> None:
    with tl.device(PS):
        w = tl.Variable([1.0, 2.0], name="w")
    w.assign_add([10.0, 10.0])
    assert (where(w), w.numpy().tolist()) == (PS, [11, 12])
    with tl.GradientTape() as tape:
        loss = tl.sum(w * w)
    gradient = tape.gradient(loss, w)
    assert where(gradient) == PS
    assert gradient.tolist() == [22, 24]
    w[0] = 5.0
    assert w.numpy().tolist() == [5, 12]


def test_an_optimizer_works_where_the_variables_are(cluster: Cluster) -> None:
    with tl.device(PS):
        w = tl.Variable([1.0, 2.0])
    v = tl.Variable([1.0, 2.0])
    for x in (w, v):
        optimizer = tl.optimizers.Adam(0.1)
        for _ in range(3):
            with tl.GradientTape() as tape:
                loss = tl.sum(x * x)
            optimizer.minimize(loss, [x], tape)
        assert where(optimizer.get_slot(x, optimizer.slots[0])) == where(x)
    assert w.numpy().tobytes() == v.numpy().tobytes()


def test_queues_live_in_their_tasks(cluster: Cluster) -> None:
    with tl.device(PS):
        queue = tl.queue.FIFOQueue(10, tl.float32, shapes=(2,))
    queue.enqueue([[1.0, 2.0]])
    queue.enqueue([[3.0, 4.0]])
    assert int(queue.size()) == 2
    assert queue.dequeue_many(2).tolist() == [[1, 2], [3, 4]]
    queue.close()
    with pytest.raises(tl.errors.OutOfRangeError, match="fifo_queue"):
        queue.dequeue()


def test_a_function_spans_tasks(cluster: Cluster) -> None:
    with tl.device(PS):
        w = tl.Variable([1.0, 2.0, 3.0])

    @tl.function
    def step(x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor, tl.Tensor]:
        with tl.device(FIRST):
            y = x * w
        with tl.device(SECOND):
            z = tl.exp(y)
        w.assign_sub(y)
        return y, z, x + 1.0

    x = np.asarray([0.5, 0.25, 0.125], np.float32)
    y, z, here = step(tl.asarray(x))
    value = np.asarray([1, 2, 3], np.float32)
    assert (where(y), where(z), where(here)) == (FIRST, SECOND, "")
    assert np.array_equal(y.numpy(), x * value)
    assert np.array_equal(z.numpy(), np.exp(x * value))
    assert np.array_equal(w.numpy(), value - x * value)
    assert here.tolist() == [1.5, 1.25, 1.125]


def test_a_step_costs_one_message_a_task(cluster: Cluster) -> None:
    with tl.device(PS):
        w = tl.Variable([1.0, 2.0])

    @tl.function
    def step(x: tl.Tensor) -> tl.Tensor:
        with tl.device(FIRST):
            return x + w

    step(tl.ones(2))
    before = commands(cluster)
    for _ in range(10):
        step(tl.ones(2))
    sent = {task: n - before[task] for task, n in commands(cluster).items()}
    assert sent == {PS: 10, FIRST: 10, SECOND: 0}


def test_what_a_function_captured_is_sent_once(cluster: Cluster) -> None:
    table = tl.reshape(tl.arange(100_000, dtype=tl.float32), (1000, 100))

    @tl.function
    def row(i: tl.Tensor) -> tl.Tensor:
        with tl.device(FIRST):
            return tl.take(table, i, axis=0)

    def sent() -> int:
        return cluster.master.carrier.traffic()[FIRST].bytes_out

    assert float(row(tl.asarray([3]))[0, 0]) == 300
    before = sent()
    assert float(row(tl.asarray([4]))[0, 0]) == 400
    assert sent() - before < 2000
    table[4] = 1.0  # the tensor has another array now
    assert float(row(tl.asarray([4]))[0, 0]) == 1
    cluster.engine.kill(FIRST)
    with pytest.raises(tl.errors.UnavailableError):
        repeat(lambda: row(tl.asarray([4])))
    cluster.recover()
    assert float(row(tl.asarray([4]))[0, 0]) == 1


def test_a_loop_spans_tasks(cluster: Cluster) -> None:
    @tl.function
    def run(n: tl.Tensor, x: tl.Tensor) -> tl.Tensor:
        i = 0
        while i < n:
            with tl.device(FIRST):
                x = x * 2.0
            with tl.device(SECOND):
                x = x + 1.0
            i = i + 1
        return x

    assert run(tl.asarray(8), tl.ones(2)).tolist() == [511, 511]
    assert run(tl.asarray(0), tl.ones(2)).tolist() == [1, 1]


def test_a_function_of_remote_values_runs_where_they_are(cluster: Cluster) -> None:
    @tl.function
    def double(x: tl.Tensor) -> tl.Tensor:
        return x + x

    with tl.device(SECOND):
        x = tl.ones((100, 100)) * 2.0
    y = double(x)
    assert where(y) == SECOND
    assert float(tl.max(y)) == 4
    with tl.GradientTape() as tape:
        tape.watch(x)
        loss = tl.sum(double(x))
    assert float(tl.max(tape.gradient(loss, x))) == 2


def test_a_session_runs_on_a_cluster(cluster: Cluster) -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32, (None,))
        with tl.device(PS):
            y = x * 2.0
        total = tl.sum(y)
        large = tl.ones((100, 100)) * total
    with tl.Session(graph, target=cluster) as session:
        found = session.run([y, total, large], {x: [1.0, 2.0]})
    assert found[0].tolist() == [2, 4]
    assert found[1] == np.float32(6)
    assert isinstance(found[2], np.ndarray)
    assert (found[2] == 6).all()
    with pytest.raises(tl.errors.InvalidArgumentError, match="target="):
        tl.Session(graph, target="grpc://localhost:1")


def test_a_wait_in_one_task_holds_up_no_other_step(cluster: Cluster) -> None:
    with tl.device(PS):
        queue = tl.queue.FIFOQueue(10, tl.int32, shapes=())

    @tl.function
    def take() -> Any:
        with tl.device(FIRST):
            return queue.dequeue() + 1

    concrete = take.get_concrete_function()
    step: Any = concrete.callee.placed().step
    found: list[Any] = []
    step.begin([x.array for x in concrete.captured], found.append)
    with tl.device(FIRST):
        assert (tl.ones(2) + 1.0).tolist() == [2, 2]
    assert not found
    queue.enqueue(41)
    cluster.master.carrier.wait(lambda: bool(found))
    assert int(found[0][0].read()) == 42


def test_an_error_of_a_task_is_raised_here_and_the_rest_is_given_up(
    cluster: Cluster,
) -> None:
    @tl.function
    def fails(x: tl.Tensor) -> tl.Tensor:
        with tl.device(FIRST):
            tl.debugging.assert_less(x, 1.0, message="too much")
            y = x * 2.0
        with tl.device(SECOND):
            return y + 1.0

    assert fails(tl.zeros(2)).tolist() == [1, 1]
    with pytest.raises(tl.errors.AssertionFailedError, match="too much") as raised:
        fails(tl.ones(2))
    notes = "\n".join(raised.value.__notes__)
    assert f"in task {FIRST}" in notes
    assert "test_cluster.py" in notes
    assert fails(tl.zeros(2)).tolist() == [1, 1]


def test_a_task_that_is_lost_is_named_and_comes_back(cluster: Cluster) -> None:
    with tl.device(PS):
        w = tl.Variable([1.0, 2.0], name="w")

    @tl.function
    def step(x: tl.Tensor) -> tl.Tensor:
        with tl.device(FIRST):
            return x + w

    assert step(tl.ones(2)).tolist() == [2, 3]
    cluster.engine.kill(PS)
    with pytest.raises(tl.errors.UnavailableError, match=PS):
        repeat(lambda: step(tl.ones(2)))
    assert list(cluster.lost) == [PS]
    assert cluster.recover() == (PS,)
    with pytest.raises(tl.errors.FailedPreconditionError, match="'w'"):
        step(tl.ones(2))
    w.assign([5.0, 6.0])
    assert step(tl.ones(2)).tolist() == [6, 7]
    assert cluster.recover() == ()


def test_what_was_lost_with_a_task_says_so(cluster: Cluster) -> None:
    with tl.device(FIRST):
        x = tl.ones((200, 200)) + 1.0
    cluster.engine.kill(FIRST)
    with pytest.raises(tl.errors.UnavailableError, match=FIRST):
        repeat(lambda: x + 1.0)
    cluster.recover()
    with pytest.raises(tl.errors.FailedPreconditionError, match="started anew"):
        x + 1.0
    with pytest.raises(tl.errors.FailedPreconditionError, match="started anew"):
        x.numpy()


def test_python_does_not_travel(cluster: Cluster) -> None:
    @tl.function
    def calls(x: tl.Tensor) -> Any:
        with tl.device(FIRST):
            y = x * 2.0
        return tl.py_function(lambda y: y + 1.0, [y], y.dtype)

    assert calls(tl.ones(2)).tolist() == [3, 3]

    @tl.function
    def asks(x: tl.Tensor) -> Any:
        with tl.device(FIRST):
            return tl.py_function(lambda y: y + 1.0, [x], x.dtype)

    with pytest.raises(
        tl.errors.PlacementError, match="calls Python of this process"
    ):
        asks(tl.ones(2))


def test_an_unknown_task_is_told_with_those_that_are(cluster: Cluster) -> None:
    with (
        pytest.raises(
            tl.errors.DeviceError, match="task:7/device:CPU:0 does not exist"
        ),
        tl.device("/job:worker/task:7/device:CPU:0"),
    ):
        pass

    @tl.function
    def asks(x: tl.Tensor) -> Any:
        with tl.device("/job:worker/task:7"):
            return x + 1.0

    with pytest.raises(
        tl.errors.PlacementError, match="job:worker/task:1/device:CPU:0"
    ):
        asks(tl.ones(2))


def test_values_that_nobody_has_a_handle_of_are_dropped(cluster: Cluster) -> None:
    engine: Any = cluster.engine
    worker = engine._tasks[FIRST].worker
    client = worker._client(cluster.client)
    with tl.device(FIRST):
        x = tl.ones((200, 200)) + 1.0
        for _ in range(5):
            x = x + 1.0
            assert len(client.held) <= 3
        del x
        tl.ones(1)
    assert not client.held


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({}, "one task at least"),
        ({"ps": 0}, "1 or more"),
        ({"ps": True}, "1 or more"),
        ({"2ps": 1}, "no name for a job"),
        ({"client": 1}, "no name for a job"),
    ],
)
def test_specs_that_cannot_be(spec: Any, message: str) -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match=message):
        tl.distribute.connect(spec, engine="inprocess")


def test_bad_arguments_of_connect() -> None:
    with pytest.raises(tl.errors.DTypeError, match="how many tasks"):
        tl.distribute.connect(["ps"], engine="inprocess")  # type: ignore[arg-type]
    with pytest.raises(tl.errors.InvalidArgumentError, match="engine='rai'"):
        tl.distribute.connect({"ps": 1}, engine="rai")


def test_two_clusters_of_one_process_call_their_jobs_differently(
    cluster: Cluster,
) -> None:
    with pytest.raises(tl.errors.FailedPreconditionError, match="job:ps/task:0"):
        tl.distribute.connect({"ps": 1}, engine="inprocess")
    with (
        tl.distribute.connect({"other": 1}, engine="inprocess", name="other"),
        tl.device("/job:other"),
    ):
        assert tl.ones(2).tolist() == [1, 1]
    with tl.device(FIRST):
        assert tl.ones(2).tolist() == [1, 1]


def test_a_closed_cluster_says_so(cluster: Cluster) -> None:
    with tl.device(FIRST):
        x = tl.ones((200, 200)) + 1.0
    cluster.close()
    cluster.close()
    with pytest.raises(tl.errors.DeviceError, match="connected to none"):
        x + 1.0
    with pytest.raises(tl.errors.FailedPreconditionError, match="closed"):
        x.numpy()
