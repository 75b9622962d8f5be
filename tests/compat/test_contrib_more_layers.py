"""Layers and helpers of tf.contrib.layers and framework that few programs use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
layers, framework = tf.contrib.layers, tf.contrib.framework


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


def names() -> list[str]:
    return [x.op.name for x in tf.global_variables()]


def test_one_kernel_convolves_each_channel() -> None:
    x = np.arange(18.0, dtype=np.float32).reshape(1, 3, 3, 2)
    found = layers.conv2d_in_plane(
        tf.constant(x),
        [1, 2],
        padding="VALID",
        weights_initializer=tf.ones_initializer(),
    )
    np.testing.assert_allclose(run(found), x[:, :, 1:] + x[:, :, :-1])
    assert names() == ["ConvInPlane/weights", "ConvInPlane/biases"]
    assert [x.shape.as_list() for x in tf.global_variables()] == [[1, 2, 1, 1], [2]]
    layers.conv2d_in_plane(tf.constant(x), 3, 2, normalizer_fn=layers.batch_norm)
    assert "ConvInPlane_1/biases" not in names()


def test_layers_of_before_have_their_names() -> None:
    x = tf.placeholder(tf.float32, [None, 2, 3])
    y = layers.legacy_relu(
        x,
        4,
        weight_init=tf.ones_initializer(),
        bias_init=tf.constant_initializer(-1.0),
    )
    assert y.get_shape().as_list() == [None, 2, 4]
    assert names() == ["fully_connected/weights", "fully_connected/bias"]
    assert tf.get_collection(tf.GraphKeys.WEIGHTS) == [tf.global_variables()[0]]
    found = run(y, {x: [[[1, 1, 1], [-1, 0, 0]]]})
    assert found.tolist() == [[[2.0] * 4, [0.0] * 4]]
    layers.legacy_linear(tf.zeros([1, 2]), 3, bias_init=None)
    assert names()[2:] == ["fully_connected_1/weights"]
    with pytest.raises(InvalidArgumentError):
        layers.legacy_fully_connected(tf.zeros([3]), 2)


def test_images_are_sequences_of_columns_and_back() -> None:
    images = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4, 1)
    steps = layers.images_to_sequence(tf.constant(images))
    steps.set_shape([4, 6, 1])
    back = layers.sequence_to_images(steps, 3)
    first = layers.sequence_to_images(steps, 3, output_data_format="channels_first")
    found = run([steps, back, first])
    assert found[0][1, :, 0].tolist() == images[:, :, 1, 0].ravel().tolist()
    np.testing.assert_array_equal(found[1], images)
    np.testing.assert_array_equal(found[2], images.transpose(0, 3, 1, 2))


def test_gradients_are_scaled_on_their_way_back() -> None:
    x = tf.constant([1.0, 2.0])
    y = layers.scale_gradient(x * 3.0, tf.constant(0.5))
    found = run([y, *tf.gradients(y, x)])
    assert [x.tolist() for x in found] == [[3.0, 6.0], [1.5, 1.5]]


def test_channels_are_divided_by_all_of_them() -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)
    divided = layers.gdn(tf.constant(x), gamma_init=0.3)
    times = layers.gdn(tf.constant(x), inverse=True, gamma_init=0.3, name="times")
    turned = tf.constant(x.transpose(0, 2, 1)[..., None])
    first = layers.gdn(turned, gamma_init=0.3, data_format="channels_first")
    norm = np.sqrt(1 + 0.3 * x**2)
    found = run([divided, times, first])
    np.testing.assert_allclose(found[0], x / norm, rtol=1e-4)
    np.testing.assert_allclose(found[1], x * norm, rtol=1e-4)
    np.testing.assert_allclose(
        found[2][..., 0].transpose(0, 2, 1), x / norm, rtol=1e-4
    )
    assert names()[:2] == ["gdn/reparam_beta", "gdn/reparam_gamma"]
    with pytest.raises(InvalidArgumentError, match="data_format"):
        layers.GDN(data_format="NHWC")


def test_a_bound_lets_gradients_raise_what_is_below_it() -> None:
    layer = layers.GDN(gamma_init=0.0, dtype=tf.float32)
    y = layer(tf.constant([[[1.0, 2.0]]]))
    gamma = tf.trainable_variables()[1]
    (down,), (up,) = tf.gradients(y, gamma), tf.gradients(-y, gamma)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(gamma.assign(tf.zeros([2, 2])))
        falling, rising = session.run([down, up])
    # y falls with gamma: a step that raises y would lower gamma, which is at its bound.
    assert (falling < 0).all()
    assert (rising == 0).all()


def test_reversible_layers_give_their_inputs_back() -> None:
    def half(value: float) -> Any:
        first = tf.constant_initializer(value)
        return lambda x: tf.layers.dense(x, 3, kernel_initializer=first)

    x1, x2 = tf.ones([2, 3]), 2 * tf.ones([2, 3])
    block = layers.RevBlock(half(0.2), half(0.1), num_layers=2)
    y1, y2 = block.forward(x1, x2)
    back = block.backward(y1, y2)
    trained = [x.op.name for x in tf.trainable_variables()]
    assert trained[:3] == [
        "revblock/revlayer_0/f/dense/kernel",
        "revblock/revlayer_0/f/dense/bias",
        "revblock/revlayer_0/g/dense/kernel",
    ]
    assert len(trained) == len(block.trainable_variables) == 8
    gradients = tf.gradients(y1 + 2 * y2, [x1, x2, *tf.trainable_variables()])
    found = run([y1, y2, *back, *gradients])
    # By hand: f gives 0.6 x2, g gives 0.3 y1, twice.
    np.testing.assert_allclose(found[0][0], 3.796, rtol=1e-5)
    np.testing.assert_allclose(found[1][0], 3.7988, rtol=1e-5)
    np.testing.assert_allclose(found[2], np.ones([2, 3]), rtol=1e-5)
    np.testing.assert_allclose(found[3], 2 * np.ones([2, 3]), rtol=1e-5)
    again = layers.rev_block(
        x1, x2, half(0.2), half(0.1), 2, f_side_input=None, is_training=False
    )
    plain = run(tf.gradients(again[0] + 2 * again[1], [x1, x2]))
    np.testing.assert_allclose(found[4:6], plain, rtol=1e-5)
    with pytest.raises(InvalidArgumentError, match="2 functions"):
        layers.RevBlock([half(1.0)] * 2, half(1.0), num_layers=3)


def test_what_is_computed_again_is_told_so() -> None:
    told: list[bool] = []

    def block(x: Any, is_recomputing: bool = False) -> Any:
        told.append(is_recomputing)
        return tf.layers.dense(x, 2)

    y = layers.recompute_grad(use_data_dep=True)(block)(tf.ones([1, 2]))
    assert len(tf.gradients(y, tf.trainable_variables())) == 2
    assert told == [False, True]
    outside = tf.ones([2])
    with pytest.raises(InvalidArgumentError, match="closes over"):
        layers.recompute_grad(lambda x: x * outside)


def test_shapes_are_checked_at_once_or_as_they_run() -> None:
    known, later = tf.zeros([2, 3]), tf.placeholder(tf.float32, None, name="later")
    assert framework.with_shape([2, 3], known) is known
    assert framework.with_shape([], tf.ones([1])).get_shape().as_list() == []
    with pytest.raises(ShapeError, match=r"expected \[3 2\]"):
        framework.with_shape([3, 2], known)
    with pytest.raises(DTypeError):
        framework.with_shape(tf.constant([2, 3], tf.int64), known)
    checked = framework.with_same_shape(known, later)
    assert checked.get_shape().as_list() == [2, 3]
    assert run(checked, {later: np.ones([2, 3])}).sum() == 6
    with pytest.raises(InvalidArgumentError, match="Wrong shape"):
        run(checked, {later: np.ones([3, 2])})
    assert framework.with_same_shape(later, known).op.name == "zeros/Identity"


def test_sums_squeezes_and_scalars() -> None:
    total = framework.reduce_sum_n([tf.ones([2]), tf.ones([3])])
    assert run(total) == 5
    with pytest.raises(InvalidArgumentError):
        framework.reduce_sum_n([])
    found = framework.remove_squeezable_dimensions(tf.zeros([2, 1]), tf.zeros([2]))
    assert [x.get_shape().as_list() for x in found] == [[2], [2]]
    assert framework.assert_scalar_int(tf.constant(1)).get_shape().as_list() == []
    with pytest.raises(DTypeError):
        framework.assert_scalar_int(tf.constant(1.0))
    with pytest.raises(ShapeError):
        framework.assert_scalar_int(tf.constant([1]))


def test_variables_are_placed_in_turn() -> None:
    chosen = framework.VariableDeviceChooser(2)
    assert [chosen(None) for _ in range(3)] == [
        f"/job:ps/task:{i}/device:CPU:0" for i in (0, 1, 0)
    ]
    assert framework.VariableDeviceChooser(device_type="GPU", device_index=1)(
        None
    ) == ("/device:GPU:1")


def test_graphs_are_those_of_what_is_given() -> None:
    x = tf.placeholder(tf.float32, name="x")
    graph = tf.get_default_graph()
    assert framework.get_placeholders(graph) == [x]
    assert framework.get_graph_from_inputs([x, 1.0]) is graph
    with tf.Graph().as_default() as other:
        y = tf.constant(1.0)
        assert framework.get_graph_from_inputs([2.0]) is other
    with pytest.raises(InvalidArgumentError, match="same graph"):
        framework.get_graph_from_inputs([x, y])
    with pytest.raises(InvalidArgumentError, match="passed-in"):
        framework.get_graph_from_inputs([y], graph)
    with pytest.raises(DTypeError):
        framework.get_placeholders(3)


def test_the_first_true_condition_chooses() -> None:
    cases = framework.smart_case
    assert cases([(False, lambda: 1), (True, lambda: 2)], lambda: 3) == 2
    assert cases([(False, lambda: 1)], lambda: 3) == 3
    pred = tf.placeholder(tf.bool, [])
    chosen = cases([(pred, lambda: tf.constant(1)), (True, lambda: tf.constant(2))])
    assert [run(chosen, {pred: x}) for x in (True, False)] == [1, 2]
