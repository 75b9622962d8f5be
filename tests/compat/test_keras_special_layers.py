"""tf.keras: convolutions over time, kernels of bounded norm, pooling to a size; by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras: Any = tf.keras
layers = keras.layers


def drawn(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def lstm_over_time(x: Any, weights: Any) -> Any:
    """Return the states of an LSTM whose products are convolutions of the same size."""
    kernel, recurrent, bias = weights
    h = c = np.zeros((*x.shape[:1], *x.shape[2:-1], recurrent.shape[-2]), np.float32)
    found = []
    for t in range(x.shape[1]):
        seen = tf.nn.conv2d(x[:, t], kernel, 1, "SAME").numpy() + bias
        z = seen + tf.nn.conv2d(h, recurrent, 1, "SAME").numpy()
        i, f, g, o = np.split(z, 4, -1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        found.append(h)
    return np.stack(found, 1), c


def test_convolutions_go_over_time() -> None:
    x = drawn(2, 3, 5, 5, 2)
    layer = layers.ConvLSTM2D(
        4, 3, padding="same", return_sequences=True, return_state=True
    )
    every, hidden, cell = layer(x)
    want, last = lstm_over_time(x, layer.get_weights())
    np.testing.assert_allclose(every.numpy(), want, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(hidden.numpy(), want[:, -1], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(cell.numpy(), last, rtol=1e-4, atol=1e-5)
    bias = layer.get_weights()[2]
    assert bias.tolist() == [0.0] * 4 + [1.0] * 4 + [0.0] * 8
    back = layers.ConvLSTM2D(4, 3, padding="same", go_backwards=True)
    back.build(x.shape)
    back.set_weights(layer.get_weights())
    want, _ = lstm_over_time(x[:, ::-1], layer.get_weights())
    np.testing.assert_allclose(back(x).numpy(), want[:, -1], rtol=1e-4, atol=1e-5)


def test_lines_and_volumes_go_over_time_and_are_trained() -> None:
    line = keras.Sequential(
        [keras.Input((4, 9, 2)), layers.ConvLSTM1D(3, 3, strides=2)]
    )
    assert line.output_shape == (None, 4, 3)
    line.compile("sgd", "mse")
    line.fit(drawn(4, 4, 9, 2), drawn(4, 4, 3), verbose=0)
    cube = layers.ConvLSTM3D(2, 2)(drawn(1, 2, 3, 3, 3, 1))
    assert cube.shape == (1, 2, 2, 2, 2)
    again = keras.Sequential.from_config(line.get_config())
    assert again.count_params() == line.count_params()


def test_kernels_are_divided_by_their_largest_singular_value() -> None:
    layer = layers.SpectralNormalization(layers.Dense(3), power_iterations=30)
    x = drawn(2, 4)
    layer(x)
    held = np.diag([3.0, 2.0, 1.0, 0.0])[:, :3].astype(np.float32)
    layer.layer.set_weights([held + 0.1, np.zeros(3)])
    layer.vector_u.assign(np.ones((1, 3), np.float32))
    before = layer(x).numpy()
    np.testing.assert_allclose(layer(x).numpy(), before)  # but in training
    kernel = layer.layer.get_weights()[0]
    layer(x, training=True)
    want = kernel / np.linalg.svd(kernel)[1][0]
    np.testing.assert_allclose(layer.layer.get_weights()[0], want, rtol=1e-3)
    assert [tuple(w.shape) for w in layer.non_trainable_weights] == [(1, 3)]


@pytest.mark.parametrize(("size", "want"), [(3, [0.5, 2.0, 3.5]), (2, [1.0, 3.0])])
def test_pooling_to_a_size_shares_the_line_out(size: int, want: Any) -> None:
    x = np.arange(5, dtype=np.float32).reshape(1, 5, 1)
    made = layers.AdaptiveAveragePooling1D(size)(x).numpy().ravel().tolist()
    assert made == want
    largest = layers.AdaptiveMaxPooling1D(size)(x).numpy().ravel().tolist()
    assert largest[-1] == 4.0
    assert layers.AdaptiveMaxPooling2D((2, 3))(drawn(1, 5, 7, 2)).shape == (
        1,
        2,
        3,
        2,
    )


def test_pairs_of_things_are_hashed_into_bins() -> None:
    """The bins are TensorFlow 2.21's."""
    letters = tf.constant(["A", "B", "A", "B", "A"])
    numbers = tf.constant([101, 101, 101, 102, 102])
    bins = layers.HashedCrossing(5)((letters, numbers))
    assert bins.numpy().tolist() == [1, 4, 1, 1, 3]
    columns = (letters[:, None], numbers[:, None])
    rows = layers.HashedCrossing(5, output_mode="one_hot")(columns)
    assert rows.shape == (5, 5)
    assert rows.numpy().argmax(-1).tolist() == [1, 4, 1, 1, 3]
    with pytest.raises(ValueError, match="should have shape"):
        layers.HashedCrossing(5)((tf.ones((2, 2), tf.int32),) * 2)


