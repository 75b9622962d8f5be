"""Keras' own seeds: initializers, dropout and the order of rows are TensorFlow 2.21's.

The numbers were printed by the same lines under TensorFlow 2.21.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.graph_mode.graph import mode

INITIALIZERS = tf.keras.initializers


@pytest.fixture(autouse=True)
def _eager() -> Iterator[None]:
    before = mode.eager
    mode.eager = True
    yield
    mode.eager = before


DRAWN = [
    (
        INITIALIZERS.GlorotUniform(seed=1),
        [[0.82923, -0.08768], [0.21973, -0.23531], [-0.54073, -0.12203]],
    ),
    (
        INITIALIZERS.HeNormal(seed=3),
        [[-0.62339, 1.55576], [-0.87648, 0.56431], [-0.389, -0.46019]],
    ),
    (
        INITIALIZERS.RandomNormal(seed=4),
        [[-0.02909, 0.04327], [-0.07831, 0.00989], [0.03325, -0.04357]],
    ),
    (
        INITIALIZERS.Orthogonal(seed=7),
        [[-0.23817, 0.27476], [-0.66402, -0.74602], [-0.70877, 0.60659]],
    ),
    (
        INITIALIZERS.VarianceScaling(2.0, "fan_avg", "untruncated_normal", seed=9),
        [[-0.49648, -0.44456], [-0.66897, -1.94509], [-0.13103, -0.34232]],
    ),
]


@pytest.mark.parametrize(
    ("initializer", "expected"), DRAWN, ids=lambda x: type(x).__name__
)
def test_first_values_are_tensorflows(initializer: Any, expected: Any) -> None:
    for _ in range(2):  # they are the same each time
        np.testing.assert_allclose(initializer((3, 2)).numpy(), expected, atol=6e-6)


def test_a_program_that_sets_all_seeds_trains_as_under_tensorflow() -> None:
    tf.keras.utils.set_random_seed(11)
    dense = tf.keras.layers.Dense(2)
    dense.build((None, 3))
    first = [[-0.13365, -0.67804], [0.26281, -0.36423], [-1.00443, 0.81887]]
    np.testing.assert_allclose(dense.kernel.numpy(), first, atol=6e-6)
    dropout = tf.keras.layers.Dropout(0.5)
    kept = [dropout(tf.ones([2, 6]), training=True).numpy() > 0 for _ in range(2)]
    assert kept[0].astype(int).tolist() == [[1, 1, 1, 0, 1, 0], [1, 1, 0, 0, 0, 1]]
    assert kept[1].astype(int).tolist() == [[1, 1, 0, 1, 0, 1], [1, 1, 1, 0, 1, 1]]
    tf.keras.layers.Dropout(0.3, seed=5)(tf.ones([2, 6]), training=True)
    layers = [tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential(layers)
    model.compile("sgd", "mse")
    x = np.arange(20, dtype="f").reshape(10, 2) / 20
    found = model.fit(x, x.sum(1), batch_size=4, epochs=3, verbose=0)
    losses = [0.451032, 0.325712, 0.235684]
    np.testing.assert_allclose(found.history["loss"], losses, atol=2e-6)
    np.testing.assert_allclose(
        tf.random.uniform([2]), [0.250617, 0.815923], atol=1e-6
    )
    own = np.random.rand(2)  # noqa: NPY002  whose seed was set, too
    np.testing.assert_allclose(own, [0.1803, 0.0195], atol=5e-5)


def test_a_seed_that_was_drawn_is_no_part_of_a_description() -> None:
    axes = {"input_axes": None, "output_axes": None}
    assert INITIALIZERS.GlorotUniform().get_config() == {"seed": None, **axes}
    assert INITIALIZERS.GlorotUniform(seed=3).get_config() == {"seed": 3, **axes}
    without = INITIALIZERS.GlorotUniform()
    again = type(without).from_config(without.get_config())
    assert (without((4, 4)).numpy() != again((4, 4)).numpy()).any()


SUMS = [
    ("SimpleRNN", {"dropout": 0.3}, -32.8592, -28.7292),
    ("SimpleRNN", {"dropout": 0.3, "recurrent_dropout": 0.4}, -27.5151, -27.1639),
    ("LSTM", {"dropout": 0.3}, -13.9546, -15.2998),
    ("LSTM", {"dropout": 0.3, "recurrent_dropout": 0.4}, -7.3323, -12.6448),
    ("GRU", {"dropout": 0.3}, 3.2144, 3.5866),
    ("GRU", {"dropout": 0.3, "recurrent_dropout": 0.4}, -0.4956, 8.5842),
]
"""Sums of results in training: of the second call, which is eager, and of the third, traced."""


@pytest.mark.parametrize(("kind", "rates", "eager", "traced"), SUMS)
def test_cells_drop_the_same_at_each_step_of_a_call(
    kind: str, rates: dict[str, float], eager: float, traced: float
) -> None:
    x = np.random.RandomState(0).rand(4, 6, 3).astype("float32")
    layer = getattr(tf.keras.layers, kind)(4, seed=5, return_sequences=True, **rates)
    layer(x)
    rng = np.random.RandomState(1)
    layer.set_weights([rng.uniform(-0.5, 0.5, w.shape) for w in layer.weights])
    made = layer(x, training=True)
    np.testing.assert_allclose(tf.reduce_sum(made), eager, atol=1e-3)
    made = tf.function(lambda x: layer(x, training=True))(x)
    np.testing.assert_allclose(tf.reduce_sum(made), traced, atol=1e-3)


def test_what_a_normalization_learns_draws_no_seed() -> None:
    tf.keras.utils.set_random_seed(3)
    tf.keras.layers.Normalization().adapt(np.array([[1.0], [2.0]], np.float32))
    dense = tf.keras.layers.Dense(2)
    dense.build((None, 3))
    tf.keras.utils.set_random_seed(3)
    alone = tf.keras.layers.Dense(2)
    alone.build((None, 3))
    np.testing.assert_array_equal(dense.kernel.numpy(), alone.kernel.numpy())


CHANGED: dict[str, tuple[tuple[Any, ...], list[float]]] = {
    "RandomFlip": (("horizontal",), [0, 1, 2, 3, 4, 5]),
    "RandomRotation": ((0.2,), [0.975, 2.241, 4.909, 0.091, 2.759, 4.025]),
    "RandomTranslation": ((0.5, 0.5), [1.374, 2.374, 3.013, 3.36, 4.36, 5.0]),
    "RandomZoom": ((0.4, 0.3), [0.293, 1.077, 1.861, 3.139, 3.923, 4.707]),
    "RandomBrightness": ((0.1,), [0, 0, 0, 0, 0, 0]),
    "RandomContrast": ((0.5,), [0, 0.533, 1.844, 3.156, 4.467, 5.778]),
}
"""What TensorFlow 2.21's layers, made after a seed was set, do to an image in turn."""


