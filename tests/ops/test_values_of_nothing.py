"""Tensors without elements, and kernels that fail for what they are given."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v2 as tf


def test_masks_of_no_sequences_have_no_columns() -> None:
    assert tl.sequence_mask(tl.zeros(0, dtype=tl.int32)).shape == (0, 0)
    assert tl.sequence_mask(tl.asarray([-2, -1])).shape == (2, 0)
    traced = tl.function(tl.sequence_mask)
    assert traced(tl.zeros(0, dtype=tl.int64)).shape == (0, 0)


def test_fingerprints_are_of_rows() -> None:
    assert tf.fingerprint(tf.zeros([0])).shape == (0, 8)
    assert tf.fingerprint(tf.zeros([2, 0])).shape == (2, 8)
    with pytest.raises(tl.errors.ShapeError, match="scalar"):
        tf.fingerprint(1.0)


def test_no_images_have_blocks() -> None:
    made = tf.nn.space_to_depth(tf.zeros([0, 4, 4, 3]), 2)
    assert made.shape == (0, 2, 2, 12)
    assert tf.nn.depth_to_space(made, 2).shape == (0, 4, 4, 3)


def test_masks_of_numbers_choose_where_they_are_not_zero() -> None:
    x = tf.constant([[1, 2], [3, 4], [5, 6]])
    np.testing.assert_array_equal(tf.boolean_mask(x, [1, 0, 2.5]), [[1, 2], [5, 6]])


def test_kernels_that_fail_for_a_value_say_it_is_an_argument() -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match="negative") as caught:
        tf.math.unsorted_segment_sum(tf.zeros([0]), tf.zeros([0], tf.int32), -2)
    assert isinstance(caught.value, ValueError)
