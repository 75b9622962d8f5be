"""tf.train.Server: tasks at addresses that all know, and sessions by way of them."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.distributed import asking, attached
from tensorlite.distributed.transport.plane import Plane
from tensorlite.graph_mode import monitored
from tests.threads import Background, until

X = np.array([[1.0, 2.0], [3.0, 5.0], [0.0, -1.0]], np.float32)
Y = X @ np.array([[2.0], [-1.0]], np.float32)


def ports(count: int) -> list[int]:
    """Return ports at which nobody listens."""
    with ExitStack() as stack:
        found = []
        for _ in range(count):
            one = stack.enter_context(socket.socket())
            one.bind(("127.0.0.1", 0))
            found.append(one.getsockname()[1])
        return found


def spec(**jobs: int) -> Any:
    """Return a cluster of this machine, of so many tasks each."""
    free = iter(ports(sum(jobs.values())))
    return tf.train.ClusterSpec(
        {
            job: [f"localhost:{next(free)}" for _ in range(count)]
            for job, count in jobs.items()
        }
    )


@pytest.fixture
def serve() -> Iterator[Callable[..., Any]]:
    """Make servers that end with the test."""
    with ExitStack() as stack:

        def made(cluster: Any, job: str, index: int = 0) -> Any:
            server = tf.train.Server(cluster, job, index)
            stack.callback(server.close)
            return server

        yield made


def setter(cluster: Any, index: int = 0) -> Any:
    """Return who places as a worker does."""
    own = f"/job:worker/task:{index}"
    return tf.train.replica_device_setter(worker_device=own, cluster=cluster)


def test_variables_live_in_the_task_that_they_are_placed_on(
    serve: Callable[..., Any],
) -> None:
    cluster = spec(ps=1, worker=2)
    servers = [serve(cluster, "ps"), *[serve(cluster, "worker", i) for i in range(2)]]
    values: list[Any] = []
    missing: list[Any] = []
    for index in range(2):
        with tf.Graph().as_default():
            with tf.device(setter(cluster, index)):
                w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
                more = w.assign_add([1.0, 2.0])
            late = tf.report_uninitialized_variables()
            with tf.Session(servers[1 + index].target) as session:
                missing.append([tf.compat.as_text(x) for x in session.run(late)])
                if index == 0:
                    session.run(w.initializer)
                values.append(session.run(more).tolist())
    assert missing == [["w"], []]
    assert values == [[2.0, 3.0], [3.0, 5.0]]
    held = [len(server.container) for server in servers]
    assert held == [1, 0, 0]


def test_global_step_of_the_default_graph_is_placed_as_all_variables() -> None:
    tf.reset_default_graph()
    with tf.device(setter(spec(ps=1, worker=1))):
        step = tf.train.get_or_create_global_step()
        x = tf.placeholder(tf.float32, [])
    assert (step.device, x.device) == ("/job:ps/task:0", "/job:worker/task:0")
    tf.reset_default_graph()


def test_a_queue_on_a_server_tells_it_that_workers_are_done(
    serve: Callable[..., Any],
) -> None:
    cluster = spec(ps=1, worker=1)
    ps, worker = serve(cluster, "ps"), serve(cluster, "worker")

    def queue() -> Any:
        with tf.device("/job:ps/task:0"):
            return tf.FIFOQueue(2, tf.int32, shapes=[()], shared_name="done")

    def wait() -> None:
        with tf.Graph().as_default():
            taken = queue().dequeue()
            only = tf.ConfigProto(device_filters=["/job:ps"])
            with tf.Session(ps.target, config=only) as session:
                came.append(session.run(taken))

    came: list[Any] = []
    waiting = threading.Thread(target=wait)
    waiting.start()
    with tf.Graph().as_default():
        put = queue().enqueue(7)
        with tf.Session(worker.target) as session:
            session.run(put)
    waiting.join(30)
    assert came == [7]


def test_in_graph_over_tasks_of_other_processes(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = spec(worker=2)
    first, _ = [serve(cluster, "worker", i) for i in range(2)]
    monkeypatch.setattr(attached, "listening", lambda where: None)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2])
        sums = []
        for index in range(2):
            with tf.device(f"/job:worker/task:{index}"):
                sums.append(tf.reduce_sum(x * float(index + 1)))
        total = tf.add_n(sums)
        with tf.Session(first.target) as session:
            assert session.run(total, {x: X}) == 3 * X.sum()


def test_python_runs_in_the_process_of_the_session(
    serve: Callable[..., Any],
) -> None:
    cluster = spec(ps=1, worker=1)
    serve(cluster, "ps")
    worker = serve(cluster, "worker")
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            w = tf.Variable([1.0, 2.0])
        with tf.device("/job:worker/task:0"):
            y = tf.py_func(lambda v: v * 3, [w + 1.0], tf.float32)
        with tf.Session(worker.target) as session:
            session.run(w.initializer)
            assert session.run(y).tolist() == [6.0, 9.0]


def worker_of(cluster: Any, server: Any, index: int, steps: int, told: Any) -> None:
    """Train with SyncReplicasOptimizer, as the chief if `index` is 0."""
    own = f"/job:worker/task:{index}"
    with tf.Graph().as_default():
        with tf.device(setter(cluster, index)):
            w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
            step = tf.train.get_or_create_global_step()
            loss = tf.reduce_mean(tf.square(tf.matmul(X, w) - Y))
            optimizer = tf.train.SyncReplicasOptimizer(
                tf.train.GradientDescentOptimizer(0.02), 2
            )
            train = optimizer.minimize(loss, global_step=step)
        hooks = [
            optimizer.make_session_run_hook(index == 0, num_tokens=0),
            tf.train.StopAtStepHook(last_step=steps),
        ]
        with tf.train.MonitoredTrainingSession(
            server.target,
            is_chief=index == 0,
            hooks=hooks,
            config=tf.ConfigProto(device_filters=["/job:ps", own]),
        ) as session:
            while not session.should_stop():
                session.run(train)
        told[index] = True


def test_sync_replicas_do_what_one_worker_does(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitored.MonitoredSession, "recovers", False)
    cluster, steps = spec(ps=1, worker=2), 6
    ps = serve(cluster, "ps")
    workers = [serve(cluster, "worker", index) for index in range(2)]
    told: dict[int, bool] = {}
    running = [
        Background(worker_of, cluster, server, index, steps, told)
        for index, server in enumerate(workers)
    ]
    until(lambda: bool(told))
    expected = np.zeros((2, 1), np.float32)
    for _ in range(
        steps
    ):  # both have the same rows, so their mean is either's gradient
        expected -= 0.02 * 2 / 3 * (X.T @ (X @ expected - Y))
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            w = tf.get_variable("w", [2, 1])
        only = tf.ConfigProto(device_filters=["/job:ps"])
        with tf.Session(ps.target, config=only) as session:
            np.testing.assert_allclose(session.run(w), expected, rtol=1e-4)
    ps.close()  # one may still wait for a token
    until(lambda: not any(one.thread.is_alive() for one in running))


def test_a_lost_task_is_waited_for_by_a_new_session(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "TOLD", 0.2)
    cluster = spec(ps=1, worker=1)
    worker = serve(cluster, "worker")
    ps = serve(cluster, "ps")
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            w = tf.Variable([1.0, 2.0])
        late = tf.report_uninitialized_variables()
        with tf.Session(worker.target) as session:
            session.run(w.initializer)
            ps.close()
            with pytest.raises(tf.errors.UnavailableError, match="a new session"):
                session.run(w)
        again = threading.Timer(1.0, serve, (cluster, "ps"))
        again.start()
        with tf.Session(worker.target) as session:
            assert [tf.compat.as_text(x) for x in session.run(late)] == ["Variable"]
        again.join()


def test_a_loss_that_is_noticed_while_sending_is_told_with_what_helps(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = spec(ps=1, worker=1)
    worker, _ = serve(cluster, "worker"), serve(cluster, "ps")

    def fails(*_: Any) -> None:
        raise tf.errors.UnavailableError(None, None, "the link is gone")

    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            w = tf.Variable([1.0, 2.0])
        with tf.Session(worker.target) as session:
            session.run(w.initializer)
            with monkeypatch.context() as patch:
                patch.setattr(Plane, "send_all", fails)
                with pytest.raises(tf.errors.UnavailableError, match="a new session"):
                    session.run(w)


def test_local_server() -> None:
    server = tf.train.Server.create_local_server()
    with tf.Graph().as_default():
        x = tf.Variable(2.0)
        with tf.Session(server.target) as session:
            session.run(x.initializer)
        with tf.Session(server.target) as session:
            assert session.run(x * 2.0) == 4.0
    server.close()


def test_partitions_go_to_servers_in_turns(serve: Callable[..., Any]) -> None:
    cluster = spec(ps=2, worker=1)
    servers = [serve(cluster, "ps", 0), serve(cluster, "ps", 1)]
    worker = serve(cluster, "worker")
    with tf.Graph().as_default():
        with tf.device(setter(cluster)):
            table = tf.get_variable(
                "table",
                [6, 2],
                initializer=tf.ones_initializer(),
                partitioner=tf.fixed_size_partitioner(2),
            )
            rows = tf.nn.embedding_lookup(table, [0, 5, 3], partition_strategy="div")
            train = tf.train.AdagradOptimizer(0.5).minimize(tf.reduce_sum(rows))
        with tf.Session(worker.target) as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            found = session.run(tf.convert_to_tensor(table))
    # Adagrad's first step: 0.5 * 1 / sqrt(0.1 + 1)
    step = 1 - 0.5 / np.sqrt(1.1)
    expected = np.array([step, 1, 1, step, 1, step])
    np.testing.assert_allclose(found, np.stack([expected] * 2, 1), rtol=1e-6)
    assert [len(server.container) for server in servers] == [2, 2]


@pytest.mark.parametrize("greedy", [False, True])
def test_who_gets_which_variable(greedy: bool) -> None:
    cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1"]})
    training: Any = tf.contrib.training
    strategy = (
        training.GreedyLoadBalancingStrategy(2, training.byte_size_load_fn)
        if greedy
        else None
    )
    with tf.Graph().as_default():
        with tf.device(
            tf.train.replica_device_setter(cluster=cluster, ps_strategy=strategy)
        ):
            tf.get_variable("a", [100, 10])
            tf.get_variable("b", [10])
            tf.get_variable("c", [50, 10], partitioner=tf.fixed_size_partitioner(3))
            tf.train.get_or_create_global_step()
            e = tf.get_variable("e", [4])
            tf.train.AdamOptimizer().minimize(tf.reduce_sum(e))
        found = [int(x.device[-1]) for x in tf.global_variables()]
    # As TensorFlow 1.15 places them.
    assert found == ([0] + [1] * 10 if greedy else [0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0])


def test_a_cluster_whose_tasks_are_not_all_there() -> None:
    given = {"worker": {1: "x:1", 3: "y:2"}}
    cluster = tf.train.ClusterSpec(given)
    assert cluster.as_dict() == given
    assert cluster.job_tasks("worker") == [None, "x:1", None, "y:2"]
    assert tf.train.ClusterSpec(cluster) == cluster


class Task:
    """A process that is a task, anew whenever it is started."""

    def __init__(self, *told: object) -> None:
        self.command = [sys.executable, "-m", "tests.compat.served", *map(str, told)]
        self.start()

    def start(self) -> None:
        """Start it, and wait until it listens."""
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, text=True
        )
        assert self.line() == "listens"

    def line(self) -> str:
        """Return the next line that it writes."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def step(self) -> int:
        """Return the first step that it tells of after it has made a session."""
        while self.line() != "session":
            assert self.process.poll() is None
        step, *x = map(float, self.line().split())
        assert len(x) == 3
        return int(step)

    def kill(self) -> None:
        """End it as an accident would."""
        self.process.kill()
        self.process.communicate()


@pytest.mark.cluster
def test_training_goes_on_when_tasks_are_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(__file__).parents[2]
    monkeypatch.setenv("PYTHONPATH", f"{root}/src:{root}")
    at = ",".join(map(str, ports(3)))
    with ExitStack() as stack:
        tasks = []
        for job, index in (("ps", 0), ("worker", 0), ("worker", 1)):
            tasks.append(Task(job, index, at, tmp_path))
            stack.callback(tasks[-1].kill)
        ps, chief, other = tasks
        before = chief.step()
        other.step()
        other.kill()
        other.start()
        assert other.step() >= before  # what the server keeps, it finds
        ps.kill()
        ps.start()
        assert chief.step() > before  # restored by the chief
        Path(tmp_path, "stop").touch()
        for task in (chief, other):
            task.process.communicate(timeout=30)
            assert task.process.returncode == 0