def test_layers_that_change_images_and_convolutions_of_two_kernels_draw_as_keras_3() -> (
    None
):
    tf.keras.utils.set_random_seed(5)
    x = np.arange(6, dtype="f").reshape(1, 2, 3, 1)
    for name, (arguments, want) in CHANGED.items():
        made = getattr(tf.keras.layers, name)(*arguments)(x, training=True)
        np.testing.assert_allclose(made.numpy().ravel(), want, atol=6e-4)
    separable = tf.keras.layers.SeparableConv2D(1, 1)
    separable.build((1, 2, 2, 1))
    kernels = [w.numpy().item() for w in separable.weights[:2]]
    np.testing.assert_allclose(kernels, [0.993481, 0.635548], atol=1e-6)
    recurrent = tf.keras.layers.ConvLSTM2D(1, 1)
    recurrent.build((1, 2, 2, 2, 1))
    first = [[0.4486, -0.7407, -0.8629, 0.4808], [0.2788, -0.1348, -0.7991, 0.5153]]
    found = [w.numpy().ravel() for w in recurrent.weights[:2]]
    np.testing.assert_allclose(found, first, atol=6e-5)


def test_a_seed_of_zero_is_a_seed_of_the_order_of_rows() -> None:
    tf.keras.utils.set_random_seed(0)
    x = np.random.default_rng(0).normal(size=(64, 8)).astype("f")
    model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    found = model.fit(x, x[:, :1] * 2, epochs=3, batch_size=16, verbose=0).history
    np.testing.assert_allclose(found["loss"], [4.3762, 3.73755, 3.21126], rtol=1e-5)
