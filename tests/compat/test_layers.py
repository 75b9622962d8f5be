"""Layers, initializers, losses and metrics where programs run at once, and what they refuse.

What they do in graphs is in programs/, recorded from TensorFlow itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    ShapeError,
)
from tensorlite.graph_mode.graph import mode

tf: Any = import_module("tensorlite.compat.v1")  # as its programs see it, untyped


@pytest.fixture(autouse=True)
def _restored_mode() -> Iterator[None]:
    before = mode.eager
    mode.eager = False
    yield
    mode.eager = before


@pytest.fixture
def _eager() -> None:
    mode.eager = True


@pytest.mark.usefixtures("_eager")
def test_a_layer_that_runs_at_once_keeps_its_variables() -> None:
    layer = tf.layers.Dense(2, kernel_initializer=tf.ones_initializer(), name="d")
    x = tf.constant([[1.0, 2.0]])
    first, second = layer(x), layer(2 * x)
    assert first.numpy().tolist() == [[3.0, 3.0]]
    assert second.numpy().tolist() == [[6.0, 6.0]]
    assert [list(v.shape) for v in layer.variables] == [[1 + 1, 2], [2]]


@pytest.mark.usefixtures("_eager")
def test_batch_normalization_that_runs_at_once_moves_its_averages() -> None:
    layer = tf.layers.BatchNormalization(momentum=0.5)
    x = np.array([[1.0, 10.0], [3.0, 30.0]], "f")
    y = layer(tf.constant(x), training=True)
    wanted = (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3)
    np.testing.assert_allclose(y.numpy(), wanted, rtol=1e-5)
    np.testing.assert_allclose(layer.moving_mean.numpy(), x.mean(0) / 2)
    np.testing.assert_allclose(layer.moving_variance.numpy(), 0.5 + x.var(0) / 2)


@pytest.mark.usefixtures("_eager")
def test_losses_run_at_once_and_collect_nothing() -> None:
    loss = tf.losses.mean_squared_error([1.0, 2.0], tf.constant([2.0, 4.0]))
    assert float(loss) == 2.5


@pytest.mark.usefixtures("_eager")
def test_metrics_need_a_graph() -> None:
    with pytest.raises(RuntimeError, match="not supported when eager execution"):
        tf.metrics.accuracy([1], [1])
    with pytest.raises(FailedPreconditionError):
        tf.metrics.mean([1.0])


def test_dropout_drops_the_part_it_is_told_and_keeps_the_sum() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.layers.dropout(tf.ones([100, 100]), 0.25, training=True, seed=1)
        rows = tf.layers.dropout(
            tf.ones([8, 5]), 0.5, noise_shape=[None, 1], training=True, seed=2
        )
        found, kept = session.run([y, rows])
    assert abs((found == 0).mean() - 0.25) < 0.02
    assert set(np.unique(found)) == {0.0, np.float32(1 / 0.75)}
    assert all(len(np.unique(row)) == 1 for row in kept)


def test_dropout_may_be_told_when_the_graph_runs() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        training = tf.placeholder(tf.bool, [])
        y = tf.layers.dropout(tf.ones([50]), 0.5, training=training)
        assert session.run(y, {training: False}).tolist() == [1.0] * 50
        assert set(session.run(y, {training: True}).tolist()) == {0.0, 2.0}


def test_initializers_and_functions_may_be_named() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.layers.dense(
            tf.ones([1, 2]), 2, "relu", kernel_initializer="ones", name="n"
        )
        session.run(tf.global_variables_initializer())
        assert session.run(y).tolist() == [[2.0, 2.0]]
        assert y.name == "n/Relu:0"


def test_causal_convolution_knows_nothing_of_later_inputs() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(np.arange(1.0, 6).reshape(1, 5, 1).astype("f"))
        y = tf.layers.conv1d(
            x, 1, 3, padding="causal", kernel_initializer=tf.ones_initializer()
        )
        session.run(tf.global_variables_initializer())
        assert session.run(y).ravel().tolist() == [1.0, 3.0, 6.0, 9.0, 12.0]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda x: tf.layers.dense(x[0], 2), "expected min_ndim=2"),
        (lambda x: tf.layers.conv2d(x, 2, 3), "expected ndim=4"),
        (lambda x: tf.layers.dense(x, 2, "nothing"), "activation"),
        (lambda x: tf.layers.dense(x, 2, kernel_initializer="none"), "initializer"),
        (lambda x: tf.layers.conv1d(x, 2, 3, padding="all"), "padding"),
        (
            lambda x: tf.layers.dense(tf.placeholder(tf.float32, [1, None]), 2),
            "defined",
        ),
        (lambda x: tf.layers.batch_normalization(x, axis=5), "axis=5"),
        (lambda _: tf.losses.log_loss(None, [1.0]), "labels must not be None"),
        (lambda x: tf.losses.mean_squared_error(x, tf.ones([3])), "incompatible"),
        (lambda x: tf.metrics.auc([1], [0.5], curve="ABC"), "ROC or PR"),
        (lambda x: tf.initializers.variance_scaling(mode="fan"), "mode"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, said: str) -> None:
    kinds = (InvalidArgumentError, ShapeError, AttributeError)
    with tf.Graph().as_default(), pytest.raises(kinds, match=said):
        make(tf.ones([2, 3]))


def _trained(
    make: Any, steps: int, shape: tuple[int, ...]
) -> tuple[Any, dict[str, Any]]:
    """Return what a batch norm makes of a last batch, and its variables after all."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, (None, *shape[1:]))
        y = make(x)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        session.run(tf.global_variables_initializer())
        draws = np.random.RandomState(0)
        batches = [draws.rand(*shape) for _ in range(steps)]
        values = [session.run([y, updates], {x: batch})[0] for batch in batches]
        found = {
            v.op.name.rsplit("/")[-1]: session.run(v) for v in tf.global_variables()
        }
        return values[-1], found


