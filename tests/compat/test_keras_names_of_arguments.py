"""Functions of tf.keras.backend by Keras' names of their arguments, and what makers refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v2 as tf

keras: Any = tf.keras
backend = keras.backend
PAIRS = np.arange(6.0, dtype=np.float32).reshape(2, 3)
CASES: list[tuple[str, dict[str, Any], Any]] = [
    ("expand_dims", {"x": PAIRS}, PAIRS[..., None]),
    ("squeeze", {"x": PAIRS[None], "axis": 0}, PAIRS),
    ("reshape", {"x": PAIRS, "shape": (3, 2)}, PAIRS.reshape(3, 2)),
    ("reverse", {"x": PAIRS, "axes": 1}, PAIRS[:, ::-1]),
    ("reverse", {"x": PAIRS, "axes": [0, 1]}, PAIRS[::-1, ::-1]),
    ("tile", {"x": PAIRS, "n": [2, 1]}, np.tile(PAIRS, (2, 1))),
    ("tile", {"x": PAIRS[0], "n": 2}, np.tile(PAIRS[0], 2)),
    ("pow", {"x": PAIRS, "a": 2}, PAIRS**2),
    ("eye", {"size": 3, "dtype": "float64"}, np.eye(3)),
    ("eye", {"size": (2, 3)}, np.eye(2, 3)),
    ("stop_gradient", {"variables": PAIRS}, PAIRS),
    ("zeros_like", {"x": PAIRS, "dtype": "int32"}, np.zeros((2, 3))),
    ("ones_like", {"x": PAIRS}, np.ones((2, 3))),
    ("shape", {"x": PAIRS}, [2, 3]),
    ("softplus", {"x": PAIRS}, np.log1p(np.exp(PAIRS))),
    ("softsign", {"x": PAIRS}, PAIRS / (1 + PAIRS)),
    ("bias_add", {"x": PAIRS, "bias": np.ones(3, np.float32)}, PAIRS + 1),
]


@pytest.mark.parametrize(("name", "given", "expected"), CASES)
def test_arguments_are_given_by_keras_names(
    name: str, given: dict[str, Any], expected: Any
) -> None:
    found = getattr(backend, name)(**given)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5)


def test_convolutions_take_x() -> None:
    images, kernel = tf.ones((1, 3, 3, 1)), tf.ones((2, 2, 1, 1))
    made = backend.conv2d(x=images, kernel=kernel, padding="valid")
    np.testing.assert_array_equal(made, np.full((1, 2, 2, 1), 4.0))
    first = tf.ones((1, 1, 2, 2))
    bias = backend.bias_add(first, tf.constant([2.0]), "channels_first")
    np.testing.assert_array_equal(bias, np.full((1, 1, 2, 2), 3.0))
    point = tf.ones((1, 1, 1, 2))
    made = backend.separable_conv2d(images, kernel, point, (1, 1), "valid")
    assert made.shape == (1, 2, 2, 2)
    volumes = backend.conv3d(
        x=tf.ones((1, 2, 2, 2, 1)), kernel=tf.ones((2, 2, 2, 1, 1))
    )
    np.testing.assert_array_equal(volumes, np.full((1, 1, 1, 1, 1), 8.0))


def test_constants_are_tensors_and_initializers_have_their_whole_names() -> None:
    made = keras.initializers.Constant(tf.constant([1.0, 2.0]))
    np.testing.assert_array_equal(made((2,)), [1.0, 2.0])
    named = keras.initializers.get("IdentityInitializer")
    assert type(named) is keras.initializers.IdentityInitializer
    assert keras.initializers.OrthogonalInitializer is keras.initializers.Orthogonal


def test_scaled_losses_leave_the_rest_to_the_inner_optimizer() -> None:
    inner, kind = keras.optimizers.SGD(0.5), keras.optimizers.LossScaleOptimizer
    with pytest.raises(ValueError, match="on the `inner_optimizer`"):
        kind(inner, clipnorm=0.5)
    with pytest.raises(ValueError, match="set `loss_scale_factor`"):
        kind(inner, dynamic=False)
    with pytest.raises(ValueError, match="arguments: `foo`, `bar`"):
        kind(inner, foo=True, bar=3)
    assert kind(inner, use_ema=False, ema_momentum=0.99, clipnorm=None)


def test_lion_refuses_what_is_no_share() -> None:
    with pytest.raises(ValueError, match="degenerates to SignSGD"):
        keras.optimizers.Lion(beta_1=-0.1)


def test_layers_refuse_what_they_cannot_take() -> None:
    layers = keras.layers
    with pytest.raises(ValueError, match="must be a KerasTensor"):
        layers.InputLayer(shape=(2, 3), input_tensor=np.zeros((2, 3)))
    with pytest.warns(UserWarning, match="Use `shape` instead"):
        layers.InputLayer(input_shape=(2, 3))
    with pytest.raises(ValueError, match="greater than zero"):
        layers.SpectralNormalization(layers.Dense(2), power_iterations=0)
    with pytest.raises(ValueError, match="nor 'embeddings'"):
        layers.SpectralNormalization(layers.ReLU())(np.ones((4, 2)))
