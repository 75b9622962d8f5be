"""What TensorFlow's unit tests of contrib, layers and rates found, as 1.15 has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
layers, losses = tf.contrib.layers, tf.contrib.losses


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def run(fetches: Any, feeds: Any = None) -> Any:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (2.0, 2 * np.mean([1, 2, 3, 4, 5, 6])),
        ([1.0, 2.0], (6 + 2 * 15) / 6),
        ([[1.0], [0.0]], 6 / 3),
        ([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]], (1 + 10) / 2),
    ],
)
def test_contribs_weights_are_for_the_first_axes(
    weights: Any, expected: float
) -> None:
    found = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    loss = losses.absolute_difference(found, tf.zeros([2, 3]), weights)
    assert loss.op.name == "absolute_difference/value"
    assert run(loss) == pytest.approx(expected)
    assert losses.get_losses() == [loss]


def test_contribs_pairs_of_squared_errors_are_over_their_number_squared() -> None:
    off = np.array([[4.0, 8.0, 12.0], [8.0, 1.0, 3.0]]) - [[1, 9, 2], [-5, -2, 6]]
    pairs = [sum((a - b) ** 2 for a in x for b in x) / 9 for x in off]
    loss = losses.mean_pairwise_squared_error(
        tf.constant(off, tf.float32), [[0.0] * 3] * 2
    )
    assert run(loss) == pytest.approx(sum(pairs))


def test_losses_of_a_scope_may_be_kept_out_of_collections() -> None:
    with tf.contrib.framework.arg_scope([losses.add_loss], loss_collection=None):
        losses.log_loss(tf.constant([0.5]), tf.constant([1.0]))
    assert losses.get_losses() == []
    with pytest.raises(ValueError, match="ndims cannot be None"):
        losses.absolute_difference(tf.placeholder(tf.float32), [1.0])


def test_rates_are_functions_where_nothing_is_built() -> None:
    before, mode.eager = mode.eager, True
    try:
        step = tf.Variable(0)
        rate = tf.train.exponential_decay(0.5, step, 1, 0.5)
        assert [float(rate()), float(step.assign_add(1) * 0 + 1) * float(rate())] == [
            0.5,
            0.25,
        ]
        with pytest.raises(ValueError, match="global_step"):
            tf.train.cosine_decay(0.5, None, 1)

        assert tf.test.TestCase("evaluate").evaluate(rate) == np.float32(0.25)
    finally:
        mode.eager = before


def test_lists_of_arrays_are_shards_of_embeddings() -> None:
    ids = tf.SparseTensor(
        [[0, 0], [0, 1], [1, 0]], tf.constant([0, 1, -1], tf.int64), [2, 2]
    )
    table = [np.array([[2.0], [4.0], [8.0]], "f")]
    found = layers.safe_embedding_lookup_sparse(table, ids)
    assert run(found).tolist() == [[3.0], [0.0]]
    assert run(tf.nn.embedding_lookup(table, [2])).tolist() == [[8.0]]
    assert run(layers.embedding_lookup_unique(table[0], [[2, 2], [0, 1]])).shape == (
        2,
        2,
        1,
    )
    scale = tf.SparseTensor(
        ids.indices, tf.constant([1.0, 1.0, 1.0], tf.float64), [2, 2]
    )
    with pytest.raises(ValueError, match="one dtype"):
        layers.safe_embedding_lookup_sparse(table, ids, scale)


def test_outputs_know_their_aliases() -> None:
    made = layers.avg_pool2d(tf.ones([1, 4, 4, 1]), 2, outputs_collections="outs")
    assert tf.get_collection("outs")[0].aliases == ["AvgPool2D"]
    with pytest.raises(ValueError, match="data_format has to be either NCHW or NHWC"):
        layers.max_pool2d(made, 2, data_format="CHWN")


def test_arguments_of_scopes_are_kept_by_a_functions_text() -> None:
    add_arg_scope, arg_scope = (
        tf.contrib.framework.add_arg_scope,
        tf.contrib.framework.arg_scope,
    )

    def function(a: int = 0) -> int:
        return a

    scoped = add_arg_scope(function)
    with arg_scope([scoped], a=3) as given:
        assert scoped() == 3
        assert given == {str(function): {"a": 3}}


def test_activations_shares_are_named_after_them() -> None:
    x = tf.nn.relu6(tf.constant([-1.0, 3.0, 7.0, 8.0]), name="x")
    layers.summarize_activation(x)
    names = [summary.op.name for summary in tf.get_collection("summaries")]
    assert names == ["x/zeros", "x/sixes", "x/activation"]


def test_updates_and_losses_are_told_by_what_they_follow_from() -> None:
    class Shift(tf.layers.Layer):  # type: ignore[misc]
        def build(self, _: Any) -> None:
            self.a = self.add_weight("a", (), trainable=False)
            self.add_loss(self.a)
            self.built = True

        def call(self, inputs: Any) -> Any:
            self.add_update(tf.assign_add(self.a, inputs), inputs=True)
            self.add_loss(inputs, inputs=True)
            return inputs + 1

    layer, x = Shift(), tf.placeholder(tf.float32, ())
    inner = x + 1
    outputs = layer(inner)
    assert [
        len(layer.get_updates_for(y)) for y in (None, [x], [inner], [outputs])
    ] == [0, 1, 1, 0]
    assert [
        len(layer.get_losses_for(y)) for y in (None, [x], [inner], [outputs])
    ] == [1, 1, 1, 0]
    dense = tf.layers.Dense(3)
    dense.build((None, 4))
    assert dense.compute_output_shape((None, 4)).as_list() == [None, 3]
    assert tf.layers.Flatten().compute_output_shape((1, 2, 3)).as_list() == [1, 6]
    with pytest.raises(ValueError, match="strides"):
        tf.layers.max_pooling2d(tf.ones([1, 4, 4, 1]), 2, strides=None)


def test_clusters_are_told_by_messages() -> None:
    given = {"worker": ["a:1", "b:2"], "ps": {3: "c:3"}}
    spec = tf.train.ClusterSpec(given)
    message = spec.as_cluster_def()
    assert [job.name for job in message.job] == ["ps", "worker"]
    assert dict(message.job[0].tasks) == {3: "c:3"}
    assert isinstance(message, tf.train.ClusterDef)
    assert tf.train.ClusterSpec(message) == spec


def test_spatial_softmax_takes_images_of_any_size() -> None:
    x = tf.placeholder(tf.float32, [None, None, None, 2])
    found = layers.spatial_softmax(x)
    assert found.shape.as_list() == [None, 4]
    values = run(found, {x: np.zeros([1, 3, 5, 2])})
    assert np.allclose(values, 0, atol=1e-6)


def test_hyperparameters_are_checked_and_told_as_they_are_read() -> None:
    given = tf.contrib.training.HParams(n=1, sizes=[2, 3], kind="relu", on=True)
    text = str(given)
    assert text == "n=1,sizes=[2, 3],kind=relu,on=True"
    assert tf.contrib.training.HParams(n=0, sizes=[0], kind="", on=False).parse(
        text
    ).values() == {"n": 1, "sizes": [2, 3], "kind": "relu", "on": True}
    assert repr(given).startswith("HParams([('kind', 'relu')")
    assert given.get("n", 5) == 1
    for key, default in (("n", 2.0), ("n", [1]), ("sizes", 1), ("on", 1)):
        with pytest.raises(ValueError, match="incompatible with default"):
            given.get(key, default)
    for wrong in ("sizes=1", "n=[1]", "sizes[0]=[1,2]", "n=1,n=2", "on=maybe"):
        with pytest.raises(ValueError, match=r"list|Multiple|parse"):
            given.parse(wrong)
