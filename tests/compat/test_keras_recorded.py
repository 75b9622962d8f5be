"""What Keras 3 gives where masks, axes, coefficients and averages matter; values are recorded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras = tf.keras
layers, losses, ops = keras.layers, keras.losses, keras.ops
LEFT = [[[0.0, 0.0], [1.0, 2.0], [0.0, 0.0], [3.0, 4.0]]]
RIGHT = [[[0.0, 0.0], [0.0, 0.0], [1.0, 2.0], [3.0, 4.0]]]
THREE = np.array([[1, 2, 3], [1, 2, 3]], np.float32)


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-5, atol=1e-5)


def test_metrics_leave_out_what_a_mask_does() -> None:
    model = keras.Sequential(
        [
            keras.Input((3, 1)),
            layers.Masking(),
            layers.Dense(1, kernel_initializer="ones"),
        ]
    )
    model.compile(loss="mse", metrics=["mae"], weighted_metrics=["mse"])
    x = np.array([[[1.0], [0.0], [2.0]], [[0.0], [3.0], [4.0]]], np.float32)
    y = np.ones((2, 3, 1), np.float32)
    close(model.evaluate(x, y, verbose=0), [3.5, 1.5, 3.5])
    metric = keras.metrics.MeanAbsoluteError()
    metric.update_state(y, model(x))
    close(metric.result(), 1.5)
    accuracy = keras.metrics.BinaryAccuracy()
    accuracy.update_state(y, model(x))
    close(accuracy.result(), 1.0)


def test_weights_of_ignored_classes_do_not_count() -> None:
    metric = keras.metrics.SparseCategoricalCrossentropy(ignore_class=0)
    true = np.array([0, 1, 2])
    predicted = np.array([[0.8, 0.1, 0.1], [0.05, 0.95, 0], [0.1, 0.8, 0.1]])
    weights = np.array([0.5, 1.5, 2.0])
    close(metric(true, predicted, sample_weight=weights), 1.33774995)
    metric.reset_state()
    close(metric(true, predicted), 0.78463)


@pytest.mark.parametrize("kind", [layers.Multiply, layers.Maximum, layers.Minimum])
def test_merged_masks_leave_the_other_input(kind: Any) -> None:
    mask = layers.Masking()
    factors = kind is layers.Multiply
    last = [9.0, 16.0] if factors else [3.0, 4.0]
    both = kind()([mask(tf.constant(LEFT)), mask(tf.constant(RIGHT))])
    close(both, [[[0.0, 0.0], [1.0, 2.0], [1.0, 2.0], last]])
    one = kind()([mask(tf.constant(LEFT)), tf.constant(RIGHT)])
    middle = [1.0, 2.0] if kind is layers.Maximum else [0.0, 0.0]
    close(one, [[[0.0, 0.0], middle, [1.0, 2.0], last]])


def test_tversky_weighs_by_its_two_shares() -> None:
    loss = losses.Tversky(alpha=0.2, beta=0.8)
    close(loss(np.array([[1, 2], [1, 2]]), np.array([[4, 1], [6, 1]])), -0.2963)


def test_shares_along_all_axes() -> None:
    row = [0.045015, 0.122364, 0.33262]
    made = [ops.softmax(THREE, axis=None), layers.Softmax(axis=None)(THREE)]
    for found in [*made, keras.activations.softmax(THREE, axis=None)]:
        close(found, [row, row])
    close(ops.log_softmax(THREE, axis=None)[0], [-3.100753, -2.100753, -1.100753])


def test_updates_of_one_place_are_all_multiplied() -> None:
    base = np.array([2.0, 3.0, 1.0, 1.0])
    updates = np.array([3.0, 5.0, 2.0])
    found = ops.scatter_update(base, [[0], [0], [1]], updates, reduction="mul")
    close(found, [30.0, 6.0, 1.0, 1.0])
    table = np.arange(1.0, 7.0).reshape(2, 3)
    places = [[1, 2], [1, 2], [0, 1]]
    found = ops.scatter_update(table, places, updates, reduction="mul")
    close(found, [[1, 4, 3], [4, 5, 90]])


def test_moments_of_halves_do_not_overflow() -> None:
    halves = [-741.0, 353.2, 1099.0, -1807.0, 502.8, -83.4, 333.5, -130.9]
    mean, variance = ops.moments(np.array(halves, np.float16), axes=[0])
    assert float(variance) == np.finfo(np.float16).max
    close(mean, np.mean(np.array(halves, np.float16).astype(np.float32)).astype("f2"))


@pytest.mark.parametrize(("length", "stride"), [(64, 16), (32, 8), (10, 4)])
def test_istft_divides_by_whole_overlaps(length: int, stride: int) -> None:
    signal = np.random.default_rng(5).normal(size=128).astype(np.float32)
    parts = ops.stft(signal, length, stride, length, center=False)
    found = np.asarray(ops.istft(parts, length, stride, length, center=False))
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)
    turns = -(-length // stride)
    squares = np.pad(window**2, (0, turns * stride - length)).reshape(turns, stride)
    share = window / np.tile(squares.sum(0), turns)[:length]
    frames = np.fft.irfft(np.asarray(parts[0]) + 1j * np.asarray(parts[1]), n=length)
    expected = np.zeros(length + stride * (len(frames) - 1))
    for i, frame in enumerate(frames):
        expected[i * stride : i * stride + length] += frame * share
    close(found, expected)


def test_istft_without_a_window_adds_frames() -> None:
    signal = np.random.default_rng(6).normal(size=32).astype(np.float32)
    parts = ops.stft(signal, 8, 4, 8, window=None, center=False)
    found = np.asarray(ops.istft(parts, 8, 4, 8, window=None, center=False))
    close(found[4:-4], 2 * signal[4:-4])


def test_scaling_by_the_deviation_alone() -> None:
    layer = layers.LayerNormalization(axis=1, rms_scaling=True)
    found = layer(np.arange(5, dtype=np.float32)[None])
    close(found, [[0.0, 0.70693, 1.41386, 2.12079, 2.82772]])


def test_steps_change_averages_one_after_the_other() -> None:
    inner = layers.BatchNormalization()
    layer = layers.TimeDistributed(inner)
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    made = layer(x, training=True)
    close(inner.moving_mean, [0.29781, 0.32751, 0.35721, 0.38691])
    close(inner.moving_variance, [2.03954] * 4)
    close(made[0, 0], [-0.99999] * 4)


def test_steps_have_the_masks_of_their_rows() -> None:
    class Masked(layers.Layer):
        def call(self, inputs: Any, mask: Any = None) -> Any:
            return (
                inputs if mask is None else inputs * tf.cast(mask, "float32")[:, None]
            )

    mask = np.array([[False, True], [True, False], [True, True]])
    x = np.ones((3, 2, 2), np.float32)
    layer = layers.TimeDistributed(Masked())
    close(layer(x, mask=tf.constant(mask)), x * mask[..., None])
    with pytest.raises(ValueError, match="first two axes"):
        layer(x, mask=tf.constant(mask[:, :1]))


def test_batch_renormalization() -> None:
    layer = layers.BatchNormalization(renorm=True)
    x = np.arange(8, dtype=np.float32).reshape(4, 2)
    layer(x, training=True)
    expected = [
        *([1.0, 1.0], [0.0, 0.0], [0.03, 0.04], [1.02388] * 2, [1.01236] * 2),
        *([0.03, 0.04], [1.01236] * 2),
    ]
    close(layer.get_weights(), expected)
    found = layer(x**2, training=True)
    rows = [[-0.02963, 0.94828], [3.92152, 8.85058], [15.77498, 24.65519]]
    close(found, [*rows, [35.53074, 48.3621]])
    close(layer.moving_variance, [1.30371, 1.40451])
    with pytest.raises(ValueError, match="rmax should be greater"):
        layers.BatchNormalization(renorm=True, renorm_clipping={"rmax": 1, "rmin": 2})
    with pytest.raises(NotImplementedError, match="virtual_batch_size"):
        layers.BatchNormalization(virtual_batch_size=2)


def test_a_gradient_may_overwrite_its_variable() -> None:
    kept, moved = (keras.Variable([[1.0, 2.0], [3.0, 4.0]]) for _ in range(2))
    kept.overwrite_with_gradient = True
    ones = tf.ones((2, 2))
    keras.optimizers.SGD(1.0).apply_gradients([(ones, kept), (ones, moved)])
    close(kept, np.ones((2, 2)))
    close(moved, [[0.0, 1.0], [2.0, 3.0]])


def test_categories_meet_along_the_second_axis() -> None:
    numbers = np.array([[[1, 2, 2], [1, 1, 3]]])
    layer = layers.CategoryEncoding(num_tokens=4, output_mode="count")
    close(layer(numbers), [[[0, 2, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]])
    made = layers.Discretization([0.0, 0.5], output_mode="one_hot", sparse=True)(
        np.array([0.2, 0.7])
    )
    assert isinstance(made, tf.SparseTensor)
    close(tf.sparse.to_dense(made), [[0, 1, 0], [0, 0, 1]])
    assert isinstance(ops.one_hot(np.array([0, 1]), 3, sparse=True), tf.SparseTensor)


def test_texts_that_are_not_split_keep_their_shape() -> None:
    whole = layers.TextVectorization(split=None, vocabulary=["foo", "bar"])
    close(whole(tf.constant([["foo"], ["bar"], ["baz"]])), [[2], [3], [1]])
    words = ["baz", "bar", "foo"]
    layer = layers.TextVectorization(
        vocabulary=words, ragged=True, output_sequence_length=2
    )
    found = layer([["foo qux bar"], ["qux baz"], ["foo"]])
    assert found.to_list() == [[4, 1], [1, 2], [4]]


def test_ctc_decode() -> None:
    logits = np.random.RandomState(0).randn(2, 4, 3).astype(np.float32)
    lengths = np.array([4, 4])
    found, scores = ops.ctc_decode(logits, lengths)
    close(found, [[[2, -1, -1, -1], [1, 1, -1, -1]]])
    close(scores, [[-6.40931], [-3.43262]])
    found, scores = ops.ctc_decode(
        logits, lengths, strategy="beam_search", top_paths=2
    )
    first, second = (
        [[1, 2, -1, -1], [1, -1, -1, -1]],
        [[2, -1, -1, -1], [2, 1, -1, -1]],
    )
    close(found, [first, second])
    close(scores, [[-1.26514, -1.56887], [-1.22706, -1.59356]])


def test_layers_are_listed_with_those_in_them() -> None:
    inner = keras.Sequential([layers.Dense(1)])
    outer = keras.Sequential([inner, layers.Dense(2)])
    listed = outer._flatten_layers()
    assert listed[0] is outer
    assert {type(x).__name__ for x in listed} == {"Sequential", "Dense"}
    assert outer not in outer._flatten_layers(include_self=False)
    assert inner.layers[0] not in outer._flatten_layers(recursive=False)
