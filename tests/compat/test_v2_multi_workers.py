"""MultiWorkerMirroredStrategy: workers that run one program each, and sum gradients."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.distributed.collectives.programs import leave, program_of
from tensorlite.distributed.server import listening
from tests.serving import free_ports
from tests.threads import Background

X = np.random.default_rng(0).standard_normal((32, 3)).astype(np.float32)
Y = X @ np.asarray([[1.0], [-2.0], [0.5]], np.float32)


class Workers:
    """Two workers of this process, each a thread."""

    def __init__(self) -> None:
        self._ports = free_ports(2)
        jobs = {"worker": [f"localhost:{port}" for port in self._ports]}
        making = [Background(self._strategy, jobs, i) for i in range(2)]
        self.strategies = [each.result() for each in making]

    def _strategy(self, jobs: Any, index: int) -> Any:
        resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
            tf.train.ClusterSpec(jobs), task_type="worker", task_id=index
        )
        return tf.distribute.MultiWorkerMirroredStrategy(resolver)

    def run(self, function: Callable[..., Any], *args: Any) -> list[Any]:
        """Return what a function of a strategy returns for each worker."""
        running = [Background(function, each, *args) for each in self.strategies]
        return [each.result() for each in running]

    def close(self) -> None:
        """End the servers."""
        for index, port in enumerate(self._ports):
            program = program_of(f"/job:worker/task:{index}")
            server = listening(("127.0.0.1", port))
            if program is not None:
                leave(program)
            if server is not None:
                server.close()


@pytest.fixture
def workers() -> Iterator[Workers]:
    """Two workers."""
    made = Workers()
    yield made
    made.close()


def policy(name: str) -> Any:
    """Return options that ask for a way to share out datasets."""
    options = tf.data.Options()
    kinds: Any = tf.data.experimental.AutoShardPolicy
    options.experimental_distribute.auto_shard_policy = getattr(kinds, name)
    return options


@pytest.mark.parametrize(
    ("rows", "batch", "name", "expected"),
    [  # as TensorFlow 2.21 shares out
        (
            16,
            4,
            "AUTO",
            [
                [[0, 1], [4, 5], [8, 9], [12, 13]],
                [[2, 3], [6, 7], [10, 11], [14, 15]],
            ],
        ),
        (11, 5, "AUTO", [[[0, 1, 2], [5, 6, 7], [10]], [[3, 4], [8, 9], []]]),
        (10, 4, "DATA", [[[0, 1], [4, 5], [8]], [[2, 3], [6, 7], [9]]]),
        (8, 4, "OFF", [[[0, 1], [2, 3], [4, 5], [6, 7]]] * 2),
    ],
)
def test_batches_are_shared_out(
    workers: Workers, rows: int, batch: int, name: str, expected: Any
) -> None:
    def program(strategy: Any) -> Any:
        dataset = tf.data.Dataset.range(rows).batch(batch).with_options(policy(name))
        own = strategy.experimental_distribute_dataset(dataset)
        return [x.numpy().tolist() for x in own]

    assert workers.run(program) == expected


def test_each_worker_is_told_of_its_part(workers: Workers) -> None:
    def program(strategy: Any) -> Any:
        def own(context: Any) -> Any:
            told.append(context.get_per_replica_batch_size(8))
            return (
                tf.data.Dataset.range(16)
                .shard(context.num_input_pipelines, context.input_pipeline_id)
                .batch(told[-1])
            )

        told: list[int] = []
        dataset = strategy.distribute_datasets_from_function(own)
        assert told == [4]
        assert strategy.num_replicas_in_sync == 2
        values = strategy.experimental_distribute_values_from_function(
            lambda context: context.replica_id_in_sync_group
        )
        return [x.numpy().tolist() for x in dataset], values

    assert workers.run(program) == [
        ([[0, 2, 4, 6], [8, 10, 12, 14]], 0),
        ([[1, 3, 5, 7], [9, 11, 13, 15]], 1),
    ]


def test_what_workers_have_becomes_one(workers: Workers) -> None:
    def program(strategy: Any) -> Any:
        rank = float(strategy.cluster_resolver.task_id)
        with strategy.scope():
            first = tf.Variable(rank + 5.0)
            mean = tf.Variable(0.0, aggregation=tf.VariableAggregation.MEAN)
            total = tf.Variable(
                0.0,
                synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=tf.VariableAggregation.SUM,
            )

        @tf.function
        def step() -> Any:
            def replica() -> Any:
                context: Any = tf.distribute.get_replica_context()
                own = tf.cast(context.replica_id_in_sync_group, tf.float32) + 1.0
                mean.assign_add(own)
                total.assign_add(own)
                rows = context.all_gather(tf.reshape(own, [1, 1]), axis=1)
                with tf.GradientTape() as tape:
                    tape.watch(own)
                    y = context.all_reduce(tf.distribute.ReduceOp.SUM, own * own)
                return own, y, rows, tape.gradient(y, own)

            own, y, rows, slope = strategy.run(replica)
            both = [strategy.reduce(how, own, axis=None) for how in ("SUM", "MEAN")]
            return *both, y, rows, slope

        found = [x.numpy().tolist() for x in step()]
        rows = tf.constant([[rank]] * (int(rank) + 1))
        whole = strategy.gather(rows, axis=0).numpy().tolist()
        along = strategy.reduce("MEAN", rows, axis=0).numpy().tolist()
        values = [x.numpy().tolist() for x in (first, mean, total)]
        total.assign(8.0)
        return found, whole, along, values, float(total)

    for rank, found in enumerate(workers.run(program)):
        numbers, whole, along, values, total = found
        assert numbers[:4] == [3.0, 1.5, 5.0, [[1.0, 2.0]]]
        assert numbers[4] == 4.0 * (rank + 1)  # the own value is in both losses
        assert whole == [[0.0], [1.0], [1.0]]
        assert along == [pytest.approx(2 / 3)]
        assert values == [5.0, 1.5, 3.0]
        assert total == 8.0


def test_a_traced_function_is_run_as_it_is(workers: Workers) -> None:
    def program(strategy: Any) -> Any:
        with strategy.scope():
            w = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)

        @tf.function
        def add(x: Any) -> Any:
            w.assign_add(x)
            return x

        rank = strategy.cluster_resolver.task_id
        found = [float(strategy.run(add, args=(rank + 1.0,))) for _ in range(2)]
        return found, float(w)

    assert workers.run(program) == [([1.0, 1.0], 6.0), ([2.0, 2.0], 6.0)]


def test_a_loop_of_ones_own_trains_as_one_process_does(workers: Workers) -> None:
    def program(strategy: Any) -> Any:
        with strategy.scope():
            w = tf.Variable(tf.random.normal((3, 1)))
            optimizer = tf.keras.optimizers.SGD(0.1)
        first = w.numpy()
        dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)
        shares = strategy.experimental_distribute_dataset(dataset)

        @tf.function
        def step(iterator: Any) -> Any:
            def replica(x: Any, y: Any) -> Any:
                with tf.GradientTape() as tape:
                    losses = tf.reduce_sum(tf.square(x @ w - y), axis=1)
                    loss = tf.nn.compute_average_loss(losses, global_batch_size=8)
                optimizer.apply_gradients([(tape.gradient(loss, w), w)])
                return loss

            losses = strategy.run(replica, args=next(iterator))
            return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

        iterator = iter(shares)
        losses = [float(step(iterator)) for _ in range(4)]
        return first, losses, w.numpy()

    found = workers.run(program)
    (first, losses, last), (other, others, same) = found
    expected, means = first.copy(), []
    for at in range(0, 32, 8):
        x, y = X[at : at + 8], Y[at : at + 8]
        means.append(float(np.mean((x @ expected - y) ** 2)))
        expected -= 0.1 * 2 / 8 * (x.T @ (x @ expected - y))
    np.testing.assert_array_equal(first, other)
    np.testing.assert_allclose(losses, means, rtol=1e-4)
    np.testing.assert_array_equal(losses, others)
    np.testing.assert_allclose(last, expected, rtol=1e-4)
    np.testing.assert_array_equal(last, same)


def test_told_of_one_worker_it_trains_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_CONFIG", raising=False)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    assert strategy.num_replicas_in_sync == 1
    assert float(strategy.reduce("SUM", tf.constant(2.0), axis=None)) == 2.0


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ({}, "this process is"),
        ({"type": "ps", "index": 0}, "this process is"),
        ({"type": "worker", "index": 2}, "maximum id"),
        ({"type": "boss", "index": 0}, "Unrecognized"),
    ],
)
def test_who_is_no_worker(
    monkeypatch: pytest.MonkeyPatch, task: Any, text: str
) -> None:
    jobs = {"worker": ["localhost:1", "localhost:2"], "ps": ["localhost:3"]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": jobs, "task": task}))
    with pytest.raises(ValueError, match=text):
        tf.distribute.experimental.MultiWorkerMirroredStrategy()


PROGRAM = """
import json
import tensorlite.compat.v2 as tf
from tests.compat.test_v2_multi_workers import X, Y
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss="mse", metrics=["mae"])
data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)
history = model.fit(data, epochs=2, verbose=0).history
task = [strategy.cluster_resolver.task_type, strategy.cluster_resolver.task_id]
rows = model.predict(X[:3], verbose=0).tolist()
print(json.dumps([task, history["loss"], history["mae"], rows]))
"""


@pytest.mark.cluster
def test_keras_fits_in_two_processes() -> None:
    root = Path(__file__).parents[2]
    jobs = {"worker": [f"localhost:{port}" for port in free_ports(2)]}
    running = []
    for index in range(2):
        told = {"cluster": jobs, "task": {"type": "worker", "index": index}}
        environment = {
            **os.environ,
            "TF_CONFIG": json.dumps(told),
            "PYTHONPATH": f"{root}/src:{root}",
        }
        command = [sys.executable, "-c", PROGRAM]
        running.append(
            subprocess.Popen(
                command, stdout=subprocess.PIPE, text=True, env=environment
            )
        )
    try:
        texts = [each.communicate(timeout=120)[0] for each in running]
    finally:
        for each in running:
            each.kill()
    # None has ended while another was still at what they do together.
    assert [each.returncode for each in running] == [0, 0]
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.SGD(0.1), loss="mse", metrics=["mae"])
    history = model.fit(X, Y, 8, epochs=2, shuffle=False, verbose=0).history
    for index, text in enumerate(texts):
        task, losses, errors, rows = json.loads(text)
        assert task == ["worker", index]
        np.testing.assert_allclose(losses, history["loss"], rtol=1e-4)
        np.testing.assert_allclose(errors, history["mae"], rtol=1e-4)
        np.testing.assert_allclose(rows, model.predict(X[:3], verbose=0), rtol=1e-3)
