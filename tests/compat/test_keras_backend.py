"""tf.keras.backend: convolutions, pooling, borders, labels of sequences, loops over steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

K: Any = tf.keras.backend


def drawn(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def test_images_are_convolved_pooled_padded_and_enlarged() -> None:
    x, kernel = tf.constant(drawn(2, 4, 4, 3)), drawn(3, 3, 3, 2, seed=1)
    want = tf.nn.conv2d(x, kernel, 1, "SAME").numpy()
    np.testing.assert_allclose(K.conv2d(x, kernel, padding="same").numpy(), want)
    pooled = K.pool2d(x, (2, 2), (2, 2), pool_mode="avg").numpy()
    blocks = x.numpy().reshape(2, 2, 2, 2, 2, 3)
    np.testing.assert_allclose(pooled, blocks.mean((2, 4)), rtol=1e-4, atol=1e-6)
    assert K.spatial_2d_padding(x, ((1, 0), (2, 0))).shape == (2, 5, 6, 3)
    assert K.temporal_padding(drawn(2, 3, 4), (1, 2)).shape == (2, 6, 4)
    wide = K.resize_images(x, 2, 3, "channels_last").numpy()
    np.testing.assert_allclose(wide, x.numpy().repeat(2, 1).repeat(3, 2))
    cubes = K.resize_volumes(drawn(1, 2, 2, 2, 1), 2, 1, 3, "channels_last")
    assert cubes.shape == (1, 4, 2, 6, 1)
    turned = K.conv2d_transpose(
        drawn(2, 3, 3, 4), drawn(3, 3, 2, 4), (2, 6, 6, 2), (2, 2), "same"
    )
    assert turned.shape == (2, 6, 6, 2)


def test_labels_of_sequences_cost_what_their_ways_do() -> None:
    shares = np.full((1, 2, 3), 1 / 3, np.float32)
    cost = K.ctc_batch_cost([[0]], shares, [[2]], [[1]]).numpy()
    np.testing.assert_allclose(cost, [[-np.log(3 / 9)]], rtol=1e-5)  # 0-, -0, 00
    steps = np.log(np.eye(3)[[[0, 2, 0, 1]]] * 0.9 + 0.05).astype(np.float32)
    for greedy in (True, False):
        (found,), _ = K.ctc_decode(np.exp(steps), np.array([4]), greedy=greedy)
        assert found.numpy()[0, :3].tolist() == [0, 0, 1]
    sparse = K.ctc_label_dense_to_sparse(
        tf.constant([[3, 4, 0], [5, 0, 0]]), tf.constant([2, 1])
    )
    assert sparse.values.numpy().tolist() == [3, 4, 5]


def test_a_function_goes_over_the_steps_of_sequences() -> None:
    x = drawn(2, 4, 3)

    def step(now: Any, states: Any) -> Any:
        made = states[0] + now
        return made, [made]

    last, every, (state,) = K.rnn(step, tf.constant(x), [tf.zeros((2, 3))])
    np.testing.assert_allclose(every.numpy(), x.cumsum(1), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(last.numpy(), state.numpy())
    mask = np.array([[1, 1, 0, 0], [1, 0, 1, 0]], bool)
    last, _, _ = K.rnn(step, tf.constant(x), [tf.zeros((2, 3))], mask=mask)
    want = (x * mask[..., None]).sum(1)
    np.testing.assert_allclose(last.numpy(), want, rtol=1e-4, atol=1e-6)
    back, _, _ = K.rnn(step, tf.constant(x), [tf.zeros((2, 3))], go_backwards=True)
    np.testing.assert_allclose(back.numpy(), x.sum(1), rtol=1e-4, atol=1e-6)


def test_dtypes_are_named_and_meet() -> None:
    assert K.standardize_dtype(None) == "float32"
    assert (K.is_float_dtype("float64"), K.is_int_dtype("uint8")) == (True, True)
    assert K.result_type("int32", "float16") == "float16"
    assert K.result_type("int32", float) == "float32"


def test_averages_move_and_losses_are_focused() -> None:
    w = K.variable([1.0])
    K.moving_average_update(w, tf.constant([3.0]), 0.5)
    assert w.numpy().tolist() == [2.0]
    cost = K.binary_focal_crossentropy([[1.0]], [[0.5]], gamma=2.0).numpy()
    np.testing.assert_allclose(cost, [[0.25 * np.log(2)]], rtol=1e-4)
    top = K.in_top_k(tf.constant([[0.1, 0.6, 0.3]]), tf.constant([2]), 2)
    assert top.numpy().tolist() == [True]
    assert K.foldl(lambda a, b: a + b, tf.constant([1.0, 2.0])).numpy() == 3.0
    assert K.random_bernoulli((50,), 1.0).numpy().sum() == 50
    assert K.random_uniform_variable((2, 3), 0.0, 1.0).shape == (2, 3)


def test_cross_entropies_of_two_classes_are_those_of_the_elements() -> None:
    wanted = [[0.10536, 0.22314], [0.51083, 0.51083]]
    truth, shares = tf.eye(2), tf.constant([[0.9, 0.2], [0.4, 0.6]])
    costs = K.binary_crossentropy(truth, shares)
    np.testing.assert_allclose(costs.numpy(), wanted, rtol=1e-4)
    logits = tf.math.log(shares / (1.0 - shares))
    costs = K.binary_crossentropy(truth, logits, from_logits=True)
    np.testing.assert_allclose(costs.numpy(), wanted, rtol=1e-4)


def test_layers_that_are_not_told_whether_they_train_go_by_the_phase() -> None:
    backend, drop = tf.keras.backend, tf.keras.layers.Dropout(0.5, seed=1)
    assert backend.learning_phase() == 0
    backend.set_learning_phase(1)
    try:
        assert set(drop(tf.ones(40)).numpy().tolist()) == {0.0, 2.0}
        assert drop(tf.ones(40), training=False).numpy().tolist() == [1.0] * 40
    finally:
        backend.clear_session()
    assert drop(tf.ones(40)).numpy().tolist() == [1.0] * 40
    with pytest.raises(ValueError, match="0, to test"):
        backend.set_learning_phase(2)


def test_draws_have_the_dtype_and_the_seed_that_are_asked_for() -> None:
    for draw in (K.random_normal, K.random_uniform, K.truncated_normal):
        first, again = (draw((2, 3), dtype="float64", seed=5) for _ in range(2))
        assert first.dtype == "float64"
        assert draw((4,)).dtype == "float32"
        assert first.shape == again.shape == (2, 3)
    tf.random.set_seed(1)
    one = K.random_normal((3,), 2.0, 0.5, seed=5)
    tf.random.set_seed(1)
    np.testing.assert_array_equal(one, tf.random.normal((3,), 2.0, 0.5, seed=5))


def test_products_of_tensors_have_the_axes_of_both() -> None:
    x, y = drawn(2, 3), drawn(4, 3, 5, seed=1)
    np.testing.assert_allclose(K.dot(x, y).numpy(), np.dot(x, y), rtol=1e-5)
    assert K.dot(y, drawn(5, 2)).shape == (4, 3, 2)


def test_conditions_of_several_axes_choose_by_the_leading_ones() -> None:
    asked, x = np.array([[True, False], [False, True]]), drawn(2, 2, 2)
    made = K.switch(asked, x, -x).numpy()
    np.testing.assert_array_equal(made, np.where(asked[:, :, None], x, -x))
    np.testing.assert_array_equal(K.switch(True, lambda: x, lambda: -x).numpy(), x)
    np.testing.assert_array_equal(K.switch(asked, lambda: x, -x).numpy(), made)
    with pytest.raises(ValueError, match="Rank of `condition`"):
        K.switch(asked, x[0, 0], x[0, 0])


def test_functions_of_the_backend_stand_between_layers() -> None:
    given = tf.keras.Input((2,))
    made = K.switch(given > 0, K.dot(given, np.eye(2, dtype="f")), K.cumsum(given, 1))
    model = tf.keras.Model(given, made)
    found = model(tf.constant([[2.0, -3.0]])).numpy()
    np.testing.assert_array_equal(found, [[2.0, -1.0]])


def test_names_are_numbered_from_one_beside_those_of_layers() -> None:
    K.clear_session()
    assert [K.get_uid(x) for x in ("dense", "dense", "a_b", "")] == [1, 2, 1, 1]
    assert tf.keras.layers.Dense(2).name == "dense_2"


def test_causal_convolutions_look_back_only() -> None:
    x, kernel = drawn(2, 5, 3), drawn(2, 3, 4, seed=1)
    made = K.conv1d(x, kernel, padding="causal", dilation_rate=2).numpy()
    before = np.pad(x, ((0, 0), (2, 0), (0, 0)))[:, :5]
    want = before @ kernel[0] + x @ kernel[1]
    np.testing.assert_allclose(made, want, rtol=1e-4, atol=1e-5)
    turned = K.conv1d(x.swapaxes(1, 2), kernel, 1, "causal", "channels_first", 2)
    np.testing.assert_allclose(turned.numpy().swapaxes(1, 2), made, rtol=1e-5)


def test_the_hard_sigmoid_has_the_slope_of_keras_2() -> None:
    made = K.hard_sigmoid(tf.constant([-3.0, 0.3, 2.0])).numpy()
    np.testing.assert_allclose(made, [0.0, 0.56, 0.9], rtol=1e-6)
