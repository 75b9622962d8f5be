"""What TensorFlow 2's programs rely on and tensorlite's own results differ in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf


@pytest.mark.parametrize(
    ("dtype", "wanted"),
    [("int32", "float64"), ("int64", "float64"), ("int8", "float32")],
)
def test_quotients_of_integers(dtype: str, wanted: str) -> None:
    x = tf.constant([1, 2], dtype=dtype)
    assert (x / x).dtype.name == wanted
    assert (x / 2).dtype.name == wanted
    assert tf.function(lambda y: 1 / y)(x).dtype.name == wanted
    assert (tf.constant([1.0]) / 2).dtype.name == "float32"


def test_a_single_text_is_bytes_for_numpy() -> None:
    assert tf.constant("text").numpy() == b"text"
    assert tf.strings.join(["a", "b"]).numpy().decode() == "ab"
    assert isinstance(tf.constant(["a"]).numpy(), np.ndarray)


@pytest.mark.parametrize("paddings", [[[0, -1]], np.array([[-1, 0]])])
def test_paddings_are_not_negative(paddings: Any) -> None:
    for given in (paddings, tf.constant(paddings)):
        with pytest.raises(ValueError, match="non-negative"):
            tf.pad(tf.constant([1, 2]), given)