def test_renormalized_batches_are_as_their_averages_would_have_them() -> None:
    def make(x: Any) -> Any:
        return tf.layers.batch_normalization(
            x,
            training=True,
            momentum=0.5,
            renorm=True,
            renorm_clipping={"rmax": 1.2, "rmin": 0.5, "dmax": 0.3},
            renorm_momentum=0.25,
            epsilon=0.0,
        )

    values, found = _trained(make, 2, (8, 2))
    draws = np.random.RandomState(0)
    first, second = draws.rand(8, 2), draws.rand(8, 2)
    mean, stddev = 0.75 * first.mean(0), 0.25 + 0.75 * first.std(0)
    r = np.clip(second.std(0) / stddev, 0.5, 1.2)
    d = np.clip((second.mean(0) - mean) / stddev, -0.3, 0.3)
    wanted = (second - second.mean(0)) / second.std(0) * r + d
    np.testing.assert_allclose(values, wanted, rtol=1e-4, atol=1e-5)
    deviation = 0.5 * (0.5 + 0.5 * first.std(0)) + 0.5 * second.std(0)
    np.testing.assert_allclose(found["moving_stddev"], deviation, rtol=1e-5)
    np.testing.assert_allclose(found["moving_variance"], deviation**2, rtol=1e-5)
    np.testing.assert_allclose(
        found["renorm_mean"], 0.25 * mean + 0.75 * second.mean(0), rtol=1e-5
    )
    assert list(found)[-3:] == ["moving_stddev", "renorm_mean", "renorm_stddev"]


def test_batches_are_normalized_in_parts() -> None:
    def make(x: Any) -> Any:
        return tf.layers.batch_normalization(
            x, training=True, virtual_batch_size=2, momentum=0.5, epsilon=0.0
        )

    values, found = _trained(make, 1, (6, 3))
    parts = np.random.RandomState(0).rand(6, 3).reshape(2, 3, 3)
    wanted = (parts - parts.mean(0)) / parts.std(0)
    np.testing.assert_allclose(values, wanted.reshape(6, 3), rtol=1e-3, atol=1e-4)
    assert found["moving_mean"].shape == (1, 1, 3)
    kept = parts.mean(0).mean(0) / 2
    np.testing.assert_allclose(found["moving_mean"][0, 0], kept, rtol=1e-5)


def test_normalized_batches_are_adjusted_while_they_train() -> None:
    def make(x: Any) -> Any:
        def adjustment(sizes: Any) -> Any:
            return 2.0 * tf.ones([1, sizes[1]]), tf.ones([1, sizes[1]])

        return tf.contrib.layers.batch_norm(x, adjustment=adjustment, epsilon=0.0)

    values, _ = _trained(make, 1, (6, 3))
    x = np.random.RandomState(0).rand(6, 3)
    wanted = 2 * (x - x.mean(0)) / x.std(0) + 1
    np.testing.assert_allclose(values, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"renorm": True, "renorm_clipping": {"most": 1}}, "most"),
        ({"virtual_batch_size": 0}, "positive"),
        ({"virtual_batch_size": 2, "axis": 0}, "axis cannot include 0"),
        ({"virtual_batch_size": 2, "adjustment": len}, "adjustment"),
    ],
)
def test_batches_are_not_normalized_in_such_parts(given: Any, said: str) -> None:
    with tf.Graph().as_default(), pytest.raises(InvalidArgumentError, match=said):
        tf.layers.batch_normalization(tf.ones([2, 3]), **given)