def test_categories_count_by_weight() -> None:
    numbers, weights = np.array([[0, 1], [1, 1]]), np.array([[0.5, 2.0], [1.0, 0.25]])
    layer = layers.CategoryEncoding(3, output_mode="count")
    made = layer(numbers, count_weights=weights)
    np.testing.assert_allclose(made.numpy(), [[0.5, 2.0, 0.0], [0.0, 1.25, 0.0]])
    with pytest.raises(ValueError, match="count_weights"):
        layers.CategoryEncoding(3)(numbers, count_weights=weights)


def test_what_stateful_layers_go_on_from_is_none_of_their_weights() -> None:
    layer = keras.layers.GRU(3, stateful=True)
    model = keras.Sequential([keras.Input(batch_shape=(2, 4, 5)), layer])
    assert len(model.weights) == len(model.get_weights()) == 3
    assert [tuple(x.shape) for x in layer.states] == [(2, 3)]
    first = model(np.ones((2, 4, 5), np.float32)).numpy()
    np.testing.assert_allclose(layer.states[0].numpy(), first, rtol=1e-6)


class _Sum(layers.Layer):  # type: ignore[misc,name-defined]
    """A cell that adds what it sees; it says how large its state is, and no more."""

    def __init__(self, units: int, state: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = units
        self.state_size = units if state is None else state

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        made = states[0] + inputs if isinstance(states, list) else states + inputs
        return made, [made] if isinstance(states, list) else made


class _FromOne(_Sum):
    def get_initial_state(self, batch_size: Any = None) -> Any:
        return [tf.ones((batch_size, self.units))]


def test_cells_of_programs_need_to_say_only_how_large_their_state_is() -> None:
    x = drawn(2, 3, 4)
    np.testing.assert_allclose(layers.RNN(_Sum(4))(x), x.sum(1), rtol=1e-5, atol=1e-6)
    made = layers.RNN(_FromOne(4, [4]))(x)
    np.testing.assert_allclose(made, x.sum(1) + 1, rtol=1e-5, atol=1e-6)
    stacked = layers.RNN([_Sum(4), _Sum(4)])(x)
    want = x.cumsum(1).sum(1)
    np.testing.assert_allclose(stacked, want, rtol=1e-5, atol=1e-5)
    mask = np.array([[True, True, False], [True, False, False]])
    kept = layers.RNN(_Sum(4), return_sequences=True)(x, mask=tf.constant(mask))
    np.testing.assert_allclose(kept[1, 2], x[1, 0], rtol=1e-6)


def test_steps_that_do_not_count_may_give_zeros() -> None:
    x, mask = drawn(2, 3, 4), tf.constant([[True, True, False], [True, False, False]])
    layer = layers.LSTM(3, return_sequences=True, zero_output_for_mask=True)
    found = layer(x, mask=mask).numpy()
    assert (found[0, 2] == 0).all()
    assert (found[1, 1:] == 0).all()
    assert (found[:, 0] != 0).all()
    assert type(layer).from_config(layer.get_config()).zero_output_for_mask is True


def test_layers_that_go_both_ways_forget_their_states() -> None:
    layer = layers.Bidirectional(layers.LSTM(2, stateful=True))
    x = drawn(2, 3, 4)
    first = layer(x).numpy()
    assert np.abs(layer(x).numpy() - first).max() > 1e-4
    layer.reset_state()
    np.testing.assert_allclose(layer(x), first, rtol=1e-6)


def test_convolutions_over_time_drop_in_training_only() -> None:
    layer = layers.ConvLSTM2D(2, 2, dropout=0.5, recurrent_dropout=0.5, seed=1)
    x = drawn(1, 3, 4, 4, 1)
    np.testing.assert_array_equal(layer(x), layer(x, training=False))
    assert np.abs(layer(x, training=True).numpy() - layer(x).numpy()).max() > 1e-4


def test_steps_that_a_mask_leaves_out_change_nothing() -> None:
    x = drawn(2, 4, 5, 5, 2)
    mask = np.array([[True, True, False, False], [True] * 4])
    layer = layers.ConvLSTM2D(3, 3, padding="same", return_sequences=True)
    made = layer(x, mask=mask).numpy()
    whole = layer(x).numpy()
    np.testing.assert_allclose(made[1], whole[1], atol=1e-6)
    np.testing.assert_allclose(made[0, :2], whole[0, :2], atol=1e-6)
    np.testing.assert_array_equal(made[0, 3], made[0, 1])


def test_recurrent_layers_compute_in_the_dtype_they_are_given() -> None:
    layer = keras.layers.GRU(2, dtype="float64")
    assert layer(np.ones((1, 2, 3))).dtype == tf.float64
    assert {w.dtype for w in layer.weights} == {"float64"}
