"""Keras' layers that spread values, and metrics of values that rise together.

Expected numbers are what TensorFlow 2.21's Keras gives, or NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite.compat.v2 as tf

keras: Any = tf.keras


def images() -> Any:
    return np.random.RandomState(0).randint(20, 200, (2, 5, 6, 3)).astype("float32")


def test_contrast_is_stretched_over_the_range() -> None:
    x = images()
    x[1, :, :, 0] = 7
    found = keras.layers.AutoContrast()(x).numpy()
    np.testing.assert_allclose(
        found[0, 0, 0], [251.96428, 70.66265, 163.92857], rtol=1e-5
    )
    np.testing.assert_array_equal(found[1, :, :, 0], 7)
    alone = keras.layers.AutoContrast(value_range=(0, 1))(x[0] / 255.0).numpy()
    np.testing.assert_allclose(alone, found[0] / 255.0, atol=1e-5)


def test_values_are_spread_by_how_many_pixels_have_them() -> None:
    x = images()[0]
    found = keras.layers.Equalization()(x).numpy()
    assert found[0, :5, 0].tolist() == [237, 79, 26, 88, 70]
    few = keras.layers.Equalization(value_range=(0, 1), bins=16)(x / 255.0).numpy()
    assert few.min() == 0.0
    assert few.max() == 1.0
    flat = np.full((4, 4, 1), 9.0, "float32")
    np.testing.assert_array_equal(keras.layers.Equalization()(flat), flat)


def test_colours_are_brought_nearer_to_grey_in_training() -> None:
    x = images()
    layer = keras.layers.RandomColorDegeneration((0.3, 0.3))
    grey = (x @ np.asarray([0.2989, 0.587, 0.114], "float32"))[..., None]
    np.testing.assert_allclose(
        layer(x, training=True), 0.7 * x + 0.3 * grey, rtol=1e-5
    )
    np.testing.assert_array_equal(layer(x, training=False), x)


def test_values_that_rise_together_are_correlated() -> None:
    true = np.random.RandomState(1).rand(6, 3).astype("float32")
    found = np.random.RandomState(2).rand(6, 3).astype("float32")
    wanted = [np.corrcoef(x, y)[0, 1] for x, y in zip(true, found, strict=True)]
    each = keras.metrics.pearson_correlation(true, found)
    np.testing.assert_allclose(each, wanted, rtol=1e-4)
    metric = keras.metrics.PearsonCorrelation()
    metric.update_state(true, found)
    np.testing.assert_allclose(metric.result(), np.mean(wanted), rtol=1e-4)
    near = keras.metrics.concordance_correlation(true, found)
    np.testing.assert_allclose(near[:3], [-0.8743, 0.1157, 0.3542], atol=1e-4)
    same = keras.metrics.ConcordanceCorrelation()
    same.update_state(true, true)
    np.testing.assert_allclose(same.result(), 1.0, rtol=1e-5)