def test_renormalized_batches_move_no_averages_of_their_own() -> None:
    refused = pytest.raises(InvalidArgumentError, match="updates_collections")
    with tf.Graph().as_default(), refused:
        tf.contrib.layers.batch_norm(
            tf.ones([2, 3]), renorm=True, updates_collections=None
        )


def test_only_one_axis_is_cut() -> None:
    with tf.Graph().as_default():
        with pytest.raises(InvalidArgumentError, match="along one dimension"):
            tf.get_variable("w", [4, 4], partitioner=lambda shape, dtype: [2, 2])
        with pytest.raises(InvalidArgumentError, match="a number of at least 1"):
            tf.get_variable("v", [4, 4], partitioner=lambda shape, dtype: [2])
        made = tf.get_variable(
            "u", [4], partitioner=lambda shape, dtype: [shape[0].value]
        )
        assert len(list(made)) == 4


def test_collections_are_searched_by_regular_expressions() -> None:
    with tf.Graph().as_default():
        for name in ("ab", "ac", "b"):
            tf.get_variable(name, [])
        found = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, "a.$|b:")
        assert [v.op.name for v in found] == ["b"]
        assert len(tf.global_variables("a.:")) == 2


def test_the_shape_of_a_sum_over_axes_given_as_a_tensor_is_known() -> None:
    with tf.Graph().as_default():
        total = tf.reduce_sum(tf.ones([2, 3, 4]), tf.constant([0, 2]))
        assert total.shape.as_list() == [3]
        assert tf.reduce_sum(tf.ones([2, 3])).shape.as_list() == []


def test_moving_averages_are_whole_where_variables_are_cut() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(np.arange(12, dtype=np.float32).reshape(4, 3))
        with tf.variable_scope("cut", partitioner=tf.fixed_size_partitioner(2)):
            tf.layers.batch_normalization(x)
            tf.contrib.layers.batch_norm(x, is_training=False)
    made = graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)
    sizes = {v.op.name: v.shape.as_list() for v in made}
    assert sizes == {
        "cut/batch_normalization/gamma/part_0": [2],
        "cut/batch_normalization/gamma/part_1": [1],
        "cut/batch_normalization/beta/part_0": [2],
        "cut/batch_normalization/beta/part_1": [1],
        "cut/batch_normalization/moving_mean": [3],
        "cut/batch_normalization/moving_variance": [3],
        "cut/BatchNorm/beta/part_0": [2],
        "cut/BatchNorm/beta/part_1": [1],
        "cut/BatchNorm/moving_mean": [3],
        "cut/BatchNorm/moving_variance": [3],
    }


def test_losses_of_activities_are_in_the_mean_of_a_batch() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.layers.dense(
            np.ones([4, 3], np.float32),
            1,
            kernel_initializer=tf.ones_initializer(),
            activity_regularizer=tf.nn.l2_loss,
        )
        (loss,) = graph.get_collection("regularization_losses")
        session.run(tf.global_variables_initializer())
        assert session.run(loss) == 4.5
    assert loss.name == "dense/ActivityRegularizer/truediv:0"


@pytest.mark.parametrize(
    "make",
    [
        lambda **given: tf.layers.dense(tf.zeros([1, 4]), 3, **given),
        lambda **given: tf.layers.conv2d(tf.zeros([1, 4, 4, 2]), 3, 2, **given),
        lambda **given: tf.layers.max_pooling1d(tf.zeros([1, 4, 2]), 2, 2, **given),
        tf.layers.BatchNormalization,
        lambda **given: tf.nn.rnn_cell.GRUCell(3, **given),
        lambda **given: tf.nn.rnn_cell.LSTMCell(3, **given),
    ],
)
def test_arguments_that_are_misspelt_are_refused(make: Any) -> None:
    with tf.Graph().as_default():
        make(activity_regularizer=None)
        with pytest.raises(TypeError, match="not understood: activaton"):
            make(activaton=tf.nn.relu)
