"""Keras' models under strategies of several devices, and what datasets give replicas.

The numbers are what Keras 3 on TensorFlow 2.21 gave with two logical CPUs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as module
from tests.compat.replicas import mirrored

tf: Any = module
X = np.random.default_rng(0).standard_normal((22, 3)).astype("float32")
Y = (X @ np.asarray([[1], [2], [3]], np.float32) + 0.5).astype("float32")


pytestmark = pytest.mark.usefixtures("four_cpus")


def constant(value: float) -> Any:
    return tf.keras.initializers.Constant(value)


def model(strategy: Any, optimizer: Any, *between: Any) -> Any:
    with strategy.scope():
        first = tf.keras.layers.Dense(
            4, activation="tanh", kernel_initializer=constant(0.1)
        )
        last = tf.keras.layers.Dense(1, kernel_initializer=constant(0.2))
        given = [
            tf.keras.layers.Input((3,)),
            first,
            *[make() for make in between],
            last,
        ]
        made = tf.keras.Sequential(given)
        made.compile(optimizer(), "mse", metrics=["mae"])
    return made


def trained(strategy: Any, optimizer: Any, *between: Any, rows: int = 16) -> Any:
    made = model(strategy, optimizer, *between)
    told = made.fit(
        X[:rows],
        Y[:rows],
        batch_size=8,
        epochs=2,
        shuffle=False,
        verbose=0,
        validation_data=(X[16:], Y[16:]),
    )
    return made, told.history


OPTIMIZERS: dict[str, Any] = {
    "sgd": lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9, weight_decay=0.01),
    "adam": lambda: tf.keras.optimizers.Adam(0.1, use_ema=True),
    "rmsprop": lambda: tf.keras.optimizers.RMSprop(0.1),
    "gathered": lambda: tf.keras.optimizers.SGD(0.1, gradient_accumulation_steps=2),
}


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS.keys())
def test_training_is_that_of_one_device(make: Any) -> None:
    one, expected = trained(tf.distribute.get_strategy(), make)
    central = tf.distribute.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"])
    for strategy in (mirrored(), central):
        made, found = trained(strategy, make)
        assert list(found) == list(expected)
        for key, values in expected.items():
            np.testing.assert_allclose(found[key], values, rtol=1e-4, err_msg=key)
        for w, v in zip(one.get_weights(), made.get_weights(), strict=True):
            np.testing.assert_allclose(v, w, rtol=1e-4, atol=1e-6)
        for w in made.weights:
            for copy in w.values:
                np.testing.assert_array_equal(copy, w.values[0])
        assert made.optimizer.iterations.numpy() == one.optimizer.iterations.numpy()
        own = made.evaluate(X, Y, batch_size=8, verbose=0)
        np.testing.assert_allclose(
            own, one.evaluate(X, Y, batch_size=8, verbose=0), rtol=1e-4
        )
        np.testing.assert_allclose(
            made.predict(X[:5], verbose=0), one.predict(X[:5], verbose=0), rtol=1e-4
        )


def test_gradients_are_clipped_in_each_replica() -> None:
    made, history = trained(
        mirrored(),
        lambda: tf.keras.optimizers.SGD(
            0.1, momentum=0.9, clipnorm=0.3, weight_decay=0.01
        ),
    )
    np.testing.assert_allclose(history["loss"], [10.87861, 9.50054], rtol=1e-5)
    np.testing.assert_allclose(made.get_weights()[2], [[0.46827]] * 4, rtol=1e-4)


def test_shares_without_rows_count_nothing() -> None:
    made, history = trained(mirrored(), lambda: tf.keras.optimizers.SGD(0.1), rows=17)
    np.testing.assert_allclose(history["loss"], [11.01398, 4.05669], rtol=1e-5)
    np.testing.assert_allclose(history["mae"], [2.63397, 1.41517], rtol=1e-5)
    np.testing.assert_allclose(made.get_weights()[2], [[1.13948]] * 4, rtol=1e-4)
    found = made.predict(X[:17], batch_size=8, verbose=0)
    np.testing.assert_allclose(
        found[[0, 8, 16], 0], [2.9805, 1.9326, 5.203], rtol=1e-4
    )


def test_batches_are_normalized_in_each_replica() -> None:
    made, history = trained(
        mirrored(),
        lambda: tf.keras.optimizers.SGD(0.1),
        tf.keras.layers.BatchNormalization,
    )
    np.testing.assert_allclose(history["loss"], [8.53221, 19.1367], rtol=1e-4)
    scale, offset, mean, variance = [w[0] for w in made.get_weights()[2:6]]
    np.testing.assert_allclose(scale, 0.56042, rtol=1e-4)
    np.testing.assert_allclose(offset, -0.02263, rtol=1e-3)
    np.testing.assert_allclose(mean, -0.00057, rtol=1e-2)
    np.testing.assert_allclose(variance, 0.96234, rtol=1e-4)


def test_batches_are_normalized_together_where_asked() -> None:
    strategy = mirrored()
    with strategy.scope():
        layer = tf.keras.layers.BatchNormalization(synchronized=True)
        layer.build((None, 1))
    own = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant([[1.0], [3.0]]) * (c.replica_id_in_sync_group + 1.0)
    )
    found = strategy.run(lambda x: layer(x, training=True), args=(own,))
    rows = np.concatenate([x.numpy() for x in found.values])[:, 0]
    np.testing.assert_allclose(rows, [-1.0689, 0.0, -0.5344, 1.6033], atol=1e-4)
    np.testing.assert_allclose(layer.moving_mean.numpy(), [0.03], rtol=1e-5)


def test_seeds_of_layers_are_those_of_all_replicas() -> None:
    made, history = trained(
        mirrored(),
        lambda: tf.keras.optimizers.SGD(0.1),
        lambda: tf.keras.layers.Dropout(0.5, seed=3),
    )
    np.testing.assert_allclose(history["loss"], [10.2307, 7.09084], rtol=1e-4)
    found = [0.63571, 1.04475, 0.78649, 0.50593]
    np.testing.assert_allclose(made.get_weights()[2][:, 0], found, rtol=1e-4)


def test_metrics_count_what_all_replicas_saw() -> None:
    strategy = mirrored()
    with strategy.scope():
        metric = tf.keras.metrics.Mean()
    own = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant(float(c.replica_id_in_sync_group))
    )

    def step(x: Any) -> Any:
        metric.update_state(x)
        return metric.result()

    found = strategy.run(step, args=(own,))
    assert [float(x) for x in found.values] == [0.0, 1.0]
    assert float(metric.result()) == 0.5
    metric.reset_state()
    assert float(metric.result()) == 0.0


def test_losses_of_replicas_add_up_to_the_mean() -> None:
    strategy = mirrored()
    loss = tf.keras.losses.MeanSquaredError()
    whole = float(loss(Y[:8], X[:8, :1]))
    own = next(
        iter(
            strategy.experimental_distribute_dataset(
                tf.data.Dataset.from_tensor_slices((Y[:8], X[:8, :1])).batch(8)
            )
        )
    )
    found = strategy.run(lambda pair: loss(*pair), args=(own,))
    np.testing.assert_allclose(
        strategy.reduce("SUM", found, axis=None), whole, rtol=1e-5
    )
    each = tf.keras.losses.MeanSquaredError(reduction="none")

    def step(pair: Any) -> Any:
        return tf.nn.compute_average_loss(each(*pair), global_batch_size=8)

    found = strategy.run(step, args=(own,))
    np.testing.assert_allclose(
        strategy.reduce("SUM", found, axis=None), whole, rtol=1e-5
    )


def test_datasets_may_be_distributed_before() -> None:
    strategy = mirrored()
    data = tf.data.Dataset.from_tensor_slices((X[:16], Y[:16])).batch(8)
    results, made = [], None
    for given in (data, strategy.experimental_distribute_dataset(data)):
        made = model(strategy, lambda: tf.keras.optimizers.SGD(0.1))
        made.fit(given, epochs=1, verbose=0)
        results.append(made.get_weights()[2])
    np.testing.assert_allclose(results[0], results[1])
    assert made is not None
    np.testing.assert_allclose(
        made.predict(data, verbose=0), made.predict(X[:16], verbose=0), rtol=1e-5
    )


def test_models_are_saved_for_other_numbers_of_replicas(tmp_path: Any) -> None:
    made, _ = trained(mirrored(), lambda: tf.keras.optimizers.Adam(0.1))
    path = str(tmp_path / "model.keras")
    made.save(path)
    plain = tf.keras.models.load_model(path)
    np.testing.assert_allclose(
        plain.predict(X, verbose=0), made.predict(X, verbose=0), rtol=1e-5
    )
    with mirrored(4).scope():
        again = tf.keras.models.load_model(path)
    assert len(again.weights[0].values) == 4
    for a in (plain, again):
        a.fit(X[:16], Y[:16], batch_size=8, shuffle=False, verbose=0)
    np.testing.assert_allclose(
        plain.get_weights()[0], again.get_weights()[0], rtol=1e-4
    )
    weights = str(tmp_path / "kept.weights.h5")
    again.save_weights(weights)
    other = model(tf.distribute.get_strategy(), lambda: tf.keras.optimizers.Adam(0.1))
    other.load_weights(weights)
    np.testing.assert_allclose(other.get_weights()[0], again.get_weights()[0])


def test_batches_are_cut_into_shares() -> None:
    strategy = mirrored()
    data = tf.data.Dataset.range(10).batch(4)
    own = strategy.experimental_distribute_dataset(data)
    assert isinstance(own, tf.distribute.DistributedDataset)
    assert isinstance(iter(own), tf.distribute.DistributedIterator)
    spec = "TensorSpec(shape=(None,), dtype=tf.int64, name=None)"
    assert repr(own.element_spec) == f"PerReplicaSpec({spec}, {spec})"
    found = [[x.numpy().tolist() for x in shares.values] for shares in own]
    assert found == [[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8], [9]]]
    named = tf.data.Dataset.from_tensor_slices({"a": np.arange(5)}).batch(5)
    (shares,) = strategy.experimental_distribute_dataset(named)
    assert [x.numpy().tolist() for x in shares["a"].values] == [[0, 1, 2], [3, 4]]
    fixed = tf.data.Dataset.range(6).batch(3, drop_remainder=True)
    known = strategy.experimental_distribute_dataset(fixed).element_spec
    assert [tuple(x.shape) for x in known.values] == [(2,), (1,)]
    rows = tf.data.Dataset.from_tensors(tf.sparse.from_dense([[1, 0], [0, 2]]))
    (shares,) = strategy.experimental_distribute_dataset(rows)
    dense = [tf.sparse.to_dense(x).numpy().tolist() for x in shares.values]
    assert dense == [[[1, 0]], [[0, 2]]]
    mode = tf.distribute.InputReplicationMode.PER_REPLICA
    asked = tf.distribute.InputOptions(experimental_replication_mode=mode)
    with pytest.raises(NotImplementedError, match="PER_REPLICA"):
        strategy.experimental_distribute_dataset(data, asked)
    with pytest.raises(ValueError, match="batch"):
        list(strategy.experimental_distribute_dataset(tf.data.Dataset.range(3)))


def test_functions_run_through_distributed_datasets() -> None:
    strategy = mirrored()
    data = tf.data.Dataset.range(10).batch(4)
    own = strategy.experimental_distribute_dataset(data)

    def step(x: Any) -> Any:
        return tf.reduce_sum(x)

    @tf.function  # type: ignore[untyped-decorator]  # known when it runs
    def loop(batches: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for batch in batches:
            found = strategy.run(step, args=(batch,))
            total += strategy.reduce("SUM", found, axis=None)
        return total

    assert int(loop(own)) == 45

    @tf.function  # type: ignore[untyped-decorator]  # known when it runs
    def one(batches: Any) -> Any:
        return strategy.run(step, args=(next(batches),))

    iterator = iter(own)
    found = [[int(x) for x in one(iterator).values] for _ in range(3)]
    assert found == [[1, 5], [9, 13], [8, 9]]
    assert not bool(iterator.get_next_as_optional().has_value())

    @tf.function(input_signature=[own.element_spec])  # type: ignore[untyped-decorator]  # known when it runs
    def told(batch: Any) -> Any:
        return strategy.reduce("SUM", batch, axis=0)

    assert [int(told(batch)) for batch in own] == [6, 22, 17]


def test_datasets_of_functions_give_a_batch_to_each() -> None:
    strategy, contexts = mirrored(), []

    def make(context: Any) -> Any:
        contexts.append(context)
        size = context.get_per_replica_batch_size(4)
        whole = tf.data.Dataset.range(5).batch(size)
        return whole.shard(context.num_input_pipelines, context.input_pipeline_id)

    own = strategy.distribute_datasets_from_function(make)
    found = [[x.numpy().tolist() for x in shares.values] for shares in own]
    assert found == [[[0, 1], [2, 3]], [[4], []]]
    (context,) = contexts
    told = "tf.distribute.InputContext(input pipeline id 0, total: 1)"
    assert str(context) == told
    with pytest.raises(ValueError, match="not divisible"):
        context.get_per_replica_batch_size(5)


class Own(tf.keras.Model):  # type: ignore[misc]  # known when it runs
    """A model with a step of its own, that makes its layers' weights in the first step."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = tf.keras.layers.Dense(1, kernel_initializer=constant(0.1))
        self.seen = tf.keras.metrics.Sum(name="seen")

    def call(self, x: Any) -> Any:
        return self.dense(x)

    def train_step(self, data: Any) -> Any:
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=self(x, training=True))
        variables = self.trainable_variables
        gradients = tape.gradient(loss, variables)
        self.optimizer.apply_gradients(zip(gradients, variables, strict=True))
        self.seen.update_state(tf.ones(tf.shape(x)[0]))
        return {"seen": self.seen.result()}


@pytest.mark.parametrize("is_eager", [False, True])
def test_models_with_steps_of_their_own(is_eager: bool) -> None:
    weights = []
    made = strategy = None
    for strategy in (tf.distribute.get_strategy(), mirrored()):
        with strategy.scope():
            made = Own()
            made.compile("sgd", "mse", run_eagerly=is_eager)
        made.fit(X[:16], Y[:16], batch_size=8, shuffle=False, verbose=0)
        assert float(made.seen.result()) == 16.0
        weights.append(made.get_weights()[0])
    np.testing.assert_allclose(weights[1], weights[0], rtol=1e-5)
    assert made is not None
    assert made.distribute_strategy is strategy
