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


def test_fingerprints_are_of_rows() -> None:
    assert tf.fingerprint(tf.zeros([0])).shape == (0, 8)
    assert tf.fingerprint(tf.zeros([2, 0])).shape == (2, 8)
    with pytest.raises(ValueError, match="scalar"):
        tf.fingerprint(1.0)


def test_no_images_have_blocks() -> None:
    made = tf.nn.space_to_depth(tf.zeros([0, 4, 4, 3]), 2)
    assert made.shape == (0, 2, 2, 12)
    assert tf.nn.depth_to_space(made, 2).shape == (0, 4, 4, 3)


def test_masks_of_numbers_choose_where_they_are_not_zero() -> None:
    x = tf.constant([[1, 2], [3, 4], [5, 6]])
    np.testing.assert_array_equal(tf.boolean_mask(x, [1, 0, 2.5]), [[1, 2], [5, 6]])


def test_kernels_that_fail_for_a_value_say_it_is_an_argument() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative") as caught:
        tf.math.unsorted_segment_sum(tf.zeros([0]), tf.zeros([0], tf.int32), -2)
    assert isinstance(caught.value, ValueError)
