"""Keras' attention and its layers of several inputs: which steps count, and along which axes.

Expected numbers were computed by TensorFlow 2.21, or follow from the weights that are given.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.graph_mode.graph import mode

layers = tf.keras.layers


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mode, "eager", True)


def attended(layer: Any, *given: Any, **options: Any) -> Any:
    """Return what a layer gives with weights that rise evenly."""
    layer(*given, **options)
    firsts = (np.linspace(-1.0, 1.0, w.numpy().size) for w in layer.weights)
    layer.set_weights(
        [x.reshape(w.shape) for x, w in zip(firsts, layer.weights, strict=True)]
    )
    return layer(*given, **options)


def steps(*sizes: int) -> Any:
    return np.sin(np.arange(np.prod(sizes))).reshape(sizes).astype("float32")


def test_padded_steps_and_those_ahead_are_not_attended_to() -> None:
    embedded = layers.Embedding(5, 4, mask_zero=True)(np.array([[1, 2, 0]]))
    layer = layers.MultiHeadAttention(2, 3)
    _, weights = layer(embedded, embedded, return_attention_scores=True)
    np.testing.assert_array_equal(weights.numpy()[0, :, :2, 2], np.zeros((2, 2)))
    np.testing.assert_array_equal(weights.numpy()[0, :, 2], np.zeros((2, 3)))
    layer = layers.MultiHeadAttention(2, 3)
    _, weights = layer(
        embedded, embedded, return_attention_scores=True, use_causal_mask=True
    )
    np.testing.assert_array_equal(weights.numpy()[0, :, 0, 1:], np.zeros((2, 2)))


def test_heads_attend_along_axes_that_are_given() -> None:
    layer = layers.MultiHeadAttention(2, 3, attention_axes=(2,), output_shape=(2, 2))
    made = attended(layer, steps(2, 2, 3, 4), steps(2, 2, 3, 4))
    assert made.shape == (2, 2, 3, 2, 2)
    expected = [[5.482224, 5.9834094], [6.4845953, 6.9857802]]
    np.testing.assert_allclose(made.numpy()[0, 0, 0], expected, rtol=1e-4)


def test_keys_of_groups_are_shared_by_heads() -> None:
    layer = layers.GroupQueryAttention(4, 6, 2, sliding_window=2)
    made, weights = attended(
        layer, steps(1, 3, 5), steps(1, 3, 5), return_attention_scores=True
    )
    assert made.shape == (1, 3, 5)
    assert weights.shape == (1, 6, 3, 3)
    np.testing.assert_array_equal(weights.numpy()[0, :, 0, 2], np.zeros(6))
    with pytest.raises(InvalidArgumentError, match="divisible"):
        layers.GroupQueryAttention(4, 6, 4)


def test_values_and_keys_have_one_length() -> None:
    with pytest.raises(ShapeError, match="must be equal"):
        layers.MultiHeadAttention(2, 3)(
            steps(1, 2, 4), steps(1, 3, 4), steps(1, 2, 4)
        )


def test_attention_leaves_out_what_masks_say() -> None:
    query, value = steps(1, 2, 3), steps(1, 3, 3)
    masks = [tf.constant([[True, False]]), tf.constant([[True, True, False]])]
    made, weights = layers.Attention()(
        [query, value], mask=masks, return_attention_scores=True
    )
    np.testing.assert_array_equal(weights.numpy()[0, :, 2], [0.0, 0.0])
    np.testing.assert_array_equal(made.numpy()[0, 1], np.zeros(3))
    _, weights = layers.Attention(score_mode="concat")(
        [query, value], return_attention_scores=True, use_causal_mask=True
    )
    np.testing.assert_array_equal(weights.numpy()[0, 0, 1:], [0.0, 0.0])


def test_softmax_gives_nothing_to_what_is_masked() -> None:
    made = layers.Softmax()(np.ones((2, 2), "float32"), mask=np.eye(2, dtype=bool))
    np.testing.assert_array_equal(made.numpy(), np.eye(2))
    with pytest.raises(InvalidArgumentError, match="broadcastable"):
        layers.Softmax()(np.ones((2, 2), "float32"), mask=np.ones((2, 3), bool))


def test_steps_of_merged_inputs_count_where_any_counts() -> None:
    table = layers.Embedding(5, 2, mask_zero=True)
    x, y = table(np.array([[1, 0, 0]])), table(np.array([[1, 2, 0]]))
    layer = layers.Add()
    mask = layer.compute_mask(
        [x, y], [table.compute_mask(np.array([[1, 0, 0]])), None]
    )
    assert mask is None
    pooled = layers.GlobalAveragePooling1D()(layer([x, y]))
    np.testing.assert_allclose(
        pooled.numpy(), (x + y).numpy()[:, :2].mean(axis=1), rtol=1e-6
    )


def test_merging_checks_shapes() -> None:
    with pytest.raises(InvalidArgumentError, match="matching shapes"):
        layers.Concatenate()([np.ones((2, 3)), np.ones((3, 3))])
    with pytest.raises(InvalidArgumentError, match="exactly 2 inputs"):
        layers.Subtract()([np.ones((2, 3))] * 3)
    made = layers.Add()([np.ones((2, 3)), np.ones((2, 4, 3))])
    assert made.shape == (2, 4, 3)


def test_products_go_along_an_axis_of_each() -> None:
    x, y = steps(2, 3, 4, 5), steps(2, 5, 6)
    made = layers.Dot(axes=(3, 1))([x, y])
    np.testing.assert_allclose(
        made.numpy(), np.einsum("abcd,ade->abce", x, y), rtol=1e-5, atol=1e-6
    )
    row = layers.Dot(axes=1)([x[:, 0, 0], y[:, :, 0]])
    np.testing.assert_allclose(
        row.numpy()[:, 0], np.einsum("ab,ab->a", x[:, 0, 0], y[:, :, 0]), rtol=1e-5
    )
