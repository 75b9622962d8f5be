"""ParameterServerStrategy and ClusterCoordinator: as TensorFlow 2's guide trains with servers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.distributed.server import listening
from tests.serving import Served, free_ports
from tests.threads import until

X = np.random.default_rng(0).standard_normal((64, 3)).astype(np.float32)
Y = X @ np.asarray([[1.0], [-2.0], [0.5]], np.float32)


def resolver(jobs: Any, **told: Any) -> Any:
    """Return what tells of a cluster."""
    return tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec(jobs), rpc_layer="grpc", **told
    )


@pytest.fixture
def served() -> Iterator[Served]:
    """Two parameter servers and two workers of this process."""
    with Served(worker=2, ps=2) as made:
        yield made


@pytest.fixture
def strategy(served: Served) -> Iterator[Any]:
    """A strategy whose variables are in two parts where they have more than three rows."""
    made = tf.distribute.ParameterServerStrategy(
        resolver(served.jobs),
        tf.distribute.experimental.partitioners.MinSizePartitioner(16, max_shards=2),
    )
    yield made
    made.cluster.close()


def places(variables: Any) -> list[str]:
    """Return the tasks on which variables are."""
    return [str(x.device).removesuffix("/device:CPU:0") for x in variables]


def regression(strategy: Any) -> tuple[Any, Any, Any]:
    """Return a model, a step that trains it, and a dataset for the workers."""
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        optimizer = tf.keras.optimizers.SGD(0.05)
        mean = tf.keras.metrics.Mean()

    @tf.function
    def step(iterator: Any) -> Any:
        def replica(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                losses = tf.reduce_mean(tf.square(model(x) - y), axis=1)
                loss = tf.nn.compute_average_loss(losses)
            weights = model.trainable_variables
            gradients = tape.gradient(loss, weights)
            optimizer.apply_gradients(zip(gradients, weights, strict=True))
            mean.update_state(loss)
            return loss

        losses = strategy.run(replica, args=next(iterator))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

    @tf.function
    def datasets() -> Any:
        return strategy.distribute_datasets_from_function(
            lambda context: (
                tf.data.Dataset.from_tensor_slices((X, Y))
                .shuffle(64)
                .repeat()
                .batch(context.get_per_replica_batch_size(8))
            )
        )

    return model, step, datasets


def test_the_loop_of_the_guide(strategy: Any) -> None:
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    assert tf.distribute.coordinator.ClusterCoordinator(strategy) is coordinator
    model, step, datasets = regression(strategy)
    iterator = iter(coordinator.create_per_worker_dataset(datasets))
    losses, made = [], []
    for _ in range(4):
        made = [coordinator.schedule(step, args=(iterator,)) for _ in range(20)]
        coordinator.join()
        assert coordinator.done()
        losses.append(np.mean(coordinator.fetch(made)))
    assert losses[-1] < 0.05 * losses[0]
    assert isinstance(made[0].fetch(), np.ndarray | np.generic)
    assert tf.is_tensor(made[0].get())
    assert step.experimental_get_tracing_count() == 1
    assert places(model.variables) == ["/job:ps/task:1", "/job:ps/task:0"]
    np.testing.assert_allclose(
        model(X).numpy(), Y, atol=0.5
    )  # which the program itself computes


def test_variables_are_placed_in_turns_and_split(strategy: Any) -> None:
    with strategy.scope():
        assert tf.distribute.get_strategy() is strategy
        small = [tf.Variable(float(i)) for i in range(3)]
        large: Any = tf.Variable(tf.reshape(tf.range(10.0), (5, 2)), name="table")
        layer = tf.keras.layers.Embedding(5, 4)
        ids = tf.constant([[0, 4], [2, 3]])
        rows = layer(ids)
    assert places(small) == ["/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:0"]
    assert places(large.variables) == ["/job:ps/task:1", "/job:ps/task:0"]
    assert [x.name for x in large.variables] == ["table/part_0:0", "table/part_1:0"]
    assert [tuple(x.shape) for x in large.variables] == [(3, 2), (2, 2)]
    np.testing.assert_array_equal(large.numpy(), np.arange(10.0).reshape(5, 2))
    found = tf.nn.embedding_lookup(large, [4, 0])
    np.testing.assert_array_equal(found.numpy(), [[8, 9], [0, 1]])
    large.assign(tf.ones((5, 2)))
    np.testing.assert_array_equal((large + 1.0).numpy(), np.full((5, 2), 2.0))
    assert [tuple(x.shape) for x in layer.weights] == [(3, 4), (2, 4)]
    whole = np.concatenate([x.numpy() for x in layer.weights])
    np.testing.assert_array_equal(rows.numpy(), whole[ids.numpy()])
    module = tf.Module()
    module.table = large
    assert module.variables == tuple(large.variables)


def test_gradients_of_a_split_table_reach_its_rows(strategy: Any) -> None:
    with strategy.scope():
        table: Any = tf.Variable(tf.zeros((5, 2)))
        optimizer = tf.keras.optimizers.SGD(1.0)

    @tf.function
    def step(ids: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids))
        found = tape.gradient(loss, table.variables)
        optimizer.apply_gradients(zip(found, table.variables, strict=True))

    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    coordinator.schedule(step, args=(tf.constant([0, 4, 4]),))
    coordinator.join()
    expected = np.zeros((5, 2))
    expected[[0, 4]] = [[-1, -1], [-2, -2]]
    np.testing.assert_array_equal(table.numpy(), expected)


def test_each_worker_reads_its_own_dataset(strategy: Any) -> None:
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)

    def datasets() -> Any:
        index = tf.distribute.coordinator.experimental_get_current_worker_index()
        return tf.data.Dataset.from_tensors(index).repeat()

    numbers = coordinator.create_per_worker_dataset(datasets)
    assert numbers.element_spec.dtype == tf.int32
    iterator = iter(numbers)

    @tf.function
    def taken(iterator: Any, more: Any) -> Any:
        return {"x": next(iterator) + more["one"], "device": "here"}

    made = [
        coordinator.schedule(taken, (iterator,), {"more": {"one": tf.constant(10)}})
        for _ in range(12)
    ]
    found = coordinator.fetch(made)
    assert {int(each["x"]) for each in found} <= {10, 11}
    with pytest.raises(NotImplementedError, match="schedule"):
        next(iterator)
    with pytest.raises(RuntimeError, match="worker index"):
        tf.distribute.coordinator.experimental_get_current_worker_index()


def test_keras_fits_by_the_workers(strategy: Any) -> None:
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(0.05), "mse", steps_per_execution=8)
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8).repeat()
    model.build((None, 3))
    before = [x.steps for x in workers_of(strategy)]
    history = model.fit(data, epochs=4, steps_per_epoch=16, verbose=0).history
    after = [x.steps for x in workers_of(strategy)]
    assert history["loss"][-1] < 0.1 * history["loss"][0]
    assert sum(after) - sum(before) >= 64
    assert model.evaluate(X, Y, verbose=0) < history["loss"][0]
    assert model.predict(X, verbose=0).shape == (64, 1)


def workers_of(strategy: Any) -> list[Any]:
    """Return the workers of this process that are a strategy's."""
    found = []
    for task in strategy.workers:
        host, port = strategy.cluster.addresses[task].split(":")
        assert host == "localhost"
        server = listening(("127.0.0.1", int(port)))
        assert server is not None
        found.append(server._worker)
    return found


