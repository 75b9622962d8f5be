"""tf.contrib.eager.Network, eagerly and in graphs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.compat.v1.contrib import eager
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
)
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    before = mode.eager
    yield
    mode.eager = before


class Two(eager.Network):
    def __init__(self) -> None:
        super().__init__()
        ones = tf.ones_initializer()
        self.first = self.track_layer(tf.layers.Dense(3, kernel_initializer=ones))
        self.last = self.track_layer(tf.layers.Dense(2, kernel_initializer=ones))
        self.other = tf.layers.Dense(5)

    def call(self, x: Any) -> Any:
        return self.last(self.first(x))


def test_what_is_tracked_is_the_networks() -> None:
    mode.eager = True
    net = Two()
    assert [len(net.layers), net.variables] == [2, []]
    np.testing.assert_array_equal(net(tf.ones([1, 4])).numpy(), [[12, 12]])
    assert [x.shape.as_list() for x in net.trainable_weights] == [
        [4, 3],
        [3],
        [3, 2],
        [2],
    ]
    grads = eager.implicit_gradients(lambda x: tf.reduce_sum(net(x)))(tf.ones([1, 4]))
    assert len(grads) == 4
    assert net.get_layer(index=1) is net.last
    assert net.get_layer(net.first.name) is net.first


def test_what_a_network_is_not() -> None:
    mode.eager = True
    net = Two()
    with pytest.raises(DTypeError, match="not a tf"):
        net.track_layer(3)
    with pytest.raises(FailedPreconditionError, match="'own'"):
        net.add_variable("own", [1])
    for name, index, said in (
        ("absent", None, "No such layer: absent"),
        (None, None, "Provide either"),
        (None, 2, "only has 2 layers"),
        ("absent", 0, "Exactly one"),
    ):
        with pytest.raises(InvalidArgumentError, match=said):
            net.get_layer(name, index)


def test_networks_in_graphs_name_their_variables() -> None:
    mode.eager = False
    with tf.Graph().as_default():
        net = Two()
        y = net(tf.ones([1, 4]))
        assert [x.name for x in net.variables] == [
            "two/dense/kernel:0",
            "two/dense/bias:0",
            "two/dense_1/kernel:0",
            "two/dense_1/bias:0",
        ]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            assert sess.run(y).tolist() == [[12, 12]]


def test_variables_of_programs_that_run_at_once_bear_their_scopes() -> None:
    mode.eager = True
    with tf.variable_scope("s"):
        shared, layer = tf.get_variable("b", []), tf.layers.Dense(2, name="d")
        layer(tf.ones([1, 2]))
    with tf.variable_scope("s"), tf.name_scope("n"):
        again, own = tf.get_variable("b", []), tf.Variable(1.0, name="w")
    found = [x.name for x in (shared, again, own, *layer.variables)]
    assert found == ["s/b:0", "s/b:0", "s/n/w:0", "s/d/kernel:0", "s/d/bias:0"]
