"""Strategies of several devices in graphs that are built by hand, as in TensorFlow 1.

The losses of the first test are what TensorFlow 1.15 gave.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v1 as module

tf: Any = module
X = np.ones((8, 2), np.float32)


@pytest.fixture(autouse=True)
def _cpus() -> Iterator[None]:
    tl.config.set_logical_devices("CPU", 2)
    yield
    tl.config.set_logical_devices("CPU", 1)


def mirrored() -> Any:
    return tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])


def test_gradients_of_replicas_are_summed() -> None:
    strategy = mirrored()
    with tf.Graph().as_default() as graph, strategy.scope():
        w = tf.get_variable("w", initializer=[[1.0], [1.0]])
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        data = tf.data.Dataset.from_tensor_slices((X, X[:, :1])).batch(4).repeat(3)
        iterator = strategy.make_dataset_iterator(data)

        def step(batch: Any) -> Any:
            x, y = batch
            loss = tf.reduce_sum((tf.matmul(x, w) - y) ** 2) / 4
            with tf.control_dependencies([optimizer.minimize(loss)]):
                return tf.identity(loss)

        each = strategy.experimental_run_v2(step, args=(iterator.get_next(),))
        loss = strategy.reduce(tf.distribute.ReduceOp.SUM, each, axis=None)
        assert [x.name for x in tf.global_variables()] == ["w:0", "w/Momentum:0"]
        begin = [iterator.initialize(), tf.global_variables_initializer()]
    with tf.Session(graph=graph) as session:
        session.run(begin)
        losses = [float(session.run(loss)) for _ in range(4)]
        np.testing.assert_allclose(losses, [1.0, 0.36, 0.0, 0.2916], atol=1e-5)
        np.testing.assert_allclose(session.run(w)[:, 0], [0.095, 0.095], rtol=1e-5)
        assert [x.shape for x in session.run(each.values)] == [(), ()]


def test_variables_that_replicas_make_are_one() -> None:
    strategy = mirrored()
    with tf.Graph().as_default() as graph:
        step_count = tf.train.get_or_create_global_step()

        def step() -> Any:
            here = tf.distribute.get_replica_context()
            with tf.variable_scope("model"):
                y = tf.layers.dense(
                    tf.ones([2, 3]), 1, kernel_initializer=tf.ones_initializer()
                )
                y = tf.layers.dense(y, 1, kernel_initializer=tf.ones_initializer())
                scale = tf.Variable(2.0, name="scale")
                loss = tf.reduce_mean(y * scale)
                optimizer = tf.train.AdamOptimizer(0.1)
                train = optimizer.minimize(loss, global_step=step_count)
            number = tf.cast(here.replica_id_in_sync_group, tf.float32)
            with tf.control_dependencies([train]):
                return tf.identity(loss), number

        with strategy.scope():
            losses, numbers = strategy.extended.call_for_each_replica(step)
            mean = strategy.reduce("MEAN", losses, axis=None)
        names = [x.name for x in tf.trainable_variables()]
        begin = tf.global_variables_initializer()
    assert names == [
        "model/dense/kernel:0",
        "model/dense/bias:0",
        "model/dense_1/kernel:0",
        "model/dense_1/bias:0",
        "model/scale:0",
    ]
    with tf.Session(graph=graph) as session:
        session.run(begin)
        first, own = session.run([mean, list(numbers.values)])
        assert (float(first), [float(x) for x in own]) == (6.0, [0.0, 1.0])
        assert float(session.run(mean)) < 6.0
        assert int(session.run(step_count)) == 2


def test_rows_left_over_are_shared() -> None:
    strategy = mirrored()
    with tf.Graph().as_default() as graph:
        iterator = strategy.make_dataset_iterator(tf.data.Dataset.range(5).batch(3))
        given = iterator.get_next()
        rows = strategy.gather(given, axis=0)
    with tf.Session(graph=graph) as session:
        session.run(iterator.initializer)
        found = session.run([*given.values, rows])
        assert [x.tolist() for x in found] == [[0, 1], [2], [0, 1, 2]]
        assert [x.tolist() for x in session.run(list(given.values))] == [[3], [4]]


def test_distributed_datasets_have_iterators_of_sessions() -> None:
    strategy = mirrored()
    with tf.Graph().as_default() as graph:
        given = tf.data.Dataset.range(5).batch(3)
        dataset = strategy.experimental_distribute_dataset(given)
        iterator = dataset.make_initializable_iterator()
        batch = next(iterator)
    with tf.Session(graph=graph) as session:
        for _ in range(2):
            session.run(iterator.initializer)
            rows = [session.run(list(batch.values)) for _ in range(2)]
            assert [[x.tolist() for x in own] for own in rows] == [
                [[0, 1], [2]],
                [[3], [4]],
            ]
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(list(batch.values))


def test_models_of_a_strategy_are_trained_on_whole_batches() -> None:
    data = tf.data.Dataset.from_tensors(([1.0], [1.0])).repeat(80).batch(8)
    with tf.Graph().as_default():
        with mirrored().scope():
            dense = tf.keras.layers.Dense(1, input_shape=(1,))
            model = tf.keras.Sequential([dense])
            model.compile(loss="mse", optimizer=tf.keras.optimizers.SGD(0.1))
        model.set_weights([np.zeros((1, 1)), np.zeros(1)])
        model.fit(data, epochs=1, verbose=0)
        # Each step takes two fifths of what is missing away, one by each weight.
        kernel, bias = model.get_weights()
        np.testing.assert_allclose(kernel[0, 0] + bias[0], 1 - 0.6**10, rtol=1e-5)


def test_strategies_of_workers_take_a_way_to_communicate_first() -> None:
    experimental = tf.distribute.experimental
    strategy = experimental.MultiWorkerMirroredStrategy(
        experimental.CollectiveCommunication.NCCL
    )
    assert isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy)
    assert strategy.num_replicas_in_sync == 1
