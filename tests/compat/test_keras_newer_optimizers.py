"""Muon, ScheduleFreeAdamW, and what Keras 3 does with rows and gathered gradients.

The weights expected are those that TensorFlow 2.21 came to in four steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v2 as tf

keras: Any = tf.keras
EXPECTED: list[tuple[str, bool, list[list[float]]]] = [
    (
        "Muon(0.1)",
        False,
        [
            [
                -0.068295,
                0.824461,
                0.959211,
                0.180479,
                -0.728632,
                -0.967843,
                -0.289051,
                0.61822,
                0.957103,
                0.391838,
                -0.495435,
                -0.927207,
            ],
            [0.765159, 0.544381, -0.061876],
        ],
    ),
    (
        "Muon(0.1)",
        True,
        [
            [
                0.0,
                0.840125,
                0.907843,
                0.090874,
                -0.739587,
                -0.890076,
                -0.278969,
                0.655936,
                0.987776,
                0.364611,
                -0.607606,
                -1.021193,
            ],
            [0.765159, 0.544381, -0.061876],
        ],
    ),
    (
        "Muon(0.1, nesterov=False, rms_rate=None, adam_weight_decay=None)",
        False,
        [
            [
                -0.205309,
                0.74703,
                1.012552,
                0.244671,
                -0.660118,
                -0.957997,
                -0.279134,
                0.559993,
                0.884269,
                0.308015,
                -0.448663,
                -0.792839,
            ],
            [0.766544, 0.545138, -0.062307],
        ],
    ),
    (
        "Muon(0.1, nesterov=False, rms_rate=None, adam_weight_decay=None)",
        True,
        [
            [
                0.0,
                0.840125,
                0.907843,
                -0.032356,
                -0.764528,
                -0.793796,
                -0.278969,
                0.655936,
                0.987776,
                0.316219,
                -0.731886,
                -1.107098,
            ],
            [0.766544, 0.545138, -0.062307],
        ],
    ),
    (
        "Muon(0.1, exclude_layers=['dense'])",
        False,
        [
            [
                -0.23681,
                0.527382,
                0.757481,
                0.257293,
                -0.428421,
                -0.777141,
                -0.365869,
                0.316818,
                0.780255,
                0.460652,
                -0.195027,
                -0.765895,
            ],
            [0.765159, 0.544381, -0.061876],
        ],
    ),
    (
        "Muon(0.1, exclude_layers=['dense'])",
        True,
        [
            [
                0.0,
                0.840125,
                0.907843,
                0.02244,
                -0.754263,
                -0.928065,
                -0.278969,
                0.655936,
                0.987776,
                0.324559,
                -0.882269,
                -1.205912,
            ],
            [0.765159, 0.544381, -0.061876],
        ],
    ),
    (
        "ScheduleFreeAdamW(0.1)",
        False,
        [
            [
                -0.175243,
                0.679768,
                0.87939,
                0.223954,
                -0.577455,
                -0.908722,
                -0.363209,
                0.460105,
                0.919752,
                0.488425,
                -0.329776,
                -0.911583,
            ],
            [0.911013, 0.600209, -0.184369],
        ],
    ),
    (
        "ScheduleFreeAdamW(0.1)",
        True,
        [
            [
                0.0,
                0.841471,
                0.909297,
                0.039608,
                -0.752026,
                -0.939942,
                -0.279415,
                0.656987,
                0.989358,
                0.328325,
                -0.740903,
                -1.069597,
            ],
            [0.911013, 0.600209, -0.184369],
        ],
    ),
    (
        "ScheduleFreeAdamW(0.1, warmup_steps=3, weight_decay=0.01)",
        False,
        [
            [
                -0.139794,
                0.771229,
                0.95015,
                0.255608,
                -0.670854,
                -0.98389,
                -0.396877,
                0.555359,
                0.99859,
                0.526252,
                -0.42681,
                -0.993538,
            ],
            [0.993058, 0.644462, -0.283136],
        ],
    ),
    (
        "ScheduleFreeAdamW(0.1, warmup_steps=3, weight_decay=0.01)",
        True,
        [
            [
                0.0,
                0.84021,
                0.907934,
                0.108741,
                -0.746914,
                -0.944621,
                -0.278997,
                0.656002,
                0.987875,
                0.29362,
                -0.643848,
                -0.987776,
            ],
            [0.993058, 0.644462, -0.283136],
        ],
    ),
    (
        "Adafactor(0.1)",
        False,
        [
            [
                -0.181976,
                0.752182,
                0.980379,
                0.292849,
                -0.650207,
                -1.006497,
                -0.397369,
                0.535223,
                1.012355,
                0.493425,
                -0.409595,
                -0.997857,
            ],
            [1.008017, 0.669101, -0.242921],
        ],
    ),
    (
        "Adafactor(0.1)",
        True,
        [
            [
                0.0,
                0.841471,
                0.909297,
                0.109105,
                -0.741742,
                -0.93977,
                -0.279415,
                0.656987,
                0.989358,
                0.299291,
                -0.673965,
                -0.966537,
            ],
            [1.008017, 0.669101, -0.242921],
        ],
    ),
    (
        "Adam(0.1, gradient_accumulation_steps=2, use_ema=True)",
        False,
        [
            [
                -0.199965,
                0.702963,
                0.837797,
                0.337575,
                -0.607367,
                -0.87814,
                -0.468688,
                0.496143,
                0.899449,
                0.591981,
                -0.37161,
                -0.900986,
            ],
            [0.90071, 0.509465, -0.232407],
        ],
    ),
    (
        "Adam(0.1, gradient_accumulation_steps=2, use_ema=True)",
        True,
        [
            [
                0.0,
                0.841471,
                0.909297,
                0.03725,
                -0.792916,
                -0.770293,
                -0.279415,
                0.656987,
                0.989358,
                0.222846,
                -0.704865,
                -1.089899,
            ],
            [0.90071, 0.509465, -0.232407],
        ],
    ),
]


def _stepped(optimizer: Any, by_rows: bool) -> list[np.ndarray]:
    layer = keras.layers.Dense(3, name="dense")
    layer.build((None, 4))
    layer.set_weights([np.sin(np.arange(12)).reshape(4, 3), np.cos(np.arange(3))])
    for i in range(4):
        g = np.sin(np.arange(12) + i).reshape(4, 3).astype(np.float32)
        made: Any = tf.constant(g)
        if by_rows:
            rows = tf.constant([1, 1, 3])
            made = tf.IndexedSlices(tf.constant(g[:3]), rows, dense_shape=(4, 3))
        beside = tf.constant(np.cos(np.arange(3.0) + i).astype(np.float32))
        optimizer.apply_gradients([(made, layer.kernel), (beside, layer.bias)])
    return [w.numpy().ravel() for w in layer.weights]


@pytest.mark.parametrize(("make", "by_rows", "expected"), EXPECTED)
def test_steps_are_those_of_tensorflow(
    make: str, by_rows: bool, expected: list[list[float]]
) -> None:
    optimizer = eval(f"optimizers.{make}", {"optimizers": keras.optimizers})  # noqa: S307
    for found, told in zip(_stepped(optimizer, by_rows), expected, strict=True):
        np.testing.assert_allclose(found, told, atol=1e-5)


def test_muon_keeps_squares_only_where_adam_steps() -> None:
    optimizer = keras.optimizers.Muon()
    layer = keras.layers.Dense(3)
    layer.build((None, 4))
    optimizer.build(layer.weights)
    shapes = [tuple(x.shape) for x in optimizer.variables]
    assert shapes == [(), (), (4, 3), (3,), (3,)]
    again = type(optimizer).from_config(optimizer.get_config())
    assert again.get_config() == optimizer.get_config()


def test_the_number_of_steps_is_saved_as_keras_counts_gathered_gradients() -> None:
    optimizer = keras.optimizers.Adam(gradient_accumulation_steps=3)
    _stepped(optimizer, False)
    first = optimizer.variables[0]
    assert int(first) == 4
    assert int(optimizer.iterations) == 1
    other = keras.optimizers.Adam(gradient_accumulation_steps=3)
    _stepped(other, False)
    other.set_weights([np.asarray(8), *optimizer.get_weights()[1:]])
    layer = keras.layers.Dense(3)
    layer.build((None, 4))
    other.apply_gradients([(tf.ones((4, 3)), layer.kernel)])
    assert int(other.iterations) == 3  # of 9 gradients
