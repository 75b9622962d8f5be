"""Values of calls of TensorFlow 2 that stood otherwise than TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite.compat.v2 as tf


def test_zeros_like_texts_are_empty_texts() -> None:
    given = tf.constant(["a", "b"])
    for made in (tf.zeros_like(given), tf.function(tf.zeros_like)(given)):
        assert made.numpy().tolist() == [b"", b""]


def test_steps_between_whole_numbers_are_float64() -> None:
    made = tf.linspace(1, 5, 3)
    assert made.dtype == tf.float64
    np.testing.assert_array_equal(made, [1.0, 3.0, 5.0])


def test_a_tensor_stands_for_a_list_of_its_rows_or_for_one() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    np.testing.assert_array_equal(tf.add_n(x), [4.0, 7.0])
    assert tf.ragged.stack(x).to_list() == [x.numpy().tolist()]


def test_relu6_of_whole_numbers_is_whole() -> None:
    made = tf.nn.relu6([1, -2, 7])
    assert made.dtype == tf.int32
    np.testing.assert_array_equal(made, [1, 0, 6])
    with pytest.raises(TypeError, match="Relu6 takes real numbers"):
        tf.nn.relu6(tf.constant([1j]))
