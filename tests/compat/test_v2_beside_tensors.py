"""What stands beside a tensor in an expression: lists, arrays, shapes, slices; and division by 0.

Expected values are TensorFlow 2.21's, but for messages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

X = [1, 2, 3]


@pytest.mark.parametrize("dtype", [tf.uint8, tf.int64, tf.float16, tf.float64])
@pytest.mark.parametrize("beside", [[3, 2, 1], [[True], [False]], (0, 0, 7), []])
def test_lists_take_the_tensors_dtype(dtype: Any, beside: Any) -> None:
    x = tf.constant(X if len(beside) != 0 else [], dtype)
    expected = np.array(X if len(beside) != 0 else []) + np.array(beside, int)
    for found in (x + beside, beside + x):
        assert found.dtype is dtype
        np.testing.assert_array_equal(found, expected.astype(dtype.as_numpy_dtype))


def test_fractions_in_lists_take_the_tensors_width() -> None:
    x = tf.constant(X, tf.float16)
    assert (x * [0.5, 1.5, 2.5]).dtype is tf.float16
    assert (tf.constant(X, tf.float64) * [0.1, 1.5, 2.5]).numpy()[0] == 0.1
    assert (tf.constant(X) * [0.5, 1.5, 2.5]).dtype is tf.float32


def test_masks_of_numpy_are_numbers_beside_numbers() -> None:
    mask = np.array([True, False, True])
    np.testing.assert_array_equal(tf.constant(X, tf.float32) * mask, [1.0, 0.0, 3.0])
    np.testing.assert_array_equal(tf.constant(X) + mask, [2, 2, 4])


def test_arrays_are_not_shared_with_operands() -> None:
    factor = np.ones(3, np.float32)
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = x * factor
    factor[:] = 7.0
    np.testing.assert_array_equal(tape.gradient(y, x), [1.0, 1.0, 1.0])


def test_shapes_are_compared_by_their_sizes() -> None:
    x = tf.ones([2, 3])
    assert bool(tf.reduce_all(tf.shape(x) == x.shape))
    np.testing.assert_array_equal(
        tf.shape(x) != tf.TensorShape([2, 4]), [False, True]
    )


def test_rows_stand_for_the_whole_beside_tensors() -> None:
    rows = tf.IndexedSlices(tf.constant([5.0]), tf.constant([1]), tf.constant([3]))
    np.testing.assert_array_equal(tf.ones(3) * rows, [0.0, 5.0, 0.0])
    np.testing.assert_array_equal(rows - tf.ones(3), [-1.0, 4.0, -1.0])
    assert isinstance(-rows, tf.IndexedSlices)
    np.testing.assert_array_equal((-rows).values, [-5.0])


def test_an_array_differs_from_a_tensor_that_it_does_not_meet() -> None:
    assert not bool(np.ones(3) == tf.ones(2))
    assert bool(np.ones(3) != tf.ones(2))


def test_bytes_are_those_of_the_array() -> None:
    assert bytes(tf.constant([1.0, 2.0])) == np.array([1, 2], np.float32).tobytes()
    assert bytes(tf.constant([258])) == b"\x02\x01\x00\x00"


DIVISIONS: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x // y,
    lambda x, y: x % y,
    tf.math.floordiv,
    tf.math.floormod,
    tf.truncatediv,
    tf.truncatemod,
]


@pytest.mark.parametrize("divided", DIVISIONS)
@pytest.mark.parametrize("by", [0, [1, 0, 2]])
@pytest.mark.parametrize("traced", [False, True])
def test_whole_numbers_are_not_divided_by_zero(
    divided: Callable[[Any, Any], Any], by: Any, traced: bool
) -> None:
    call = tf.function(divided) if traced else divided
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        call(tf.constant(X), tf.constant(by))


@pytest.mark.parametrize("divided", DIVISIONS)
def test_nothing_may_be_divided_by_zero(divided: Callable[[Any, Any], Any]) -> None:
    none = tf.constant([], tf.int32)
    assert divided(none, tf.constant(0)).shape == (0,)


def test_a_division_by_zero_that_is_not_reached_is_none() -> None:
    @tf.function
    def guarded(x: Any, by: Any) -> Any:
        return tf.cond(by == 0, lambda: x, lambda: x // by)

    assert guarded(tf.constant(7), tf.constant(0)).numpy() == 7
    assert guarded(tf.constant(7), tf.constant(2)).numpy() == 3


def test_functions_divide_infinities_as_eager_code_does() -> None:
    x = tf.constant([np.inf, -np.inf, 7.0])
    eager = x // 2.0
    np.testing.assert_array_equal(eager, [np.inf, -np.inf, 3.0])
    np.testing.assert_array_equal(tf.function(lambda x: x // 2.0)(x), eager)
