"""Numbers of four and eight bits are kept, moved and cast; values are those of TensorFlow 2."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v2

tf: Any = v2


def test_floats_of_eight_bits_are_rounded_and_moved() -> None:
    kind = tf.dtypes.experimental.float8_e4m3fn
    x = tf.cast([1.3, -7.9, 500.0], kind)
    assert x.dtype is tf.experimental.float8_e4m3fn is tf.as_dtype(25)
    np.testing.assert_array_equal(tf.cast(x, tf.float32), [1.25, -8.0, np.nan])
    moved = tf.concat([tf.gather(x, [1, 0]), tf.reshape(x, [3])], 0)
    wanted = [-8.0, 1.25, 1.25, -8.0, np.nan]
    np.testing.assert_array_equal(tf.cast(moved, tf.float32), wanted)


def test_integers_of_four_bits_wrap_around() -> None:
    y = tf.cast([3, -8, 9], tf.dtypes.experimental.int4)
    assert tf.cast(y, tf.int32).numpy().tolist() == [3, -8, -7]
    assert (y.dtype.min, y.dtype.max) == (-8, 7)
    assert tf.experimental.uint4.max == 15


def test_they_are_traced() -> None:
    kind = tf.dtypes.experimental.float8_e5m2
    rounded = tf.function(lambda x: tf.cast(tf.cast(x, kind), tf.float32))
    assert rounded(tf.constant([1.0, 2.2, 3e5])).numpy().tolist() == [1, 2, np.inf]


def test_no_other_dtype_meets_them() -> None:
    x = tf.cast([1.0], tf.dtypes.experimental.float8_e5m2)
    with pytest.raises((TypeError, ValueError)):
        x + tf.constant([1.0])
