"""Gradients that optimizers apply to the variables that they were built with."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite.compat.v2 as tf


def test_gradients_alone_go_to_the_variables_it_was_built_with() -> None:
    first, second = tf.Variable([1.0, 2.0]), tf.Variable([3.0])
    optimizer = tf.keras.optimizers.SGD(0.5)
    with pytest.raises(ValueError, match="must already be built"):
        optimizer.apply([tf.constant([1.0, 1.0])])
    optimizer.build([first, second])
    optimizer.apply([tf.constant([1.0, 1.0]), tf.constant([2.0])])
    np.testing.assert_array_equal(first.numpy(), [0.5, 1.5])
    np.testing.assert_array_equal(second.numpy(), [2.0])
    with pytest.raises(ValueError, match="zip"):
        optimizer.apply([tf.constant([1.0, 1.0])])
