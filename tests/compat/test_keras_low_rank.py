"""tf.keras: enable_lora trains two small weights beside a large one; values TensorFlow 2.21's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras: Any = tf.keras
layers = keras.layers

LAYERS: list[Any] = [
    (layers.Dense(4), np.ones((2, 3)), "kernel", (3, 2), (2, 4), 9.0),
    (layers.Embedding(5, 3), np.array([[1, 2]]), "embeddings", (5, 2), (2, 3), 3.0),
    (
        layers.EinsumDense("ab,bcd->acd", (4, 5), bias_axes="cd"),
        *(np.ones((2, 3)), "kernel", (3, 4, 2), (2, 5), 9.0),
    ),
    (
        layers.Conv2D(4, 3),
        *(np.ones((1, 5, 5, 2)), "kernel", (3, 3, 2, 2), (2, 4), 54.0),
    ),
]


@pytest.mark.parametrize(("layer", "x", "name", "a", "b", "gained"), LAYERS)
def test_a_product_of_two_small_weights_is_added(
    layer: Any, x: Any, name: str, a: Any, b: Any, gained: float
) -> None:
    before = layer(x).numpy()
    names = [w.name for w in layer.weights]
    layer.enable_lora(2, a_initializer="ones", b_initializer="ones", lora_alpha=3)
    small = [f"lora_{name}_a", f"lora_{name}_b"]
    assert [w.name for w in layer.weights] == [*names, *small]
    assert [w.name for w in layer.trainable_weights] == [*names[1:], *small]
    assert [tuple(w.shape) for w in layer.weights[-2:]] == [a, b]
    np.testing.assert_allclose(layer(x).numpy() - before, gained, rtol=1e-5)
    config = layer.get_config()
    assert (config["lora_rank"], config["lora_alpha"]) == (2, 3)


def test_only_small_weights_are_trained_and_files_have_their_sum(
    tmp_path: Path,
) -> None:
    model = keras.Sequential([keras.Input((3,)), layers.Dense(4), layers.Dense(1)])
    first = model.layers[0]
    first.enable_lora(2, b_initializer="ones")
    large = first.get_weights()[0]
    model.compile("sgd", "mse")
    x = np.ones((4, 3), np.float32)
    model.fit(x, np.ones((4, 1)), verbose=0)
    np.testing.assert_array_equal(first.get_weights()[0], large)
    assert np.abs(first.kernel.numpy() - large).max() > 0
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(again(x).numpy(), model(x).numpy(), rtol=1e-5)
    assert again.layers[0].lora_enabled
    assert not again.layers[0].lora_kernel_b.numpy().any()
    plain = keras.Sequential([keras.Input((3,)), layers.Dense(4), layers.Dense(1)])
    model.save_weights(tmp_path / "model.weights.h5")
    plain.load_weights(tmp_path / "model.weights.h5")
    np.testing.assert_allclose(plain(x).numpy(), model(x).numpy(), rtol=1e-5)


def test_checkpoints_have_the_large_weight_by_its_name(tmp_path: Path) -> None:
    layer = layers.Dense(4, lora_rank=2, lora_alpha=8)
    layer.build((None, 3))
    assert layer.lora_enabled
    assert layer.lora_alpha == 8
    path = tf.train.Checkpoint(layer=layer).save(str(tmp_path / "ckpt"))
    names = [name for name, _ in tf.train.list_variables(path)]
    assert "layer/kernel/.ATTRIBUTES/VARIABLE_VALUE" in names
    assert "layer/lora_kernel_a/.ATTRIBUTES/VARIABLE_VALUE" in names


def test_what_lora_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="isn't yet built"):
        layers.Dense(2).enable_lora(2)
    layer = layers.Dense(2, kernel_constraint="max_norm")
    layer.build((None, 3))
    with pytest.raises(ValueError, match="incompatible with kernel constraints"):
        layer.enable_lora(2)
    layer = layers.Dense(2)
    layer.build((None, 3))
    layer.enable_lora(2)
    with pytest.raises(ValueError, match="already enabled"):
        layer.enable_lora(2)