def test_what_fails_is_told_by_the_next_call(strategy: Any) -> None:
    coordinator = tf.distribute.experimental.coordinator.ClusterCoordinator(strategy)

    @tf.function
    def checked(x: Any) -> Any:
        tf.debugging.assert_positive(x)
        return x

    bad = coordinator.schedule(checked, args=(tf.constant(-1),))
    with pytest.raises(tf.errors.InvalidArgumentError):
        bad.fetch()
    with pytest.raises(tf.errors.InvalidArgumentError):
        coordinator.schedule(checked, args=(tf.constant(1),))
    coordinator.join()
    assert coordinator.schedule(checked, args=(tf.constant(1),)).fetch() == 1


def test_a_lost_server_is_unavailable(strategy: Any, served: Served) -> None:
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        w = tf.Variable(1.0)
    served.stop("/job:ps/task:0")
    coordinator.schedule(tf.function(lambda: w + 1.0))
    with pytest.raises(tf.errors.UnavailableError, match="had variables"):
        coordinator.join()


@pytest.mark.parametrize(
    ("jobs", "told", "text"),
    [
        ({}, {}, "non-empty"),
        ({"worker": ["localhost:1"]}, {}, "at least one ps"),
        ({"ps": ["localhost:1"]}, {}, "at least one worker"),
        ({"ps": ["localhost:1"], "w": ["localhost:2"]}, {}, "Disallowed"),
        (
            {"ps": ["localhost:1"], "worker": ["localhost:2"]},
            {"task_type": "master"},
            "Unrecognized",
        ),
        (
            {"ps": ["localhost:1"], "worker": ["localhost:2"]},
            {"task_type": "chief", "task_id": 0},
            "not found",
        ),
        (
            {"ps": ["localhost:1"], "worker": ["localhost:2"]},
            {"task_type": "worker", "task_id": 1},
            "maximum id",
        ),
    ],
)
def test_clusters_that_cannot_be(jobs: Any, told: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        tf.distribute.experimental.ParameterServerStrategy(resolver(jobs, **told))


def test_what_cannot_be_scheduled(strategy: Any) -> None:
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with pytest.raises(TypeError, match=r"only accepts a `tf.function`"):
        coordinator.schedule(lambda: 1)
    one = coordinator.schedule(tf.function(lambda: tf.constant(1)))
    with pytest.raises(ValueError, match="as an input"):
        coordinator.schedule(tf.function(lambda x: x), args=(one,))
    assert coordinator.fetch([one, 2]) == [1, 2]
    with pytest.raises(ValueError, match="Unexpected dataset type"):
        coordinator.create_per_worker_dataset(lambda: 7)
    with pytest.raises(ValueError, match="is supported to work"):
        tf.distribute.coordinator.ClusterCoordinator(tf.distribute.get_strategy())
    with pytest.raises(TypeError, match="ClusterResolver"):
        tf.distribute.ParameterServerStrategy()


def test_partitioners_that_split_other_axes(served: Served) -> None:
    made = tf.distribute.ParameterServerStrategy(
        resolver(served.jobs), lambda shape, dtype: [1, 2]
    )
    with made.scope(), pytest.raises(ValueError, match="besides the first"):
        tf.Variable(tf.ones((2, 2)))
    made.cluster.close()


SERVER = """
import sys
import tensorlite.compat.v2 as tf
resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
server = tf.distribute.Server(
    resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id,
    protocol="grpc", start=True)
print("listens", flush=True)
server.join()
"""


class Task:
    """A process that is a task of a cluster by TF_CONFIG."""

    def __init__(self, jobs: Any, job: str, index: int) -> None:
        root = Path(__file__).parents[2]
        self._environment = {
            "TF_CONFIG": str(
                {"cluster": jobs, "task": {"type": job, "index": index}}
            ).replace("'", '"'),
            "PYTHONPATH": f"{root}/src",
            "OMP_NUM_THREADS": "1",
            "PATH": "",
        }
        self.start()

    def start(self) -> None:
        """Start it, and wait until it listens."""
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            stdout=subprocess.PIPE,
            text=True,
            env=self._environment,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == "listens"

    def kill(self) -> None:
        """End it as an accident would."""
        self.process.kill()
        self.process.communicate()


@pytest.mark.cluster
def test_workers_of_other_processes_may_be_killed() -> None:
    free = [f"localhost:{port}" for port in free_ports(3)]
    jobs = {"worker": free[:2], "ps": free[2:]}
    tasks = [Task(jobs, job, i) for job in jobs for i in range(len(jobs[job]))]
    try:
        strategy = tf.distribute.ParameterServerStrategy(resolver(jobs))
        coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
        _, step, datasets = regression(strategy)
        iterator = iter(coordinator.create_per_worker_dataset(datasets))

        def trained() -> list[Any]:
            made = [coordinator.schedule(step, args=(iterator,)) for _ in range(20)]
            if len(losses) == 1:
                tasks[1].kill()
            coordinator.join()
            return made

        losses: list[float] = []
        for _ in range(3):
            made = trained()
            losses.append(float(np.mean(coordinator.fetch(made))))
        assert losses[-1] < 0.2 * losses[0]
        tasks[1].start()
        until(lambda: not strategy.cluster.lost(strategy.workers))
        trained()
        strategy.cluster.close()
    finally:
        for task in tasks:
            task.kill()
