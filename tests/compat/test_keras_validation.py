"""What Keras' models are evaluated on as they are trained, and when."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

ROWS = np.random.default_rng(0).normal(size=(16, 4)).astype(np.float32)
TRUE = ROWS.sum(1, keepdims=True)
HELD = np.zeros_like(ROWS[:8]), np.full((8, 1), 3.0, np.float32)
"""What a layer without a bias makes 0 of, so that its loss is 9."""


def linear() -> Any:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, use_bias=False)])
    model.compile("sgd", "mse")
    return model


def test_validation_data_go_before_a_share_of_the_rows() -> None:
    given = {"validation_split": 0.5, "validation_data": HELD}
    found = linear().fit(ROWS, TRUE, epochs=3, verbose=0, **given)
    assert found.history["val_loss"] == [9.0] * 3


def test_the_epochs_may_be_listed_after_which_models_are_evaluated() -> None:
    given = {"validation_data": HELD, "validation_freq": [2, 5]}
    found = linear().fit(ROWS, TRUE, epochs=5, verbose=0, **given)
    assert found.history["val_loss"] == [9.0] * 2


def test_a_share_of_the_rows_is_kept_from_arrays_alone() -> None:
    batches = tf.data.Dataset.from_tensor_slices((ROWS, TRUE)).batch(8)
    with pytest.raises(ValueError, match="validation_split"):
        linear().fit(batches, validation_split=0.5, verbose=0)
